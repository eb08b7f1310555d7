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
