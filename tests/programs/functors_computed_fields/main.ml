open Lib

let modulus = Sys.opaque_identity 1009
let order = ref []

let note s x =
  order := s :: !order;
  x

module Zp = struct
  type t = int

  let zero = note "zero" (Sys.opaque_identity 0)
  let one = note "one" (1 mod modulus)
  let add a b = (a + b) mod modulus
  let mul a b = a * b mod modulus
  let show = string_of_int
end

module M = Matrix (Zp)

(* In a loop each iteration has its own fields, and what it made is used after it. *)
let made = ref []

let () =
  for i = 1 to 3 do
    let module Z = struct
      include Zp

      let zero = Sys.opaque_identity i
      let one = i + 1
    end in
    let module L = Matrix (Z) in
    made := (fun n -> L.trace (L.pow (L.identity n) 3)) :: !made
  done

let in_function n =
  let module Z = struct
    include Zp

    let zero = n
  end in
  let module L = Matrix (Z) in
  fun k -> L.trace (L.mul (L.identity k) (L.identity k))

let first = in_function 1
let second = in_function 2

module Floats = Matrix (struct
  type t = float

  let zero = float_of_string "0.5"
  let one = Sys.opaque_identity 1.5
  let add = ( +. )
  let mul = ( *. )
  let show = Printf.sprintf "%g"
end)

module Store = struct
  module Key = struct
    type t = string

    let default = String.concat "-" [ "a"; Sys.opaque_identity "b" ]
    let equal = String.equal
    let hash = String.length
  end

  let table = Hashtbl.create 16
  let hits = ref (Sys.opaque_identity 0)
  let limit = Sys.opaque_identity 100
end

module C = Counter (Store)
module D = Counter (Store)

(* Only one of two branches is executed. *)
let chosen =
  if Sys.opaque_identity true then
    let module E = Counter (struct
      include Store

      let table = Hashtbl.create (Sys.opaque_identity 3)
    end) in
    E.add "x" 4;
    E.total ()
  else
    let module E = Counter (struct
      include Store

      let limit = Sys.opaque_identity 3
    end) in
    E.total ()

let () =
  print_endline (String.concat " " !order);
  let a = M.make 4 (fun i j -> (i * 7) + (j * 3) + 1) in
  print_endline (M.show (M.pow a 13));
  Printf.printf "%d\n" (M.trace (M.pow a 50));
  List.iter (fun f -> Printf.printf "%d " (f 4)) !made;
  Printf.printf "%d %d %d\n" (first 3) (second 3) (first 3);
  print_endline (Floats.show (Floats.pow (Floats.make 3 (fun i j -> float_of_int (i - j))) 3));
  C.fill "k" 9;
  D.fill "l" 5;
  C.add "a-b" 3;
  (try
     for i = 1 to 100 do
       D.add "k" i
     done
   with Invalid_argument s -> print_endline s);
  Gc.compact ();
  Printf.printf "%d %d %d %b %b %d\n" (C.total ()) (D.total ()) !Store.hits (C.same () == Store.table)
    (C.same () == D.same ()) chosen;
  Gc.full_major ();
  Printf.printf "%d\n" (Hashtbl.fold (fun k n acc -> String.length k + n + acc) (D.same ()) 0)
