(* Functions of one unit inlined in a second, and from there in a third: effects, exceptions, data and defaults are those
   of the unit that they come from. *)
open Middle
let show { re; im } = Printf.printf "(%h %h)\n" re im
let opaque = Sys.opaque_identity
let outcome f = match f () with n -> Printf.printf "%d\n" n | exception e -> print_endline (Printexc.to_string e)
let () =
  show (sum [ { re = 1.; im = 2. }; { re = opaque 3.; im = nan }; scale { re = 1.; im = 1. } ]);
  show (scale ~by:(opaque (-1.)) origin);
  show default;
  Printf.printf "%h\n" (norm2 (add { re = opaque 1.; im = 0. } Base.origin));
  outcome (fun () -> checked 1 (opaque 2));
  outcome (fun () -> checked (opaque (-1)) (opaque (-2)));
  outcome (fun () -> raise_it (opaque (-7)));
  outcome (fun () -> Base.first (opaque []));
  outcome (fun () -> Base.get (opaque [| 1; 2 |]) (opaque 2));
  outcome (fun () -> Base.get [| 1; 2 |] (opaque 1));
  outcome (fun () -> truncate (Base.get [| 1.5; 2.5 |] (opaque 1)));
  let a = Array.make 3 0. in
  Base.set_float a 1 (opaque 4.25);
  outcome (fun () -> Base.set_float a (opaque 3) 1.; 0);
  Printf.printf "%h %b %b\n" a.(1) (Base.equal (opaque nan) nan) (Base.equal [ Some "x" ] [ Some (opaque "x") ]);
  outcome (fun () -> next ());
  outcome (fun () -> Base.tick ());
  outcome (fun () -> Base.twice (fun x -> x * x) (opaque 3));
  outcome (fun () -> both succ pred (opaque 5));
  outcome (fun () -> (Base.compose string_of_int Base.stays |> fun f -> String.length (f (opaque 100))));
  outcome (fun () -> Base.always (opaque 10));
  List.iter (fun n -> print_endline (label n)) [ -1; 0; 1; opaque 2 ];
  outcome (fun () -> Base.noisy (opaque 5) (opaque 3));
  outcome (fun () -> Base.pair (opaque (1, 2)));
  outcome (fun () -> Base.pair (3, opaque 4));
  outcome Base.call_later;
  Base.later := (fun () -> opaque 41);
  outcome (fun () -> Base.call_later ());
  print_endline (Base.pick (opaque 4));
  outcome (fun () -> Base.guarded (fun () -> raise Not_found));
  outcome (fun () -> Base.guarded (fun () -> Base.check (opaque (-5))));
  outcome (fun () -> Base.guarded (fun () -> failwith "other"));
  Printf.printf "%Lx\n" (Base.swap64 (opaque 0x0102030405060708L));
  outcome (fun () -> max3 1 (opaque 9) 4 * 100 + IntMax.count ());
  let module M = Base.Max (String) in
  print_endline (M.max "b" (opaque "a"));
  outcome (fun () -> (M.count () * 10) + IntMax.count ());
  outcome (fun () -> total (Array.init 10 Fun.id));
  print_endline (String.concat "," (List.map String.uppercase_ascii [ "x"; String.sub (opaque "hello") 1 3 ]));
  outcome (fun () -> String.length (String.sub (opaque "abc") 2 5));
  let t = Hashtbl.create 1 in
  Hashtbl.replace t "k" 1;
  outcome (fun () -> Hashtbl.find t (opaque "k"));
  outcome (fun () -> Hashtbl.find t (opaque "none"));
  let q = Queue.create () in
  Queue.push 1 q; Queue.push 2 q;
  outcome (fun () -> Queue.pop q * 10 + Queue.pop q);
  outcome (fun () -> Queue.pop q);
  outcome (fun () -> Option.get (opaque None));
  outcome (fun () -> Option.value (Option.map succ (opaque (Some 3))) ~default:0)
