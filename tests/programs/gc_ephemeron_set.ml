(* flags: -w -a *)
(* ocaml: < 5.0, where an ephemeron is made with its keys and data *)
(* Ephemerons that are filled after they were made: data lives as long as the keys. *)
let[@inline never] fresh i = ref i
let () =
  let e = Ephemeron.K2.create () in
  let k1 = fresh 1 and k2 = fresh 2 in
  Ephemeron.K2.set_key1 e k1;
  Ephemeron.K2.set_key2 e k2;
  Ephemeron.K2.set_data e (fresh 3);
  Gc.full_major ();
  Printf.printf "%b %d\n" (Ephemeron.K2.check_data e) (!k1 + !k2);
  ignore (Sys.opaque_identity (k1, k2))
let[@inline never] eph x =
  let k = ref x and e = Ephemeron.K1.create () in
  Ephemeron.K1.set_key e k;
  Ephemeron.K1.set_data e (string_of_int x);
  let alive = Ephemeron.K1.check_key e in
  (e, alive, !k)
let () =
  let e, alive, k = eph (Sys.opaque_identity 9) in
  Gc.full_major ();
  Printf.printf "%b %b %d\n" alive (Ephemeron.K1.check_key e) k
