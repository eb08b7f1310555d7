(* flags: -w -a *)
(* soundness 41: recursive blocks and closures know nothing about their siblings until all are built. *)
type b = B of (int -> int)
let g (B f) n = f n
let rec f1 = B (fun n -> if n = 0 then 1 else g f2 (n - 1)) and f2 = B (fun n -> if n = 0 then 2 else g f1 (n - 1))
let rec fn = let rec inner n = if n = 0 then "inner" else outer (n - 1) and outer n = if n < 0 then "neg" else inner n in fun n -> if n > 10 then fn 5 else inner n
type t = { name : string; next : t; get : unit -> string }
let rec a = { name = "a"; next = b; get = (fun () -> a.name ^ b.name) } and b = { name = "b"; next = c; get = (fun () -> c.next.name) } and c = { name = "c"; next = a; get = (fun () -> (a.get ()) ^ "!") }
let rec ones = 1 :: ones
let rec x = 1 :: y and y = 2 :: x
let rec lz = lazy (match pr with (n, l) -> n + 1) and pr = (41, lz)
let local n =
  let rec p = (n, q) and q = [ (fun k -> fst p + k); (fun k -> k * List.length q) ] in
  List.map (fun f -> f 10) (snd p)
let rec even = (function 0 -> true | n -> od.contents (n - 1)) and od = { contents = (fun n -> n <> 0 && even (n - 1)) }
let rec h = let k = 10 in let z () = h 0 in fun n -> if n = 0 then k else z () + n
let rec take n l = if n = 0 then [] else match l with [] -> [] | x :: r -> x :: take (n - 1) r
let () =
  Printf.printf "%d %d %d\n" (g f1 0) (g f1 1) (g f2 5);
  Printf.printf "%s %s\n" (fn 3) (fn 20);
  Printf.printf "%s %s %s %s\n" (a.get ()) (b.get ()) (c.get ()) a.next.next.next.name;
  List.iter (Printf.printf "%d ") (take 4 ones @ take 5 x); print_newline ();
  Printf.printf "%d %d\n" (Lazy.force lz) (Lazy.force (snd pr));
  List.iter (Printf.printf "%d ") (local 7); print_newline ();
  Printf.printf "%b %b %d %d\n" (even 10) (od.contents 10) (h 5) (h 0)
