(** The flags of the inliner: those that the stock compiler accepts and ignores (manual 21.2), those of Flambda 2
    (flambda2-inlining) and our own. They are noted here by the names that crates/ir/src/inlining.rs knows, and
    apply after the level of [-O], whatever their order (manual 21.2.1). *)

(* In the order of the command line: name and value, with [@round] after the name of what holds in one round. *)
let noted : (string * string) list ref = ref []
let policy : string option ref = ref None
let note name value = noted := (name, value) :: !noted

(** Notes the value of a flag with the syntax [n | round=n[,...]], which the stock parser has accepted. *)
let note_rounds name text =
  let note_one word =
    match String.split_on_char '=' (String.trim word) with
    | [ value ] -> note name (String.trim value)
    | [ round; value ] -> note (name ^ "@" ^ String.trim round) (String.trim value)
    | _ -> ()
  in
  List.iter note_one (String.split_on_char ',' text)

(** The flags of the stock command line, noting what they say. *)
module Noting (Default : Main_args.Optcommon_options) = struct
  let both name default text =
    note_rounds name text;
    default text

  let _inline = both "inline" Default._inline
  let _inline_toplevel = both "inline-toplevel" Default._inline_toplevel
  let _inline_alloc_cost = both "inline-alloc-cost" Default._inline_alloc_cost
  let _inline_branch_cost = both "inline-branch-cost" Default._inline_branch_cost
  let _inline_call_cost = both "inline-call-cost" Default._inline_call_cost
  let _inline_prim_cost = both "inline-prim-cost" Default._inline_prim_cost
  let _inline_indirect_cost = both "inline-indirect-cost" Default._inline_indirect_cost
  let _inline_lifting_benefit = both "inline-lifting-benefit" Default._inline_lifting_benefit
  let _inline_branch_factor = both "inline-branch-factor" Default._inline_branch_factor
  let _inline_max_depth = both "inline-max-depth" Default._inline_max_depth
  let _inline_max_unroll = both "inline-max-unroll" Default._inline_max_unroll
end

(* {1 OCAMLPARAM} *)

let in_environment =
  [
    "inline"; "inline-toplevel"; "inline-alloc-cost"; "inline-branch-cost"; "inline-call-cost"; "inline-prim-cost";
    "inline-indirect-cost"; "inline-lifting-benefit"; "inline-branch-factor"; "inline-max-depth"; "inline-max-unroll";
  ]

(* The settings before and after the [_], which stands for the command line. *)
let rec around_command_line before = function
  | [] -> (List.rev before, [])
  | "_" :: after -> (List.rev before, after)
  | word :: words -> around_command_line (word :: before) words

let ocamlparam () =
  match Sys.getenv_opt "OCAMLPARAM" with
  | None | Some "" -> ([], [])
  | Some text ->
      let words =
        match text.[0] with
        | (':' | '|' | ';' | ' ' | ',') as separator -> List.tl (String.split_on_char separator text)
        | _ -> String.split_on_char ',' text
      in
      around_command_line [] words

(* What the stock driver warns of and passes over. *)
let is_number word =
  let value =
    match String.rindex_opt word '=' with
    | Some i -> String.sub word (i + 1) (String.length word - i - 1)
    | None -> word
  in
  float_of_string_opt (String.trim value) <> None

let note_setting word =
  match String.index_opt word '=' with
  | None -> ()
  | Some i ->
      let name = String.sub word 0 i and value = String.sub word (i + 1) (String.length word - i - 1) in
      if List.mem name in_environment && List.for_all is_number (String.split_on_char ',' value) then
        note_rounds name value

(** Notes what the variable [OCAMLPARAM] says before the command line, which the stock driver has accepted. *)
let note_before_command_line () = List.iter note_setting (fst (ocamlparam ()))

(** Notes what the variable [OCAMLPARAM] says after the command line, which the stock driver has accepted. *)
let note_after_command_line () = List.iter note_setting (snd (ocamlparam ()))

let number_flag ~integer flag name doc =
  let set text =
    let fits = if integer then Option.map float_of_int (int_of_string_opt text) else float_of_string_opt text in
    match fits with
    | Some n when n >= 0. && n < infinity -> note name text
    | _ ->
        let kind = if integer then "an integer" else "a number" in
        raise (Arg.Bad (Printf.sprintf "option '%s' needs %s of at least 0, not '%s'" flag kind text))
  in
  (flag, Arg.String set, "<n> " ^ doc)

