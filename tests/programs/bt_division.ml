(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* division by zero, assert false, assertion failures, match failures *)
let o = Sys.opaque_identity
let div a b = a / b + 1
let md a b = let q = a + 1 in
  q mod b
let d64 a b = Int64.to_int (Int64.div a b) + 1
let konst a = a / 0
let af x = if x > 0 then assert false else x
let at x = assert (x > 5); x
let mf x = (match x with 1 -> 2 | 2 -> 3) + 1
let mf2 = function Some (1 | 2) -> 1 | None -> 0
let lt x = let (Some y) = x in y + 1
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "div" (fun () -> 1 + div 3 (o 0)); run "mod" (fun () -> 1 + md 3 (o 0)); run "d64" (fun () -> 1 + d64 3L (o 0L)); run "const" (fun () -> 1 + konst (o 3));
  run "assert false" (fun () -> 1 + af 1); run "assert" (fun () -> 1 + at (o 3)); run "ok" (fun () -> af 0 + at 6);
  run "match" (fun () -> 1 + mf (o 3)); run "function" (fun () -> 1 + mf2 (o (Some 3))); run "let" (fun () -> 1 + lt (o None));
  run "inline" (fun () -> (o 5 / o 0) + (o 6 mod o 0))
