(* A finaliser raises while a loop allocates: the handler sees what was assigned before, not what the loop would assign
   later. *)

exception Interrupted

let[@inline never] opaque x = Sys.opaque_identity x

(* Raises at the next collection of the minor heap. *)
let interrupt_soon () = Gc.finalise_last (fun () -> raise Interrupted) (opaque (ref 0))

let assigned_later n called =
  let x = ref 0 in
  interrupt_soon ();
  try
    let i = ref 0 in
    while !i < n do
      if !i = n - 1 then begin
        x := 1;
        called !i
      end;
      ignore (Sys.opaque_identity (ref !i));
      incr i
    done;
    5
  with Interrupted -> !x

let assigned_in_a_branch n called =
  let x = ref 0 in
  interrupt_soon ();
  try
    for i = 1 to n do
      if i land 1 = 1 then begin
        x := 1 + (2 * (i / n));
        called i
      end
      else ignore (Sys.opaque_identity (ref i))
    done;
    5
  with Interrupted -> !x

let assigned_before n called =
  let x = ref 0 in
  try
    x := 7;
    interrupt_soon ();
    for i = 1 to n do
      called i;
      ignore (Sys.opaque_identity (ref i))
    done;
    x := 8;
    5
  with Interrupted -> !x

let () =
  let n = 2_000_000 in
  let run name f = Printf.printf "%s: %d\n" name (f n (opaque ignore)) in
  run "assigned later" assigned_later;
  run "assigned in a branch" assigned_in_a_branch;
  run "assigned before" assigned_before
