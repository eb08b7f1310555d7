(* flags: -w -a -opaque *)
(* soundness 48: units compiled with -opaque, and values from C, are unknown. *)
external str : unit -> string = "s48_string"
external count : unit -> int = "s48_count" [@@noalloc]
let () =
  Printf.printf "%s %d %d %d %g\n" Stub.name Stub.limit (Stub.scale 3) Stub.default.a Stub.default.b;
  let a = str () in
  let b = str () in
  Printf.printf "%s %s %d\n" a b (String.length a);
  let x = count () in
  let y = count () in
  ignore (count ());
  Printf.printf "%d %d %d\n" x y (count ());
  match str () with "first" -> print_endline "f" | "later" -> print_endline "l" | _ -> print_endline "?"
