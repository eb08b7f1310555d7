(* Backtracking: all ways to place queens, by three searches that must agree, and a sudoku.
   Shows recursion on integers, lists and arrays, exceptions for control, and first-class functions. *)

(* With sets of columns and diagonals as bits. *)
let by_bits n =
  let all = (1 lsl n) - 1 in
  let rec place columns left right =
    if columns = all then 1
    else
      let rec each free count =
        if free = 0 then count
        else
          let queen = free land -free in
          each (free land lnot queen)
            (count
            + place (columns lor queen) ((left lor queen) lsl 1) ((right lor queen) lsr 1))
      in
      each (all land lnot (columns lor left lor right)) 0
  in
  place 0 0 0

(* With the list of the queens placed so far. *)
let by_lists n =
  let rec safe column distance = function
    | [] -> true
    | queen :: rest ->
        queen <> column
        && queen <> column + distance
        && queen <> column - distance
        && safe column (distance + 1) rest
  in
  let rec place row queens =
    if row = n then [ queens ]
    else
      List.init n Fun.id
      |> List.filter (fun column -> safe column 1 queens)
      |> List.concat_map (fun column -> place (row + 1) (column :: queens))
  in
  List.length (place 0 [])

(* With arrays of what is under attack, and a function to call on each solution. *)
let by_arrays n =
  let column = Array.make n false in
  let left = Array.make (2 * n) false in
  let right = Array.make (2 * n) false in
  let rec place row found =
    if row = n then found ()
    else
      for c = 0 to n - 1 do
        if not (column.(c) || left.(row + c) || right.(row - c + n)) then begin
          let set value =
            column.(c) <- value;
            left.(row + c) <- value;
            right.(row - c + n) <- value
          in
          set true;
          place (row + 1) found;
          set false
        end
      done
  in
  let count = ref 0 in
  place 0 (fun () -> incr count);
  !count

exception Solved

let sudoku text =
  let grid = Array.init 81 (fun i -> if text.[i] = '.' then 0 else Char.code text.[i] - 48) in
  let tries = ref 0 in
  let fits cell digit =
    let row = cell / 9 and column = cell mod 9 in
    let top = row / 3 * 3 and left = column / 3 * 3 in
    let rec check i =
      i = 9
      || grid.((row * 9) + i) <> digit
         && grid.((i * 9) + column) <> digit
         && grid.(((top + (i / 3)) * 9) + left + (i mod 3)) <> digit
         && check (i + 1)
    in
    check 0
  in
  let rec solve cell =
    if cell = 81 then raise Solved
    else if grid.(cell) <> 0 then solve (cell + 1)
    else begin
      for digit = 1 to 9 do
        incr tries;
        if fits cell digit then begin
          grid.(cell) <- digit;
          solve (cell + 1);
          grid.(cell) <- 0
        end
      done
    end
  in
  match solve 0 with
  | () -> print_endline "no solution"
  | exception Solved ->
      Array.iteri (fun i d -> print_int d; if i mod 9 = 8 then print_newline ()) grid;
      Printf.printf "%d tries\n" !tries

let () =
  for n = 4 to 10 do
    let bits = by_bits n and lists = by_lists n and arrays = by_arrays n in
    assert (bits = lists && lists = arrays);
    Printf.printf "%d queens: %d ways\n" n bits
  done;
  Printf.printf "15 queens: %d ways\n" (by_bits 15);
  Printf.printf "11 queens: %d ways\n" (by_arrays 11);
  sudoku "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
