(** The parts of a tuple: from 5.4 on, they may have labels. *)

let unlabelled parts = List.map snd parts
let labelled parts = List.map (fun part -> (None, part)) parts
