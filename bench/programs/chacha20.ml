(* The ChaCha20 stream cipher on Int32: key stream, encryption and decryption of a long message. *)

let rotl x n = Int32.logor (Int32.shift_left x n) (Int32.shift_right_logical x (32 - n))

(* The working state is an array of sixteen boxed words. *)
let quarter_round s a b c d =
  let step x y z n =
    s.(x) <- Int32.add s.(x) s.(y);
    s.(z) <- rotl (Int32.logxor s.(z) s.(x)) n
  in
  step a b d 16;
  step c d b 12;
  step a b d 8;
  step c d b 7

let double_round s =
  quarter_round s 0 4 8 12;
  quarter_round s 1 5 9 13;
  quarter_round s 2 6 10 14;
  quarter_round s 3 7 11 15;
  quarter_round s 0 5 10 15;
  quarter_round s 1 6 11 12;
  quarter_round s 2 7 8 13;
  quarter_round s 3 4 9 14

module Cipher : sig
  type t

  val create : key:string -> nonce:string -> t
  val block : t -> counter:int32 -> Bytes.t
  val apply : t -> counter:int32 -> string -> string
end = struct
  type t = { template : int32 array }

  let sigma = "expand 32-byte k"

  let create ~key ~nonce =
    if String.length key <> 32 || String.length nonce <> 12 then invalid_arg "Cipher.create";
    let word i =
      if i < 4 then String.get_int32_le sigma (4 * i)
      else if i < 12 then String.get_int32_le key (4 * (i - 4))
      else if i = 12 then 0l
      else String.get_int32_le nonce (4 * (i - 13))
    in
    { template = Array.init 16 word }

  let block t ~counter =
    let start = Array.copy t.template in
    start.(12) <- counter;
    let s = Array.copy start in
    for _ = 1 to 10 do
      double_round s
    done;
    let out = Bytes.create 64 in
    Array.iteri (fun i x -> Bytes.set_int32_le out (4 * i) (Int32.add x start.(i))) s;
    out

  let apply t ~counter message =
    let length = String.length message in
    let out = Bytes.create length in
    let rec go counter at =
      if at < length then begin
        let stream = block t ~counter in
        for i = 0 to min 64 (length - at) - 1 do
          let byte = Char.code message.[at + i] lxor Char.code (Bytes.get stream i) in
          Bytes.set out (at + i) (Char.unsafe_chr byte)
        done;
        go (Int32.succ counter) (at + 64)
      end
    in
    go counter 0;
    Bytes.unsafe_to_string out
end

let hex s = String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
let checksum s = String.fold_left (fun h c -> ((h * 131) + Char.code c) land 0xffffffff) 7 s

let () =
  let key = String.init 32 Char.chr in
  let nonce = "\000\000\000\009\000\000\000\074\000\000\000\000" in
  let cipher = Cipher.create ~key ~nonce in
  print_endline (hex (Bytes.sub_string (Cipher.block cipher ~counter:1l) 0 32));
  let message = String.init 9_000_000 (fun i -> Char.chr (32 + (i * i mod 90))) in
  let secret = Cipher.apply cipher ~counter:1l message in
  let back = Cipher.apply cipher ~counter:1l secret in
  Printf.printf "encrypted %08x, decrypted %b\n" (checksum secret) (String.equal back message)
