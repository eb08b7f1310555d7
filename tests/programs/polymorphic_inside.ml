(* Functions inside of polymorphic ones compare and hash values of the types that calls of the outer function give: memo
   tables, groups, searches. A type variable is what the call says, in each copy of the function anew. *)

let memo f =
  let table = Hashtbl.create 16 in
  fun x ->
    try Hashtbl.find table x
    with Not_found ->
      let value = f x in
      Hashtbl.add table x value;
      value

let memo_rec f =
  let table = Hashtbl.create 16 in
  let rec go x =
    match Hashtbl.find_opt table x with
    | Some value -> value
    | None ->
        let value = f go x in
        Hashtbl.add table x value;
        value
  in
  go

let group_by key l =
  let groups = Hashtbl.create 16 in
  List.iter
    (fun x ->
      let k = key x in
      match Hashtbl.find_opt groups k with
      | Some members -> members := x :: !members
      | None -> Hashtbl.add groups k (ref [ x ]))
    l;
  groups

let unique l =
  let seen = Hashtbl.create 16 in
  List.filter
    (fun x ->
      (not (Hashtbl.mem seen x))
      && begin
           Hashtbl.add seen x ();
           true
         end)
    l

let distances next start =
  let found = Hashtbl.create 16 and waiting = Queue.create () in
  Queue.add start waiting;
  Hashtbl.add found start 0;
  while not (Queue.is_empty waiting) do
    let x = Queue.pop waiting in
    let d = Hashtbl.find found x in
    List.iter
      (fun y ->
        if not (Hashtbl.mem found y) then begin
          Hashtbl.add found y (d + 1);
          Queue.add y waiting
        end)
      (next x)
  done;
  found

let largest_by measure l =
  let better a b = if compare (measure a) (measure b) >= 0 then a else b in
  match l with [] -> None | first :: rest -> Some (List.fold_left better first rest)

let positions l =
  let table = Hashtbl.create 16 in
  List.iteri (fun i x -> if not (Hashtbl.mem table x) then Hashtbl.add table x i) l;
  fun x -> Hashtbl.find_opt table x

type place = Home | Shop of int | Crossing of int * int

let sum table = Hashtbl.fold (fun _ n total -> total + n) table 0

let () =
  let product = memo (fun (a, b) -> a * b) in
  Printf.printf "%d %d %d\n" (product (6, 7)) (product (6, 7)) (product (7, 6));
  let length = memo String.length in
  Printf.printf "%d %d\n" (length "abc") (length "abc");
  let half = memo (fun x -> x /. 2.) in
  Printf.printf "%g %g %g\n" (half 3.) (half 3.) (half (-0.));
  let fib = memo_rec (fun fib n -> if n < 2 then n else fib (n - 1) + fib (n - 2)) in
  Printf.printf "%d\n" (fib 80);
  let ways = memo_rec (fun ways (x, y) -> if x = 0 || y = 0 then 1 else ways (x - 1, y) + ways (x, y - 1)) in
  Printf.printf "%d\n" (ways (12, 12));
  let named = memo_rec (fun go -> function Home -> 0 | Shop n -> n + go Home | Crossing (a, b) -> go (Shop a) + b) in
  Printf.printf "%d\n" (named (Crossing (3, 4)));
  let numbers = List.init 100 (fun i -> i * 37 mod 41) in
  let groups = group_by (fun n -> (n land 3, n land 1 = 0)) numbers in
  Printf.printf "%d %d\n" (Hashtbl.length groups) (List.length !(Hashtbl.find groups (2, true)));
  let groups = group_by string_of_int numbers in
  Printf.printf "%d\n" (Hashtbl.length groups);
  Printf.printf "%d %d %d\n"
    (List.length (unique numbers))
    (List.length (unique (List.map (fun n -> (n, n land 1)) numbers)))
    (List.length (unique (List.map float_of_int numbers)));
  Printf.printf "%d\n" (List.length (unique [ nan; nan; 0.; -0.; 1. ]));
  let grid (x, y) =
    List.filter (fun (x, y) -> x >= 0 && y >= 0 && x < 9 && y < 9) [ (x + 1, y); (x - 1, y); (x, y + 1); (x, y - 1) ]
  in
  Printf.printf "%d\n" (sum (distances grid (0, 0)));
  Printf.printf "%d\n" (sum (distances (fun s -> if String.length s > 5 then [] else [ s ^ "a"; s ^ "b" ]) ""));
  Printf.printf "%d\n" (sum (distances (fun n -> [ n * 3 mod 101; (n + 1) mod 101 ]) 1) land 0xffff);
  (match largest_by (fun (a, b) -> (b, a)) [ (1, 2); (3, 2); (2, 1) ] with
  | Some (a, b) -> Printf.printf "%d %d\n" a b
  | None -> ());
  (match largest_by (fun s -> s) [ "b"; "c"; "a" ] with Some s -> print_endline s | None -> ());
  let position = positions [ "x"; "y"; "x" ] in
  Printf.printf "%b %b\n" (position "y" = Some 1) (position "z" = None);
  let position = positions [ Some 1L; None; Some 2L ] in
  Printf.printf "%b %b\n" (position None = Some 1) (position (Some 2L) = Some 2)

