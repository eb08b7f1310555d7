class counter = object (self)
  val mutable x = 0
  method get = x
  method add n = x <- x + n; if self#get > 1000 then self#reset
  method reset = x <- 0
end
let bump (c : counter) n = c#add n; c#get
let fresh () = new counter
let point x = object val mutable v = x method v = v method set y = v <- y end
let twice p = p#set (2 * p#v); p#v
module F (X : sig val k : int end) = struct
  class c = object method m y = y + X.k end
  let call (o : c) y = o#m y
end
