(* References that do not escape are parameters of continuations; floats among them are naked. *)
let sum n =
  let total = ref 0.0 in
  for i = 1 to n do
    if i land 1 = 0 then total := !total +. float_of_int i
  done;
  !total
let first_negative a =
  let i = ref 0 in
  while !i < Array.length a && a.(!i) >= 0 do incr i done;
  !i
