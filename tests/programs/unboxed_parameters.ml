(* Values that loops, branches and handlers take apart, seen whole at various places: at the exit, in the loop, by a handler, by
   physical identity, by a function that is not inlined. *)

let[@inline never] show_option o = match o with None -> print_string "None " | Some x -> Printf.printf "Some %d " x

type shape = Circle of float | Square of float * float | Empty | Broken
let[@inline never] show_shape = function
  | Circle r -> Printf.printf "Circle %g " r
  | Square (a, b) -> Printf.printf "Square (%g, %g) " a b
  | Empty -> print_string "Empty "
  | Broken -> print_string "Broken "

let options n =
  let rec loop acc i =
    if i = n then acc else loop (match acc with None -> Some i | Some j -> if j > 20 then None else Some (i + j)) (i + 1) in
  loop None 0

let shown_in_the_loop n =
  let rec loop acc i =
    if i = n then acc
    else begin
      show_option acc;
      loop (match acc with None -> Some i | Some j -> if j land 3 = 3 then acc else Some (j + i)) (i + 1)
    end in
  loop None 0

let shown_sometimes n =
  let rec loop acc i =
    if i = n then acc
    else begin
      if i land 3 = 1 then show_shape acc;
      loop
        (match acc with
         | Circle r -> Square (r, r +. 0.5)
         | Square (a, b) -> if a > 6.0 then Empty else Circle (a +. b)
         | Empty -> Broken
         | Broken -> Circle 1.0)
        (i + 1)
    end in
  loop Empty 0

let identity n =
  let first = Some 1 in
  let first = Sys.opaque_identity first in
  let rec loop acc i same =
    if i = n then same
    else
      let acc' = match acc with Some j when j < 5 -> Some (j + 1) | _ -> first in
      loop acc' (i + 1) (if acc' == first then same + 1 else same) in
  loop first 0 0

let through_handler n =
  let last = ref (Circle 0.0) in
  (try
     for i = 1 to n do
       last := (match !last with Circle r -> Square (r, float_of_int i) | Square (a, b) -> Circle (a +. b) | s -> s);
       if i = n - 2 then ignore (List.hd (Sys.opaque_identity []))
     done
   with Failure _ -> ());
  !last

let nested_handlers n =
  let state = ref (Ok 0) in
  (try
     try
       for i = 1 to n do
         state := (match !state with Ok k -> if k > 10 then Error k else Ok (k + i) | Error k -> Ok (k - i));
         if i = n then raise_notrace Exit
       done
     with Not_found -> state := Error (-1)
   with Exit -> (match !state with Ok k -> state := Ok (k * 2) | Error k -> state := Error (k * 3)));
  !state

type vector = { x : float; y : float; z : float }
let vectors n =
  let rec loop v i =
    if i = 0 then v
    else
      let w = if i land 1 = 0 then { v with x = v.x +. 1.0 } else { x = v.y; y = v.z; z = v.x *. 0.5 } in
      loop w (i - 1) in
  loop { x = 1.0; y = 2.0; z = 4.0 } n

type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
let spine n =
  let rec loop t i = if i = n then t else loop (match t with Leaf -> Node (Leaf, i, Leaf) | Node (l, x, _) -> Node (t, x + i, l)) (i + 1) in
  let rec size = function Leaf -> 0 | Node (l, _, r) -> 1 + size l + size r in
  size (loop Leaf 0)

let closures n =
  let rec loop f i = if i = 0 then f 0 else let r = f i in loop (fun x -> x + r) (i - 1) in
  loop (fun x -> x) n

(* A field that is poison in other cases is read only in its own. *)
type cell = Pair of (int * int) | Float of float | Nothing
let cells n =
  let rec loop c i total =
    if i = n then (c, total)
    else
      match c with
      | Nothing -> loop (Pair (i, i + 1)) (i + 1) total
      | Pair (a, b) -> if b > 9 then loop (Float (float_of_int a)) (i + 1) total else loop (Pair (b, a + 2)) (i + 1) (total + a)
      | Float f -> if f > 8.0 then loop Nothing (i + 1) (total + 100) else loop (Float (f +. 1.5)) (i + 1) total in
  loop Nothing 0 0

let[@inline never] give n = if n > 3 then Some n else None
let by_calls n =
  let s = ref 0 in
  for i = 0 to n do
    (match (if i land 1 = 0 then give i else Some (i * 10)) with None -> decr s | Some x -> s := !s + x);
    let (a, b) = if i land 2 = 0 then (i, 1) else (Sys.opaque_identity (2, i)) in
    s := !s + (a * b)
  done;
  !s

let mutated_behind n =
  let rec loop p i total =
    if i = n then total
    else begin
      let q = (i, total) in
      Obj.set_field (Sys.opaque_identity (Obj.repr q)) 0 (Obj.repr (i + 1));
      loop q (i + 1) (total + snd p)
    end in
  loop (0, 0) 0 0

let () =
  for n = 0 to 12 do
    show_option (options n);
    show_option (shown_in_the_loop n);
    show_shape (shown_sometimes n);
    Printf.printf "%d " (identity n);
    if n > 3 then show_shape (through_handler n);
    (match nested_handlers n with Ok k -> Printf.printf "Ok %d " k | Error k -> Printf.printf "Error %d " k);
    (let v = vectors n in Printf.printf "(%g %g %g) " v.x v.y v.z);
    Printf.printf "%d %d " (spine n) (closures n);
    (match cells n with
     | Nothing, t -> Printf.printf "Nothing %d " t
     | Pair (a, b), t -> Printf.printf "Pair %d %d %d " a b t
     | Float f, t -> Printf.printf "Float %g %d " f t);
    Printf.printf "%d %d\n" (by_calls n) (mutated_behind n)
  done
