(* flags: -w -a *)
(* soundness 43: optional-argument wrappers with attributes. *)
let[@inline] f ?(x = (print_string "x "; 1)) ?(y = (print_string "y "; x + 1)) z = Printf.printf "%d %d %d\n" x y z; x + y + z
let[@inline never] g ?(x = 2) ~l z = x * l + z
let[@inline always] h ?x ?(y = 10) () = (match x with None -> 0 | Some x -> x) + y
let[@specialise] rec k ?(acc = 0) f = function [] -> acc | a :: r -> k ~acc:(acc + f a) f r
let mk ?(a = 1) ?(b = 2) = fun ?(c = 3) () -> (a, b, c)
let () =
  ignore (f 3); ignore (f ~x:5 3); ignore (f ~y:(print_string "py "; 7) ~x:(print_string "px "; 8) 9); ignore (f ?x:None ?y:(Some 4) 1);
  let p = f ~x:10 in ignore (p 1); ignore (p ~y:3 2);
  let q = g ~l:4 in Printf.printf "%d %d %d\n" (q 1) (g ~x:3 1 ~l:2) ((g ~x:1) ~l:1 1);
  Printf.printf "%d %d %d\n" (h ()) (h ~x:1 ()) (h ?y:None ~x:2 ());
  Printf.printf "%d %d\n" (k succ [ 1; 2; 3 ]) (k ~acc:100 (fun x -> -x) [ 1 ]);
  let (a, b, c) = mk ~b:5 ~c:6 () in Printf.printf "%d %d %d\n" a b c;
  let ho (f : ?x:int -> l:int -> int -> int) = f ~x:3 ~l:4 5 + f ~l:1 1 in
  Printf.printf "%d\n" (ho g);
  let s ?(sep = ",") l = String.concat sep l in
  Printf.printf "%s %s\n" (List.fold_left (fun acc l -> acc ^ s l) "" [ [ "a"; "b" ] ]) ((fun (f : string list -> string) -> f [ "p"; "q" ]) (s ~sep:"-"))
