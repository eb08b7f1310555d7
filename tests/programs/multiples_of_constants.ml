(* Whether numbers are multiples of constants, beside divisors that the compiler does not know. *)
let o = Sys.opaque_identity
let bad = ref 0
let () =
  for i = 0 to 70000 do
    let c name a b = if a <> b then (incr bad; Printf.printf "%s %d\n" name i) in
    c "3" (i mod 3 = 0) (i mod o 3 = 0); c "5" (i mod 5 <> 0) (i mod o 5 <> 0); c "7" (i mod 7 = 0) (i mod o 7 = 0);
    c "9" (i mod 9 = 0) (i mod o 9 = 0); c "10" (i mod 10 = 0) (i mod o 10 = 0); c "100" (i mod 100 = 0) (i mod o 100 = 0);
    c "13" (i mod 13 = 0) (i mod o 13 = 0); c "641" (i mod 641 = 0) (i mod o 641 = 0); c "400" (i mod 400 = 0) (i mod o 400 = 0);
    c "60000" (i mod 60000 = 0) (i mod o 60000 = 0); c "69999" (i mod 69999 = 0) (i mod o 69999 = 0); c "70001" (i mod 70001 = 0) (i mod o 70001 = 0)
  done; Printf.printf "bad %d\n" !bad
