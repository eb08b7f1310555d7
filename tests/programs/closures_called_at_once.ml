(* Functions that give closures which are called at once: monads of functions, with effects in each step, exceptions out
   of them, closures that are called more than once, and closures that are kept. *)

module State = struct
  type ('s, 'a) t = 's -> 'a * 's

  let return x : (_, _) t = fun s -> (x, s)
  let bind (m : (_, _) t) f : (_, _) t = fun s -> let x, s = m s in f x s
  let get : (_, _) t = fun s -> (s, s)
  let put s : (_, _) t = fun _ -> ((), s)
  let modify f : (_, _) t = fun s -> ((), f s)
end

let ( let* ) = State.bind

let rec sum n = if n = 0 then State.get else let* s = State.get in let* () = State.put (s + n) in sum (n - 1)

let rec trace n =
  if n = 0 then State.return "end"
  else
    let* s = State.get in
    Printf.printf "%d:%d " n s;
    let* () = State.modify (fun s -> (s * 3) land 1023) in
    if n land 1 = 0 then let* r = trace (n - 1) in State.return (r ^ string_of_int n) else trace (n - 1)

(* Everything before the closure is done once, however often that is called. *)
let noisy name f =
  Printf.printf "[%s]" name;
  let n = f 1 in
  let m = f n in
  fun x ->
    Printf.printf "(%s %d)" name x;
    if x > 100 then raise Exit;
    (n * x) + m

let at_once f x = noisy "once" f x
let twice f x = let g = noisy "twice" f in g x + g (x + 1)
let kept f = [ noisy "kept" f ]
let caught f x = try noisy "caught" f x with Exit -> -1
let chosen b f g = (if b then noisy "left" f else noisy "right" g) 5

(* Steps of another unit's kind: the closure takes more than one argument, or fewer than it is given. *)
let three a = let b = a * 2 in fun c d -> print_int b; fun e -> a + b + c + d + e
let over a = three a 1 2 3
let under a = let f = three a 1 in f 5 7

let () =
  let f = Sys.opaque_identity (fun x -> x + 2) and g = Sys.opaque_identity (fun x -> x * 7) in
  Printf.printf "%d\n" (fst (sum 100 0));
  let s, n = trace 6 5 in
  Printf.printf "%s %d\n" s n;
  Printf.printf " %d\n %d\n" (at_once f 3) (twice g 4);
  List.iter (fun k -> Printf.printf " %d\n" (k 6)) (kept f);
  Printf.printf " %d\n %d\n" (caught f 101) (caught g 7);
  Printf.printf " %d %d\n" (chosen (Sys.opaque_identity true) f g) (chosen (Sys.opaque_identity false) f g);
  (match at_once f 200 with n -> Printf.printf " %d\n" n | exception Exit -> print_endline " raised");
  Printf.printf " %d %d\n" (over 4) (under 9)
