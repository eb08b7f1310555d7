(* flags: -w -a *)
(* soundness 44: known functions called at another arity or type through Obj.magic. *)
let add2 = fun x -> fun y -> x + y
let curried x = if x > 0 then fun y -> x - y else fun y -> x * y
let id x = x
let tup (a, b) = a + b
let three a b c = a + (10 * b) + (100 * c)
let () =
  Printf.printf "%d\n" ((Obj.magic curried : int -> int -> int) 5 3);
  Printf.printf "%d\n" ((Obj.magic add2 : int -> int -> int) 5 3);
  Printf.printf "%d\n" ((Obj.magic id : (int -> int -> int) -> int -> int -> int) (fun a b -> a * b) 6 7);
  let f : Obj.t -> Obj.t = Obj.magic three in
  let g : Obj.t -> Obj.t = Obj.magic (f (Obj.repr 1)) in
  let h : Obj.t -> Obj.t = Obj.magic (g (Obj.repr 2)) in
  Printf.printf "%d\n" (Obj.magic (h (Obj.repr 3)));
  let t : Obj.t -> int = Obj.magic tup in
  Printf.printf "%d\n" (t (Obj.repr (3, 4)));
  let apply (f : Obj.t) args = List.fold_left (fun f a -> (Obj.magic f : Obj.t -> Obj.t) a) f args in
  Printf.printf "%d\n" (Obj.magic (apply (Obj.repr three) [ Obj.repr 4; Obj.repr 5; Obj.repr 6 ]));
  let r : Obj.t = apply (Obj.repr (fun a b -> a ^ string_of_int b)) [ Obj.repr "x"; Obj.repr 1 ] in
  print_endline (Obj.obj r);
  let unused : type a. a -> int = fun _ -> 3 in
  Printf.printf "%d %d\n" (unused 1.) ((Obj.magic unused : string -> int) "s")
