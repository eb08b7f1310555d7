(* flags: -w -a *)
(* Evaluation order in classes, methods and inheritance. *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
class base x y = let z = t "base-let" (x + y) in object (self)
  val a = t "base.a" x
  val mutable b = t "base.b" z
  method get = t "get" (a + b)
  method set v = b <- t "set" v
  initializer t "base-init" (); b <- b + 1
end
class derived k = let u = t "derived-let" k in object (self)
  inherit base (t "arg1" u) (t "arg2" 2) as super
  val c = t "derived.c" 3
  method! get = t "dget" (super#get + c)
  initializer t "derived-init" (); print_int self#get; print_char ' '
end
class virtual shape = object (self) method virtual area : float method show = Printf.sprintf "%g" self#area initializer t "shape-init" () end
class sq s = object inherit shape method area = s *. s initializer t "sq-init" () end
let () =
  let o = new derived (t "k" 1) in nl ();
  (o#set (t "v" 9)); print_int o#get; nl ();
  print_string (new sq 2.)#show; nl ();
  let p = object method m a b = t "m" (a - b) method self = t "self" 1 end in
  print_int (p#m (t "a" 5) (t "b" 3)); nl ();
  let q = object (s) val n = t "n" 1 method next = t "copy" {< n = t "n+" (n + 1) >} method n = n end in
  print_int q#next#next#n; nl ();
  let mk = new derived in print_string "partial "; ignore (mk 4); nl ();
  let f = o#get in print_int f; nl ();
  let g = o#set in print_string "bound "; g (t "gv" 2); nl ();
  let class_local = object inherit base (t "x" 1) (t "y" 2) end in print_int class_local#get; nl ()
