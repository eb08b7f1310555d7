(* Functions of sequences, which call themselves in the closures that they return, for functions that capture nothing,
   one value, several, and what is inlined with the closure itself. *)

type 'a node = Nil | Cons of 'a * (unit -> 'a node)

let rec map f seq () = match seq () with Nil -> Nil | Cons (x, next) -> Cons (f x, map f next)

let rec filter p seq () =
  match seq () with
  | Nil -> Nil
  | Cons (x, next) -> if p x then Cons (x, filter p next) else filter p next ()

let rec unfold f state () =
  match f state with None -> Nil | Some (x, next) -> Cons (x, unfold f next)

let rec zip_with f s t () =
  match s (), t () with Cons (x, s), Cons (y, t) -> Cons (f x y, zip_with f s t) | _ -> Nil

(* The functions change places. *)
let rec turns f g seq () = match seq () with Nil -> Nil | Cons (x, next) -> Cons (f x, turns g f next)

(* One function, twice. *)
let rec both f g seq () =
  match seq () with Nil -> Nil | Cons (x, next) -> Cons (f x + g x, both f g next)

(* Another use than a call, and a call in the closure. *)
let rec shown f seq () =
  match seq () with Nil -> Nil | Cons (x, next) -> Cons ((x, f), shown f next)

let rec later f seq () =
  match seq () with Nil -> Nil | Cons (x, next) -> Cons (x, fun () -> ignore (f x); later f next ())

(* A group. *)
let rec evens f seq () = match seq () with Nil -> Nil | Cons (_, next) -> odds f next ()
and odds f seq () = match seq () with Nil -> Nil | Cons (x, next) -> Cons (f x, evens f next)

let rec sum seq = match seq () with Nil -> 0 | Cons (x, next) -> x + sum next

let upto n = unfold (fun i -> if i > n then None else Some (i, i + 1)) 0

let scaled j k seq = map (fun x -> (x * k) + j) seq
let above k seq = filter (fun x -> x > k) seq
let count = ref 0

let[@inline never] pipeline n a b c d e =
  let line x = (a * x) + (b * x * x) + c + (d * e) in
  let wide x = a + b + c + d + e + n + x in
  sum (map line (upto n)) + sum (map wide (upto n))
  + sum (zip_with (fun x y -> (x * a) - (y * b)) (upto n) (scaled c d (upto e)))
  + sum (turns (fun x -> x + a) (fun x -> x * b) (upto n))
  + sum (both (fun x -> x + c) (fun x -> x - d) (above 2 (upto n)))
  + sum (both line line (upto 3))
  + sum (map (fun (x, f) -> x + f x) (shown (fun x -> x * e) (upto n)))
  + sum (later (fun x -> count := !count + (x * a)) (upto n))
  + sum (evens (fun x -> x * c) (upto n))

let () =
  Printf.printf "%d %d\n" (sum (scaled 1 2 (upto 5))) (sum (scaled 3 4 (above 3 (upto 9))));
  for n = 0 to 4 do
    Printf.printf "%d %d %d\n" (pipeline n 1 2 3 4 5) (sum (scaled n (n + 1) (upto n))) !count
  done
