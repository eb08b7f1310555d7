(* Backtracking with exceptions: n-queens, graph colouring and subset sums that fail by raising. *)

exception Conflict
exception Found of int list

(* Raises [Conflict] where the new queen would be attacked. *)
let check_safe queens column =
  let rec go distance = function
    | [] -> ()
    | q :: rest ->
      if q = column || abs (q - column) = distance then raise Conflict;
      go (distance + 1) rest
  in
  go 1 queens

let count_queens n =
  let solutions = ref 0 in
  let rec place row queens =
    if row = n then incr solutions
    else
      for column = 0 to n - 1 do
        match check_safe queens column with
        | () -> place (row + 1) (column :: queens)
        | exception Conflict -> ()
      done
  in
  place 0 [];
  !solutions

let first_queens n =
  let rec place row queens =
    if row = n then raise (Found (List.rev queens));
    for column = 0 to n - 1 do
      try
        check_safe queens column;
        place (row + 1) (column :: queens)
      with Conflict -> ()
    done
  in
  match place 0 [] with () -> None | exception Found queens -> Some queens

(* Tries alternatives in turn; a dead end is [Not_found]. *)
let rec first_of f = function
  | [] -> raise Not_found
  | x :: rest -> ( try f x with Not_found -> first_of f rest)

module Colouring = struct
  module Colours = Map.Make (Int)

  let neighbours n v =
    List.filter (fun w -> w <> v && w >= 0 && w < n) [ v - 1; v + 1; v * 3 mod n; (v + 7) mod n; v - 7 ]

  let allowed n assigned v colour =
    List.for_all
      (fun w -> match Colours.find w assigned with c -> c <> colour | exception Not_found -> true)
      (neighbours n v)

  let solve ~colours n =
    let palette = List.init colours Fun.id in
    let tries = ref 0 in
    let rec extend v assigned =
      if v = n then assigned
      else
        first_of
          (fun colour ->
            incr tries;
            if not (allowed n assigned v colour) then raise Not_found;
            extend (v + 1) (Colours.add v colour assigned))
          palette
    in
    match extend 0 Colours.empty with
    | assigned -> (Some (Colours.fold (fun _ c sum -> sum + c) assigned 0), !tries)
    | exception Not_found -> (None, !tries)
end

exception Too_large

(* Number of subsets with the given sum; the items are in ascending order, so
   that a sum which is too large cuts off the rest. *)
let subset_sums items target =
  let visits = ref 0 in
  let rec go rest sum =
    incr visits;
    if sum > target then raise Too_large;
    if sum = target then 1
    else
      match rest with
      | [] -> 0
      | x :: rest -> (
        match go rest (sum + x) with
        | taken -> taken + go rest sum
        | exception Too_large -> 0)
  in
  let count = go items 0 in
  (count, !visits)

let show = function
  | None -> "none"
  | Some list -> String.concat " " (List.map string_of_int list)

let () =
  Printf.printf "queens 10: %d\n" (count_queens 10);
  Printf.printf "first of 22: %s\n" (show (first_queens 22));
  List.iter
    (fun (colours, n) ->
      let sum, tries = Colouring.solve ~colours n in
      Printf.printf "%d colours, %d vertices: %s in %d tries\n" colours n
        (show (Option.map (fun s -> [ s ]) sum)) tries)
    [ (3, 55); (3, 40); (4, 200) ];
  let items = List.init 40 (fun i -> 17 + (5 * i) + (i * i mod 7)) in
  let count, visits = subset_sums items 520 in
  Printf.printf "subsets %d, visits %d\n" count visits
