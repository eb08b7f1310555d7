(* flags: -w -a *)
(* A match on what an inlined function, or one that returns by parts, gives, with more code behind it: the returns go straight
   to the arms, unless the value is needed afterwards. *)
type shape = Empty | Unknown | Circle of float | Box of int * int | Named of string * shape

let find n = if n land 1 = 0 then Some (n * 3) else if n > 50 then Some n else None
let[@inline never] half n = if n land 1 = 0 then Some (n / 2) else None

let[@inline never] shape n =
  match n mod 6 with
  | 0 -> Empty
  | 1 -> Unknown
  | 2 -> Circle (float_of_int n)
  | 3 -> Box (n, n + 1)
  | 4 -> Named (string_of_int n, Circle 2.)
  | _ -> if n > 90 then raise Exit else Named ("", Empty)

let order a b = match compare (fst a) (fst b) with 0 -> compare (snd b) (snd a) | c -> c

let () =
  let total = ref 0 and floats = ref 0. and kept = ref [] in
  for i = 0 to 100 do
    let a = match find i with None -> 7 | Some h -> h + i in
    total := !total + (a * a);
    let b =
      let c = match half (i * a) with None -> 1 | Some h -> h land 63 in
      if c > 30 then c * 2 else c
    in
    (match shape i with
    | Empty -> incr total
    | Unknown -> decr total
    | Circle r -> floats := !floats +. r
    | Box (x, y) -> total := !total + (x * y)
    | Named (s, Circle r) -> total := !total + String.length s; floats := !floats -. r
    | Named (_, inner) -> kept := inner :: !kept
    | exception Exit -> total := !total + 1000);
    let o = half i in
    let d = match o with None -> b | Some h -> h + b in
    if d land 7 = 3 then kept := (match o with None -> Unknown | Some h -> Box (h, d)) :: !kept;
    let e = try (match find (i + 1) with None -> raise Not_found | Some h -> h) with Not_found -> i in
    let s = if order (a, b) (d, e) < 0 then "<" else ">=" in
    total := !total + d + e + String.length s;
    let f = match half e with Some x when x > 20 -> (match half x with None -> x | Some y -> y) | Some x -> -x | None -> 0 in
    total := !total lxor f
  done;
  Printf.printf "%d %h %d\n" !total !floats (List.length !kept);
  List.iter (function Box (a, b) -> Printf.printf "%d,%d " a b | Unknown -> print_string "? " | _ -> print_string ". ") !kept;
  print_newline ()
