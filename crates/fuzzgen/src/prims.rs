//! Expressions of one type: arithmetic, strings, boxed numbers, constructors.

use crate::exprs::{Rule, Table};
use crate::generator::{Cx, Gen};
use crate::tree::Node;
use crate::types::{Shape, Ty};

type Make = fn(&mut Gen, &Ty, i32, Cx) -> Option<Node>;

const fn rule(name: &'static str, weight: u32, pure: bool, make: Make) -> Rule {
    Rule { name, weight, pure, make }
}

/// The rules for a type beside those for all types.
pub(crate) fn rules(ty: &Ty) -> &'static [Rule] {
    match ty {
        Ty::Int => INT,
        Ty::Bool => BOOL,
        Ty::Float => FLOAT,
        Ty::Char => CHAR,
        Ty::Str => STRING,
        Ty::Bytes => BYTES,
        Ty::I32 | Ty::I64 | Ty::Nat => BOXED,
        Ty::List(_) => LIST,
        Ty::Array(_) => ARRAY,
        Ty::Opt(_) => OPTION,
        Ty::Unit => UNIT,
        Ty::Lazy(_) => LAZY,
        Ty::Ref(_) => REF,
        Ty::Tuple(_) => TUPLE,
        Ty::Fun(..) => FUNCTION,
        Ty::Named(..) => NAMED,
        Ty::Pack(_) => PACK,
        Ty::Var(_) | Ty::Obj(_) => &[],
    }
}

impl Gen {
    /// An operation whose operands may have effects.
    pub(crate) fn op(&mut self, ty: &Ty, template: &str, of: &[Ty], size: i32, cx: Cx) -> Option<Node> {
        let parts = self.operands(of, size, cx);
        Some(Node::expr(ty, template, parts))
    }

    /// An operation whose operands stock native code and bytecode evaluate in different orders.
    pub(crate) fn op_pure(&mut self, ty: &Ty, template: &str, of: &[Ty], size: i32, cx: Cx) -> Option<Node> {
        self.op(ty, template, of, size.min(6), cx.pure())
    }

    pub(crate) fn scalar(&mut self) -> Ty {
        self.rng
            .pick(&[Ty::Int, Ty::Int, Ty::Float, Ty::Char, Ty::Str, Ty::I32, Ty::I64, Ty::Nat, Ty::Bool])
            .clone()
    }

    /// A type whose values can be compared.
    pub(crate) fn comparable_type(&mut self) -> Ty {
        for _ in 0..5 {
            let ty = self.some_type(2, false);
            if self.comparable(&ty) {
                return ty;
            }
        }
        Ty::Int
    }
}

