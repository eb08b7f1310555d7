(* flags: -linscan *)
(* bytecode: no, ocamlc does not have the flag *)
(* The two loops are one catch, and only the first jumps to the second: with the handlers in the other order Split
   dropped the reloads of the second, and linear scan read registers that the call had destroyed. Seed 494709017. *)
let[@inline never] odd i = Sys.opaque_identity (i land 1 = 1)

let sum n =
  let rec loop i s =
    if i = 0 then s
    else
      let t = (s, i) in
      loop2 (i - 1) t
  and loop2 i (s, j) = if odd i then s + j else loop i (s + j) in
  loop n 1

let () = for i = 0 to 20 do Printf.printf "%d " (sum i) done
