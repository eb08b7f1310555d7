(* ocaml: >= 5.0, which has effects *)
(* flags: -w -a *)
(* Fibres that take turns: ten million steps, each of which resumes a continuation in tail position, in a stack of 64 k words.
   Where a resumption were no tail call the stack would overflow. *)
open Effect
open Effect.Deep
type _ Effect.t += Yield : unit Effect.t | Fork : (unit -> unit) -> unit Effect.t
let run main =
  let queue = Queue.create () in
  let next () = match Queue.take_opt queue with Some k -> continue k () | None -> () in
  let rec spawn f =
    match_with f () { retc = (fun () -> next ()); exnc = raise;
      effc = (fun (type a) (e : a Effect.t) -> match e with
        | Yield -> Some (fun (k : (a, unit) continuation) -> Queue.push k queue; next ())
        | Fork f -> Some (fun (k : (a, unit) continuation) -> Queue.push k queue; spawn f)
        | _ -> None) } in
  spawn main
let () =
  Gc.set { (Gc.get ()) with stack_limit = 65536 };
  let total = ref 0 and sum = ref 0. in
  let worker id () = for i = 1 to 1_000_000 do incr total; sum := !sum +. float id; perform Yield done in
  run (fun () -> for id = 1 to 10 do perform (Fork (worker id)) done);
  Printf.printf "%d %g\n" !total !sum
(* A loop by effects alone: a deep handler that resumes at once. *)
type _ Effect.t += Tick : int -> int Effect.t
let () =
  let rec loop n acc = if n = 0 then acc else loop (n - 1) (perform (Tick acc)) in
  let r = match_with (fun () -> loop 1_000_000 0) () { retc = Fun.id; exnc = raise;
    effc = (fun (type a) (e : a Effect.t) -> match e with Tick n -> Some (fun (k : (a, int) continuation) -> continue k (n + 2)) | _ -> None) } in
  Printf.printf "%d\n" r
