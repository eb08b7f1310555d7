(* What a function returns in the register, beside what it returns in a slot, is a block that a later round would return by
   its parts, too: in the same slots (hevea at -O3). *)
let table = Hashtbl.create 8
let[@inline never] old name = match Hashtbl.find_opt table name with Some n -> n | None -> 0
let[@inline never] set name n = Hashtbl.replace table name n

(* The pairs of the first list are known only when `List.map` is a copy for the function. *)
let[@inline never] define l =
  let first = ("first", old "first") in
  set "first" 1;
  let rest = List.map (fun name -> let before = old name in set name 2; (name, before)) l in
  let last = ("last", old "last") in
  set "last" 3;
  (first, (last, rest))

let[@inline never] both n = ((string_of_int n, n), (string_of_int (n + 1), [ n ]))
let () =
  for i = 0 to 3 do
    let (name, n), (_, l) = define [ "a"; "b" ] in
    Printf.printf "%s %d %d; " name n (List.length l);
    ignore (define [ "c" ]);
    let (s, n), (t, l) = both i in
    Printf.printf "%s %d %s %d\n" s n t (List.length l);
    let p, q = both i in
    if i = 2 then Printf.printf "%s %s\n" (fst p) (fst q)
  done

(* The same for a list that a copy of `List.map` makes of a known one. *)
let replace l = List.map (fun (name, n) -> let before = old name in set name n; (name, before)) l
let ints () = replace [ ("x", 1); ("y", 2); ("z", 3) ]
let changed = ref 0

let[@inline never] internal n =
  ignore (ints ());
  changed := !changed + n

let[@inline never] user n =
  internal n;
  let l = ints () in
  match l with (name, n) :: _ -> Printf.printf "%s %d %d\n" name n (List.length l) | [] -> ()

let () = for i = 0 to 2 do user i done
