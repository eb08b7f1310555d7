(* flags: -w -a *)
(* Labels and optional arguments: omission, reordering, partial application, erasure, passing functions. *)
let f ~a ~b ?(c = 10) ?d () = a * 100 + b * 10 + c + (match d with None -> 0 | Some d -> d * 1000)
let g ?(x = 1) y ?(z = 2) w = x + 10 * y + 100 * z + 1000 * w
let h ?a ?b ?c () = (a, b, c)
let wrap ?x ?y z = g ?x z ?z:y 5
let app (k : ?c:int -> ?d:int -> unit -> int) = k () + k ~c:1 () + k ~d:1 ~c:2 ()
let lab (k : a:int -> b:int -> int) = k ~b:1 ~a:2
let rec sum ?(acc = 0) ?(step = 1) = function [] -> acc | x :: r -> sum ~acc:(acc + x * step) ~step:(step + 1) r
let fold ~f ~init l = List.fold_left (fun a x -> f ~acc:a x) init l
let both ?(eq = ( = )) a b = eq a b
let dep ?(n = 3) ?(m = n * 2) ?(k = n + m) () = (n, m, k)
let pun ~name ?age () = let age = Option.value age ~default:0 in Printf.sprintf "%s:%d" name age
let ho ~(cmp : 'a -> 'a -> int) l = List.sort cmp l
let fopt ?(x : float = 1.5) y = x *. y
class c ?(n = 5) ~m () = object method get ?(k = 0) () = n + m + k end
let show (a, b, c) = let s = function None -> "-" | Some n -> string_of_int n in s a ^ s b ^ s c
let () =
  Printf.printf "%d %d %d %d\n" (f ~a:1 ~b:2 ()) (f ~b:1 ~a:2 ~c:3 ()) (f ~d:4 ~a:1 ~b:1 ()) (f ~a:0 ~b:0 ?c:None ?d:(Some 1) ());
  let p = f ~b:7 in let q = p ~c:1 in let r = q ~a:3 in Printf.printf "%d %d %d\n" (p ~a:1 ()) (q ~a:2 ~d:1 ()) (r ());
  Printf.printf "%d %d %d %d %d\n" (g 1 1) (g ~x:5 1 1) (g 1 ~z:5 1) (g ~z:6 ~x:7 1 2) ((g 3 : ?z:int -> int -> int) ~z:4 5);
  print_endline (String.concat " " (List.map show [ h (); h ~b:2 (); h ~c:3 ~a:1 (); h ?a:(Some 9) ?b:None () ]));
  Printf.printf "%d %d %d\n" (wrap 1) (wrap ~x:2 1) (wrap ~y:3 1);
  Printf.printf "%d %d\n" (app (f ~a:1 ~b:1)) (lab (fun ~a ~b -> a - b));
  Printf.printf "%d %d %d\n" (sum [ 1; 2; 3 ]) (sum ~step:5 [ 1; 2 ]) (fold ~f:(fun ~acc x -> acc * 2 + x) ~init:1 [ 1; 0; 1 ]);
  Printf.printf "%b %b\n" (both 1 1) (both ~eq:(fun a b -> a mod 3 = b mod 3) 4 7);
  let t (a, b, c) = Printf.printf "%d%d%d " a b c in t (dep ()); t (dep ~n:1 ()); t (dep ~m:0 ()); t (dep ~k:9 ~n:2 ()); print_newline ();
  Printf.printf "%s %s %s\n" (pun ~name:"x" ()) (let age = 3 and name = "y" in pun ~name ~age ()) (pun ?age:(Some 1) ~name:"z" ());
  List.iter (Printf.printf "%d ") (ho ~cmp:(fun a b -> compare b a) [ 1; 3; 2 ]); Printf.printf "%g %g " (fopt 2.) (fopt ~x:3. 2.);
  Printf.printf "%d %d\n" ((new c ~m:1 ())#get ()) ((new c ~m:1 ~n:0 ())#get ~k:7 ());
  List.iter (fun k -> Printf.printf "%d " (k ?z:(Some 0) 1)) [ g 2; g ~x:9 3 ]; print_newline ()
