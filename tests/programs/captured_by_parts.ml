(* Closures that capture pairs, records, options and constructors made for them: taken apart in one function or several of a
   set, in nested closures, in ones that are kept, marshalled, compared, partially applied; needed whole somewhere; of types
   that say nothing of what is there; with collections and exceptions on the way. What is printed must not depend on what is
   captured. *)

type point = { x : int; y : int }
type floats = { a : float; b : float }
type shape = Nothing | Circle of float | Box of float * float

let[@inline never] keep f = Sys.opaque_identity f
let pair x y = let p = (x, y) in keep (fun z -> (fst p * z) + snd p)
let option x = let o = Some x in keep (fun y -> match o with None -> y | Some x -> x + y)
let asked x = let o = Some x in keep (fun () -> o = None)
let record x = let r = { x; y = x + 1 } in keep (fun z -> if z then r.x else r.y)
let floats a = let r = { a; b = a +. 1. } in keep (fun z -> r.a +. (z *. r.b))
let number a = let n = a *. 2. in keep (fun z -> n +. z)

let shape k r =
  let s = if k = 0 then Circle r else Box (r, 2.) and t = Box (r, 3.) in
  keep (fun f ->
      let area = function Nothing -> 0. | Circle r -> r *. f | Box (a, b) -> a *. b *. f in
      area s -. area t)

let two x =
  let p = (x, x + 1) in
  (keep (fun y -> fst p + y), keep (fun y -> snd p + y), p)

let group x =
  let p = (x, x + 1) in
  let rec even n = if n = 0 then fst p else odd (n - 1) and odd n = if n = 0 then snd p else even (n - 1) in
  (keep even, keep odd)

let nested x =
  let p = (x, x * 2) in
  keep (fun y -> let q = (y, y * 3) in keep (fun z -> fst p + snd p + fst q - snd q + z))

let whole x =
  let p = (x, x) in
  let f = keep (fun q -> if p == q then fst p else snd p) and g = keep (fun () -> p) in
  f (g ()) + f (x, x + 1)

let deep x = let p = ((x, x + 1), [ x ]) in keep (fun y -> match p with (a, b), [ c ] -> a + b + c + y | _ -> y)
let mutable_ x = let r = ref x and p = (x, ref x) in keep (fun y -> incr r; incr (snd p); fst p + !r + !(snd p) + y)

type _ witness = Int : int witness | Pair : (int * int) witness

let by_witness : type a. a witness -> a -> int -> int =
 fun w v -> keep (fun k -> match w with Int -> v + k | Pair -> fst v + snd v + k)

let witnessed k = let p = (k, k + 1) in (by_witness Pair p 1, by_witness Int k 1)
let collected x = let p = (String.make x 'a', List.init x string_of_int) in keep (fun () -> Gc.full_major (); String.length (fst p) + List.length (snd p))
let raising x = let p = (x, Not_found) in keep (fun b -> if b then raise (snd p) else fst p)
let partial x = let p = (x, x + 2) in keep (fun a b c -> fst p + a + b + c + snd p)
let fields o = let t = (o, (o, 1)) in object (self) method one = fst t + snd (snd t) method two = self#one + fst (snd t) end

let () =
  for i = 1 to 3 do
    Printf.printf "%d %d %b %d %d %g %g\n" (pair i 2 3) (option i 4) (asked i ()) (record i true) (record i false)
      (floats (float i) 2.) (number (float i) 1.);
    Printf.printf "%g %g\n" (shape 0 (float i) 2.) (shape 1 (float i) 2.);
    let f, g, p = two i in
    Printf.printf "%d %d %d\n" (f 1) (g 1) (fst p);
    let even, odd = group i in
    Printf.printf "%d %d %d\n" (even 4) (odd 4) (nested i 2 3);
    Printf.printf "%d %d\n" (whole i) (deep i 5);
    let m = mutable_ i in
    let first = m 1 in
    Printf.printf "%d %d\n" first (m 1);
    let a, b = witnessed i in
    Printf.printf "%d %d %d\n" a b (collected i ());
    (match raising i (i = 2) with n -> Printf.printf "%d\n" n | exception Not_found -> print_endline "not found");
    let sum = partial i 1 in
    Printf.printf "%d %d\n" (sum 2 3) (fields i)#two;
    let copy : int -> int = Marshal.from_string (Marshal.to_string (pair i 7) [ Marshal.Closures ]) 0 in
    Printf.printf "%d\n" (copy 10)
  done
