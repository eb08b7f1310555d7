(* Functions of other units that need their closures: what they have captured is read where their own unit put it. *)
let () =
  let tick, reset = Made.counter () in
  let other, _ = Made.counter () in
  for i = 1 to 10 do ignore (tick ()); if i mod 4 = 0 then reset () else ignore (other ()) done;
  Printf.printf "counters %d %d\n" (tick ()) (other ())

let () =
  let f = Made.adder 3 and g = Made.scaler 1.5 and c = Made.clamp ~lo:2 ~hi:9 and b = Made.between ~lo:1. ~hi:2. in
  for i = 0 to 3 do
    Printf.printf "%d %.2f %d %.2f\n" (f i) (g (float i)) (c (i * 4)) (b (float i))
  done;
  Printf.printf "%s\n" (String.concat " " (List.map (fun x -> string_of_int (f x)) [1; 2; 3]))

let () =
  let o = Made.ops 5 in
  for i = 0 to o.size () - 1 do o.set i (i * i) done;
  Gc.minor ();
  o.set 2 (o.get 4 + o.get 1);
  (try o.set 5 0 with Invalid_argument what -> print_endline what);
  Made.table.set 3 7;
  Printf.printf "ops %d %d %d\n" (Handed.sum o) (Handed.sum Made.table) (Made.table.get 3)

let () =
  let one, two, three = Made.shared 4 in
  Printf.printf "shared %d %d %d" (one 5) (two 6 2) (two 2 6);
  Gc.full_major ();
  Printf.printf " %d %d\n" (one 101) (three ());
  let even, odd = Made.countdown 20 in
  Printf.printf "%b %b %b\n" (even 10) (odd 10) (odd 33)

let () =
  let n = Made.nested 3 in
  let m = n 4 in
  Printf.printf "nested %d %d %d\n" (m 5) (n 1 1) (Made.nested 1 2 3);
  let c = Made.checked "caught" 4 in
  (try Printf.printf "%d\n" (c 10); Printf.printf "%d\n" (c 5) with Failure what -> print_endline what);
  let b = Made.boxed 5L in
  let s = ref 0L in
  for i = 1 to 5 do s := b (Int64.add !s (Int64.of_int i)) done;
  Printf.printf "%Ld\n" !s

let () =
  let f = Made.chosen true 4 and g = Made.chosen false 4 in
  Printf.printf "chosen %d %d\n" (f 10) (g 10);
  let h = Handed.add_twice 5 in
  Printf.printf "handed %d" (h 1);
  for _ = 1 to 5 do Printf.printf " %d" (Handed.next ()) done;
  print_newline ()
