(* Functions that call each other took what they had captured in different orders, and exchanged it at each call (seed
   496299262: 4,190 instructions, the stock compiler 3,731). *)

let[@inline never] both n =
  let k = n * 5 in
  let rec even i = if i <= 0 then k else odd (i - 1) and odd i = if i <= 0 then n else even (i - 2) in
  even n + odd k

let () =
  let sum = ref 0 in
  for i = 0 to 40 do
    sum := ((!sum * 7) + both i) land 0xFFFFFF
  done;
  Printf.printf "%d\n" !sum
