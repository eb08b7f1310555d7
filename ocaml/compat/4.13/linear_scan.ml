(** Register allocation by linear scan: 4.13. *)

(** Gives the numbers of stack slots. *)
let allocate ~ppf_dump code =
  Interval.build_intervals code;
  if !Clflags.dump_interval then Printmach.intervals ppf_dump ();
  Linscan.allocate_registers ()
