(* flags: -w -a *)
(* ocaml: >= 4.14, which makes an ephemeron with its keys and data *)
(* Ephemerons that are made with keys and data: data lives as long as the keys, and keys are not copied. *)
let[@inline never] fresh i = ref i
let () =
  let k1 = fresh 1 and k2 = fresh 2 in
  let e = Ephemeron.K2.make k1 k2 (fresh 3) in
  Gc.full_major ();
  Printf.printf "%b %d\n" (Option.is_some (Ephemeron.K2.query e k1 k2)) (!k1 + !k2);
  Printf.printf "%b\n" (Option.is_some (Ephemeron.K2.query e k1 (fresh 2)));
  ignore (Sys.opaque_identity (k1, k2))
let[@inline never] eph x =
  let k = ref x in
  let e = Ephemeron.K1.make k (string_of_int x) in
  let alive = Ephemeron.K1.query e k in
  (e, alive, !k)
let () =
  let e, alive, k = eph (Sys.opaque_identity 9) in
  Gc.full_major ();
  Printf.printf "%b %b %d\n" (alive = Some "9") (Option.is_some (Ephemeron.K1.query e (fresh 9))) k
