(* Functions that the stock compiler inlines into other units, in every form that it has for them: `link-small-functions`. *)
type t = { mutable a : int; b : float; c : string option }
type v = A | B | C of int | D of string | E2 of { x : int; y : float }
let make ?(a = 3) ?(b = 2.5) ?c () = { a; b; c }
let f6 ?p0 ?(p1 = 4) ?(p2 = 5) x = let q = match p0 with None -> 2 | Some v -> v in if x > q + 2 then p1 * x else (p2 + x + p1) * q
let geta t = t.a
let seta t x = t.a <- x
let getb t = t.b
let scale t k = t.b *. k +. 1.0
let ( >>= ) x f = match x with None -> None | Some x -> f x
let tag = function A -> 0 | B -> 1 | C n -> n | D s -> String.length s | E2 { x; y } -> x + int_of_float y
let small = function A | B -> "ab" | C _ -> "c" | _ -> "other"
let rng = ref 17
let next () = rng := (!rng * 1103515245 + 12345) land 0xffffff; !rng
let safe f x = try f x with Not_found -> -1
let sum3 a b c = a + b + c
let name = function "x" -> 1 | "yy" -> 2 | "zzz" -> 3 | _ -> 0
let loop n = let s = ref 0 in for i = 1 to n do s := !s + i done; !s
let fail b = if b then invalid_arg "lib" else 7
let bs s i = Char.code (Bytes.get s i) + 1
let i64 x y = Int64.add x (Int64.mul y 3L)
let obj o = o#go 3
let tup (a, b) = a + b
let arr a i = a.(i)
let apply f x = f x + f (x + 1)
let lz l = Lazy.force l + 1
exception My of int
let ex n = raise (My n)
let get_default ~default = function None -> default | Some x -> x
module Sub = struct let twice x = x + x let const = 42 let pair x = (x, const) end
