(* Int32 of which only the low bits are needed, and of which more is: hashes, random numbers, stores, comparisons. *)
let rotl x n = Int32.logor (Int32.shift_left x n) (Int32.shift_right_logical x (32 - n))

let murmur s seed =
  let b = Bytes.unsafe_of_string s in
  let h = ref seed in
  for i = 0 to (String.length s / 4) - 1 do
    let k = Int32.mul (Bytes.get_int32_le b (i * 4)) 0xcc9e2d51l in
    let k = Int32.mul (rotl k 15) 0x1b873593l in
    h := Int32.add (Int32.mul (rotl (Int32.logxor !h k) 13) 5l) 0xe6546b64l
  done;
  let h = Int32.logxor !h (Int32.of_int (String.length s)) in
  let h = Int32.mul (Int32.logxor h (Int32.shift_right_logical h 16)) 0x85ebca6bl in
  let h = Int32.mul (Int32.logxor h (Int32.shift_right_logical h 13)) 0xc2b2ae35l in
  Int32.logxor h (Int32.shift_right_logical h 16)

let xorshift n =
  let state = ref 0x12d687l and sum = ref 0l in
  for _ = 1 to n do
    let x = Int32.logxor !state (Int32.shift_left !state 13) in
    let x = Int32.logxor x (Int32.shift_right_logical x 17) in
    state := Int32.logxor x (Int32.shift_left x 5);
    sum := Int32.add !sum !state
  done;
  (!state, !sum)

let crc = Array.init 256 (fun n ->
    let c = ref (Int32.of_int n) in
    for _ = 0 to 7 do
      c := if Int32.logand !c 1l <> 0l then Int32.logxor 0xedb88320l (Int32.shift_right_logical !c 1)
        else Int32.shift_right_logical !c 1
    done;
    !c)

let crc32 s =
  let c = ref 0xffffffffl in
  String.iter (fun ch ->
      let index = Int32.to_int (Int32.logand (Int32.logxor !c (Int32.of_int (Char.code ch))) 0xffl) in
      c := Int32.logxor crc.(index) (Int32.shift_right_logical !c 8)) s;
  Int32.logxor !c 0xffffffffl

(* Something needs the whole word: of a loop's variable, of one path of a join, of what is raised, after the loop. *)
exception Large of int32

let compared n limit =
  let x = ref 1l and y = ref 1l and larger = ref 0 in
  for i = 1 to n do
    x := Int32.add (Int32.mul !x 1103515245l) 12345l;
    y := Int32.mul !y 3l;
    if !x > limit then incr larger;
    if i = 1000 then raise (Large !y)
  done;
  (!larger, !x, Int32.shift_right !y 3)

let joined b x y =
  let z = if b then Int32.add x y else if x < y then Int32.mul x y else x in
  Int32.add (Int32.shift_left z 4) (Int32.div z 7l)

let small = Bigarray.(Array1.create int32 c_layout 4)

let stored x =
  let b = Bytes.make 8 '\000' in
  let x = Int32.mul (Int32.add x 0x7fffffffl) x in
  Bytes.set_int32_be b 1 (Int32.sub x 1l);
  Bigarray.Array1.set small 2 (Int32.shift_left x 3);
  (Bytes.to_string b, Bigarray.Array1.get small 2, Int32.to_int (Int32.add x x))

let masked x n = Int32.logand (Int32.add x (Int32.of_int n)) 0xffff0000l < Int32.logand (Int32.mul x x) 0x7fffl

let () =
  List.iter (fun s -> Printf.printf "%lx %lx\n" (murmur s 42l) (crc32 s)) [ ""; "abcd"; String.make 999 'q' ];
  let state, sum = xorshift 1000 in
  Printf.printf "%ld %ld\n" state sum;
  let larger, x, y = compared 999 0x10000000l in
  Printf.printf "%d %ld %ld\n" larger x y;
  (try ignore (compared 1001 0l) with Large y -> Printf.printf "large %ld %b\n" y (y < 0l));
  List.iter (fun x ->
      let bytes, element, twice = stored x in
      Printf.printf "%S %ld %d %ld %ld %ld %b %b\n" bytes element twice (joined true x 0x7fffffffl) (joined false x 9l)
        (joined false x (-9l)) (masked x 77) (masked x (-1)))
    [ 0l; 1l; -1l; Int32.max_int; Int32.min_int; 0x12345678l ]
