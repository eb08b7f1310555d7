(* flags: -w -a *)
(* Functions in data, returned by if and match, unknown calls at several arities, partial chains. *)
let o = Sys.opaque_identity
type r = { f : int -> int; g : int -> int -> int; mutable h : float -> float; k : 'a. 'a -> 'a list }
let fs = [| succ; pred; (fun x -> x * x); abs |]
let ops = [ ("+", ( + )); ("-", ( - )); ("*", ( * )); ("max", max); ("fst", fun a _ -> a) ]
let pick n = if n = 0 then fun x y -> x - y else if n = 1 then ( + ) else match n with 2 -> (fun x -> let k = x * 10 in fun y -> k + y) | 3 -> max | _ -> fun _ y -> y
let rec_f n = let rec f a b = if b = 0 then a else f (a + 1) (b - 1) in if n > 0 then f else fun a b -> f b a
let apply2 f x y = f x y
let apply3 f x y z = f x y z
let pipeline = List.map (fun (n, f) -> (n, f 12)) ops
let app4 f a b c d = f a b c d
let app7 f a b c d e g h = f a b c d e g h
let side = ref 0
let eff a = side := !side + a; fun b -> side := !side * b; fun c d -> side := !side - c; d + !side
let tbl : (string, int -> int -> int) Hashtbl.t = Hashtbl.create 5
let rec fix f x = f (fix f) x
let () =
  Array.iter (fun f -> Printf.printf "%d " (f (-7))) fs; List.iter (fun (n, f) -> Printf.printf "%s%d " n (f 9 4)) ops; List.iter (fun (n, f) -> Printf.printf "%s%d " n (f 5)) pipeline; print_newline ();
  for i = 0 to 4 do let f = pick i in let g = f 3 in Printf.printf "%d %d %d; " (f 8 1) (g 4) (pick i 1 2) done; print_newline ();
  let r = { f = succ; g = ( - ); h = sqrt; k = (fun x -> [ x; x ]) } in Printf.printf "%d %d %g %d %d " (r.f 1) (r.g 5 3) (r.h 16.) (List.length (r.k "a")) (List.hd (r.k 4)); r.h <- (fun x -> x +. 1.); Printf.printf "%g\n" (r.h 2.);
  Printf.printf "%d %d %d\n" (rec_f 1 2 3) (rec_f 0 2 3) (apply2 (rec_f 5) 1 1);
  Printf.printf "%d %d %d\n" (apply3 (fun a b c -> a * b + c) 2 3 4) (apply3 eff 1 2 3 4) (apply3 (fun a -> let b = a + 1 in fun c d -> b * c * d) 1 2 3);
  Printf.printf "%d %d %d\n" (app4 (fun a b -> fun c d -> a + b + c + d) 1 2 3 4) (app4 (fun a -> fun b -> fun c -> fun d -> a - b - c - d) 1 2 3 4) (app7 (fun a b c d e -> fun f g -> a + b + c + d + e + f * g) 1 2 3 4 5 6 7);
  Hashtbl.add tbl "x" ( lxor ); Hashtbl.add tbl "y" (fun a -> match a with 0 -> (fun b -> b) | _ -> ( + ) a);
  Printf.printf "%d %d %d\n" (Hashtbl.find tbl "x" 5 3) (Hashtbl.find tbl "y" 0 3) ((Hashtbl.find tbl "y") 4 3);
  Printf.printf "%d %d\n" (fix (fun self n -> if n < 2 then n else self (n - 1) + self (n - 2)) 15) (fix (fun self (a, b) -> if b = 0 then a else self (b, a mod b)) (84, 36));
  let p = apply3 (fun a b c d -> a + b + c + d) 1 2 in let q = p 3 in Printf.printf "%d %d\n" (q 4) (o q 5);
  let l = List.map (fun f -> f 2) [ ( + ); ( * ); (fun a b -> a); (fun a -> if a > 1 then pred else succ) ] in List.iter (fun g -> Printf.printf "%d " (g 10)) l; print_newline ()
