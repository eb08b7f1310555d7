(* flags: -w -a *)
(* Exceptions in functors, first-class modules, across recursion, generative functor applications. *)
module type ERR = sig exception E of int val fail : int -> 'a val wrap : (unit -> int) -> string end
module Mk (N : sig val name : string end) : ERR = struct exception E of int let fail n = raise (E n) let wrap f = try string_of_int (f ()) with E n -> Printf.sprintf "%s caught %d" N.name n end
module X = Mk (struct let name = "X" end)
module Y = Mk (struct let name = "Y" end)
module Z = X
module Gen () : ERR = struct include Mk (struct let name = "gen" end) let wrap f = "[" ^ wrap f ^ "]" end
module G1 = Gen () 
module G2 = Gen ()
let over (module M : ERR) = M.wrap (fun () -> X.wrap (fun () -> M.fail 9) |> String.length)
let rec make n = let module M = struct exception L of int end in if n = 0 then (fun () -> raise (M.L 0)) else let inner = make (n - 1) in fun () -> (try inner () with M.L k -> print_string "wrong level "; k)
let poly (type a) (v : a) = let module M = struct exception P of a end in let put () = raise (M.P v) in fun f -> try put () with M.P x -> f x
let () =
  print_endline (X.wrap (fun () -> X.fail 1)); print_endline (X.wrap (fun () -> int_of_string (String.sub (Y.wrap (fun () -> Y.fail 2)) 9 1)));
  (try print_endline (X.wrap (fun () -> Y.fail 3)) with Y.E n -> Printf.printf "Y escaped %d\n" n); print_endline (X.wrap (fun () -> Z.fail 4)); (try Z.fail 5 with X.E n -> Printf.printf "same %d\n" n);
  (try print_endline (G1.wrap (fun () -> G2.fail 6)) with G2.E n -> Printf.printf "G2 %d\n" n); print_endline (G1.wrap (fun () -> G1.fail 7));
  (try print_endline (over (module Y)) with Y.E _ -> print_endline "Y!"); print_endline (over (module X));
  (try ignore (make 3 ()) with _ -> print_endline "level ok"); print_int (poly 4 succ); print_endline (poly "s" String.uppercase_ascii)
