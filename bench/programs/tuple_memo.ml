(* Memo tables of the standard library, polymorphic, on tuples: edit distances, ways through a grid, a knapsack. *)

let memo f =
  let table = Hashtbl.create 1024 in
  let rec value key =
    match Hashtbl.find_opt table key with
    | Some known -> known
    | None ->
        let computed = f value key in
        Hashtbl.add table key computed;
        computed
  in
  value

let edits a b =
  let table : (int * int, int) Hashtbl.t = Hashtbl.create 1024 in
  let rec distance i j =
    if i = 0 then j
    else if j = 0 then i
    else
      match Hashtbl.find table (i, j) with
      | known -> known
      | exception Not_found ->
          let d =
            if a.[i - 1] = b.[j - 1] then distance (i - 1) (j - 1)
            else 1 + min (distance (i - 1) (j - 1)) (min (distance (i - 1) j) (distance i (j - 1)))
          in
          Hashtbl.replace table (i, j) d;
          d
  in
  distance (String.length a) (String.length b)

let ways =
  memo (fun ways (x, y, turns) ->
      if x = 0 && y = 0 then 1
      else if turns < 0 then 0
      else
        let right = if x > 0 then ways (x - 1, y, turns - (y land 1)) else 0
        and up = if y > 0 then ways (x, y - 1, turns - (x land 1)) else 0 in
        (right + up) land 0xffffff)

let knapsack weights values room =
  let table : (int * int, int) Hashtbl.t = Hashtbl.create 1024 in
  let rec best i room =
    if i = Array.length weights then 0
    else if Hashtbl.mem table (i, room) then Hashtbl.find table (i, room)
    else begin
      let without = best (i + 1) room in
      let value =
        if weights.(i) > room then without else max without (values.(i) + best (i + 1) (room - weights.(i)))
      in
      Hashtbl.add table (i, room) value;
      value
    end
  in
  best 0 room

let letters n k = String.init n (fun i -> Char.chr (97 + (i * k * 31 land 7)))

let () =
  for k = 1 to 40 do ignore (Sys.opaque_identity (edits (letters 250 k) (letters 230 5))) done;
  Printf.printf "edits %d\n" (edits (letters 250 7) (letters 230 5));
  Printf.printf "ways %d\n" (ways (34, 34, 22));
  let items = 40 in
  let weights = Array.init items (fun i -> 3 + (i * 7 mod 11)) and values = Array.init items (fun i -> 10 + (i * 13 mod 17)) in
  Printf.printf "knapsack %d\n" (knapsack weights values 600)
