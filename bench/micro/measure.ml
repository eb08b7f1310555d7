(* Measures the functions of a micro-benchmark one by one. Linked to each program of this folder, and compiled with
   -opaque: no compiler knows what [row] does with the function that it is given.

   Without arguments a program prints, for each row, what [n] iterations allocate and the digest of their result.
   With the argument "mark" it calls [start] before each row and [stop] after it, for callgrind, and prints the names. *)

(* Iterations of each row. *)
let n = 1000

let mark = Array.length Sys.argv > 1 && Sys.argv.(1) = "mark"

(* callgrind writes down its counts whenever one of these is called. *)
let[@inline never] start () = ignore (Sys.opaque_identity 0)
let[@inline never] stop () = ignore (Sys.opaque_identity 1)

(* Words allocated so far; those that were promoted count once. *)
let[@inline never] words () =
  let minor, promoted, major = Gc.counters () in
  minor +. major -. promoted

(* Words allocated since [words] gave [before]; what the measurement allocates itself is among them. *)
let[@inline never] since before = words () -. before

(* What the measurement allocates itself. What [words] gave is boxed for all callers of [since], also where a compiler knows
   of this unit that it need not be. *)
let own =
  let before = Sys.opaque_identity (words ()) in
  since before

(* The digest of a result: results of all compilers must be the same. Sharing may differ. *)
let digest result = Digest.to_hex (Digest.string (Marshal.to_string result [ Marshal.No_sharing ]))

(* [row name f]: the words that [f n] allocates. [flambda2]: what OCaml's Flambda 2 allocates, as others measured it. *)
let row ?flambda2 name f =
  (* What happens only once, such as the growth of a table that all calls share, is not measured. *)
  ignore (Sys.opaque_identity (f n));
  if mark then begin
    start ();
    let result = f n in
    stop ();
    ignore (Sys.opaque_identity result);
    print_endline name
  end
  else begin
    let before = Sys.opaque_identity (words ()) in
    let result = f n in
    let allocated = since before -. own in
    let flambda2 = match flambda2 with None -> "" | Some words -> string_of_int words in
    Printf.printf "%s\t%.0f\t%s\t%s\n" name allocated (digest result) flambda2
  end

(* The same of what a program has done itself since [words] gave [before]: at its toplevel, say. *)
let counted name before result =
  let allocated = since before -. own in
  if not mark then Printf.printf "%s\t%.0f\t%s\t\n" name allocated (digest result)

(* What measuring costs in instructions. *)
let () = if mark then row "" (fun _ -> 0)
