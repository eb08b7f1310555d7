(** Branches on integers and strings, through the stock compiler's own generators of decision trees. *)

open Cmm

(* An action that several arms share is reached by a static exit. [wrap] binds its label around the switch. *)
let shareable dbg action =
  match action with
  | Cexit (_, []) -> (action, fun switch -> switch)
  | _ ->
      let label = Lambda.next_raise_count () in
      (Cexit (label, []), fun switch -> Cmm.ccatch (label, [], switch, action, dbg))

(* How many intervals of [keys] (increasing) lead to each arm. *)
let uses keys arms =
  let uses = Array.make (Array.length arms) 0 in
  Array.iter (fun (_, arm) -> uses.(arm) <- uses.(arm) + 1) keys;
  uses

(* Jump tables and decision trees over a dense range from [low]; holes do not happen, so they lead to the arm of
   the key before them. *)
let dense dbg scrutinee ~low ~size keys arms =
  let index = Array.make size (-1) in
  Array.iter (fun (key, arm) -> index.(key - low) <- arm) keys;
  let last = ref index.(0) in
  Array.iteri (fun i arm -> if arm < 0 then index.(i) <- !last else last := arm) index;
  let scrutinee = Cmm_helpers.add_const scrutinee (-low) dbg in
  Cmm_helpers.transl_switch_clambda dbg scrutinee index arms

let sparse dbg scrutinee keys arms default =
  let wraps = ref [] in
  let share action =
    let action, wrap = shareable dbg action in
    wraps := wrap :: !wraps;
    action
  in
  let default = share default in
  let uses = uses keys arms in
  let actions = Array.mapi (fun i arm -> if uses.(i) > 1 then share arm else arm) arms in
  let cases = Array.to_list (Array.map (fun (key, arm) -> (key, actions.(arm))) keys) in
  let switch = Cmm_helpers.transl_int_switch dbg scrutinee min_int max_int cases default in
  List.fold_left (fun switch wrap -> wrap switch) switch !wraps

(* Beyond this many holes for each key a table is not worth its size. *)
let is_dense ~keys ~size = size <= (4 * keys) + 4

let without_default dbg scrutinee keys arms =
  let n = Array.length keys in
  let low = fst keys.(0) and high = fst keys.(n - 1) in
  let size = high - low + 1 in
  (* [size] may overflow. *)
  if size > 0 && is_dense ~keys:n ~size then dense dbg scrutinee ~low ~size keys arms
  else
    (* The arm of the last key is as good a default as any. *)
    let last = snd keys.(n - 1) in
    let others = Array.of_list (List.filter (fun (_, arm) -> arm <> last) (Array.to_list keys)) in
    if Array.length others = 0 then Csequence (scrutinee, arms.(last))
    else sparse dbg scrutinee others arms arms.(last)

(** A branch on a naked integer. [keys] are increasing, each with the index of its arm; without default, other
    values don't happen. Every arm is used by some key. *)
let on_integer dbg scrutinee keys arms default =
  match (default, Array.length keys) with
  | Some default, 0 -> Csequence (scrutinee, default)
  | Some default, _ -> sparse dbg scrutinee keys arms default
  | None, 0 -> Misc.fatal_error "flambeau: a switch without arms"
  | None, _ when Array.length arms = 1 -> Csequence (scrutinee, arms.(0))
  | None, _ -> without_default dbg scrutinee keys arms

(** A branch on the contents of a string. [keys] are increasing, each with the arm of the same index. *)
let on_string dbg scrutinee keys arms default =
  let cases = Array.to_list (Array.map2 (fun key arm -> (key, arm)) keys arms) in
  match (cases, default) with
  | [], Some default -> Csequence (scrutinee, default)
  | [], None -> Misc.fatal_error "flambeau: a string switch without arms"
  | [ (_, arm) ], None -> Csequence (scrutinee, arm)
  | _ ->
      Cmm_helpers.bind "switch" scrutinee (fun scrutinee ->
          Cmm_helpers.strmatch_compile dbg scrutinee default cases)
