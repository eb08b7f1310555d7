(* Arrays of int32, int64 and nativeint that nobody else sees hold numbers: sizes that are not known, empty arrays,
   exceptions of the runtime, parts that it copies, collections. *)
let mix n seed =
  let a = Array.init n (fun i -> Int64.mul (Int64.of_int (i + seed)) 0x9E3779B97F4A7C15L) in
  let b = Array.copy a in
  let c = Array.append a b in
  let part = Array.make (n + 1) 3L in
  Array.blit part 0 part 1 n;
  Array.fill part 0 (n / 2) 77L;
  let d = if n > 3 then Array.sub c 1 (n - 1) else [||] in
  Array.fill c 0 (n / 2) Int64.min_int;
  Array.blit c 0 c (n / 2) (n / 2);
  Array.iteri (fun i x -> b.(i) <- Int64.logxor x (Int64.shift_left x 7)) a;
  let acc = ref 0L in
  Array.iter (fun x -> acc := Int64.add (Int64.mul !acc 31L) x) c;
  for i = 0 to Array.length d - 1 do acc := Int64.logxor !acc d.(i) done;
  for i = Array.length b - 1 downto 0 do acc := Int64.sub !acc b.(i) done;
  for i = 0 to n do acc := Int64.add (Int64.mul !acc 17L) part.(i); part.(i) <- !acc done;
  !acc

let mix32 n seed =
  let a = Array.make n (Int32.of_int seed) in
  for i = 1 to n - 1 do a.(i) <- Int32.add (Int32.mul a.(i - 1) 1664525l) 1013904223l done;
  let s = [| 1l; -1l; Int32.of_int n; 0x7fffffffl |] in
  for i = 0 to n - 1 do s.(i land 3) <- Int32.logxor s.(i land 3) a.(i) done;
  Int32.add s.(0) (Int32.add s.(1) (Int32.sub s.(2) s.(3)))

(* Hidden state of a generator, with a table and an array in a record. *)
module Generator : sig
  type t

  val make : int -> t
  val next : t -> int
end = struct
  type t = { state : int64 array; mutable uses : int }

  let make seed = { state = Array.init 4 (fun i -> Int64.of_int ((seed * 77) + i)); uses = 0 }
  let rotl x k = Int64.logor (Int64.shift_left x k) (Int64.shift_right_logical x (64 - k))

  let next { state = s; _ } =
    let result = Int64.add (rotl (Int64.add s.(0) s.(3)) 23) s.(0) in
    let t = Int64.shift_left s.(1) 17 in
    s.(2) <- Int64.logxor s.(2) s.(0);
    s.(3) <- Int64.logxor s.(3) s.(1);
    s.(1) <- Int64.logxor s.(1) s.(2);
    s.(0) <- Int64.logxor s.(0) s.(3);
    s.(2) <- Int64.logxor s.(2) t;
    s.(3) <- rotl s.(3) 45;
    Int64.to_int (Int64.shift_right_logical result 2)
end

let mixn n seed =
  let a = Array.make n (Nativeint.of_int seed) in
  for i = 1 to n - 1 do a.(i) <- Nativeint.shift_right_logical (Nativeint.mul a.(i - 1) 1664525n) 3 done;
  Nativeint.to_int a.(n / 2) + Array.length a
(* Never read: no number. *)
type cell = { mutable value : int64; mutable steps : int }

let[@inline never] unread_number n (nothing : int64) =
  let r = { value = nothing; steps = 0 } and a = Array.make 2 nothing in
  let rec go i =
    if i < n then begin
      r.steps <- r.steps + i;
      if i = -2 then r.value <- Int64.succ a.(r.steps);
      a.(i land 1) <- r.value;
      go (i + 1)
    end
  in
  go 0;
  r.steps

let () = Printf.printf "%d\n" (unread_number 5 (Obj.magic 0))

let () =
  let g = Generator.make 5 in
  for i = 1 to 10_000 do if Generator.next g land 4095 = 0 then (Gc.minor (); Printf.printf "%d " i) done;
  Printf.printf "%d\n" (Generator.next g)

let () =
  List.iter (fun n ->
    Printf.printf "%d %Ld %ld\n" n (mix n 7) (mix32 n (n * 77));
    (try Printf.printf "%d\n" (mixn n n) with Invalid_argument s -> print_endline s)) [ 0; 1; 2; 3; 5; 16; 300; 5000 ];
  List.iter (fun n -> try ignore (mix32 n 1); print_endline "?" with Invalid_argument s -> print_endline s) [ -1; max_int; 1 lsl 54 ];
  (try ignore (mix (-1) 1) with Invalid_argument s -> print_endline s);
  let a = Array.make 3 5L in
  (try a.(3) <- 1L with Invalid_argument s -> print_endline s);
  (try Array.fill a 2 2 0L with Invalid_argument s -> print_endline s);
  (try Array.blit a 2 a 0 2 with Invalid_argument s -> print_endline s);
  for i = 1 to 100000 do a.(i mod 3) <- Int64.add a.((i + 1) mod 3) (Int64.of_int i); if i mod 10000 = 0 then Gc.compact () done;
  Printf.printf "%Ld %Ld %Ld\n" a.(0) a.(1) a.(2)
