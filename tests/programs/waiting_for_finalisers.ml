(* flags: -w -a *)
(* Loops that wait for what a finaliser writes: it runs where they allocate or poll. *)
type state = { mutable collected : bool; mutable count : int }
let collected = ref false
let state = { collected = false; count = 0 }
let[@inline never] drop () =
  collected := false; state.collected <- false;
  Gc.finalise (fun _ -> state.count <- state.count + 1; state.collected <- true; collected := true) (ref 0)
let block () = Sys.opaque_identity (Array.make 1000 0)

let () =
  drop ();
  while not !collected do ignore (block ()) done;
  print_endline "array";
  drop ();
  let rec wait n = if !collected then n else wait (Array.length (block ())) in
  ignore (wait 0);
  print_endline "recursion";
  drop ();
  let before = state.count in
  let blocks = ref [||] in
  while not state.collected do blocks := block () done;
  Printf.printf "%d %d\n" (state.count - before) (Array.length !blocks);
  drop ();
  (try for _ = 1 to max_int do ignore (block ()); if !collected then raise Exit done with Exit -> print_endline "for");
  drop ();
  let list = ref [] in
  while not !collected do list := 0 :: !list done;
  Printf.printf "list %b\n" (List.length !list > 0);
  drop ();
  let rec wait list = if state.collected then list else wait (1 :: list) in
  Printf.printf "list %b\n" (List.length (wait []) > 0)
