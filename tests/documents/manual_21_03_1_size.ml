(* Manual 21.3.1: classic mode decides at the definition, by the size, and inlines no recursive function. *)
(* flags: -Oclassic *)

let f b x =
  if b then x
  else
    let y = x * 3 + (x lsr 2) in
    let z = (y * y) lxor (x + 17) in
    let u = (z * 31 + y) land 0xffff in
    let v = (u * 37 + z) lxor (y lsl 3) in
    v + u + z + y + x
let g x = f true x
let small x = x + 1
let h x = small x
let rec down x = if x = 0 then 0 else 1 + down (x - 1)
let i () = down 1
(* expect g: 1 call of f *)
(* expect h: no call of small *)
(* expect i: 1 call of down *)
