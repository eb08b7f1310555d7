(* Manual 21.3.2: decided where the function is called, with what is known there. *)

let f b x =
  if b then
    x
  else begin
    let y = x * 3 + (x lsr 2) in
    let z = (y * y) lxor (x + 17) in
    let u = (z * 31 + y) land 0xffff in
    let v = (u * 37 + z) lxor (y lsl 3) in
    let w = (v * 41 + u) land 0xffffff in
    let s = (w * 43 + v) lxor (u lsl 5) in
    let t = (s * 47 + w) land 0xfffff in
    t + s + w + v + u + z + y
  end

let g x = f true x
let unknown b x = f b x
(* expect g: returns x *)
(* expect unknown: 1 call of f *)
