(* Records that other units do not see, with fields that nobody reads. *)

type note = { weight : int; origin : int * string; title : string option }

let notes = ref []
let add weight title = notes := { weight; origin = (weight, title); title = Some title } :: !notes
let rec sum acc = function [] -> acc | note :: rest -> sum (acc + note.weight) rest

let total () =
  let sum = sum 0 !notes in
  notes := [];
  sum

let rename () = notes := List.map (fun note -> { note with weight = note.weight + 1 }) !notes