let switch_flags flag name doc =
  [
    ("-" ^ flag, Arg.Unit (fun () -> note name "true"), " " ^ doc);
    ("-no-" ^ flag, Arg.Unit (fun () -> note name "false"), " The opposite of -" ^ flag);
  ]

let integer = number_flag ~integer:true
let real = number_flag ~integer:false

(** The settings of no [-O] flag, for a command line that has one already (flambda2-inlining names the three levels). *)
let o1 () =
  Clflags.default_simplify_rounds := 1;
  Clflags.classic_inlining := false;
  Clflags.use_inlining_arguments_set Clflags.o1_arguments

let list =
  [
    ("-O1", Arg.Unit o1, " Optimise as without -O2 and -O3, which it undoes");
    ( "-flambeau-policy",
      Arg.Symbol ([ "default"; "classic"; "benefit"; "threshold" ], fun name -> policy := Some name),
      " How the inliner decides: by default as threshold, with other defaults" );
    integer "-flambda2-inline-max-depth" "inline-max-depth" "How deep in inlined code calls are inlined";
    integer "-flambda2-inline-max-rec-depth" "inline-max-unroll" "How many times recursive functions are unrolled";
    real "-flambda2-inline-call-cost" "inline-call-cost" "What the removal of a direct call is worth";
    real "-flambda2-inline-alloc-cost" "inline-alloc-cost" "What the removal of an allocation is worth";
    real "-flambda2-inline-prim-cost" "inline-prim-cost" "What the removal of a primitive is worth";
    real "-flambda2-inline-branch-cost" "inline-branch-cost" "What the removal of a branch is worth";
    real "-flambda2-inline-indirect-call-cost" "inline-indirect-cost"
      "What it is worth that an indirect call becomes direct";
    real "-flambda2-inline-poly-compare-cost" "inline-poly-compare-cost"
      "What it is worth that a polymorphic comparison becomes monomorphic";
    integer "-flambda2-inline-small-function-size" "inline-small-function-size"
      "Up to this size functions are inlined without a look";
    integer "-flambda2-inline-large-function-size" "inline-large-function-size"
      "From this size on functions are never inlined";
    real "-flambda2-inline-threshold" "inline-threshold" "What the size of an inlined body less the benefit may be";
    real "-flambeau-inline-nonleaf-threshold" "inline-nonleaf-threshold"
      "The threshold for small functions that call others, loop or allocate closures on each path";
    real "-flambeau-inline-loop-threshold" "inline-loop-threshold"
      "The threshold, if it is less, for functions without calls and loops that a loop calls";
    integer "-flambeau-inline-guard-size" "inline-guard-size"
      "Up to this size the beginning of a function is inlined alone, where it decides whether there is much to do";
    integer "-flambeau-representations" "representations"
      "Up to this size code is copied for the representations that an array may have (0: never)";
    integer "-flambeau-unrolled" "unrolled"
      "Up to this size all iterations of a loop together are laid out one after the other (0: never)";
    integer "-flambeau-functions-of-functors" "functions-of-functors"
      "Up to this size functions of the modules that functors make are copied for the functors' arguments";
  ]
  @ switch_flags "flambda2-speculative-inlining-only-if-arguments-useful" "inline-only-if-arguments-useful"
      "Look only at calls of which an argument is known"
  @ switch_flags "flambda2-expert-can-inline-recursive-functions" "inline-recursive" "Unroll recursive functions"
  @ switch_flags "flambda2-expert-fallback-inlining-heuristic" "inline-functions-with-closures"
      "Inline functions that allocate closures"
  @ switch_flags "flambeau-toplevel-functors" "inline-toplevel-functors" "Inline functors applied at the toplevel"
  @ switch_flags "flambeau-whole-functors" "inline-whole-functors"
      "Inline the whole body of functors, not only the functions that are called"

(** The settings of a compilation. *)
let settings () =
  let policy =
    match !policy with Some name -> name | None -> if !Clflags.classic_inlining then "classic" else "default"
  in
  ("policy", policy) :: List.rev_map (fun (name, value) -> ("argument:" ^ name, value)) !noted
