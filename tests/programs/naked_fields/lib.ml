(* References that the interface hides, of each boxed number. *)
let state = ref 88172645463325252L

let next () =
  let x = !state in
  let x = Int64.logxor x (Int64.shift_left x 13) in
  let x = Int64.logxor x (Int64.shift_right_logical x 7) in
  let x = Int64.logxor x (Int64.shift_left x 17) in
  state := x;
  x

let below n = Int64.to_int (Int64.rem (Int64.shift_right_logical (next ()) 1) (Int64.of_int n))

(* Its box is wanted by [total]. *)
let sum = ref 0.
let add x = sum := !sum +. x
let total () = !sum

let h = ref 0l
let hash s =
  h := 0x811c9dc5l;
  String.iter (fun c -> h := Int32.mul (Int32.logxor !h (Int32.of_int (Char.code c))) 0x01000193l) s;
  Int32.logxor !h (Int32.shift_right_logical !h 7)

let w = ref Nativeint.max_int
let wide () =
  w := Nativeint.add !w 12345n;
  Nativeint.logxor !w 1n

(* The interface shows it. *)
let seen = ref 0.5

(* Passed out, though of a hidden type. *)
type gauge = { name : string; mutable level : float; mutable ticks : int }
let gauge name = { name; level = 0.; ticks = 0 }
let tick g x = g.level <- g.level +. x; g.ticks <- g.ticks + 1; seen := !seen +. x
let show g = Printf.sprintf "%s %h %d" g.name g.level g.ticks
