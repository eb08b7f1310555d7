module Three = Lib.Scaled (struct
  let by = Sys.opaque_identity 3
end)

module Four = Lib.Scaled (struct
  let by = 4
end)

let[@inline never] apply f x = (Sys.opaque_identity f) x
let pairs = Sys.opaque_identity [ (1, 2); (3, 4); (5, 6) ]
let print l = print_endline (String.concat " " (List.map string_of_int l))

(* The tuple is written between the call and the use of its field: what was passed is what counts. *)
let[@inline never] written () =
  let pair = Sys.opaque_identity (ref 1, 2) in
  let set () = Obj.set_field (Obj.repr pair) 1 (Obj.repr 9) in
  apply (fun (r, n) -> set (); r := n; !r + n) pair

(* A default of an optional argument, an effect before the pattern, and a tuple that is kept whole. *)
let kept = ref []

let () =
  print (List.map Lib.add pairs);
  print [ Lib.add (7, 8); apply Lib.add (9, 1); Lib.weighted (2, 1); apply Lib.weighted (4, 1) ];
  (match apply Lib.weighted (101, 1) with
  | n -> print [ n ]
  | exception Invalid_argument s -> print_endline s);
  print (List.map Three.f pairs @ Three.all pairs @ [ Three.f (1, 1); apply Four.f (2, 2) ] @ Four.all pairs);
  let within = Lib.between 2 (Sys.opaque_identity 9) in
  List.iter (fun t -> print_string (string_of_bool (within t) ^ " ")) [ (2, 3, 9); (2, 2, 9); (1, 3, 9); (3, 4, 10) ];
  print_newline ();
  let buffer = Buffer.create 10 in
  let v = Lib.visitor buffer in
  List.iter v.on_pair [ (1, "a"); (2, "b") ];
  Printf.printf "%s %g\n" (Buffer.contents buffer) (v.on_triple (0, 3, 1.5));
  print (Lib.descend (fun go (n, acc) -> go (n, n * 100 :: acc)) (4, []));
  print [ written () ];
  List.iter (fun ((a, _) as pair) -> if a > 1 then kept := pair :: !kept) pairs;
  List.iter (fun (a, b) -> print [ a; b ]) !kept;
  (* Through partial application, an object, and a polymorphic comparison that raises. *)
  let o =
    object
      method take f = f (1, "x")
    end
  in
  print_endline (o#take (fun (n, s) -> s ^ string_of_int n));
  print (List.map (List.fold_left (fun acc (a, b) -> acc + (a * b)) 0) [ pairs; List.tl pairs ]);
  let minor = Gc.minor_words () in
  let[@inline never] make n = Sys.opaque_identity (fun (a, b) -> a + b + n) in
  print [ make 5 (1, 2) ];
  assert (Gc.minor_words () -. minor < 1000.);
  try ignore (compare (fun (a, b) -> a + b) (Sys.opaque_identity (fun (a, b) -> a - b)))
  with Invalid_argument s -> print_endline s
