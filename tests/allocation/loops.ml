(* What loops carry and build allocates nothing in each iteration. *)

open Measure

(* Numbers. *)

let sum_of_floats n =
  let acc = ref 0.0 in
  for i = 1 to n do acc := !acc +. 1.0 /. float_of_int i done;
  keep (!acc > 1.0)

let rec sum_from (acc : float) i = if i = 0 then acc else sum_from (acc +. float_of_int i) (i - 1)

(* An accumulator that some iterations hand on as it is, and that is returned in several places. *)
let numbers = Sys.opaque_identity (List.init iterations (fun i -> float_of_int (i land 63) -. 8.))
let corners = Sys.opaque_identity (List.init iterations (fun i -> (float_of_int i, float_of_int (i land 7))))

let sum_of_some _ =
  let rec go acc = function [] -> acc | x :: l -> if x < 0. then go acc l else go (acc +. x) l in
  keep (go 0. numbers)

let rec up_to_one acc = function [] -> acc | x :: l -> if x > 99. then acc else up_to_one (acc +. x) l
let sum_up_to_one _ = keep ((up_to_one [@inlined never]) 0. numbers)

let rec area_from acc = function
  | (a, b) :: ((c, d) :: _ as l) -> area_from (acc +. (a *. d) -. (b *. c)) l
  | _ -> acc
let area_of_corners _ = keep ((area_from [@inlined never]) 0. corners)

let sum_by_fold _ = keep (List.fold_left (fun acc x -> if x < 0. then acc else acc +. x) 0. numbers)

let sum_by_iter _ =
  let sum = ref 0. in
  List.iter (fun x -> if x >= 0. then sum := !sum +. x) numbers;
  keep !sum

let count_of_some _ =
  let rec go n = function [] -> n | x :: l -> if x < 5. then go (Int64.succ n) l else go n l in
  keep (go 0L numbers)

let sum_of_a_matrix n =
  let sum = ref 0. in
  for i = 1 to n / 10 do
    for j = 1 to 10 do if (i + j) land 3 = 0 then sum := !sum +. float_of_int (i * j) done
  done;
  keep !sum

(* A box that is handed on is the one that comes back. *)
let same_box _ =
  let given = Sys.opaque_identity 2.5 in
  let rec go acc = function [] -> acc | x :: l -> if x < 100. then go acc l else go (acc +. x) l in
  if go given numbers != given then keep (Array.make 2000 0)

let int64_hash n =
  let h = ref 0xcbf29ce484222325L in
  for i = 1 to n do
    h := Int64.mul (Int64.logxor !h (Int64.of_int i)) 0x100000001b3L
  done;
  keep (Int64.to_int !h)

let int32_hash n =
  let h = ref 17l in
  for i = 1 to n do h := Int32.add (Int32.mul !h 31l) (Int32.of_int i) done;
  keep (Int32.to_int !h)

(* Boxes that exist are what the loop begins with; nobody needs those that come after them. *)
let seeds = Sys.opaque_identity [| 1l; 2l; 3l; 4l |]

let int32_state n =
  let rec go i (a : int32) (b : int32) (c : int32) (d : int32) =
    if i = 0 then keep (Int32.to_int (Int32.logxor (Int32.logxor a b) (Int32.logxor c d)))
    else go (i - 1) (Int32.add d (Int32.logor a b)) a b c in
  go n seeds.(0) seeds.(1) seeds.(2) seeds.(3)

(* A number that leaves by exceptions too. *)
let float_through_handler n =
  let r = ref 0.0 in
  (try
     for i = 0 to n do
       r := !r +. 0.5;
       if i = n - 1 then raise_notrace Exit
     done
   with Exit -> r := !r +. 1.0);
  keep (!r > 0.0)

(* Tuples and records. *)

let fibonacci n =
  let rec loop (a, b) i = if i = 0 then a else loop (b, a + b) (i - 1) in
  keep (loop (0, 1) n)

type point = { x : float; y : float }
let spiral n =
  let rec loop p i =
    if i = 0 then p.x +. p.y
    else loop { x = (p.x *. 0.5) -. p.y; y = (p.y *. 0.5) +. p.x } (i - 1) in
  keep (loop { x = 1.0; y = 0.0 } n > 0.0)

(* Arrays that polymorphic functions make and assign: what they are made with shows that they are of floats. *)
let floats_made n = keep (Array.init n (fun i -> float_of_int i *. 0.3))
let thousand_floats = Array.make iterations 1.5
let floats_mapped _ = keep (Array.map2 (fun x y -> x +. y) thousand_floats thousand_floats)
let exchange a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x
let floats_exchanged n = for i = 0 to (n / 2) - 1 do exchange thousand_floats i (n - 1 - i) done

