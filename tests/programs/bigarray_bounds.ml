(* flags: -w -a *)
(* The place of each element of bigarrays of one to three dimensions, of all kinds and both layouts; indices out of
   bounds in each dimension; dimensions of 0; generic bigarrays. *)
open Bigarray

let complex (z : Complex.t) = Printf.sprintf "%g+%gi" z.re z.im

(* What the elements are in memory order, by an array of one dimension. *)
let row name show data =
  Printf.printf "%s:" name;
  for k = 0 to Array1.dim data - 1 do
    Printf.printf " %s" (show (Array1.get data k))
  done;
  print_newline ()

let row_f name show data =
  Printf.printf "%s:" name;
  for k = 1 to Array1.dim data do
    Printf.printf " %s" (show (Array1.get data k))
  done;
  print_newline ()

let () =
  let value x = float x /. 4. in
  let same name b = if not b then print_endline ("float32: not what was stored in " ^ name) in
  let a : (float, float32_elt, c_layout) Array1.t = Array1.create float32 c_layout 5 in
  let f : (float, float32_elt, fortran_layout) Array1.t = Array1.create float32 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "float32 c1" (string_of_float) a;
  row_f "float32 f1" (string_of_float) f;
  let a : (float, float32_elt, c_layout) Array2.t = Array2.create float32 c_layout 2 3 in
  let f : (float, float32_elt, fortran_layout) Array2.t = Array2.create float32 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "float32 c2" (string_of_float) (reshape_1 (genarray_of_array2 a) 6);
  row_f "float32 f2" (string_of_float) (reshape_1 (genarray_of_array2 f) 6);
  let a : (float, float32_elt, c_layout) Array3.t = Array3.create float32 c_layout 2 3 2 in
  let f : (float, float32_elt, fortran_layout) Array3.t = Array3.create float32 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "float32 c3" (string_of_float) (reshape_1 (genarray_of_array3 a) 12);
  row_f "float32 f3" (string_of_float) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = float x /. 3. in
  let same name b = if not b then print_endline ("float64: not what was stored in " ^ name) in
  let a : (float, float64_elt, c_layout) Array1.t = Array1.create float64 c_layout 5 in
  let f : (float, float64_elt, fortran_layout) Array1.t = Array1.create float64 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "float64 c1" (string_of_float) a;
  row_f "float64 f1" (string_of_float) f;
  let a : (float, float64_elt, c_layout) Array2.t = Array2.create float64 c_layout 2 3 in
  let f : (float, float64_elt, fortran_layout) Array2.t = Array2.create float64 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "float64 c2" (string_of_float) (reshape_1 (genarray_of_array2 a) 6);
  row_f "float64 f2" (string_of_float) (reshape_1 (genarray_of_array2 f) 6);
  let a : (float, float64_elt, c_layout) Array3.t = Array3.create float64 c_layout 2 3 2 in
  let f : (float, float64_elt, fortran_layout) Array3.t = Array3.create float64 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "float64 c3" (string_of_float) (reshape_1 (genarray_of_array3 a) 12);
  row_f "float64 f3" (string_of_float) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = x * 37 in
  let same name b = if not b then print_endline ("int8_signed: not what was stored in " ^ name) in
  let a : (int, int8_signed_elt, c_layout) Array1.t = Array1.create int8_signed c_layout 5 in
  let f : (int, int8_signed_elt, fortran_layout) Array1.t = Array1.create int8_signed fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int8_signed c1" (string_of_int) a;
  row_f "int8_signed f1" (string_of_int) f;
  let a : (int, int8_signed_elt, c_layout) Array2.t = Array2.create int8_signed c_layout 2 3 in
  let f : (int, int8_signed_elt, fortran_layout) Array2.t = Array2.create int8_signed fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int8_signed c2" (string_of_int) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int8_signed f2" (string_of_int) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int, int8_signed_elt, c_layout) Array3.t = Array3.create int8_signed c_layout 2 3 2 in
  let f : (int, int8_signed_elt, fortran_layout) Array3.t = Array3.create int8_signed fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int8_signed c3" (string_of_int) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int8_signed f3" (string_of_int) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = x * 37 in
  let same name b = if not b then print_endline ("int8_unsigned: not what was stored in " ^ name) in
  let a : (int, int8_unsigned_elt, c_layout) Array1.t = Array1.create int8_unsigned c_layout 5 in
  let f : (int, int8_unsigned_elt, fortran_layout) Array1.t = Array1.create int8_unsigned fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int8_unsigned c1" (string_of_int) a;
  row_f "int8_unsigned f1" (string_of_int) f;
  let a : (int, int8_unsigned_elt, c_layout) Array2.t = Array2.create int8_unsigned c_layout 2 3 in
  let f : (int, int8_unsigned_elt, fortran_layout) Array2.t = Array2.create int8_unsigned fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int8_unsigned c2" (string_of_int) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int8_unsigned f2" (string_of_int) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int, int8_unsigned_elt, c_layout) Array3.t = Array3.create int8_unsigned c_layout 2 3 2 in
  let f : (int, int8_unsigned_elt, fortran_layout) Array3.t = Array3.create int8_unsigned fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int8_unsigned c3" (string_of_int) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int8_unsigned f3" (string_of_int) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = x * 7001 in
  let same name b = if not b then print_endline ("int16_signed: not what was stored in " ^ name) in
  let a : (int, int16_signed_elt, c_layout) Array1.t = Array1.create int16_signed c_layout 5 in
  let f : (int, int16_signed_elt, fortran_layout) Array1.t = Array1.create int16_signed fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int16_signed c1" (string_of_int) a;
  row_f "int16_signed f1" (string_of_int) f;
  let a : (int, int16_signed_elt, c_layout) Array2.t = Array2.create int16_signed c_layout 2 3 in
  let f : (int, int16_signed_elt, fortran_layout) Array2.t = Array2.create int16_signed fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int16_signed c2" (string_of_int) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int16_signed f2" (string_of_int) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int, int16_signed_elt, c_layout) Array3.t = Array3.create int16_signed c_layout 2 3 2 in
  let f : (int, int16_signed_elt, fortran_layout) Array3.t = Array3.create int16_signed fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int16_signed c3" (string_of_int) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int16_signed f3" (string_of_int) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = x * 7001 in
  let same name b = if not b then print_endline ("int16_unsigned: not what was stored in " ^ name) in
  let a : (int, int16_unsigned_elt, c_layout) Array1.t = Array1.create int16_unsigned c_layout 5 in
  let f : (int, int16_unsigned_elt, fortran_layout) Array1.t = Array1.create int16_unsigned fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int16_unsigned c1" (string_of_int) a;
  row_f "int16_unsigned f1" (string_of_int) f;
  let a : (int, int16_unsigned_elt, c_layout) Array2.t = Array2.create int16_unsigned c_layout 2 3 in
  let f : (int, int16_unsigned_elt, fortran_layout) Array2.t = Array2.create int16_unsigned fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int16_unsigned c2" (string_of_int) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int16_unsigned f2" (string_of_int) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int, int16_unsigned_elt, c_layout) Array3.t = Array3.create int16_unsigned c_layout 2 3 2 in
  let f : (int, int16_unsigned_elt, fortran_layout) Array3.t = Array3.create int16_unsigned fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int16_unsigned c3" (string_of_int) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int16_unsigned f3" (string_of_int) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = Int32.mul (Int32.of_int x) 0x17654321l in
  let same name b = if not b then print_endline ("int32: not what was stored in " ^ name) in
  let a : (int32, int32_elt, c_layout) Array1.t = Array1.create int32 c_layout 5 in
  let f : (int32, int32_elt, fortran_layout) Array1.t = Array1.create int32 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int32 c1" (Int32.to_string) a;
  row_f "int32 f1" (Int32.to_string) f;
  let a : (int32, int32_elt, c_layout) Array2.t = Array2.create int32 c_layout 2 3 in
  let f : (int32, int32_elt, fortran_layout) Array2.t = Array2.create int32 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int32 c2" (Int32.to_string) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int32 f2" (Int32.to_string) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int32, int32_elt, c_layout) Array3.t = Array3.create int32 c_layout 2 3 2 in
  let f : (int32, int32_elt, fortran_layout) Array3.t = Array3.create int32 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int32 c3" (Int32.to_string) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int32 f3" (Int32.to_string) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = Int64.mul (Int64.of_int x) 0x1765432112345678L in
  let same name b = if not b then print_endline ("int64: not what was stored in " ^ name) in
  let a : (int64, int64_elt, c_layout) Array1.t = Array1.create int64 c_layout 5 in
  let f : (int64, int64_elt, fortran_layout) Array1.t = Array1.create int64 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int64 c1" (Int64.to_string) a;
  row_f "int64 f1" (Int64.to_string) f;
  let a : (int64, int64_elt, c_layout) Array2.t = Array2.create int64 c_layout 2 3 in
  let f : (int64, int64_elt, fortran_layout) Array2.t = Array2.create int64 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int64 c2" (Int64.to_string) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int64 f2" (Int64.to_string) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int64, int64_elt, c_layout) Array3.t = Array3.create int64 c_layout 2 3 2 in
  let f : (int64, int64_elt, fortran_layout) Array3.t = Array3.create int64 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int64 c3" (Int64.to_string) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int64 f3" (Int64.to_string) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = x * 0x1765432112345678 in
  let same name b = if not b then print_endline ("int: not what was stored in " ^ name) in
  let a : (int, int_elt, c_layout) Array1.t = Array1.create int c_layout 5 in
  let f : (int, int_elt, fortran_layout) Array1.t = Array1.create int fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "int c1" (string_of_int) a;
  row_f "int f1" (string_of_int) f;
  let a : (int, int_elt, c_layout) Array2.t = Array2.create int c_layout 2 3 in
  let f : (int, int_elt, fortran_layout) Array2.t = Array2.create int fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "int c2" (string_of_int) (reshape_1 (genarray_of_array2 a) 6);
  row_f "int f2" (string_of_int) (reshape_1 (genarray_of_array2 f) 6);
  let a : (int, int_elt, c_layout) Array3.t = Array3.create int c_layout 2 3 2 in
  let f : (int, int_elt, fortran_layout) Array3.t = Array3.create int fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "int c3" (string_of_int) (reshape_1 (genarray_of_array3 a) 12);
  row_f "int f3" (string_of_int) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = Nativeint.mul (Nativeint.of_int x) 0x1765432112345678n in
  let same name b = if not b then print_endline ("nativeint: not what was stored in " ^ name) in
  let a : (nativeint, nativeint_elt, c_layout) Array1.t = Array1.create nativeint c_layout 5 in
  let f : (nativeint, nativeint_elt, fortran_layout) Array1.t = Array1.create nativeint fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "nativeint c1" (Nativeint.to_string) a;
  row_f "nativeint f1" (Nativeint.to_string) f;
  let a : (nativeint, nativeint_elt, c_layout) Array2.t = Array2.create nativeint c_layout 2 3 in
  let f : (nativeint, nativeint_elt, fortran_layout) Array2.t = Array2.create nativeint fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "nativeint c2" (Nativeint.to_string) (reshape_1 (genarray_of_array2 a) 6);
  row_f "nativeint f2" (Nativeint.to_string) (reshape_1 (genarray_of_array2 f) 6);
  let a : (nativeint, nativeint_elt, c_layout) Array3.t = Array3.create nativeint c_layout 2 3 2 in
  let f : (nativeint, nativeint_elt, fortran_layout) Array3.t = Array3.create nativeint fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "nativeint c3" (Nativeint.to_string) (reshape_1 (genarray_of_array3 a) 12);
  row_f "nativeint f3" (Nativeint.to_string) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = { Complex.re = float x /. 4.; im = float (- x) } in
  let same name b = if not b then print_endline ("complex32: not what was stored in " ^ name) in
  let a : (Complex.t, complex32_elt, c_layout) Array1.t = Array1.create complex32 c_layout 5 in
  let f : (Complex.t, complex32_elt, fortran_layout) Array1.t = Array1.create complex32 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "complex32 c1" (complex) a;
  row_f "complex32 f1" (complex) f;
  let a : (Complex.t, complex32_elt, c_layout) Array2.t = Array2.create complex32 c_layout 2 3 in
  let f : (Complex.t, complex32_elt, fortran_layout) Array2.t = Array2.create complex32 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "complex32 c2" (complex) (reshape_1 (genarray_of_array2 a) 6);
  row_f "complex32 f2" (complex) (reshape_1 (genarray_of_array2 f) 6);
  let a : (Complex.t, complex32_elt, c_layout) Array3.t = Array3.create complex32 c_layout 2 3 2 in
  let f : (Complex.t, complex32_elt, fortran_layout) Array3.t = Array3.create complex32 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "complex32 c3" (complex) (reshape_1 (genarray_of_array3 a) 12);
  row_f "complex32 f3" (complex) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = { Complex.re = float x /. 3.; im = float (- x) } in
  let same name b = if not b then print_endline ("complex64: not what was stored in " ^ name) in
  let a : (Complex.t, complex64_elt, c_layout) Array1.t = Array1.create complex64 c_layout 5 in
  let f : (Complex.t, complex64_elt, fortran_layout) Array1.t = Array1.create complex64 fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "complex64 c1" (complex) a;
  row_f "complex64 f1" (complex) f;
  let a : (Complex.t, complex64_elt, c_layout) Array2.t = Array2.create complex64 c_layout 2 3 in
  let f : (Complex.t, complex64_elt, fortran_layout) Array2.t = Array2.create complex64 fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "complex64 c2" (complex) (reshape_1 (genarray_of_array2 a) 6);
  row_f "complex64 f2" (complex) (reshape_1 (genarray_of_array2 f) 6);
  let a : (Complex.t, complex64_elt, c_layout) Array3.t = Array3.create complex64 c_layout 2 3 2 in
  let f : (Complex.t, complex64_elt, fortran_layout) Array3.t = Array3.create complex64 fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "complex64 c3" (complex) (reshape_1 (genarray_of_array3 a) 12);
  row_f "complex64 f3" (complex) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

