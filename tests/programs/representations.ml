(* Generic code on arrays of each representation: flat, of values, of immediates, empty, of mixed [Obj]s; with
   exceptions in the loops, handlers in them and around them, bounds that fail in the middle, arrays of two
   representations at once. *)

let swap a i j =
  let t = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- t

let reverse a =
  let n = Array.length a in
  for i = 0 to (n / 2) - 1 do
    swap a i (n - 1 - i)
  done

let insertion_sort a =
  for i = 1 to Array.length a - 1 do
    let x = a.(i) in
    let j = ref (i - 1) in
    while !j >= 0 && compare a.(!j) x > 0 do
      a.(!j + 1) <- a.(!j);
      decr j
    done;
    a.(!j + 1) <- x
  done

let heap_sort a =
  let n = Array.length a in
  let rec down i n =
    let l = (2 * i) + 1 in
    if l < n then begin
      let c = if l + 1 < n && compare a.(l) a.(l + 1) < 0 then l + 1 else l in
      if compare a.(i) a.(c) < 0 then begin
        swap a i c;
        down c n
      end
    end
  in
  for i = (n / 2) - 1 downto 0 do
    down i n
  done;
  for m = n - 1 downto 1 do
    swap a 0 m;
    down 0 m
  done

let blit_backwards a b =
  for i = Array.length a - 1 downto 0 do
    b.(i) <- a.(i)
  done

let rotate a =
  if Array.length a > 0 then begin
    let first = a.(0) in
    for i = 0 to Array.length a - 2 do
      a.(i) <- a.(i + 1)
    done;
    a.(Array.length a - 1) <- first
  end

(* An index that is out of bounds in the middle: what was done before it stays done. *)
let shift_too_far a by = for i = 0 to Array.length a - 1 do a.(i) <- a.(i + by) done

(* A handler in the loop, and one around it that sees how far the loop came. *)
let careful a by =
  let failures = ref 0 in
  for i = 0 to Array.length a - 1 do
    try a.(i) <- a.(i + by) with Invalid_argument _ -> incr failures
  done;
  !failures

let how_far a by =
  let reached = ref (-1) in
  (try
     for i = 0 to Array.length a - 1 do
       reached := i;
       a.(i) <- a.(i + by)
     done
   with Invalid_argument _ -> ());
  !reached

exception Found of int

let position x a =
  try
    for i = 0 to Array.length a - 1 do
      if compare a.(i) x = 0 then raise (Found i)
    done;
    -1
  with Found i -> i

let maximum a = Array.fold_left max a.(0) a

(* The array is one only where the tag of the variant says so. *)
type 'a source = Nothing | Elements of 'a array

