(* flags: -w -a *)
(* Collections amid computations: static data, closures, infix pointers, partial applications, lazies, live temporaries. *)
let gc () = Gc.minor (); Gc.full_major ()
let o = Sys.opaque_identity
let static = ("a", [ 1; 2 ], 2.5)
let rec f x = if x = 0 then (gc (); "f") else g (x - 1) and g x = if x = 0 then (Gc.compact (); "g") else h (x - 1) and h x = f x
let args a b c = a ^ b ^ c
let mk s = gc (); String.make 2 s
let tree n = let rec go n = (if n mod 50 = 0 then gc ()); (string_of_int n, float n, fun () -> n) :: (if n = 0 then [] else go' (n - 1)) and go' n = if n <= 0 then [] else go n in go n
let papply = let p = (fun a b c d -> gc (); a ^ b ^ c ^ d) (o "1") in let q = p (mk '2') in gc (); q
let () =
  print_endline (args (mk 'a') (mk 'b') (mk 'c')); print_endline (f 4 ^ f 2 ^ g 0); print_endline (papply "3" (mk '4'));
  let l = tree 200 in gc (); Printf.printf "%d %g %d\n" (List.length l) (List.fold_left (fun a (_, x, _) -> a +. x) 0. l) (List.fold_left (fun a (s, _, f) -> a + f () + String.length s) 0 l);
  let r = ref [] in for i = 1 to 50 do let s = string_of_int i in r := (fun t -> s ^ t) :: !r; if i mod 10 = 0 then Gc.compact () done; print_endline (List.fold_left (fun a f -> let s = f "" in a ^ String.sub s 0 1) "" !r);
  let (a, b, c) = static in gc (); Printf.printf "%s %d %g\n" a (List.length b) c; let lz = lazy (gc (); mk 'z') in print_endline (Lazy.force lz ^ Lazy.force lz); let ex = (try gc (); raise (Failure (mk 'e')) with Failure s -> gc (); s) in print_endline ex;
  let m = Array.init 20 (fun i -> if i mod 5 = 0 then gc (); Array.init i (fun j -> float (i * j))) in gc (); Printf.printf "%g\n" (Array.fold_left (fun a r -> Array.fold_left ( +. ) a r) 0. m); let h = Hashtbl.create 4 in for i = 1 to 100 do Hashtbl.replace h (string_of_int (i mod 10)) (mk (Char.chr (65 + (i mod 26)))); done; Hashtbl.fold (fun k v l -> (k ^ v) :: l) h [] |> List.sort compare |> List.iter print_string; print_newline ();
  let ob = object val s = mk 'o' val f = o 1.5 method m k = gc (); s ^ k ^ string_of_float f end in print_endline (ob#m (mk 'p')); let st = Gc.quick_stat () in Printf.printf "%b %b\n" (st.Gc.minor_collections > 0) (st.Gc.compactions > 0); Gc.set { (Gc.get ()) with Gc.minor_heap_size = 4096 }; let k = List.init 2000 (fun i -> (i, string_of_int i)) in Printf.printf "%d\n" (List.fold_left (fun a (i, s) -> a + i + String.length s) 0 k)
