(* slow: polymorphic compare in a loop; first: polymorphic_compare; remedy: annotate what is compared *)
let[@inline never] equal_elements a b =
  let n = ref 0 in
  for i = 0 to Array.length a - 1 do if a.(i) = b.(i) then incr n done;
  !n

let names = Array.init 1000 (fun i -> string_of_int i)
let others = Array.init 1000 (fun i -> string_of_int (i / 2 * 2))
let counts = [ "equal elements", equal_elements ]

let () =
  let count = List.assoc "equal elements" counts and n = ref 0 in
  for _ = 1 to 20_000 do n := !n + count names others done;
  print_int !n
