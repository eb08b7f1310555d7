//! Expressions of any type: modules, objects and functions in expressions, and writes between two reads of a block.

use super::rule;
use crate::exprs::Rule;
use crate::generator::{Cx, Gen};
use crate::tree::Node;
use crate::types::Ty;

/// A mutable block: its allocation from a value, a read, and a write (of `v`). The block is `$`.
type Block = (&'static str, &'static str, &'static str);

const BLOCKS: &[Block] = &[
    ("ref §", "!$", "$ := v"),
    ("{ Fz.held = §; count = 0 }", "$.Fz.held", "$.Fz.held <- v"),
    ("{ Fz.held = §; count = 1 }", "$.Fz.held", "($.Fz.held <- v; $.Fz.count <- $.Fz.count + 1)"),
    ("[| § |]", "$.(0)", "$.(0) <- v"),
];

/// Attributes of a function: inlined, never inlined, or as the compiler decides.
const INLINING: &[&str] = &["", "", "[@inline]", "[@inline never]", "[@inline never]"];

impl Gen {
    /// Reads of a mutable block before and after the call of a function that writes it: inlined or not, known or not.
    fn read_around_a_write(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let (r, f, x, y, n) =
            (self.fresh("r"), self.fresh("f"), self.fresh("x"), self.fresh("y"), self.number());
        let (make, read, write) = *self.rng.pick(BLOCKS);
        let inlining = *self.rng.pick(INLINING);
        let (function, call) = match self.rng.below(4) {
            0 => (format!("{f} = Sys.opaque_identity (fun v -> Fz.tick {n}; {write})"), format!("{f} §")),
            1 => (
                format!("rec {f} i v = if i <= 0 then {write} else (Fz.tick {n}; {f} (i - 1) v)"),
                format!("{f} (Fz.size §) §"),
            ),
            2 => (format!("{f} s v = Fz.tick {n}; {}", write.replace('$', "s")), format!("{f} {r} §")),
            _ => (format!("{inlining} {f} v = {write}"), format!("{f} §")),
        };
        let mut of = vec![ty.clone(), ty.clone(), Ty::Bool, Ty::Bool];
        if call.contains("size") {
            of.insert(1, Ty::Int);
        }
        let (look, function, read) = (self.shower(ty), function.replace('$', &r), read.replace('$', &r));
        self.op(
            ty,
            &format!(
                "(let {r} = {make} in let {function} in let {x} = {read} in {call}; let {y} = {read} in Fz.look ({look} {x}); Fz.look ({look} {y}); if § then {x} else if § then {y} else {read})"
            ),
            &of,
            size,
            cx,
        )
    }

    /// A function of two blocks, which may be one, reads the one, writes the other, and reads the first again.
    fn two_names(&mut self, ty: &Ty, size: i32, cx: Cx) -> Option<Node> {
        let (f, r, s) = (self.fresh("f"), self.fresh("r"), self.fresh("r"));
        let (make, read, write) = *self.rng.pick(BLOCKS);
        let inlining = *self.rng.pick(INLINING);
        let (of, by) = (|text: &str| text.replace('$', "a"), |text: &str| text.replace('$', "b"));
        let second = if self.rng.chance(60) { r.clone() } else { format!("(if § then {r} else {s})") };
        let mut types = vec![ty.clone(), ty.clone(), ty.clone(), Ty::Bool];
        if second.contains('§') {
            types.insert(2, Ty::Bool);
        }
        let look = self.shower(ty);
        // The block and the value are written first: the types of fields are known then.
        self.op(
            ty,
            &format!(
                "(let {r} = {make} in let {s} = {make} in let{inlining} {f} a b v = let x = {} in {}; let y = {} in Fz.look ({look} x); Fz.look ({look} y); (x, y) in let (x, y) = {f} {r} {second} § in if § then x else y)",
                of(read),
                by(write),
                of(read)
            ),
            &types,
            size,
            cx,
        )
    }
}

/// The rules for all types.
pub(crate) const ANY: &[Rule] = &[
    rule("pipe", 3, |g, ty, size, cx| {
        if matches!(ty, Ty::Fun(..)) {
            return None;
        }
        let from = g.some_type(1, false);
        let fun = Ty::fun(vec![from.clone()], ty.clone());
        // The function is no operand: bytecode evaluates it first or last, as it likes.
        if g.rng.chance(50) {
            g.op_pure(ty, "(§ |> §)", &[from, fun], size, cx)
        } else {
            g.op_pure(ty, "(§ @@ §)", &[fun, from], size, cx)
        }
    }),
    rule("protect", 2, |g, ty, size, cx| {
        let sizes = g.split(size, 2);
        let inner = Cx { pure: false, floor: 0, loops: cx.loops + 1 };
        let parts = vec![g.statements(sizes[0], inner), g.expr(ty, sizes[1], inner)];
        Some(Node::expr(ty, "(Fun.protect ~finally:(fun () -> §()) (fun () -> §))", parts))
    }),
    rule("hashtable", 2, |g, ty, size, cx| {
        let key = g.comparable_type();
        let h = g.fresh("h");
        let parts = [key.clone(), ty.clone(), key.clone(), ty.clone()];
        g.op(
            ty,
            &format!("(let {h} = Hashtbl.create 3 in Hashtbl.replace {h} § §; match Hashtbl.find_opt {h} § with Some v -> v | None -> §)"),
            &parts,
            size,
            cx,
        )
    }),
    rule("functor in an expression", 2, |g, ty, size, cx| {
        let key = g.scalar();
        let m = g.fresh("M");
        let text = g.type_text(&key);
        let n = g.number();
        g.op(
            ty,
            &format!("(let module {m} = Map.Make (struct type t = {text} let compare (a : t) b = Fz.tick {n}; compare b a end) in {m}.find § ({m}.add § § ({m}.singleton § §)))"),
            &[key.clone(), key.clone(), ty.clone(), key, ty.clone()],
            size,
            cx,
        )
    }),
    rule("immediate object", 3, |g, ty, size, cx| {
        if ty.has_var() {
            return None;
        }
        let (o, w, x) = (g.fresh("o"), g.fresh("w"), g.fresh("x"));
        let text = g.type_text(ty);
        let sizes = g.split(size, 3);
        let inner = Cx { pure: false, floor: 0, loops: cx.loops + 1 };
        let start = g.expr(ty, sizes[0], inner);
        let (next, other) = g.scoped(|g| {
            g.bind(&x, &Ty::Int);
            (g.expr(ty, sizes[1], inner), g.expr(&Ty::Bool, sizes[2].min(4), inner))
        });
        let argument = g.leaf(&Ty::Int, cx);
        let call = *g.rng.pick(&["#first", "#copy#first"]);
        Some(Node::expr(
            ty,
            &format!(
                "(let {o} = object (self) val mutable {w} : {text} = § method first ({x} : int) : {text} = if § then {w} <- self#second {x}; {w} method private second ({x} : int) : {text} = § method copy = {{< {w} = {w} >}} end in {o}{call} §)"
            ),
            vec![start, other, next, argument],
        ))
    }),
    rule("unsafe get", 3, |g, ty, size, cx| {
        let (a, i) = (g.fresh("a"), g.fresh("i"));
        g.op(
            ty,
            &format!("(let {a} = § in let {i} = § in if {i} >= 0 && {i} < Array.length {a} then Array.unsafe_get {a} {i} else §)"),
            &[ty.clone().array(), Ty::Int, ty.clone()],
            size,
            cx,
        )
    }),
    rule("extensible variant", 1, |g, ty, size, cx| {
        if ty.has_var() {
            return None;
        }
        let (e, v, n) = (g.fresh("E"), g.fresh("v"), g.fresh("n"));
        let text = g.type_text(ty);
        let parts = g.operands(&[Ty::Bool, ty.clone(), Ty::Int], size / 2, cx);
        let arm = g.scoped(|g| {
            g.bind(&n, &Ty::Int);
            g.expr(ty, size / 2, cx)
        });
        let [condition, value, number] = <[Node; 3]>::try_from(parts).ok()?;
        Some(Node::expr(
            ty,
            &format!(
                "(let module {e} = struct type Fz.ext += X of {text} | Z end in match (if § then {e}.X § else Fz.Y §) with {e}.X {v} -> {v} | Fz.Y {n} -> § | {e}.Z | _ -> raise Exit)"
            ),
            vec![condition, value, number, arm],
        ))
    }),
    rule("tupled function", 3, |g, ty, size, cx| {
        let of = vec![g.some_type(1, false), g.some_type(1, false)];
        let (f, a, b) = (g.fresh("f"), g.fresh("x"), g.fresh("x"));
        let texts: Vec<String> = of.iter().map(|t| g.type_text(t)).collect();
        let inner = Cx { pure: false, floor: 0, loops: cx.loops + 1 };
        let body = g.scoped(|g| {
            g.bind(&a, &of[0]);
            g.bind(&b, &of[1]);
            g.expr(ty, size / 2, inner)
        });
        let mut parts = vec![body];
        let call = if g.rng.chance(70) {
            parts.extend(g.operands(&of, size / 2, cx));
            format!("{f} (§, §)")
        } else {
            parts.push(g.expr(&Ty::Tuple(of.clone()), size / 2, cx));
            format!("{f} §")
        };
        Some(Node::expr(
            ty,
            &format!("(let {f} (({a} : {}), ({b} : {})) = § in {call})", texts[0], texts[1]),
            parts,
        ))
    }),
    rule("shared reference", 4, |g, ty, size, cx| {
        // A closure shares it, so it stays a block, which calls read and assign.
        let (r, get, set, x) = (g.fresh("r"), g.fresh("f"), g.fresh("f"), g.fresh("x"));
        let n = g.number();
        g.op(
            ty,
            &format!("(let {r} = ref § in let {get} () = Fz.tick {n}; !{r} and {set} v = {r} := v in {r} := §; let {x} = {get} () in let y = !{r} in {set} §; if § then !{r} else if § then {get} () else if § then y else {x})"),
            &[ty.clone(), ty.clone(), ty.clone(), Ty::Bool, Ty::Bool, Ty::Bool],
            size,
            cx,
        )
    }),
    rule("read around a write", 4, Gen::read_around_a_write),
    rule("two names of a block", 3, Gen::two_names),
    rule("polymorphic field", 1, |g, ty, size, cx| {
        let (p, n) = (g.fresh("p"), g.number());
        g.op(
            ty,
            &format!(
                "(let {p} = {{ Fz.id = (fun x -> Fz.tick {n}; x) }} in ignore ({p}.Fz.id §); {p}.Fz.id §)"
            ),
            &[Ty::Float, ty.clone()],
            size,
            cx,
        )
    }),
    rule("local polymorphism", 2, |g, ty, size, cx| {
        let (f, other) = (g.fresh("f"), g.some_type(1, false));
        let n = g.number();
        g.op(
            ty,
            &format!("(let {f} x y = if Fz.tr {n} (Fz.more ()) then x else y in ignore ({f} § §); {f} § §)"),
            &[other.clone(), other, ty.clone(), ty.clone()],
            size,
            cx,
        )
    }),
];
