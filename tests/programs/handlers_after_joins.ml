(* flags: -w -a *)
(* What a handler sees of references that some ways to a point assign and others do not: at joins, after loops, in loops
   that go round again, through handlers inside. *)

exception Stop of int

let check limit n = if n >= limit then raise (Stop n)

(* A branch that assigns, and one that does not, before the next point that may raise. *)
let branches limit k =
  let a = ref 1 and b = ref 2 and c = ref 3 in
  try
    check limit 0;
    if k land 1 = 0 then begin a := 10; check limit 1 end else check limit 2;
    check limit 3;
    (match k with
     | 0 -> b := 20
     | 1 -> b := 21; check limit 4; b := 2
     | 2 -> check limit 4
     | _ -> c := !a);
    check limit 5;
    a := 1;
    check limit 6;
    if k > 1 then c := 3;
    check limit 7;
    (!a, !b, !c, -1)
  with Stop n -> (!a, !b, !c, n)

(* The same value before and after a loop that assigns another one, and the loop's second turn. *)
let loops limit turns =
  let a = ref 1 and b = ref 2 and c = ref 3. in
  try
    check limit 0;
    for i = 1 to turns do
      check limit i;
      a := !a + 1;
      check limit (i + 1);
      if i land 1 = 0 then begin b := 5; check limit (i + 2); b := 2 end;
      check limit (i + 3)
    done;
    check limit (turns + 4);
    a := 1;
    check limit (turns + 5);
    while !b < 6 do
      incr b;
      c := !c +. 0.5;
      check limit (turns + 6)
    done;
    b := 2;
    check limit (turns + 7);
    (!a, !b, !c, -1)
  with Stop n -> (!a, !b, !c, n)

(* Handlers in handlers: the outer one sees what the inner body and the inner handler assigned. *)
let nested limit k =
  let a = ref 1 and b = ref 2 in
  try
    check limit 0;
    for i = 1 to 3 do
      (try
         a := i;
         check 2 (k land 3);
         check limit (10 * i);
         a := 1;
         check limit (10 * i + 1)
       with Stop n when n < 10 -> check limit (10 * i + 2); b := n);
      check limit (10 * i + 3);
      a := 1;
      check limit (10 * i + 4)
    done;
    check limit 50;
    (!a, !b, -1)
  with Stop n -> (!a, !b, n)

let () =
  for limit = 0 to 9 do
    for k = 0 to 3 do
      let a, b, c, n = branches limit k in
      Printf.printf "branches %d %d: %d %d %d %d\n" limit k a b c n
    done
  done;
  for limit = 0 to 14 do
    for turns = 0 to 4 do
      let a, b, c, n = loops limit turns in
      Printf.printf "loops %d %d: %d %d %g %d\n" limit turns a b c n
    done
  done;
  List.iter
    (fun limit ->
      for k = 0 to 3 do
        let a, b, n = nested limit k in
        Printf.printf "nested %d %d: %d %d %d\n" limit k a b n
      done)
    [ 0; 1; 10; 11; 12; 13; 14; 20; 22; 23; 24; 31; 33; 50; 51 ]
