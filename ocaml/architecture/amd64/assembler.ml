(** Object files from the instructions that OCaml's back end hands over, by Flambeau's own assembler
    (crates/assembler): no text is written, and no [as] is started. What it does not know is assembled by [as]. *)

open X86_ast
open Assembly_codes
open Assembly_operands

let instruction w = function
  | ADD (a, b) -> two w Mnemonic.add a b
  | ADDSD (a, b) -> two w Mnemonic.addsd a b
  | AND (a, b) -> two w Mnemonic.and_ a b
  | ANDPD (a, b) -> two w Mnemonic.andpd a b
  | BSWAP a -> one w Mnemonic.bswap a
  | CALL a -> one w Mnemonic.call a
  | CDQ -> none w Mnemonic.cdq
  | CMOV (c, a, b) ->
      conditional w Mnemonic.cmov (condition c);
      operand w a;
      operand w b
  | CMP (a, b) -> two w Mnemonic.cmp a b
  | COMISD (a, b) -> two w Mnemonic.comisd a b
  | CQO -> none w Mnemonic.cqo
  | CVTSD2SI (a, b) -> two w Mnemonic.cvtsd2si a b
  | CVTSD2SS (a, b) -> two w Mnemonic.cvtsd2ss a b
  | CVTSI2SD (a, b) -> two w Mnemonic.cvtsi2sd a b
  | CVTSS2SD (a, b) -> two w Mnemonic.cvtss2sd a b
  | CVTTSD2SI (a, b) -> two w Mnemonic.cvttsd2si a b
  | DEC a -> one w Mnemonic.dec a
  | DIVSD (a, b) -> two w Mnemonic.divsd a b
  | HLT -> none w Mnemonic.hlt
  | IDIV a -> one w Mnemonic.idiv a
  | IMUL (a, None) -> one w Mnemonic.imul_high a
  | IMUL (a, Some b) -> two w Mnemonic.imul a b
  | INC a -> one w Mnemonic.inc a
  | J (c, a) ->
      conditional w Mnemonic.j (condition c);
      operand w a
  | JMP a -> one w Mnemonic.jmp a
  | LEA (a, b) -> two w Mnemonic.lea a b
  | LEAVE -> none w Mnemonic.leave
  | MOV (a, b) -> two w Mnemonic.mov a b
  | MOVAPD (a, b) -> two w Mnemonic.movapd a b
  | MOVLPD (a, b) -> two w Mnemonic.movlpd a b
  | MOVSD (a, b) -> two w Mnemonic.movsd a b
  | MOVSS (a, b) -> two w Mnemonic.movss a b
  | MOVSX (a, b) -> two w Mnemonic.movsx a b
  | MOVSXD (a, b) -> two w Mnemonic.movsxd a b
  | MOVZX (a, b) -> two w Mnemonic.movzx a b
  | MULSD (a, b) -> two w Mnemonic.mulsd a b
  | NEG a -> one w Mnemonic.neg a
  | NOP -> none w Mnemonic.nop
  | OR (a, b) -> two w Mnemonic.or_ a b
  | POP a -> one w Mnemonic.pop a
  | PUSH a -> one w Mnemonic.push a
  | RET -> none w Mnemonic.ret
  | SAL (a, b) -> two w Mnemonic.sal a b
  | SAR (a, b) -> two w Mnemonic.sar a b
  | SET (c, a) ->
      conditional w Mnemonic.set (condition c);
      operand w a
  | SHR (a, b) -> two w Mnemonic.shr a b
  | SQRTSD (a, b) -> two w Mnemonic.sqrtsd a b
  | SUB (a, b) -> two w Mnemonic.sub a b
  | SUBSD (a, b) -> two w Mnemonic.subsd a b
  | TEST (a, b) -> two w Mnemonic.test a b
  | UCOMISD (a, b) -> two w Mnemonic.ucomisd a b
  | XCHG (a, b) -> two w Mnemonic.xchg a b
  | XOR (a, b) -> two w Mnemonic.xor a b
  | XORPD (a, b) -> two w Mnemonic.xorpd a b
  | other -> Recent_assembly.instruction w other

let data w code value =
  line w code;
  constant w value

let named w code name =
  line w code;
  Byte_writer.string w name

(* The type of a section says what [as] takes for granted; of a section whose entries are merged their size follows. *)
let entry_size = function
  | [] | [ ("@progbits" | "%progbits") ] -> None
  | [ ("@progbits" | "%progbits"); size ] -> Some (int_of_string size)
  | _ -> raise Unsupported

