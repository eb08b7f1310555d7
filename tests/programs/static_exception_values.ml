(* flags: -w -a *)
(* Toplevel code under if, try, loops, matches and functors is run as often as it should be, with variable contents. *)
let o = Sys.opaque_identity
let acc = ref []
let add x = acc := x :: !acc; x
let under_if = if o true then (let k = add 1 in fun x -> x + k) else (let k = add 2 in fun x -> x - k)
let under_try = try let k = add (int_of_string "x") in (k, k) with Failure _ -> let k = add 4 in (k, k + 1)
let () = for i = 1 to 3 do let cell = [ add (10 * i); i ] in let f () = cell in acc := List.hd (f ()) :: !acc done
let loop_closures = let l = ref [] in let i = ref 0 in while !i < 3 do let k = add !i in l := (fun x -> x * k) :: !l; incr i done; !l
let matched = match o [ 1; 2 ] with [] -> (fun () -> add 0) | x :: _ -> let y = x + 5 in (fun () -> add y)
module F (X : sig val n : int end) = struct let cell = ref (add X.n) let data = (X.n, [ X.n ]) let f x = x + !cell exception E of int let r () = raise (E X.n) end
module A = F (struct let n = 100 end) module B = F (struct let n = 200 end) module C = F (struct let n = o 300 end)
let rec_made = let rec mk n = if n = 0 then [] else (let v = (n, float n) in (fun () -> v) :: mk (n - 1)) in mk 3
let objs = List.map (fun n -> object val mutable c = n method bump = c <- c + 1; c end) [ 1; 10 ]
let m = let module M = struct let x = add 7 let y = x + 1 end in (M.x, M.y)
let (a, b), [ c; d ] = (add 21, add 22), [ add 23; add 24 ]
let { contents = e } as r = ref (add 25)
let _ = add 99
let local_exn = let exception X of int in try raise (X (add 30)) with X n -> n + 1
let () = List.iter (Printf.printf "%d ") (List.rev !acc); print_newline (); acc := []; Printf.printf "%d %d %d\n" (under_if 10) (fst under_try) (snd under_try); List.iter (fun f -> Printf.printf "%d " (f 10)) loop_closures; Printf.printf "%d %d\n" (matched ()) (matched ()); A.cell := 1; Printf.printf "%d %d %d %d\n" (A.f 1) (B.f 1) (C.f 1) (fst C.data); (try A.r () with B.E _ -> print_endline "B" | A.E n -> Printf.printf "A %d\n" n); List.iter (fun f -> let n, x = f () in Printf.printf "%d %g " n x) rec_made; List.iter (fun o -> Printf.printf "%d %d " o#bump o#bump) objs; Printf.printf "%d %d %d %d %d %d %d %d %d\n" (fst m) (snd m) a b c d e !r local_exn
