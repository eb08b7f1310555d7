(* flags: -w -a *)
(* soundness 23: arms with different boxed kinds are not unboxed with the first arm's kind. *)
let[@inline] get (a : 'a array) i = a.(i)
let[@inline] getu (a : 'a array) i = Array.unsafe_get a i
type _ k = F : float k | I32 : int32 k | I64 : int64 k | N : nativeint k | I : int k | S : string k
let[@inline] zero : type a. a k -> a = function F -> 1.5 | I32 -> 123456l | I64 -> 1234567890123L | N -> 99n | I -> 4 | S -> "s"
let[@inline] show : type a. a k -> a -> string = fun k x -> match k with
  | F -> string_of_float x | I32 -> Int32.to_string x | I64 -> Int64.to_string x | N -> Nativeint.to_string x | I -> string_of_int x | S -> x
let[@inline] add : type a. a k -> a -> a -> a = fun k x y -> match k with
  | F -> x +. y | I32 -> Int32.add x y | I64 -> Int64.add x y | N -> Nativeint.add x y | I -> x + y | S -> x ^ y
let[@inline] conv : type a. a k -> float -> a = fun k x -> match k with
  | F -> x | I32 -> Int32.of_float x | I64 -> Int64.of_float x | N -> Nativeint.of_float x | I -> int_of_float x | S -> string_of_float x
let () =
  let a = [| 123456l; 7l |] in
  Printf.printf "%ld %ld\n" (get a 0) (Int32.add (get a 1) 1l);
  Printf.printf "%Ld %nd %g %d %s\n" (get [| 5L |] 0) (get [| 6n |] 0) (get [| 2.5 |] 0) (get [| 3 |] 0) (get [| "x" |] 0);
  Printf.printf "%Ld\n" (Int64.mul (getu (Sys.opaque_identity [| 5L |]) 0) 3L);
  print_endline (show F (zero F)); print_endline (show I32 (zero I32));
  print_endline (show I64 (add I64 (zero I64) (conv I64 3.7)));
  print_endline (show N (add N (zero N) (conv N 3.7)));
  print_endline (show I (add I (zero I) (conv I (-3.7))));
  print_endline (show S (add S (zero S) (conv S 0.5)));
  print_endline (show F (add F (zero F) (conv F 0.25)));
  print_endline (show I32 (add I32 (get a 0) (conv I32 1e3)));
  let sum (type a) (k : a k) (arr : a array) = let r = ref (zero k) in for i = 0 to Array.length arr - 1 do r := add k !r (get arr i) done; show k !r in
  List.iter print_endline [ sum F [| 1.; 2. |]; sum I32 [| 1l; 2l |]; sum I64 [| 1L |]; sum N [||]; sum I [| 1; 2 |]; sum S [| "a"; "b" |] ]
