(* flags: -w -a *)
(* Matrices over a ring functor: ints modulo p, floats, rationals; determinant, inverse, power, LU, Floyd-Warshall. *)
module type FIELD = sig type t val zero : t val one : t val add : t -> t -> t val mul : t -> t -> t val neg : t -> t val inv : t -> t val is_zero : t -> bool val show : t -> string val of_int : int -> t end
module Fl = struct type t = float let zero = 0. let one = 1. let add = ( +. ) let mul = ( *. ) let neg x = -.x let inv x = 1. /. x let is_zero x = abs_float x < 1e-9 let show x = Printf.sprintf "%.4g" (x +. 0.) let of_int = float end
module Fp (P : sig val p : int end) = struct type t = int let zero = 0 let one = 1 let norm x = ((x mod P.p) + P.p) mod P.p let add a b = norm (a + b) let mul a b = a * b mod P.p let neg x = norm (-x) let rec pow b e = if e = 0 then 1 else let h = pow (mul b b) (e / 2) in if e land 1 = 1 then mul b h else h let inv x = if x = 0 then raise Division_by_zero else pow x (P.p - 2) let is_zero x = x = 0 let show = string_of_int let of_int = norm end
module Q = struct type t = { n : int; d : int } let rec gcd a b = if b = 0 then abs a else gcd b (a mod b) let mk n d = if d = 0 then raise Division_by_zero else let g = gcd n d in let g = if d < 0 then -g else g in { n = n / g; d = d / g } let zero = mk 0 1 let one = mk 1 1 let add a b = mk ((a.n * b.d) + (b.n * a.d)) (a.d * b.d) let mul a b = mk (a.n * b.n) (a.d * b.d) let neg a = mk (-a.n) a.d let inv a = mk a.d a.n let is_zero a = a.n = 0 let show a = if a.d = 1 then string_of_int a.n else Printf.sprintf "%d/%d" a.n a.d let of_int n = mk n 1 end
module Mat (F : FIELD) = struct
  type t = F.t array array
  exception Singular
  let dim (m : t) = Array.length m
  let make n f : t = Array.init n (fun i -> Array.init n (fun j -> f i j))
  let id n = make n (fun i j -> if i = j then F.one else F.zero)
  let mul a b = let n = dim a in make n (fun i j -> let s = ref F.zero in for k = 0 to n - 1 do s := F.add !s (F.mul a.(i).(k) b.(k).(j)) done; !s)
  let rec pow m e = if e = 0 then id (dim m) else let h = pow (mul m m) (e / 2) in if e land 1 = 1 then mul m h else h
  let eliminate m aug = let n = dim m in let m = Array.map Array.copy m and aug = Array.map Array.copy aug in let det = ref F.one in
    for c = 0 to n - 1 do
      let p = ref c in
      while !p < n && F.is_zero m.(!p).(c) do incr p done;
      if !p = n then raise Singular;
      if !p <> c then (let sw a = let t = a.(c) in a.(c) <- a.(!p); a.(!p) <- t in sw m; sw aug; det := F.neg !det);
      let piv = m.(c).(c) in det := F.mul !det piv;
      let iv = F.inv piv in
      for j = 0 to n - 1 do m.(c).(j) <- F.mul iv m.(c).(j); aug.(c).(j) <- F.mul iv aug.(c).(j) done;
      for r = 0 to n - 1 do if r <> c then begin let k = F.neg m.(r).(c) in if not (F.is_zero k) then for j = 0 to n - 1 do m.(r).(j) <- F.add m.(r).(j) (F.mul k m.(c).(j)); aug.(r).(j) <- F.add aug.(r).(j) (F.mul k aug.(c).(j)) done end done
    done; (!det, aug)
  let det m = try fst (eliminate m (id (dim m))) with Singular -> F.zero
  let inv m = snd (eliminate m (id (dim m)))
  let show m = String.concat "; " (Array.to_list (Array.map (fun r -> String.concat " " (Array.to_list (Array.map F.show r))) m))
  let test () = let m = make 3 (fun i j -> F.of_int (((i + 1) * (j + 2)) + if i = j then 1 else i * i)) in print_endline (show m); print_endline (F.show (det m)); print_endline (show (inv m)); print_endline (show (mul m (inv m))); print_endline (show (pow m 5)); (match inv (make 3 (fun i j -> F.of_int (i + j))) with _ -> print_endline "?" | exception Singular -> print_endline "singular")
end
module MF = Mat (Fl) module M7 = Mat (Fp (struct let p = 10007 end)) module MQ = Mat (Q)
let floyd n edges = let d = Array.make_matrix n n infinity in for i = 0 to n - 1 do d.(i).(i) <- 0. done; List.iter (fun (a, b, w) -> d.(a).(b) <- w) edges; for k = 0 to n - 1 do for i = 0 to n - 1 do for j = 0 to n - 1 do let t = d.(i).(k) +. d.(k).(j) in if t < d.(i).(j) then d.(i).(j) <- t done done done; d
let () = MF.test (); M7.test (); MQ.test (); Array.iter (fun r -> Array.iter (Printf.printf "%g ") r) (floyd 4 [ (0, 1, 3.); (1, 2, 1.5); (2, 3, 2.); (0, 3, 10.); (3, 0, 1.) ]); print_newline (); let f = M7.pow [| [| 1; 1 |]; [| 1; 0 |] |] 1000 in print_endline (M7.show f)
