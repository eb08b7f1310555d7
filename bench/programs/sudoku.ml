(* A sudoku solver by constraint propagation over candidate sets, with exceptions for dead ends. *)

exception Contradiction
exception Solved of int array

(* A set of digits 1..9 as bits 0..8. *)
module Digits = struct
  let all = 0x1ff
  let single d = 1 lsl (d - 1)
  let is_single s = s land (s - 1) = 0

  let rec cardinal s = if s = 0 then 0 else 1 + cardinal (s land (s - 1))
  let iter f s = for d = 1 to 9 do if s land single d <> 0 then f d done

  let to_digit s =
    let rec go d = if s = single d then d else go (d + 1) in
    go 1
end

let row i = i / 9
let column i = i mod 9
let box i = (i / 27 * 3) + (i mod 9 / 3)

let peers =
  Array.init 81 (fun i ->
      List.filter
        (fun j -> j <> i && (row i = row j || column i = column j || box i = box j))
        (List.init 81 Fun.id))

let units =
  let cells test = List.filter test (List.init 81 Fun.id) in
  List.concat_map
    (fun k -> [ cells (fun i -> row i = k); cells (fun i -> column i = k); cells (fun i -> box i = k) ])
    (List.init 9 Fun.id)

(* Takes the digits of [set] from cell [i] and follows the consequences. *)
let rec eliminate cells i set =
  let before = cells.(i) in
  let after = before land lnot set in
  if after = 0 then raise Contradiction;
  if after <> before then begin
    cells.(i) <- after;
    if Digits.is_single after then List.iter (fun j -> eliminate cells j after) peers.(i)
  end

let assign cells i d =
  if cells.(i) land Digits.single d = 0 then raise Contradiction;
  eliminate cells i (Digits.all land lnot (Digits.single d))

(* A digit with only one place in a unit goes there. *)
let hidden_singles cells =
  List.iter
    (fun cells_of_unit ->
      let once, twice =
        List.fold_left
          (fun (once, twice) i -> (once lor cells.(i), twice lor (once land cells.(i))))
          (0, 0) cells_of_unit
      in
      if once <> Digits.all then raise Contradiction;
      let unique = once land lnot twice in
      List.iter
        (fun i ->
          let here = cells.(i) land unique in
          if here <> 0 && here <> cells.(i) then
            if Digits.is_single here then assign cells i (Digits.to_digit here)
            else raise Contradiction)
        cells_of_unit)
    units

let rec propagate cells =
  let before = Array.copy cells in
  hidden_singles cells;
  if cells <> before then propagate cells

let tightest cells =
  let best = ref None in
  Array.iteri
    (fun i s ->
      if not (Digits.is_single s) then
        let n = Digits.cardinal s in
        match !best with
        | Some (_, m) when m <= n -> ()
        | Some _ | None -> best := Some (i, n))
    cells;
  Option.map fst !best

let guesses = ref 0

let rec search cells =
  propagate cells;
  match tightest cells with
  | None -> raise (Solved cells)
  | Some i ->
    Digits.iter
      (fun d ->
        let copy = Array.copy cells in
        match
          incr guesses;
          assign copy i d;
          search copy
        with
        | () -> ()
        | exception Contradiction -> ())
      cells.(i)

let solve givens =
  let cells = Array.make 81 Digits.all in
  match
    List.iter (fun (i, d) -> assign cells i d) givens;
    search cells
  with
  | () | (exception Contradiction) -> None
  | exception Solved cells -> Some (Array.map Digits.to_digit cells)

(* A solved grid, shuffled; from it puzzles with few givens are made. *)
let pattern i d = ((row i * 3) + (row i / 3) + column i + d) mod 9 + 1

let puzzle seed givens =
  let state = ref seed in
  let next bound =
    state := ((!state * 1103515245) + 12345) land 0x3fffffff;
    !state lsr 9 mod bound
  in
  let shift = next 9 and factor = List.nth [ 1; 2; 4; 5; 7; 8 ] (next 6) in
  List.init givens (fun _ -> next 81)
  |> List.sort_uniq Int.compare
  |> List.map (fun i -> (i, ((pattern i shift - 1) * factor mod 9) + 1))

let valid grid =
  List.for_all
    (fun cells -> List.fold_left (fun set i -> set lor Digits.single grid.(i)) 0 cells = Digits.all)
    units

let () =
  let solved = ref 0 and checksum = ref 0 in
  for seed = 1 to 10_000 do
    match solve (puzzle seed (22 + (seed mod 9))) with
    | Some grid when valid grid ->
      incr solved;
      checksum := Array.fold_left (fun h d -> ((h * 31) + d) land 0xffffff) !checksum grid
    | Some _ | None -> ()
  done;
  Printf.printf "solved %d, guesses %d, checksum %d\n" !solved !guesses !checksum;
  match solve [ (0, 5); (8, 5) ] with
  | Some _ -> print_endline "solved?"
  | None -> print_endline "no solution"
