(* flags: -w -a *)
(* Array literals: constant, float, nested, generic, of unknown elements, in loops, mutated. *)
let o = Sys.opaque_identity
let c () = [| 1; 2; 3 |]
let f () = [| 1.; 2.; 3. |]
let s () = [| "a"; "b" |]
let n () = [| [| 1 |]; [| 2; 3 |]; [||] |]
let p () = [| (1, "x"); (2, "y") |]
let g x y = [| x; y |]
let h x = [| x; x +. 1.; 0.5 |]
let k x = [| Some x; None |]
let l () = [| 'a'; 'b' |] and b () = [| true; false |] and u () = [| (); () |] and i64 () = [| 1L; 2L |] and i32 () = [| 1l; 2l |]
let fn y = [| (fun x -> x + y); succ; (fun x -> x * y) |]
let pv () = [| `A; `B 1; `C "x" |]
let lz x = [| lazy (x + 1); lazy x |]
let ex () = [| Not_found; Exit; Failure "f" |]
let build n = let a = ref [||] in for i = 1 to n do a := Array.append !a [| i; i * i |] done; !a
let fl n = let a = ref [||] in for i = 1 to n do a := Array.append !a [| float i; 0.5 |] done; !a
let tbl = [| 10; 20; 30; 40 |]
let lookup i = [| 5; 6; 7; 8 |].(i)
let flookup i = [| 0.5; 0.25; 0.125 |].(i)
let slookup i = [| "zero"; "one"; "two" |].(i)
let () =
  let a = c () in a.(0) <- 9; Printf.printf "%d %d\n" a.(0) (c ()).(0); let a = f () in a.(0) <- 9.; Printf.printf "%g %g\n" a.(0) (f ()).(0);
  let a = s () in a.(0) <- "z"; Printf.printf "%s %s\n" a.(0) (s ()).(0); let a = n () in a.(0).(0) <- 9; Printf.printf "%d %d %d\n" a.(0).(0) (n ()).(0).(0) (Array.length (n ()).(2));
  Printf.printf "%s %g %d %s\n" (snd (p ()).(1)) (g 1. 2.).(1) (g 3 4).(0) (g "q" "r").(1); Printf.printf "%g %b\n" (h 2.).(1) ((k 4).(0) = Some 4);
  Printf.printf "%c %b %d %Ld %ld\n" (l ()).(1) (b ()).(0) (Array.length (u ())) (Int64.add (i64 ()).(0) (i64 ()).(1)) (i32 ()).(1);
  Array.iter (fun f -> Printf.printf "%d " (f 5)) (fn 3); Array.iter (function `A -> print_string "A " | `B n -> Printf.printf "B%d " n | `C s -> print_string ("C" ^ s)) (pv ()); Array.iter (fun (lazy x) -> Printf.printf " %d" x) (lz 4); Array.iter (fun e -> print_string (" " ^ Printexc.to_string e)) (ex ()); print_newline ();
  Printf.printf "%d %g\n" (Array.fold_left ( + ) 0 (build 10)) (Array.fold_left ( +. ) 0. (fl 10));
  tbl.(1) <- tbl.(0) + tbl.(3); for i = 0 to 3 do Printf.printf "%d %d " (lookup i) tbl.(i) done; for i = 0 to 2 do Printf.printf "%g %s " (flookup i) (slookup i) done; print_newline ();
  (match lookup (o 4) with _ -> () | exception Invalid_argument s -> print_endline s); (match slookup (o (-1)) with _ -> () | exception Invalid_argument s -> print_endline s);
  let a = [| o 1; o 2 |] and z = [| o 1.5 |] in Printf.printf "%b %b %b\n" (a = [| 1; 2 |]) (z = [| 1.5 |]) ([| [| nan |] |] = [| [| nan |] |]);
  let m = Array.init 3 (fun i -> [| i; i + 1 |]) in m.(0).(0) <- 50; Printf.printf "%d %d\n" m.(0).(0) m.(1).(0)
