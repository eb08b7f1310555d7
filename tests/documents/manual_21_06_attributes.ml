(* Manual 21.6: where attributes stand; that of a call goes before that of the function. *)

module F (M : sig type t end) = struct
  let[@inline never] bar x =
    x * 3

  let foo x =
    (bar [@inlined]) (42 + x)
end [@@inline never]

module X = F [@inlined] (struct type t = int end)
let here x = X.foo x

module Y = F (struct type t = int end)
(* F says never, and this call nothing. *)
(* expect entry: 1 call of F *)

let[@inline never] never x = x + 1
let calls_never x = never x
let forced x = (never [@inlined]) x
(* expect calls_never: 1 call of never *)
(* expect forced: no call *)

let[@inline] always x =
  let y = x * 3 + (x lsr 2) in
  let z = (y * y) lxor (x + 17) in
  let u = (z * 31 + y) land 0xffff in
  let v = (u * 37 + z) lxor (y lsl 3) in
  let w = (v * 41 + u) land 0xffffff in
  let s = (w * 43 + v) lxor (u lsl 5) in
  let t = (s * 47 + w) land 0xfffff in
  t + s + w + v + u + z + y
let calls_always x = always x
let not_here x = (always [@inlined never]) x
(* expect calls_always: no call *)
(* expect not_here: 1 call of always *)

(* Of a recursive function the body is put there, and its own calls are as they were. *)
let[@inline] rec length l = match l with [] -> 0 | _ :: t -> 1 + length t
let calls_length l = length l
(* expect calls_length: 1 call of length, 1 branch *)
