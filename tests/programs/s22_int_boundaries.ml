(* flags: -w -a *)
(* soundness 22: 63-bit arithmetic at the boundaries, on constants and on unknown values. *)
let vals = [ 0; 1; -1; 2; -2; 7; 63; 64; max_int; min_int; max_int - 1; min_int + 1; 0x3fffffff; 0x40000000; -0x40000000; 0x7fffffff; 0x80000000; 0xffffffff; 0x100000000 ]
let h = ref 0
let mix x = h := (!h * 31 + x) land 0x3fffffffffff
let ops = [ ("+", ( + )); ("-", ( - )); ("*", ( * )); ("land", ( land )); ("lor", ( lor )); ("lxor", ( lxor ));
  ("/", (fun a b -> if b = 0 then 0 else a / b)); ("mod", (fun a b -> if b = 0 then 0 else a mod b));
  ("lsl", (fun a b -> a lsl (b land 62))); ("lsr", (fun a b -> a lsr (b land 62))); ("asr", (fun a b -> a asr (b land 62)));
  ("cmp", compare); ("lt", (fun a b -> if a < b then 1 else 0)); ("min", min); ("max", max) ]
external bswap16 : int -> int = "%bswap16"
external bswap32 : int32 -> int32 = "%bswap_int32"
external bswap64 : int64 -> int64 = "%bswap_int64"
let () =
  List.iter (fun (n, f) -> h := 0; List.iter (fun a -> List.iter (fun b -> mix (f a b)) vals) vals; Printf.printf "%s %d\n" n !h) ops;
  Printf.printf "%d %d %d\n" (compare 0 0 lsl 62) (compare 1 0 lsl 62) (compare 0 1 lsl 61);
  let o = Sys.opaque_identity in
  Printf.printf "%d %d\n" (compare (o 0) (o 0) lsl 62) (compare (o 2) 1 lsl 62);
  Printf.printf "%d %d %d %d\n" (1 mod o 5) (1 mod o (-1)) (min_int mod o (-1)) (o min_int / o (-1));
  Printf.printf "%d %d\n" (min_int / -1) (min_int mod -1);
  Printf.printf "%d %d %d\n" (max_int + 1) (o max_int + 1) (o min_int - 1);
  Printf.printf "%d %d\n" (o max_int * 2) (abs min_int);
  Printf.printf "%d %d\n" (- o min_int) (lnot (o max_int));
  Printf.printf "%d %d %d\n" (Int64.to_int 0x8000000000000000L) (Int64.to_int 0x4000000000000000L) (Nativeint.to_int 0x7fffffffffffffffn);
  Printf.printf "%Ld %Ld\n" (Int64.of_int (o min_int)) (Int64.of_int (o max_int));
  Printf.printf "%x %lx %Lx %lx\n" (bswap16 (o 0xabcd)) (bswap32 (o 0x11223380l)) (bswap64 (o 0x1122334455667788L)) (bswap32 0x80000001l);
  Printf.printf "%ld %b\n" (bswap32 (o 0x80l)) (Int32.compare (bswap32 (o 0x80l)) 0l < 0);
  let tg x = (x lsl 1) + 1 in
  Printf.printf "%d %d %d\n" (tg (o max_int)) ((tg (o max_int)) asr 1) ((o max_int lsl 1) lsr 1);
  let arr = Array.init 10 (fun i -> i) in
  List.iter (fun i -> match arr.(i) with v -> Printf.printf "%d " v | exception Invalid_argument _ -> print_string "oob ") [ 0; 9; 10; -1; min_int; max_int; max_int / 8; min_int + 3; 1 lsl 60; (1 lsl 61) + 2 ];
  List.iter (fun i -> match arr.(i + (max_int / 2)) with v -> Printf.printf "%d " v | exception Invalid_argument _ -> print_string "oob ") [ 0; 9; -(max_int / 2) + 4; 1 lsl 60 ];
  print_newline ()
