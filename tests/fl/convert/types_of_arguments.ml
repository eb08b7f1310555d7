(* Calls of polymorphic functions carry the types of arguments that they may compare: an integer, a string, a pair; not
   what is compared with nothing, what `Obj.magic` gives, or a type that is a variable here. *)
let rec mem x = function [] -> false | a :: l -> compare a x = 0 || mem x l
let integer (x : int) l = mem x l
let string (x : string) l = mem x l
let pair (x : int * float) l = mem x l
let library (x : char) l = List.mem x l
let constant l = mem 3 l
let alone f (x : int) = Fun.const x f
let magic (x : string) (l : int list) = mem (Obj.magic x) l
let generic x l = mem x l

(* Types of parts: of elements, of fields of a declared type (where a float may be none, by `Obj`), around a type that
   contains itself, and what a function returns. *)
type 'a heap = { cells : 'a array; size : int }
type 'a rose = Rose of 'a * 'a rose list
let swap a i = let x = a.(i) in a.(i) <- a.(0); a.(0) <- x
let top h = h.cells.(0)
let depth (Rose (x, l)) y = if compare x y = 0 then List.length l else 0
let filled f = let a = [| f 0; f 1 |] in swap a 1; a
let floats (a : float array) = swap a 1
let float_heap (h : float heap) = top h
let int_heap (h : int heap) = top h
let tree (t : (int * int) rose) y = depth t y
let made (f : int -> float) = filled f

(* Bigarrays of any kind and layout; where one of the two is not known at the call, nothing is said. *)
open Bigarray
let element b i = b.{i}
let shared b = Array1.dim b
let singles (b : (float, float32_elt, c_layout) Array1.t) = element b 0
let columns (b : (int, int8_unsigned_elt, fortran_layout) Array1.t) = element b 1
let of_c (b : (_, _, c_layout) Array1.t) = element b 2
let length (b : (int, int_elt, c_layout) Array1.t) = shared b
