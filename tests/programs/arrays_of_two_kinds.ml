(* flags: -w -a *)
(* An array of polymorphic variants has the kind of pointers where its row is open, of immediates where it is closed. *)
let name = function `A -> "A" | `B -> "B"
let set a = a.(0) <- `A
let unsafe_set a = Array.unsafe_set a 0 `A
let poly_set a v = a.(0) <- v
let get_open a = match a.(0) with `A -> "A" | `B -> "B" | _ -> "?"

let twice (b : [ `A | `B ] array) = let x = b.(0) in set b; let y = b.(0) in (x, y)
let twice_unsafe (b : [ `A | `B ] array) = let x = b.(0) in unsafe_set b; let y = b.(0) in (x, y)
let other_way (b : [ `A | `B ] array) = let x = get_open b in b.(0) <- `A; let y = get_open b in (x, y)

let rec clear (b : [ `A | `B ] array) n = if n > 10 then n else if b.(0) = `B then (if n = 3 then set b; clear b (n + 1)) else n
let loop (b : [ `A | `B ] array) =
  let n = ref 0 in
  while b.(0) = `B && !n < 10 do incr n; if !n = 4 then set b done;
  !n
let for_loop (b : [ `A | `B ] array) =
  let s = ref 0 in
  for i = 1 to 6 do if i = 3 then set b; if b.(0) = `B then s := !s + i done;
  !s

module type S = sig type t = private [> `A ] val write : t array -> unit val a : t end
module P : sig type t = private [> `A ] val write : t array -> unit end = struct
  type t = [ `A | `B ] let write (a : t array) = a.(0) <- `A
end
module F (X : sig type t val v : t end) = struct let put (a : X.t array) = a.(0) <- X.v end
module M = F (struct type t = [ `A | `B ] let v = `A end)
let through_functor (b : [ `A | `B ] array) = let x = b.(0) in M.put b; let y = b.(0) in (x, y)
module G (X : sig type t = private [> `A ] end) = struct
  let f (a : X.t array) put = let x = a.(0) in put a; let y = a.(0) in x = y
end
module N = G (struct type t = [ `A | `B ] end)

type _ witness = Closed : [ `A | `B ] witness | Other : [ `A | `B | `C of int ] witness
let by_witness (type a) (w : a witness) (a : a array) (v : a) =
  match w with
  | Closed -> let x = a.(0) in poly_set a v; let y = a.(0) in (x = `B, y = `A)
  | Other -> (false, false)

let show f b = let x, y = f b in Printf.printf "%s %s\n" (name x) (name y)
let () =
  show twice [| `B |]; show twice_unsafe [| `B |]; show through_functor [| `B |];
  let x, y = other_way [| `B |] in Printf.printf "%s %s\n" x y;
  Printf.printf "%d %d %d\n" (clear [| `B |] 0) (loop [| `B |]) (for_loop [| `B |]);
  Printf.printf "%b\n" (N.f [| `B |] (fun a -> a.(0) <- `A));
  let b, a = by_witness Closed [| `B |] `A in Printf.printf "%b %b\n" b a

(* Rows of matrices: a store of an immediate changes none, a store of a row does. *)
let fill (m : int array array) i n =
  for j = 0 to n - 1 do m.(i).(j) <- m.(i).(j) + (m.(0).(j) * j) done;
  m.(i).(n - 1)
let exchange (m : int array array) n =
  let s = ref 0 in
  for j = 0 to n - 1 do
    m.(0).(j) <- j;
    if j = 1 then (let row = m.(0) in m.(0) <- m.(1); m.(1) <- row);
    s := (!s * 10) + m.(0).(j)
  done;
  !s
let generic (a : 'a array) x = a.(0) <- x
let replaced (m : int array array) = let x = m.(0).(0) in generic m [| 7 |]; x + m.(0).(0)
let () =
  Printf.printf "%d\n" (fill [| [| 1; 2; 3 |]; [| 4; 5; 6 |] |] 1 3);
  Printf.printf "%d\n" (fill [| [| 1; 2; 3 |] |] 0 3);
  Printf.printf "%d\n" (exchange [| [| 1; 2; 3 |]; [| 4; 5; 6 |] |] 3);
  Printf.printf "%d\n" (replaced [| [| 1 |] |])
