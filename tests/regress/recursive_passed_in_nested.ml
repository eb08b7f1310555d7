(* Functions of a recursive group that only functions nested in the first call, to which these pass on a closure that
   the first was passed. A copy of the first takes what the closure has captured in its place: so must the others; and
   where other calls pass them other functions, the first is passed the closure. In bytecode, where functions are not
   lifted, the others called what it had captured as a closure (fuzz seed 4400219). *)
let rec first f n =
  if n <= 0 then f n else List.fold_left (fun s x -> s + third f (n - x)) (f n) [ 2; 3 ] land 0xFFFF

and second f n = if n <= 0 then f 1 else (third f (n - 1) + (f n * first f (n - 2))) land 0xFFFF
and third f n = if n <= 0 then f 2 else ((f (n + 1) * second f (n - 2)) + 1) land 0xFFFF

let rec leads f n =
  if n <= 0 then f n
  else
    List.fold_left (fun s x -> s + leads f (n - x) + follows f (n - x)) (f n + follows succ (n - 3)) [ 2; 3 ]
    land 0xFFFF

and follows f n = if n <= 0 then f 1 else (f (n - 1) + follows f (n - 2)) land 0xFFFF

let () =
  for k = 0 to 9 do
    let linear x = (x * k) + 1 in
    Printf.printf "%d %d\n" (first linear 9) (first (fun x -> x + k) 3);
    Printf.printf "%d %d\n" (leads linear 9) (leads (fun x -> x - k) 3)
  done
