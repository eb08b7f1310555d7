(* Exercises what crosses the borders of units: calls of every kind, exceptions, functors, objects, floats. *)
open Chain_base
open Chain_middle

module Down = Sorted (struct
  type t = int

  let compare a b = compare b a
  let show = string_of_int
end)

let () =
  Printf.printf "%g %d %d\n" (total [ Dot; Line 3; Box { width = 1.5; height = 4. } ]) (quadruple 3)
    (partial 4 5 6 7);
  Printf.printf "%s %s\n" (guarded 9) (guarded 1);
  Printf.printf "%s %s\n" (Words.sort [ "b"; "c"; "a" ]) (Down.sort [ 2; 3; 1 ]);
  Printf.printf "%b %Ld %d %d %d\n" (even 100_001) (boxed 40L) default given (pairs (4, 2));
  Printf.printf "%g %s\n" (Array.fold_left ( +. ) 0. floats) (String.concat " " (List.map fst constant));
  Printf.printf "%s %s %d\n" (Lazy.force lazily) (Lazy.force lazily) !counter;
  print_endline (new shout "hey")#louder#say;
  (match fail_at 7 6 with
  | exception Bad (_, n) -> Printf.printf "bad %d\n" n
  | () -> ());
  let uncaught = try fail_at 1 2 with e -> Printexc.to_string e in
  print_endline uncaught
