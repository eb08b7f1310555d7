(* flags: -w -a *)
(* Float computations kept in registers, through joins, loops, calls, closures. *)
let o = Sys.opaque_identity
let horner cs x = Array.fold_right (fun c acc -> acc *. x +. c) cs 0.
let quad a b c = let d = b *. b -. 4. *. a *. c in if d < 0. then None else let s = sqrt d in Some ((-.b +. s) /. (2. *. a), (-.b -. s) /. (2. *. a))
let integrate f a b n = let h = (b -. a) /. float n in let s = ref (0.5 *. (f a +. f b)) in for i = 1 to n - 1 do s := !s +. f (a +. float i *. h) done; !s *. h
let mandel cx cy = let rec go x y n = if n = 50 || x *. x +. y *. y > 4. then n else go (x *. x -. y *. y +. cx) (2. *. x *. y +. cy) (n + 1) in go 0. 0. 0
let mixed n x = let r = if n > 0 then x *. 2. else if n < 0 then x /. 2. else 0. in let s = match n with 0 -> r +. 1. | 1 -> r -. 1. | _ -> -.r in s +. (if r > s then r else s)
let norm (x, y, z) = sqrt ((x *. x) +. (y *. y) +. (z *. z))
let kahan a = let s = ref 0. and c = ref 0. in Array.iter (fun x -> let y = x -. !c in let t = !s +. y in c := t -. !s -. y; s := t) a; !s
let conv x = (truncate x, float (truncate x), Int64.of_float x, Int64.to_float (Int64.of_float x), Int32.to_float (Int32.of_float x))
let clampf lo hi x = if x < lo then lo else if x > hi then hi else x
let neg x = -.x and sub x y = x -. y and rdiv x y = y /. x
let mean l = let s, n = List.fold_left (fun (s, n) x -> (s +. x, n + 1)) (0., 0) l in s /. float n
let stats l = let m = mean l in sqrt (mean (List.map (fun x -> (x -. m) ** 2.) l))
let pow x n = let rec p x n = if n = 0 then 1. else let h = p (x *. x) (n / 2) in if n land 1 = 1 then x *. h else h in if n < 0 then 1. /. p x (-n) else p x n
let () =
  Printf.printf "%.10g %.10g\n" (horner [| 1.; 2.; 3. |] 2.) (horner [||] 2.);
  (match quad 1. (-3.) 2. with Some (a, b) -> Printf.printf "%g %g\n" a b | None -> ()); Printf.printf "%b\n" (quad 1. 0. 1. = None);
  Printf.printf "%.9f %.9f\n" (integrate (fun x -> x *. x) 0. 3. 100) (integrate sin 0. 1. 50);
  for y = -4 to 4 do for x = -8 to 4 do Printf.printf "%c" " .:-=+*#%@".[min 9 (mandel (float x /. 4.) (float y /. 3.) / 5)] done; print_newline () done;
  List.iter (fun n -> Printf.printf "%g " (mixed n 3.)) [ -2; -1; 0; 1; 2 ]; Printf.printf "%g %g\n" (norm (1., 2., 2.)) (kahan (Array.make 1000 0.1));
  List.iter (fun x -> let a, b, c, d, e = conv x in Printf.printf "%d %g %Ld %g %g; " a b c d e) [ 0.; 1.5; -1.5; 1e9; -0.3 ]; print_newline ();
  List.iter (fun x -> Printf.printf "%g %g %g %g; " (clampf 0. 1. x) (neg x) (sub x 1.) (rdiv x 1.)) [ -1.; 0.; 0.5; 2.; infinity ]; Printf.printf "%g %.10g %g %g %.6g\n" (mean [ 1.; 2.; 6. ]) (stats [ 2.; 4.; 4.; 4.; 5.; 5.; 7.; 9. ]) (pow 2. 10) (pow 2. (-2)) (pow 1.0001 10000);
  List.iter (fun x -> Printf.printf "%h %.12g %.12g %.12g %.12g %.12g; " x (exp x) (atan x) (tanh x) (cosh x) (log1p (abs_float x))) [ 0.; 0.5; -1.25 ]; print_newline ();
  let fr, ex = frexp (o 12.) and fi, ip = modf (o (-3.75)) in Printf.printf "%g %d %g %g %g %.12g %g\n" fr ex fi ip (hypot 3. 4.) (atan2 1. (-1.)) (expm1 0.)
