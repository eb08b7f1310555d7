(* Loops of few turns, whose number is known: all ways to count, to end and to leave. *)

let crc8 byte =
  let rec shift n crc =
    if n = 0 then crc
    else
      let crc = crc lsl 1 in
      shift (n - 1) (if crc land 256 <> 0 then crc lxor 0x107 else crc)
  in
  shift 8 byte

let dot a b =
  let sum = ref 0. in
  for i = 0 to 3 do sum := !sum +. (a.(i) *. b.(i)) done;
  !sum

let backwards s =
  let b = Bytes.create 5 in
  for i = 4 downto 0 do Bytes.set b (4 - i) s.[i] done;
  Bytes.to_string b

(* Leaves in the middle, or raises there. *)
let first_above limit a =
  let rec go i = if i = 6 then -1 else if a.(i) > limit then i else go (i + 1) in
  try go 0 with Invalid_argument _ -> -2

let nested m =
  let sum = ref 0 in
  for i = 0 to 2 do
    for j = i to 2 do sum := (!sum * 3) + m.(i).(j) done
  done;
  !sum

(* By other steps than one, past the end, along the largest integer. *)
let steps x =
  let rec up i acc = if i > 7 then acc else up (i + 3) ((acc * x) + i) in
  let rec over i acc = if i < 0 then acc else over (i + 1) (acc + x) in
  let rec halves i acc = if i = 0 then acc else halves (i / 2) (acc lxor (x lsl i)) in
  (up 0 1, over (max_int - 2) 0, halves 20 0)

let never x = let r = ref x in for i = 1 to 0 do r := !r + i done; !r
let once x = let r = ref x in for i = 7 to 7 do r := !r * i done; !r

(* Closures and references that live on see each turn's values. *)
let kept x =
  let all = ref [] in
  for i = 1 to 3 do all := (i, x + i) :: !all done;
  !all

let () =
  let x = Sys.opaque_identity 5 in
  Printf.printf "%d %d\n" (crc8 x) (crc8 (x * 31));
  Printf.printf "%.3f\n" (dot [| 1.; 2.; 3.; 4. |] (Array.make 4 (float_of_int x)));
  (match dot [| 1. |] [| 2. |] with f -> Printf.printf "%f\n" f | exception Invalid_argument s -> print_endline s);
  print_endline (backwards "abcde");
  let a = Array.init 6 (fun i -> i * x) in
  Printf.printf "%d %d %d\n" (first_above 11 a) (first_above 99 a) (first_above 99 (Array.sub a 0 3));
  Printf.printf "%d\n" (nested (Array.init 3 (fun i -> Array.init 3 (fun j -> i + (j * x)))));
  let up, over, halves = steps x in
  Printf.printf "%d %d %d %d %d\n" up over halves (never x) (once x);
  List.iter (fun (i, n) -> Printf.printf "%d:%d " i n) (kept x);
  print_newline ()
