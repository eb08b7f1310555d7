(* Uses.Make applies a functor of another unit, Sets.Make; a copy of `each` for T.add was lifted, took the closure of that
   and relied on its layout. Where Main evaluates Uses.Make for its argument, an instance of T.add, which has captured
   nothing, was passed: a segmentation fault at -O3 (seed 903007279). *)
let all n = Made.A.B.all n [ n; 2 ]
let () = Printf.printf "%d %d\n" (all 1) (all 200)
