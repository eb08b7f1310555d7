(* flags: -w -a *)
(* pitfalls 21-24, 28: young values stored in old blocks of every kind survive. *)
type 'a node = { mutable v : 'a; mutable next : 'a node option; mutable f : float; mutable k : int -> int }
let old = { v = "start"; next = None; f = 0.; k = succ }
let olds = Array.make 10 []
let tbl : (int, string list) Hashtbl.t = Hashtbl.create 10
let r = ref []
let either : [ `I of int | `S of string | `N ] array = Array.make 5 `N
let () =
  Gc.full_major ();
  for i = 1 to 300 do
    old.v <- string_of_int i ^ old.v;
    if String.length old.v > 20 then old.v <- String.sub old.v 0 20;
    old.next <- Some { v = old.v; next = (if i mod 50 = 0 then None else old.next); f = float i; k = (fun x -> x + i) };
    old.f <- old.f +. float i;
    (let k = old.k in if i mod 30 = 0 then old.k <- (fun x -> (k x * 3) mod 1009));
    olds.(i mod 10) <- (i, float i) :: olds.(i mod 10);
    Hashtbl.replace tbl (i mod 7) (string_of_int i :: (try Hashtbl.find tbl (i mod 7) with Not_found -> []));
    r := (fun () -> i) :: !r;
    either.(i mod 5) <- (if i mod 3 = 0 then `I i else if i mod 3 = 1 then `S (string_of_int i) else `N);
    if i mod 37 = 0 then Gc.minor ();
    if i mod 101 = 0 then Gc.compact ()
  done;
  let rec chain n = function None -> n | Some d -> chain (n + String.length d.v + d.k 1) d.next in
  Printf.printf "%s %d %g %d\n" old.v (chain 0 old.next) old.f (old.k 5);
  Array.iter (fun l -> Printf.printf "%d:%g " (List.length l) (List.fold_left (fun a (_, f) -> a +. f) 0. l)) olds; print_newline ();
  for i = 0 to 6 do Printf.printf "%d " (List.fold_left (fun a s -> a + int_of_string s) 0 (Hashtbl.find tbl i)) done; print_newline ();
  Printf.printf "%d\n" (List.fold_left (fun a f -> a + f ()) 0 !r);
  Array.iter (function `I i -> Printf.printf "I%d " i | `S s -> Printf.printf "S%s " s | `N -> print_string "N ") either; print_newline ()
