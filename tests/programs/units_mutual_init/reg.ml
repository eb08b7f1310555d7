let handlers : (string, int -> int) Hashtbl.t = Hashtbl.create 5
let order = ref []
let register n f = order := n :: !order; Hashtbl.replace handlers n f
let run n x = match Hashtbl.find_opt handlers n with Some f -> f x | None -> raise Not_found
let hook = ref (fun (_ : string) -> ())
class type plugin = object method name : string method apply : int -> int end
let plugins : plugin list ref = ref []
