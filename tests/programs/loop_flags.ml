(* Loops whose flag or state is set in one iteration and tested at the beginning of the next one: what they give, how
   often they test, what is raised, and what handlers see. *)

let a = [| 3; 1; 4; 1; 5; 9; 2; 6; 5; 3; 5; 8; 9; 7; 9; 3 |]
let opaque = Sys.opaque_identity

let until_equal a n =
  let i = ref 0 and fin = ref false in
  while not !fin do
    fin := a.(!i) = n;
    incr i
  done;
  !i

let find a x =
  let i = ref 0 and found = ref false in
  while (not !found) && !i < Array.length a do
    if a.(!i) = x then found := true else incr i
  done;
  if !found then Some !i else None

(* Both tests of the head have effects, which are to be seen as often as in the source. *)
let tests = ref 0
let test b = incr tests; b
let effects n =
  let go = ref true and i = ref 0 in
  while !go && test (!i < n) do
    incr i;
    if !i * !i > 50 then go := false
  done;
  (!i, !go, !tests)

let bubble a =
  let sorted = ref false and rounds = ref 0 in
  while not !sorted do
    sorted := true;
    incr rounds;
    for i = 0 to Array.length a - 2 do
      if a.(i) > a.(i + 1) then begin
        let t = a.(i) in
        a.(i) <- a.(i + 1);
        a.(i + 1) <- t;
        sorted := false
      end
    done
  done;
  !rounds

let rec descend a go i = if go then descend a (a.(i) > 1) (i + 1) else i

(* The value that an iteration allocates for the next one is what that one takes apart, or gives back whole. *)
type 'a shape = Empty | Zero of ('a * 'a) shape | One of 'a * ('a * 'a) shape
let rec cons : 'a. 'a -> 'a shape -> 'a shape =
 fun x -> function Empty -> One (x, Empty) | Zero r -> One (x, r) | One (y, r) -> Zero (cons (x, y) r)
let rec nth : 'a. int -> 'a shape -> 'a =
 fun i -> function
  | Empty -> raise Not_found
  | One (x, r) -> if i = 0 then x else nth (i - 1) (Zero r)
  | Zero r -> let x, y = nth (i / 2) r in if i land 1 = 0 then x else y

type state = Start | Number of int | Word of { from : int; length : int } | Stop of string
let lex s =
  let n = String.length s in
  let rec go i state acc =
    match state with
    | Stop why -> (why, i, List.rev acc)
    | _ when i >= n -> ("end", i, List.rev acc)
    | Start -> (
        match s.[i] with
        | '0' .. '9' as c -> go (i + 1) (Number (Char.code c - 48)) acc
        | 'a' .. 'z' -> go (i + 1) (Word { from = i; length = 1 }) acc
        | ' ' -> go (i + 1) Start acc
        | c -> go i (Stop (Printf.sprintf "unexpected %C" c)) acc)
    | Number k -> (
        match s.[i] with
        | '0' .. '9' as c when k > 1000 -> go i (Stop (Printf.sprintf "too large: %d%c" k c)) acc
        | '0' .. '9' as c -> go (i + 1) (Number ((10 * k) + Char.code c - 48)) acc
        | _ -> go i Start (string_of_int k :: acc))
    | Word { from; length } -> (
        match s.[i] with
        | 'a' .. 'z' -> go (i + 1) (Word { from; length = length + 1 }) acc
        | _ -> go i Start (String.sub s from length :: acc))
  in
  go 0 Start []

(* In the body of a handler, which sees the variables as they are where something is raised. *)
let guarded a limit =
  let go = ref true and sum = ref 0 and i = ref 0 in
  (try
     while !go do
       sum := !sum + a.(!i);
       incr i;
       if !sum > limit then go := false
     done
   with Invalid_argument _ -> sum := - !sum);
  (!sum, !i, !go)

let nested n =
  let out = ref [] and outer = ref true and i = ref 0 in
  while !outer do
    let inner = ref true and j = ref 0 in
    while !inner do
      incr j;
      if !i * !j > n then begin
        inner := false;
        outer := !j > 3
      end
      else if !j > 10 then inner := false
    done;
    out := (!i, !j) :: !out;
    incr i
  done;
  List.rev !out

(* The loop ends at its first test, or never enters. *)
let entered go =
  let go = ref go and n = ref 0 in
  while !go do
    incr n;
    go := !n < 0
  done;
  !n

let floats x =
  let go = ref true and y = ref x in
  while !go do
    y := !y *. 0.5;
    go := not (!y < 1.0)
  done;
  !y

(* What the next iteration gets is exchanged where its branches meet. *)
let exchanged n =
  let fin = ref false and a = ref 1 and b = ref 2 and i = ref 0 in
  while not !fin do
    if !i land 3 = 1 then if !i > n then fin := true else i := !i + 2 else i := !i + 1;
    let t = !a in
    a := !b;
    b := t
  done;
  (!a * 100) + (!b * 1000) + !i

let exchanged_by_calls (v : int array) =
  let rec go fin a b i =
    if fin then (a * 1000) + (b * 100) + i
    else
      let fin = if v.(i) > 3 then v.(i) > 4 else if v.(i) = 2 then true else false in
      go fin b a (i + 1)
  in
  go false 1 2 0

let () =
  Printf.printf "%d %d\n" (until_equal a 9) (until_equal a 3);
  (match until_equal a (opaque 77) with
  | n -> Printf.printf "%d\n" n
  | exception Invalid_argument m -> print_endline m);
  List.iter
    (fun x -> match find a x with Some i -> Printf.printf "%d at %d\n" x i | None -> Printf.printf "no %d\n" x)
    [ 3; 8; 77 ];
  List.iter
    (fun n -> tests := 0; let i, go, tests = effects n in Printf.printf "%d %b %d\n" i go tests)
    [ 0; 3; 100 ];
  let b = Array.copy a in
  Printf.printf "%d" (bubble b);
  Array.iter (Printf.printf " %d") b;
  Printf.printf "\n%d %d\n" (descend a true 0) (descend a (opaque false) 5);
  let r = ref Empty in
  for i = 0 to 40 do r := cons i !r done;
  for i = 0 to 40 do Printf.printf "%d " (nth i !r) done;
  (match nth 41 !r with n -> Printf.printf "%d\n" n | exception Not_found -> print_endline "none");
  List.iter
    (fun s -> let why, i, l = lex s in Printf.printf "%s at %d: %s\n" why i (String.concat "," l))
    [ "abc 12 d3 "; "12a?b"; "7 123456 x"; "" ];
  List.iter
    (fun limit -> let s, i, go = guarded a limit in Printf.printf "%d %d %b\n" s i go)
    [ 10; 30; 1000 ];
  List.iter (fun (i, j) -> Printf.printf "(%d,%d)" i j) (nested 9);
  Printf.printf "\n%d %d\n" (entered true) (entered (opaque false));
  Printf.printf "%g %g\n" (floats 37.) (floats 0.1);
  List.iter (fun n -> Printf.printf "%d " (exchanged n)) [ 0; 1; 4; 6; 9 ];
  Printf.printf "%d %d\n" (exchanged_by_calls [| 1; 1; 3; 4; 2 |]) (exchanged_by_calls [| 1; 4; 5 |])
