(* Formats that are known, by all conversions, flags, widths and precisions: what is laid out prints what the
   interpreter does for the same format that is not known. *)

open Printf

let check format laid interpreted =
  if laid <> interpreted then printf "%s: %S is not %S\n" format laid interpreted;
  print_endline laid

let ints : (string * (int -> string) * (int -> string, unit, string) format) list = [
  "%d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%d>" x done; !s), "<%d>";
  "%i", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%i>" x done; !s), "<%i>";
  "%u", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%u>" x done; !s), "<%u>";
  "%x", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%x>" x done; !s), "<%x>";
  "%X", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%X>" x done; !s), "<%X>";
  "%o", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%o>" x done; !s), "<%o>";
  "%+d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+d>" x done; !s), "<%+d>";
  "% d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% d>" x done; !s), "<% d>";
  "%+i", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+i>" x done; !s), "<%+i>";
  "% i", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% i>" x done; !s), "<% i>";
  "%#x", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#x>" x done; !s), "<%#x>";
  "%#X", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#X>" x done; !s), "<%#X>";
  "%#o", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#o>" x done; !s), "<%#o>";
  "%5d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%5d>" x done; !s), "<%5d>";
  "%-5d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-5d>" x done; !s), "<%-5d>";
  "%05d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%05d>" x done; !s), "<%05d>";
  "%+5d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+5d>" x done; !s), "<%+5d>";
  "%+05d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+05d>" x done; !s), "<%+05d>";
  "% 05d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% 05d>" x done; !s), "<% 05d>";
  "%-+5d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-+5d>" x done; !s), "<%-+5d>";
  "%08x", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%08x>" x done; !s), "<%08x>";
  "%#08x", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#08x>" x done; !s), "<%#08x>";
  "%-8X|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8X|>" x done; !s), "<%-8X|>";
  "%12u", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%12u>" x done; !s), "<%12u>";
  "%3o", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%3o>" x done; !s), "<%3o>";
  "%20d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%20d>" x done; !s), "<%20d>";
  "%020d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%020d>" x done; !s), "<%020d>";
  "%1d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%1d>" x done; !s), "<%1d>";
  "%#d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#d>" x done; !s), "<%#d>";
  "%#i", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#i>" x done; !s), "<%#i>";
  "%.3d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3d>" x done; !s), "<%.3d>";
  "%8.3d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%8.3d>" x done; !s), "<%8.3d>";
  "%-8.3d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8.3d>" x done; !s), "<%-8.3d>";
  "%.0d", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.0d>" x done; !s), "<%.0d>";
  "%#u", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#u>" x done; !s), "<%#u>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0; 1; -1; 42; -42; 123456; max_int; min_int ])
    ints

let int32s : (string * (int32 -> string) * (int32 -> string, unit, string) format) list = [
  "%ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%ld>" x done; !s), "<%ld>";
  "%li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%li>" x done; !s), "<%li>";
  "%lu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%lu>" x done; !s), "<%lu>";
  "%lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%lx>" x done; !s), "<%lx>";
  "%lX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%lX>" x done; !s), "<%lX>";
  "%lo", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%lo>" x done; !s), "<%lo>";
  "%+ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+ld>" x done; !s), "<%+ld>";
  "% ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% ld>" x done; !s), "<% ld>";
  "%+li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+li>" x done; !s), "<%+li>";
  "% li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% li>" x done; !s), "<% li>";
  "%#lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#lx>" x done; !s), "<%#lx>";
  "%#lX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#lX>" x done; !s), "<%#lX>";
  "%#lo", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#lo>" x done; !s), "<%#lo>";
  "%5ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%5ld>" x done; !s), "<%5ld>";
  "%-5ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-5ld>" x done; !s), "<%-5ld>";
  "%05ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%05ld>" x done; !s), "<%05ld>";
  "%+5ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+5ld>" x done; !s), "<%+5ld>";
  "%+05ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+05ld>" x done; !s), "<%+05ld>";
  "% 05ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% 05ld>" x done; !s), "<% 05ld>";
  "%-+5ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-+5ld>" x done; !s), "<%-+5ld>";
  "%08lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%08lx>" x done; !s), "<%08lx>";
  "%#08lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#08lx>" x done; !s), "<%#08lx>";
  "%-8lX|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8lX|>" x done; !s), "<%-8lX|>";
  "%12lu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%12lu>" x done; !s), "<%12lu>";
  "%.3ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3ld>" x done; !s), "<%.3ld>";
  "%#ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#ld>" x done; !s), "<%#ld>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0l; 1l; -1l; 42l; Int32.max_int; Int32.min_int ])
    int32s

