(** Register allocation by linear scan: from 5.0 on. *)

(** Gives the numbers of stack slots. *)
let allocate ~ppf_dump code =
  let intervals = Interval.build_intervals code in
  if !Clflags.dump_interval then Printmach.intervals ppf_dump intervals;
  Linscan.allocate_registers intervals
