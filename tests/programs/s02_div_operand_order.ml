(* flags: -w -a *)
(* soundness 2: the zero test comes after both operands. *)
exception F
let f n = print_string "f "; if n = 0 then raise F else n
let zero l = print_string "z "; List.hd l
let t name g = Printf.printf "%s: " name; (match g () with
  | v -> Printf.printf "-> %d\n" v
  | exception Division_by_zero -> print_endline "div by zero"
  | exception F -> print_endline "F"
  | exception Failure s -> print_endline s)
let () =
  t "f/0" (fun () -> f 0 / List.hd [0]);
  t "f mod 0" (fun () -> f 0 mod zero [0]);
  t "f/0 ok" (fun () -> f 1 / zero [0]);
  t "f/2" (fun () -> f 8 / zero [2]);
  t "hd fails" (fun () -> f 0 / zero []);
  t "int64" (fun () -> Int64.to_int (Int64.div (Int64.of_int (f 0)) (Int64.of_int (List.hd [0]))));
  t "int64 ok" (fun () -> Int64.to_int (Int64.div (Int64.of_int (f 4)) (Int64.of_int (List.hd [0]))));
  t "int32" (fun () -> Int32.to_int (Int32.rem (Int32.of_int (f 0)) (Int32.of_int (List.hd [0]))));
  t "native" (fun () -> Nativeint.to_int (Nativeint.div (Nativeint.of_int (f 0)) 0n));
  t "const zero" (fun () -> f 0 / 0);
  t "const zero, f ok" (fun () -> f 3 mod 0);
  t "nested" (fun () -> (f 4 / zero [2]) / (f 3 / zero [5]))
