(* flags: -w -a *)
(* pitfalls 33-35: recursive values whose closures have unused or shared variables; order of the non-recursive right-hand sides. *)
let t s v = print_string (s ^ " "); v
let o = Sys.opaque_identity
let f a b c d =
  let rec g x = if x = 0 then a else fst p x
  and p = (h, [ g ])
  and h x = b + g (x - 1) in
  (g 3, h 2, List.length (snd p))
let nonrec_first () =
  let rec x = (t "x" 1, y) and y = [ t "w" 4 ] and z = (t "z" 2, 3) and n = t "n" 10 and k u = u + n in (fst x, List.hd y, k 1)
let unused () = let rec a = (fun x -> x + 1) and b = (a, fun y -> y * 2) and c = [ b ] in let (p, q) = List.hd c in p (q 4)
let arrays n = let rec a = [| (fun x -> x + n); (fun x -> b.(0) (x * 2)) |] and b = [| (fun x -> a.(0) x) |] in a.(1) (b.(0) 3)
type fr = { p : float; q : float }
let frec n = let rec r = { p = n; q = 2. } and f () = r.p +. r.q +. (match l with (x, _) :: _ -> x.p | [] -> 0.) and l = [ (r, f) ] in f ()
let shared n = let y = (n, n + 1) in let rec a = (y, b) and b = [ y ] in (fst (fst a) + snd (List.hd (snd a)))
let alias n = let rec a = let k = n * 2 in (k, b) and b = let u = [ 1; n ] in (u, fun () -> fst a) in (snd b () + List.length (fst (snd a)))
type 'a c = { mutable hd : int; mutable tl : 'a c option; id : unit -> int }
let cyc n = let rec a = { hd = n; tl = Some b; id = (fun () -> b.hd) } and b = { hd = n + 1; tl = Some a; id = (fun () -> a.hd) } in a.hd <- 100; (a.id (), b.id (), (match a.tl with Some { tl = Some x } -> x.hd | _ -> 0))
type ext = .. 
type ext += E of (unit -> int) * ext | Z
let ex n = let rec e = E ((fun () -> n + (match e with E (_, Z) -> 1 | _ -> 2)), Z) in match e with E (f, _) -> f () | _ -> 0
let () =
  let a, b, c = f (o 1) (o 2) 3 4 in Printf.printf "%d %d %d\n" a b c;
  let a, b, c = nonrec_first () in Printf.printf "%d %d %d\n" a b c;
  Printf.printf "%d %d %g %d %d\n" (unused ()) (arrays (o 5)) (frec (o 1.5)) (shared (o 4)) (alias (o 6));
  let a, b, c = cyc (o 1) in Printf.printf "%d %d %d\n" a b c;
  Printf.printf "%d\n" (ex (o 10));
  Gc.compact ();
  let rec s = "str" :: u and u = "u" :: s in Gc.minor (); Printf.printf "%s%s\n" (List.nth s 4) (List.nth u 6)
