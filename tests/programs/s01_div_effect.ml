(* flags: -w -a *)
(* soundness 1: an unused division may still raise, at every width. *)
type r = { x : int; y : int }
let z32 = Sys.opaque_identity 0l
let z64 = Sys.opaque_identity 0L
let zn = Sys.opaque_identity 0n
let z = Sys.opaque_identity 0
let t name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception Division_by_zero -> Printf.printf "%s: div by zero\n" name
let () =
  t "int64 const" (fun () -> let _ = Int64.div 1L 0L in 1);
  t "int64 rem const" (fun () -> ignore (Int64.rem 1L 0L); 1);
  t "int32 const" (fun () -> let _ = Int32.div 1l 0l in 1);
  t "nativeint const" (fun () -> let _ = Nativeint.rem 1n 0n in 1);
  t "int const" (fun () -> let _ = 1 / 0 in 1);
  t "int mod const" (fun () -> let _ = 1 mod 0 in 1);
  t "int64 var" (fun () -> let _ = Int64.div 1L z64 in 1);
  t "int32 var" (fun () -> let _ = Int32.rem 7l z32 in 1);
  t "nativeint var" (fun () -> let _ = Nativeint.div 7n zn in 1);
  t "int var" (fun () -> let _ = 7 / z in 1);
  t "record field" (fun () -> { x = 3; y = 4 / 0 }.x);
  t "record field var" (fun () -> { x = 3; y = 4 mod z }.x);
  t "tuple" (fun () -> fst (5, Int64.div 3L z64));
  t "array" (fun () -> Array.length [| 1 / z; 2 |]);
  t "closure" (fun () -> let d = 3 / z in let f () = d in 2);
  t "wildcard let" (fun () -> let _unused = Int64.to_int (Int64.div 9L z64) in 4);
  t "nonzero" (fun () -> let _ = Int64.div 9L 3L in let _ = 4 mod 2 in 4);
  t "no division when not taken" (fun () -> if z = 0 then 6 else 1 / z);
  t "after test" (fun () -> let f d = if d <> 0 then 12 / d else -1 in f z + f 4);
  let hoist n d = let r = ref 0 in for i = 1 to n do r := !r + i / d done; !r in
  t "loop zero iterations" (fun () -> hoist 0 z);
  t "loop once" (fun () -> hoist 1 z);
  t "loop ok" (fun () -> hoist 10 3)
