(* flags: -w -a *)
(* packages: unix *)
(* Loops that wait for what a signal handler writes, in every kind of memory, directly and through what is computed from it. *)
type state = { mutable stop : bool; mutable count : int; mutable data : int; mutable level : float }

let flag = ref false
let state = { stop = false; count = 0; data = 0; level = 0. }
let ints = [| 0 |]
let floats = [| 0. |]
let names = [| "go" |]
let bytes = Bytes.make 1 'a'
let big = Bigarray.(Array1.create int c_layout 1)

let reset () =
  flag := false;
  state.stop <- false; state.count <- 0; state.data <- 0; state.level <- 0.;
  ints.(0) <- 0; floats.(0) <- 0.; names.(0) <- "go";
  Bytes.set bytes 0 'a';
  big.{0} <- 0

let ring () =
  flag := true;
  state.data <- 1; state.level <- 1.;
  ints.(0) <- 1; floats.(0) <- 1.; names.(0) <- "stop";
  Bytes.set bytes 0 'b';
  big.{0} <- 1;
  state.stop <- true

let timer seconds = ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = seconds; it_value = seconds })

let test name ?(handler = ring) wait =
  reset ();
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> handler ()));
  timer 0.003;
  wait ();
  timer 0.;
  print_endline name

let[@inline] is_set () = !flag
let rec wait_rec () = if not !flag then wait_rec ()
let rec wait_count n = if !flag then n else wait_count (n + 1)
let rec even n = if state.stop then n else odd (n + 1)
and odd n = if state.stop then -n else even (n + 1)
let rec passes r = if not !r then passes r
let rec exchanges r s = if not !r then exchanges s r
let rec both_pass r n = if !r then n else pass_back n r
and pass_back n r = if !r then -n else both_pass r (n + 1)
let wait_on r = while not !r do () done
let first l = while (match l with r :: _ -> not !r | [] -> false) do () done

exception Stop

let () =
  test "while" (fun () -> while not !flag do () done);
  test "counting" (fun () -> let n = ref 0 in while not !flag do incr n done; assert (!n >= 0));
  test "allocating" (fun () -> while not !flag do ignore (Sys.opaque_identity (ref 0)) done);
  test "recursion" wait_rec;
  test "counting recursion" (fun () -> assert (wait_count 0 >= 0));
  test "mutual recursion" (fun () -> ignore (Sys.opaque_identity (even 0)));
  test "parameter" (fun () -> wait_on flag);
  test "passed on" (fun () -> if not !flag then passes flag);
  test "exchanged" (fun () -> if not !flag then exchanges flag flag);
  test "passed to and fro" (fun () -> if not !flag then ignore (Sys.opaque_identity (both_pass flag 0)));
  test "list" (fun () -> first [ flag; ref true ]);
  test "inlined" (fun () -> while not (is_set ()) do () done);
  test "field" (fun () -> while not state.stop do state.count <- state.count + 1 done);
  test "float field" (fun () -> while state.level < 0.5 do () done);
  test "array" (fun () -> while ints.(0) = 0 do () done);
  test "float array" (fun () -> while floats.(0) < 0.5 do () done);
  test "strings" (fun () -> while names.(0) = "go" do () done);
  test "string patterns" (fun () -> while (match names.(0) with "go" -> true | _ -> false) do () done);
  test "bytes" (fun () -> while Bytes.get bytes 0 = 'a' do () done);
  test "bigarray" (fun () -> while big.{0} = 0 do () done);
  test "arithmetic" (fun () -> let x = ref 0 in while !x < 2 do x := (state.data * 2) lor (!x land 1) done);
  test "join" (fun () -> while (let go = if state.stop then 1 else 0 in go = 0) do () done);
  test "both" (fun () -> let n = ref 0 in while (not !flag) && !n >= 0 do incr n done);
  test "how often" (fun () -> let seen = ref 0 in while !seen < 3 do if !flag then incr seen done);
  test "through memory" (fun () ->
      let cell = Sys.opaque_identity (ref 0) in
      while !cell = 0 do if !flag then cell := 1 done);
  test "raise" (fun () -> try while true do if !flag then raise Stop done with Stop -> ());
  test "for" (fun () -> try for _ = 1 to max_int do if !flag then raise Stop done with Stop -> ());
  test "nested" (fun () ->
      while not !flag do
        for i = 1 to 3 do state.count <- state.count + i done
      done);
  test "a loop in a loop" (fun () ->
      for i = 1 to 2 do
        while not !flag do state.count <- state.count + i done
      done);
  let local = Sys.opaque_identity (ref false) in
  test "captured" ~handler:(fun () -> local := true) (fun () -> while not !local do () done);
  let sizes = ref [| 1; 2; 3 |] in
  test "check" ~handler:(fun () -> sizes := [||]) (fun () ->
      try while true do ignore (Sys.opaque_identity !sizes.(2)) done with Invalid_argument _ -> ());
  (* What was read before is read again after. *)
  test "what was written" (fun () ->
      let before = state.data in
      while not state.stop do () done;
      assert (before = 0 && state.data = 1));
  test "what was written to an array" (fun () ->
      let before = ints.(0) in
      while not !flag do () done;
      while not state.stop do () done;
      assert (before + ints.(0) = 1))
