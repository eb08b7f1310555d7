//! Many functions: recursive through each other, passed along, nested, with optional arguments, and such that copies of
//! them multiply.

use std::fmt::Write as _;

/// `size` functions that call each other.
pub fn recursive_group(size: usize) -> String {
    let mut text = String::new();
    for i in 0..size {
        let keyword = if i == 0 { "let rec" } else { "and" };
        let to = |k: usize| (i * 7 + k * 31 + 1) % size;
        line!(text, "{keyword} f{i} n acc = if n <= 0 then acc + {i}
  else if n land 1 = 0 then f{} (n - 1) (acc lxor n)
  else let x = f{} (n / 2) 1 + f{} (n - 2) acc in
    match x land 3 with 0 -> x | 1 -> f{} (n - 3) x | 2 -> (try f{} (n - 4) (x / n) with Not_found -> 0) | _ -> acc", to(1), to(2), to(3), to(4), to(5));
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (f0 20 1)");
    text
}

/// One recursive group of functions that pass a function argument along, known at some calls.
pub fn group_with_functions(size: usize) -> String {
    let mut text = String::new();
    for i in 0..size {
        let keyword = if i == 0 { "let rec" } else { "and" };
        let to = |k: usize| (i * 7 + k * 31 + 1) % size;
        line!(
            text,
            "{keyword} f{i} g n = if n <= 0 then g n {i}
  else if n land 1 = 0 then g n (f{} g (n - 1))
  else f{} (fun x y -> x + y * {i}) (n / 2) + f{} g (n - 2)",
            to(1),
            to(2),
            to(3)
        );
    }
    for i in 0..size {
        line!(text, "let r{i} = f{i} (fun x y -> (x * {i}) lxor y) (Sys.opaque_identity 5)");
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (r0 lxor r1)");
    text
}

/// Functions with optional arguments, which are wrappers to be inlined, that are recursive, through each other and
/// through their defaults.
pub fn optional_arguments(count: usize) -> String {
    let mut text = String::from(
        "let rec odd ?(x = odd ()) () = x + 1\nlet _ = odd\nlet rec dead ?(x = dead ()) ?(y = dead ~x ()) () = x + y\nlet _ = dead\n",
    );
    for i in 0..count {
        let keyword = if i % 10 == 0 { "let rec" } else { "and" };
        let first = i - i % 10;
        let to = |k: usize| first + (i + k) % 10.min(count - first).max(1);
        line!(
            text,
            "{keyword} f{i} ?(a = {i}) ?(b = a + 1) ?(c = \"x\") ?d n =
  if n <= 0 then a + b + String.length c + (match d with None -> 0 | Some d -> d)
  else if n land 1 = 0 then f{} ~a:(a + 1) ?d (n - 1) + f{} ~b n
  else f{} ~c:(c ^ \"y\") ~d:n (n - 2) + f{} (n - 3)",
            to(1),
            if to(2) == i { to(1) } else { to(2) }.max(first),
            to(3),
            to(4)
        );
    }
    // A loop without end is not compiled away: the programs only build these, and run what ends.
    line!(text, "let g ?(a = 1) ?(b = 2) ?(c = 3) ?(d = 4) ?(e = 5) n = a + b * c - d * e + n");
    line!(text, "let () = Printf.printf \"%d\\n\" (g 0");
    for i in 0..count {
        match i % 4 {
            0 => line!(text, "  + g ~a:{i} {i}"),
            1 => line!(text, "  + g ~b:{i} ~e:2 {i}"),
            2 => line!(text, "  + f{i} 0"),
            _ => line!(text, "  + f{i} ~d:{i} (-1)"),
        }
    }
    line!(text, ")");
    text
}

/// Closures in closures, each using variables of all those around it; curried functions, loops in them, and many
/// functions that are nested less deeply.
pub fn nested_closures(depth: usize) -> String {
    let mut text = String::from("let apply f x = f x\nlet f x0 =\n");
    for i in 0..depth {
        let next = i + 1;
        match i % 4 {
            0 => line!(text, "(fun x{next} -> x{next} + x{} +", i / 2),
            1 => line!(
                text,
                "(let rec g{i} n = if n <= 0 then x{i} else g{i} (n - 1) + x{} in fun x{next} -> g{i} (x{next} land 3) +",
                i / 3
            ),
            2 => line!(
                text,
                "(fun x{next} -> List.length (List.map (fun y -> y + x{i} + x{next}) [ 1; 2; {i} ]) + apply (fun z -> z + x{next}) x0 +"
            ),
            _ => line!(text, "(let h a b = a + b * x{i} in fun x{next} -> h x{next} x0 + apply (h 1) 2 +"),
        }
    }
    line!(text, "x{depth}");
    for i in (0..depth).rev() {
        line!(text, ") (x0 + {i})");
    }
    // Wide, not deep.
    line!(text, "let k a =");
    for i in 0..depth * 4 {
        line!(text, "let c{i} = fun x -> fun y -> fun z -> a + x * {i} + y - z in");
    }
    line!(text, "fun b -> 0");
    for i in 0..depth * 4 {
        line!(text, "+ c{i} b {i} a");
    }
    line!(
        text,
        "let () = Printf.printf \"%d %d\\n\" (f (Sys.opaque_identity 3)) (k (Sys.opaque_identity 3) 4)"
    );
    text
}

/// Each function calls the one before it twice: inlined without thought, the last would be of 2^`count` pieces.
pub fn doubling(count: usize) -> String {
    doubled(count, |_| "")
}

/// Each function calls the one before it twice, and all but each sixth are to be inlined (the stock compiler obeys, at
/// the cost that it has).
pub fn doubling_inline(count: usize) -> String {
    doubled(count, |i| if i % 6 == 0 { "[@inline never]" } else { "[@inline]" })
}

fn doubled(count: usize, attribute: impl Fn(usize) -> &'static str) -> String {
    let mut text = String::from(
        "let id = Sys.opaque_identity (fun (x : int) -> x)\nlet f0 x y = if x > y then id x else y + x\n",
    );
    for i in 1..count {
        let (attribute, before) = (attribute(i), i - 1);
        // Each sixth stops the program's own growth: it is to end.
        if i % 6 == 0 {
            line!(text, "let{attribute} f{i} x y = if x = y then f{before} x (y + {i}) else f0 y x");
        } else {
            line!(text, "let{attribute} f{i} x y = f{before} (x + {i}) y - f{before} y (x * {i})");
        }
    }
    line!(text, "let () = Printf.printf \"%d\\n\" (f{} (Sys.opaque_identity 1) 2)", count - 1);
    text
}

/// Each function calls the one before it twice, and one of these calls passes a new closure: what inlining them all
/// makes is of 2^`count` pieces, and no two are the same. The stock compiler inlines no function that has a closure.
pub fn doubling_closures(count: usize) -> String {
    let mut text = String::from("let[@inline] f0 g x = g x + 1\n");
    for i in 1..count {
        line!(text, "let[@inline] f{i} g x = g (f{} g (x + {i})) + f{} (fun y -> g y + {i}) x", i - 1, i - 1);
    }
    // Run, it would take 2^`count` calls: the argument ends it.
    line!(
        text,
        "let () = Printf.printf \"%d\\n\" (f{} (fun x -> x land 255) (Sys.opaque_identity 1))",
        count.min(12) - 1
    );
    text
}

/// Functions that apply functions, to functions.
pub fn functions_of_functions(count: usize) -> String {
    let mut text = String::from(
        "let twice f x = f (f x)
let compose f g x = f (g x)
let flip f x y = f y x
let rec iterate n f x = if n = 0 then x else iterate (n - 1) f (f x)
let curry f x y = f (x, y)
let rec fix f x = f (fix f) x
",
    );
    for i in 0..count {
        line!(text, "let t{i} = twice (twice (compose (fun x -> x + {i}) (twice (fun x -> x lxor {i}))))");
        line!(text, "let u{i} x = twice twice (compose (fun y -> y + x) (flip (fun a b -> a - b) {i})) x");
        line!(
            text,
            "let v{i} n = fix (fun self k -> if k <= 0 then n else self (k - 1) + {i}) 3 + iterate 3 (compose (( + ) n) (( * ) 2)) {i}"
        );
        line!(
            text,
            "let w{i} l = List.fold_left (curry (fun (a, b) -> a + t{i} b)) 0 (List.map (compose u{i} v{i}) (List.filter (fun x -> x <> {i}) l))"
        );
        if i > 0 {
            line!(text, "let z{i} f x = twice (fun k -> f (w{i} [ k; x ])) (z{} f x land 0xff)", i - 1);
        } else {
            line!(text, "let z0 f x = f x");
        }
    }
    line!(
        text,
        "let () = Printf.printf \"%d\\n\" (z{} (fun x -> x land 0xffff) (Sys.opaque_identity 1))",
        count - 1
    );
    text
}

/// Long chains of binds, of a monad of states and errors: each continuation a closure in the one before.
pub fn monads(size: usize) -> String {
    let mut text = String::from(
        "type ('a, 's) m = 's -> ('a * 's, string) result
let return x : ('a, 's) m = fun s -> Ok (x, s)
let ( >>= ) (m : ('a, 's) m) (f : 'a -> ('b, 's) m) : ('b, 's) m = fun s -> match m s with Ok (x, s) -> f x s | Error _ as e -> e
let get : ('s, 's) m = fun s -> Ok (s, s)
let put s : (unit, 's) m = fun _ -> Ok ((), s)
let fail text : ('a, 's) m = fun _ -> Error text
",
    );
    // Chains as people write them, and one that is long.
    for i in 0..size / 10 {
        line!(text, "let chain{i} x =");
        for k in 0..10 {
            match k % 4 {
                0 => line!(text, "  get >>= fun s{k} ->"),
                1 => line!(text, "  put (s{} + x + {i}) >>= fun () ->", k - 1),
                2 => line!(
                    text,
                    "  (if x > {} then fail \"large\" else return (x + {k})) >>= fun y{k} ->",
                    1000 + i
                ),
                _ => line!(text, "  return (y{} * 2) >>= fun z{k} ->", k - 1),
            }
        }
        line!(text, "  return (y2 + z3 + s8)");
    }
    line!(text, "let long x =");
    for i in 0..size / 5 {
        line!(text, "  get >>= fun s -> put (s + {i}) >>= fun () ->");
    }
    line!(
        text,
        "  return x\nlet () = match (long 1 >>= chain0 >>= chain1) 1 with Ok (a, b) -> Printf.printf \"%d %d\\n\" a b | Error e -> print_endline e"
    );
    text
}
