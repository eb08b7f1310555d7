let double x = Sys.opaque_identity x * 2
let half = function n when n land 1 = 0 -> Some (n / 2) | _ -> None
let mean a = Array.fold_left ( +. ) 0. a /. float_of_int (Array.length a)

let () =
  Printf.printf "plugin: %d %b %g\n%!" (double 21) (half 7 = None) (mean [| 1.; 4. |]);
  Registry.register "double" double
