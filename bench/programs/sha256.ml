(* SHA-256 on Int32 arithmetic, hashing long messages and a chain of digests. *)

let ( +% ) = Int32.add
let ( ^% ) = Int32.logxor
let ( &% ) = Int32.logand
let rotr x n = Int32.logor (Int32.shift_right_logical x n) (Int32.shift_left x (32 - n))

(* The constants are the first 32 bits of the fractional parts of roots of
   primes, so no table has to be written down. *)
let primes count =
  let is_prime n =
    let rec go d = d * d > n || (n mod d <> 0 && go (d + 1)) in
    go 2
  in
  let rec go acc n left =
    if left = 0 then List.rev acc
    else if is_prime n then go (n :: acc) (n + 1) (left - 1)
    else go acc (n + 1) left
  in
  Array.of_list (go [] 2 count)

let fraction root p =
  let r = root (float_of_int p) in
  Int32.of_int (int_of_float ((r -. floor r) *. 4294967296.))

let round_constants = Array.map (fraction Float.cbrt) (primes 64)
let initial = Array.map (fraction sqrt) (primes 8)

type state = { hash : int32 array; schedule : int32 array }

let create () = { hash = Array.copy initial; schedule = Array.make 64 0l }
let small_sigma0 x = rotr x 7 ^% rotr x 18 ^% Int32.shift_right_logical x 3
let small_sigma1 x = rotr x 17 ^% rotr x 19 ^% Int32.shift_right_logical x 10
let big_sigma0 x = rotr x 2 ^% rotr x 13 ^% rotr x 22
let big_sigma1 x = rotr x 6 ^% rotr x 11 ^% rotr x 25
let choose e f g = (e &% f) ^% (Int32.lognot e &% g)
let majority a b c = (a &% b) ^% (a &% c) ^% (b &% c)

let expand schedule block offset =
  for i = 0 to 15 do
    schedule.(i) <- Bytes.get_int32_be block (offset + (4 * i))
  done;
  for i = 16 to 63 do
    schedule.(i) <-
      small_sigma1 schedule.(i - 2) +% schedule.(i - 7) +% small_sigma0 schedule.(i - 15)
      +% schedule.(i - 16)
  done

let compress { hash; schedule } block offset =
  expand schedule block offset;
  let rec rounds i a b c d e f g h =
    if i = 64 then begin
      let add k x = hash.(k) <- hash.(k) +% x in
      add 0 a; add 1 b; add 2 c; add 3 d;
      add 4 e; add 5 f; add 6 g; add 7 h
    end
    else
      let t1 = h +% big_sigma1 e +% choose e f g +% round_constants.(i) +% schedule.(i) in
      let t2 = big_sigma0 a +% majority a b c in
      rounds (i + 1) (t1 +% t2) a b c (d +% t1) e f g
  in
  rounds 0 hash.(0) hash.(1) hash.(2) hash.(3) hash.(4) hash.(5) hash.(6) hash.(7)

let padded message =
  let length = String.length message in
  let total = (length + 8) / 64 * 64 + 64 in
  let block = Bytes.make total '\000' in
  Bytes.blit_string message 0 block 0 length;
  Bytes.set block length '\x80';
  Bytes.set_int64_be block (total - 8) (Int64.of_int (8 * length));
  block

let digest message =
  let state = create () in
  let block = padded message in
  for i = 0 to (Bytes.length block / 64) - 1 do
    compress state block (64 * i)
  done;
  let out = Bytes.create 32 in
  Array.iteri (fun i word -> Bytes.set_int32_be out (4 * i) word) state.hash;
  Bytes.to_string out

let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))

let rec chain n d = if n = 0 then d else chain (n - 1) (digest d)

let () =
  print_endline (hex (digest "abc"));
  print_endline (hex (digest (String.init 14_000_000 (fun i -> Char.chr (i * 7 land 255)))));
  print_endline (hex (chain 250_000 "flambeau"))
