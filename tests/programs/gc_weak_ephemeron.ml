(* flags: -w -a *)
(* Weak arrays and sets, ephemerons, finalisers with resurrection and order of calls. *)
let[@inline never] fresh i = ref i
let[@inline never] fill w n = for i = 0 to n - 1 do Weak.set w i (Some (fresh i)) done
let count w = let c = ref 0 in for i = 0 to Weak.length w - 1 do if Weak.check w i then incr c done; !c
module WS = Weak.Make (struct type t = string * int let equal (a, _) (b, _) = a = b let hash (a, _) = Hashtbl.hash a end)
module EH = Ephemeron.K1.Make (struct type t = int ref let equal = ( == ) let hash r = !r end)
let log = Buffer.create 20
let[@inline never] finals () = for i = 1 to 3 do let r = fresh i in Gc.finalise (fun r -> Buffer.add_string log (string_of_int !r)) r done
let saved = ref None
let[@inline never] resurrect () = let r = fresh 99 in Gc.finalise (fun r -> saved := Some r) r
let[@inline never] eph_test t = let k = fresh 5 in EH.add t k "data"; let r = EH.find t k in (r, EH.length t)
let () =
  let w = Weak.create 10 in fill w 10; let keep = Array.init 3 (fun i -> Option.get (Weak.get w (i * 3))) in Gc.full_major (); Printf.printf "%d %d\n" (count w) (Array.fold_left (fun a r -> a + !r) 0 keep); (match Weak.get w 3, Weak.get w 4 with Some r, None -> Printf.printf "%d\n" !r | _ -> print_endline "?"); ignore (Sys.opaque_identity keep);
  let s = WS.create 8 in let a = (String.make 2 'a', 1) in let b = WS.merge s a in let c = WS.merge s (String.make 2 'a', 2) in Printf.printf "%b %d %d %b\n" (b == a) (snd c) (WS.count s) (WS.mem s ("aa", 0)); ignore (Sys.opaque_identity a);
  finals (); Gc.full_major (); Gc.full_major (); let l = List.sort compare (List.init (Buffer.length log) (Buffer.nth log)) in List.iter print_char l; print_newline (); resurrect (); Gc.full_major (); Gc.full_major (); Printf.printf "%d\n" (match !saved with Some r -> !r | None -> -1);
  let t = EH.create 4 in let r, n = eph_test t in Gc.full_major (); EH.clean t; Printf.printf "%s %d %d\n" r n (EH.length t);
  Weak.fill w 0 10 None; Printf.printf "%d\n" (count w); (match Weak.get w 10 with _ -> () | exception Invalid_argument m -> print_endline m); Weak.set w 0 (Some (fresh 7)); let copy = Weak.get_copy w 0 in Printf.printf "%d\n" (match copy with Some r -> !r | None -> -1)
