(* flags: -w -a *)
(* What generated programs have in common: they observe, count, and stop in time. *)

(* Loops and recursive functions end early when the program has used up its steps. *)
let steps = ref 0
let more () = incr steps; !steps < 20_000

(* A trace of effects: the first ones are printed, all of them are in the sum. *)
let events = ref 0
let sum = ref 0
let note n = incr events; sum := ((!sum * 31) + n) land 0xFFFFFFFFFFF
let tr n v =
  note n;
  if !events <= 300 then (print_char '#'; print_int n; print_char ' ');
  v
let tick n = note n; if !events <= 300 then (print_char '.'; print_int n; print_char ' ')

(* Values as text. Data that shares its parts may be huge as a tree: what is shown is bounded. *)
let shown = ref 0
let may_show () = incr shown; !shown < 400
let lines = ref 0
let say label text =
  shown := 0;
  incr lines;
  let text = if String.length text > 2000 then String.sub text 0 2000 else text in
  note (Hashtbl.hash text);
  if !lines <= 400 then (print_newline (); print_string label; print_char '='; print_string text; print_char ' ')
let start name =
  steps := 0; events := 0; sum := 0; lines := 0; shown := 0;
  print_newline (); print_string "== "; print_string name
let stop () = print_newline (); print_string "sum "; print_int !sum; print_newline ()

let s_unit () = "()"
let s_bool b = if b then "true" else "false"
let s_int = string_of_int
let s_char c = Printf.sprintf "%C" c
(* The sign of a NaN depends on the order of operands, which nobody promises. *)
let s_float x = if x <> x then "nan" else Printf.sprintf "%h" x
let s_str s = "\"" ^ String.escaped s ^ "\""
let s_bytes b = "b\"" ^ String.escaped (Bytes.to_string b) ^ "\""
let s_i32 n = Int32.to_string n ^ "l"
let s_i64 n = Int64.to_string n ^ "L"
let s_nat n = Nativeint.to_string n ^ "n"
let rec take n l = if n <= 0 then [] else match l with [] -> [] | x :: l -> x :: take (n - 1) l
let s_list f l = "[" ^ String.concat ";" (List.map f (take 12 l)) ^ "]"
let s_array f a = "[|" ^ String.concat ";" (List.map f (take 12 (Array.to_list a))) ^ "|]"
let s_opt f = function None -> "None" | Some x -> "Some(" ^ f x ^ ")"
let s_ref f r = "ref(" ^ f !r ^ ")"
let s_lazy f l = match Lazy.force l with v -> "lazy(" ^ f v ^ ")" | exception _ -> "lazy(raises)"
let s_any _ = "_"
let s_exn = function
  | Invalid_argument m -> "Invalid_argument " ^ m
  | Failure m -> "Failure " ^ m
  | Match_failure _ -> "Match_failure"
  | Assert_failure _ -> "Assert_failure"
  | e -> ( match String.index_opt (Printexc.to_string e) '(' with _ -> Printexc.exn_slot_name e)

(* Total versions of what may blow up, or where bytecode and native code differ. *)
let cat a b = let s = a ^ b in if String.length s > 60 then String.sub s 0 60 else s
let app a b = take 40 (a @ b)
let int_of x = if x > -1e9 && x < 1e9 then int_of_float x else 77
let bits x = if x <> x then 0x7FF8000000000000L else Int64.bits_of_float x
let hash x = Hashtbl.hash x
let of_bits n = let x = Int64.float_of_bits n in if x <> x then nan else x
let size n = n land 7

(* Collections are slow in loops. *)
let collections = ref 0
let minor () = incr collections; if !collections < 200 then Gc.minor ()
let major () = incr collections; if !collections < 20 then Gc.full_major ()

(* Recursive values. *)
type knot = { fn : int -> int; v : int; next : knot list }
