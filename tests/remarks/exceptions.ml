(* slow: exceptions as control; first: exception; remedy: option *)
exception Missing of int

let[@inline never] look a i = if a.(i) < 0 then raise (Missing i) else a.(i)
let a = Array.init 1000 (fun i -> if i land 1 = 0 then i else -i)

let total rounds =
  let sum = ref 0 in
  for _ = 1 to rounds do
    for i = 0 to 999 do sum := !sum + (try look a i with Missing i -> i) done
  done;
  !sum

let () = Printexc.record_backtrace true; print_int (total 10_000)
