(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* bounds errors: each access has its own location *)
let o = Sys.opaque_identity
let get a i = a.(i) + 1
let sum a i =
  let x = a.(i) in
  let y = a.(i + 1) in
  let z =
    a.(i + 2) in
  x + y + z
let set a i = a.(i) <- 5; a.(0)
let str s i = Char.code s.[i]
  + Char.code s.[i + 1]
let fl a i = a.(i) +. 1.
let gen (a : 'a array) i = let x = a.(i) in [ x ]
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  let a = o [| 1; 2; 3 |] in
  run "get" (fun () -> 1 + get a 3);
  run "sum0" (fun () -> 1 + sum a 0); run "sum1" (fun () -> 1 + sum a 1); run "sum2" (fun () -> 1 + sum a 2); run "sum3" (fun () -> 1 + sum a 3);
  run "set" (fun () -> 1 + set a (-1));
  run "str" (fun () -> 1 + str "ab" 1); run "str2" (fun () -> 1 + str "ab" 2);
  run "fl" (fun () -> 1 + truncate (fl [| 1. |] (o 1)));
  run "gen" (fun () -> List.length (gen a 7)); run "genf" (fun () -> List.length (gen [| 1. |] 7));
  run "bytes" (fun () -> Bytes.set (Bytes.make 2 'a') (o 2) 'b'; 1)