const INT: &[Rule] = &[
    rule("int arithmetic", 12, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["+", "-", "*", "land", "lor", "lxor", "+", "-"]);
        g.op(ty, &format!("(§ {op} §)"), &[Ty::Int, Ty::Int], size, cx)
    }),
    rule("int negation", 2, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["(- §)", "(lnot §)", "(abs §)", "(succ §)", "(pred §)"]);
        g.op(ty, op, &[Ty::Int], size, cx)
    }),
    rule("int shift", 3, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["lsl", "lsr", "asr"]);
        if g.rng.chance(50) {
            let n = g.rng.below(63);
            return g.op(ty, &format!("(§ {op} {n})"), &[Ty::Int], size, cx);
        }
        g.op(ty, &format!("(§ {op} (§ land 31))"), &[Ty::Int, Ty::Int], size, cx)
    }),
    rule("int division", 4, false, |g, ty, size, cx| {
        let op = *g.rng.pick(&["/", "mod"]);
        if g.rng.chance(50) {
            let by = *g.rng.pick(&["1", "2", "3", "7", "(-1)", "(-3)", "8", "10", "0", "max_int", "min_int"]);
            return g.op(ty, &format!("(§ {op} {by})"), &[Ty::Int], size, cx);
        }
        g.op(ty, &format!("(§ {op} §)"), &[Ty::Int, Ty::Int], size, cx)
    }),
    rule("compare at a scalar type", 3, true, |g, ty, size, cx| {
        let of = g.scalar();
        g.op_pure(ty, "(compare § §)", &[of.clone(), of], size, cx)
    }),
    rule("polymorphic compare", 2, false, |g, ty, size, cx| {
        let of = g.comparable_type();
        if g.rng.chance(50) {
            let text = g.type_text(&of);
            return g.op_pure(ty, &format!("(compare (§ : {text}) §)"), &[of.clone(), of], size, cx);
        }
        g.op(ty, "(Stdlib.compare § §)", &[of.clone().list(), of.list()], size, cx)
    }),
    rule("hash", 1, false, |g, ty, size, cx| {
        let of = g.comparable_type();
        g.op(ty, "(Fz.hash §)", &[of], size, cx)
    }),
    rule("conversion to int", 4, true, |g, ty, size, cx| match g.rng.below(6) {
        0 => g.op(ty, "(Char.code §)", &[Ty::Char], size, cx),
        1 => g.op(ty, "(Int32.to_int §)", &[Ty::I32], size, cx),
        2 => g.op(ty, "(Int64.to_int §)", &[Ty::I64], size, cx),
        3 => g.op(ty, "(Nativeint.to_int §)", &[Ty::Nat], size, cx),
        4 => g.op(ty, "(Bool.to_int §)", &[Ty::Bool], size, cx),
        _ => g.op(ty, "(Fz.int_of §)", &[Ty::Float], size, cx),
    }),
    rule("length", 3, false, |g, ty, size, cx| match g.rng.below(4) {
        0 => g.op(ty, "(String.length §)", &[Ty::Str], size, cx),
        1 => g.op(ty, "(Bytes.length §)", &[Ty::Bytes], size, cx),
        2 => {
            let of = g.some_type(1, false);
            g.op(ty, "(List.length §)", &[of.list()], size, cx)
        }
        _ => {
            let of = g.some_type(1, false);
            g.op(ty, "(Array.length §)", &[of.array()], size, cx)
        }
    }),
    rule("indices at the edge", 3, false, |g, ty, size, cx| {
        let (a, r, i) = (g.fresh("a"), g.fresh("r"), g.fresh("i"));
        let first = g.rng.pick(&["0", "1", "-1", "(Array.length § - 1)", "(Array.length § land 3)"]);
        let (first, second) = (first.replace('§', &a), format!("Array.length {a} - {}", g.rng.range(0, 2)));
        let index = g.rng.pick(&[
            "@",
            "@ + 1",
            "@ - 1",
            "@ / 2",
            "@ land 7",
            "(@ + Array.length §) / 2",
            "Array.length § - @",
        ]);
        let index = index.replace('@', &i).replace('§', &a);
        let (low, direction, high) =
            if g.rng.range(0, 2) == 0 { (second, "downto", first) } else { (first, "to", second) };
        g.op(
            ty,
            &format!("(let {a} = § in let {r} = ref 0 in for {i} = {low} {direction} {high} do {r} := !{r} + {a}.({index}) done; !{r})"),
            &[Ty::Int.array()],
            size,
            cx,
        )
    }),
    rule("read an integer of bytes", 2, false, |g, ty, size, cx| {
        let f = *g.rng.pick(&["get_uint8", "get_int8", "get_uint16_le", "get_int16_be", "get_uint16_ne"]);
        let i = g.rng.below(8);
        g.op(ty, &format!("(Bytes.{f} § {i})"), &[Ty::Bytes], size, cx)
    }),
    rule("int of a string", 1, false, |g, ty, size, cx| g.op(ty, "(int_of_string §)", &[Ty::Str], size, cx)),
    rule("increment of a reference", 2, false, |g, ty, size, cx| {
        let name = g.fresh("r");
        let n = g.number();
        let sizes = g.split(size, 1);
        let start = g.expr(&Ty::Int, sizes[0], cx);
        Some(Node::expr(
            ty,
            &format!("(let {name} = ref § in incr {name}; Fz.tick {n}; decr {name}; !{name})"),
            vec![start],
        ))
    }),
    rule("long loop", 1, false, |g, ty, size, cx| {
        if cx.loops > 0 || g.rng.chance(60) {
            return None;
        }
        let (f, i, a) = (g.fresh("loop"), g.fresh("i"), g.fresh("a"));
        let step = g.scoped(|g| {
            // Alone in scope, so that the step is cheap.
            let kept = std::mem::take(&mut g.env);
            g.bind(&i, &Ty::Int);
            g.bind(&a, &Ty::Int);
            let step = g.expr(&Ty::Int, size.min(5), cx.pure());
            g.env = kept;
            step
        });
        let count = g.rng.range(1, 20) * 500;
        Some(Node::expr(
            ty,
            &format!(
                "(let rec {f} {i} {a} = if {i} = 0 then {a} else {f} ({i} - 1) § in {f} (if Fz.more () then {count} else 1) 0)"
            ),
            vec![step],
        ))
    }),
];

