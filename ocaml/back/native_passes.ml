(** The passes of the back end, from Cmm to assembly: which, in which order, under which names of
    [-dtimings], with which [-d] dumps. *)

(** Assembly code could not be produced for this function. *)
exception Cannot_emit of string * Emitaux.error

let dump_mach ppf_dump flag title code =
  if !flag then Printmach.phase title ppf_dump (Result_parts.readable code)

(* A step of the pipeline: [timed] under its name, [dumped] when its flag is set. What measures asks the system for the
   time twice, which small units would spend 3 % of theirs with. *)
let timed name pass code =
  if !Clflags.profile_columns = [] then pass code else Profile.record ~accumulate:true name pass code

let dumped ppf_dump flag title code =
  dump_mach ppf_dump flag title code;
  code

let dumped_linear ppf_dump flag title code =
  if !flag then Format.fprintf ppf_dump "*** %s@.%a@." title Printlinear.fundecl code;
  code

let check_invariants ppf_dump decl =
  if !Clflags.cmm_invariants && Cmm_invariants.run ppf_dump decl then begin
    let print ppf =
      if !Clflags.dump_cmm then Printcmm.fundecl ppf else fun d -> Format.pp_print_string ppf d.Cmm.fun_name
    in
    Misc.fatal_errorf "Cmm invariants failed on following fundecl:@.%a@." print decl
  end;
  decl

let with_liveness code =
  Liveness.fundecl code;
  code

(** Beyond so many pseudo-registers a function is compiled without common subexpressions, which take quadratic time,
    and make live ranges so long that colouring does too. Such functions are the initialisers of huge units, and
    generated code. (Linear scan would not do for all of them: it gives each spilled register a slot of its own.) *)
let huge = 10_000

let is_huge () = Reg.num_registers () > huge

let without_cse_if_huge (code : Mach.fundecl) =
  if is_huge () then { code with fun_codegen_options = No_CSE :: code.fun_codegen_options } else code

(** The live registers at all instructions together, and at an instruction on the average, beyond which registers
    are allocated by linear scan. Colouring enters an edge for each two registers that are live together, in every
    round: a local module of 1,000 computed bindings takes it 10 s, linear scan 0.1 s. Where so many registers are live
    at once they need as many slots anyhow. *)
let most_live = 1_000_000

let dense = 100

exception Dense

let is_dense (code : Mach.fundecl) =
  let instructions = ref 0 and live = ref 0 in
  let count (i : Mach.instruction) =
    incr instructions;
    live := !live + Reg.Set.cardinal i.live;
    if !live > most_live && !live > dense * !instructions then raise_notrace Dense
  in
  match Mach.instr_iter count code.fun_body with () -> false | exception Dense -> true

(* Runs [passes] (spilling and allocation look at the flag), with linear scan if that is better. *)
let with_suitable_allocator passes code =
  let asked = !Clflags.use_linscan in
  Clflags.use_linscan := asked || is_dense code;
  Fun.protect ~finally:(fun () -> Clflags.use_linscan := asked) (fun () -> passes code)

(* An instruction with what is nested in it changed, but not what comes after it. *)
let map_nested change (i : Mach.instruction) : Mach.instruction =
  match i.desc with
  | Icatch (flag, handlers, body) ->
      let handlers = List.map (fun (label, handler) -> (label, change handler)) handlers in
      { i with desc = Icatch (flag, handlers, change body) }
  | Iifthenelse (test, first, second) -> { i with desc = Iifthenelse (test, change first, change second) }
  | Iswitch (index, arms) -> { i with desc = Iswitch (index, Array.map change arms) }
  | Itrywith (body, handler) -> { i with desc = Itrywith (change body, change handler) }
  | _ -> i

