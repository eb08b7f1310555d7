(* What nobody reads is not built (E10). *)

let () =
  Measure.row "E10 fields of a hidden record" (fun n ->
      for i = 1 to n do
        Notes.add i "note"
      done;
      Notes.total ());
  Measure.row "E10 fields that are only copied" (fun n ->
      for i = 1 to n do
        Notes.add i "note"
      done;
      Notes.rename ();
      Notes.total ())