const BOOL: &[Rule] = &[
    rule("comparison of ints", 8, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["<", "<=", ">", ">=", "=", "<>", "==", "!="]);
        g.op(ty, &format!("(§ {op} §)"), &[Ty::Int, Ty::Int], size, cx)
    }),
    rule("comparison of scalars", 5, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["<", "<=", ">", ">=", "=", "<>"]);
        let of = g.scalar();
        g.op(ty, &format!("(§ {op} §)"), &[of.clone(), of], size, cx)
    }),
    rule("polymorphic comparison", 3, false, |g, ty, size, cx| {
        let op = *g.rng.pick(&["<", "<=", ">", ">=", "=", "<>"]);
        let of = g.comparable_type();
        g.op(ty, &format!("(§ {op} §)"), &[of.clone(), of], size, cx)
    }),
    rule("and, or", 6, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["&&", "||"]);
        let sizes = g.split(size, 2);
        let parts = vec![g.expr(ty, sizes[0], cx), g.expr(ty, sizes[1], cx)];
        Some(Node::expr(ty, &format!("(§ {op} §)"), parts))
    }),
    rule("not", 3, true, |g, ty, size, cx| g.op(ty, "(not §)", &[Ty::Bool], size, cx)),
    rule("physical equality", 1, false, |g, ty, size, cx| {
        // Of mutable data, whose identity is promised.
        let of = Ty::Ref(Box::new(g.some_type(1, false)));
        g.op(ty, "(§ == §)", &[of.clone(), of], size, cx)
    }),
    rule("membership", 1, false, |g, ty, size, cx| {
        let of = g.comparable_type();
        g.op(ty, "(List.mem § §)", &[of.clone(), of.list()], size, cx)
    }),
    rule("exists", 1, false, |g, ty, size, cx| {
        let of = g.some_type(1, false);
        let module = *g.rng.pick(&["List.exists", "List.for_all"]);
        g.op(ty, &format!("({module} § §)"), &[Ty::fun(vec![of.clone()], Ty::Bool), of.list()], size, cx)
    }),
];

