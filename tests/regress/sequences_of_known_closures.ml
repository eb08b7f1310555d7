(* A sequence of sequences is specialised for closures whose functions read what other closures have captured: what is
   copied of them when `both` is inlined was read by the slots of the originals (fuzz seed 7605917, a crash of bytecode). *)
let rec map f s () = match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (f x, map f rest)
let[@inline] scaled j k s = map (fun x -> (x * k) + j) s
let rec append s t () = match s () with Seq.Nil -> t () | Seq.Cons (x, rest) -> Seq.Cons (x, append rest t)
let rec sum acc s = match s () with Seq.Nil -> acc | Seq.Cons (x, rest) -> sum (acc + x) rest
let[@inline] both i n = sum 0 (append (scaled n i (List.to_seq [ i; n; 3 ])) (scaled n i (List.to_seq [ n; 2 ])))
let[@inline never] all () = let total = ref 0 in for i = 1 to 12 do total := (!total * 7 + both i (i + 3)) land 0xFFFFFF done; !total
let () = print_int (all ()); print_newline ()
