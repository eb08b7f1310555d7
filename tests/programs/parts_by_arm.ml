(* Functions that read their arguments in the arms of a first match: what each arm reads may be read by the callers,
   what only some do may not be there. *)

type _ layout = Two : (int * int) layout | Three : (int * int * int) layout | Record : cell layout
and cell = { mutable count : int; step : int; name : string }

let total : type a. a layout -> a -> int =
 fun layout x ->
  match layout with
  | Two ->
      let a, b = x in
      a + b
  | Three ->
      let a, b, c = x in
      a + b + c
  | Record -> x.count + x.step

let totals n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + total Two (i, 2 * i) + total Three (i, i, i * 3) + total Record { count = i; step = 1; name = "" };
    if i mod 100 = 0 then Gc.minor ()
  done;
  !sum

(* Both arms read the mutable field, one after it was changed by what is called. *)
let bump cell = cell.count <- cell.count + cell.step

let late flag cell =
  if flag then cell.count * 2
  else begin
    bump cell;
    cell.count
  end

(* An arm that raises reads nothing. *)
exception Stopped

let checked code (a, b) = match code with 0 -> a + b | 1 -> a - b | 2 -> raise Stopped | _ -> a * b

(* What is no value of its type must not be read earlier than in the source. *)
let lazily use (p : (int * int) ref) = match use with true -> fst !p + snd !p | false -> snd !p - fst !p
let dummy : int * int = Obj.magic 0
let careful use p = match use with 0 -> 0 | 1 -> fst p | _ -> fst p + snd p

type state = { x : int; y : float; tag : string }

let advance state = function
  | `Move n -> { state with x = state.x + n; y = state.y +. float_of_int n; tag = state.tag }
  | `Back -> { x = -state.x; y = -.state.y; tag = state.tag ^ "b" }
  | `Name s -> { x = state.x; y = state.y *. 2.; tag = s ^ state.tag }

let run l = List.fold_left advance { x = 0; y = 0.5; tag = "" } l

let () =
  Printf.printf "%d\n" (totals 1000);
  let cell = { count = 3; step = 4; name = "c" } in
  Printf.printf "%d %d %d\n" (late true cell) (late false cell) (late true cell);
  List.iter (fun code -> match checked code (7, 5) with n -> Printf.printf "%d " n | exception Stopped -> print_string "stopped ") [ 0; 1; 2; 3 ];
  Printf.printf "%d %d\n" (lazily true (ref (3, 4))) (lazily false (ref (3, 4)));
  Printf.printf "%d %d %d\n" (careful 0 dummy) (careful 1 (8, 9)) (careful 2 (8, 9));
  let state = run (List.init 50 (fun i -> match i mod 3 with 0 -> `Move i | 1 -> `Back | _ -> `Name (string_of_int i))) in
  Printf.printf "%d %h %s\n" state.x state.y state.tag