const FLOAT: &[Rule] = &[
    rule("float arithmetic", 12, true, |g, ty, size, cx| {
        let op = *g.rng.pick(&["+.", "-.", "*.", "/.", "+.", "*."]);
        g.op(ty, &format!("(§ {op} §)"), &[Ty::Float, Ty::Float], size, cx)
    }),
    rule("float function", 4, true, |g, ty, size, cx| {
        let f = *g.rng.pick(&[
            "sqrt",
            "Float.abs",
            "~-.",
            "floor",
            "ceil",
            "Float.neg",
            "Float.trunc",
            "Float.round",
        ]);
        g.op(ty, &format!("({f} §)"), &[Ty::Float], size, cx)
    }),
    rule("conversion to float", 4, true, |g, ty, size, cx| match g.rng.below(5) {
        0 => g.op(ty, "(Int32.to_float §)", &[Ty::I32], size, cx),
        1 => g.op(ty, "(Int64.to_float §)", &[Ty::I64], size, cx),
        2 => g.op(ty, "(Nativeint.to_float §)", &[Ty::Nat], size, cx),
        3 => g.op(ty, "(Fz.of_bits §)", &[Ty::I64], size, cx),
        _ => g.op(ty, "(float_of_int §)", &[Ty::Int], size, cx),
    }),
    rule("float function of two", 2, false, |g, ty, size, cx| {
        let f = *g.rng.pick(&["Float.rem", "Float.copy_sign", "Float.min", "Float.max"]);
        g.op(ty, &format!("({f} § §)"), &[Ty::Float, Ty::Float], size, cx)
    }),
    rule("float loop", 2, false, |g, ty, size, cx| {
        let (r, i) = (g.fresh("r"), g.fresh("i"));
        let sizes = g.split(size, 2);
        let start = g.expr(&Ty::Float, sizes[0], cx);
        let step = g.scoped(|g| {
            g.bind(&i, &Ty::Int);
            g.expr(&Ty::Float, sizes[1], cx.in_loop())
        });
        let n = g.rng.range(1, 6);
        Some(Node::expr(
            ty,
            &format!("(let {r} = ref § in for {i} = 1 to {n} do {r} := !{r} +. § done; !{r})"),
            vec![start, step],
        ))
    }),
];

const CHAR: &[Rule] = &[
    rule("char of a string", 4, false, |g, ty, size, cx| {
        let template = *g.rng.pick(&["(§.[§])", "(String.get § §)"]);
        g.op_pure(ty, template, &[Ty::Str, Ty::Int], size, cx)
    }),
    rule("char of bytes", 3, false, |g, ty, size, cx| {
        g.op_pure(ty, "(Bytes.get § §)", &[Ty::Bytes, Ty::Int], size, cx)
    }),
    rule("char of an int", 3, false, |g, ty, size, cx| g.op(ty, "(Char.chr §)", &[Ty::Int], size, cx)),
    rule("char of a masked int", 3, true, |g, ty, size, cx| {
        g.op(ty, "(Char.unsafe_chr (§ land 255))", &[Ty::Int], size, cx)
    }),
    rule("char case", 1, false, |g, ty, size, cx| {
        g.op(ty, "(Char.uppercase_ascii §)", &[Ty::Char], size, cx)
    }),
];

const STRING: &[Rule] = &[
    rule("concatenation", 6, false, |g, ty, size, cx| {
        g.op(ty, "(Fz.cat § §)", &[Ty::Str, Ty::Str], size, cx)
    }),
    rule("substring", 2, false, |g, ty, size, cx| {
        g.op(ty, "(String.sub § § §)", &[Ty::Str, Ty::Int, Ty::Int], size, cx)
    }),
    rule("string of a number", 4, false, |g, ty, size, cx| match g.rng.below(4) {
        0 => g.op(ty, "(Int64.to_string §)", &[Ty::I64], size, cx),
        1 => g.op(ty, "(Fz.s_float §)", &[Ty::Float], size, cx),
        2 => g.op(ty, "(Printf.sprintf \"%d-%s\" § §)", &[Ty::Int, Ty::Str], size, cx),
        _ => g.op(ty, "(string_of_int §)", &[Ty::Int], size, cx),
    }),
    rule("string of a char", 2, false, |g, ty, size, cx| {
        g.op(ty, "(String.make (Fz.size §) §)", &[Ty::Int, Ty::Char], size, cx)
    }),
    rule("string of bytes", 2, false, |g, ty, size, cx| {
        g.op(ty, "(Bytes.to_string §)", &[Ty::Bytes], size, cx)
    }),
    rule("shown value", 4, false, |g, ty, size, cx| {
        let of = g.some_type(2, true);
        let shower = g.shower(&of);
        g.op(ty, &format!("({shower} §)"), &[of], size, cx)
    }),
];

const BYTES: &[Rule] = &[
    rule("bytes of a string", 4, false, |g, ty, size, cx| {
        g.op(ty, "(Bytes.of_string §)", &[Ty::Str], size, cx)
    }),
    rule("bytes", 3, false, |g, ty, size, cx| {
        g.op(ty, "(Bytes.make (Fz.size §) §)", &[Ty::Int, Ty::Char], size, cx)
    }),
];

