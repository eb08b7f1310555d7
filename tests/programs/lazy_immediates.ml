(* Lazy values made of immediates, lazies, floats: what they are, and that bodies run once. *)
let g x = let l = Lazy.from_val x in Lazy.force l
let is_v l = Lazy.is_val l
let () =
  let t = ref 0 in
  for i = 0 to 3000 do t := !t + g i done; print_int !t; print_newline ();
  let l = Lazy.from_val 3 in Printf.printf "%b %d %d\n" (is_v l) (Obj.tag (Obj.repr 3))
    (Obj.tag (Obj.repr (Sys.opaque_identity 'c')));
  let m = Lazy.from_val (lazy 4) in Printf.printf "%b %d\n" (is_v m) (Lazy.force (Lazy.force m));
  let f = Lazy.from_val 2.5 in Printf.printf "%b %g\n" (is_v f) (Lazy.force f);
  let o = Lazy.from_val None in Printf.printf "%b %b\n" (is_v o) (Lazy.force o = (None : int option));
  let n = lazy (print_string "once "; 7) in Printf.printf "%d %d\n" (Lazy.force n) (Lazy.force n)
