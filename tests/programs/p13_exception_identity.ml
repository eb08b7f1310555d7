(* flags: -w -a *)
(* pitfall 13: exceptions are generative; local ones per evaluation; aliases are the same. *)
exception A
exception A' = A
let make () = let exception L of int in ((fun n -> raise (L n)), fun f -> try f (); "none" with L n -> "caught " ^ string_of_int n | _ -> "other")
module F (X : sig val n : int end) = struct exception E of int let r () = raise (E X.n) let catch f = try f (); "none" with E n -> Printf.sprintf "E%d" n | _ -> "other" end
module One = struct let n = 1 end
module F1 = F (One)
module F2 = F (One)
let[@inline always] gen (type a) () = let module M = struct exception X of a end in ((fun x -> M.X x), function M.X x -> Some x | _ -> None)
type ext = ..
type ext += P of int | Q
module G () = struct type ext += R end
module G1 = G () module G2 = G ()
let name = function P n -> "P" ^ string_of_int n | Q -> "Q" | G1.R -> "G1.R" | G2.R -> "G2.R" | _ -> "?"
let () =
  let (r1, c1) = make () and (r2, c2) = make () in
  print_endline (c1 (fun () -> r1 1)); print_endline (c1 (fun () -> r2 2)); print_endline (c2 (fun () -> r2 3)); print_endline (c2 ignore);
  print_endline (F1.catch F1.r); print_endline (F1.catch F2.r); print_endline (F2.catch F2.r);
  (try raise A' with A -> print_endline "alias"); (try raise A with A' -> print_endline "alias back");
  let (i1, p1) = gen () and (i2, p2) = gen () in
  Printf.printf "%b %b %b\n" (p1 (i1 3) = Some 3) (p2 (i1 3) = None) (p2 (i2 "s") = Some "s");
  List.iter (fun e -> print_string (name e ^ " ")) [ P 4; Q; G1.R; G2.R ]; print_newline ();
  let l = List.init 3 (fun i -> let exception Z in (Z, function Z -> i | _ -> -1)) in
  List.iter (fun (e, _) -> List.iter (fun (_, f) -> Printf.printf "%d " (f e)) l) l; print_newline ();
  Printf.printf "%s %s\n" (Printexc.to_string (F1.E 3)) (Printexc.to_string A');
  Printf.printf "%b %b\n" (A = A') (F1.E 1 = F2.E 1)