(* A monad of functions: each step gives a closure that is called at once. The two closures that remain are the steps
   themselves. *)
let bind m f s = let x, s = m s in f x s
let rec counted n =
  if n = 0 then fun s -> (s, s) else bind (fun s -> (s, s)) (fun s -> bind (fun _ -> ((), s + n)) (fun () -> counted (n - 1)))
let state_monad n = keep (fst (counted n 0))

(* A function that takes functions, and becomes large by what is inlined in it: what is inlined for a call is what the
   source has. *)

let matrix rows columns f = Array.init rows (fun i -> Array.init columns (fun j -> f i j))

let product ~zero ~add ~mul a b =
  let inner = Array.length b in
  matrix (Array.length a) (Array.length b.(0)) (fun i j ->
      let sum = ref zero in
      for k = 0 to inner - 1 do
        sum := add !sum (mul a.(i).(k) b.(k).(j))
      done;
      !sum)

let row = matrix 1 iterations (fun _ j -> float j)
let column = matrix iterations 1 (fun i _ -> float i)
let product_of_floats _ = keep (product ~zero:0. ~add:( +. ) ~mul:( *. ) row column)

(* Comparisons of values that are built for them. *)

let pairs_equal n =
  let equal = ref 0 in
  for i = 1 to n do if (i, i land 3) = (n, 3) then incr equal done;
  keep !equal

let pairs_ordered n =
  let less = ref 0 in
  for i = 1 to n do if compare (i land 7, i) (3, n) < 0 then incr less done;
  keep !less

let option_equal n =
  let equal = ref 0 in
  for i = 1 to n do if Some i = (if n > 5 then Some 3 else None) then incr equal done;
  keep !equal

(* Variants. *)

let option_accumulator n =
  let rec loop acc i =
    if i = n then acc
    else loop (match acc with None -> Some i | Some j -> Some (i + j)) (i + 1) in
  match loop None 0 with None -> keep 0 | Some x -> keep x

(* The exit needs the whole: it is made there. *)
let option_returned n =
  let rec loop acc i =
    if i = n then acc
    else loop (match acc with None -> Some i | Some j -> Some (i + j)) (i + 1) in
  keep (loop None 0)

let numbers = Array.init iterations (fun i -> (i * 7919) mod 1009)

(* Passed on unchanged in most iterations. *)
let best n =
  let rec loop best i =
    if i = n then best
    else
      let best = match best with
        | None -> Some numbers.(i)
        | Some b -> if numbers.(i) > b then Some numbers.(i) else best in
      loop best (i + 1) in
  match loop None 0 with None -> keep 0 | Some x -> keep x

let result_state n =
  let r = ref (Ok 0) in
  for i = 0 to n do
    r := (match !r with
        | Ok k when k > 1000 -> Error i
        | Ok k -> Ok (k + i)
        | Error j -> if j > 3 then Ok j else !r)
  done;
  match !r with Ok x -> keep x | Error y -> keep (-y)

type state = Start | Digits of int | Sign of bool * int | Stop
let automaton n =
  let rec loop s i =
    if i = n then (match s with Start -> 0 | Digits d -> d | Sign (_, d) -> -d | Stop -> 1)
    else
      let s = match s with
        | Start -> Digits i
        | Digits d -> if d > 1000 then Sign (true, d) else Digits (d + i)
        | Sign (b, d) -> if b then Sign (false, d / 2) else Stop
        | Stop -> Start in
      loop s (i + 1) in
  keep (loop Start 0)

type shape = Circle of float | Square of float * float | Empty
let shapes n =
  let rec loop s i =
    if i = n then (match s with Circle r -> r | Square (a, b) -> a +. b | Empty -> 0.0)
    else
      let s = match s with
        | Circle r -> Square (r, r +. 1.0)
        | Square (a, b) -> if a > 100.0 then Empty else Circle (a +. b)
        | Empty -> Circle 1.0 in
      loop s (i + 1) in
  keep (loop Empty 0 > 1.0)

(* Joins. *)

let at_joins n =
  let s = ref 0 in
  for i = 1 to n do
    let (a, b) = if i land 1 = 0 then (i, 1) else (2, i) in
    let o = if i land 2 = 0 then Some a else None in
    s := !s + (match o with Some x -> x + b | None -> b)
  done;
  keep !s

let[@inline never] half x = if x land 1 = 0 then x / 2 else x
let pair = Sys.opaque_identity (3, 4)
let[@inline never] known_pair _ = pair

