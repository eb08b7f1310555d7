(* flags: -w -a *)
(* pitfalls 25, 26: unboxed and boxed values, derived positions, closures with infix pointers, live across collections. *)
let gc () = Gc.minor (); Gc.full_major (); ignore (Sys.opaque_identity (List.init 100 string_of_int))
let o = Sys.opaque_identity
let floats x y = let a = x *. y in gc (); let b = a +. x in gc (); let c = b /. a in (Gc.compact (); a +. b +. c)
let ints x = let a = Int64.add x 5L in gc (); let b = Int64.mul a a in gc (); Int64.sub b a
let i32 x = let a = Int32.add x 5l and n = Nativeint.of_int32 x in gc (); Nativeint.add (Nativeint.of_int32 a) n
let mixed s n f = let t = s ^ "!" and u = n * 2 and v = f *. 2. in gc (); Printf.sprintf "%s %d %g" (t ^ t) (u + n) (v -. f)
let arr a i = let x = a.(i) in gc (); let y = a.(i + 1) in gc (); a.(i) <- (gc (); x ^ y); a.(i)
let str s i = let c = s.[i] in gc (); Printf.sprintf "%c%c" c s.[i + 1]
let loop n = let acc = ref 0. and l = ref [] and k = ref 0L in for i = 1 to n do acc := !acc +. float i; k := Int64.add !k 3L; if i mod 5 = 0 then Gc.minor (); l := (string_of_float !acc) :: !l done; (!acc, List.hd !l, !k)
let infix n = let rec f x = if x = 0 then n else g (x - 1) and g x = if x = 0 then n * 2 else h (x - 1) and h x = f x in (g, h)
let join c x = let v = if c then x else "lit" in gc (); let w = if c then 0 else 1 in gc (); v ^ string_of_int w
let pair b = let (p, q) = if b then (o 1.5, o "l") else (2.5, "r") in gc (); Printf.sprintf "%g%s" p q
let exn x = try gc (); (if x > 1. then raise (Failure (string_of_float x))); x +. 1. with Failure s -> gc (); float_of_string s *. 10.
let ba () = let b = Bigarray.(Array1.create float64 c_layout 4) in Bigarray.Array1.fill b 1.5; let x = b.{1} in gc (); b.{2} <- x *. 2.; gc (); b.{1} +. b.{2}
let () =
  Printf.printf "%g %Ld %nd %s\n" (floats (o 2.) (o 3.)) (ints (o 7L)) (i32 (o 8l)) (mixed (o "s") (o 4) (o 1.5));
  Printf.printf "%s %s\n" (arr [| o "a"; o "b"; "c" |] 1) (str (o "hello") 3);
  let a, b, c = loop 30 in Printf.printf "%g %s %Ld\n" a b c;
  let (g, h) = infix (o 21) in gc (); Gc.compact (); Printf.printf "%d %d\n" (g 1) (h 5);
  Printf.printf "%s %s %s %s\n" (join true "x") (join false "x") (pair true) (pair false);
  Printf.printf "%g %g %g\n" (exn 0.5) (exn 2.5) (ba ())
