(* Numbers consumed at once are never boxed. Division checks its divisor unless it is a constant. *)
let norm x y = sqrt (x *. x +. y *. y)
let mix a b = Int64.add (Int64.mul a 3L) (Int64.logand b 0xffL)
let div x y = x / y + x mod 7
let half x = Int32.div x 2l
let bytes s i = Char.code (Bytes.get s i) + Int32.to_int (Bytes.get_int32_le s 4)
let arrays a b i = a.(i) <- b.(i) +. 1.0
