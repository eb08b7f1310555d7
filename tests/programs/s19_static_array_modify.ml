(* flags: -w -a *)
(* soundness 19: static arrays and records that receive young pointers are seen by the GC. *)
type r = { mutable l : int list; mutable s : string; k : int }
let arr = [| [ 1 ]; [ 2 ]; [ 3 ] |]
let rc = { l = [ 1; 2 ]; s = "static"; k = 3 }
let cell = ref (Some "x")
let tree = [| [| "a"; "b" |]; [| "c" |] |]
let fresh i = String.concat "" [ "v"; string_of_int i ]
let () =
  for i = 0 to 2 do arr.(i) <- [ i; i * 10; i * 100 ] done;
  rc.l <- List.init 5 (fun i -> i * i);
  rc.s <- fresh 1;
  cell := Some (fresh 2);
  tree.(0).(1) <- fresh 3;
  tree.(1) <- Array.init 3 fresh;
  Gc.minor ();
  ignore (Sys.opaque_identity (List.init 10000 (fun i -> ref i)));
  Gc.full_major ();
  ignore (Sys.opaque_identity (List.init 10000 (fun i -> string_of_int i)));
  Gc.compact ();
  Array.iter (fun l -> List.iter (Printf.printf "%d ") l) arr;
  List.iter (Printf.printf "%d ") rc.l;
  Printf.printf "%s %s %s %s %d\n" rc.s (Option.get !cell) tree.(0).(1) (String.concat "," (Array.to_list tree.(1))) rc.k;
  for i = 1 to 200 do
    arr.(i mod 3) <- i :: arr.(i mod 3);
    rc.s <- rc.s ^ "x";
    if i mod 20 = 0 then Gc.minor ()
  done;
  Printf.printf "%d %d\n" (Array.fold_left (fun a l -> a + List.length l) 0 arr) (String.length rc.s)