const BOXED: &[Rule] = &[
    rule("boxed arithmetic", 12, true, |g, ty, size, cx| {
        let f = *g.rng.pick(&["add", "sub", "mul", "logand", "logor", "logxor"]);
        let m = module(ty);
        g.op(ty, &format!("({m}.{f} § §)"), &[ty.clone(), ty.clone()], size, cx)
    }),
    rule("boxed negation", 2, true, |g, ty, size, cx| {
        let f = *g.rng.pick(&["neg", "lognot", "succ", "pred"]);
        let m = module(ty);
        g.op(ty, &format!("({m}.{f} §)"), std::slice::from_ref(ty), size, cx)
    }),
    rule("boxed division", 4, false, |g, ty, size, cx| {
        let f = *g.rng.pick(&["div", "rem"]);
        let m = module(ty);
        g.op_pure(ty, &format!("({m}.{f} § §)"), &[ty.clone(), ty.clone()], size, cx)
    }),
    rule("boxed shift", 4, true, |g, ty, size, cx| {
        let f = *g.rng.pick(&["shift_left", "shift_right", "shift_right_logical"]);
        let m = module(ty);
        if g.rng.chance(50) {
            let n = g.rng.below(32);
            return g.op(ty, &format!("({m}.{f} § {n})"), std::slice::from_ref(ty), size, cx);
        }
        g.op(ty, &format!("({m}.{f} § (§ land 31))"), &[ty.clone(), Ty::Int], size, cx)
    }),
    rule("conversion to a boxed integer", 5, true, |g, ty, size, cx| {
        let m = module(ty);
        match (g.rng.below(5), ty) {
            (0, Ty::I64) => g.op(ty, "(Fz.bits §)", &[Ty::Float], size, cx),
            (1, Ty::I64 | Ty::Nat) => g.op(ty, &format!("({m}.of_int32 §)"), &[Ty::I32], size, cx),
            (2, Ty::I64) => g.op(ty, "(Int64.of_nativeint §)", &[Ty::Nat], size, cx),
            (1, Ty::I32) => g.op(ty, "(Int64.to_int32 §)", &[Ty::I64], size, cx),
            (2, Ty::I32) => g.op(ty, "(Nativeint.to_int32 §)", &[Ty::Nat], size, cx),
            (2, Ty::Nat) => g.op(ty, "(Int64.to_nativeint §)", &[Ty::I64], size, cx),
            (3, _) => {
                g.op(ty, &format!("({m}.of_float (float_of_int (Fz.int_of §)))"), &[Ty::Float], size, cx)
            }
            _ => g.op(ty, &format!("({m}.of_int §)"), &[Ty::Int], size, cx),
        }
    }),
    rule("read a boxed integer of bytes", 2, false, |g, ty, size, cx| {
        let f = match ty {
            Ty::I32 => *g.rng.pick(&["get_int32_le", "get_int32_be", "get_int32_ne"]),
            Ty::I64 => *g.rng.pick(&["get_int64_le", "get_int64_be", "get_int64_ne"]),
            _ => return None,
        };
        let (m, i) = (*g.rng.pick(&["Bytes"]), g.rng.below(5));
        g.op(ty, &format!("({m}.{f} § {i})"), &[Ty::Bytes], size, cx)
    }),
];

fn module(ty: &Ty) -> &'static str {
    match ty {
        Ty::I32 => "Int32",
        Ty::I64 => "Int64",
        _ => "Nativeint",
    }
}

