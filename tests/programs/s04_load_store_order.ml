(* flags: -w -a *)
(* soundness 4: loads are not moved past the stores of later or earlier operands. *)
type r = { mutable a : int; mutable b : int; mutable f : int -> int }
let show3 (a, b, c) = Printf.printf "%d %d %d\n" a b c
let three a b c = show3 (a, b, c)
let () =
  let r = { a = 1; b = 2; f = succ } in
  (* the last operand is evaluated first *)
  three r.a (r.a <- 10; 0) r.a;
  show3 (r.a, (r.a <- 20; 1), r.a);
  let t = r.a + (r.a <- 5; 100) + r.a in
  Printf.printf "%d\n" t;
  let t = (r.a <- 7; r.b) * 10 + r.a in
  Printf.printf "%d\n" t;
  let bump () = r.a <- r.a + 1; r.a in
  three (bump ()) r.a (bump ());
  show3 (r.a, bump (), r.a);
  let x = r.a in
  r.a <- 0;
  Printf.printf "%d %d\n" x r.a;
  let arr = [| 1; 2; 3 |] in
  three arr.(0) (arr.(0) <- 9; 4) arr.(0);
  let i = ref 0 in
  arr.(incr i; !i) <- (i := 1; !i * 50);
  Printf.printf "%d %d %d\n" arr.(0) arr.(1) arr.(2);
  let s = Bytes.of_string "abc" in
  Printf.printf "%c%c\n" (Bytes.get s 0) (Bytes.set s 0 'z'; Bytes.get s 0);
  let fl = [| 1.; 2. |] in
  Printf.printf "%g %g\n" fl.(0) (fl.(0) <- 8.; fl.(1));
  let g = ref (fun x y -> x + y) in
  (* over-application: all the arguments before the call *)
  let over x = print_string "over "; fun y -> print_string "inner "; x + y in
  Printf.printf "%d\n" (over (print_string "x "; 1) (print_string "y "; 2));
  let y = ref 3 in
  let v = !y in
  let w = (fun () -> y := 4; v + !y) () in
  Printf.printf "%d %d %d\n" v w !y
