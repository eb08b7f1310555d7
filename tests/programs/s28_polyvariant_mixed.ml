(* flags: -w -a *)
(* soundness 28: ordered comparisons on polymorphic variants that may be pointers. *)
let color = function
  | `Default -> 0 | `Black -> 1 | `Red -> 2 | `Green -> 3 | `RGB (r, g, b) -> r + g + b | `Gray n -> -n | `Named s -> String.length s | `Yellow -> 4
type simple = [ `Default | `Black | `Red ]
let is_simple x = match x with #simple -> true | `RGB _ | `Gray _ -> false
let twoblocks = function `A x -> x | `B x -> x * 2
let simple_or_rgb (x : [ `A | `B | `C | `RGB of int ]) = match x with (`A | `B | `C) as s -> (match s with `A -> 1 | `B -> 2 | `C -> 3) | `RGB n -> n
let default = function `X -> "x" | `Y 3 -> "y3" | `Y _ -> "y" | _ -> "other"
let () =
  List.iter (fun c -> Printf.printf "%d " (color c)) [ `Default; `Black; `Red; `Green; `RGB (1, 2, 3); `Gray 9; `Named "abc"; `Yellow ];
  Printf.printf "%d %d\n" (twoblocks (`A 3)) (twoblocks (`B 3));
  List.iter (fun c -> Printf.printf "%d " (simple_or_rgb c)) [ `A; `RGB 77; `B; `C; `RGB 0 ];
  List.iter (fun c -> Printf.printf "%s " (default c)) [ `X; `Y 3; `Y 4; `Z ];
  List.iter (fun c -> Printf.printf "%b " (is_simple c)) [ `Default; `RGB 1; `Red; `Gray 2 ];
  Printf.printf "%b %b\n" (`A < `B) (compare (`A 1) (`A 2) < 0);
  Printf.printf "%b %b %b\n" (compare `A (`RGB 1) < 0) (compare (`RGB 1) `A < 0) (`RGB 1 = `RGB 1)
