(* A function of another unit that calls itself at another type was copied for the types of a call, and the copy called
   it as one of this unit: so it was here a second time, under its name, and the linker refused both (seed 982002330). *)
let () =
  Printf.printf "%d %d %d\n"
    (Polymorphic_recursion.sum (fun n -> n) [ 1; 2; 3 ])
    (Polymorphic_recursion.sum String.length [ "a"; "bc"; "d" ])
    (Polymorphic_recursion.sum (fun x -> if x = x then int_of_float x else 7) [ 1.; 2.; nan ])
