(* What a host and its plugins share. *)
let functions : (string * (int -> int)) list ref = ref []
let register name f = functions := (name, f) :: !functions
