(* Formats that are known: what is printed before what, and what of it when a printer raises. *)

open Printf

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
