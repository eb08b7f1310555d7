(* A function that returns its results by parts hands on what it got from itself: the constructors without arguments
   were told apart in the order in which they were found, not of their numbers (found in coq's micromega.ml). *)

type number = One | Twice of number | Twice_and_one of number
type difference = Zero | Positive of number | Negative

let twice_and_one = function
  | Zero -> Positive One
  | Positive n -> Positive (Twice_and_one n)
  | Negative -> Negative

let twice = function Positive n -> Positive (Twice n) | (Zero | Negative) as other -> other

let rec before = function
  | One -> Zero
  | Twice n -> Positive (match before n with Positive m -> Twice_and_one m | Zero | Negative -> One)
  | Twice_and_one n -> Positive (Twice n)

let two_less = function Twice n -> twice (before n) | Twice_and_one n -> (match before n with Positive m -> Positive (Twice_and_one m) | Zero -> Positive One | Negative -> Negative) | One -> Negative

let rec subtract x y =
  match (x, y) with
  | Twice_and_one x, Twice_and_one y -> twice (subtract x y)
  | Twice_and_one x, Twice y -> twice_and_one (subtract x y)
  | Twice_and_one x, One -> Positive (Twice x)
  | Twice x, Twice_and_one y -> twice_and_one (subtract_and_one x y)
  | Twice x, Twice y -> twice (subtract x y)
  | Twice _, One -> before x
  | One, One -> Zero
  | One, _ -> Negative

and subtract_and_one x y =
  match (x, y) with
  | Twice_and_one x, Twice_and_one y -> twice_and_one (subtract_and_one x y)
  | Twice_and_one x, Twice y -> twice (subtract x y)
  | Twice_and_one x, One -> before (Twice x)
  | Twice x, Twice_and_one y -> twice (subtract_and_one x y)
  | Twice x, Twice y -> twice_and_one (subtract_and_one x y)
  | Twice _, One -> two_less x
  | One, _ -> Negative

let rec of_int n =
  if n = 1 then One else if n land 1 = 0 then Twice (of_int (n / 2)) else Twice_and_one (of_int (n / 2))

let rec to_int = function One -> 1 | Twice n -> 2 * to_int n | Twice_and_one n -> (2 * to_int n) + 1

let () =
  for x = 1 to 12 do
    for y = 1 to 12 do
      match subtract (of_int x) (of_int y) with
      | Zero -> print_string " ="
      | Positive n -> Printf.printf " %d" (to_int n)
      | Negative -> print_string " <"
    done;
    print_newline ()
  done
