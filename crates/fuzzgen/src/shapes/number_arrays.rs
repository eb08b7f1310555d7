//! Arrays of boxed numbers and of records that nobody outside of a module sees, and some that do leave it.

use super::data::{Hidden, hidden_module};
use super::{Instance, Shape, shape};
use crate::generator::Gen;

pub(super) const SHAPES: &[Shape] = &[shape("hidden arrays", hidden_arrays)];

const HIDDEN: [Hidden; 8] = [
    (
        "",
        "let s = Array.make 5 3L\n",
        "let i = k land 3 in s.(i) <- Int64.add (Int64.mul s.(i + 1) 31L) (Int64.of_int k); (if $c then Array.blit s 0 s 1 3); (if k land 4 = 0 then Array.fill s 1 2 (Int64.of_int i)); Int64.to_int s.(i)",
        "Int64.to_int (Array.fold_left Int64.add 0L s) + Array.length s",
    ),
    (
        "",
        "let s = Array.init 7 (fun i -> Int32.of_int (i - 3))\n",
        "let t = Array.copy s in (try t.(k land 7 mod 7) <- Int32.mul s.(k land 3) 7l; Array.fill t (k land 7) 2 3l with Invalid_argument _ -> s.(0) <- Int32.neg s.(1)); (if $c then Array.iteri (fun i x -> s.(i) <- Int32.logxor x t.(i)) t); Int32.to_int t.(3)",
        "Array.fold_left (fun n x -> (n * 3) + Int32.to_int x) 0 (Array.append s (Array.sub s 2 3)) land 65535",
    ),
    (
        "",
        "let s = ref 0n\n",
        "let a = try Array.make ((k land 7) - 1) (Nativeint.of_int k) with Invalid_argument _ -> [||] in let n = Array.length a in for i = 1 to n - 1 do a.(i) <- Nativeint.add a.(i - 1) 3n done; (if $c && n > 0 then s := Nativeint.logxor !s a.(n / 2)); n",
        "Nativeint.to_int !s",
    ),
    (
        "",
        "type t = { a : int64 array; mutable n : int }\nlet make x = { a = [| x; 5L; Int64.succ x; 0L |]; n = 0 }\nlet s = [| make 1L; make Int64.max_int |]\n",
        "let t = s.(k land 1) in t.a.(t.n land 3) <- Int64.logxor (Int64.shift_left t.a.(k land 3) 5) 77L; t.n <- t.n + 1; (if $c then t.a.(0) <- Int64.of_int k); Int64.to_int t.a.(2)",
        "Array.fold_left (fun n t -> n + t.n + Int64.to_int t.a.(3)) 0 s",
    ),
    (
        "val s : int64 array ",
        "let s = Array.make 4 9L\n",
        "s.(k land 3) <- Int64.of_int k; (if $c then s.(0) <- Int64.succ s.(1)); Int64.to_int s.(2)",
        "Hashtbl.hash s",
    ),
    (
        "",
        "let a = [| 1L; 2L |]\nlet b = Array.make 2 1L\nlet last = ref 0L\n",
        "b.(k land 1) <- Int64.of_int (k land 3); (if $c then last := b.(0)); if a = b then 1 else compare a b",
        "Int64.to_int !last",
    ),
    (
        "",
        "let s = Array.init 6 (fun i -> Int64.of_int ((i * 7) land 5))\n",
        "s.(k mod 6 |> abs) <- Int64.of_int k; (if $c then Array.sort compare s); let t = Array.map Int64.succ s in Int64.to_int t.(0)",
        "Array.fold_left (fun n x -> n lxor Int64.to_int x) 0 s",
    ),
    (
        "",
        "type p = { x : int; mutable y : float; z : int * int }\nlet s = Array.init 5 (fun i -> { x = i; y = 0.5; z = (i, i + 1) })\n",
        "let t = Array.sub s 1 3 in let p = t.(k land 1) in p.y <- p.y +. 1.; (if $c then Array.blit t 0 s 2 3); p.x + fst p.z",
        "Array.fold_left (fun n p -> n + int_of_float p.y) 0 (Array.append s s)",
    ),
];

fn hidden_arrays(g: &mut Gen) -> Instance {
    hidden_module(g, &HIDDEN)
}
