(* flags: -w -a *)
(* Immediate objects, polymorphic methods, classes in functors and local modules, first-class use, coercions, comparison, closures over self. *)
module Mk (X : sig type t val zero : t val add : t -> t -> t val s : t -> string end) = struct class acc = object (self) val mutable v = X.zero method add x = v <- X.add v x; self method show = X.s v end let make () = new acc end
module I = Mk (struct type t = int let zero = 0 let add = ( + ) let s = string_of_int end)
module S = Mk (struct type t = string let zero = "" let add = ( ^ ) let s x = x end)
let poly = object method id : 'a. 'a -> 'a = fun x -> x method map : 'a 'b. ('a -> 'b) -> 'a list -> 'b list = List.map end
class obs = object (self) val mutable hs : (int -> unit) list = [] method on h = hs <- h :: hs method fire n = List.iter (fun h -> h n) (List.rev hs) method self_handler = let k = 100 in self#on (fun n -> if n < 3 then self#fire (n + k)) end
let local n = let module M = struct class c = object val v = n method v = v method up = {< v = v + 1 >} end end in (new M.c)#up#up#v
class ['a, 'b] pair (a : 'a) (b : 'b) = object method fst = a method snd = b method swap = new pair b a end
and init_order = object val a = (print_string "a "; 1) initializer print_string "i1 " val b = (print_string "b "; 2) initializer print_string "i2 " method s = a + b end
let widen (o : < a : int; b : int >) = (o :> < a : int >)
class virtual ['s] observer = object method virtual notify : 's -> unit end
class log = let buf = Buffer.create 10 in object inherit [string] observer method notify s = Buffer.add_string buf s method get = Buffer.contents buf end
class node v = object val mutable kids : node list = [] method add (n : node) = kids <- n :: kids method sum : int = List.fold_left (fun a k -> a + k#sum) v kids end
let meth_as_fun o = List.map o#add [ 1; 2; 3 ]
let opt_m (o : < m : ?x:int -> int -> int >) = o#m ?x:None 1 + o#m ~x:5 1
let () =
  print_endline ((((I.make ())#add 1)#add 2)#show ^ ((new S.acc)#add "x")#show); Printf.printf "%d %s %d\n" (poly#id 3) (poly#id "s") (List.length (poly#map string_of_int [ 1; 2 ]));
  let o = new obs in o#on (Printf.printf "%d "); o#self_handler; o#fire 1; o#fire 5; print_newline (); Printf.printf "%d %d\n" (local 5) (new pair 1 2)#swap#snd; let i = new init_order in Printf.printf "%d\n" i#s;
  let w = object method a = 1 method b = 2 end in Printf.printf "%d %b %b\n" (widen w)#a (widen w = (w :> < a : int >)) (w = object method a = 1 method b = 2 end);
  let l = new log in List.iter (fun (ob : string observer) -> ob#notify "hi ") [ (l :> string observer); (l :> string observer) ]; print_endline l#get; let n = new node 1 in n#add (new node 2); let m = new node 3 in m#add n; m#add n; Printf.printf "%d\n" m#sum;
  List.iter (Printf.printf "%d ") (meth_as_fun (object val mutable t = 0 method add x = t <- t + x; t end)); Printf.printf "%d\n" (opt_m (object method m ?(x = 2) y = x + y end));
  let mk k = object (self) method get = k method self = self method cmp o = compare self#get o#get end in Printf.printf "%d %d\n" ((mk 1)#cmp (mk 2)) (mk 7)#self#self#get; Hashtbl.hash (Oo.id w) |> ignore; let arr = Array.init 5 (fun i -> object method v = i * i end) in Printf.printf "%d\n" (Array.fold_left (fun a o -> a + o#v) 0 arr);
  (match (object method private p = 1 method q = 2 end)#q with 2 -> print_endline "private" | _ -> ()); let r = ref (object method x = 1 end) in let old = !r in r := object method x = old#x + 1 end; Printf.printf "%d\n" !r#x
