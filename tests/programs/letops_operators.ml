(* flags: -w -a *)
(* Binding operators, user operators of each precedence, indexing operators, shadowed stdlib operators. *)
module Opt = struct let ( let* ) o f = match o with None -> None | Some x -> f x let ( let+ ) o f = Option.map f o let ( and+ ) a b = match a, b with Some a, Some b -> Some (a, b) | _ -> None end
module St = struct let return x s = (x, s) let ( let* ) m f s = let x, s = m s in f x s let get s = (s, s) let put s _ = ((), s) let ( >>= ) = ( let* ) end
module L = struct let ( let* ) l f = List.concat_map f l let ( let+ ) l f = List.map f l let ( and* ) a b = List.concat_map (fun x -> List.map (fun y -> (x, y)) b) a end
module K = struct let ( let& ) f k = f k end
let safe_div a b = if b = 0 then None else Some (a / b)
let ( ** ) a b = a * 10 + b
let ( ++ ) a b = a @ [ b ]
let ( ^^^ ) a b = a ^ "-" ^ b
let ( |>> ) x f = f (f x)
let ( ~+ ) x = x + 1000
let ( !! ) l = List.length l
let ( .%{} ) s i = s.[i]
let ( .%() ) h k = Hashtbl.find h k
let ( .%()<- ) h k v = Hashtbl.replace h k v
let ( .%{;..} ) a i = Array.fold_left ( + ) 0 i + a
let ( =~ ) a b = String.length a = String.length b
let ( <|> ) a b = match a with None -> b () | Some _ -> a
let () =
  let open Opt in let r = let* a = safe_div 10 2 in let* b = safe_div a 0 in Some (a + b) and q = let* a = safe_div 10 2 in let+ b = safe_div 9 3 and+ c = Some 1 in a + b + c in Printf.printf "%b %d\n" (r = None) (Option.get q)
let () = let open St in let m = let* x = get in let* () = put (x + 1) in let* y = get in if y > 5 then return (x, y) else put 100 >>= fun () -> return (0, 0) in let ((a, b), s) = m 5 in let (c, _), t = m 1 in Printf.printf "%d %d %d %d %d\n" a b s c t
let () = let open L in List.iter (Printf.printf "%d ") (let* x = [ 1; 2 ] and* y = [ 10; 20 ] in if fst (x, y) = 2 then [ x + y ] else [ x; y ]); List.iter print_int (let+ x = [ 1; 2 ] in x * 2); let open K in print_int (let& x = (fun k -> k 3 + k 4) in print_string " k "; x * x); print_newline ()
let () = Printf.printf "%d %d %s %d %d %d %c\n" (1 ** 2 ** 3) (List.length ([] ++ 1 ++ 2)) ("a" ^^^ "b" ^^^ "c") (3 |>> fun x -> x * x) (+5) !![ 1; 2 ] "abc".%{1}
let () = let h = Hashtbl.create 3 in h.%("k") <- 4; h.%("k") <- h.%("k") + 1; Printf.printf "%d %d %b\n" h.%("k") (1).%{2; 3; 4} ("ab" =~ "cd"); (match None <|> fun () -> print_string "alt "; Some 2 with Some n -> print_int n | None -> ()); let ( + ) = ( - ) in Printf.printf " %d %d\n" (5 + 3) (let ( - ) a b = a * b in 5 - 3)
