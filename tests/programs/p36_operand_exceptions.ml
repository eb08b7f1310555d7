(* flags: -w -a *)
(* pitfall 36: which exception comes first when several operands raise; checks come after all operands. *)
exception E of int
let r n = raise (E n)
let p n v = Printf.printf "%d " n; v
let bad i (x : 'a) = Printf.printf "!%d " i; ignore (r i); x
let t name f = (match f () with () -> print_string "ok" | exception E n -> Printf.printf "E%d" n | exception Invalid_argument s -> print_string s | exception Division_by_zero -> print_string "div0" | exception Not_found -> print_string "nf"); Printf.printf " <- %s\n" name
type rc = { a : int; mutable b : int; c : float }
let () =
  let arr = [| 1; 2 |] and fa = [| 1.; 2. |] and s = "ab" and by = Bytes.of_string "ab" in
  t "tuple" (fun () -> ignore (bad 1 0, bad 2 0, bad 3 0));
  t "record" (fun () -> ignore { a = bad 1 0; b = bad 2 0; c = p 3 1. });
  t "record reordered" (fun () -> ignore { c = bad 3 1.; a = bad 1 0; b = p 2 0 });
  t "array literal" (fun () -> ignore [| bad 1 0; bad 2 0; p 3 0 |]);
  t "cons" (fun () -> ignore (bad 1 0 :: bad 2 []));
  t "add" (fun () -> ignore (bad 1 0 + bad 2 0));
  t "float" (fun () -> ignore (bad 1 0. *. p 2 0.));
  t "set oob" (fun () -> arr.(p 1 5) <- p 2 7);
  t "set oob raising value" (fun () -> arr.(p 1 5) <- bad 2 7);
  t "set raising index" (fun () -> arr.(bad 1 5) <- p 2 7);
  t "float set" (fun () -> fa.(p 1 (-1)) <- p 2 1.);
  t "float get" (fun () -> ignore (fa.(p 1 9) +. bad 2 1.));
  t "string" (fun () -> ignore s.[p 1 2]);
  t "bytes set" (fun () -> Bytes.set by (p 1 2) 'c');
  t "get in index" (fun () -> ignore arr.(arr.(p 1 7)));
  t "apply" (fun () -> (bad 0 (fun _ _ -> ())) (bad 1 1) (bad 2 2));
  t "apply known" (fun () -> ignore (max (bad 1 1) (bad 2 2)));
  t "div" (fun () -> ignore (1 / p 1 0 + bad 2 0));
  t "div2" (fun () -> ignore (bad 2 0 + 1 / p 1 0));
  t "setfield" (fun () -> (bad 1 { a = 1; b = 2; c = 3. }).b <- bad 2 4);
  t "assign" (fun () -> (bad 1 (ref 0)) := bad 2 0);
  t "unsafe" (fun () -> ignore (Array.unsafe_get arr (bad 1 0)));
  t "compare" (fun () -> ignore (bad 1 0 < bad 2 0));
  t "concat" (fun () -> ignore (bad 1 "a" ^ bad 2 "b"));
  t "variant" (fun () -> ignore (Some (bad 1 0, bad 2 0)));
  t "send" (fun () -> ignore ((object method m x y = () end)#m (bad 1 0) (bad 2 0)));
  t "if" (fun () -> if bad 1 true then ignore (bad 2 0) else ignore (bad 3 0));
  t "raise" (fun () -> raise (bad 1 Not_found))
