(* Random generators: the library's (S6), and one in a record of mutable int64 (S9, D9). *)

let row = Measure.row

let () = Random.init 42

let () =
  row "S6 Random.float" (fun n ->
      let s = ref 0. in
      for _ = 1 to n do
        s := !s +. Random.float 2.
      done;
      !s);
  row "S6 Random.int" (fun n ->
      let s = ref 0 in
      for _ = 1 to n do
        s := !s + Random.int 1000
      done;
      !s);
  row "S6 Random.nativeint" (fun n ->
      let s = ref 0n in
      for _ = 1 to n do
        s := Nativeint.add !s (Random.nativeint 1000n)
      done;
      !s);
  row "S6 Random.int32" (fun n ->
      let s = ref 0l in
      for _ = 1 to n do
        s := Int32.add !s (Random.int32 1000l)
      done;
      !s);
  row "S6 Random.int64" (fun n ->
      let s = ref 0L in
      for _ = 1 to n do
        s := Int64.add !s (Random.int64 1000L)
      done;
      !s);
  row "S6 Random.bool" (fun n ->
      let s = ref 0 in
      for _ = 1 to n do
        if Random.bool () then incr s
      done;
      !s)

(* Generators of data, as tests have them, driven by the library's. *)
type 'a gen = Random.State.t -> 'a

let int_range low high : int gen = fun st -> low + Random.State.int st (high - low + 1)
let float_range low high : float gen = fun st -> low +. Random.State.float st (high -. low)
let pair (a : 'a gen) (b : 'b gen) : ('a * 'b) gen = fun st -> let x = a st in let y = b st in (x, y)
let map f (a : 'a gen) : 'b gen = fun st -> f (a st)
let list_of size (a : 'a gen) : 'a list gen = fun st -> List.init (size st) (fun _ -> a st)

let () =
  row "S6 a program driven by generators" (fun n ->
      let st = Random.State.make [| 7 |] in
      let point = pair (float_range 0. 1.) (map (fun x -> x * x) (int_range 1 9)) in
      let points = list_of (int_range 3 6) point in
      let s = ref 0. in
      for _ = 1 to n / 10 do
        List.iter (fun (x, k) -> s := !s +. (x *. float k)) (points st)
      done;
      !s)

(* xoshiro256: four mutable int64. *)
type t = { mutable s0 : int64; mutable s1 : int64; mutable s2 : int64; mutable s3 : int64 }

let rotl x k = Int64.logor (Int64.shift_left x k) (Int64.shift_right_logical x (64 - k))

let next t =
  let result = Int64.add (rotl (Int64.add t.s0 t.s3) 23) t.s0 in
  let shifted = Int64.shift_left t.s1 17 in
  t.s2 <- Int64.logxor t.s2 t.s0;
  t.s3 <- Int64.logxor t.s3 t.s1;
  t.s1 <- Int64.logxor t.s1 t.s2;
  t.s0 <- Int64.logxor t.s0 t.s3;
  t.s2 <- Int64.logxor t.s2 shifted;
  t.s3 <- rotl t.s3 45;
  result

let float01 t = Int64.to_float (Int64.shift_right_logical (next t) 11) *. 0x1.p-53

let () =
  row "S9 a record of four mutable int64" (fun n ->
      let t = { s0 = 1L; s1 = 2L; s2 = 3L; s3 = 4L } in
      let inside = ref 0 in
      for _ = 1 to n do
        let x = float01 t and y = float01 t in
        if (x *. x) +. (y *. y) < 1. then incr inside
      done;
      !inside);
  row "S9 the record kept" (fun n ->
      let t = Sys.opaque_identity { s0 = 1L; s1 = 2L; s2 = 3L; s3 = 4L } in
      let s = ref 0L in
      for _ = 1 to n do
        s := Int64.logxor !s (next t)
      done;
      (!s, t.s0))

type cell = { mutable value : int; mutable writes : int }

let () =
  row "D9 dead stores" (fun n ->
      let c = Sys.opaque_identity { value = 0; writes = 0 } in
      for i = 1 to n do
        c.value <- i;
        c.writes <- c.writes + 1;
        c.value <- i + 1
      done;
      c.value + c.writes)
