(* Variables that some turns of a loop leave as they are: refs that only some branches assign, swapped, read after the
   branch by their old value, seen by handlers, in nested loops, as floats; with and without calls in the loop. *)

let next seed = ((seed * 25173) + 13849) land 0xffff
let log = Buffer.create 1000
let show fmt = Printf.bprintf log (fmt ^^ "\n")
let[@inline never] opaque x = Sys.opaque_identity x

let extremes n seed =
  let s = ref seed and least = ref max_int and second = ref max_int and most = ref min_int in
  for _ = 1 to n do
    s := next !s;
    if !s < !least then begin
      second := !least;
      least := !s
    end
    else if !s < !second then second := !s;
    if !s > !most then most := opaque !s
  done;
  show "extremes %d %d %d" !least !second !most

let swaps n seed =
  let s = ref seed and a = ref 1 and b = ref 2 and c = ref 3 in
  while !s land 0x7f <> n do
    s := next !s;
    match !s land 3 with
    | 0 ->
        let t = !a in
        a := !b;
        b := t
    | 1 ->
        let t = !a in
        a := !b;
        b := !c;
        c := t
    | 2 -> ()
    | _ -> c := !c + !a
  done;
  show "swaps %d %d %d" !a !b !c

let old_values n seed =
  let s = ref seed and x = ref 0 and sum = ref 0 in
  for i = 1 to n do
    s := next !s;
    let before = !x and twice = 2 * !x in
    if !s land 1 = 0 then x := i else if !s land 2 = 0 then x := !x + 1;
    if !s land 4 = 0 then x := opaque !x * 3 land 0xfff;
    sum := (!sum + before + (twice * !x)) land 0xffffff
  done;
  show "old values %d %d" !x !sum

exception Odd of int

let handlers n seed =
  let s = ref seed and x = ref 0 and caught = ref 0 in
  for i = 1 to n do
    s := next !s;
    (try
       if !s land 1 = 0 then x := i;
       if !s land 6 = 0 then raise (Odd !x);
       if !s land 8 = 0 then x := !x + opaque 1;
       ignore (opaque (1 / (!s land 16)))
     with
    | Odd y -> caught := !caught + y - !x + 1
    | Division_by_zero -> if !s land 32 = 0 then caught := !caught + !x)
  done;
  show "handlers %d %d" !x !caught

let floats n seed =
  let s = ref seed and most = ref neg_infinity and at = ref 0 and mean = ref 0. in
  for i = 1 to n do
    s := next !s;
    let x = sin (float_of_int !s) in
    if x > !most then begin
      most := x;
      at := i
    end;
    if i land 1 = 0 then mean := !mean +. ((x -. !mean) /. float_of_int i)
  done;
  show "floats %.6f %d %.6f" !most !at !mean

let nested n seed =
  let s = ref seed and outer = ref 0 and inner = ref 0 in
  for i = 1 to n do
    inner := if !s land 1 = 0 then 0 else !outer;
    let j = ref i in
    while !j > 0 do
      s := next !s;
      if !s land 2 = 0 then inner := !inner + 1 else if !s land 0xff = 5 then outer := !inner;
      if !s land 28 = 0 then j := 0 else decr j
    done;
    if !inner land 3 = 0 then outer := opaque !outer + !inner
  done;
  show "nested %d %d" !outer !inner

let rec tail_calls n seed kept f =
  if n = 0 then show "tail calls %s" (Option.fold ~none:"none" ~some:string_of_int kept)
  else
    let seed = next seed in
    let kept = if seed land 3 = 0 then Some seed else if seed land 3 = 1 then f kept else kept in
    tail_calls (n - 1) seed kept f

let () =
  for seed = 0 to 20 do
    List.iter (fun f -> f (10 + (seed * 7)) (seed * 977)) [ extremes; old_values; handlers; floats; nested ];
    swaps seed (seed * 31);
    tail_calls seed seed None (opaque (Option.map succ))
  done;
  print_string (Buffer.contents log)
