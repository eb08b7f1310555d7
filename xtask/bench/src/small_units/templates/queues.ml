type 'a t = { mutable items : 'a option array; mutable first : int; mutable length : int }

exception Empty

let smallest = 2 + (NUMBER land 3)
let create () = { items = Array.make smallest None; first = 0; length = 0 }
let capacity t = Array.length t.items
let place t i = (t.first + i) mod capacity t
let length t = t.length

let grow t =
  let items = Array.make (2 * capacity t) None in
  for i = 0 to t.length - 1 do
    items.(i) <- t.items.(place t i)
  done;
  t.items <- items;
  t.first <- 0

let push t x =
  if t.length = capacity t then grow t;
  t.items.(place t t.length) <- Some x;
  t.length <- t.length + 1

let pop t =
  if t.length = 0 then raise Empty;
  match t.items.(t.first) with
  | None -> assert false
  | Some x ->
      t.items.(t.first) <- None;
      t.first <- place t 1;
      t.length <- t.length - 1;
      x

let pop_opt t = match pop t with x -> Some x | exception Empty -> None

let iter f t =
  for i = 0 to t.length - 1 do
    Option.iter f t.items.(place t i)
  done

let rec drain f acc t = match pop_opt t with None -> acc | Some x -> drain f (f acc x) t
