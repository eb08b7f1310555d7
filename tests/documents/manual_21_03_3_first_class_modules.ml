(* Manual 21.3.3: a function in a first-class module is inlined if it is known which one it is. *)

module type S = sig val f : int -> int val g : int -> int end
module A = struct let f x = x + 1 let g x = x * 2 end

let of_constant y =
  let m = (module A : S) in
  let module M = (val m) in
  M.f (M.g y)
(* expect of_constant: no call, 1 add *)

let packed = (module A : S)
let of_toplevel y =
  let module M = (val packed) in
  M.f y
(* expect of_toplevel: no call *)

let apply (module M : S) x = M.f (M.f x)
let of_argument x = apply (module A) x
(* expect of_argument: no call, no allocation *)

let made_here k x = apply (module struct let f y = y + k let g y = y end) x
(* expect made_here: no call, no allocation *)

let choice b x =
  let m = if b then (module A : S) else (module struct let f x = x - 1 let g x = x end) in
  let module M = (val m) in
  M.f x
(* expect choice: no allocation *)
