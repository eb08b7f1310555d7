(* The slot of a result is loaded, stored again by what is inlined, and loaded again: the second load was taken for the
   first one (OCaml 4.x, where the store said that nobody had read the slot before; ocp-indent and hevea at -O3). *)
type tok = { name : string; kind : int }

let[@inline never] next n = if n = 0 then None else Some ({ name = string_of_int n; kind = n land 7 }, n - 1)
let[@inline never] first n = if n = 0 then None else Some { name = string_of_int n; kind = n land 7 }
let kind_of n = match next n with Some (t, _) -> Some t.kind | None -> None
let size_of n = match first n with Some t -> Some (String.length t.name) | None -> None

let[@inline never] sum n =
  let k = match kind_of n with Some k -> k | None -> 100 in
  let s = match size_of n with Some s -> s | None -> 200 in
  match (kind_of (n + 1), size_of (n * 10)) with Some a, Some b -> (k * 1000) + (s * 100) + (a * 10) + b | _ -> k + s

let () =
  for n = 0 to 12 do
    Printf.printf "%d " (sum n)
  done;
  print_newline ()
