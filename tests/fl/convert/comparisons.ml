(* Comparisons that are derived from types: a pair, a list (a loop), a tree (counts how deep it is), one of parts that are
   not known; and those that are left to the runtime. *)
type tree = Leaf | Node of tree * string * tree
let pair (x : int * float) y = x = y
let list (x : int list) y = compare x y
let tree (x : tree) y = x <> y
let test (x : int array) y = x < y
let partly (x : int * exn) y = compare x y
let without_order (x : int * float) y = x < y
let unknown (x : exn) y = x = y
let generic x y = x = y
