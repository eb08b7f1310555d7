(* The xxHash64 function on Int64 arithmetic, one-shot and streaming, over blocks of many sizes. *)

let prime1 = 0x9E3779B185EBCA87L
let prime2 = 0xC2B2AE3D27D4EB4FL
let prime3 = 0x165667B19E3779F9L
let prime4 = 0x85EBCA77C2B2AE63L
let prime5 = 0x27D4EB2F165667C5L
let ( + ) = Int64.add
let ( - ) = Int64.sub
let ( * ) = Int64.mul
let ( ^ ) = Int64.logxor
let ( >> ) = Int64.shift_right_logical
let rotl x n = Int64.logor (Int64.shift_left x n) (x >> Stdlib.( - ) 64 n)
let round acc lane = rotl (acc + (lane * prime2)) 31 * prime1
let merge acc value = ((acc ^ round 0L value) * prime1) + prime4

let avalanche h =
  let h = (h ^ (h >> 33)) * prime2 in
  let h = (h ^ (h >> 29)) * prime3 in
  h ^ (h >> 32)

(* The four lanes of the main loop. *)
type lanes = { v1 : int64; v2 : int64; v3 : int64; v4 : int64 }

let start seed =
  { v1 = seed + prime1 + prime2; v2 = seed + prime2; v3 = seed; v4 = seed - prime1 }

let stripe data at { v1; v2; v3; v4 } =
  let lane i = String.get_int64_le data Stdlib.(at + (8 * i)) in
  { v1 = round v1 (lane 0); v2 = round v2 (lane 1); v3 = round v3 (lane 2); v4 = round v4 (lane 3) }

let converge { v1; v2; v3; v4 } =
  let sum = rotl v1 1 + rotl v2 7 + rotl v3 12 + rotl v4 18 in
  merge (merge (merge (merge sum v1) v2) v3) v4

(* The bytes after the last whole stripe. *)
let finish data at stop h =
  let rec words at h =
    if Stdlib.(at + 8 > stop) then halves at h
    else
      let k = round 0L (String.get_int64_le data at) in
      words Stdlib.(at + 8) ((rotl (h ^ k) 27 * prime1) + prime4)
  and halves at h =
    if Stdlib.(at + 4 > stop) then bytes at h
    else
      let k = Int64.logand (Int64.of_int32 (String.get_int32_le data at)) 0xFFFFFFFFL in
      halves Stdlib.(at + 4) ((rotl (h ^ (k * prime1)) 23 * prime2) + prime3)
  and bytes at h =
    if at >= stop then h
    else
      let k = Int64.of_int (Char.code data.[at]) in
      bytes Stdlib.(at + 1) (rotl (h ^ (k * prime5)) 11 * prime1)
  in
  avalanche (words at h)

let hash ?(seed = 0L) data =
  let length = String.length data in
  let rec stripes at lanes =
    if Stdlib.(at + 32 > length) then (at, converge lanes)
    else stripes Stdlib.(at + 32) (stripe data at lanes)
  in
  let at, h = if length >= 32 then stripes 0 (start seed) else (0, seed + prime5) in
  finish data at length (h + Int64.of_int length)

(* Streaming: whole stripes are consumed as they come, the rest is kept. *)
module Stream = struct
  type t = { mutable lanes : lanes; mutable rest : string; mutable total : int; seed : int64 }

  let create seed = { lanes = start seed; rest = ""; total = 0; seed }

  let feed t chunk =
    let data = Stdlib.( ^ ) t.rest chunk in
    let at = ref 0 in
    while Stdlib.(!at + 32 <= String.length data) do
      t.lanes <- stripe data !at t.lanes;
      at := Stdlib.(!at + 32)
    done;
    t.rest <- String.sub data !at Stdlib.(String.length data - !at);
    t.total <- Stdlib.(t.total + String.length chunk)

  let result t =
    let h = if t.total >= 32 then converge t.lanes else t.seed + prime5 in
    finish t.rest 0 (String.length t.rest) (h + Int64.of_int t.total)
end

let text length = String.init length (fun i -> Char.chr Stdlib.(((i * 131) + (i / 7)) land 255))

let () =
  Printf.printf "empty %016Lx\n" (hash "");
  Printf.printf "abc %016Lx\n" (hash "abc");
  let data = text 2_000_003 in
  let sum = ref 0L in
  for i = 1 to 300 do
    sum := !sum + hash ~seed:(Int64.of_int i) data
  done;
  Printf.printf "long %016Lx\n" !sum;
  for length = 0 to 50_000 do
    sum := !sum ^ hash ~seed:!sum (String.sub data length (length / 5))
  done;
  Printf.printf "short %016Lx\n" !sum;
  let stream = Stream.create 7L in
  for i = 0 to 200_000 do
    Stream.feed stream (String.sub data i Stdlib.(i mod 257))
  done;
  Printf.printf "stream %016Lx\n" (Stream.result stream)
