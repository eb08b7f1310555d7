//! Functors that are applied to what functors make, and classes.

use std::fmt::Write as _;

/// A functor applied to its result, so often; and a functor of that tower, applied again.
pub fn tower_of_functors(height: usize) -> String {
    let mut text = String::from(
        "module type S = sig type t val zero : t val add : t -> t -> t val show : t -> string val all : t list end
module Twice (A : S) (B : S) : S = struct
  type t = A.t * B.t
  let zero = (A.zero, B.zero)
  let add (a, b) (c, d) = (A.add a c, B.add b d)
  let show (a, b) = Printf.sprintf \"(%d,%d)\" (String.length (A.show a)) (String.length (B.show b))
  let all = match A.all, B.all with a :: _, b :: _ -> [ (a, b); add (a, b) (a, b) ] | _ -> []
end
module Next (A : S) : S = struct
  module P = Twice (A) (A)
  type t = Nil | Cons of A.t * t | Both of P.t
  let zero = Nil
  let rec add a b = match a, b with
    | Nil, x | x, Nil -> x
    | Cons (x, r), Cons (y, s) -> Cons (A.add x y, add r s)
    | Both p, Both q -> Both (P.add p q)
    | x, _ -> x
  let rec show = function Nil -> \"\" | Cons (x, r) -> String.sub (A.show x ^ show r) 0 1 | Both p -> P.show p
  let all = List.map (fun x -> Cons (x, Nil)) A.all @ List.map (fun p -> Both p) P.all
end
module Int = struct type t = int let zero = 0 let add = ( + ) let show = string_of_int let all = [ 1; 2; 3 ] end
module L0 = Next (Int)
",
    );
    for i in 1..height {
        line!(
            text,
            "module L{i} = Next (struct include L{} let all = match all with a :: b :: _ -> [ a; add a b ] | l -> l end)",
            i - 1
        );
    }
    for i in 0..height {
        line!(text, "module M{i} (X : S) = struct module Y = Twice (X) (L{i}) include Next (Y) end");
        line!(text, "module N{i} = M{i} (L{})", (i * 7) % height);
        line!(
            text,
            "let () = Printf.printf \"%s %d\\n\" (L{i}.show (List.fold_left L{i}.add L{i}.zero L{i}.all)) (List.length N{i}.all)"
        );
    }
    text
}

/// Functors of many arguments and of large bodies, each applied to results of others.
pub fn wide_functors(count: usize) -> String {
    let mut text = String::from(
        "module type S = sig type t val make : int -> t val value : t -> int val combine : t -> t -> t end\n",
    );
    line!(
        text,
        "module Base = struct type t = int let make n = n let value n = n let combine a b = a lxor b end"
    );
    let parameters: String = (0..8).fold(String::new(), |mut all, k| {
        let _ = write!(all, "(P{k} : S) ");
        all
    });
    line!(text, "module Wide {parameters}= struct");
    line!(text, "  type t = {{ a : P0.t; b : P1.t; c : P2.t; d : P3.t list }}");
    line!(
        text,
        "  let make n = {{ a = P0.make n; b = P1.make (n + 1); c = P2.make (n * 2); d = List.map P3.make [ n; n + 1 ] }}"
    );
    line!(
        text,
        "  let value t = P0.value t.a + P1.value t.b * P2.value t.c + List.fold_left (fun n d -> n + P3.value d) 0 t.d land 0xff"
    );
    line!(
        text,
        "  let combine t u = {{ a = P0.combine t.a u.a; b = P1.combine t.b u.b; c = t.c; d = List.map2 P3.combine t.d u.d }}"
    );
    for k in 0..30 {
        let p = 4 + k % 4;
        line!(
            text,
            "  let f{k} n = let x = P{p}.make n in if P{p}.value x > {k} then P{p}.combine x (P{p}.make {k}) else x"
        );
    }
    line!(text, "end");
    let argument = |i: usize, k: usize| {
        let back = (i * 3 + k * 5) % 7 + 1;
        if back > i { "Base".to_owned() } else { format!("W{}", i - back) }
    };
    for i in 0..count {
        // Values grow with the depth: most arguments are the base, two are results.
        let arguments: String = (0..8).fold(String::new(), |mut all, k| {
            let name = if k == i % 4 || k == 4 + i % 4 { argument(i % 12, k) } else { "Base".into() };
            let _ = write!(all, "({name}) ");
            all
        });
        line!(text, "module W{i} = Wide {arguments}");
        line!(text, "let r{i} = W{i}.value (W{i}.combine (W{i}.make {i}) (W{i}.make 2))");
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (0");
    for i in 0..count {
        line!(text, "  + r{i}");
    }
    line!(text, ")");
    text
}

/// A class with so many methods (the type checker takes quadratic time for them), one that inherits it, and objects
/// that call them.
pub fn many_methods(count: usize) -> String {
    let mut text =
        String::from("class big = object (self)\n  val mutable n = 0\n  val mutable log : int list = []\n");
    for i in 0..count {
        match i % 4 {
            0 => line!(
                text,
                "  method m{i} x = n <- n + x; if n > {i} then self#m{} (x - 1) else n",
                if i == 0 { 1 } else { i - 1 }
            ),
            1 => line!(text, "  method m{i} x = x * {i} + n"),
            2 => line!(text, "  method m{i} x = log <- x :: log; List.length log + {i}"),
            _ => line!(
                text,
                "  method m{i} x = let f y = self#m{} (y + 1) in if x > 100 then 0 else f x",
                i - 2
            ),
        }
    }
    line!(text, "end\nclass bigger = object\n  inherit big as super");
    for i in (0..count).step_by(5) {
        line!(text, "  method! m{i} x = super#m{i} (x + 1) land 0xffff");
    }
    line!(text, "end\nlet () =\n  let a = new big and b = new bigger in\n  let sum = ref 0 in");
    for i in 0..count {
        line!(text, "  sum := (!sum + a#m{i} 1 + b#m{i} 2) land 0xffffff;");
    }
    line!(text, "  Printf.printf \"%d\\n\" !sum");
    text
}
