(* Recursive functions whose function arguments change places. *)

let rec iter_swap f g l =
  match l with
  | [] -> ()
  | 0 :: t -> iter_swap g f t
  | h :: t ->
      f h;
      iter_swap f g t

let rec map_swap f g = function
  | [] -> []
  | x :: l ->
      let y = f x in
      y :: map_swap g f l

let rec rotate f g h n = if n = 0 then [] else f n :: rotate g h f (n - 1)

let rec even f g n = if n = 0 then f n else 1 + f (odd g f (n - 1))
and odd f g n = if n = 0 then g n else 2 * g (even f g (n - 1))

(* One that is lost on the way, one that is passed twice, and one that comes back changed. *)
let rec lose f g n = if n = 0 then f n else f (lose g (fun x -> x - n) (n - 1))
let rec both f g n = if n = 0 then g n else f (both f f (n - 1))
let rec compose f g n = if n = 0 then f n else compose g (fun x -> f (x + 1)) (n - 1)

(* More arrangements than are worth copying. *)
let rec five a b c d e n = if n = 0 then a n else a (five b c d e a (n - 1))

(* Effects happen in the same order, and exceptions come through. *)
let rec raising f g n =
  if n = 0 then raise Exit
  else
    let here = try f n with Not_found -> g n in
    here + raising g f (n - 1)

(* Calls that are not in the function itself. *)
let rec nested f g n = if n = 0 then f n else (fun m -> g m + nested g f m) (n - 1)

(* Functions of one type, as arguments of a functor. *)
module Exchange (X : sig
  val f : int -> int
  val g : int -> int
end) =
struct
  let list l = map_swap X.f X.g l
end

module M = Exchange (struct
  let f x = x + 1
  let g x = x * 2
end)

let print_list l = print_endline (String.concat " " (List.map string_of_int l))

let run k =
  let sum = ref 0 in
  iter_swap (fun x -> sum := !sum + x) (fun x -> sum := (!sum * k) - x) [ 1; 0; 3; 0; 0; 4; 5; 0; 6 ];
  Printf.printf "%d\n" !sum;
  print_list (map_swap (fun x -> x + k) (fun x -> x * k) [ 1; 2; 3; 4; 5 ]);
  print_list (map_swap succ (fun x -> x * k) [ 1; 2; 3; 4; 5 ]);
  print_list (rotate (fun x -> x + k) (fun x -> x * k) (fun x -> x - k) 8);
  Printf.printf "%d %d\n" (even (fun x -> x + k) (fun x -> x - 1) 6) (odd succ (fun x -> x * k) 5);
  Printf.printf "%d %d %d\n"
    (lose (fun x -> x + k) (fun x -> x * k) 4)
    (both (fun x -> x + k) (fun x -> x * k) 4)
    (compose (fun x -> x + k) (fun x -> x * k) 4);
  Printf.printf "%d\n" (five succ pred (fun x -> x * k) (fun x -> x + k) (fun x -> x lxor k) 9);
  Printf.printf "%d\n" (nested (fun x -> x + k) (fun x -> x * k) 6);
  let trace = Buffer.create 16 in
  (try
     ignore
       (raising
          (fun n -> Buffer.add_string trace (Printf.sprintf "f%d " n); if n = 3 then raise Not_found else n)
          (fun n -> Buffer.add_string trace (Printf.sprintf "g%d " n); n * k)
          5)
   with Exit -> Buffer.add_string trace "exit");
  print_endline (Buffer.contents trace)

let () =
  run 3;
  run 10;
  print_list (M.list [ 1; 2; 3; 4 ])
