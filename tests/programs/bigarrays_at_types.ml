(* Functions of bigarrays of any kind and layout, used at many. *)

open Bigarray

let get1 a i = Array1.get a i
let set1 a i x = Array1.set a i x
let sum add zero a = let s = ref zero in for i = 0 to Array1.dim a - 1 do s := add !s a.{i} done; !s
let get2 a i j = a.{i, j}
let get3 a i j k = a.{i, j, k}

let product a b c =
  for i = 0 to Array2.dim1 a - 1 do
    for j = 0 to Array2.dim2 b - 1 do
      let s = ref 0. in
      for k = 0 to Array2.dim2 a - 1 do s := !s +. (a.{i, k} *. b.{k, j}) done;
      c.{i, j} <- !s
    done
  done

let rotate a =
  let n = Array1.dim a in
  let first = a.{0} in
  for i = 1 to n - 1 do a.{i - 1} <- a.{i} done;
  a.{n - 1} <- first

let fill_fortran a x = for i = 1 to Array1.dim a do a.{i} <- x done
let last a = let rec go i = try ignore a.{i}; go (i + 1) with Invalid_argument _ -> i in go 0

(* At a type of its own, and through a function that is passed. *)
type vector = (float, float32_elt, c_layout) Array1.t

let total (v : vector) = sum ( +. ) 0. v
let apply f a i = f a i

let error f = match f () with _ -> print_endline "none" | exception Invalid_argument s -> print_endline s

let () =
  let floats = Array1.of_array float64 c_layout [| 1.5; 2.5; -0.; nan |] in
  let singles = Array1.of_array float32 c_layout [| 0.1; 0.25; 1e10 |] in
  let bytes = Array1.of_array int8_unsigned c_layout [| 1; 255; 256; -1 |] in
  let chars = Array1.of_array char c_layout [| 'a'; 'b' |] in
  let shorts = Array1.of_array int16_signed c_layout [| 32767; 32768; -5 |] in
  let longs = Array1.of_array int64 c_layout [| Int64.max_int; 1L; 2L |] in
  let words = Array1.of_array nativeint c_layout [| 7n; -8n |] in
  let ints32 = Array1.of_array int32 fortran_layout [| 5l; 6l; 7l |] in
  let ints = Array1.of_array int c_layout [| max_int; min_int; 3 |] in
  let complex = Array1.of_array complex64 c_layout [| Complex.i; Complex.one |] in
  for i = 0 to 3 do Printf.printf "%h %d " (get1 floats i) (get1 bytes i) done;
  Printf.printf "\n%h %c %d %Ld %nd %ld %d\n" (get1 singles 0) (get1 chars 1) (get1 shorts 1) (get1 longs 0) (get1 words 1)
    (get1 ints32 1) (get1 ints 0);
  Printf.printf "%h\n" (get1 complex 0).Complex.im;
  set1 floats 1 4.25; set1 bytes 2 511; set1 chars 0 'z'; set1 longs 1 (-3L); set1 ints32 3 9l; set1 singles 2 0.3;
  set1 complex 1 { Complex.re = 2.; im = 3. };
  Printf.printf "%h %d %c %Ld %ld %h %h\n" floats.{1} bytes.{2} chars.{0} longs.{1} ints32.{3} singles.{2} complex.{1}.Complex.im;
  Printf.printf "%h %d %Ld %h\n" (sum ( +. ) 0. singles) (sum ( + ) 0 bytes) (sum Int64.add 0L longs) (total singles);
  rotate bytes; rotate floats; rotate words; rotate chars;
  Printf.printf "%d %h %nd %c\n" bytes.{3} floats.{3} words.{1} chars.{1};
  fill_fortran ints32 11l;
  Printf.printf "%ld %d %d\n" (get1 ints32 3) (last bytes) (last floats);
  List.iter (fun i -> error (fun () -> get1 bytes i)) [ -1; 4; max_int ];
  error (fun () -> get1 ints32 0);
  error (fun () -> set1 ints32 4 0l);
  error (fun () -> set1 floats 4 0.);
  let matrix layout f = let m = Array2.create float64 layout 3 3 in f m; m in
  let a = matrix c_layout (fun m -> for i = 0 to 2 do for j = 0 to 2 do m.{i, j} <- float_of_int ((3 * i) + j) done done) in
  let b = matrix c_layout (fun m -> Array2.fill m 0.5) and c = matrix c_layout (fun m -> Array2.fill m 0.) in
  product a b c;
  Printf.printf "%h %h\n" (get2 c 0 0) (get2 c 2 1);
  error (fun () -> get2 c 0 3);
  let f = Array2.create int32 fortran_layout 2 4 in
  for i = 1 to 2 do for j = 1 to 4 do f.{i, j} <- Int32.of_int ((10 * i) + j) done done;
  Printf.printf "%ld %ld\n" (get2 f 2 3) (apply (fun a j -> get2 a 1 j) f 4);
  error (fun () -> get2 f 0 1);
  error (fun () -> get2 f 3 1);
  let cube = Array3.create int8_signed c_layout 2 3 4 in
  Array3.fill cube 0;
  cube.{1, 2, 3} <- -7;
  Printf.printf "%d %d\n" (get3 cube 1 2 3) (get3 cube 0 2 3);
  error (fun () -> get3 cube 1 3 0);
  let genarray = Genarray.create float64 c_layout [| 2; 2 |] in
  Genarray.fill genarray 1.25;
  Printf.printf "%h\n" (get2 (array2_of_genarray genarray) 1 1)
