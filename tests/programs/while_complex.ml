(* flags: -w -a *)
(* While loops with complex conditions, effects in conditions, and early exits. *)
let collatz n = let x = ref n and c = ref 0 in while !x <> 1 && (incr c; !c < 1000) do x := if !x land 1 = 0 then !x lsr 1 else (3 * !x) + 1 done; !c
let find s c = let i = ref 0 in while !i < String.length s && s.[!i] <> c do incr i done; !i
let gcd a b = let a = ref a and b = ref b in while !b <> 0 do let t = !a mod !b in a := !b; b := t done; !a
let bsearch a x = let lo = ref 0 and hi = ref (Array.length a) in while !lo < !hi do let m = (!lo + !hi) / 2 in if a.(m) < x then lo := m + 1 else hi := m done; !lo
let cond l = let l = ref l and s = ref 0 in while (match !l with [] -> false | x :: r -> l := r; s := !s + x; x <> 0) do s := !s * 2 done; !s
let tr n = let i = ref 0 in while (try if !i > n then raise Exit; true with Exit -> false) do i := !i + 2 done; !i
let orl a b = let a = ref a and b = ref b and n = ref 0 in while !a > 0 || (!b > 0 && !n < 20) do decr a; b := !b - 2; incr n done; (!a, !b, !n)
let neg a = let a = ref a in while not (!a < 0 || (!a mod 7 = 0 && !a > 10)) do a := !a - 3 done; !a
let newton x = let g = ref x and e = ref infinity in while !e > 1e-12 do let n = (!g +. (x /. !g)) /. 2. in e := abs_float (n -. !g); g := n done; !g
let sieve n = let p = Array.make (n + 1) true in let i = ref 2 in while !i * !i <= n do (if p.(!i) then begin let j = ref (!i * !i) in while !j <= n do p.(!j) <- false; j := !j + !i done end); incr i done; let c = ref 0 in Array.iteri (fun i b -> if i > 1 && b then incr c) p; !c
let queue n = let q = Queue.create () in Queue.add n q; let s = ref 0 in while not (Queue.is_empty q) do let x = Queue.pop q in s := !s + x; if x > 1 then (Queue.add (x / 2) q; if x mod 2 = 1 then Queue.add (x / 3) q) done; !s
let nanloop () = let x = ref nan and n = ref 0 in while not (!x >= 0.) && !n < 5 do incr n; if !n = 3 then x := 1. done; !n
let () =
  List.iter (fun n -> Printf.printf "%d " (collatz n)) [ 1; 7; 27; 97 ]; Printf.printf "%d %d %d\n" (find "hello" 'l') (find "abc" 'z') (gcd 1071 462);
  List.iter (fun x -> Printf.printf "%d " (bsearch [| 1; 3; 5; 7 |] x)) [ 0; 1; 4; 7; 9 ];
  Printf.printf "%d %d %d\n" (cond [ 1; 2; 0; 5 ]) (cond []) (tr 7);
  let a, b, c = orl 3 11 in Printf.printf "%d %d %d %d %d\n" a b c (neg 100) (neg 8);
  Printf.printf "%.12f %d %d %d\n" (newton 2.) (sieve 1000) (queue 99) (nanloop ())
