let[@inline] integrate f a b n =
  let h = (b -. a) /. float_of_int n in
  let s = ref 0. in
  for i = 0 to n - 1 do s := !s +. f (a +. (float_of_int i *. h)) done;
  !s *. h

let () = Printf.printf "%.3f" (integrate (fun x -> (x *. x) +. 1.) 0. 1. 20_000_000)
