(* Partial applications of functions that are known only after inlining (features D3): their arguments are evaluated
   once, in the order in which they were, and what they capture is what it was. *)

let opaque = Sys.opaque_identity
let log fmt = Printf.printf (fmt ^^ "\n%!")
let[@inline] ap f a b = f a b
let[@inline] one f a = f a
let[@inline] compose f g x = f (g x)

let[@inline never] full x = ap (fun a b c -> (a * b) + c) x 3 4
let[@inline never] kept x = ap (fun a b c -> (a * b) + c) x 3
let[@inline never] captured x y = one (fun a b -> (a * x) + (b * y)) 5

let[@inline never] effects x =
  let f = one (fun a b -> log "called %d %d" a b; a + b) (log "argument"; x) in
  log "between";
  f 1 + f 2

let[@inline never] five x = ap (fun a b c d e -> a + (2 * b) + (3 * c) + (4 * d) + (5 * e)) x 1
let rec down f n = if n = 0 then f 0 else f n + down f (n - 1)
let[@inline never] recursive x = one down (fun y -> x + y)
let[@inline never] raises x = one (fun a b -> if b = 0 then raise Not_found else a / b) x
let[@inline never] tuple x = one (fun a (b, c) -> a + (b * c)) x
let[@inline never] floats x = one (fun a b -> a +. b) x
let[@inline never] labels x = ap (fun a b ~c -> a - b - c) x 1
let[@inline never] lists l x = List.map (one (fun a b -> a + b) x) l
let[@inline never] chain x = compose (one ( + )) (one ( * ) 2) x
let[@inline never] choose c x = one (if c then fun a b -> a + b else fun a b -> a - b) x

let[@inline never] mutated x =
  let r = ref x in
  let f = one (fun a b -> !r + a + b) 1 in
  r := 100;
  f 2

let[@inline never] same x =
  let f = one (fun a b -> a + b + x) x in
  (f == f, f 1)

let () =
  log "%d %d" (full 5) (kept 6 7);
  log "%d" (captured 2 3 4);
  log "%d" (effects 10);
  log "%d %d" (five 1 2 3 4) ((five 1 2) 3 4);
  let g = five 9 in
  let h = g 1 in
  log "%d %d" (h 2 3) ((opaque h) 4 5);
  log "%d" (recursive 3 4);
  log "%d %s" (raises 6 2) (try string_of_int (raises 6 0) with Not_found -> "none");
  log "%d %g" (tuple 2 (3, 4)) (floats 1.5 2.5);
  log "%d" (labels 10 ~c:3);
  List.iter (log "%d") (lists [ 1; 2 ] 5);
  log "%d %d %d" (chain 5 6) (choose true 3 4) (choose false 3 4);
  log "%d" (mutated 7);
  let a, b = same 4 in
  log "%b %d" a b
