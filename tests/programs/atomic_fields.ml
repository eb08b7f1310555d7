(* ocaml: >= 5.4, which has atomic fields, labelled tuples and immutable arrays *)
(* flags: -w -a *)
let o = Sys.opaque_identity
let p fmt = Printf.printf (fmt ^^ "\n%!")
type 'a cell = { id : int; mutable count : int [@atomic]; mutable value : 'a [@atomic]; mutable plain : float }
let rec add c n = let old = c.count in if not (Atomic.Loc.compare_and_set [%atomic.loc c.count] old (old + n)) then add c n
let () =
  let c = { id = 1; count = 0; value = "a"; plain = 0.5 } in
  let ds = List.init 4 (fun i -> Domain.spawn (fun () -> for _ = 1 to 20_000 do add c (i + 1) done)) in
  List.iter Domain.join ds;
  p "%d %s %g" c.count c.value c.plain;
  c.value <- "b"; c.plain <- 1.5;
  let old = Atomic.Loc.exchange [%atomic.loc c.value] "c" in
  let n = Atomic.Loc.fetch_and_add [%atomic.loc c.count] 5 in
  p "%s %s %d %d %g" old c.value n c.count c.plain
(* A record that stays local, with an atomic field. *)
let local n = let c = { id = n; count = n; value = float n; plain = 0. } in
  c.count <- c.count + 1; c.plain <- c.value +. 1.; c.value <- c.plain; (c.count, c.value)
let () = let a, b = local (o 4) in p "%d %g" a b
(* Waiting for an atomic field. *)
let () =
  let c = { id = 0; count = 0; value = []; plain = 0. } in
  let d = Domain.spawn (fun () -> while c.count = 0 do () done; c.plain) in
  c.plain <- 2.5; c.count <- 1;
  p "%g" (Domain.join d)
(* Labelled tuples, immutable arrays, lazy blocks. *)
let split n = ~quot:(n / 7), ~rem:(n mod 7)
let () =
  let ~quot, ~rem = split (o 45) in p "%d %d" quot rem;
  let a = [| 1; 2; 3 |] in
  let ia : int Iarray.t = Iarray.of_array a in
  p "%d" (Iarray.fold_left ( + ) 0 ia);
  let l = lazy (o 3 + 4) and f = lazy (o 5) and k = lazy 6 in
  p "%d %d %d %b" (Lazy.force l) (Lazy.force f) (Lazy.force k) (Lazy.is_val l);
  let rec xs = lazy (1 :: Lazy.force ys) and ys = lazy [ 2 ] in p "%d" (List.length (Lazy.force xs))
