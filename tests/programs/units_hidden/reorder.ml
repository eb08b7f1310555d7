let a0 = 1.5
let helper x = x * 3
let a = a0 +. 1.
exception Hidden
exception E of int
module N = struct let a = 1 let b = a + helper 2 let c = print_endline "N" end
class c = object method private p = 4 method m = 5 end
type t = { x : int; y : string }
let mk x = if x < 0 then raise (E x) else { x; y = string_of_int (helper x) }
let z = "shadowed"
let f x = helper (x + N.a)
