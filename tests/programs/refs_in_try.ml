(* flags: -w -a *)
(* References changed in try bodies and handlers, in loops, with calls, bounds errors and divisions. *)
exception X of int
let[@inline never] may n = if n mod 3 = 0 then raise (X n) else n
let a n = let s = ref 0 and f = ref 0. and l = ref 0l in
  for i = 1 to n do try s := !s + i; f := !f +. 0.5; s := !s + may i; l := Int32.add !l 1l; f := !f *. 2. with X k -> s := !s * 2 - k; f := !f -. 1.; l := Int32.neg !l done; (!s, !f, !l)
let b arr = let i = ref 0 and acc = ref 1. in
  (try while true do acc := !acc *. 2.; acc := !acc +. arr.(!i); incr i done with Invalid_argument _ -> acc := -. !acc); (!i, !acc)
let c l = let st = ref "start" in
  (try List.iter (fun x -> st := "x" ^ string_of_int x; if x = 0 then raise Not_found) l; st := "done" with Not_found -> st := !st ^ "!"); !st
let d x y = let r = ref 1L in try r := Int64.add !r 10L; r := Int64.div !r x; r := Int64.mul !r 5L; r := Int64.rem !r y; !r with Division_by_zero -> Int64.neg !r
let e n = let k = ref 0 in
  let rec go i = try if i = 0 then raise Exit else (incr k; go (i - 1); k := !k + 100) with Exit when i mod 2 = 1 -> k := !k + 1000 in
  (try go n with Exit -> k := - !k); !k
let f n = let r = ref 0 in
  (try (try r := 1; ignore (may n); r := 2; ignore (1 / (n - 4)); r := 3 with Division_by_zero -> r := !r * 10; if n = 4 then ignore (may 9)) with X k -> r := !r * 100 + k); !r
let g s = let pos = ref 0 and out = Buffer.create 10 in
  let next () = let c = s.[!pos] in incr pos; c in
  (try while true do (match next () with ' ' -> () | '#' -> raise Exit | '\\' -> Buffer.add_char out (next ()) | c -> Buffer.add_char out c) done with Exit -> Buffer.add_string out "<#>" | Invalid_argument _ -> Buffer.add_string out "<eof>"); Printf.sprintf "%s@%d" (Buffer.contents out) !pos
let h n = let x = ref n in let y = try x := !x + 1; let z = may !x in x := 50; z with X k -> x := !x + k; !x in (!x, y)
let i n = let x = ref 0 in let rec loop k = if k > n then !x else match (try x := !x + k; Some (may k) with X _ -> None) with None -> x := !x - 1; loop (k + 1) | Some v -> x := !x + v; loop (k + 1) in loop 1
let j () = let x = ref 1 in let f = try x := 2; fun () -> !x with _ -> fun () -> 0 in x := 3; f ()
let () =
  let s, fl, l = a 10 in Printf.printf "%d %g %ld\n" s fl l;
  let p, q = b [| 1.; 2.; 3. |] in Printf.printf "%d %g\n" p q; let p, q = b [||] in Printf.printf "%d %g\n" p q;
  Printf.printf "%s %s %s\n" (c []) (c [ 1; 2 ]) (c [ 1; 0; 2 ]);
  Printf.printf "%Ld %Ld %Ld\n" (d 0L 1L) (d 2L 0L) (d 2L 7L);
  for n = 0 to 5 do Printf.printf "%d " (e n) done; print_newline ();
  List.iter (fun n -> Printf.printf "%d " (f n)) [ 1; 3; 4; 5; 6 ]; print_newline ();
  List.iter (fun s -> print_endline (g s)) [ "a b c"; "ab#c"; "a\\#b"; "a\\"; "" ];
  List.iter (fun n -> let x, y = h n in Printf.printf "%d,%d " x y) [ 1; 2; 3 ]; print_newline ();
  Printf.printf "%d %d\n" (i 10) (j ())
