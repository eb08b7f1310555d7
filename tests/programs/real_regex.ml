(* flags: -w -a *)
(* Regular expressions: parser, backtracking matcher in CPS, Thompson simulation, derivatives; all three agree. *)
type re = Empty | Eps | Chr of char | Any | Set of bool * (char * char) list | Seq of re * re | Alt of re * re | Star of re | Plus of re | Opt of re
exception Bad of string
let parse s =
  let n = String.length s in let pos = ref 0 in
  let peek () = if !pos < n then Some s.[!pos] else None in
  let rec alt () = let a = seq () in if peek () = Some '|' then (incr pos; Alt (a, alt ())) else a
  and seq () = match peek () with None | Some ('|' | ')') -> Eps | Some _ -> let a = post (atom ()) in (match seq () with Eps -> a | b -> Seq (a, b))
  and post a = match peek () with Some '*' -> incr pos; post (Star a) | Some '+' -> incr pos; post (Plus a) | Some '?' -> incr pos; post (Opt a) | _ -> a
  and atom () = let c = s.[!pos] in incr pos; match c with
    | '(' -> let a = alt () in if peek () <> Some ')' then raise (Bad "paren"); incr pos; a
    | '.' -> Any | '[' -> cls () | '\\' -> if !pos >= n then raise (Bad "escape"); incr pos; Chr s.[!pos - 1]
    | '*' | '+' | '?' -> raise (Bad "nothing to repeat") | c -> Chr c
  and cls () = let neg = peek () = Some '^' in if neg then incr pos;
    let rec items acc = match peek () with None -> raise (Bad "class") | Some ']' -> incr pos; List.rev acc
      | Some a -> incr pos; if !pos + 1 < n && s.[!pos] = '-' && s.[!pos + 1] <> ']' then (let b = s.[!pos + 1] in pos := !pos + 2; items ((a, b) :: acc)) else items ((a, a) :: acc) in Set (neg, items []) in
  let r = alt () in if !pos < n then raise (Bad "trailing") else r
let accepts r c = match r with Chr d -> c = d | Any -> true | Set (neg, l) -> neg <> List.exists (fun (a, b) -> a <= c && c <= b) l | _ -> false
let back r s = let n = String.length s in
  let rec m r i k = match r with
    | Empty -> false | Eps -> k i | Chr _ | Any | Set _ -> i < n && accepts r s.[i] && k (i + 1)
    | Seq (a, b) -> m a i (fun j -> m b j k) | Alt (a, b) -> m a i k || m b i k
    | Star a -> m a i (fun j -> j > i && m r j k) || k i | Plus a -> m (Seq (a, Star a)) i k | Opt a -> m a i k || k i in
  m r 0 (fun i -> i = n)
type node = { id : int; mutable eps : node list; mutable edge : (re * node) option }
let thompson r = let count = ref 0 in
  let node () = incr count; { id = !count - 1; eps = []; edge = None } in
  let rec build r final = match r with
    | Empty -> node () | Eps -> final | Chr _ | Any | Set _ -> let x = node () in x.edge <- Some (r, final); x
    | Seq (a, b) -> build a (build b final) | Alt (a, b) -> let x = node () in x.eps <- [ build a final; build b final ]; x
    | Star a -> let x = node () in x.eps <- [ build a x; final ]; x | Plus a -> let x = node () in let st = build a x in x.eps <- [ st; final ]; st | Opt a -> let x = node () in x.eps <- [ build a final; final ]; x in
  let final = node () in let start = build r final in (start, final, !count)
let nfa r = let start, final, n = thompson r in fun s ->
  let add seen l x = let rec go l x = if seen.(x.id) then l else (seen.(x.id) <- true; List.fold_left go (x :: l) x.eps) in go l x in
  let cur = ref (add (Array.make n false) [] start) in
  String.iter (fun c -> let seen = Array.make n false in cur := List.fold_left (fun l x -> match x.edge with Some (r, y) when accepts r c -> add seen l y | _ -> l) [] !cur) s;
  List.exists (fun x -> x == final) !cur
let rec nullable = function Empty | Chr _ | Any | Set _ -> false | Eps | Star _ | Opt _ -> true | Seq (a, b) -> nullable a && nullable b | Alt (a, b) -> nullable a || nullable b | Plus a -> nullable a
let seq a b = match a, b with Empty, _ | _, Empty -> Empty | Eps, x | x, Eps -> x | _ -> Seq (a, b)
let alt a b = match a, b with Empty, x | x, Empty -> x | a, b when a = b -> a | _ -> Alt (a, b)
let rec deriv c = function Empty | Eps -> Empty | (Chr _ | Any | Set _) as r -> if accepts r c then Eps else Empty | Seq (a, b) -> let d = seq (deriv c a) b in if nullable a then alt d (deriv c b) else d | Alt (a, b) -> alt (deriv c a) (deriv c b) | Star a as r -> seq (deriv c a) r | Plus a -> seq (deriv c a) (Star a) | Opt a -> deriv c a
let dmatch r s = let r = ref r in String.iter (fun c -> r := deriv c !r) s; nullable !r
let tests = [ ("a*b", [ "b"; "aaab"; "aa"; "" ]); ("(a|b)*abb", [ "abb"; "ababb"; "abab" ]); ("[a-c]+[^0-9]?", [ "abc"; "abcx"; "abc1"; "" ]); ("x(yz)?.", [ "xyzq"; "xq"; "x" ]); ("(a?)*b", [ "b"; "aab"; "c" ]); ("\\*\\.", [ "*."; "**" ]); ("|a", [ ""; "a"; "aa" ]); ("(a|aa)+$", [ "aaa$"; "$" ]); ("((", []); ("*a", []); ("[ab", []) ]
let () = List.iter (fun (p, l) -> match parse p with
  | r -> let f = nfa r in List.iter (fun s -> let a = back r s and b = f s and c = dmatch r s in Printf.printf "%s %S %b%s\n" p s a (if a = b && b = c then "" else " DISAGREE")) l
  | exception Bad m -> Printf.printf "%s: bad %s\n" p m) tests
let () = let p = String.concat "" (List.init 12 (fun _ -> "a?")) ^ String.make 12 'a' in let r = parse p in Printf.printf "%b %b\n" (back r (String.make 12 'a')) (nfa r (String.make 12 'a'))