(* {1 Comparisons into stack slots}

   Before 5.1 reloading on amd64 lets the result of a comparison live in the stack, where no instruction extends a byte
   to (ocaml/ocaml#11803): the assembler refuses the function. *)

let compares_into_stack (i : Mach.instruction) =
  match (i.desc, i.res) with
  | Iop (Iintop (Icomp _) | Iintop_imm (Icomp _, _)), [| { loc = Stack _ } |] -> true
  | _ -> false

exception Found

let exists_instruction is_sought (code : Mach.fundecl) =
  match Mach.instr_iter (fun i -> if is_sought i then raise_notrace Found) code.fun_body with
  | () -> false
  | exception Found -> true

let rec with_comparisons_in_registers (i : Mach.instruction) : Mach.instruction =
  match i.desc with
  | Iend -> i
  | _ ->
      let next = with_comparisons_in_registers i.next in
      if compares_into_stack i then begin
        let register = Reg.clone i.res.(0) in
        (* As reloading does: it is not to be spilled again. *)
        register.spill_cost <- 100_000;
        { i with res = [| register |]; next = Mach.instr_cons (Iop Imove) [| register |] i.res next }
      end
      else { (map_nested with_comparisons_in_registers i) with next }

(* Reloading; the result says whether there are new pseudo-registers. *)
let reload code stack_slots =
  let reloaded, again = Reload.fundecl code stack_slots in
  if exists_instruction compares_into_stack reloaded then
    ({ reloaded with fun_body = with_comparisons_in_registers reloaded.fun_body }, true)
  else (reloaded, again)

let max_rounds = 50

(* Allocation and reloading, again as long as reloading makes new pseudo-registers. *)
let allocate_registers ppf_dump code =
  let rec round n code =
    if n > max_rounds then
      Misc.fatal_error
        (code.Mach.fun_name ^ ": function too complex, cannot complete register allocation");
    dump_mach ppf_dump Clflags.dump_live "Liveness analysis" code;
    let stack_slots =
      if !Clflags.use_linscan then Linear_scan.allocate ~ppf_dump code
      else begin
        Interf.build_graph code;
        if !Clflags.dump_interf then Printmach.interferences ppf_dump ();
        if !Clflags.dump_prefer then Printmach.preferences ppf_dump ();
        Coloring.allocate_registers ()
      end
    in
    dump_mach ppf_dump Clflags.dump_regalloc "After register allocation" code;
    let reloaded, again = reload code stack_slots in
    dump_mach ppf_dump Clflags.dump_reload "After insertion of reloading code" reloaded;
    if again then begin
      Reg.reinit ();
      round (n + 1) (with_liveness reloaded)
    end
    else reloaded
  in
  round 1 code

(* {1 The order of handlers}

   [Split] takes the handlers of a recursive catch one after the other, and one to which nothing jumped yet for
   unreachable: it drops its reloads. Graph colouring survives that (what lives across a call is in the stack then), but
   linear scan does not, and code is worse. The passes before turn the order round: here each handler comes after one
   that jumps to it, or the body does. *)

let has_several_handlers =
  exists_instruction (fun i -> match i.desc with Icatch (Recursive, _ :: _ :: _, _) -> true | _ -> false)

let jumps body =
  let labels = ref [] in
  let look (i : Mach.instruction) = match i.desc with Iexit label -> labels := label :: !labels | _ -> () in
  Mach.instr_iter look body;
  !labels

(* Handlers in the order in which they are reached from [body], then those that are not. *)
let by_reachability handlers body =
  let rec visit ordered others = function
    | [] -> List.rev_append ordered others
    | from :: queue ->
        let labels = jumps from in
        let reached, others = List.partition (fun (label, _) -> List.mem label labels) others in
        visit (List.rev_append reached ordered) others (queue @ List.map snd reached)
  in
  visit [] handlers [ body ]

let rec with_ordered_handlers (i : Mach.instruction) : Mach.instruction =
  match i.desc with
  | Iend -> i
  | _ -> (
      let i = { (map_nested with_ordered_handlers i) with next = with_ordered_handlers i.next } in
      match i.desc with
      | Icatch (flag, handlers, body) -> { i with desc = Icatch (flag, by_reachability handlers body, body) }
      | _ -> i)

let order_handlers (code : Mach.fundecl) =
  if has_several_handlers code then { code with fun_body = with_ordered_handlers code.fun_body } else code

let spill_and_allocate ppf_dump code =
  code
  |> order_handlers
  |> timed "spill" Spill.fundecl
  |> timed "liveness" with_liveness
  |> dumped ppf_dump Clflags.dump_spill "After spilling"
  |> timed "split" Split.fundecl
  |> dumped ppf_dump Clflags.dump_split "After live range splitting"
  |> timed "liveness" with_liveness
  |> timed "regalloc" (allocate_registers ppf_dump)

(** From Cmm to code that can be emitted. [future_functions] are those of the unit that have not been
    compiled yet, this one included. *)
let linearize ~ppf_dump ~future_functions decl =
  Proc.init ();
  Reg.reset ();
  decl
  |> timed "cmm_invariants" (check_invariants ppf_dump)
  |> timed "selection" (Selection.fundecl ~future_funcnames:future_functions)
  |> Result_parts.after_selection
  |> timed "polling" (Polls.instrument ~future_funcnames:future_functions)
  |> dumped ppf_dump Clflags.dump_selection "After instruction selection"
  |> timed "comballoc" Comballoc.fundecl
  |> dumped ppf_dump Clflags.dump_combine "After allocation combining"
  |> without_cse_if_huge
  |> timed "cse" CSE.fundecl
  |> dumped ppf_dump Clflags.dump_cse "After CSE"
  |> timed "liveness" with_liveness
  |> timed "deadcode" Deadcode.fundecl
  |> dumped ppf_dump Clflags.dump_live "Liveness analysis"
  |> with_suitable_allocator (spill_and_allocate ppf_dump)
  |> timed "linearize" Linearize.fundecl
  |> Result_parts.before_emission
  |> dumped_linear ppf_dump Clflags.dump_linear "Linearized code"
  |> timed "scheduling" Scheduling.fundecl
  |> dumped_linear ppf_dump Clflags.dump_scheduling "After instruction scheduling"

(** Writes the assembly of a function. *)
let emit code =
  try timed "emit" Emit.fundecl code
  with Emitaux.Error error -> raise (Cannot_emit (code.Linear.fun_name, error))

(** Forgets what was emitted of a unit that is not to be finished. *)
let forget_unit = Emitaux.reset