let copy_first source (into : 'a array) times =
  for i = 0 to times - 1 do
    match source with
    | Nothing -> ()
    | Elements a ->
        into.(i) <- a.(0);
        into.(i) <- a.(i mod Array.length a)
  done

(* What is no array at all, and never used as one. *)
let never_used (a : 'a array) n =
  let s = ref 0 in
  for i = 0 to n do
    if i > n then begin
      a.(0) <- a.(1);
      a.(1) <- a.(2)
    end;
    s := !s + i
  done;
  !s

let rows m =
  let total = ref 0. in
  Array.iter (fun row -> for k = 0 to Array.length row - 1 do total := !total +. row.(k) done) m;
  !total

let transpose m =
  let n = Array.length m in
  for i = 0 to n - 1 do
    for j = i + 1 to n - 1 do
      let t = m.(i).(j) in
      m.(i).(j) <- m.(j).(i);
      m.(j).(i) <- t
    done
  done

let product add mul zero a b =
  let n = Array.length a and m = Array.length b.(0) in
  Array.init n (fun i ->
      Array.init m (fun j ->
          let s = ref zero in
          for k = 0 to Array.length b - 1 do
            s := add !s (mul a.(i).(k) b.(k).(j))
          done;
          !s))

let sum_floats a = Array.fold_left ( +. ) 0. a
let sum_ints a = Array.fold_left ( + ) 0 a
let scale k a = for i = 0 to Array.length a - 1 do a.(i) <- k *. a.(i) done

let show name show_element make =
  let print what a =
    Printf.printf "%s %s:%s\n" name what (String.concat "" (List.map (fun x -> " " ^ show_element x) (Array.to_list a)))
  in
  let on what f = let a = make () in (try f a with e -> print_endline (Printexc.to_string e)); print what a in
  on "reverse" reverse;
  on "insertion" insertion_sort;
  on "heap" heap_sort;
  on "rotate" rotate;
  on "shift" (fun a -> shift_too_far a 2);
  on "careful" (fun a -> print_int (careful a 1); print_newline ());
  on "how far" (fun a -> print_int (how_far a 3); print_newline ());
  on "blit" (fun a -> let b = make () in reverse b; blit_backwards b a);
  on "position" (fun a -> if a <> [||] then Printf.printf "%d\n" (position a.(Array.length a - 1) a));
  on "maximum" (fun a -> print_endline (show_element (maximum a)));
  on "first" (fun a -> copy_first Nothing a 3; copy_first (Elements (make ())) a (Array.length a));
  on "toplevel" (fun a -> Array.iteri (fun i x -> if i > 0 then a.(i - 1) <- x) (Array.copy a))

let () =
  show "float" (Printf.sprintf "%h") (fun () -> [| 3.; -0.; nan; 1.5; infinity; 0.; -7.25 |]);
  show "int" string_of_int (fun () -> [| 3; -1; max_int; 0; 12; min_int; 5 |]);
  show "string" (fun s -> s) (fun () -> [| "d"; "b"; ""; "zz"; "a" |]);
  show "list" (fun l -> String.concat "," (List.map string_of_float l)) (fun () -> [| [ 1. ]; []; [ 0.5; 2. ] |]);
  show "empty" string_of_int (fun () -> [||]);
  show "one" string_of_float (fun () -> [| 4.5 |])

(* Values of all sorts in one array that is not flat: a float among them stays boxed. *)
let () =
  let mixed = [| Obj.repr 1; Obj.repr "two"; Obj.repr 3.; Obj.repr [| 4. |] |] in
  reverse mixed;
  rotate mixed;
  Array.iter
    (fun x ->
      print_endline
        (if Obj.is_int x then string_of_int (Obj.obj x)
         else if Obj.tag x = Obj.string_tag then Obj.obj x
         else if Obj.tag x = Obj.double_tag then string_of_float (Obj.obj x)
         else string_of_float (Obj.obj x : float array).(0)))
    mixed

(* A field of a record that is declared immutable, through [Obj.set_field]. *)
type point = { x : int; y : int }

let exchange (fields : Obj.t) =
  let t = Obj.field fields 0 in
  Obj.set_field fields 0 (Obj.field fields 1);
  Obj.set_field fields 1 t

let () =
  let p = Sys.opaque_identity { x = 1; y = 2 } in
  let before = p.x in
  exchange (Obj.repr p);
  Printf.printf "%d %d %d\n" before (Sys.opaque_identity p).x (Sys.opaque_identity p).y

(* Arrays of two representations at once. *)
let () =
  let floats = [| 1.; 2.; 3. |] and values = Array.make 3 (Obj.repr 0) in
  blit_backwards (Array.map Obj.repr [| 1; 2; 3 |]) values;
  blit_backwards (Obj.magic floats : Obj.t array) values;
  Array.iter (fun x -> Printf.printf "%g " (Obj.obj x : float)) values;
  let back = [| 0.; 0.; 0. |] in
  blit_backwards values (Obj.magic back : Obj.t array);
  Array.iter (Printf.printf "%g ") back;
  print_newline ()

let () =
  Printf.printf "%d\n" (never_used (Sys.opaque_identity (Obj.magic 0) : float array) 10);
  Printf.printf "%g %g %d\n" (rows [| [| 1.; 2. |]; [||]; [| 3. |] |]) (sum_floats [| 1.; 2.5 |]) (sum_ints [| 1; 2 |]);
  let m = [| [| 1.; 2. |]; [| 3.; 4. |] |] and n = [| [| 1; 2 |]; [| 3; 4 |] |] in
  transpose m;
  transpose n;
  let p = product ( +. ) ( *. ) 0. m m and q = product ( + ) ( * ) 0 n n in
  scale 2. p.(0);
  Printf.printf "%g %g %d %d\n" p.(0).(1) p.(1).(0) q.(0).(1) q.(1).(0)

(* Loops of the toplevel. *)
let table = Array.init 5 float_of_int
let () =
  let a : 'a array = Sys.opaque_identity table in
  for i = 0 to 1 do swap a i (4 - i) done;
  Array.iter (Printf.printf "%g ") table;
  print_newline ()
