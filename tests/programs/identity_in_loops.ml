(* A block that was allocated once stays one block, whatever loops do with the variables that hold it: `==`, sentinels,
   "is it unchanged?", sharing. *)

let show name b = Printf.printf "%s: %b\n" name b

(* Two references hold one list, which one of them saved. *)
let[@inline never] saved_list n =
  let l = ref [] and m = ref [] in
  for i = 1 to n do
    if i = 1 then l := i :: !l;
    if i = 2 then m := !l
  done;
  match !l with [] -> true | _ :: _ -> !l == !m

(* The same with options, in a loop that ends where it begins. *)
let[@inline never] saved_option n =
  let best = ref None and kept = ref None and i = ref 0 in
  while !i < n do
    incr i;
    (match !best with Some x when x >= !i mod 7 -> () | _ -> best := Some (!i mod 7));
    if !i = 10 then kept := !best
  done;
  (!best == !kept, !best = !kept)

(* Both get what one allocation made, in each iteration. *)
let[@inline never] one_pair_twice n =
  let p = ref (0, 0) and q = ref (0, 0) in
  for i = 1 to n do
    let v = (fst !p + i, snd !q + 1) in
    p := v;
    q := v
  done;
  (!p == !q, fst !p + snd !q)

(* The loops of recursive functions: an accumulator that is left alone, one that moves on, one that is swapped. *)
type 'a tree = Leaf | Node of 'a tree * int * 'a tree

let rec unchanged f t =
  match t with
  | Leaf -> t
  | Node (l, x, r) ->
    let l' = unchanged f l and r' = unchanged f r in
    if l' == l && r' == r && f x = x then t else Node (l', f x, r')

let[@inline never] accumulated init keep n =
  let rec go acc i =
    if i = 0 then acc
    else
      let a, b = acc in
      go (if keep then acc else (a + i, b * i)) (i - 1)
  in
  go init n

let[@inline never] entered_with_a_constant n =
  let zero = (0, 1) in
  let rec go (a, b as p) i = if i = 0 then p else go (b, a + b) (i - 1) in
  go zero n == zero

let[@inline never] swapped n =
  let rec go p q i =
    if i = 0 then (p, q)
    else
      let a, _ = p and _, b = q in
      go q (if i land 3 = 0 then (a, b) else p) (i - 1)
  in
  let x = (n, 1) and y = (n, 2) in
  let p, q = go x y n in
  (p == x, p == y, q == x, q == y)

(* A sentinel: the loop ends where it is met. *)
let[@inline never] until stop l =
  let rest = ref l and n = ref 0 in
  while !rest != stop && !n < 1000 do
    (match !rest with [] -> () | _ :: tail -> rest := tail);
    incr n
  done;
  !n

let[@inline never] ring n =
  let start = ref [] and here = ref [] and steps = ref 0 in
  for i = n downto 1 do
    here := i :: !here;
    if i = n / 2 then start := !here
  done;
  let l = ref !here in
  while !l != !start do
    incr steps;
    match !l with [] -> failwith "past the sentinel" | _ :: tail -> l := tail
  done;
  !steps

(* Boxed numbers that some iterations leave alone. *)
let[@inline never] maybe_added (x : float) n =
  let rec go (acc : float) i = if i = 0 then acc else go (if i > 1000 then acc +. 1. else acc) (i - 1) in
  go x n == x

let[@inline never] maybe_hashed (x : int64) n =
  let rec go acc i = if i = 0 then acc else go (if i > 1000 then Int64.succ acc else acc) (i - 1) in
  go x n == x

(* Out of an inner loop, out of a handler, and through a join. *)
let[@inline never] nested n =
  let outer = ref (Some 0) and memory = ref [] in
  for i = 1 to n do
    let inner = ref !outer in
    for j = 1 to i do
      match !inner with Some x when x < j -> inner := Some (x + j) | _ -> ()
    done;
    if !inner == !outer then memory := !inner :: !memory else outer := !inner
  done;
  (List.length !memory, List.for_all (fun o -> List.memq o !memory) !memory, List.memq !outer !memory)

let[@inline never] caught n =
  let last = ref [] and seen = ref [] in
  (try
     for i = 1 to n do
       if i mod 3 = 0 then last := i :: !last;
       if i mod 5 = 0 then seen := !last;
       if i = n - 1 then raise Exit
     done
   with Exit -> seen := (match !last with [] -> !seen | l -> l));
  !seen == !last

(* A function that keeps what it is given. *)
let store = ref []
let[@inline never] keep l = store := l :: !store

let[@inline never] shared n =
  let cell = ref [] in
  for i = 1 to n do
    if i = 1 then cell := [ i + n; n ];
    match !cell with [] -> () | x :: _ -> if x > 0 then keep !cell
  done;
  let first = List.hd !store in
  (List.for_all (fun l -> l == first) !store, Obj.reachable_words (Obj.repr !store))

let[@inline never] held n =
  let current = ref None in
  let a = Array.make n None in
  for i = 0 to n - 1 do
    (match !current with None -> current := Some (i, i) | Some (x, _) -> if i > 2 * x + 3 then current := Some (i, x));
    a.(i) <- !current
  done;
  Obj.reachable_words (Obj.repr a)

let () =
  show "saved list" (saved_list 10);
  let same, equal = saved_option 12 in
  show "saved option" same;
  show "saved option" equal;
  let same, sum = one_pair_twice 10 in
  show "one pair twice" (same && sum = 65);
  let t = Node (Node (Leaf, 1, Leaf), 2, Node (Leaf, 3, Leaf)) in
  show "unchanged" (unchanged (fun x -> x) t == t);
  let init = Sys.opaque_identity (3, 4) in
  show "accumulated" (accumulated init true 10 == init);
  show "accumulated, no iteration" (accumulated init false 0 == init);
  show "accumulated, iterations" (accumulated init false 2 == init);
  show "constant" (entered_with_a_constant 0);
  show "constant, iterations" (entered_with_a_constant 3);
  List.iter
    (fun n ->
      let a, b, c, d = swapped n in
      List.iter (show (Printf.sprintf "swapped %d" n)) [ a; b; c; d ])
    [ 0; 1; 2; 3; 4; 5 ];
  let l = List.init 20 (fun i -> i) in
  Printf.printf "until: %d\n" (until (List.tl (List.tl l)) l);
  Printf.printf "ring: %d\n" (ring 20);
  let x = Sys.opaque_identity 4.5 and h = Sys.opaque_identity 77L in
  show "float" (maybe_added x 100);
  show "int64" (maybe_hashed h 100);
  let n, all, last = nested 12 in
  Printf.printf "nested: %d %b %b\n" n all last;
  show "caught" (caught 20);
  let same, words = shared 100 in
  Printf.printf "shared: %b %d\n" same words;
  Printf.printf "held: %d\n" (held 100)
