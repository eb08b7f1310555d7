(* The Mandelbrot set by escape time, with smooth colouring and a histogram of the counts. *)

type view = { centre_x : float; centre_y : float; width : float; columns : int; rows : int }

type pixel = Inside | Escaped of { steps : int; radius2 : float }

let escape ~limit cx cy =
  let rec go steps x y =
    let x2 = x *. x and y2 = y *. y in
    if x2 +. y2 > 16. then Escaped { steps; radius2 = x2 +. y2 }
    else if steps >= limit then Inside
    else go (steps + 1) (x2 -. y2 +. cx) ((2. *. x *. y) +. cy)
  in
  go 0 0. 0.

(* Points of the main cardioid and the period-2 bulb never escape. *)
let known_inside x y =
  let xs = x -. 0.25 in
  let q = (xs *. xs) +. (y *. y) in
  q *. (q +. xs) <= 0.25 *. y *. y || ((x +. 1.) *. (x +. 1.)) +. (y *. y) <= 0.0625

let smooth steps radius2 = float_of_int steps +. 1. -. (log (0.5 *. log radius2) /. log 2.)

let coordinates view column row =
  let step = view.width /. float_of_int view.columns in
  let x = view.centre_x +. (step *. float_of_int (column - (view.columns / 2))) in
  let y = view.centre_y +. (step *. float_of_int (row - (view.rows / 2))) in
  (x, y)

type summary = {
  mutable inside : int;
  mutable brightness : float;
  histogram : int array;
}

let bucket steps =
  let rec go b n = if n <= 1 then b else go (b + 1) (n lsr 1) in
  go 0 steps

let record summary = function
  | Inside -> summary.inside <- summary.inside + 1
  | Escaped { steps; radius2 } ->
    summary.brightness <- summary.brightness +. smooth steps radius2;
    let b = bucket steps in
    summary.histogram.(b) <- summary.histogram.(b) + 1

let render ~limit view =
  let summary = { inside = 0; brightness = 0.; histogram = Array.make 14 0 } in
  for row = 0 to view.rows - 1 do
    for column = 0 to view.columns - 1 do
      let x, y = coordinates view column row in
      record summary (if known_inside x y then Inside else escape ~limit x y)
    done
  done;
  summary

let views =
  [ { centre_x = -0.5; centre_y = 0.; width = 3.2; columns = 600; rows = 400 };
    { centre_x = -0.7436; centre_y = 0.1318; width = 0.02; columns = 400; rows = 400 };
    { centre_x = 0.285; centre_y = 0.0115; width = 0.01; columns = 300; rows = 300 } ]

let print_summary s =
  Printf.printf "inside %d, brightness %.3f, histogram %s\n" s.inside s.brightness
    (String.concat " " (Array.to_list (Array.map string_of_int s.histogram)))

let () = List.iter (fun view -> print_summary (render ~limit:5000 view)) views
