(* flags: -w -a *)
(* soundness 35: handlers see the current value of references. *)
exception Stop of int
let a n = let r = ref n in try while true do (if !r > 10 then raise Exit); r := !r + 3 done; !r with Exit -> !r + 1
let b l = let sum = ref 0 and cnt = ref 0 in
  (try List.iter (fun x -> if x < 0 then raise (Stop x); sum := !sum + x; incr cnt) l with Stop x -> sum := !sum * 100 + x);
  (!sum, !cnt)
let c arr = let i = ref 0 and s = ref 0 in
  try while true do s := !s + arr.(!i); incr i done; assert false with Invalid_argument _ -> (!i, !s)
let d x = let r = ref 0 in
  try r := 1; let y = 10 / x in r := y; let z = 100 / (x - 2) in r := z; !r with Division_by_zero -> - !r
let e f = let x = ref 0. and k = ref "init" in
  (try x := 1.5; k := "one"; f 1; x := !x +. 1.; k := "two"; f 2; x := 9. with Exit -> x := -. !x);
  Printf.sprintf "%g %s" !x !k
let g n = let out = ref [] in
  for i = 1 to n do
    let v = ref i in
    (try v := !v * 2; if i mod 2 = 0 then raise Not_found; v := !v + 100; if i mod 3 = 0 then raise Exit; incr v
     with Not_found -> v := - !v | Exit -> ());
    out := !v :: !out
  done; List.rev !out
let h n = let r = ref 0 and i32 = ref 0l and i64 = ref 1L in
  let rec go k = if k = 0 then raise Exit; incr r; i32 := Int32.add !i32 2l; i64 := Int64.mul !i64 2L; go (k - 1) in
  try go n with Exit -> Printf.sprintf "%d %ld %Ld" !r !i32 !i64
let nested () = let r = ref 1 in
  try (try r := 2; raise Exit with Exit -> r := !r * 5; raise Not_found) with Not_found -> let v = !r in r := 0; v + !r
let escape () = let r = ref 1 in let c = [ r ] in
  try r := 2; (List.hd c) := 3; raise Exit with Exit -> !r
let closure () = let r = ref 1 in let f () = r := !r * 7; raise Exit in try r := 2; f () with Exit -> !r
let () =
  Printf.printf "%d %d\n" (a 0) (a 11);
  let p (x, y) = Printf.printf "%d,%d " x y in
  p (b [ 1; 2; 3 ]); p (b [ 1; 2; -3; 4 ]); p (c [| 1; 2; 3 |]); p (c [||]); print_newline ();
  List.iter (fun x -> Printf.printf "%d " (d x)) [ 0; 1; 2; 3 ]; print_newline ();
  print_endline (e ignore); print_endline (e (fun k -> if k = 1 then raise Exit)); print_endline (e (fun k -> if k = 2 then raise Exit));
  List.iter (Printf.printf "%d ") (g 7); print_newline ();
  print_endline (h 0); print_endline (h 12);
  Printf.printf "%d %d %d\n" (nested ()) (escape ()) (closure ())