let int64s : (string * (int64 -> string) * (int64 -> string, unit, string) format) list = [
  "%Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%Ld>" x done; !s), "<%Ld>";
  "%Li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%Li>" x done; !s), "<%Li>";
  "%Lu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%Lu>" x done; !s), "<%Lu>";
  "%Lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%Lx>" x done; !s), "<%Lx>";
  "%LX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%LX>" x done; !s), "<%LX>";
  "%Lo", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%Lo>" x done; !s), "<%Lo>";
  "%+Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+Ld>" x done; !s), "<%+Ld>";
  "% Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% Ld>" x done; !s), "<% Ld>";
  "%+Li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+Li>" x done; !s), "<%+Li>";
  "% Li", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% Li>" x done; !s), "<% Li>";
  "%#Lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#Lx>" x done; !s), "<%#Lx>";
  "%#LX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#LX>" x done; !s), "<%#LX>";
  "%#Lo", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#Lo>" x done; !s), "<%#Lo>";
  "%5Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%5Ld>" x done; !s), "<%5Ld>";
  "%-5Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-5Ld>" x done; !s), "<%-5Ld>";
  "%05Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%05Ld>" x done; !s), "<%05Ld>";
  "%+5Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+5Ld>" x done; !s), "<%+5Ld>";
  "%+05Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+05Ld>" x done; !s), "<%+05Ld>";
  "% 05Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% 05Ld>" x done; !s), "<% 05Ld>";
  "%-+5Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-+5Ld>" x done; !s), "<%-+5Ld>";
  "%08Lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%08Lx>" x done; !s), "<%08Lx>";
  "%#08Lx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#08Lx>" x done; !s), "<%#08Lx>";
  "%-8LX|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8LX|>" x done; !s), "<%-8LX|>";
  "%12Lu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%12Lu>" x done; !s), "<%12Lu>";
  "%.3Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3Ld>" x done; !s), "<%.3Ld>";
  "%#Ld", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#Ld>" x done; !s), "<%#Ld>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0L; 1L; -1L; 42L; Int64.max_int; Int64.min_int ])
    int64s

let nativeints : (string * (nativeint -> string) * (nativeint -> string, unit, string) format) list = [
  "%nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%nd>" x done; !s), "<%nd>";
  "%ni", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%ni>" x done; !s), "<%ni>";
  "%nu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%nu>" x done; !s), "<%nu>";
  "%nx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%nx>" x done; !s), "<%nx>";
  "%nX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%nX>" x done; !s), "<%nX>";
  "%no", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%no>" x done; !s), "<%no>";
  "%+nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+nd>" x done; !s), "<%+nd>";
  "% nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% nd>" x done; !s), "<% nd>";
  "%+ni", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+ni>" x done; !s), "<%+ni>";
  "% ni", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% ni>" x done; !s), "<% ni>";
  "%#nx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#nx>" x done; !s), "<%#nx>";
  "%#nX", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#nX>" x done; !s), "<%#nX>";
  "%#no", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#no>" x done; !s), "<%#no>";
  "%5nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%5nd>" x done; !s), "<%5nd>";
  "%-5nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-5nd>" x done; !s), "<%-5nd>";
  "%05nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%05nd>" x done; !s), "<%05nd>";
  "%+5nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+5nd>" x done; !s), "<%+5nd>";
  "%+05nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+05nd>" x done; !s), "<%+05nd>";
  "% 05nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% 05nd>" x done; !s), "<% 05nd>";
  "%-+5nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-+5nd>" x done; !s), "<%-+5nd>";
  "%08nx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%08nx>" x done; !s), "<%08nx>";
  "%#08nx", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#08nx>" x done; !s), "<%#08nx>";
  "%-8nX|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8nX|>" x done; !s), "<%-8nX|>";
  "%12nu", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%12nu>" x done; !s), "<%12nu>";
  "%.3nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3nd>" x done; !s), "<%.3nd>";
  "%#nd", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#nd>" x done; !s), "<%#nd>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0n; 1n; -1n; 42n; Nativeint.max_int; Nativeint.min_int ])
    nativeints

