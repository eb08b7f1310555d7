(* Functions that are chosen, held in variables of loops and handlers, and called: each is one of several that the
   compiler knows (features E1). What they capture must come with the right one. *)

let opaque = Sys.opaque_identity
let log fmt = Printf.printf (fmt ^^ "\n")

let[@inline never] twice c a b =
  let f = if c then fun x -> x + a else fun x -> x * b in
  f 3 + f 4

let[@inline never] four n a b =
  let f =
    match n with
    | 0 -> fun x -> x + a
    | 1 -> fun x -> x - b
    | 2 -> fun x -> (x * a) + b
    | _ -> fun x -> x land b
  in
  let g = if n land 1 = 0 then f else fun x -> f x + 1 in
  (f 10, g 20)

let[@inline never] five n a =
  let f =
    match n with
    | 0 -> fun x -> x + a
    | 1 -> fun x -> x - a
    | 2 -> fun x -> x * a
    | 3 -> fun x -> x lor a
    | _ -> fun x -> x lxor a
  in
  f 10 * f 3

(* One that is known, and one that is not. *)
let[@inline never] or_unknown c a g =
  let f = if c then fun x -> x + a else g in
  f 1 + f 2

(* It is called and kept. *)
let[@inline never] kept c a b =
  let f = if c then fun x -> x + a else fun x -> x * b in
  let r = f 5 in
  (r, f)

let[@inline never] looped n a =
  let f = ref (fun x -> x + a) and s = ref 0 in
  for i = 1 to n do
    if i land 3 = 0 then f := (fun x -> x * i) else if i land 3 = 1 then f := (fun x -> x - i);
    s := !s + !f i
  done;
  !s

(* Nothing is known of the function with which the loop begins. *)
let[@inline never] looped_from g n a =
  let f = ref g and s = ref 0 in
  for i = 1 to n do
    s := !s + !f i;
    if i land 1 = 0 then f := (fun x -> x * i) else f := fun x -> x + a
  done;
  !s

(* The function is of an option, which is empty at first. *)
let[@inline never] late n a =
  let f = ref None and s = ref 0 in
  for i = 1 to n do
    (match !f with None -> s := !s - 1 | Some f -> s := !s + f i);
    if i mod 3 = 0 then f := Some (fun x -> x + a) else if i mod 3 = 1 then f := Some (fun x -> x * i)
  done;
  !s

exception Stop of int

let[@inline never] in_handler n a =
  let f = ref (fun x -> x + a) and s = ref 0 in
  (try
     for i = 1 to n do
       if i = 3 then f := (fun x -> x * i);
       if i = 6 then f := (fun _ -> raise (Stop i));
       s := !s + !f i
     done
   with Stop i -> s := !s + (i * 1000));
  !s + (try !f 7 with Stop i -> i)

let[@inline never] arities c a =
  let f = if c then fun x y -> x + (y * a) else fun x -> log "first"; fun y -> x - (y * a) in
  let g = f 1 in
  g 2 + f 3 4

let[@inline never] over c a =
  let f = if c then fun x -> (fun y -> x + y + a) else fun x -> (fun y -> (x * y) + a) in
  f 1 2 + f 3 4

let[@inline never] tuples c a =
  let f = if c then fun (x, y) -> x + (y * a) else fun (x, y) -> (x * a) - y in
  f (1, 2) + f (opaque (3, 4))

let[@inline never] mutual c a n =
  let rec even x = if x = 0 then a else odd (x - 1) and odd x = if x = 0 then -a else even (x - 1) in
  let f = if c then even else odd in
  f n + f (n + 1)

let[@inline never] floats c a b =
  let f = if c then fun x -> x +. a else fun x -> x *. b in
  f 1.5 +. f 2.5

let[@inline never] same c a =
  let f = if c then fun x -> x + a else fun x -> x - a in
  let g = if c then f else opaque f in
  (f == g, f 1 + g 1)

let[@inline never] stdlib c l =
  let f = if c then succ else pred in
  List.map f l

let[@inline never] order c a =
  let f = if c then fun x y -> log "plus"; x + y + a else fun x y -> log "minus"; x - y - a in
  let r = f (log "left"; 1) (log "right"; 2) in
  r + f 1 1

let[@inline never] refs c =
  let n = ref 0 in
  let f = if c then fun x -> n := !n + x; !n else fun x -> n := !n - x; !n in
  let a = f 1 in
  let b = f 2 in
  (a, b, !n)

let () =
  let truths = [ true; false ] in
  List.iter
    (fun c ->
      log "%d %d %d" (twice c 5 6) (or_unknown c 7 (opaque (fun x -> x * 100))) (arities c 8);
      let r, f = kept c 9 10 in
      log "%d %d %d %d" r (f 1) (over c 11) (tuples c 12);
      log "%d %d" (mutual c 13 4) (int_of_float (floats c 1.25 8.));
      let is, s = same c 14 in
      log "%b %d" is s;
      List.iter (log "%d") (stdlib c [ 1; 2; 3 ]);
      log "%d" (order c 15);
      let a, b, n = refs c in
      log "%d %d %d" a b n)
    truths;
  for n = 0 to 5 do
    let a, b = four n 17 6 in
    log "%d %d %d" a b (five n 18)
  done;
  log "%d %d %d %d" (looped 20 3) (looped_from (opaque (fun x -> -x)) 20 4) (late 20 5) (in_handler 10 6)
