(* flags: -w -a *)
(* Arbitrary-precision integers in base 10^4: all operations, Karatsuba, division, factorials, pi and e digits. *)
let base = 10000
type t = { neg : bool; mag : int array }
let zero = { neg = false; mag = [||] }
let norm neg a = let n = ref (Array.length a) in while !n > 0 && a.(!n - 1) = 0 do decr n done; if !n = 0 then zero else { neg; mag = (if !n = Array.length a then a else Array.sub a 0 !n) }
let of_int k = let rec digits k = if k = 0 then [] else (abs (k mod base)) :: digits (k / base) in norm (k < 0) (Array.of_list (digits k))
let cmp_mag a b = let la = Array.length a and lb = Array.length b in if la <> lb then compare la lb else (let rec go i = if i < 0 then 0 else if a.(i) <> b.(i) then compare a.(i) b.(i) else go (i - 1) in go (la - 1))
let add_mag a b = let a, b = if Array.length a < Array.length b then (b, a) else (a, b) in let r = Array.make (Array.length a + 1) 0 and c = ref 0 in for i = 0 to Array.length a - 1 do let s = a.(i) + (if i < Array.length b then b.(i) else 0) + !c in if s >= base then (r.(i) <- s - base; c := 1) else (r.(i) <- s; c := 0) done; r.(Array.length a) <- !c; r
let sub_mag a b = let r = Array.copy a and c = ref 0 in for i = 0 to Array.length a - 1 do let s = a.(i) - (if i < Array.length b then b.(i) else 0) - !c in if s < 0 then (r.(i) <- s + base; c := 1) else (r.(i) <- s; c := 0) done; r
let school a b = let r = Array.make (Array.length a + Array.length b + 1) 0 in Array.iteri (fun i x -> let c = ref 0 in Array.iteri (fun j y -> let t = r.(i + j) + (x * y) + !c in r.(i + j) <- t mod base; c := t / base) b; let k = ref (i + Array.length b) in while !c > 0 do let t = r.(!k) + !c in r.(!k) <- t mod base; c := t / base; incr k done) a; r
let rec mul_mag a b =
  let n = max (Array.length a) (Array.length b) in
  if min (Array.length a) (Array.length b) < 16 then school a b else begin
    let h = n / 2 in
    let lo x = Array.sub x 0 (min h (Array.length x)) and hi x = if Array.length x <= h then [||] else Array.sub x h (Array.length x - h) in
    let z0 = mul_mag (lo a) (lo b) and z2 = mul_mag (hi a) (hi b) in
    let z1 = sub_mag (sub_mag (mul_mag (norm false (add_mag (lo a) (hi a))).mag (norm false (add_mag (lo b) (hi b))).mag) z0) z2 in
    let shift k x = Array.append (Array.make k 0) x in
    add_mag (add_mag z0 (shift h (norm false z1).mag)) (shift (2 * h) (norm false z2).mag)
  end
let neg a = if a.mag = [||] then a else { a with neg = not a.neg }
let compare a b = match a.neg, b.neg with false, true -> 1 | true, false -> -1 | n, _ -> let c = cmp_mag a.mag b.mag in if n then -c else c
let add a b = if a.neg = b.neg then norm a.neg (add_mag a.mag b.mag) else match cmp_mag a.mag b.mag with 0 -> zero | c when c > 0 -> norm a.neg (sub_mag a.mag b.mag) | _ -> norm b.neg (sub_mag b.mag a.mag)
let sub a b = add a (neg b)
let mul a b = norm (a.neg <> b.neg) (mul_mag a.mag b.mag)
let divmod_small a k = let r = ref 0 in let q = Array.copy a.mag in for i = Array.length q - 1 downto 0 do let t = (!r * base) + q.(i) in q.(i) <- t / k; r := t mod k done; (norm a.neg q, !r)
let divmod a b =
  if b.mag = [||] then raise Division_by_zero;
  let q = Array.make (Array.length a.mag + 1) 0 and r = ref zero in
  let bm = norm false b.mag in
  for i = Array.length a.mag - 1 downto 0 do
    r := norm false (Array.append [| a.mag.(i) |] !r.mag);
    let lo = ref 0 and hi = ref (base - 1) in
    while !lo < !hi do let m = (!lo + !hi + 1) / 2 in if compare (mul bm (of_int m)) !r <= 0 then lo := m else hi := m - 1 done;
    q.(i) <- !lo; r := sub !r (mul bm (of_int !lo))
  done;
  (norm (a.neg <> b.neg) q, if a.neg then neg !r else !r)
let to_string a = if a.mag = [||] then "0" else (if a.neg then "-" else "") ^ (let n = Array.length a.mag in String.concat "" (List.init n (fun i -> let d = a.mag.(n - 1 - i) in if i = 0 then string_of_int d else Printf.sprintf "%04d" d)))
let of_string s = let neg_ = s.[0] = '-' in let s = if neg_ then String.sub s 1 (String.length s - 1) else s in let n = String.length s in norm neg_ (Array.init ((n + 3) / 4) (fun i -> let e = n - (4 * i) in let b = max 0 (e - 4) in int_of_string (let d = String.sub s b (e - b) in let rec strip d = if String.length d > 1 && d.[0] = '0' then strip (String.sub d 1 (String.length d - 1)) else d in strip d)))
let rec pow a n = if n = 0 then of_int 1 else let h = pow a (n / 2) in let h2 = mul h h in if n land 1 = 1 then mul a h2 else h2
let fact n = let rec go a b = if a > b then of_int 1 else if a = b then of_int a else let m = (a + b) / 2 in mul (go a m) (go (m + 1) b) in go 1 n
let () =
  let ( + ) = add and ( - ) = sub and ( * ) = mul in
  let a = of_string "123456789012345678901234567890" and b = of_int (-98765) in
  List.iter (fun x -> print_endline (to_string x)) [ a + b; a - b; a * b; b * b; b - b; neg a; fact 30; pow (of_int 2) 100; pow (of_int (-3)) 41 ];
  let q, r = divmod a (of_string "9876543210987") in Printf.printf "%s %s %b\n" (to_string q) (to_string r) (compare ((q * of_string "9876543210987") + r) a = 0);
  let f = fact 200 in Printf.printf "%d digits, %b\n" (String.length (to_string f)) (compare (fst (divmod f (fact 199))) (of_int 200) = 0);
  let x = pow (of_int 7) 400 and y = pow (of_int 11) 300 in Printf.printf "%b %b\n" (norm false (school x.mag y.mag) = x * y) (compare (x * y) (y * x) = 0);
  let e = let one = pow (of_int 10) 60 in let rec go k t s = if t.mag = [||] then s else (let t, _ = divmod_small t k in go (Stdlib.( + ) k 1) t (s + t)) in go 1 one one in print_endline (to_string e);
  let atan k = let rec go n p s sgn = if p.mag = [||] then s else (let t, _ = divmod_small p n in let p', _ = divmod_small p (Stdlib.( * ) k k) in go (Stdlib.( + ) n 2) p' (if sgn then s + t else s - t) (not sgn)) in let p, _ = divmod_small (pow (of_int 10) 60) k in go 1 p zero true in print_endline (to_string ((of_int 16 * atan 5) - (of_int 4 * atan 239)));
  List.iter (fun s -> Printf.printf "%b " (to_string (of_string s) = s)) [ "0"; "-1"; "10000"; "99999999"; "-100000000" ]; (match divmod a zero with _ -> () | exception Division_by_zero -> print_endline "div0")
