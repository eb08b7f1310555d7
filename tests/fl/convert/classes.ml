(* What inherits has a record of its own; a method that two classes share is called once, by either record. *)
class a = object (self) method m = self#n method n = 1 end
class b = object inherit a method! n = 2 end
let call (o : a) = o#m
let both (o : a) = o#n
