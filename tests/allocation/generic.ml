(* Code for any elements, at floats: arrays of them are flat, and nothing is boxed for functions that are known. *)

open Measure

let init rows columns f = Array.init rows (fun i -> Array.init columns (fun j -> f i j))

(* With a large quota so much is inlined here that it is no longer inlined itself where the operations are known. *)
let product ~zero ~add ~mul a b =
  let inner = Array.length b in
  init (Array.length a) (Array.length b.(0)) (fun i j ->
      let sum = ref zero in
      for k = 0 to inner - 1 do sum := add !sum (mul a.(i).(k) b.(k).(j)) done;
      !sum)

let size = 10
let floats = init size size (fun i j -> float_of_int ((i * 31) + j))
let ints = init size size (fun i j -> i + j)
let pairs = init size size (fun i j -> (i, j))
let product_of_floats _ = keep (product ~zero:0. ~add:( +. ) ~mul:( *. ) floats floats)
let product_of_ints _ = keep (product ~zero:0 ~add:( + ) ~mul:( * ) ints ints)

let product_of_pairs _ =
  let add (a, b) (c, d) = (a + c, b + d) and mul (a, b) (c, d) = (a * c, b * d) in
  keep (product ~zero:(0, 0) ~add ~mul pairs pairs)

(* A loop of the toplevel in which a function of a functor for any elements is inlined. *)
module Tree (M : sig type t val op : t -> t -> t end) = struct
  type t = { n : int; a : M.t array }
  let make n v = { n; a = Array.make (2 * n) v }

  let update t i v =
    let i = ref (i + t.n) in
    t.a.(!i) <- v;
    while !i > 1 do
      i := !i / 2;
      t.a.(!i) <- M.op t.a.(2 * !i) t.a.((2 * !i) + 1)
    done
end

module Most = Tree (struct type t = float let op (a : float) b = if a > b then a else b end)

let tree = Most.make 128 0.
let before = Gc.minor_words ()
let () = for i = 0 to iterations - 1 do Most.update tree (i land 127) (float_of_int i) done
let updates = int_of_float (Gc.minor_words () -. before)

(* A result's rows and elements, its head, and closures for each row. *)
let () =
  check "product_of_floats" ((size * (size + 20)) + 30) product_of_floats;
  check "product_of_ints" ((size * (size + 20)) + 30) product_of_ints;
  check "product_of_pairs" ((size * ((4 * size) + 20)) + 30) product_of_pairs;
  Printf.printf "loop_of_the_toplevel %d %d\n" updates ((2 * iterations) + 10)
