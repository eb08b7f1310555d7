(* A function that a local closure was passed to, and that was specialised for it, called its code directly; when the function
   that makes the closure was inlined, the copy passed a closure of another layout: a segmentation fault with
   `-O3 -flambeau-policy benefit`. *)

let knight n =
  let board = Array.make_matrix n n 0 in
  let moves = [ 1, 2; 2, 1; 2, -1; 1, -2; -1, -2; -2, -1; -2, 1; -1, 2 ] in
  let free x y = x >= 0 && y >= 0 && x < n && y < n && board.(x).(y) = 0 in
  let degree x y = List.length (List.filter (fun (a, c) -> free (x + a) (y + c)) moves) in
  let rec go x y k =
    board.(x).(y) <- k;
    if k = n * n then true
    else
      let next = List.filter (fun (x, y) -> free x y) (List.map (fun (a, c) -> x + a, y + c) moves) in
      let next = List.sort (fun (a, c) (d, e) -> compare (degree a c) (degree d e)) next in
      List.exists (fun (x, y) -> go x y (k + 1)) next || (board.(x).(y) <- 0; false)
  in
  go 0 0 1

let () = Printf.printf "%b\n" (knight 6)
