(* Functions whose arguments and results come by parts: pairs, records, options, variants with several constructors, numbers
   in blocks, constants among them; through recursion, groups, exceptions, closures that call them back while a result is on
   its way, and collections at every point. What is printed must not depend on how results come. *)

type shape = Empty | Unknown | Circle of float | Rectangle of { width : float; height : float } | Named of string * shape

let collect = ref 0

(* Runs now and then inside of functions that return parts. *)
let touch () =
  incr collect;
  if !collect mod 17 = 0 then Gc.minor () else if !collect mod 1001 = 0 then Gc.compact ()

let[@inline never] divide a b = if b = 0 then (0, 0) else (a / b, a mod b)
let[@inline never] text n = (string_of_int n, "<" ^ string_of_int (n * n) ^ ">")

let[@inline never] find n =
  touch ();
  if n mod 3 = 0 then None else Some (string_of_int n)

let[@inline never] classify n =
  match n mod 5 with
  | 0 -> Empty
  | 1 -> Unknown
  | 2 -> Circle (float_of_int n)
  | 3 -> Rectangle { width = float_of_int n; height = 2. }
  | _ -> Named (string_of_int n, Circle 1.)

let rec sums l = match l with [] -> (0, 0.) | x :: l -> let n, s = sums l in touch (); (n + 1, s +. x)

let rec even_sum n = if n = 0 then Some 0L else match odd_sum (n - 1) with None -> None | Some s -> Some (Int64.add s 2L)

and odd_sum n =
  if n = 0 then None else match even_sum (n - 1) with None -> None | Some s -> Some (Int64.add s (Int64.of_int n))

let[@inline never] raises n = if n > 3 then raise Exit else (n, string_of_int n)
let rec power (x : float) n = if n = 0 then 1. else x *. power x (n - 1)
let[@inline never] negative n = if n < 0 then -0. else if n = 0 then 0. else float_of_int n

(* The result of the inner call is on its way through the outer one. *)
let rec nested n = if n = 0 then ("", []) else let s, l = nested (n - 1) in (s ^ string_of_int n, s :: l)

(* A tail call of one that gives parts, and of an unknown function. *)
let[@inline never] forwarded n = divide n 7
let[@inline never] chosen f n = if n land 1 = 0 then divide n 3 else f n

(* Blocks in blocks: what parsers return; one that is kept, one that is shared, a boxed number in the inner one. *)
let[@inline never] next l = match l with [] -> None | x :: l -> touch (); Some (x, l)
let[@inline never] half x l = if x < 0. then Error (x, "negative") else Ok ((x /. 2., l), "half")
let[@inline never] twice a = touch (); let p = (a, string_of_int a) in (p, (p, a))

let rec digits acc l =
  match next l with
  | Some (('0' .. '9' as c), l) -> digits ((acc * 10) + Char.code c - 48) l
  | Some _ | None -> Some (acc, l)

let rec sum acc l =
  match digits 0 l with
  | None -> None
  | Some (n, l) -> ( match next l with Some ('+', l) -> sum (acc + n) l | Some (c, l) -> Some (acc + n, c :: l) | None -> Some (acc + n, []))

let area = function
  | Empty | Unknown -> 0.
  | Circle r -> 3. *. r *. r
  | Rectangle { width; height } -> width *. height
  | Named (_, Circle r) -> r
  | Named _ -> 1.

let () =
  let total = ref 0 and floats = ref 0. and texts = Buffer.create 100 in
  for i = 0 to 300 do
    let q, r = divide (i * i) (i mod 7) in
    total := !total + q - r;
    let s, t = text i in
    if i mod 50 = 0 then Buffer.add_string texts (s ^ t);
    (match find i with None -> decr total | Some s -> total := !total + String.length s);
    floats := !floats +. area (classify i);
    (match classify i with Named (n, _) -> Buffer.add_string texts n | _ -> ());
    let q, r = forwarded i in
    total := !total + q + r;
    let q, r = chosen (fun n -> (n, -n)) i in
    total := !total + q - r
  done;
  Printf.printf "%d %h %s\n" !total !floats (Buffer.contents texts);
  let n, s = sums (List.init 1000 float_of_int) in
  Printf.printf "%d %h\n" n s;
  (match (even_sum 100, odd_sum 100) with
  | Some a, None -> Printf.printf "%Ld none\n" a
  | _ -> print_endline "other");
  let caught = ref 0 in
  for i = 0 to 9 do
    match raises i with n, s -> total := !total + n + String.length s | exception Exit -> incr caught
  done;
  Printf.printf "%d %d\n" !caught !total;
  Printf.printf "%h %h %h %h %h\n" (power 1.5 10) (1. /. negative (-1)) (1. /. negative 0) (negative 3) (power nan 0);
  let s, l = nested 12 in
  Printf.printf "%s %s\n" s (String.concat "," l);
  (* Constants are what they were. *)
  Printf.printf "%b %b %b\n" (divide 1 0 == divide 2 0) (find 3 = None) (classify 5 == Empty);
  (* As values, through unknown calls. *)
  let fs = Sys.opaque_identity [ divide; (fun a b -> (a, b)) ] in
  List.iter (fun f -> let a, b = f 17 5 in Printf.printf "%d %d\n" a b) fs;
  let g = Sys.opaque_identity power in
  Printf.printf "%h\n" (g 2. 3)
let () =
  let total = ref 0 and kept = ref [] in
  for i = 0 to 200 do
    let text = Printf.sprintf "%d+%d*" i (i * 3) in
    (match sum 0 (List.init (String.length text) (String.get text)) with
    | Some (n, l) -> total := !total + n + List.length l
    | None -> decr total);
    (match half (float_of_int (i - 3)) [ i ] with
    | Ok ((x, l), s) -> total := !total + int_of_float x + List.hd l + String.length s
    | Error (x, s) -> total := !total + int_of_float x - String.length s);
    (match next [ i ] with Some pair when i mod 50 = 0 -> kept := pair :: !kept | _ -> ());
    let (p, (q, n)) = twice i in
    total := !total + fst q - n + String.length (snd p) + if p == q then 1 else 1000000
  done;
  Printf.printf "%d %s\n" !total (String.concat "," (List.map (fun (n, l) -> string_of_int (n + List.length l)) !kept))
