let plugins : (string * (int -> int)) list ref = ref []
let[@inline] register name f = plugins := (name, f) :: !plugins
let all () = List.rev !plugins
