(* Polymorphic comparison, equality and hashing where the type, or the shape, is known (D12, D15). *)

let row = Measure.row

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

let bool b = if b then 1 else 0
let eqg a b = a = b

type point = { x : int; y : int }

let known x y = { x; y }
let names = [| "a"; "bc"; "def"; "g" |]
let numbers = Array.init Measure.n (fun i -> i * 7919 mod 1000)

let () =
  row ~flambda2:0 "D12 (a, b) = (c, d)" (fun n -> repeat (fun i -> bool ((i, i + 1) = (i lor 1, i + 1))) (n / 10));
  row "D12 x = Some 3" (repeat (fun i -> bool ((if i land 1 = 0 then Some i else None) = Some 3)));
  row "D12 records compared" (repeat (fun i -> bool (known i 3 = known 4 (i land 3))));
  row "D12 compare of pairs" (repeat (fun i -> compare (i, 3) (4, i)));
  row "D12 compare of floats and ints in a pair" (repeat (fun i -> compare (float i, i) (4., i)));
  row "D12 Hashtbl.hash of ints" (repeat (fun i -> Hashtbl.hash i land 15));
  row "D12 Hashtbl.hash of strings" (repeat (fun i -> Hashtbl.hash names.(i land 3) land 15));
  row "D12 a generic equality used at string" (repeat (fun i -> bool (eqg names.(i land 3) names.(i land 1))));
  row "D12 Array.fold_left max" (fun _ -> Array.fold_left max 0 numbers);
  row "D12 List.mem on ints" (repeat (fun i -> bool (List.mem (i land 7) [ 1; 2; 3; 4 ])));
  row "D12 List.assoc on strings" (repeat (fun i -> List.assoc names.(i land 3) [ ("a", 1); ("bc", 2); ("def", 3); ("g", 4) ]));
  row "D2 Some y -> Some y" (repeat (fun i ->
      let o = if i land 1 = 0 then Some i else None in
      match (match Sys.opaque_identity o with Some y -> Some y | None -> None) with Some y -> y | None -> 0));
  row "D2 (x, y) -> (x, y)" (repeat (fun i ->
      let x, y = Sys.opaque_identity (i, 2) in
      fst (Sys.opaque_identity (x, y))));
  row "list pipeline with comparison" (fun n ->
      List.init n (fun i -> (i * 7919 mod 1000, i))
      |> List.filter (fun (k, _) -> k land 3 <> 0)
      |> List.sort (fun a b -> compare a b)
      |> List.map snd
      |> List.fold_left ( + ) 0)

let table : (int * string, int) Hashtbl.t = Hashtbl.create 64
let () = for i = 0 to 63 do Hashtbl.replace table (i, names.(i land 3)) i done

let () =
  row "hash table on polymorphic keys" (repeat (fun i ->
      match Hashtbl.find_opt table (i land 127, names.(i land 3)) with Some v -> v | None -> 0))
