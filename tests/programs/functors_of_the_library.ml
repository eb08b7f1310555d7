(* The functions of Map, Set and Hashtbl that a unit has copies of, which call those in the stock library that gain
   nothing by being copied. *)
module M = Map.Make (Int)
module S = Set.Make (String)
module H = Hashtbl.Make (struct type t = int let equal (a : int) b = a = b let hash x = x land max_int end)
let () =
  (* every function of the functors, over random operations, compared with lists *)
  let seed = ref 7 in
  let rand n = seed := (!seed * 1103515245 + 12345) land 0x3fffffff; (!seed lsr 8) mod n in
  for _ = 1 to 200 do
    let m = ref M.empty and s = ref S.empty and h = H.create 3 in
    for _ = 1 to 300 do
      let k = rand 100 in
      (match rand 6 with
       | 0 | 1 | 2 -> m := M.add k (k * k) !m; s := S.add (string_of_int k) !s; H.replace h k (k + 1)
       | 3 -> m := M.remove k !m; s := S.remove (string_of_int k) !s; H.remove h k
       | 4 -> m := M.update k (function None -> Some 0 | Some v -> if v > 50 then None else Some (v + 1)) !m
       | _ -> let l, p, r = M.split k !m in
         m := M.union (fun _ a _ -> Some a) l r; (match p with Some v -> m := M.add k v !m | None -> ());
         let a, _, b = S.split (string_of_int k) !s in s := S.union a b; s := S.union !s (S.of_list (List.init 3 (fun i -> string_of_int (i + k)))))
    done;
    let m2 = M.filter (fun k _ -> k land 1 = 0) !m in
    let d = M.merge (fun _ a b -> match a, b with Some a, None -> Some a | _ -> None) !m m2 in
    assert (M.for_all (fun k _ -> k land 1 = 1) d);
    assert (M.cardinal d + M.cardinal m2 = M.cardinal !m);
    assert (List.sort compare (M.bindings !m) = M.bindings !m);
    assert (S.elements (S.inter !s (S.diff !s (S.singleton "5"))) = List.filter (( <> ) "5") (S.elements !s));
    let rec depth_ok = function [] | [ _ ] -> true | a :: (b :: _ as l) -> a < b && depth_ok l in
    assert (depth_ok (S.elements !s));
    Printf.printf "%d %d %d %s %s\n" (M.fold (fun k v a -> k + v + a) !m 0) (S.cardinal !s) (H.fold (fun k v a -> k * v + a) h 0)
      (match M.min_binding_opt !m with Some (k, _) -> string_of_int k | None -> "-") (match S.max_elt_opt !s with Some k -> k | None -> "-")
  done