let section w names flags arguments =
  let name = match names with [ name ] -> name | _ -> raise Unsupported in
  named w Line.section name;
  Byte_writer.option w (Byte_writer.string w) flags;
  Byte_writer.option w (Byte_writer.u w) (entry_size arguments)

let is_function = function "@function" -> true | "@object" -> false | _ -> raise Unsupported

let assembly_line w = function
  | Ins i -> instruction w i
  | Align (_, n) ->
      line w Line.align;
      Byte_writer.u w n
  | Byte value -> data w Line.byte value
  | Bytes bytes -> named w Line.ascii bytes
  | Comment _ -> ()
  | Global name -> named w Line.global name
  | Long value -> data w Line.long value
  | NewLabel (name, _) -> named w Line.label name
  | Quad value -> data w Line.quad value
  | Section (names, flags, arguments) -> section w names flags arguments
  | Space n ->
      line w Line.space;
      Byte_writer.u w n
  | Word value -> data w Line.word value
  | Cfi_adjust_cfa_offset n ->
      line w Line.cfi_adjust_cfa_offset;
      Byte_writer.i w n
  | Cfi_endproc -> line w Line.cfi_endproc
  | Cfi_startproc -> line w Line.cfi_startproc
  | File (number, name) ->
      line w Line.file;
      Byte_writer.u w number;
      Byte_writer.string w name
  | Loc (file, number, column) ->
      line w Line.loc;
      Byte_writer.u w file;
      Byte_writer.u w number;
      Byte_writer.i w column
  | Size (name, value) ->
      named w Line.size name;
      constant w value
  | Type (name, kind) ->
      named w Line.type_ name;
      Byte_writer.bool w (is_function kind)
  | other -> Recent_assembly.line w other

let magic = "FLBA"
let version = 1

(* What [BUILD_PATH_PREFIX_MAP] says, as [as] is told of it. The last that fits holds. *)
let prefix_map () =
  let pairs = Option.value (Misc.get_build_path_prefix_map ()) ~default:[] in
  List.rev (List.filter_map (Option.map (fun { Build_path_prefix_map.source; target } -> (source, target))) pairs)

let program lines =
  let w = Byte_writer.create () in
  Byte_writer.raw w magic;
  Byte_writer.u w version;
  Byte_writer.string w (Sys.getcwd ());
  let pair (source, target) =
    Byte_writer.string w source;
    Byte_writer.string w target
  in
  Byte_writer.list w pair (prefix_map ());
  List.iter (assembly_line w) lines;
  Byte_writer.contents w

let write_object bytes file =
  Errors.writing file @@ fun () ->
  let oc = open_out_bin file in
  Misc.try_finally
    ~always:(fun () -> close_out_noerr oc)
    (fun () ->
      output_substring oc bytes 1 (String.length bytes - 1);
      close_out oc)

let run_as file object_file =
  let flags = String.concat " " (Misc.debug_prefix_map_flags ()) in
  let command =
    Printf.sprintf "%s %s -o %s %s" Config.asm flags (Filename.quote object_file) (Filename.quote file)
  in
  if Ccomp.command command <> 0 then raise (Asmgen.Error (Assembler_error file))

let print lines file =
  Errors.writing file @@ fun () ->
  let oc = open_out file in
  Misc.try_finally
    ~always:(fun () -> close_out_noerr oc)
    (fun () ->
      X86_gas.generate_asm oc lines;
      close_out oc)

let assemble_externally lines object_file =
  let file = Filename.temp_file "camlasm" Config.ext_asm in
  Misc.try_finally
    ~always:(fun () -> Misc.remove_file file)
    (fun () ->
      print lines file;
      run_as file object_file)

(* The object is the same by either way, so that nobody but us wants to know. *)
let give_up reason lines =
  if !Flags.strict then raise (Errors.internal ~unit_name:"" ~pass:"assembling" reason);
  assemble_externally lines

let assemble lines =
  match Rust.assemble (program lines) with
  | result when result.[0] = 'o' -> write_object result
  | result -> give_up (String.sub result 1 (String.length result - 1)) lines
  | exception Unsupported -> give_up "an instruction or directive that it does not know" lines

(** Makes object files by our assembler, where it knows how. *)
let register () =
  match X86_proc.system with
  | S_linux | S_gnu when not !Flags.external_assembler ->
      X86_proc.register_internal_assembler assemble;
      Emitaux.binary_backend_available := true
  | _ -> ()
