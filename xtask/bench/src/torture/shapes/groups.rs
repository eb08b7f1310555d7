//! Recursive groups of one unit that take functions, and another unit that passes functions to them: copies of a group
//! for each function, in which it meets new functions again, never come to an end by themselves.

use std::fmt::Write as _;

/// `count` groups of two functions that call each other with what they are given, and `count` of three, in the manner
/// of folds over trees of several types, that wrap it.
pub fn groups(count: usize) -> String {
    let mut text = String::from("type t = Goal of int | Theory of t list | Split of t * int * t list\n");
    for i in 0..count {
        line!(
            text,
            "let rec m{i} f n = if n <= 0 then {i} else f n + k{i} f (n - 1)
and k{i} f n = if n <= 0 then 1 else f (n + 1) * m{i} f (n - 2)
let rec goal{i} notify join acc = function
  | Goal x -> join acc (x + {i})
  | Theory l -> theory{i} notify join acc l
  | Split (a, k, l) -> split{i} (fun y -> notify (y + k)) join (goal{i} notify join acc a) l
and theory{i} notify join acc = function
  | [] -> acc
  | t :: l -> notify acc; theory{i} notify join (goal{i} notify join acc t) l
and split{i} notify join acc l = List.fold_left (fun acc t -> goal{i} (fun x -> notify (x - acc)) join acc t) acc l"
        );
    }
    text
}

/// The unit that passes functions to the groups of the unit `Library`.
pub fn uses_of_groups(count: usize) -> String {
    let mut text = String::from("open Library\n");
    for i in 0..count {
        line!(
            text,
            "let u{i} n = m{i} (fun x -> x + {i}) n
let v{i} z n = k{i} (fun x -> x * z) n
let w{i} k t = let r = ref 0 in goal{i} (fun x -> r := !r + x + k) (fun acc x -> acc + x + !r) k t
let x{i} t = split{i} ignore (fun acc x -> acc lxor x) 0 [ t; t ]"
        );
    }
    line!(
        text,
        "let rec build n =
  if n = 0 then Goal 3 else if n land 1 = 0 then Theory [ build (n - 1); Goal n ]
  else Split (build (n - 1), n, [ Goal 1; Goal n ])
let () = let t = build 8 in Printf.printf \"%d\\n\" (0"
    );
    for i in 0..count {
        line!(text, "  + u{i} 5 + v{i} 3 5 + w{i} {i} t + x{i} t");
    }
    line!(text, ")");
    text
}