let () =
  let value x = Char.chr (x * 5 land 255) in
  let same name b = if not b then print_endline ("char: not what was stored in " ^ name) in
  let a : (char, int8_unsigned_elt, c_layout) Array1.t = Array1.create char c_layout 5 in
  let f : (char, int8_unsigned_elt, fortran_layout) Array1.t = Array1.create char fortran_layout 5 in
  for i = 0 to 4 do a.{i} <- value i; f.{i + 1} <- value (-i) done;
  row "char c1" (String.make 1) a;
  row_f "char f1" (String.make 1) f;
  let a : (char, int8_unsigned_elt, c_layout) Array2.t = Array2.create char c_layout 2 3 in
  let f : (char, int8_unsigned_elt, fortran_layout) Array2.t = Array2.create char fortran_layout 2 3 in
  for i = 0 to 1 do for j = 0 to 2 do
    a.{i, j} <- value ((10 * i) + j); f.{i + 1, j + 1} <- value ((10 * i) + j); same "2" (a.{i, j} = f.{i + 1, j + 1})
  done done;
  row "char c2" (String.make 1) (reshape_1 (genarray_of_array2 a) 6);
  row_f "char f2" (String.make 1) (reshape_1 (genarray_of_array2 f) 6);
  let a : (char, int8_unsigned_elt, c_layout) Array3.t = Array3.create char c_layout 2 3 2 in
  let f : (char, int8_unsigned_elt, fortran_layout) Array3.t = Array3.create char fortran_layout 2 3 2 in
  for i = 0 to 1 do for j = 0 to 2 do for k = 0 to 1 do
    a.{i, j, k} <- value ((100 * i) + (10 * j) + k);
    Array3.unsafe_set f (i + 1) (j + 1) (k + 1) (value ((100 * i) + (10 * j) + k));
    same "3" (Array3.unsafe_get a i j k = f.{i + 1, j + 1, k + 1})
  done done done;
  row "char c3" (String.make 1) (reshape_1 (genarray_of_array3 a) 12);
  row_f "char f3" (String.make 1) (reshape_1 (genarray_of_array3 f) 12);
  (match a.{1, 3, 0} with _ -> print_string "in bounds" | exception Invalid_argument s -> print_string s);
  (match f.{1, 2, 3} <- value 1 with _ -> print_endline " in bounds" | exception Invalid_argument s -> print_endline (" " ^ s))

