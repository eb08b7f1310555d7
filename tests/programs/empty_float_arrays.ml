(* Empty arrays of floats, which in 5.3 have another tag than [[||]] where [Array.sub], [append] or [concat] made them:
   the runtime's comparison tells them apart there, and so does a derived one. *)

let empty = [ Array.sub [| 1. |] 0 0; [||]; Array.append [||] [||]; Array.concat [ [||]; Array.sub [| 2. |] 1 0 ] ]
let unknown : 'a. 'a array list -> 'a array = fun l -> List.nth l (Sys.opaque_identity 0)

let[@inline never] is_empty (a : float array) = a = [||]
let[@inline never] is_not_empty a = a <> [||]
let[@inline never] same (a : float array) b = a = b
let[@inline never] order (a : float array) = compare a [||]

type sample = { name : string; values : float array }

let () =
  List.iter (fun a -> Printf.printf "%b %b %d " (is_empty a) (is_not_empty a) (order a)) empty;
  List.iter (fun a -> Printf.printf "%b %b %d\n" (a = [||]) (a <> [||]) (compare a [||])) empty;
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%b " (same a b)) empty) empty;
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%b %d " (a = b) (compare (a : float array) b)) empty) empty;
  print_newline ();
  let samples = List.map (fun values -> { name = "s"; values }) empty in
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%b %d " (a = b) (compare a b)) samples) samples;
  print_newline ();
  List.iter (fun a -> Printf.printf "%b " (List.mem a [ [| 1. |]; [||] ])) empty;
  List.iter (fun a -> Printf.printf "%b " (a = unknown [ [||] ])) empty;
  List.iter (fun a -> Printf.printf "%b " ([ a; [| nan |] ] = [ [||]; [| nan |] ])) empty;
  print_newline ();
  let pairs = List.map (fun a -> (a, 1)) empty in
  Printf.printf "%d %d\n" (List.length (List.sort_uniq compare pairs)) (List.length (List.sort_uniq compare empty))
