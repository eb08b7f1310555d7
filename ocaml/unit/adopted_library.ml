(** A stock library whose objects were compiled again by us: the description of the archive.

    The descriptions of the units, and their digests, are the stock ones, so that whatever was compiled against
    the stock library links with this one and the reverse; only the generic functions that our objects need are
    added. *)

let union a b = List.sort_uniq compare (a @ b)

(* [None] for a unit whose stock object is kept. *)
let our_description folder (info : Cmx_format.unit_infos) =
  let file name = Filename.concat folder (name ^ ".cmx") in
  let candidates = [ info.ui_name; String.uncapitalize_ascii info.ui_name ] in
  match List.find_opt Sys.file_exists (List.map file candidates) with
  | Some file -> Some (fst (Compilenv.read_unit_info file))
  | None -> None

let adopt folder ((info : Cmx_format.unit_infos), digest) =
  match our_description folder info with
  | None -> (info, digest)
  | Some ours ->
      ( { info with
          ui_curry_fun = union info.ui_curry_fun ours.ui_curry_fun;
          ui_apply_fun = union info.ui_apply_fun ours.ui_apply_fun;
          ui_send_fun = union info.ui_send_fun ours.ui_send_fun;
        },
        digest )

(** Writes [output]: the stock archive description [library], with the needs of the objects whose descriptions
    are in [folder]. *)
let make ~library ~folder ~output =
  let stock = Compilenv.read_library_info library in
  let adopted = { stock with lib_units = List.map (adopt folder) stock.lib_units } in
  Errors.writing output @@ fun () ->
  let oc = open_out_bin output in
  Misc.try_finally
    ~exceptionally:(fun () -> close_out_noerr oc)
    (fun () ->
      output_string oc Config.cmxa_magic_number;
      output_value oc adopted;
      close_out oc)
