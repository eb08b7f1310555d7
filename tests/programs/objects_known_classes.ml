(* Calls of methods of classes that are in sight, in all the ways in which the class may be another one after all. *)

let show name n = Printf.printf "%s %d\n" name n

(* Inheritance, [self], [super], overriding, virtual and private methods. *)
class counter =
  object (self)
    val mutable x = 0
    method get = x
    method add n =
      x <- x + n;
      if self#get > 100 then self#reset
    method private bump n = self#add (n * 2)
    method twice n =
      self#bump n;
      self#bump n
    method reset = x <- 0
  end

class noisy =
  object (self)
    inherit counter as super
    val mutable resets = 0
    method! get = super#get + 1
    method! reset =
      resets <- resets + 1;
      super#reset
    method! private bump n = super#add (n + self#resets)
    method resets = resets
  end

class third = object
  inherit noisy
  method! resets = -1
end

let run (c : counter) n =
  for i = 1 to n do
    c#add (i land 7);
    c#twice i
  done;
  c#get

let () =
  let c = new counter and n = new noisy and t = new third in
  for i = 1 to 3 do
    show "counter" (run c (10 * i));
    show "noisy" (run (n :> counter) (10 * i));
    show "third" (run (t :> counter) (10 * i));
    show "resets" (n#resets + t#resets)
  done;
  (* Objects of no class that is in sight as the calls are compiled. *)
  let strange =
    object
      method get = 1000
      method add (_ : int) = print_string "+"
      method twice (_ : int) = print_string "*"
      method reset = ()
    end
  in
  show "strange" (run strange 3);
  let copy = Oo.copy c in
  copy#add 5;
  show "copy" (copy#get - c#get)

(* The same method inherited by several classes, multiple inheritance, the last definition wins. *)
class virtual named = object (self)
  method virtual name : string
  method hello = "hello " ^ self#name
  method rank = 1
end

class virtual ranked = object
  method rank = 2
end

class one = object
  inherit named
  inherit ranked
  method name = "one"
end

class two = object
  inherit ranked
  inherit named
  method name = "two"
end

(* Defined, then overridden by what is inherited after it. *)
class overridden = object
  method rank = 7
  method name = "seven"
  inherit two [@@warning "-7"]
end
[@@warning "-7"]

let describe (o : named) = Printf.printf "%s %d\n" o#hello o#rank

let () =
  List.iter describe [ (new one :> named); (new two :> named); (new overridden :> named) ];
  for i = 0 to 5 do
    describe (if i land 1 = 0 then new one else new two)
  done

(* Polymorphic methods and classes with parameters. *)
class ['a] box (init : 'a) = object (self)
  val mutable v = init
  val mutable writes = 0
  method v = v
  method set w = v <- w; writes <- writes + 1
  method update f = self#set (f self#v)
  method map : 'b. ('a -> 'b) -> 'b = fun f -> f v
  method writes = writes
end

let () =
  let b = new box 1.5 and s = new box "a" in
  for i = 1 to 10 do
    b#update (fun x -> x *. 1.5);
    s#update (fun x -> x ^ string_of_int i)
  done;
  Printf.printf "%.3f %s %d %d %d\n" b#v s#v (b#map int_of_float) (s#map String.length) (b#writes + s#writes)

(* [self] escapes in an initialiser, before the object of a class that inherits is complete. *)
let registered : < id : int > list ref = ref []

class registered id = object (self)
  val mutable seen = 0
  initializer registered := (self :> < id : int >) :: !registered
  initializer seen <- self#id
  method id : int = id
  method seen = seen
end

class shifted id = object
  inherit registered id as super
  method! id = super#id + 100
end

let () =
  let r = new registered 1 and s = new shifted 2 in
  show "seen" (r#seen + s#seen);
  List.iter (fun o -> show "id" o#id) !registered

(* Immediate objects and local classes: each evaluation of a functor has classes of its own. *)
let point x = object (self)
  val mutable x = x
  method x = x
  method move d = x <- x + d
  method norm = self#x * self#x
end

module Make (K : sig val k : int end) = struct
  class scaled n = object (self)
    method n = n
    method get = self#n * K.k
  end
  let make n = new scaled n
  let get (o : scaled) = o#get
  let both (o : scaled) = o#get + o#n
end

module A = Make (struct let k = 3 end)
module B = Make (struct let k = 5 end)

let local k =
  let module M = struct
    class c = object (self) method a y = self#b y + k  method b y = y * k end
  end in
  new M.c

let () =
  let p = point 3 and q = point 4 in
  for i = 1 to 4 do p#move i; q#move (-i); show "norm" (p#norm + q#norm) done;
  let a = A.make 7 and b = B.make 7 in
  show "functor" (A.get a + B.get b + A.both a + B.both b);
  show "subtyped" (A.get (object method n = 1 method get = 50 end));
  let l = local 2 and m = local 3 in
  show "local" ((l#a 10 * 1000) + m#a 10);
  show "again" ((l#a 10 * 1000) + m#a 10)

(* Recursion through methods, of which some are tail calls; exceptions; methods that return functions. *)
class walker = object (self)
  val mutable steps = 0
  method down n = if n = 0 then steps else (steps <- steps + 1; self#up (n - 1))
  method up n = if n = 0 then -steps else self#down (n - 1)
  method sum l = match l with [] -> 0 | x :: r -> x + self#sum r
  method find (p : int -> bool) l = match l with [] -> raise Not_found | x :: r -> if p x then x else self#find p r
  method adder = let k = steps in fun x -> x + k
end

class lazy_walker = object inherit walker as super  method! up n = super#up (n / 2) end

let () =
  let w = new walker and l = (new lazy_walker :> walker) in
  List.iter
    (fun w ->
      show "down" (w#down 100_000);
      show "sum" (w#sum [ 1; 2; 3 ]);
      show "find" (try w#find (fun x -> x > 5) [ 1; 2; 3 ] with Not_found -> -1);
      show "adder" (w#adder 1))
    [ w; l; w ]

(* Classes that are defined together, and one that is rebound. *)
class left = object (self) method next : right = new right method n = self#next#n - 1 end
and right = object method n = 42 end

class renamed = left

let () = show "renamed" ((new renamed)#n + (new left)#n)

(* An object whose table another runtime function made: marshalled with its closures. *)
let () =
  let c = new counter in
  c#add 9;
  let d : counter = Marshal.from_string (Marshal.to_string c [ Marshal.Closures ]) 0 in
  d#add 1;
  show "marshalled" (d#get + c#get);
  let e : counter = Obj.obj (Obj.dup (Obj.repr c)) in
  e#add 1;
  show "duplicated" (e#get + c#get)

(* Called before its class exists: the toplevel is not done. *)
let early : (< m : int -> int > -> int) ref = ref (fun _ -> 0)
let call o = let t = ref 0 in for i = 1 to 3 do t := !t + o#m i done; !t
let () = early := call
let () = show "before" (!early (object method m i = i end))

class late = object (self) method m i = self#twice i  method twice i = 2 * i end

let () = show "after" (!early (new late :> < m : int -> int >))
let () = show "other" (!early (object method m i = i end))
