(* Sends: the object, then the method, then the arguments. *)
let call o x = o#m x
class c = object (self) method m x = self#n (x + 1) method n x = x end