(* A function that calls itself at another type, with functions inside at each. *)
type 'a nested = Flat of 'a list | Nest of ('a * 'a) nested

let rec count : 'a. 'a -> 'a nested -> int =
 fun wanted nested ->
  let same x = compare x wanted = 0 && Hashtbl.hash x = Hashtbl.hash wanted in
  match nested with
  | Flat l -> List.length (List.filter same l)
  | Nest inner -> count (wanted, wanted) inner + if same wanted then 100 else 0

let () =
  Printf.printf "%d\n" (count 1 (Flat [ 1; 2; 1 ]));
  Printf.printf "%d\n" (count 1 (Nest (Flat [ (1, 1); (1, 2) ])));
  Printf.printf "%d\n" (count "a" (Nest (Nest (Flat [ (("a", "a"), ("a", "a")) ]))));
  Printf.printf "%d\n" (count 0.5 (Nest (Flat [ (0.5, 0.5); (nan, 0.5) ])))

(* One inside the other, at different types. *)
let pairs_of l =
  let seen = unique l in
  unique (List.map (fun x -> (x, List.length (List.filter (fun y -> y = x) l))) seen)

let () =
  List.iter (fun (x, n) -> Printf.printf "%d:%d " x n) (pairs_of [ 3; 1; 3; 2; 1; 3 ]);
  List.iter (fun (x, n) -> Printf.printf "%s:%d " x n) (pairs_of [ "c"; "a"; "c" ]);
  List.iter (fun (x, n) -> Printf.printf "%g:%d " x n) (pairs_of [ 1.; 2.; 1. ]);
  print_newline ()

(* Values that are none of their type, in arrays that functions inside make. *)
let collected n l =
  let filled = ref 0 in
  let data = Array.make n (Obj.magic 0) in
  let put x =
    if not (Array.exists (fun y -> compare x y = 0) data) then begin
      data.(!filled) <- x;
      incr filled
    end
  in
  List.iter put l;
  let least a b = if a < b then a else b in
  Array.fold_left least data.(0) (Array.sub data 0 !filled)

let copies n x =
  let make y = Array.make n y in
  let all = make (Obj.magic 0) in
  let fill y = Array.iteri (fun i z -> if compare z y <> 0 then all.(i) <- y) all in
  fill x;
  all

let () =
  Printf.printf "%d %s\n" (collected 5 [ 3; 2; 3; 7 ]) (collected 5 [ "b"; "a"; "b" ]);
  let boxes = copies 3 1.5 in
  (* Nothing may read it as an array of floats: with the stock compiler it is none. *)
  let numbers = (Sys.opaque_identity Array.to_list) boxes in
  Printf.printf "%b %g\n" (Obj.tag (Obj.repr boxes) = Obj.double_array_tag) (List.fold_left ( +. ) 0. numbers)