(* One way through a function that is not inlined: what it gives is taken apart after it. *)
let through_call n =
  let s = ref 0 in
  for i = 1 to n do
    let (a, b) = if i land 1 = 0 then known_pair i else (half i, i) in
    s := !s + a + b
  done;
  keep !s

(* Loops of the numerical kind. *)

let mandelbrot n =
  let count = ref 0 in
  for i = 0 to n / 10 do
    let c_re = float_of_int i /. 50.0 -. 1.5 and c_im = 0.3 in
    let z_re = ref 0.0 and z_im = ref 0.0 and k = ref 0 in
    while !k < 50 && (!z_re *. !z_re) +. (!z_im *. !z_im) < 4.0 do
      let re = (!z_re *. !z_re) -. (!z_im *. !z_im) +. c_re in
      z_im := (2.0 *. !z_re *. !z_im) +. c_im;
      z_re := re;
      incr k
    done;
    count := !count + !k
  done;
  keep !count

let side = 20
let matrix = Array.init side (fun i -> Array.init side (fun j -> float_of_int ((i * j) + i + 1)))
let lu _ =
  for k = 0 to side - 1 do
    for i = k + 1 to side - 1 do
      let factor = matrix.(i).(k) /. matrix.(k).(k) in
      matrix.(i).(k) <- factor;
      for j = k + 1 to side - 1 do
        matrix.(i).(j) <- matrix.(i).(j) -. (factor *. matrix.(k).(j))
      done
    done
  done

type body = { mutable px : float; mutable py : float; mutable vx : float; mutable vy : float; mass : float }
let bodies = Array.init 5 (fun i ->
    { px = float_of_int i; py = float_of_int (i * i); vx = 0.1; vy = 0.2; mass = 1.0 +. float_of_int i })
let nbody n =
  for _ = 1 to n / 100 do
    for i = 0 to Array.length bodies - 1 do
      let b = bodies.(i) in
      for j = i + 1 to Array.length bodies - 1 do
        let c = bodies.(j) in
        let dx = b.px -. c.px and dy = b.py -. c.py in
        let d2 = (dx *. dx) +. (dy *. dy) +. 0.01 in
        let mag = 0.01 /. (d2 *. sqrt d2) in
        b.vx <- b.vx -. (dx *. c.mass *. mag);
        b.vy <- b.vy -. (dy *. c.mass *. mag);
        c.vx <- c.vx +. (dx *. b.mass *. mag);
        c.vy <- c.vy +. (dy *. b.mass *. mag)
      done
    done
  done

let re = Array.make 64 1.0
let im = Array.make 64 0.0
let fft _ =
  let len = ref 2 in
  while !len <= 64 do
    let ang = 6.283185307179586 /. float_of_int !len in
    let w_re = cos ang and w_im = sin ang in
    let i = ref 0 in
    while !i < 64 do
      let c_re = ref 1.0 and c_im = ref 0.0 in
      for j = 0 to (!len / 2) - 1 do
        let a = !i + j and b = !i + j + (!len / 2) in
        let t_re = (re.(b) *. !c_re) -. (im.(b) *. !c_im) and t_im = (re.(b) *. !c_im) +. (im.(b) *. !c_re) in
        re.(b) <- re.(a) -. t_re;
        im.(b) <- im.(a) -. t_im;
        re.(a) <- re.(a) +. t_re;
        im.(a) <- im.(a) +. t_im;
        let n_re = (!c_re *. w_re) -. (!c_im *. w_im) in
        c_im := (!c_re *. w_im) +. (!c_im *. w_re);
        c_re := n_re
      done;
      i := !i + !len
    done;
    len := !len * 2
  done

(* A closure that one case passes on, behind links that change: in the others none is made. *)
type node = { mutable desc : desc }
and desc = Leaf of int | Link of node | Row of node list

let iter_all = Sys.opaque_identity List.iter

let rec iter_nodes f node =
  let again n = f (n, node) in
  match node.desc with
  | Leaf _ -> ()
  | Link n -> iter_nodes f n
  | Row l -> iter_all again l

let closure_of_one_case n =
  let leaf = Sys.opaque_identity { desc = Leaf 1 } in
  let node = Sys.opaque_identity { desc = Link leaf } in
  let f = Sys.opaque_identity ignore in
  for _ = 1 to n do
    iter_nodes f node
  done

(* A record that is made for a loop, and which a function reads after it. That one calls others, so that a call of it would be little
   beside; but put in its place it lets the record be variables. *)
type mean = { mutable count : int; mutable total : float }
let log : int -> unit = Sys.opaque_identity ignore
let tell mean =
  log mean.count;
  log (int_of_float (mean.total /. float_of_int mean.count))

