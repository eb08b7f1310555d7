(* flags: -w -a *)
(* packages: unix *)
(* pitfalls 40, 41: an exception from a signal handler lands in the right try with current references. *)
exception Alarm
let arm t = ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = t })
let work () =
  let n = ref 0 and l = ref [] and last = ref (-1) in
  (try
     arm 0.01;
     while true do
       last := !n; incr n; l := Sys.opaque_identity [ !n ];
     done
   with Alarm -> ());
  (!n - !last <= 1 && !n > 0, match !l with [ k ] -> !n - k <= 1 | _ -> !n <= 1)
let nested () =
  let depth = ref 0 in
  try
    (try incr depth; arm 0.01; (while true do ignore (Sys.opaque_identity (ref !depth)) done) with Not_found -> depth := 100);
    !depth
  with Alarm -> !depth + 10
let fl () = let x = ref 0. and k = ref 0 in
  (try arm 0.01; while true do x := !x +. 1.; incr k; ignore (Sys.opaque_identity (Some !k)) done with Alarm -> ()); abs (truncate !x - !k) <= 1
let () =
  let count = ref 0 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr count; raise Alarm));
  let a, b = work () in
  Printf.printf "%b %b\n" a b;
  Printf.printf "%d\n" (nested ());
  Printf.printf "%b\n" (fl ());
  Printf.printf "%d\n" !count;
  let hits = ref 0 in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> incr hits));
  for _ = 1 to 5 do Unix.kill (Unix.getpid ()) Sys.sigusr1; ignore (Sys.opaque_identity (ref 0)); Gc.minor () done;
  Printf.printf "%d\n" !hits
