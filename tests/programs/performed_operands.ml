(* ocaml: >= 5.3 *)
(* What is performed is computed before the continuation is allocated: a collection between the two moves that one to
   the major heap, where no minor collection looks at the fiber that the runtime writes into it, and what the fiber
   holds of the minor heap is lost. Here the pair of the operand is wanted after the effect, too. *)

open Effect
open Effect.Deep

type _ Effect.t += Pass : (int * int) * int list -> int Effect.t

let[@inline never] garbage n =
  let l = ref [] in
  for i = 1 to n do
    l := i :: !l
  done;
  !l

let[@inline never] body n m =
  let r = perform (Pass ((n + m, n - m), garbage 100000)) in
  let a, b = Sys.opaque_identity (n + m, n - m) in
  r + a + b

let handle f =
  match f () with
  | v -> v
  | effect Pass ((a, b), l), k ->
      let n = List.length (garbage 200000) in
      Gc.minor ();
      let m = List.length (garbage 200000) in
      continue k (List.length l + a + b + n + m)

let () =
  let s = ref 0 in
  for i = 1 to 20 do
    s := !s + handle (fun () -> body i 3)
  done;
  Printf.printf "%d\n" !s
