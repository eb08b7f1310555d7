(* flags: -w -a *)
(* Exceptions with arguments, aliases, local, notrace, physical identity, nested handlers, Fun.protect. *)
exception A
exception B of int * string
exception C of { x : int; mutable y : float }
exception D of exn
exception Alias = B
let t name f = Printf.printf "%s: " name; (match f () with v -> Printf.printf "%d" v | exception e -> print_string (Printexc.to_string e)); print_newline ()
let pick = function 0 -> A | 1 -> B (1, "b") | 2 -> C { x = 2; y = 3.5 } | 3 -> D (B (4, "d")) | 4 -> Not_found | 5 -> Failure "f" | n -> Invalid_argument (string_of_int n)
let handle n = try raise (pick n) with A -> 0 | Alias (a, s) -> a + String.length s | C r -> r.y <- r.y *. 2.; truncate r.y + r.x | D (B (n, _)) -> n * 10 | D _ -> -1 | Not_found -> 100
let same e = try raise e with e' -> e == e'
let chain n = try (try (try raise (pick n) with A -> raise (D A)) with D A -> 1 | B _ as b -> raise (D b)) with D e -> (match e with B _ -> 22 | _ -> 23) | C { x } -> x
let find p l = let exception Found of int in try List.iteri (fun i x -> if p x then raise_notrace (Found i)) l; None with Found i -> Some i
let reset = ref 0
let protect n = Fun.protect ~finally:(fun () -> incr reset) (fun () -> if n > 0 then raise (pick n) else n)
let finally_raises () = Fun.protect ~finally:(fun () -> failwith "fin") (fun () -> 1)
let value_and_exn f = match f () with 0 -> "zero" | n when n > 10 -> raise A | n -> string_of_int n | exception A -> "A" | exception (Failure s | Invalid_argument s) -> s
let store = ref A
let () =
  for i = 0 to 7 do t (string_of_int i) (fun () -> handle i) done; for i = 0 to 3 do t "chain" (fun () -> chain i) done;
  Printf.printf "%b %b\n" (same A) (same (B (1, "x"))); (match find (( = ) 3) [ 1; 2; 3 ], find (( = ) 9) [] with Some a, None -> Printf.printf "%d\n" a | _ -> print_endline "?");
  t "protect" (fun () -> protect 0); t "protect" (fun () -> protect 1); t "finally" finally_raises; Printf.printf "%d\n" !reset;
  List.iter (fun f -> print_endline (match value_and_exn f with s -> s | exception A -> "outer A")) [ (fun () -> 0); (fun () -> 5); (fun () -> 11); (fun () -> raise A); (fun () -> failwith "fw") ];
  (try raise (D (D A)) with D (D _ as e) -> store := e); print_endline (Printexc.to_string !store);
  t "stdlib" (fun () -> List.hd []); t "stdlib" (fun () -> int_of_string "zz"); t "stdlib" (fun () -> Char.code "".[0]); t "stdlib" (fun () -> Hashtbl.find (Hashtbl.create 1) 0); t "stdlib" (fun () -> Option.get None); t "stdlib" (fun () -> snd (List.find (fun _ -> false) []));
  let count = ref 0 in (try while true do incr count; if !count = 5 then raise_notrace A done with A -> ()); Printf.printf "%d\n" !count;
  let e = (try failwith "kept" with e -> e) in t "later" (fun () -> raise e); t "in arg" (fun () -> (fun a b -> a + b) (raise A) 1); t "unused" (fun () -> let _ = raise A in 1); t "seq" (fun () -> (raise A : unit); 2); t "if" (fun () -> if raise A then 1 else 2); t "raise raise" (fun () -> raise (raise A))
