(* A preprocessor on the compiler's own library: [%twice e] becomes e + e, and [%here] the line. *)
open Parsetree

let expr (mapper : Ast_mapper.mapper) e =
  match e.pexp_desc with
  | Pexp_extension ({ txt = "twice"; _ }, PStr [ { pstr_desc = Pstr_eval (operand, _); _ } ]) ->
    let operand = mapper.expr mapper operand in
    let plus = Ast_helper.Exp.ident (Location.mknoloc (Longident.Lident "+")) in
    Ast_helper.Exp.apply plus [ (Asttypes.Nolabel, operand); (Asttypes.Nolabel, operand) ]
  | Pexp_extension ({ txt = "here"; _ }, PStr []) ->
    Ast_helper.Exp.constant (Ast_helper.Const.int e.pexp_loc.loc_start.pos_lnum)
  | _ -> Ast_mapper.default_mapper.expr mapper e

let () =
  let file = Sys.argv.(1) in
  let channel = open_in_bin file in
  let lexbuf = Lexing.from_channel channel in
  Lexing.set_filename lexbuf file;
  let parsed = Parse.implementation lexbuf in
  close_in channel;
  let mapper = { Ast_mapper.default_mapper with expr } in
  Format.printf "%a@." Pprintast.structure (mapper.structure mapper parsed)
