(* flags: -w -a *)
(* Classes: inheritance, virtual, multiple inheritance, super, private, self types, binary methods, overriding values. *)
class virtual shape name = object (self) val name : string = name val mutable count = 0 method virtual area : float method private bump = count <- count + 1 method describe = self#bump; Printf.sprintf "%s %g #%d" name self#area count end
class square s = object inherit shape "square" method area = s *. s end
class rect w h = object (self) inherit shape "rect" as super method area = w *. h method! describe = "<" ^ super#describe ^ ">" method scale k = new rect (w *. k) (h *. k) end
class named n = object val mutable nm : string = n method nm = nm method set_nm s = nm <- s method who = "named " ^ nm end
class aged a = object val age : int = a method age = age method who = "aged " ^ string_of_int age end
class person n a = object (self) inherit named n as n inherit aged a as g method! who = n#who ^ "/" ^ g#who ^ "/" ^ self#nm end
class ['a] stack = object (self : 'self) val mutable l : 'a list = [] method push x = l <- x :: l method pop = match l with [] -> None | x :: r -> l <- r; Some x method map_push f = List.iter (fun x -> self#push (f x)) l; self method size = List.length l method copy : 'self = {< l = l >} end
class ['a] counted = object inherit ['a] stack as super val mutable n = 0 method! push x = n <- n + 1; super#push x method n = n end
class virtual comparable = object (self : 'a) method virtual cmp : 'a -> int method gt (o : 'a) = self#cmp o > 0 method max (o : 'a) = if self#gt o then self else o end
class money (v : int) = object (_ : 'a) inherit comparable method v = v method cmp (o : 'a) = compare v o#v method add (o : 'a) = {< >}#v + o#v end
class counter = let total = ref 0 in fun step -> object val mutable n = 0 method tick = n <- n + step; total := !total + step; n method total = !total end
class point x y = object (s : 's) val x = x val y = y method x = x method y = y method move dx dy = {< x = x + dx; y = y + dy >} method eq (p : 's) = p#x = x && p#y = y end
class cpoint x y (c : string) = object (s : 's) inherit point x y as super method c = c method! eq (p : 's) = super#eq p && p#c = c end
class type printable = object method print : string end
class a = object (self) method f = self#g ^ "a" method g = "ga" end class b = object inherit a as super method! g = "gb" ^ super#g end class c = object (self) inherit b as super method! f = super#f ^ "c" method h = self#f ^ super#g end
let () =
  List.iter (fun (s : shape) -> print_endline s#describe; print_endline s#describe) [ (new square 2. :> shape); (new rect 2. 3. :> shape); ((new rect 1. 1.)#scale 4. :> shape) ];
  let p = new person "bob" 30 in p#set_nm "rob"; print_endline p#who; let s = new counted in s#push 1; s#push 2; let t = (s#map_push (fun x -> x * 10))#copy in ignore s#pop; Printf.printf "%d %d %d %d %s\n" s#size t#size s#n t#n (match s#pop with Some n -> string_of_int n | None -> "-");
  let m = (new money 5)#max (new money 9) in Printf.printf "%d %d %b\n" m#v (m#add (new money 1)) ((new money 1)#gt m); let c1 = new counter 1 and c2 = new counter 10 in ignore c1#tick; ignore c2#tick; ignore c1#tick; Printf.printf "%d %d %d\n" c1#tick c2#tick c1#total;
  let q = new cpoint 1 2 "red" in let r = (q#move 1 1)#move (-1) (-1) in Printf.printf "%b %b %d %d\n" (q#eq r) (q#eq (q#move 0 1)) (q#move 5 6)#x r#y; Printf.printf "%s %s %s\n" (new c)#f (new c)#h (new b)#f;
  let pr : printable = object (self) val k = 3 method print = string_of_int (k + 1) end in print_endline pr#print; let rec lst = [ object method v = 1 end; object method v = 2 end ] in Printf.printf "%d\n" (List.fold_left (fun a o -> a + o#v) 0 lst)
