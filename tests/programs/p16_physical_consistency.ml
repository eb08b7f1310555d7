(* flags: -w -a *)
(* pitfalls 16, 18, 20: one binding is one block; mutable blocks are distinct; no allocation leaves or enters a loop. *)
let[@inline] id x = x
let o = Sys.opaque_identity
let dup_check x = let p = (x, x + 1) in let q = if x > 0 then p else (x, 0) in let r = id p in p == q && q == r && p == p
let lst n = let l = [ n ] in let f () = l in f () == f () && f () == l
let refs n = let rec go i acc = if i = 0 then acc else go (i - 1) (ref 0 :: acc) in go n []
let distinct l = let rec go = function [] -> true | x :: r -> (not (List.memq x r)) && go r in go l
let tbl : (string * string list) list ref = ref []
let hashcons s = match List.find_opt (fun (k, _) -> k = s) !tbl with Some (_, v) -> v | None -> let v = [ s ] in tbl := (s, v) :: !tbl; v
let loopalloc () = let keep = ref [] in for i = 1 to 4 do let b = Bytes.make 1 'x' in keep := b :: !keep done; while List.length !keep < 6 do keep := Bytes.create 0 :: !keep done; !keep
let clos n = List.init n (fun i -> let r = ref i in ((fun () -> incr r), fun () -> !r))
let () =
  Printf.printf "%b %b %b\n" (dup_check 3) (lst 4) (distinct (refs 10));
  Printf.printf "%b %b\n" (hashcons (o "a") == hashcons (o "a")) (hashcons "a" == hashcons "b");
  Printf.printf "%b\n" (List.for_all (fun b -> List.length (List.filter (( == ) b) (List.filter (fun b -> Bytes.length b > 0) (loopalloc ()))) = 0) []);
  let l = loopalloc () in Bytes.set (List.nth l 2) 0 'y'; List.iter (fun b -> print_string (Bytes.to_string b)) l; print_newline ();
  let cs = clos 3 in (fst (List.nth cs 1)) (); List.iter (fun (_, g) -> Printf.printf "%d " (g ())) cs; print_newline ();
  let s = o "abc" in let t = s in Printf.printf "%b %b %b\n" (s == t) (s != t) (1 == 1);
  let a = ref 0 and b = ref 0 in Printf.printf "%b %b %b\n" (a == b) (a == a) (a != b);
  let e = Failure "x" in (try raise e with x -> Printf.printf "%b\n" (x == e));
  let f x = x + 1 in let r = { contents = f } in Printf.printf "%b\n" (!r == f);
  let rec cyc = 1 :: cyc in Printf.printf "%b\n" (List.tl cyc == cyc);
  let m = Array.make 3 (ref 0) in incr m.(0); Printf.printf "%d %b\n" !(m.(2)) (m.(0) == m.(1))
