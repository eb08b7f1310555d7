(* flags: -w -a *)
(* bytecode: no, ocamlc -g loses the tail call of `let x = f a in x` *)
(* `let x = f a in x` is a tail call in native code, at -g too; through known, unknown and nested forms. *)
let o = Sys.opaque_identity
let n = 1_000_000
let rec a i = if i = 0 then "a" else let r = a (i - 1) in r
let rec b i = if i = 0 then "b" else let r = (o b) (i - 1) in r
let rec c i acc = match i land 3 with 0 when i = 0 -> acc | 0 -> let x = c (i - 1) (acc + 1) in x | 1 -> let x = (let y = c (i - 1) acc in y) in x | _ -> let x = if i land 1 = 0 then c (i - 1) acc else d (i - 1) acc in x
and d i acc = let x = c i (acc + 2) in x
let rec e i = if i = 0 then 0.5 else let r = e (i - 1) in r
let rec f (i, s) = if i = 0 then s else let r = f (i - 1, s + 1) in r
let () =
  Printf.printf "%s %s\n" (a n) (b n);
  Printf.printf "%d %g %d\n" (c n 0) (e n) (f (n, 0))
