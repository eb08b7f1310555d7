(* flags: -w -a *)
(* Recursive definitions that mention their variables only in what nothing is made of: the type checker lets them pass,
   and what they see must be fit for the GC (ocaml#7718). *)
let o = Sys.opaque_identity
let itself n =
  let rec b = let x = (b, b) in let x = [| x; x; x; x; x; x; x; x |] in let _y = ref x in 42 in
  b + n
let constant () = let rec b = let _y = ref (b, [ b ]) in 42 in b
let with_function k =
  let rec f = fun x -> x + k and y = let z = (f, g) in Gc.minor (); let _y = ref z in 7 and g = fun x -> if x > 9 then x else f (g (x + 5)) in
  f (g y)
let with_block k =
  let rec l = k :: l and y = let _z = ref (l, h) in 7 and h () = List.hd l + y in
  h () + List.nth l 4
let rec top = fun x -> x + 1 and unused = let z = (top, 1) in let _y = ref z in 42
let () =
  Gc.full_major ();
  for i = 1 to 1000 do ignore (o (itself i)) done;
  Printf.printf "%d %d %d %d %d\n" (itself 3) (constant ()) (with_function (o 2)) (with_block (o 4)) (top unused);
  Gc.compact ();
  Printf.printf "%d %d\n" (with_function (o 5)) (with_block (o 6))
