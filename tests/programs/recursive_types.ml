(* flags: -rectypes -w -a *)
(* Types that contain themselves, as arguments of polymorphic functions and as what is compared and hashed. *)

type 'a box = { held : 'a; other : int }

(* A function that returns itself, and takes any number of arguments. *)
let rec swallow x = swallow

(* Pairs of themselves, in options, lists and records. *)
let rec depth p = match p with None -> 0 | Some (x, rest) -> 1 + depth rest
let rec nested n = if n = 0 then [] else [ nested (n - 1) ]
let rec tower n = { held = (if n = 0 then None else Some (tower (n - 1))); other = n }
let rec count l = 1 + List.fold_left (fun sum l -> sum + count l) 0 l

let memo f =
  let table = Hashtbl.create 7 in
  fun x ->
    match Hashtbl.find_opt table x with
    | Some y -> y
    | None ->
        let y = f x in
        Hashtbl.add table x y;
        y

let same x y = compare x y = 0 && x = y && Hashtbl.hash x = Hashtbl.hash y
let largest l = List.fold_left max (List.hd l) l

(* A fixed-point combinator without recursion. *)
let fix f = (fun x a -> f (x x) a) (fun x a -> f (x x) a)

let object_of n = object (self) method me = self method number = n end

let () =
  ignore (swallow 1 2 3);
  Printf.printf "%d\n" (depth (Some (1, Some (2, None))));
  let deep = memo count in
  Printf.printf "%d %d\n" (deep (nested 5)) (deep (nested 5));
  Printf.printf "%b %b %d\n" (same (nested 3) (nested 3)) (same (tower 2) (tower 3)) (largest [ tower 1; tower 4; tower 2 ]).other;
  Printf.printf "%d\n" (fix (fun self n -> if n = 0 then 1 else n * self (n - 1)) 10);
  Printf.printf "%d\n" ((object_of 4)#me)#me#number;
  let assoc = List.map (fun n -> (nested n, n)) [ 1; 2; 3 ] in
  Printf.printf "%d %b\n" (List.assoc (nested 2) assoc) (List.mem (nested 4) (List.map fst assoc))
