type t = { add : int -> int; show : unit -> string; sub3 : int -> int -> int }
let make n s f =
  let rec add x = if x > 1000 then show_len () else x + n
  and show () = Printf.sprintf "%s %d %g" s (add 1) f
  and show_len () = String.length (show ())
  and sub3 a b = a - b - n in
  { add; show; sub3 }
let add t = t.add
let show t = t.show
let both t = (t.add, t.sub3)
let[@inline] twist f n =
  let rec g x = if x = 0 then n else f (g (x - 1)) and h () = g n + n in
  (g, h)
