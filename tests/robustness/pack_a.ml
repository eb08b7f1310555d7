let add x y = x + y
let mark s = s ^ "!"
