(* flags: -w -a *)
(* Higher-order list and array programs whose callbacks capture, raise, recurse and return functions. *)
let rec foldr f l a = match l with [] -> a | x :: r -> f x (foldr f r a)
let rec unfold f s = match f s with None -> [] | Some (x, s) -> x :: unfold f s
let rec zip_with f a b = match a, b with x :: r, y :: s -> f x y :: zip_with f r s | _ -> []
let rec span p = function x :: r when p x -> let a, b = span p r in (x :: a, b) | l -> ([], l)
let group eq l = let rec go = function [] -> [] | x :: r -> let a, b = span (eq x) r in (x :: a) :: go b in go l
let rec perms = function [] -> [ [] ] | l -> List.concat_map (fun x -> List.map (fun p -> x :: p) (perms (List.filter (( <> ) x) l))) l
let rec subsets = function [] -> [ [] ] | x :: r -> let s = subsets r in s @ List.map (fun t -> x :: t) s
let queens n = let rec place k qs = if k = 0 then [ qs ] else List.concat_map (fun q -> if List.exists (fun (d, x) -> x = q || abs (x - q) = d) (List.mapi (fun i x -> (i + 1, x)) qs) then [] else place (k - 1) (q :: qs)) (List.init n succ) in place n []
let rec msort cmp l = let rec split = function a :: b :: r -> let x, y = split r in (a :: x, b :: y) | l -> (l, []) in let rec merge a b = match a, b with [], l | l, [] -> l | x :: r, y :: s -> if cmp x y <= 0 then x :: merge r b else y :: merge a s in match l with [] | [ _ ] -> l | _ -> let a, b = split l in merge (msort cmp a) (msort cmp b)
let rec qsort = function [] -> [] | p :: r -> let a, b = List.partition (fun x -> x < p) r in qsort a @ (p :: qsort b)
let take_until f l = let exception Stop in let acc = ref [] in (try List.iter (fun x -> if f x then raise_notrace Stop else acc := x :: !acc) l with Stop -> ()); List.rev !acc
let scan f a l = List.rev (snd (List.fold_left (fun (a, acc) x -> let b = f a x in (b, b :: acc)) (a, [ a ]) l))
let transpose m = let rec go = function [] | [] :: _ -> [] | m -> List.map List.hd m :: go (List.map List.tl m) in go m
let curry f a b = f (a, b) and uncurry f (a, b) = f a b and flip f a b = f b a and ( %> ) f g x = g (f x) and const k _ = k and on f g a b = f (g a) (g b)
let pl l = List.iter (Printf.printf "%d ") l; print_newline ()
let () =
  pl (foldr (fun x a -> (x * 2) :: a) [ 1; 2; 3 ] []); pl (unfold (fun n -> if n > 50 then None else Some (n, n * 2)) 1); pl (zip_with ( * ) [ 1; 2; 3 ] [ 4; 5 ]); pl (List.map List.length (group ( = ) [ 1; 1; 2; 3; 3; 3 ])); Printf.printf "%d %d %d\n" (List.length (perms [ 1; 2; 3; 4 ])) (List.length (subsets [ 1; 2; 3; 4; 5 ])) (List.length (queens 6)); pl (List.hd (queens 6));
  pl (msort compare [ 5; 2; 9; 1; 5 ]); pl (msort (flip compare) [ 5; 2; 9 ]); pl (qsort [ 3; 1; 2; 3; 0 ]); List.iter (Printf.printf "%g ") (qsort [ 2.5; nan; 1. ] |> List.filter (fun x -> x = x)); pl (take_until (fun x -> x > 3) [ 1; 2; 5; 1 ]); pl (scan ( + ) 0 [ 1; 2; 3 ]); List.iter pl (transpose [ [ 1; 2 ]; [ 3; 4 ]; [ 5; 6 ] ]); Printf.printf "%d %d %d %d %b\n" (curry fst 1 2) (uncurry ( - ) (5, 3)) ((succ %> ( * ) 2 %> string_of_int %> String.length) 49) (const 3 ()) (on ( = ) String.length "ab" "cd");
  let fs = List.map (fun k -> List.fold_left (fun f g -> f %> g) (fun x -> x) (List.init k (fun i -> ( + ) i))) [ 0; 3; 6 ] in pl (List.map (fun f -> f 100) fs); pl (List.map2 (fun f x -> f x) [ succ; pred; abs ] [ 1; 2; -3 ]); let a = Array.init 5 (fun i -> fun x -> x * i) in pl (Array.to_list (Array.map (fun f -> f 10) a)); pl (Array.to_list (Array.mapi (fun i f -> f i) a)); Array.sort (fun f g -> compare (g 1) (f 1)) a; pl (Array.to_list (Array.map (fun f -> f 1) a)); let counter = ref 0 in let r = List.for_all (fun x -> incr counter; x < 3) [ 1; 2; 3; 4 ] in Printf.printf "%b %d\n" r !counter
