(* flags: -w -a *)
(* Allocations that sink into one branch past reads of mutable fields: each stands before what uses it. *)
type m = { mutable p : int; mutable q : int }
let nested h c m z = let inner = (z, z) in let p = m.p in let outer = (p, inner) in if c then h outer else p
let three h c m z =
  let a = (z, z) in let p = m.p in let b = (p, a) in let q = m.q in let d = (q, b, a) in
  if c then h (fst (snd b), d) else p + q
let closures h c m z =
  let add x = x + fst z in let p = m.p in let pair = (p, add) in let q = m.q in
  if c then h (q, pair) else q - p
let read_in_branch h c m z =
  let inner = (z, z) in let p = m.p in let outer = (p, inner) in
  if c then (let q = m.q in h (outer, q)) else p
let in_loop h m n =
  let s = ref 0 in
  for i = 1 to n do
    let inner = (i, i) in let p = m.p in let outer = (p, inner) in
    m.p <- p + 1;
    if i land 1 = 0 then s := !s + h outer else s := !s + p
  done;
  !s
let some h c m z =
  let inner = Some z in let p = m.p in let outer = Ok (inner, p) in
  match c with 0 -> h outer | 1 -> p | _ -> p + m.q
let o = Sys.opaque_identity
let () =
  let m = { p = 3; q = 5 } in
  let h (p, (a, b)) = p + a + b in
  Printf.printf "%d %d\n" (nested (o h) (o true) m 4) (nested (o h) (o false) m 4);
  Printf.printf "%d %d\n" (three (o (fun (x, (q, (p, _), (a, _))) -> x + q + p + a)) (o true) m 2) (three (o (fun _ -> 0)) (o false) m 2);
  Printf.printf "%d %d\n" (closures (o (fun (q, (p, f)) -> f (q * p))) (o true) m (1, 2)) (closures (o (fun _ -> 0)) (o false) m (1, 2));
  Printf.printf "%d\n" (read_in_branch (o (fun ((p, (a, _)), q) -> p + a + q)) (o true) m 7);
  Printf.printf "%d\n" (in_loop (o h) m 6);
  Printf.printf "%d %d\n" (some (o (function Ok (Some z, p) -> z + p | _ -> 0)) (o 0) m 9) (some (o (fun _ -> 0)) (o 2) m 9)
