(* Indices at the edges of what can be proved to be in bounds: each loop and each guard that looks as if it kept an index in bounds,
   and does not. *)

let show name f =
  match f () with
  | n -> Printf.printf "%s %d\n" name n
  | exception Invalid_argument m -> Printf.printf "%s: %s\n" name m

let[@inline never] sum_from a i =
  let s = ref 0 in
  for j = i to Array.length a - 1 do
    s := !s + a.(j)
  done;
  !s

let[@inline never] sum_to a hi =
  let s = ref 0 in
  for j = 0 to hi do
    s := !s + a.(j)
  done;
  !s

let[@inline never] sum_down a hi lo =
  let s = ref 0 in
  for j = hi downto lo do
    s := !s + a.(j)
  done;
  !s

let[@inline never] by_steps a step =
  let s = ref 0 and i = ref 0 in
  while !i < Array.length a do
    s := !s + a.(!i);
    i := !i + step
  done;
  !s

(* The test is for one end only. *)
let[@inline never] until_equal a i =
  let rec go i s = if i = Array.length a then s else go (i + 2) (s + a.(i)) in
  go i 0

let[@inline never] neighbours a i = a.(i + 1) - a.(i)
let[@inline never] after a i = if i >= 0 then a.(i + 1) + a.(i) else -1
let[@inline never] middle a low high = a.((low + high) / 2)
let[@inline never] unsigned_middle a low high = a.((low + high) lsr 1)
let[@inline never] remainder a h = a.(h mod Array.length a)
let[@inline never] masked a h = a.(h land (Array.length a - 1))
let[@inline never] absolute a h = a.(abs h mod Array.length a)
let[@inline never] product a i = if i > 0 && i < Array.length a then a.(i * i) else -1
let[@inline never] shifted a i = a.(i lsl 1) + a.(i asr 1)
let[@inline never] distance a i j = if i <= j then a.(j - i) else -1

(* The array that is read is not the one that is measured, or not any more. *)
let[@inline never] two a b =
  let s = ref 0 in
  for i = 0 to Array.length a - 1 do
    s := !s + b.(i)
  done;
  !s

let current = ref [| 1; 2; 3 |]

let[@inline never] replaced f =
  let s = ref 0 in
  for i = 0 to Array.length !current - 1 do
    f i;
    s := !s + !current.(i)
  done;
  !s

let[@inline never] asserted a i =
  assert (0 <= i && i < Array.length a);
  a.(i)

let[@inline never] wide b i = Int64.to_int (Bytes.get_int64_le b i)

let[@inline never] of_length b =
  let s = ref 0 in
  for i = 0 to Bytes.length b - 7 do
    s := !s + (wide b i land 255)
  done;
  !s

let[@inline never] search a x =
  let rec go low high =
    if low >= high then low
    else
      let m = (low + high) / 2 in
      if a.(m) < x then go (m + 1) high else go low m
  in
  go 0 (Array.length a)

let () =
  let a = [| 1; 2; 4; 8; 16 |] in
  List.iter
    (fun i ->
      let name f = Printf.sprintf "%s %d" f i in
      show (name "from") (fun () -> sum_from a i);
      if i < 100 then show (name "to") (fun () -> sum_to a i);
      if abs i < 100 then show (name "down") (fun () -> sum_down a i 0);
      if abs i < 100 then show (name "down to it") (fun () -> sum_down a 4 i);
      if i > 0 then show (name "steps") (fun () -> by_steps a i);
      show (name "equal") (fun () -> until_equal a i);
      show (name "neighbours") (fun () -> neighbours a i);
      show (name "after") (fun () -> after a i);
      show (name "middle") (fun () -> middle a i 3);
      show (name "of two") (fun () -> middle a i i);
      show (name "unsigned") (fun () -> unsigned_middle a i i);
      show (name "remainder") (fun () -> remainder a i);
      show (name "masked") (fun () -> masked a i);
      show (name "masked none") (fun () -> masked [||] i);
      show (name "absolute") (fun () -> absolute a i);
      show (name "product") (fun () -> product a i);
      show (name "shifted") (fun () -> shifted a i);
      show (name "distance") (fun () -> distance a i 4);
      show (name "distance back") (fun () -> distance a 0 i);
      show (name "wide") (fun () -> wide (Bytes.make 9 'x') i);
      show (name "asserted") (fun () -> try asserted a i with Assert_failure _ -> -2);
      show (name "search") (fun () -> search a i))
    [ min_int; min_int + 1; -4; -1; 0; 1; 2; 3; 4; 5; 6; max_int - 1; max_int; max_int / 2; (max_int / 2) + 1 ];
  show "two" (fun () -> two a a);
  show "shorter" (fun () -> two a [| 1; 2 |]);
  show "longer" (fun () -> two [| 1; 2 |] a);
  show "replaced" (fun () -> replaced (fun i -> if i = 1 then current := [| 7 |]));
  show "grown" (fun () -> current := [| 1; 2 |]; replaced (fun _ -> current := [| 7; 8; 9 |]));
  List.iter (fun n -> show "length" (fun () -> of_length (Bytes.make n 'a'))) [ 0; 6; 7; 8; 20 ]