const LIST: &[Rule] = &[
    rule("cons", 8, true, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        g.op(ty, "(§ :: §)", &[(**of).clone(), ty.clone()], size, cx)
    }),
    rule("list", 4, true, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        let n = g.rng.range(1, 4);
        g.op(ty, &format!("[{}]", vec!["§"; n].join("; ")), &vec![(**of).clone(); n], size, cx)
    }),
    rule("append", 2, false, |g, ty, size, cx| g.op(ty, "(Fz.app § §)", &[ty.clone(), ty.clone()], size, cx)),
    rule("map of a list", 4, false, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        let from = g.some_type(1, false);
        let f = *g.rng.pick(&["List.map", "List.rev_map"]);
        let fun = Ty::fun(vec![from.clone()], (**of).clone());
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        g.op(ty, &format!("({f} § §)"), &[fun, from.list()], size, cx)
    }),
    rule("filter", 2, false, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        g.op(ty, "(List.filter § §)", &[Ty::fun(vec![(**of).clone()], Ty::Bool), ty.clone()], size, cx)
    }),
    rule("sort", 2, false, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        if !g.comparable(of) {
            return None;
        }
        let text = g.type_text(of);
        g.op(
            ty,
            &format!("(List.sort (fun (a : {text}) b -> compare b a) §)"),
            std::slice::from_ref(ty),
            size,
            cx,
        )
    }),
    rule("tail or reversal", 2, false, |g, ty, size, cx| {
        let f = *g.rng.pick(&["List.tl", "List.rev"]);
        g.op(ty, &format!("({f} §)"), std::slice::from_ref(ty), size, cx)
    }),
];

const ARRAY: &[Rule] = &[
    rule("array", 6, true, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        let n = g.rng.range(1, 5);
        g.op(ty, &format!("[|{}|]", vec!["§"; n].join("; ")), &vec![(**of).clone(); n], size, cx)
    }),
    rule("make of an array", 4, false, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        g.op(ty, "(Array.make (Fz.size §) §)", &[Ty::Int, (**of).clone()], size, cx)
    }),
    rule("init of an array", 2, false, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        let fun = Ty::fun(vec![Ty::Int], (**of).clone());
        g.op(ty, "(Array.init (Fz.size §) §)", &[Ty::Int, fun], size, cx)
    }),
    rule("map of an array", 2, false, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        let from = g.some_type(1, false);
        let fun = Ty::fun(vec![from.clone()], (**of).clone());
        g.op(ty, "(Array.map § §)", &[fun, from.array()], size, cx)
    }),
    rule("array of a list", 1, false, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        g.op(ty, "(Array.of_list §)", &[(**of).clone().list()], size, cx)
    }),
    rule("copy of an array", 1, false, |g, ty, size, cx| {
        g.op(ty, "(Array.copy §)", std::slice::from_ref(ty), size, cx)
    }),
];

const OPTION: &[Rule] = &[
    rule("some", 5, true, |g, ty, size, cx| {
        let Ty::Opt(of) = ty else { return None };
        g.op(ty, "(Some §)", &[(**of).clone()], size, cx)
    }),
    rule("option of an exception", 2, false, |g, ty, size, cx| {
        let Ty::Opt(of) = ty else { return None };
        let inner = g.expr(of, size - 1, cx);
        Some(Node::expr(ty, "(try Some § with _ -> None)", vec![inner]))
    }),
];

const UNIT: &[Rule] = &[
    rule("statement", 8, false, |g, ty, size, cx| {
        let inner = g.statements(size - 1, cx);
        Some(Node::expr(ty, "(§())", vec![inner]))
    }),
    rule("ignored value", 2, false, |g, ty, size, cx| {
        let of = g.some_type(2, true);
        g.op(ty, "(ignore §)", &[of], size, cx)
    }),
];

const LAZY: &[Rule] = &[rule("lazy", 5, true, |g, ty, size, cx| {
    let Ty::Lazy(of) = ty else { return None };
    // Evaluated at another time: what it assigns, it assigns then.
    let inner = g.expr(of, size - 1, cx);
    Some(Node::expr(ty, "(lazy §)", vec![inner]))
})];

const REF: &[Rule] = &[rule("ref", 5, true, |g, ty, size, cx| {
    let Ty::Ref(of) = ty else { return None };
    g.op(ty, "(ref §)", &[(**of).clone()], size, cx)
})];

const TUPLE: &[Rule] = &[rule("tuple", 6, true, |g, ty, size, cx| {
    let Ty::Tuple(of) = ty else { return None };
    let of = of.clone();
    g.op(ty, &format!("({})", vec!["§"; of.len()].join(", ")), &of, size, cx)
})];

