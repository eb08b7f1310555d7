(* flags: -w -a *)
(* C stubs: unboxed and untagged arguments and results, more than five arguments, noalloc, boxed. *)
external fma3 : float -> float -> float -> float = "st_fma3_byte" "st_fma3" [@@unboxed] [@@noalloc]
external i32 : (int32[@unboxed]) -> (int32[@unboxed]) -> (int32[@unboxed]) = "st_i32_byte" "st_i32" [@@noalloc]
external i64 : int64 -> int32 -> nativeint -> int64 = "st_i64_byte" "st_i64" [@@unboxed]
external nat : nativeint -> nativeint = "st_nat_byte" "st_nat" [@@unboxed]
external int : int -> int -> int = "st_int_byte" "st_int" [@@untagged] [@@noalloc]
external many : (float[@unboxed]) -> (int[@untagged]) -> (float[@unboxed]) -> (int64[@unboxed]) -> int -> (float[@unboxed]) -> (int32[@unboxed]) -> (nativeint[@unboxed]) -> (float[@unboxed]) -> (int[@untagged]) -> (float[@unboxed]) -> (float[@unboxed]) -> (float[@unboxed]) = "st_many_byte" "st_many"
external boxed7 : 'a -> 'b -> 'c -> 'd -> 'e -> 'f -> 'g -> 'g * 'f * 'e * 'd * 'c * 'b * 'a = "st_boxed7_byte" "st_boxed7"
external copy : float -> float = "st_copy"
external unit_ : unit -> unit = "st_unit" [@@noalloc]
external garbage : (int[@untagged]) -> (int32[@unboxed]) = "st_garbage_byte" "st_garbage" [@@noalloc]
external div : (float[@unboxed]) -> (int[@untagged]) -> (float[@unboxed]) = "st_div_byte" "st_div" [@@noalloc]
let t s v = print_string s; print_char ' '; v
let () =
  Printf.printf "%g %ld %Ld %nd %d\n" (fma3 2. 3. 4.) (i32 70000l 70000l) (i64 1L (-2l) 3n) (nat 5n) (int 3 10);
  Printf.printf "%g\n" (many 1. 2 3. 4L 5 6. 7l 8n 9. 10 11. 12.);
  Printf.printf "%g\n" (many (t "a" 1.) (t "b" 2) (t "c" 3.) (t "d" 4L) (t "e" 5) (t "f" 6.) (t "g" (-7l)) (t "h" 8n) (t "i" 9.) (t "j" 10) (t "k" 0.5) (t "l" 0.25));
  let a, b, c, d, e, f, g = boxed7 1 "two" 3. 4L [ 5 ] (Some 6) 'g' in Printf.printf "%c %b %d %Ld %g %s %d\n" a (b = Some 6) (List.hd c) d e f g;
  Printf.printf "%g %ld %ld %b\n" (copy 1.5) (garbage 0x1ffffffff) (Int32.add (garbage max_int) 1l) (Int32.compare (garbage 0xffffffff) 0l < 0); unit_ ();
  let s = ref 0. in for i = 1 to 10 do s := fma3 !s 0.5 (div (float i) i) done; Printf.printf "%.9g\n" !s;
  Printf.printf "%g %d %ld\n" (List.fold_left (fun acc x -> fma3 acc x 1.) 1. [ 1.; 2.; 3. ]) (List.fold_left int 100 [ 1; 2; 3 ]) (List.fold_left i32 1l [ 2l; 3l ]);
  List.iter (fun f -> Printf.printf "%g " (f 2.)) [ copy; fma3 1. 1.; (fun x -> div x 4) ]; Printf.printf "%Ld\n" (let p = i64 10L in let q = p 1l in q 1n);
  let x = copy 3. in Gc.minor (); Printf.printf "%g %g\n" x (many x (truncate x) x (Int64.of_float x) 0 x 0l 0n x 0 (copy x) x);
  ignore (i64 (t "y" 1L) (t "z" 1l) (t "w" 1n)); print_newline ()
