(* slow: polymorphic compare in a loop; first: polymorphic_compare; remedy: annotate what is compared *)
let[@inline never] occurrences x a =
  let n = ref 0 in
  for i = 0 to Array.length a - 1 do if a.(i) = x then incr n done;
  !n

let names = Array.init 1000 (fun i -> string_of_int i)
let () = let n = ref 0 in for _ = 1 to 20_000 do n := !n + occurrences "500" names done; print_int !n
