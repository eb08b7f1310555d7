(* Loops that carry records: entered with ones that exist, tested before they are read. *)
type c = { re : float; im : float }
let add a b = { re = a.re +. b.re; im = a.im +. b.im }
let sq a = { re = a.re *. a.re -. a.im *. a.im; im = 2. *. a.re *. a.im }
let norm2 a = a.re *. a.re +. a.im *. a.im
let iter c0 n =
  let z = ref c0 and k = ref 0 in
  while !k < n && norm2 !z < 4. do z := add (sq !z) c0; incr k done;
  !k
let rec it c z k n = if k >= n || norm2 z >= 4. then k else it c (add (sq z) c) (k + 1) n

(* The whole is needed where the loop is left: the record that came is the same one if nothing was added. *)
let rec sum acc = function [] -> acc | p :: l -> sum (add acc p) l
let sum_array init a =
  let z = ref init in
  for i = 0 to Array.length a - 1 do z := add !z a.(i) done;
  !z
let rec last_sum acc n l = match l with [] -> (acc, n) | p :: l -> if p.re < 0. then (acc, n) else last_sum (add acc p) (n + 1) l
let rec kept acc = function [] -> acc | p :: l -> if p.re < acc.re then kept acc l else kept (add acc p) l

(* Pairs of integers and of anything. *)
let rec gcd p = let a, b = p in if b = 0 then a else gcd (b, a mod b)
let rec fib p n = if n = 0 then p else let a, b = p in fib (b, (a + b) land 0xffffff) (n - 1)
let rec zip p n = if n = 0 then p else let a, b = p in zip (string_of_int n :: b, a) (n - 1)

(* What is read behind the test need not be there if the test fails. *)
let guarded c0 n f =
  let z = ref c0 and k = ref 0 in
  (try
    while !k < n && norm2 !z < 4. do
      if !k = 37 then raise Exit;
      z := { re = norm2 !z +. f !k; im = 2. *. !z.re *. !z.im +. c0.im };
      incr k
    done
  with Exit -> k := - !k);
  !k

(* Mutable records are others each time. *)
type m = { mutable a : float; mutable b : float }
let mutated m0 n =
  let m = ref m0 and k = ref 0 in
  while !k < n && !m.a < 100. do
    let x = !m.a in
    m0.b <- m0.b +. 1.;
    m := { a = x +. !m.b; b = !m.b *. 0.5 };
    incr k
  done;
  !k

let () =
  let pts = Array.init 64 (fun i -> { re = float (i land 7) /. 4. -. 1.5; im = float (i / 8) /. 4. -. 1. }) in
  let l = Array.to_list pts in
  Array.iter (fun c -> Printf.printf "%d %d " (iter c 100) (it c c 0 100)) pts;
  print_newline ();
  let show c = Printf.printf "(%g, %g) " c.re c.im in
  let p = pts.(3) in
  show (sum p l); show (sum_array p pts); show (kept p l);
  let s, n = last_sum p 0 (List.filter (fun p -> p.re > -1.) l) in
  show s; print_int n;
  Printf.printf " %b %b %b %b\n" (sum p [] == p) (sum_array p [||] == p) (kept p [ pts.(0) ] == p)
    (fst (last_sum p 0 l) == p);
  let pair = (3, 5) in
  Printf.printf "%d %b %d\n" (gcd (360, 84)) (fib pair 0 == pair) (snd (fib pair 50));
  let a, b = zip ([], [ "x" ]) 7 in
  print_endline (String.concat "," a ^ ";" ^ String.concat "," b);
  Printf.printf "%d " (guarded (Obj.magic 0) 0 float);
  Array.iter (fun c -> Printf.printf "%d " (guarded c 60 (fun k -> if k land 1 = 0 then 0.1 else -0.1))) pts;
  print_newline ();
  let m = { a = 1.; b = 2. } in
  Printf.printf "%d %g %g\n" (mutated m 20) m.a m.b
