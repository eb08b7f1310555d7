(* Continuations, wrappers, formats that are values, partial applications: what of it is laid out prints the same. *)

open Printf

let ping out = output_string out "ping"

(* Continuations. *)
let count n s = kfprintf (fun out -> fprintf out "(written)\n"; n + 1) stdout "%d%s" n s
let length n s = kbprintf Buffer.length (Buffer.create 10) "%d%s" n s
let upper n s = ksprintf String.uppercase_ascii "%d%s" n s
let applied n = ksprintf (fun s x -> s ^ x) "%d" n "and more"
let fails n = try ksprintf failwith "number %d" n with Failure s -> s
let () =
  for i = 9 to 11 do
    printf "%d %d %s %s %s\n" (count i "c") (length i "l") (upper i "u") (applied i) (fails i)
  done

(* Wrappers. *)
exception Error of string
let errorf fmt = ksprintf (fun s -> raise (Error s)) fmt
let log = Buffer.create 10
let verbose = ref true
let logf fmt = ksprintf (fun s -> if !verbose then Buffer.add_string log s) fmt
let prefixed level fmt = bprintf log "[%d] " level; bprintf log fmt
let say fmt = printf fmt
let say_twice fmt x = printf fmt x; printf fmt x
let rec often n fmt = if n = 0 then printf fmt else often (n - 1) fmt
let check_positive n = if n < 0 then errorf "negative: %d (%s)" n "!" else n
let () =
  for i = -1 to 1 do
    verbose := i < 1;
    logf "logged %d %s\n" i "x";
    prefixed i "prefixed %d\n" (i * 2);
    say "said %d %d\n" i i;
    say_twice "twice %d\n" i;
    often 3 "often %d\n" i;
    print_endline (try string_of_int (check_positive i) with Error s -> s)
  done;
  print_string (Buffer.contents log)

(* Formats that are values, joined, and partial applications. *)
let kept : (int -> string -> unit, out_channel, unit) format = "kept %d %s\n"
let uses_kept n = printf kept n "once"; printf kept n "twice"
let joined n = printf ("%d" ^^ " joined %s" ^^ "\n") n "j"
let by_choice b n = printf (if b then "yes %d\n" else "no %d\n") n
let partial = printf "partial %d %s\n" 1
let later n = let f = printf "later %d %s %t\n" n in f "a" ping; f "b" ping
let mapped l = List.map (sprintf "%d%c" 7) l
let first_class (p : (int -> unit, out_channel, unit) format -> int -> unit) = p "first class %d\n" 3
let given_more n = (ksprintf (fun s n -> print_endline (s ^ string_of_int n)) "%d-" n) 4
let () =
  uses_kept 1; joined 2; by_choice true 1; by_choice false 2; partial "x"; partial "y"; later 5;
  List.iter print_endline (mapped [ 'a'; 'b' ]);
  first_class printf; given_more 8;
  ifprintf stdout "never %d %a\n" 1 (fun _ _ -> print_string "never") 2

(* What a string is a copy of, and what it is not. *)
let copies s = sprintf "%s" s != s && sprintf "%s" s = s
let () = printf "%b %b\n" (copies "abc") (copies (String.make 3 'x'))

(* Boxes and breaks. *)
let boxes n s = printf "@[<2>%d@ %s@,@]@.%@ @{<b>%d@}\n" n s n
let formatted n s =
  Format.printf "@[<v 2>%d:@ %s@ %a@]@." n s (fun ppf -> Format.fprintf ppf "<%d>") n;
  Format.asprintf "@[%d@ %s@]" n s
let () = boxes 1 "s"; print_endline (formatted 1 "s")

let deep n = printf "%a" (fun out n -> fprintf out "1%a" (fun out n -> fprintf out "2%a" (fun out -> fprintf out "%d") n) n) n
let () = deep 3; print_newline ()

(* In a loop of the toplevel, and in functions that call themselves. *)
let () = for i = 1 to 3 do printf "%d " i; if i = 3 then printf "%s%!\n" "end" done
let rec down n = if n > 0 then (printf "%d " n; down (n - 1)) else printf "%s\n" "down"
let () = down 4
let rec joined_up n = if n = 0 then "" else sprintf "%d,%s" n (joined_up (n - 1))
let () = print_endline (joined_up 5)

(* What a function keeps over printing, unboxed numbers among it. *)
let sums l = List.fold_left (fun (i, x) y -> printf "%d: %.2f %.3g\n" i (x +. y) x; (i + 1, x +. y)) (0, 0.) l
let () = let n, x = sums [ 1.; 2.5; 1e10 ] in printf "%d %.1f\n" n x
