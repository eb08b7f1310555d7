(* flags: -w -a *)
(* References of every kind turned into variables. *)
let ints n = let a = ref 0 and b = ref 1 in for _ = 1 to n do let t = !a in a := !b; b := t + !b done; !a
let floats n = let s = ref 0. and c = ref 0. in for i = 1 to n do let y = (1. /. float i) -. !c in let t = !s +. y in c := t -. !s -. y; s := t done; !s
let i32 n = let h = ref 5381l in for i = 1 to n do h := Int32.add (Int32.mul !h 33l) (Int32.of_int i) done; !h
let i64 n = let x = ref 88172645463325252L in for _ = 1 to n do x := Int64.logxor !x (Int64.shift_left !x 13); x := Int64.logxor !x (Int64.shift_right_logical !x 7); x := Int64.logxor !x (Int64.shift_left !x 17) done; !x
let nat n = let x = ref 1n in for i = 1 to n do x := Nativeint.mul !x (Nativeint.of_int i) done; !x
let str n = let s = ref "" in for i = 1 to n do s := !s ^ string_of_int i; if String.length !s > 10 then s := String.sub !s 1 5 done; !s
let lst n = let l = ref [] in let i = ref n in while !i > 0 do l := !i :: !l; i := !i - 2 done; !l
let opt l = let best = ref None in List.iter (fun x -> match !best with None -> best := Some x | Some b -> if x > b then best := Some x) l; !best
let cond x = let r = ref 1 in if x > 0 then r := 10 else if x < 0 then (r := 20; r := !r + 1); !r
let arms x = let r = ref 0 and s = ref "z" in (match x with `A -> r := 1 | `B n -> r := n; s := "b" | `C (n, m) when n > m -> r := n - m | `C _ -> s := "c"); (!r, !s)
let two x = let a = ref x in let b = ref a in !b := 5; b := ref 7; (!a, !(!b))
let mixed n = let k = ref 0 and f = ref 0.5 and b = ref true in while !b do incr k; f := !f *. 1.5; if !f > float n then b := false done; (!k, !f, !b)
let shadow x = let r = ref x in let r = ref (!r + 1) in incr r; !r
let fn () = let f = ref (fun x -> x) in for i = 1 to 5 do let g = !f in f := fun x -> g (x + i) done; !f 0
let ret n = let r = ref n in decr r; r
let swapper n = let a = ref 1. and b = ref 2. in for _ = 1 to n do let t = !a in a := !b; b := t done; !a -. !b
let nested n = let total = ref 0 in for i = 1 to n do let row = ref 0 in for j = i to n do let k = ref j in while !k > 1 do row := !row + !k; k := !k / 2 done done; total := !total + !row done; !total
let cap n = let r = ref 0 in let add x = r := !r + x in for i = 1 to n do add i done; !r
let () =
  Printf.printf "%d %.17g %ld %Ld %nd\n" (ints 80) (floats 1000) (i32 1000) (i64 1000) (nat 25);
  Printf.printf "%s %d %s\n" (str 50) (List.length (lst 21)) (match opt [ 3; 9; 2 ] with Some n -> string_of_int n | None -> "-");
  List.iter (fun x -> Printf.printf "%d " (cond x)) [ 1; 0; -1 ]; print_newline ();
  List.iter (fun x -> let a, b = arms x in Printf.printf "%d%s " a b) [ `A; `B 4; `C (5, 2); `C (1, 2) ]; print_newline ();
  let a, b = two 1 in let k, f, c = mixed 100 in Printf.printf "%d %d %d %g %b\n" a b k f c;
  Printf.printf "%d %d %d %g %g %d %d\n" (shadow 1) (fn ()) !(ret 4) (swapper 3) (swapper 4) (nested 12) (cap 10)
