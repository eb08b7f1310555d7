(* flags: -w -a -unsafe *)
(* pitfall 60 and soundness 1 under -unsafe: only non-zero divisors are used at run time, in-range accesses. *)
let o = Sys.opaque_identity
let guarded a b = if b = 0 then -1 else a / b
let guarded_mod a b = if b <> 0 then a mod b else -1
let sum a = let s = ref 0 in for i = 0 to Array.length a - 1 do s := !s + a.(i) done; !s
let sumf a = let s = ref 0. in for i = 0 to Array.length a - 1 do s := !s +. a.(i) done; !s
let rev s = String.init (String.length s) (fun i -> s.[String.length s - 1 - i])
let gen (a : 'a array) i x = let old = a.(i) in a.(i) <- x; old
let ba () = let b = Bigarray.(Array1.create int c_layout 5) in for i = 0 to 4 do b.{i} <- i * i done; let s = ref 0 in for i = 0 to 4 do s := !s + b.{i} done; !s
let () =
  Printf.printf "%d %d %d %d\n" (guarded 7 (o 0)) (guarded 7 (o 2)) (guarded_mod 7 (o 0)) (guarded_mod 7 (o (-4)));
  Printf.printf "%d %g %s\n" (sum [| 1; 2; 3 |]) (sumf [| 1.5; 2.5 |]) (rev "abc");
  let a = [| 1; 2 |] and f = [| 1.; 2. |] and s = [| "x" |] in
  Printf.printf "%d %g %s " (gen a 1 9) (gen f 0 7.) (gen s 0 "y"); Printf.printf "%d %g %s\n" a.(1) f.(0) s.(0);
  Printf.printf "%d\n" (ba ());
  let b = Bytes.make 4 'a' in Bytes.set b 2 'q'; print_endline (Bytes.to_string b)
