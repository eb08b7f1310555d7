type c = { re : float; im : float }
let add a b = { re = a.re +. b.re; im = a.im +. b.im }
let scale ?(by = 2.) a = { re = a.re *. by; im = a.im *. by }
let norm2 a = a.re *. a.re +. a.im *. a.im
exception Negative of int
let check n = if n < 0 then raise (Negative n) else n
let first = function [] -> failwith "first" | x :: _ -> x
let get a i = a.(i)
let set_float (a : float array) i x = a.(i) <- x
let equal a b = a = b
let ticks = ref 0
let tick () = incr ticks; !ticks
let twice f x = f (f x)
let compose f g = fun x -> f (g x)
let[@inline never] stays n = n * 3 + 1
let[@inline] always n =
  let a = stays n in
  let b = stays (a + n) in
  let c = stays (a - b) in
  if a > b then a lxor b lxor c else if b > c then b - c else stays c
let describe = function 0 -> "zero" | 1 -> "one" | n when n < 0 -> "negative" | _ -> "many"
let say s n = print_string s; n
let noisy a b = say "first " a - say "second " b
let pair (a, b) = a * 10 + b
let later = ref (fun () -> 0)
let call_later () = !later () + 1
let origin = { re = 0.; im = -0. }
let name = "base"
let table = [| "a"; "b"; "c" |]
let pick n = table.(n mod 3)
let guarded f = try f () with Not_found -> -1 | Negative n -> n
external swap64 : int64 -> int64 = "%bswap_int64"
module type Ordered = sig type t val compare : t -> t -> int end
module Max (O : Ordered) = struct
  let calls = ref 0
  let max a b = incr calls; if O.compare a b >= 0 then a else b
  let count () = !calls
end
