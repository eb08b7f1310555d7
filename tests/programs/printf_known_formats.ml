(* Formats that are known, by all conversions, flags, widths and precisions: what is laid out prints what the
   interpreter does for the same format that is not known. Then what is printed before what, and what of it when a
   printer raises. *)

open Printf

let check format laid interpreted =
  if laid <> interpreted then printf "%s: %S is not %S\n" format laid interpreted;
  print_endline laid

let ints : (string * (int -> string) * (int -> string, unit, string) format) list = [
  "%d", (fun x -> sprintf "<%d>" x), "<%d>";
  "%i", (fun x -> sprintf "<%i>" x), "<%i>";
  "%u", (fun x -> sprintf "<%u>" x), "<%u>";
  "%x", (fun x -> sprintf "<%x>" x), "<%x>";
  "%X", (fun x -> sprintf "<%X>" x), "<%X>";
  "%o", (fun x -> sprintf "<%o>" x), "<%o>";
  "%+d", (fun x -> sprintf "<%+d>" x), "<%+d>";
  "% d", (fun x -> sprintf "<% d>" x), "<% d>";
  "%+i", (fun x -> sprintf "<%+i>" x), "<%+i>";
  "% i", (fun x -> sprintf "<% i>" x), "<% i>";
  "%#x", (fun x -> sprintf "<%#x>" x), "<%#x>";
  "%#X", (fun x -> sprintf "<%#X>" x), "<%#X>";
  "%#o", (fun x -> sprintf "<%#o>" x), "<%#o>";
  "%5d", (fun x -> sprintf "<%5d>" x), "<%5d>";
  "%-5d", (fun x -> sprintf "<%-5d>" x), "<%-5d>";
  "%05d", (fun x -> sprintf "<%05d>" x), "<%05d>";
  "%+5d", (fun x -> sprintf "<%+5d>" x), "<%+5d>";
  "%+05d", (fun x -> sprintf "<%+05d>" x), "<%+05d>";
  "% 05d", (fun x -> sprintf "<% 05d>" x), "<% 05d>";
  "%-+5d", (fun x -> sprintf "<%-+5d>" x), "<%-+5d>";
  "%08x", (fun x -> sprintf "<%08x>" x), "<%08x>";
  "%#08x", (fun x -> sprintf "<%#08x>" x), "<%#08x>";
  "%-8X|", (fun x -> sprintf "<%-8X|>" x), "<%-8X|>";
  "%12u", (fun x -> sprintf "<%12u>" x), "<%12u>";
  "%3o", (fun x -> sprintf "<%3o>" x), "<%3o>";
  "%20d", (fun x -> sprintf "<%20d>" x), "<%20d>";
  "%020d", (fun x -> sprintf "<%020d>" x), "<%020d>";
  "%1d", (fun x -> sprintf "<%1d>" x), "<%1d>";
  "%#d", (fun x -> sprintf "<%#d>" x), "<%#d>";
  "%#i", (fun x -> sprintf "<%#i>" x), "<%#i>";
  "%.3d", (fun x -> sprintf "<%.3d>" x), "<%.3d>";
  "%8.3d", (fun x -> sprintf "<%8.3d>" x), "<%8.3d>";
  "%-8.3d", (fun x -> sprintf "<%-8.3d>" x), "<%-8.3d>";
  "%.0d", (fun x -> sprintf "<%.0d>" x), "<%.0d>";
  "%#u", (fun x -> sprintf "<%#u>" x), "<%#u>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0; 1; -1; 42; -42; 123456; max_int; min_int ])
    ints

let int32s : (string * (int32 -> string) * (int32 -> string, unit, string) format) list = [
  "%ld", (fun x -> sprintf "<%ld>" x), "<%ld>";
  "%li", (fun x -> sprintf "<%li>" x), "<%li>";
  "%lu", (fun x -> sprintf "<%lu>" x), "<%lu>";
  "%lx", (fun x -> sprintf "<%lx>" x), "<%lx>";
  "%lX", (fun x -> sprintf "<%lX>" x), "<%lX>";
  "%lo", (fun x -> sprintf "<%lo>" x), "<%lo>";
  "%+ld", (fun x -> sprintf "<%+ld>" x), "<%+ld>";
  "% ld", (fun x -> sprintf "<% ld>" x), "<% ld>";
  "%+li", (fun x -> sprintf "<%+li>" x), "<%+li>";
  "% li", (fun x -> sprintf "<% li>" x), "<% li>";
  "%#lx", (fun x -> sprintf "<%#lx>" x), "<%#lx>";
  "%#lX", (fun x -> sprintf "<%#lX>" x), "<%#lX>";
  "%#lo", (fun x -> sprintf "<%#lo>" x), "<%#lo>";
  "%5ld", (fun x -> sprintf "<%5ld>" x), "<%5ld>";
  "%-5ld", (fun x -> sprintf "<%-5ld>" x), "<%-5ld>";
  "%05ld", (fun x -> sprintf "<%05ld>" x), "<%05ld>";
  "%+5ld", (fun x -> sprintf "<%+5ld>" x), "<%+5ld>";
  "%+05ld", (fun x -> sprintf "<%+05ld>" x), "<%+05ld>";
  "% 05ld", (fun x -> sprintf "<% 05ld>" x), "<% 05ld>";
  "%-+5ld", (fun x -> sprintf "<%-+5ld>" x), "<%-+5ld>";
  "%08lx", (fun x -> sprintf "<%08lx>" x), "<%08lx>";
  "%#08lx", (fun x -> sprintf "<%#08lx>" x), "<%#08lx>";
  "%-8lX|", (fun x -> sprintf "<%-8lX|>" x), "<%-8lX|>";
  "%12lu", (fun x -> sprintf "<%12lu>" x), "<%12lu>";
  "%.3ld", (fun x -> sprintf "<%.3ld>" x), "<%.3ld>";
  "%#ld", (fun x -> sprintf "<%#ld>" x), "<%#ld>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0l; 1l; -1l; 42l; Int32.max_int; Int32.min_int ])
    int32s

let int64s : (string * (int64 -> string) * (int64 -> string, unit, string) format) list = [
  "%Ld", (fun x -> sprintf "<%Ld>" x), "<%Ld>";
  "%Li", (fun x -> sprintf "<%Li>" x), "<%Li>";
  "%Lu", (fun x -> sprintf "<%Lu>" x), "<%Lu>";
  "%Lx", (fun x -> sprintf "<%Lx>" x), "<%Lx>";
  "%LX", (fun x -> sprintf "<%LX>" x), "<%LX>";
  "%Lo", (fun x -> sprintf "<%Lo>" x), "<%Lo>";
  "%+Ld", (fun x -> sprintf "<%+Ld>" x), "<%+Ld>";
  "% Ld", (fun x -> sprintf "<% Ld>" x), "<% Ld>";
  "%+Li", (fun x -> sprintf "<%+Li>" x), "<%+Li>";
  "% Li", (fun x -> sprintf "<% Li>" x), "<% Li>";
  "%#Lx", (fun x -> sprintf "<%#Lx>" x), "<%#Lx>";
  "%#LX", (fun x -> sprintf "<%#LX>" x), "<%#LX>";
  "%#Lo", (fun x -> sprintf "<%#Lo>" x), "<%#Lo>";
  "%5Ld", (fun x -> sprintf "<%5Ld>" x), "<%5Ld>";
  "%-5Ld", (fun x -> sprintf "<%-5Ld>" x), "<%-5Ld>";
  "%05Ld", (fun x -> sprintf "<%05Ld>" x), "<%05Ld>";
  "%+5Ld", (fun x -> sprintf "<%+5Ld>" x), "<%+5Ld>";
  "%+05Ld", (fun x -> sprintf "<%+05Ld>" x), "<%+05Ld>";
  "% 05Ld", (fun x -> sprintf "<% 05Ld>" x), "<% 05Ld>";
  "%-+5Ld", (fun x -> sprintf "<%-+5Ld>" x), "<%-+5Ld>";
  "%08Lx", (fun x -> sprintf "<%08Lx>" x), "<%08Lx>";
  "%#08Lx", (fun x -> sprintf "<%#08Lx>" x), "<%#08Lx>";
  "%-8LX|", (fun x -> sprintf "<%-8LX|>" x), "<%-8LX|>";
  "%12Lu", (fun x -> sprintf "<%12Lu>" x), "<%12Lu>";
  "%.3Ld", (fun x -> sprintf "<%.3Ld>" x), "<%.3Ld>";
  "%#Ld", (fun x -> sprintf "<%#Ld>" x), "<%#Ld>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0L; 1L; -1L; 42L; Int64.max_int; Int64.min_int ])
    int64s

let nativeints : (string * (nativeint -> string) * (nativeint -> string, unit, string) format) list = [
  "%nd", (fun x -> sprintf "<%nd>" x), "<%nd>";
  "%ni", (fun x -> sprintf "<%ni>" x), "<%ni>";
  "%nu", (fun x -> sprintf "<%nu>" x), "<%nu>";
  "%nx", (fun x -> sprintf "<%nx>" x), "<%nx>";
  "%nX", (fun x -> sprintf "<%nX>" x), "<%nX>";
  "%no", (fun x -> sprintf "<%no>" x), "<%no>";
  "%+nd", (fun x -> sprintf "<%+nd>" x), "<%+nd>";
  "% nd", (fun x -> sprintf "<% nd>" x), "<% nd>";
  "%+ni", (fun x -> sprintf "<%+ni>" x), "<%+ni>";
  "% ni", (fun x -> sprintf "<% ni>" x), "<% ni>";
  "%#nx", (fun x -> sprintf "<%#nx>" x), "<%#nx>";
  "%#nX", (fun x -> sprintf "<%#nX>" x), "<%#nX>";
  "%#no", (fun x -> sprintf "<%#no>" x), "<%#no>";
  "%5nd", (fun x -> sprintf "<%5nd>" x), "<%5nd>";
  "%-5nd", (fun x -> sprintf "<%-5nd>" x), "<%-5nd>";
  "%05nd", (fun x -> sprintf "<%05nd>" x), "<%05nd>";
  "%+5nd", (fun x -> sprintf "<%+5nd>" x), "<%+5nd>";
  "%+05nd", (fun x -> sprintf "<%+05nd>" x), "<%+05nd>";
  "% 05nd", (fun x -> sprintf "<% 05nd>" x), "<% 05nd>";
  "%-+5nd", (fun x -> sprintf "<%-+5nd>" x), "<%-+5nd>";
  "%08nx", (fun x -> sprintf "<%08nx>" x), "<%08nx>";
  "%#08nx", (fun x -> sprintf "<%#08nx>" x), "<%#08nx>";
  "%-8nX|", (fun x -> sprintf "<%-8nX|>" x), "<%-8nX|>";
  "%12nu", (fun x -> sprintf "<%12nu>" x), "<%12nu>";
  "%.3nd", (fun x -> sprintf "<%.3nd>" x), "<%.3nd>";
  "%#nd", (fun x -> sprintf "<%#nd>" x), "<%#nd>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0n; 1n; -1n; 42n; Nativeint.max_int; Nativeint.min_int ])
    nativeints

let floats : (string * (float -> string) * (float -> string, unit, string) format) list = [
  "%f", (fun x -> sprintf "<%f>" x), "<%f>";
  "%e", (fun x -> sprintf "<%e>" x), "<%e>";
  "%E", (fun x -> sprintf "<%E>" x), "<%E>";
  "%g", (fun x -> sprintf "<%g>" x), "<%g>";
  "%G", (fun x -> sprintf "<%G>" x), "<%G>";
  "%F", (fun x -> sprintf "<%F>" x), "<%F>";
  "%h", (fun x -> sprintf "<%h>" x), "<%h>";
  "%H", (fun x -> sprintf "<%H>" x), "<%H>";
  "%#F", (fun x -> sprintf "<%#F>" x), "<%#F>";
  "%.0f", (fun x -> sprintf "<%.0f>" x), "<%.0f>";
  "%.1f", (fun x -> sprintf "<%.1f>" x), "<%.1f>";
  "%.3f", (fun x -> sprintf "<%.3f>" x), "<%.3f>";
  "%.10g", (fun x -> sprintf "<%.10g>" x), "<%.10g>";
  "%.17g", (fun x -> sprintf "<%.17g>" x), "<%.17g>";
  "%8.2f", (fun x -> sprintf "<%8.2f>" x), "<%8.2f>";
  "%-8.2f|", (fun x -> sprintf "<%-8.2f|>" x), "<%-8.2f|>";
  "%08.2f", (fun x -> sprintf "<%08.2f>" x), "<%08.2f>";
  "%+.2f", (fun x -> sprintf "<%+.2f>" x), "<%+.2f>";
  "% .2f", (fun x -> sprintf "<% .2f>" x), "<% .2f>";
  "%+8.1e", (fun x -> sprintf "<%+8.1e>" x), "<%+8.1e>";
  "%10f", (fun x -> sprintf "<%10f>" x), "<%10f>";
  "%-12g|", (fun x -> sprintf "<%-12g|>" x), "<%-12g|>";
  "%010f", (fun x -> sprintf "<%010f>" x), "<%010f>";
  "%012g", (fun x -> sprintf "<%012g>" x), "<%012g>";
  "%.3h", (fun x -> sprintf "<%.3h>" x), "<%.3h>";
  "%.20f", (fun x -> sprintf "<%.20f>" x), "<%.20f>";
  "%+F", (fun x -> sprintf "<%+F>" x), "<%+F>";
  "%15F", (fun x -> sprintf "<%15F>" x), "<%15F>";
  "%25.3h", (fun x -> sprintf "<%25.3h>" x), "<%25.3h>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0.; -0.; 1.; -1.5; 3.14159; 1e10; 1e-10; 1e22; nan; infinity; neg_infinity; 0.1; 123456789.125 ])
    floats

let strings : (string * (string -> string) * (string -> string, unit, string) format) list = [
  "%s", (fun x -> sprintf "<%s>" x), "<%s>";
  "%10s", (fun x -> sprintf "<%10s>" x), "<%10s>";
  "%-10s|", (fun x -> sprintf "<%-10s|>" x), "<%-10s|>";
  "%S", (fun x -> sprintf "<%S>" x), "<%S>";
  "%20S", (fun x -> sprintf "<%20S>" x), "<%20S>";
  "%1s", (fun x -> sprintf "<%1s>" x), "<%1s>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ ""; "a"; "abc"; "a longer one than the padding"; "q\"\n\000z" ])
    strings

let chars : (string * (char -> string) * (char -> string, unit, string) format) list = [
  "%c", (fun x -> sprintf "<%c>" x), "<%c>";
  "%C", (fun x -> sprintf "<%C>" x), "<%C>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 'a'; '\n'; '\''; '\000'; '\255' ])
    chars

let bools : (string * (bool -> string) * (bool -> string, unit, string) format) list = [
  "%b", (fun x -> sprintf "<%b>" x), "<%b>";
  "%B", (fun x -> sprintf "<%B>" x), "<%B>";
  "%6b", (fun x -> sprintf "<%6b>" x), "<%6b>";
  "%-7B|", (fun x -> sprintf "<%-7B|>" x), "<%-7B|>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ true; false ])
    bools

(* Widths and precisions that are arguments, formats as arguments, what is skipped. *)
let stars w p n x s =
  printf "%*d %-*d %0*d|%.*f %*.*f %*s|%-*s|\n" w n w n w n p x w p x w s w s;
  printf "%(%d%s%)|%{%d%s%}|%d%%%c\n" "<%d %s>" n s "[%d]%s" n 'c';
  printf "%.*d %*.*d\n" p n w p n

let () = stars 6 2 42 3.14159 "s"; stars (-6) 0 (-7) 0.5 "long enough"

let several a b c d e f = printf "%d, %s; %c: %f -> %Ld (%b)\n%!" a b c d e f
let () = for i = 0 to 3 do several i (string_of_int i) (Char.chr (65 + i)) (float i /. 3.) (Int64.of_int i) (i > 1) done

let without_arguments out = fprintf out "no arguments\n"; printf "%%"; printf "\n"; printf ""; fprintf out "%!"
let () = without_arguments stdout

(* Printers are called in the order of output, conversions before anything is printed. *)
let trace = Buffer.create 100
let event s = Buffer.add_string trace s; Buffer.add_char trace ' '
let value n = event (sprintf "value%d" n); n
let point out (x, y) = event "point"; fprintf out "(%d, %d)" x y
let ping out = event "ping"; output_string out "ping"
let in_order a b = printf "%d %a %t %d %a\n" (value a) point (a, b) ping (value b) point (b, a)
let () = in_order 1 2; print_endline (Buffer.contents trace); Buffer.clear trace

let to_buffer b p = Buffer.add_string b (sprintf "{%s}" p)
let buffered b n s = bprintf b "%d:%s %a %t%c%!\n" n s to_buffer s (fun b -> bprintf b "%d%%" n) 'x'
let () =
  let b = Buffer.create 1 in
  for i = 1 to 3 do buffered b i (String.make i 's') done;
  print_string (Buffer.contents b)

let strings n s = sprintf "%d %a %t %s" n (fun () s -> event "a"; s ^ s) s (fun () -> event "t"; "t") s
let () = print_endline (strings 1 "s"); print_endline (Buffer.contents trace); Buffer.clear trace

exception Stop of int
let stops out n = output_string out "stopping "; if n > 1 then raise (Stop n) else output_string out "not "
let raising n = try printf "before %d, %a after %s\n%!" n stops n "end" with Stop n -> printf "| stopped %d\n" n
let () = raising 1; raising 2

let raising_in_buffer b n =
  try bprintf b "before %d, %a after %s\n" n (fun b n -> bprintf b "in "; if n > 1 then raise (Stop n)) n "end"
  with Stop n -> bprintf b "| stopped %d\n" n
let () =
  let b = Buffer.create 10 in
  raising_in_buffer b 1; raising_in_buffer b 2;
  print_string (Buffer.contents b)

let raising_in_string n = try sprintf "before %a" (fun () n -> if n > 1 then raise (Stop n) else "in") n with Stop _ -> "no"
let () = print_endline (raising_in_string 1); print_endline (raising_in_string 2)
let raising_last n = try printf "%d %t" n (fun _ -> if n > 1 then raise Exit); "returned" with Exit -> "raised"
let () = print_endline (raising_last 1); print_endline (raising_last 2)

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
