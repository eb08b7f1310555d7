(* flags: -w -a *)
(* soundness 18: equal mutable literals are distinct. *)
type m = { mutable u : float; mutable v : float }
let a = [| 0.; 0. |]
let b = [| 0.; 0. |]
let i1 = [| 1; 2 |]
let i2 = [| 1; 2 |]
let m1 = { u = 0.; v = 0. }
let m2 = { u = 0.; v = 0. }
let r1 = ref 0
let r2 = ref 0
let s1 = ref "s"
let s2 = ref "s"
let f () = [| 1.; 2.; 3. |]
let nested = [ [| 0 |]; [| 0 |]; [| 0 |] ]
exception E of int
exception E' of int
module X1 = struct exception X end
module X2 = struct exception X end
let () =
  a.(0) <- 10.; i1.(0) <- 10; m1.u <- 10.; r1 := 10; s1 := "ten";
  Printf.printf "%g %d %g %d %s\n" b.(0) i2.(0) m2.u !r2 !s2;
  let x = f () and y = f () in
  x.(0) <- 100.;
  Printf.printf "%g %g\n" y.(0) (f ()).(0);
  (List.hd nested).(0) <- 5;
  List.iter (fun a -> Printf.printf "%d " a.(0)) nested;
  print_newline ();
  Printf.printf "%b %b %b %b\n" (a == b) (i1 == i2) (r1 == r2) (m1 == m2);
  let t e = match e with E n -> "E" | E' n -> "E'" | X1.X -> "X1" | X2.X -> "X2" | _ -> "?" in
  List.iter (fun e -> print_string (t e); print_char ' ') [ E 1; E' 1; X1.X; X2.X; Exit ];
  print_newline ();
  let bufs = Array.init 3 (fun _ -> Bytes.make 2 '-') in
  Bytes.set bufs.(0) 0 'x';
  Array.iter (fun b -> print_endline (Bytes.to_string b)) bufs