const FUNCTION: &[Rule] = &[
    rule("fun", 8, true, |g, ty, size, cx| {
        let Ty::Fun(params, result) = ty else { return None };
        let (params, result) = (params.clone(), result.clone());
        // Its body is not evaluated here.
        let cx = Cx { pure: false, floor: 0, loops: cx.loops + 1 };
        g.scoped(|g| {
            let mut text = String::from("(fun");
            for param in &params {
                let name = g.fresh("x");
                text.push_str(&g.param_text(&param.label, &name, &param.ty));
                let inside = crate::literals::optional_inside(&param.label, &param.ty);
                g.bind(&name, &inside);
            }
            let body = g.expr(&result, size - 1, cx);
            Some(Node::expr(ty, &format!("{text} -> §)"), vec![body]))
        })
    }),
    rule("function", 2, true, |g, ty, size, cx| {
        let Ty::Fun(params, result) = ty else { return None };
        let [param] = &params[..] else { return None };
        if param.label != crate::types::Label::None {
            return None;
        }
        let (of, result) = (param.ty.clone(), result.clone());
        let arms = g.arms(&of, &result, size - 1, Cx { pure: false, floor: 0, loops: cx.loops + 1 });
        Some(Node::expr(ty, "(function§)", vec![arms]))
    }),
];

const NAMED: &[Rule] = &[
    rule("constructor or record", 10, true, |g, ty, size, cx| {
        let Ty::Named(n, args) = ty else { return None };
        let decl = g.types[*n].clone();
        let (template, of) = match &decl.shape {
            Shape::Record { fields, .. } => {
                (g.record_template(&decl), fields.iter().map(|f| f.ty.instance(args)).collect::<Vec<_>>())
            }
            Shape::Variant { constructors, .. } => {
                let chosen = g.rng.pick(constructors).clone();
                let of = chosen.args.iter().map(|t| t.instance(args)).collect();
                (g.constructor_template(&decl, &chosen, ty), of)
            }
        };
        g.op(ty, &template, &of, size, cx)
    }),
    rule("record with", 3, false, |g, ty, size, cx| {
        let Ty::Named(n, args) = ty else { return None };
        let decl = g.types[*n].clone();
        let Shape::Record { fields, .. } = &decl.shape else { return None };
        if fields.len() < 2 {
            return None;
        }
        let field = g.rng.pick(fields).clone();
        let prefix = g.prefix(decl.unit);
        let template = format!("{{ § with {prefix}{} = § }}", field.name);
        g.op(ty, &template, &[ty.clone(), field.ty.instance(args)], size, cx)
    }),
];

const PACK: &[Rule] = &[rule("first-class module", 5, false, |g, ty, size, cx| {
    let Ty::Pack(n) = ty else { return None };
    Some(g.pack(ty, *n, size, cx))
})];

/// The tables of all types, and a type of each that can be named without declarations.
pub(crate) const TABLES: &[Table] = &[
    (INT, || Some(Ty::Int)),
    (BOOL, || Some(Ty::Bool)),
    (FLOAT, || Some(Ty::Float)),
    (CHAR, || Some(Ty::Char)),
    (STRING, || Some(Ty::Str)),
    (BYTES, || Some(Ty::Bytes)),
    (BOXED, || Some(Ty::I64)),
    (LIST, || Some(Ty::Int.list())),
    (ARRAY, || Some(Ty::Float.array())),
    (OPTION, || Some(Ty::Int.opt())),
    (UNIT, || Some(Ty::Unit)),
    (LAZY, || Some(Ty::Lazy(Box::new(Ty::Int)))),
    (REF, || Some(Ty::Ref(Box::new(Ty::Float)))),
    (TUPLE, || Some(Ty::Tuple(vec![Ty::Int, Ty::Float]))),
    (FUNCTION, || Some(Ty::fun(vec![Ty::Int, Ty::Int], Ty::Int))),
    (NAMED, || None),
    (PACK, || None),
];
