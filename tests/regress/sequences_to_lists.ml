(* What makes lists and strings of sequences, in the standard library and like it (crates/simplify/src/call_patterns):
   List.of_seq goes over to a loop after 500 elements, Bytes.of_seq makes room after 256. *)

let rec ints i n () = if i >= n then Seq.Nil else Seq.Cons (i, ints (i + 1) n)

let show name l =
  Printf.printf "%s %d: %d" name (List.length l) (List.fold_left (fun h x -> ((h * 31) + x) land 0xffffff) 7 l);
  (match l with [] -> () | x :: _ -> Printf.printf " from %d" x);
  print_newline ()

let sizes = [ 0; 1; 2; 3; 255; 256; 257; 499; 500; 501; 502; 1000; 1001; 3000 ]

let mapped n = List.of_seq (Seq.map (fun x -> x * 3) (ints 0 n))
let odd n = List.of_seq (Seq.filter (fun x -> x land 1 = 1) (ints 0 n))
let again l = List.of_seq (Seq.map succ (Seq.filter (fun x -> x mod 3 > 0) (List.to_seq l)))
let chars n = String.of_seq (Seq.map (fun x -> Char.chr (97 + (x mod 26))) (ints 0 n))
let upper s = String.of_seq (Seq.map (fun c -> Char.uppercase_ascii c) (String.to_seq s))
let codes s = List.of_seq (Seq.map Char.code (String.to_seq s))
let implode l = String.of_seq (List.to_seq l)

let () =
  List.iter
    (fun n ->
      show "mapped" (mapped n);
      show "odd" (odd n);
      show "again" (again (mapped n));
      show "codes" (codes (upper (chars n)));
      print_endline (string_of_int (Hashtbl.hash (implode (List.of_seq (String.to_seq (chars n)))))))
    sizes

(* The order of effects, and what was done before an exception. *)
exception Stop of int

let () =
  let log = Buffer.create 16 in
  let noted x =
    Buffer.add_string log (string_of_int x ^ " ");
    if x = 7 then raise (Stop x) else x
  in
  let run n = match List.of_seq (Seq.map noted (Seq.filter (fun x -> x land 1 = 1) (ints 0 n))) with
    | l -> List.length l
    | exception Stop x -> -x
  in
  Printf.printf "%d %d %s\n" (run 6) (run 20) (Buffer.contents log)

(* One call for two kinds of sequences, and a sequence that is not known. *)
let either b l = List.of_seq (if b then ints 0 5 else List.to_seq l)
let[@inline never] unknown s = List.of_seq s

let () =
  show "either" (either true []);
  show "either" (either false [ 4; 5 ]);
  show "unknown" (unknown (Seq.map (fun x -> x + 1) (ints 10 20)))

(* A consumer of one's own, which is no loop. *)
let rec collect depth s = match s () with
  | Seq.Nil -> [ depth ]
  | Seq.Cons (x, next) -> (x + depth) :: collect (depth + 1) next

let () =
  show "collect" (collect 0 (Seq.map (fun x -> x * x) (ints 0 10)));
  show "collect" (collect 5 (List.to_seq [ 1; 2; 3 ]))

(* Made in a sequence themselves. *)
let () =
  let rows = List.of_seq (Seq.map (fun n -> List.of_seq (Seq.map (fun x -> x * n) (ints 0 n))) (ints 0 6)) in
  show "rows" (List.concat rows)
