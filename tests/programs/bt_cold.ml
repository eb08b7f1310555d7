(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* What stands on the way to an error is not inlined, and what follows a call that never returns is dropped: each frame
   of the backtrace stays. *)
exception Bad of string * int
let o = Sys.opaque_identity
let fail message = raise (Bad (message, String.length message))
let describe x = "x = " ^ string_of_int x ^ "; " ^ (if x < -10 then "very " else "") ^ "negative"
let complain x = fail (describe x)
let half x =
  let y = if x < 0 then complain x else x / 2 in
  y + 1
let third x =
  let y = if x < 0 then (let s = describe x in failwith (s ^ "!")) else if x = 7 then invalid_arg "third" else x / 3 in
  [ y; y + 1 ]
let last x = if x < 0 then fail (describe x) else x
let average a n =
  let mean = if n = 0 then failwith "average" else a.(0) /. float n in
  mean *. 2.
let caught x = try if x < 0 then complain x else x with Bad (s, n) -> n | Failure s -> String.length s
let both x y = let a = half x in let b = List.length (third y) in a + b + last (x + y)
let rec find x = function
  | [] -> failwith ("find " ^ describe x)
  | y :: l -> if x = y then y else find x l
let nested x =
  match half x with
  | v -> v
  | exception Bad (s, n) -> if n > 1000 then 0 else fail (describe (-n))
let guarded x = Fun.protect ~finally:(fun () -> print_string "finally; ") (fun () -> 1 + half x)
let reraised x = try half x with e -> print_string (describe x); print_newline (); raise e
let assertion x = let y = if x > 3 then (assert (x < 5); x) else (print_string (describe x); assert false) in y * 2
(* The cold part of these is cut out, and what is left inlined. *)
type 'a vector = { mutable size : int; mutable data : 'a array; label : string }
let get v i =
  if i < 0 || i >= v.size then begin
    let range = string_of_int i ^ " is not in 0.." ^ string_of_int (v.size - 1) in
    let range = try if i > 100 then fail range else range ^ "!" with Bad (s, n) -> s ^ string_of_int n in
    print_endline (String.concat " " [ v.label; range ]);
    raise (Bad (range, i))
  end
  else Array.unsafe_get v.data i
let root x =
  if x < 0. then begin
    let s = string_of_float x in
    print_endline (String.concat " " [ "root of"; s; string_of_float (x *. 2.) ]);
    failwith ("root " ^ s)
  end
  else sqrt x
let sum v n = let s = ref 0 in for i = 0 to n - 1 do s := !s + get v i done; !s
let roots l = List.fold_left (fun s x -> s +. root x) 0. l
let cleaned v i = try get v i with Bad (s, n) -> String.length s + n
let tail v i = get v i
let run name f =
  match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e ->
    let s = Printexc.get_backtrace () in
    Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  let n = o (-3) and p = o 7 in
  run "half" (fun () -> 1 + half p); run "half" (fun () -> 1 + half n); run "half" (fun () -> 1 + half (n * 9));
  run "third" (fun () -> List.length (third n)); run "third" (fun () -> List.length (third p));
  run "third" (fun () -> List.length (third (p + 1)));
  run "last" (fun () -> 1 + last n); run "last" (fun () -> 1 + last p);
  run "average" (fun () -> truncate (average [| 8. |] 2)); run "average" (fun () -> truncate (average [| 8. |] (o 0)));
  run "average" (fun () -> truncate (average [||] 2));
  run "caught" (fun () -> caught p + caught n);
  run "both" (fun () -> 1 + both p p); run "both" (fun () -> 1 + both n p); run "both" (fun () -> 1 + both p n);
  run "both" (fun () -> 1 + both 1 (o 2));
  run "find" (fun () -> 1 + find p [ 1; 2; 7 ]); run "find" (fun () -> 1 + find n [ 1; 2; 7 ]);
  run "nested" (fun () -> 1 + nested p); run "nested" (fun () -> 1 + nested n);
  run "guarded" (fun () -> 1 + guarded p); run "guarded" (fun () -> 1 + guarded n);
  run "reraised" (fun () -> 1 + reraised p); run "reraised" (fun () -> 1 + reraised n);
  let v = o { size = 3; data = [| 4; 5; 6 |]; label = "v" } in
  run "sum" (fun () -> 1 + sum v 3); run "sum" (fun () -> 1 + sum v 4);
  run "get" (fun () -> 1 + get v n); run "get" (fun () -> 1 + get v (p * 100));
  run "cleaned" (fun () -> 1 + cleaned v 1 + cleaned v p); run "tail" (fun () -> 1 + tail v n);
  run "roots" (fun () -> truncate (roots [ 4.; 9. ])); run "roots" (fun () -> truncate (roots [ 4.; float n ]));
  run "assertion" (fun () -> 1 + assertion 4); run "assertion" (fun () -> 1 + assertion p);
  run "assertion" (fun () -> 1 + assertion n)