(* Whether each of these indices is in bounds, by reading and by writing. *)
let indices = [ -1; 0; 1; 2; 3; 4; max_int; min_int; max_int / 2; min_int / 2; 1 lsl 32 ]

let bounds name read write =
  Printf.printf "%s:" name;
  let access f i =
    match f i with
    | () -> print_string "+"
    | exception Invalid_argument s -> print_string (if s = "index out of bounds" then "-" else s)
  in
  List.iter (fun i -> print_string " "; access read i; access write i) indices;
  print_newline ()

let total = ref 0
let seen x = total := !total + x

let of_size n =
  Printf.printf "dimensions of %d\n" n;
  let a : (int, int_elt, c_layout) Array1.t = Array1.create int c_layout n in
  let f : (int, int16_signed_elt, fortran_layout) Array1.t = Array1.create int16_signed fortran_layout n in
  let b : (char, int8_unsigned_elt, c_layout) Array1.t = Array1.create char c_layout n in
  Array1.fill a 7; Array1.fill f 8; Array1.fill b 'b';
  bounds "c1" (fun i -> seen a.{i}) (fun i -> a.{i} <- i);
  bounds "f1" (fun i -> seen f.{i}) (fun i -> f.{i} <- i);
  bounds "b1" (fun i -> seen (Char.code b.{i})) (fun i -> b.{i} <- 'c');
  let a : (float, float64_elt, c_layout) Array2.t = Array2.create float64 c_layout n 3 in
  let f : (float, float32_elt, fortran_layout) Array2.t = Array2.create float32 fortran_layout 3 n in
  Array2.fill a 0.5; Array2.fill f 0.25;
  let see x = seen (int_of_float (x *. 4.)) in
  bounds "c2, first" (fun i -> see a.{i, 0}) (fun i -> a.{i, 2} <- float i);
  bounds "c2, second" (fun i -> see a.{0, i}) (fun i -> a.{0, i} <- 4.);
  bounds "f2, first" (fun i -> see f.{i, 1}) (fun i -> f.{i, 2} <- 8.);
  bounds "f2, second" (fun i -> see f.{1, i}) (fun i -> f.{3, i} <- 8.);
  bounds "c2, both" (fun i -> see a.{i, i}) (fun i -> a.{i, i} <- 1.);
  let a : (int64, int64_elt, c_layout) Array3.t = Array3.create int64 c_layout 3 n 2 in
  let f : (Complex.t, complex64_elt, fortran_layout) Array3.t = Array3.create complex64 fortran_layout 2 n 3 in
  Array3.fill a 5L; Array3.fill f { Complex.re = 1.; im = 2. };
  let see x = seen (Int64.to_int x) and see_complex (x : Complex.t) = seen (int_of_float (x.re +. x.im)) in
  bounds "c3, first" (fun i -> see a.{i, 0, 0}) (fun i -> a.{i, 0, 1} <- 3L);
  bounds "c3, second" (fun i -> see a.{2, i, 0}) (fun i -> a.{2, i, 1} <- 4L);
  bounds "c3, third" (fun i -> see a.{1, 0, i}) (fun i -> a.{1, 0, i} <- 6L);
  bounds "f3, first" (fun i -> see_complex f.{i, 1, 1}) (fun i -> f.{i, 1, 2} <- Complex.one);
  bounds "f3, second" (fun i -> see_complex f.{2, i, 1}) (fun i -> f.{2, i, 3} <- Complex.i);
  bounds "f3, third" (fun i -> see_complex f.{1, 1, i}) (fun i -> f.{2, 1, i} <- Complex.one);
  let g = Genarray.create int32 c_layout [| 2; n; 2; 1 |] in
  Genarray.fill g 9l;
  let see x = seen (Int32.to_int x) in
  bounds "generic" (fun i -> see g.{1, i, 1, 0}) (fun i -> Genarray.set g [| 0; i; 0; 0 |] 2l);
  let sum = ref 0 in
  for i = 0 to Array3.dim1 a - 1 do
    for j = 0 to Array3.dim2 a - 1 do
      for k = 0 to Array3.dim3 a - 1 do sum := (3 * !sum) + Int64.to_int a.{i, j, k} done
    done
  done;
  Printf.printf "%d %d\n" !total !sum

