(* flags: -w -a *)
(* Bigarrays of all kinds and both layouts, one to three dimensions, generic, sub, slice, bounds. *)
open Bigarray
let t1 name kind (vals : 'a list) (show : 'a -> string) = 
  let a = Array1.create kind c_layout (List.length vals) and f = Array1.create kind fortran_layout (List.length vals) in
  List.iteri (fun i v -> a.{i} <- v; f.{i + 1} <- v) vals;
  Printf.printf "%s:" name; for i = 0 to Array1.dim a - 1 do Printf.printf " %s %b" (show a.{i}) (a.{i} = f.{i + 1}) done; print_newline ()
let i = string_of_int and fl = string_of_float
let oob f = match f () with _ -> print_string "ok " | exception Invalid_argument s -> print_string (s ^ " ")
let () =
  t1 "int8s" int8_signed [ 0; 127; 128; 255; 256; -1; -129 ] i; t1 "int8u" int8_unsigned [ 0; 127; 128; 255; 256; -1; -129 ] i; t1 "int16s" int16_signed [ 32767; 32768; 65535; -1 ] i; t1 "int16u" int16_unsigned [ 32767; 32768; 65535; -1; 65536 ] i;
  t1 "int" int [ max_int; min_int; -1 ] i; t1 "int32" int32 [ 1l; Int32.min_int; Int32.max_int ] Int32.to_string; t1 "int64" int64 [ Int64.min_int; -1L ] Int64.to_string; t1 "nativeint" nativeint [ 5n; Nativeint.max_int ] Nativeint.to_string;
  t1 "float32" float32 [ 0.1; 1e40; -0.; 1.5 ] fl; t1 "float64" float64 [ 0.1; 1e40; -0.; nan ] fl; t1 "char" char [ 'a'; '\255' ] (String.make 1); let c (z : Complex.t) = Printf.sprintf "%g+%gi" z.re z.im in t1 "complex32" complex32 [ { Complex.re = 0.5; im = -1. }; Complex.i ] c; t1 "complex64" complex64 [ { Complex.re = 0.1; im = 2. } ] c;
  let a2 = Array2.create float64 c_layout 3 4 in for i = 0 to 2 do for j = 0 to 3 do a2.{i, j} <- float ((i * 10) + j) done done;
  let f2 = Array2.create int fortran_layout 2 3 in for i = 1 to 2 do for j = 1 to 3 do f2.{i, j} <- (i * 10) + j done done;
  let a3 = Array3.create int32 c_layout 2 2 2 in for i = 0 to 1 do for j = 0 to 1 do for k = 0 to 1 do a3.{i, j, k} <- Int32.of_int (i * 100 + j * 10 + k) done done done;
  Printf.printf "%g %g %d %d %ld %ld\n" a2.{1, 2} a2.{2, 3} f2.{2, 1} f2.{1, 3} a3.{1, 0, 1} (Int32.add a3.{1, 1, 1} a3.{0, 1, 0});
  let row = Array2.slice_left a2 1 and col = Array2.slice_right f2 2 and sub = Array2.sub_left a2 1 2 in row.{0} <- 99.; Printf.printf "%g %g %d %d\n" a2.{1, 0} sub.{0, 0} col.{1} col.{2}; let s1 = Array1.sub row 1 2 in s1.{1} <- 7.; Printf.printf "%g %d\n" a2.{1, 2} (Array1.dim s1);
  let g = Genarray.create float32 c_layout [| 2; 2; 2; 2 |] in Genarray.fill g 0.5; Genarray.set g [| 1; 0; 1; 0 |] 2.; Printf.printf "%g %g %d\n" (Genarray.get g [| 1; 0; 1; 0 |]) g.{0, 0, 0, 0} (Genarray.num_dims g); let r = reshape_1 (genarray_of_array2 a2) 12 in Printf.printf "%g %d\n" r.{5} (Array1.dim r);
  oob (fun () -> ignore row.{4}); oob (fun () -> ignore row.{-1}); oob (fun () -> ignore f2.{0, 1}); oob (fun () -> ignore f2.{2, 4}); oob (fun () -> ignore a3.{1, 2, 0}); oob (fun () -> a3.{2, 0, 0} <- 1l); oob (fun () -> ignore (Genarray.get g [| 0; 2; 0; 0 |])); oob (fun () -> ignore (Genarray.get g [| 0 |])); oob (fun () -> ignore (Array1.sub row 2 5)); oob (fun () -> ignore row.{max_int}); print_newline ();
  let poly a = let s = ref [] in for k = 0 to Array1.dim a - 1 do s := a.{k} :: !s done; List.length !s and sum (type k) (a : (float, k, c_layout) Array1.t) = let s = ref 0. in for k = 0 to Array1.dim a - 1 do s := !s +. a.{k} done; !s in Printf.printf "%d %g %g\n" (poly row) (sum row) (sum (Array1.of_array float32 c_layout [| 0.5; 0.25 |]));
  let d = Array1.create int8_unsigned c_layout 4 in Array1.fill d 250; for i = 0 to 3 do d.{i} <- d.{i} + (i * 3) done; for i = 0 to 3 do Printf.printf "%d " d.{i} done; let e = Array1.create int8_unsigned c_layout 4 in Array1.blit d e; Printf.printf "%b %d %d\n" (d = e) (compare d e) (Array1.size_in_bytes e);
  let z = Array1.unsafe_get row 3 in Array1.unsafe_set row 3 (z +. 1.); Printf.printf "%g %b %b\n" row.{3} (Array1.kind row = float64) (Array2.layout f2 = fortran_layout)
