(* flags: -w -a *)
(* Recursive modules with functions and values; recursive classes and objects. *)
module rec Even : sig val is : int -> bool val name : unit -> string end = struct let is n = n = 0 || Odd.is (n - 1) let name () = "even" ^ Odd.suffix () end
and Odd : sig val is : int -> bool val suffix : unit -> string end = struct let is n = n <> 0 && Even.is (n - 1) let suffix () = "/odd" end
module rec Tree : sig type t = Leaf of int | Node of Forest.t val sum : t -> int end = struct type t = Leaf of int | Node of Forest.t let sum = function Leaf n -> n | Node f -> Forest.sum f end
and Forest : sig type t = Tree.t list val sum : t -> int end = struct type t = Tree.t list let sum l = List.fold_left (fun a t -> a + Tree.sum t) 0 l end
module rec S : sig module T : Set.S with type elt = K.t end = struct module T = Set.Make (K) end
and K : sig type t = Atom of string | Set of S.T.t val compare : t -> t -> int end = struct type t = Atom of string | Set of S.T.t let compare a b = match a, b with Atom x, Atom y -> compare x y | Atom _, Set _ -> -1 | Set _, Atom _ -> 1 | Set x, Set y -> S.T.compare x y end
module rec Bad : sig val x : unit -> int val f : unit -> int end = struct let f () = Bad.x () + 1 let x = let k = f in fun () -> 3 end
module F (X : sig val v : int end) = struct module rec A : sig val f : int -> int end = struct let f n = if n = 0 then X.v else B.g (n - 1) end and B : sig val g : int -> int end = struct let g n = if n = 0 then - X.v else A.f (n - 1) end end
module F5 = F (struct let v = 5 end)
class node (v : int) = object (self) val mutable next : node option = None method v = v method set n = next <- Some n method next = next method sum k : int = if k = 0 then 0 else v + (match next with None -> 0 | Some n -> n#sum (k - 1)) end
and ring n = object (self) val mutable first = new node 0 method build = let last = ref first in for i = 1 to n do let x = new node i in !last#set x; last := x done; !last#set first; first method copy = new ring (n + 1) end
let make () = let rec tbl = [ (fun n -> object method m = if n = 0 then "end" else (List.hd tbl (n - 1))#m ^ "." end) ] in (List.hd tbl 3)#m
let () =
  Printf.printf "%b %b %s\n" (Even.is 100) (Odd.is 100) (Even.name ());
  Printf.printf "%d\n" (Tree.sum (Tree.Node [ Tree.Leaf 1; Tree.Node [ Tree.Leaf 2; Tree.Leaf 3 ]; Tree.Node [] ]));
  let s = S.T.of_list [ K.Atom "b"; K.Set (S.T.singleton (K.Atom "x")); K.Atom "a"; K.Atom "b"; K.Set S.T.empty ] in
  Printf.printf "%d %b\n" (S.T.cardinal s) (S.T.mem (K.Set S.T.empty) s);
  Printf.printf "%d %d\n" (Bad.f ()) (Bad.x ());
  Printf.printf "%d %d\n" (F5.A.f 4) (F5.A.f 5);
  let n = (new ring 3)#build in Printf.printf "%d %d\n" (n#sum 4) (n#sum 9);
  Printf.printf "%d\n" ((new ring 1)#copy#build#sum 6);
  print_endline (make ());
  let module R = struct module rec A : sig val v : int Lazy.t val f : int -> int end = struct let v = lazy (B.w + 1) let f n = n + 1 end and B : sig val w : int end = struct let w = 10 end end in
  Printf.printf "%d %d\n" (Lazy.force R.A.v) (R.A.f 1);
  match let module M = struct module rec A : sig val x : int val f : unit -> int end = struct let x = B.g () let f () = 1 end and B : sig val g : unit -> int end = struct let g () = A.f () end end in M.A.x with
  | n -> Printf.printf "%d\n" n | exception Undefined_recursive_module _ -> print_endline "undefined"