let () = List.iter of_size [ 0; 1; 2; 3 ]

(* A loop whose first accesses are in bounds: what was done before the exception is seen. *)
let prefix (a : (int, int_elt, c_layout) Array2.t) (b : (int, int_elt, fortran_layout) Array2.t) n =
  let turns = ref 0 in
  (try
     for i = 0 to n do
       for j = 0 to n do
         incr turns;
         b.{i + 1, j + 1} <- a.{i, j} + a.{i, 0} + !turns
       done
     done
   with Invalid_argument _ -> print_string "stopped ");
  let s = ref 0 in
  for i = 1 to Array2.dim1 b do for j = 1 to Array2.dim2 b do s := (7 * !s) + b.{i, j} done done;
  Printf.printf "%d %d\n" !turns !s

let () =
  let make n m = let a = Array2.create int c_layout n m in Array2.fill a 1; a in
  let make_f n m = let a = Array2.create int fortran_layout n m in Array2.fill a 0; a in
  prefix (make 3 3) (make_f 3 3) 2;
  prefix (make 3 3) (make_f 3 3) 3;
  prefix (make 2 3) (make_f 3 3) 2;
  prefix (make 3 3) (make_f 3 2) 2;
  prefix (make 0 3) (make_f 3 3) 2;
  prefix (make 3 0) (make_f 3 3) 2

(* The element and the indices are evaluated before the check of the first index. *)
let () =
  let a : (float, float64_elt, c_layout) Array2.t = Array2.create float64 c_layout 2 2 in
  let say s x = print_string s; x in
  (try a.{say "first " 5, say "second " 1} <- say "element " 1. with Invalid_argument _ -> print_endline "raised");
  try ignore a.{say "first " 2, say "second " 1} with Invalid_argument _ -> print_endline "raised"
