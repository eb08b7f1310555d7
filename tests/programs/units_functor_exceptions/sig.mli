module type ITEM = sig type t val compare : t -> t -> int val show : t -> string end
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
exception Duplicate of string
external length : 'a array -> int = "%array_length"
