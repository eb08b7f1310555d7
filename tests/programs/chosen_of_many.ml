(* One of up to sixteen functions, chosen by a switch: closed ones, with captured values, in loops and in folds. *)
let tiny n = match n with
  | 0 -> (fun a b -> a + b) | 1 -> (fun a b -> a - b) | 2 -> (fun a b -> a * b land 0xff) | 3 -> (fun a b -> a lxor b)
  | 4 -> (fun a b -> a land b) | 5 -> (fun a b -> a lor b) | 6 -> (fun a _ -> a) | 7 -> (fun _ b -> b)
  | 8 -> (fun a b -> if a > b then a else b) | _ -> (fun a b -> if a < b then a else b)
let use n m = let f = tiny n in let r = ref 1 in for i = 1 to m do r := f !r i land 0xffff done; !r
let () = let t = ref 0 in for i = 0 to 200 do t := !t + use (i mod 10) 20 done; print_int !t; print_newline ()
let mk k x y = match k with
  | 0 -> (fun z -> z + x) | 1 -> (fun z -> z * y) | 2 -> (fun z -> z - x - y) | 3 -> (fun z -> z lxor x) | 4 -> (fun z -> z land y) | _ -> (fun _ -> x)
let go k n = let f = mk k n (n + 3) in let t = ref 0 in for i = 1 to n do t := (!t + f i) land 0xffffff done; !t
let rec comb d = if d = 0 then (fun x -> x) else
  let f = match d mod 5 with 0 -> succ | 1 -> pred | 2 -> (fun x -> x * 2) | 3 -> (fun x -> x lsr 1) | _ -> abs in
  let g = comb (d - 1) in fun x -> g (f x)
let dispatch tbl l = List.fold_left (fun acc x -> let f = match x land 7 with 0 -> List.length | 1 -> List.hd | 2 -> (fun l -> List.nth l 1) | 3 -> List.fold_left (+) 0 | 4 -> (fun _ -> 4) | _ -> (fun l -> -List.length l) in acc + f tbl) 0 l
let () = let t = ref 0 in for i = 0 to 60 do t := !t + go (i mod 6) 50 + comb 12 i + dispatch [1;2;3] [i; i+1; i+2] done; print_int !t; print_newline ()

(* One arm gives an unknown function, one raises, and the function escapes. *)
let kept = ref []
let pick n other = match n with
  | 0 -> (fun x -> x + 1) | 1 -> (fun x -> x * 2) | 2 -> other | 3 -> raise Not_found | 4 -> (fun x -> -x) | 5 -> (fun x -> x lxor n) | _ -> succ
let twice n other = let f = pick n other in kept := f :: !kept; f (f n)
let () =
  for n = 0 to 7 do Printf.printf "%d " (try twice n (fun x -> x * x + n) with Not_found -> -99) done;
  List.iter (fun f -> Printf.printf "%d " (f 10)) !kept;
  print_newline ()
