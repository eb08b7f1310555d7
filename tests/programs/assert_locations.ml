(* flags: -w -a *)
(* assert, __LOC__ and friends, Match_failure and Assert_failure positions. *)
let f x = assert (x > 0); x
let g = function 0 -> "zero" | 1 -> "one"
let loc () = __LOC__ and line () = __LINE__ and file () = __FILE__ and modu () = __MODULE__ and pos () = __POS__ and fn () = __FUNCTION__
let h x = let l, v = __LOC_OF__ (x + 1) in (l, v)
let li x = __LINE_OF__ (f x)
module M = struct let name = __FUNCTION__ let inner () = __FUNCTION__ class c = object method m = __FUNCTION__ end end
let () =
  (try ignore (f 0) with Assert_failure (f, l, c) -> Printf.printf "%s %d %d\n" f l c);
  (try ignore (g 5) with Match_failure (f, l, c) -> Printf.printf "%s %d %d\n" f l c);
  (try assert false with Assert_failure (f, l, c) -> Printf.printf "%s %d %d\n" f l c);
  print_endline (loc ()); Printf.printf "%d %s %s %s\n" (line ()) (file ()) (modu ()) (fn ());
  let (f, a, b, c) = pos () in Printf.printf "%s %d %d %d\n" f a b c;
  let l, v = h 3 in Printf.printf "%s %d\n" l v; let n, v = li 4 in Printf.printf "%d %d\n" n v;
  Printf.printf "%s %s %s\n" M.name (M.inner ()) (new M.c)#m;
  let x = ref 0 in assert (incr x; true); Printf.printf "%d\n" !x
