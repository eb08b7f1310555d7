(* flags: -w -a *)
(* pitfalls 55, 57: defaults run at each call in order; unused arguments are still evaluated. *)
let t s v = print_string (s ^ " "); v
let f ?(a = t "a" 1) ?(b = t "b" (a + 1)) ?(c = t "c" (a + b)) () = print_string "body "; a + b + c
let unused _ _ x = x
let tup (a, _) = a
let[@inline never] tup3 (_, (_, b), _) = b
let nop () = ()
let[@inline] konst k _ = k
let rec count ?(from = (print_string "d "; 0)) n = if from >= n then from else count ~from:(from + 1) n
let partial ?(x = t "x" 5) y ?(z = t "z" 6) w = t "pb" (x + y + z + w)
let lab ~a ~b = t "lab" (a - b)
let () =
  let nl () = print_newline () in
  print_int (f ()); nl (); print_int (f ~b:10 ()); nl (); print_int (f ~c:(t "C" 1) ~a:(t "A" 2) ()); nl ();
  print_int (unused (t "u1" 1) (t "u2" 2) (t "u3" 3)); nl ();
  print_int (tup (t "p1" 1, t "p2" 2)); nl ();
  print_int (tup3 (t "q1" 1, (t "q2" 2, t "q3" 3), t "q4" 4)); nl ();
  nop (t "unit" ()); nl (); print_int (konst (t "k" 1) (t "l" 2)); nl ();
  print_int (count 2); nl ();
  let p = partial 1 in print_string "| "; print_int (p 2); print_string " | "; print_int (p ~z:3 4); nl ();
  let q = partial ~x:(t "X" 0) 1 in print_string "| "; print_int (q 1); nl ();
  print_int (lab ~b:(t "b" 1) ~a:(t "a" 5)); nl ();
  let l = lab ~b:(t "b" 1) in print_string "| "; print_int (l ~a:(t "a" 5)); nl ();
  let g = unused (t "x1" 1) in print_string "| "; print_int (g (t "x2" 2) 3); nl ();
  let _ = t "dead" 1 in let _x = t "dead2" 2 in ignore (t "dead3" 3); nl ();
  print_int (let (a, b) = (t "1" 1, t "2" 2) in b); nl ();
  print_int (match t "m1" 1, t "m2" 2 with _, b -> b); nl ()