let floats : (string * (float -> string) * (float -> string, unit, string) format) list = [
  "%f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%f>" x done; !s), "<%f>";
  "%e", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%e>" x done; !s), "<%e>";
  "%E", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%E>" x done; !s), "<%E>";
  "%g", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%g>" x done; !s), "<%g>";
  "%G", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%G>" x done; !s), "<%G>";
  "%F", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%F>" x done; !s), "<%F>";
  "%h", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%h>" x done; !s), "<%h>";
  "%H", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%H>" x done; !s), "<%H>";
  "%#F", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%#F>" x done; !s), "<%#F>";
  "%.0f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.0f>" x done; !s), "<%.0f>";
  "%.1f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.1f>" x done; !s), "<%.1f>";
  "%.3f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3f>" x done; !s), "<%.3f>";
  "%.10g", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.10g>" x done; !s), "<%.10g>";
  "%.17g", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.17g>" x done; !s), "<%.17g>";
  "%8.2f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%8.2f>" x done; !s), "<%8.2f>";
  "%-8.2f|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-8.2f|>" x done; !s), "<%-8.2f|>";
  "%08.2f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%08.2f>" x done; !s), "<%08.2f>";
  "%+.2f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+.2f>" x done; !s), "<%+.2f>";
  "% .2f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<% .2f>" x done; !s), "<% .2f>";
  "%+8.1e", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+8.1e>" x done; !s), "<%+8.1e>";
  "%10f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%10f>" x done; !s), "<%10f>";
  "%-12g|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-12g|>" x done; !s), "<%-12g|>";
  "%010f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%010f>" x done; !s), "<%010f>";
  "%012g", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%012g>" x done; !s), "<%012g>";
  "%.3h", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.3h>" x done; !s), "<%.3h>";
  "%.20f", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%.20f>" x done; !s), "<%.20f>";
  "%+F", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%+F>" x done; !s), "<%+F>";
  "%15F", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%15F>" x done; !s), "<%15F>";
  "%25.3h", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%25.3h>" x done; !s), "<%25.3h>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 0.; -0.; 1.; -1.5; 3.14159; 1e10; 1e-10; 1e22; nan; infinity; neg_infinity; 0.1; 123456789.125 ])
    floats

let strings : (string * (string -> string) * (string -> string, unit, string) format) list = [
  "%s", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%s>" x done; !s), "<%s>";
  "%10s", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%10s>" x done; !s), "<%10s>";
  "%-10s|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-10s|>" x done; !s), "<%-10s|>";
  "%S", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%S>" x done; !s), "<%S>";
  "%20S", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%20S>" x done; !s), "<%20S>";
  "%1s", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%1s>" x done; !s), "<%1s>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ ""; "a"; "abc"; "a longer one than the padding"; "q\"\n\000z" ])
    strings

let chars : (string * (char -> string) * (char -> string, unit, string) format) list = [
  "%c", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%c>" x done; !s), "<%c>";
  "%C", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%C>" x done; !s), "<%C>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ 'a'; '\n'; '\''; '\000'; '\255' ])
    chars

let bools : (string * (bool -> string) * (bool -> string, unit, string) format) list = [
  "%b", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%b>" x done; !s), "<%b>";
  "%B", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%B>" x done; !s), "<%B>";
  "%6b", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%6b>" x done; !s), "<%6b>";
  "%-7B|", (fun x -> let s = ref "" in for _ = 1 to 2 do s := sprintf "<%-7B|>" x done; !s), "<%-7B|>";
]

let () =
  List.iter
    (fun (format, laid, interpreted) -> List.iter (fun x -> check format (laid x) (sprintf interpreted x)) [ true; false ])
    bools
