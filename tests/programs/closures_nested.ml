(* flags: -w -a *)
(* Closures with many free variables, six levels deep, shared environments. *)
let o = Sys.opaque_identity
let many a b c d e f g h i j k l m n p q = fun x -> a + b * c - d + e * f - g + h * i - j + k * l - m + n * p - q + x
let mixed (a : int) (b : float) (c : string) (d : int64) (e : int32) (f : nativeint) g h = fun k -> Printf.sprintf "%d %g %s %Ld %ld %nd %s %c %d" a b c d e f (g c) h k
let l1 a = fun b -> let s = a + b in fun c -> let t = s * c in fun d -> let u = t - d in fun e -> let v = u + a in fun f -> let w = v * b in fun g -> a + b + c + d + e + f + g + s + t + u + v + w
let counter () = let n = ref 0 and hist = ref [] in let incr k = n := !n + k; hist := !n :: !hist in let get () = !n and history () = List.rev !hist and reset () = n := 0; incr 0 in (incr, get, history, reset)
let compose fs = List.fold_left (fun acc f -> fun x -> f (acc x)) Fun.id fs
let levels x = let f1 y = let f2 z = let f3 w = let f4 v = let f5 u = let f6 t = x + y * z - w + v * u - t in f6 in f5 in f4 in f3 in f2 in f1
let share n = let big = Array.init n (fun i -> i) in let s = Array.fold_left ( + ) 0 big in List.init 4 (fun k -> if k = 0 then (fun () -> s) else if k = 1 then (fun () -> Array.length big) else fun () -> big.(k) + s)
let loop n = let fs = ref [] in for i = 1 to n do let sq = i * i in for j = i to i + 1 do fs := (fun x -> (sq * x) + j) :: !fs done done; !fs
let rec_env a b = let c = a * b in let rec f x = if x <= 0 then c else g (x - a) and g x = let k y = if y > c then f (x - b) else y + x in k (x * a) in let h = f in fun z -> h (g z)
let partial3 f = let g = f 1 in let h = g 2 in h
let memo f = let t = Hashtbl.create 10 in fun x -> match Hashtbl.find_opt t x with Some v -> v | None -> let v = f x in Hashtbl.add t x v; v
let church n = let rec go k f x = if k = 0 then x else f (go (k - 1) f x) in go n
let () =
  Printf.printf "%d %s\n" (many 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 (o 17)) (mixed 1 2.5 "s" 3L 4l 5n String.uppercase_ascii 'c' 6);
  Printf.printf "%d %d\n" (l1 1 2 3 4 5 6 7) (let f = l1 7 6 5 in let g = f 4 3 in g 2 1 + (o g) 1 2);
  let (i, g, h, r) = counter () in i 5; i 6; let a = g () in r (); i 1; Printf.printf "%d %d %s\n" a (g ()) (String.concat "," (List.map string_of_int (h ())));
  Printf.printf "%d %d\n" (compose [ succ; (fun x -> x * 10); pred ] 4) (levels 1 2 3 4 5 6 7);
  List.iter (fun f -> Printf.printf "%d " (f ())) (share 10); List.iter (fun f -> Printf.printf "%d " (f 10)) (loop 3); print_newline ();
  Printf.printf "%d %d %d %d\n" (rec_env 2 3 10) (partial3 (fun a b c -> a + b * c) 5) (let calls = ref 0 in let m = memo (fun x -> incr calls; x * 2) in let s = m 1 + m 2 + m 1 in s * 10 + !calls) (church 5 (church 3 succ) 0)
