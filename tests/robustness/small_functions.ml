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
let[@inline] wide x y =
  (x lsl 1 * (y + 1)) + (x lsl 2 * (y + 2)) + (x lsl 3 * (y + 3)) + (x lsl 4 * (y + 4)) + (x lsl 5 * (y + 5)) + (x lsl 6 * (y + 6)) + (x lsl 7 * (y + 7)) + (x lsl 8 * (y + 8)) + (x lsl 9 * (y + 9)) + (x lsl 10 * (y + 10)) + (x lsl 11 * (y + 11)) + (x lsl 12 * (y + 12)) + (x lsl 13 * (y + 13)) + (x lsl 14 * (y + 14)) + (x lsl 15 * (y + 15)) + (x lsl 16 * (y + 16)) + (x lsl 17 * (y + 17)) + (x lsl 18 * (y + 18)) + (x lsl 19 * (y + 19))
  + (x lsl 20 * (y + 20)) + (x lsl 21 * (y + 21)) + (x lsl 22 * (y + 22)) + (x lsl 23 * (y + 23)) + (x lsl 24 * (y + 24)) + (x lsl 25 * (y + 25)) + (x lsl 26 * (y + 26)) + (x lsl 27 * (y + 27)) + (x lsl 28 * (y + 28)) + (x lsl 29 * (y + 29)) + (x lsl 30 * (y + 30)) + (x lsl 31 * (y + 31)) + (x lsl 32 * (y + 32)) + (x lsl 33 * (y + 33)) + (x lsl 34 * (y + 34)) + (x lsl 35 * (y + 35)) + (x lsl 36 * (y + 36)) + (x lsl 37 * (y + 37)) + (x lsl 38 * (y + 38)) + (x lsl 39 * (y + 39))
  + (x lsl 40 * (y + 40)) + (x lsl 41 * (y + 41)) + (x lsl 42 * (y + 42)) + (x lsl 43 * (y + 43)) + (x lsl 44 * (y + 44)) + (x lsl 45 * (y + 45)) + (x lsl 46 * (y + 46)) + (x lsl 47 * (y + 47)) + (x lsl 48 * (y + 48)) + (x lsl 49 * (y + 49)) + (x lsl 50 * (y + 50)) + (x lsl 51 * (y + 51)) + (x lsl 52 * (y + 52)) + (x lsl 53 * (y + 53)) + (x lsl 54 * (y + 54)) + (x lsl 55 * (y + 55)) + (x lsl 56 * (y + 56)) + (x lsl 57 * (y + 57)) + (x lsl 58 * (y + 58)) + (x lsl 59 * (y + 59))
let rec count n = function [] -> n | _ :: l -> count (n + 1) l
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)
let rec each f = function [] -> () | x :: l -> f x; each f l
