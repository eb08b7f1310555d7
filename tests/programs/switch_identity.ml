(* Matches that give what they match, and some that nearly do (features D2). *)

type color = R | G | B
type other = X | Y | Z
type t = A | K of int | C | D

let opaque = Sys.opaque_identity
let[@inline never] same c = match c with R -> R | G -> G | B -> B
let[@inline never] convert c = match c with R -> X | G -> Y | B -> Z
let[@inline never] number c = match c with R -> 0 | G -> 1 | B -> 2
let[@inline never] backwards c = match c with R -> B | G -> G | B -> R
let[@inline never] nearly c = match c with R -> R | G -> G | B -> G
let[@inline never] mixed t = match t with A -> A | K n -> K (n + 1) | C -> C | D -> D
let[@inline never] option o = match o with Some y -> Some y | None -> None
let[@inline never] with_more c n = match c with R -> (R, n) | G -> (G, n) | B -> (B, n + 1)
let[@inline never] pair c n = match c with R -> (R, n) | G -> (G, n) | B -> (B, n)
let[@inline never] poly p = match p with `A -> `A | `B -> `B | `C -> `C
let[@inline never] bool b = if b then true else false
let[@inline never] digit c = match c with '0' -> 48 | '1' -> 49 | c -> Char.code c
let[@inline never] int n = match n with 3 -> 3 | 4 -> 4 | 5 -> 5 | _ -> 0
let[@inline never] exhaustive n = match n land 3 with 0 -> 0 | 1 -> 1 | 2 -> 2 | _ -> 3

let () =
  let code c = number (opaque c) in
  List.iter
    (fun c ->
      let d, n = with_more c 5 and e, m = pair c 6 in
      Printf.printf "%d %b %d %d %d %d %d %d %d\n" (code (same c))
        (convert c = opaque (match c with R -> X | G -> Y | B -> Z))
        (number c) (code (backwards c)) (code (nearly c)) (code d) n (code e) m)
    [ R; G; B ];
  List.iter (fun t -> print_string (match mixed t with A -> "A" | K n -> string_of_int n | C -> "C" | D -> "D")) [ A; K 4; C; D ];
  print_newline ();
  Printf.printf "%b %b %b\n" (option (opaque (Some 3)) = Some 3) (option None = (None : int option)) (bool (opaque true));
  List.iter (fun p -> print_string (match poly p with `A -> "A" | `B -> "B" | `C -> "C")) [ `A; `B; `C ];
  Printf.printf "\n%d %d %d\n" (digit '0') (digit '1') (digit 'x');
  List.iter (fun n -> Printf.printf "%d %d\n" (int n) (exhaustive n)) [ 3; 4; 5; 6; -1; 2 ]
