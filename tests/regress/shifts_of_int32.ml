(* Two shifts of an int32 by constants that together are 32 and more became one by their sum, for which the result is not
   specified: bytecode takes the amount modulo 32 (fuzz seed 5700643). *)
let[@inline never] asr_asr x = Int32.shift_right (Int32.shift_right x 8) 31
let[@inline never] lsr_lsr x = Int32.shift_right_logical (Int32.shift_right_logical x 20) 12
let[@inline never] lsl_lsl x = Int32.shift_left (Int32.shift_left x 17) 16
let[@inline never] long x = Int64.shift_right (Int64.shift_right x 40) 30
let[@inline never] native x = Nativeint.shift_left (Nativeint.shift_left x 40) 30
let[@inline never] small x = (x asr 40) asr 30

let () =
  List.iter
    (fun n ->
      let x = Int32.of_int n and y = Int64.of_int n in
      Printf.printf "%ld %ld %ld %Ld %nd %d\n" (asr_asr x) (lsr_lsr x) (lsl_lsl x) (long y) (native (Nativeint.of_int n)) (small n))
    [ 0; 1; -1; 768; 0x30003; -196611; 0x7fffffff; min_int; max_int ]
