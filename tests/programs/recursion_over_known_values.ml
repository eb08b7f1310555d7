(* Recursive functions applied to lists and other data that are known, in whole or at their beginning. *)

let show l = print_endline (String.concat " " (List.map string_of_int l))

(* The order of effects is that of the calls. *)
let noisy x =
  Printf.printf "<%d>" x;
  x * 2

let f a b l = [ a; b ] @ l
let g x l = List.map (fun y -> noisy (y + x)) (x :: 1 :: l)
let h x = List.fold_right (fun y acc -> noisy y :: acc) [ x; 2; 3 ] []
let sum x y = List.fold_left ( + ) 0 [ x; y; noisy x ]
let nested a b c = ([ a ] @ [ b; c ]) @ [ a; c ] @ []
let long a = [ a; 2; 3; 4; 5; 6; 7; 8; 9; 10 ] @ [ a ]

(* What is shared stays shared. *)
let shared a l =
  let m = [ a; a ] @ l in
  List.tl (List.tl m) == l

let rec cycle = 1 :: 2 :: cycle
let rec firsts n l = if n = 0 then [] else match l with [] -> [] | x :: l -> x :: firsts (n - 1) l

let rec exn_at n = function
  | [] -> raise Not_found
  | x :: l -> if x = n then raise Exit else 1 + exn_at n l

let caught n a = try exn_at n [ a; 5; 6 ] with Exit -> -1 | Not_found -> -2

(* Lists of another shape, mutable fields, an argument that is no part. *)
type 'a chain = End | Link of { mutable value : 'a; next : 'a chain } | Both of 'a chain * 'a chain

let rec total = function End -> 0 | Link { value; next } -> value + total next | Both (a, b) -> total a * total b

let rec doubled = function
  | End -> End
  | Link ({ value; next } as l) ->
      l.value <- value + 1;
      Link { value = l.value * 2; next = doubled next }
  | Both (a, _) -> doubled a

let totals a =
  let c = Link { value = a; next = Link { value = 2; next = End } } in
  let d = doubled c in
  (total c, total d, total (Both (c, d)))

(* The manual's harder example (21.9.3). *)
let foo c =
  let rec bar zs fv =
    match zs with
    | [] -> []
    | z :: zs ->
        let rec baz f = function
          | [] -> []
          | a :: l ->
              let r = fv + (f [@inlined never]) a in
              r :: baz f l
        in
        baz (fun y -> z + y) [ z; 2; 3; 4 ] @ bar zs fv
  in
  bar [ 1; 2; 3; 4 ] c

let rec even = function [] -> true | _ :: l -> odd l
and odd = function [] -> false | _ :: l -> even l

let[@inline never] rec sums acc = function [] -> [ acc ] | x :: l -> (acc + x) :: sums (acc + x) l

let () =
  show (f 1 2 [ 3 ]);
  show (g 3 [ 4; 5 ]);
  show (h 1);
  Printf.printf "%d\n" (sum 3 4);
  show (nested 1 2 3);
  show (long 1);
  Printf.printf "%b\n" (shared 1 (Sys.opaque_identity [ 2 ]));
  show (firsts 5 cycle);
  Printf.printf "%d %d %d\n" (caught 5 1) (caught 1 1) (caught 7 7 + caught 8 1);
  let a, b, c = totals 3 in
  Printf.printf "%d %d %d\n" a b c;
  show (foo 10);
  Printf.printf "%b %b\n" (even [ 1; 2 ]) (odd [ 1; 2; 3 ]);
  show (sums 1 [ 2; 3; 4 ])