(* What parsers return: an option of a pair, of which both are taken apart. *)
let[@inline never] parse n = if n land 7 = 7 then None else Some (n land 3, n lsr 2)
let rec parse_all acc n = match parse n with Some (x, rest) when rest > 0 -> parse_all (acc + x) rest | Some (x, _) -> Some (acc + x, n) | None -> None

let sum_of_parsed iterations =
  let sum = ref 0 in
  for i = 1 to iterations do
    match parse_all 0 i with Some (x, rest) -> sum := !sum + x + rest | None -> decr sum
  done;
  keep !sum

let record_that_is_read n =
  let mean = { count = 0; total = 0.0 } in
  for i = 1 to n do
    mean.count <- mean.count + 1;
    mean.total <- mean.total +. float_of_int i
  done;
  tell mean

(* A reference that a closure captures which is put into its place late, as the function that takes it is (S5). *)
type figure = Circle of float | Rectangle of float * float
let area = Sys.opaque_identity (function Circle r -> r *. r | Rectangle (a, b) -> a *. b)
let figures_of n = List.init n (fun i -> if i land 1 = 0 then Circle 2.0 else Rectangle (1.0, float_of_int i))
let the_figures = figures_of iterations

let float_reference_in_closure _ =
  let sum = ref 0.0 in
  List.iter (fun figure -> sum := !sum +. area figure) the_figures;
  keep (!sum > 1.0)

let two_references_in_closure _ =
  let sum = ref 0.0 and most = ref 0.0 in
  List.iter
    (fun figure ->
      let a = area figure in
      sum := !sum +. a;
      if a > !most then most := a)
    the_figures;
  keep (!sum > !most)

let reference_in_nested_closure _ =
  let sum = ref 0.0 in
  List.iter (fun figure -> List.iter (fun k -> sum := !sum +. (area figure *. float_of_int k)) [ 1; 2 ]) the_figures;
  keep (!sum > 1.0)

let reference_through_user's_iterator n =
  let rec iterate f i = if i > 0 then begin f i; iterate f (i - 1) end in
  let sum = ref 0.0 in
  iterate (fun i -> sum := !sum +. area (if i land 1 = 0 then Circle 1.0 else Circle 2.0)) n;
  keep (!sum > 1.0)

let () =
  check "float_reference_in_closure" (2 * iterations) float_reference_in_closure;
  check "two_references_in_closure" (2 * iterations) two_references_in_closure;
  check "reference_in_nested_closure" (4 * iterations) reference_in_nested_closure;
  check "reference_through_user's_iterator" (2 * iterations) reference_through_user's_iterator;
  check "sum_of_parsed" 0 sum_of_parsed;
  check "record_that_is_read" 0 record_that_is_read;
  check "closure_of_one_case" 6 closure_of_one_case;
  check "sum_of_floats" 0 sum_of_floats;
  check "sum_of_some" 2 sum_of_some;
  check "sum_up_to_one" 2 sum_up_to_one;
  check "area_of_corners" 2 area_of_corners;
  check "sum_by_fold" 2 sum_by_fold;
  check "sum_by_iter" 2 sum_by_iter;
  check "count_of_some" 3 count_of_some;
  check "sum_of_a_matrix" 2 sum_of_a_matrix;
  check "same_box" 0 same_box;
  check "sum_from" 4 (fun n -> keep (sum_from 0.0 n));
  check "int64_hash" 0 int64_hash;
  check "int32_hash" 0 int32_hash;
  check "int32_state" 0 int32_state;
  check "state_monad" ((8 * iterations) + 3) state_monad;
  check "product_of_floats" 16 product_of_floats;
  check "floats_made" (iterations + 8) floats_made;
  check "floats_mapped" (iterations + 8) floats_mapped;
  check "floats_exchanged" 0 floats_exchanged;
  check "float_through_handler" 0 float_through_handler;
  check "fibonacci" 0 fibonacci;
  check "spiral" 0 spiral;
  check "pairs_equal" 0 pairs_equal;
  check "pairs_ordered" 0 pairs_ordered;
  check "option_equal" 0 option_equal;
  check "option_accumulator" 0 option_accumulator;
  check "option_returned" 2 option_returned;
  check "best" 0 best;
  check "result_state" 0 result_state;
  check "automaton" 0 automaton;
  check "shapes" 0 shapes;
  check "at_joins" 0 at_joins;
  check "through_call" 0 through_call;
  check "mandelbrot" 0 mandelbrot;
  check "lu" 0 lu;
  check "nbody" 0 nbody;
  check "fft" 0 fft
