//! Expressions through the library and the rarer primitives: bigarrays, byte swaps, wide accesses, unsafe ones,
//! tables, functors applied in expressions, GADTs, objects, operators.
//!
//! Accesses that are checked take operands without effects: stock native code and bytecode check at different times.

mod containers;
mod general;

use containers::{ARRAY, LIST, OPTION, UNIT};
pub(crate) use general::ANY;

use crate::exprs::{Rule, Table};
use crate::generator::{Cx, Gen};
use crate::tree::Node;
use crate::types::Ty;

type Make = fn(&mut Gen, &Ty, i32, Cx) -> Option<Node>;

const fn rule(name: &'static str, weight: u32, make: Make) -> Rule {
    Rule { name, weight, pure: false, make }
}

/// The rules of this module for a type.
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
        _ => ANY,
    }
}

/// The tables, each with a type.
pub(crate) const TABLES: &[Table] = &[
    (INT, || Some(Ty::Int)),
    (BOOL, || Some(Ty::Bool)),
    (FLOAT, || Some(Ty::Float)),
    (CHAR, || Some(Ty::Char)),
    (STRING, || Some(Ty::Str)),
    (BYTES, || Some(Ty::Bytes)),
    (BOXED, || Some(Ty::I32)),
    (LIST, || Some(Ty::Int.list())),
    (ARRAY, || Some(Ty::Float.array())),
    (OPTION, || Some(Ty::Int.opt())),
    (UNIT, || Some(Ty::Unit)),
    (ANY, || None),
];

impl Gen {
    /// A new bigarray of the runtime, a store and a load.
    fn bigarray(&mut self, ty: &Ty, kinds: &[&str], size: i32, cx: Cx) -> Option<Node> {
        let (b, kind) = (self.fresh("b"), *self.rng.pick(kinds));
        // Most indices are in bounds: the bigarrays have eight elements, in Fortran's layout from 1.
        let index = *self.rng.pick(&["(§ land 7)", "((§ land 3) + 1)", "§"]);
        self.op_pure(
            ty,
            &format!("(let {b} = Fz.ba_{kind} () in {b}.{{{index}}} <- §; {b}.{{{index}}})"),
            &[Ty::Int, ty.clone(), Ty::Int],
            size,
            cx,
        )
    }
}

const INT: &[Rule] = &[
    rule("large int", 3, |g, ty, size, cx| {
        // As hash functions and random generators make them: of both signs, of any size.
        let template = *g.rng.pick(&[
            "(§ * 0x9E3779B97F4A7C1 + 7)",
            "(let x = § in let y = x lxor (x lsl 31) in (y * 0x1000193) lxor (y lsr 7))",
            "((Sys.opaque_identity § - 1) lsl 33 + §)",
            "(lnot (§ * 48271 + 11))",
        ]);
        let of = vec![Ty::Int; template.matches('§').count()];
        g.op(ty, template, &of, size, cx)
    }),
    rule("rounded int", 4, |g, ty, size, cx| {
        // Quotients and remainders of numbers on both sides of zero.
        let by = *g.rng.pick(&["2", "4", "8", "16", "256", "1024", "0x100000000", "10", "60", "(-4)"]);
        let op = *g.rng.pick(&["/", "/", "mod"]);
        let n = g.rng.range(1, 99);
        let dividend = *g.rng.pick(&["(§ + §)", "(§ - N)", "(- § - 1)", "(Sys.opaque_identity § - N)", "§"]);
        let dividend = dividend.replace('N', &n.to_string());
        let of = vec![Ty::Int; dividend.matches('§').count()];
        g.op(ty, &format!("(Fz.see ({dividend} {op} {by}))"), &of, size, cx)
    }),
    rule("count of ones", 2, |g, ty, size, cx| {
        // As a loop, as a function, as sums, and what is nearly one.
        let template = *g.rng.pick(&[
            "let x = ref § and n = ref 0 in while !x <> 0 do x := !x land (!x - 1); incr n done; !n",
            "let rec f x = if x = 0 then 0 else 1 + f (x land (x - 1)) in f §",
            "let rec f n x = if x = 0 then n + 1 else f (n + (x land 1)) (x lsr 1) in f § §",
            "let rec f n x = if x = 0 then n else f (n + 1) (x lsr 1) in f § §",
            "let x = § in let x = x - ((x lsr 1) land 0x5555555555555555) in \
             let x = (x land 0x3333333333333333) + ((x lsr 2) land 0x3333333333333333) in \
             let x = (x + (x lsr 4)) land 0x0f0f0f0f0f0f0f0f in (x * 0x0101010101010101) lsr 56",
            "let x = § in let x = x - ((x lsr 1) land 0x55555555) in \
             let x = (x land 0x33333333) + ((x lsr 2) land 0x33333333) in \
             let x = (x + (x lsr 4)) land 0x0f0f0f0f in ((x * 0x01010101) lsr 24) land 0xff",
        ]);
        let of = vec![Ty::Int; template.matches('§').count()];
        g.op(ty, &format!("(Fz.see ({template}))"), &of, size, cx)
    }),
    rule("narrowed int", 3, |g, ty, size, cx| {
        let (template, of) = g
            .rng
            .pick(&[
                ("Int32.to_int (Int32.of_int §)", Ty::Int),
                ("let w = Int32.of_int § in Int32.to_int w + Int32.to_int (Int32.succ w)", Ty::Int),
                ("Int64.to_int (Int64.of_int32 (Int64.to_int32 §))", Ty::I64),
                ("let w = Int64.to_int32 § in Fz.tick (Int32.to_int w land 7); Int32.to_int w", Ty::I64),
                ("Nativeint.to_int (Nativeint.of_int32 (Nativeint.to_int32 §))", Ty::Nat),
                ("Int64.to_int (Int64.shift_left § 1)", Ty::I64),
                ("((§ lsl 48) asr 48)", Ty::Int),
                ("Char.code (Char.unsafe_chr (§ land 0xFF))", Ty::Int),
            ])
            .clone();
        g.op(ty, &format!("(Fz.see ({template}))"), &[of], size, cx)
    }),
    rule("bigarray of ints", 3, |g, ty, size, cx| {
        g.bigarray(ty, &["int", "i8", "u8", "i16", "u16", "int_f", "u8_f"], size, cx)
    }),
    rule("bigarray of two dimensions", 1, |g, ty, size, cx| {
        let b = g.fresh("b");
        let kind = *g.rng.pick(&["c", "f"]);
        g.op_pure(
            ty,
            &format!("(let {b} = Fz.ba2_{kind} () in {b}.{{(§ land 1) + 1, § land 3}} <- §; {b}.{{1, §}} + Bigarray.Array2.dim2 {b})"),
            &[Ty::Int, Ty::Int, Ty::Int, Ty::Int],
            size,
            cx,
        )
    }),
    rule("bigarray of an unknown kind", 1, |g, ty, size, cx| {
        let (p, q) = (g.fresh("f"), g.fresh("f"));
        g.op_pure(
            ty,
            &format!(
                "(let {p} b i = Bigarray.Array1.get b i and {q} b i v = Bigarray.Array1.set b i v in let b = Fz.ba_int () and c = Fz.ba_f64 () in {q} b (§ land 7) §; {q} c (§ land 7) §; {p} b (§ land 7) + Fz.int_of ({p} c (§ land 7)))"
            ),
            &[Ty::Int, Ty::Int, Ty::Int, Ty::Float, Ty::Int, Ty::Int],
            size,
            cx,
        )
    }),
    rule("byte swap of an int", 1, |g, ty, size, cx| g.op(ty, "(Fz.bswap16 §)", &[Ty::Int], size, cx)),
    rule("wide read", 3, |g, ty, size, cx| {
        let (f, of) = *g.rng.pick(&[("string_get16", 0), ("bytes_get16", 1), ("bigstring_get16", 2)]);
        match of {
            0 => g.op_pure(ty, &format!("(Fz.{f} § §)"), &[Ty::Str, Ty::Int], size, cx),
            1 => g.op_pure(ty, &format!("(Fz.{f} § §)"), &[Ty::Bytes, Ty::Int], size, cx),
            _ => g.op_pure(
                ty,
                &format!("(let b = Fz.ba_char () in b.{{3}} <- §; Fz.{f} b §)"),
                &[Ty::Char, Ty::Int],
                size,
                cx,
            ),
        }
    }),
    rule("atomic", 2, |g, ty, size, cx| {
        let (a, x) = (g.fresh("a"), g.fresh("x"));
        g.op(
            ty,
            &format!("(let {a} = Atomic.make § in Atomic.incr {a}; let {x} = Atomic.exchange {a} § in Atomic.fetch_and_add {a} 3 + (if Atomic.compare_and_set {a} 7 8 then 1 else {x}) + Atomic.get {a})"),
            &[Ty::Int, Ty::Int],
            size,
            cx,
        )
    }),
    rule("compile-time constant", 1, |g, ty, size, cx| {
        let template = *g.rng.pick(&[
            "(if Fz.big_endian () then § else §)",
            "((§ lsr (Fz.int_size () - 8)) + §)",
            "((§ lxor Fz.word_size ()) + §)",
            "((§ land Fz.max_wosize ()) - §)",
            "(if Fz.ostype_unix () then § else §)",
            "(if Fz.ostype_win32 () || Fz.ostype_cygwin () then § else §)",
        ]);
        g.op(ty, template, &[Ty::Int, Ty::Int], size, cx)
    }),
    rule("GADT", 2, |g, ty, size, cx| {
        let ev = g.fresh("ev");
        let eval = format!(
            "let rec {ev} : type a. a Fz.gadt -> a = function Fz.Num n -> n | Fz.Bit b -> b | Fz.Real x -> x | Fz.Pair (a, b) -> let y = {ev} b in ({ev} a, y) | Fz.Fst p -> fst ({ev} p) | Fz.Cond (c, a, b) -> if {ev} c then {ev} a else {ev} b | Fz.Add (a, b) -> {ev} a + {ev} b | Fz.Less (a, b) -> {ev} a < {ev} b | Fz.Trunc x -> Fz.int_of ({ev} x)"
        );
        let term = *g.rng.pick(&[
            "Fz.Cond (Fz.Less (Fz.Num §, Fz.Num §), Fz.Add (Fz.Num §, Fz.Num 1), Fz.Trunc (Fz.Real §))",
            "Fz.Fst (Fz.Pair (Fz.Add (Fz.Num §, Fz.Num §), Fz.Cond (Fz.Bit (§ > 0), Fz.Real §, Fz.Real 2.5)))",
        ]);
        let of = [Ty::Int, Ty::Int, Ty::Int, Ty::Float];
        g.op(ty, &format!("({eval} in {ev} ({term}))"), &of, size, cx)
    }),
    rule("representation", 1, |g, ty, size, cx| {
        let of = g.comparable_type();
        let template = *g.rng.pick(&[
            "(if Obj.is_int (Obj.repr §) then 1 else 0)",
            "(let v = Obj.repr § in if Obj.is_int v then 0 else Obj.tag v)",
            "(let v = Obj.repr § in if Obj.is_int v then 0 else Obj.size (Obj.dup v))",
        ]);
        g.op(ty, template, &[of], size, cx)
    }),
    rule("comparison of strings", 1, |g, ty, size, cx| {
        let f = *g.rng.pick(&["String.compare", "Bytes.compare"]);
        let of = if f == "String.compare" { Ty::Str } else { Ty::Bytes };
        g.op(ty, &format!("({f} § §)"), &[of.clone(), of], size, cx)
    }),
];

const BOOL: &[Rule] = &[
    rule("equality of a library", 2, |g, ty, size, cx| {
        let (f, of) = g
            .rng
            .pick(&[
                ("String.equal", Ty::Str),
                ("Int64.equal", Ty::I64),
                ("Float.equal", Ty::Float),
                ("Char.equal", Ty::Char),
                ("Bytes.equal", Ty::Bytes),
            ])
            .clone();
        g.op_pure(ty, &format!("({f} § §)"), &[of.clone(), of], size, cx)
    }),
    rule("float classes", 1, |g, ty, size, cx| {
        let f = *g.rng.pick(&["Float.is_nan", "Float.is_integer", "Float.sign_bit", "Float.is_finite"]);
        g.op(ty, &format!("({f} §)"), &[Ty::Float], size, cx)
    }),
];

const FLOAT: &[Rule] = &[
    rule("bigarray of floats", 3, |g, ty, size, cx| g.bigarray(ty, &["f64", "f32", "f64_f"], size, cx)),
    rule("bigarray of complex numbers", 1, |g, ty, size, cx| {
        let b = g.fresh("b");
        let kind = *g.rng.pick(&["c64", "c32"]);
        g.op_pure(
            ty,
            &format!("(let {b} = Fz.ba_{kind} () in {b}.{{§ land 7}} <- {{ Complex.re = §; im = § }}; {b}.{{§ land 7}}.Complex.im)"),
            &[Ty::Int, Ty::Float, Ty::Float, Ty::Int],
            size,
            cx,
        )
    }),
    rule("unboxed C function", 2, |g, ty, size, cx| {
        if g.rng.chance(50) {
            return g.op(ty, "(ldexp § (§ land 15))", &[Ty::Float, Ty::Int], size, cx);
        }
        let f = *g.rng.pick(&["expm1", "log1p", "Float.cbrt", "fst (Float.frexp", "snd (modf"]);
        let close = if f.contains('(') { ")" } else { "" };
        g.op(ty, &format!("({f} §{close})"), &[Ty::Float], size, cx)
    }),
    rule("float array of a library", 1, |g, ty, size, cx| {
        let a = g.fresh("a");
        g.op_pure(
            ty,
            &format!("(let {a} = Float.Array.make 4 § in Float.Array.set {a} (§ land 3) §; Float.Array.fold_left (+.) 0. {a} +. Float.Array.get {a} §)"),
            &[Ty::Float, Ty::Int, Ty::Float, Ty::Int],
            size,
            cx,
        )
    }),
];

const CHAR: &[Rule] = &[
    rule("bigarray of chars", 2, |g, ty, size, cx| g.bigarray(ty, &["char"], size, cx)),
    rule("unsafe char", 2, |g, ty, size, cx| {
        let (s, i) = (g.fresh("s"), g.fresh("i"));
        let (module, of) = g.rng.pick(&[("String", Ty::Str), ("Bytes", Ty::Bytes)]).clone();
        g.op(
            ty,
            &format!("(let {s} = § in let {i} = § in if {i} >= 0 && {i} < {module}.length {s} then {module}.unsafe_get {s} {i} else §)"),
            &[of, Ty::Int, Ty::Char],
            size,
            cx,
        )
    }),
];

const STRING: &[Rule] = &[
    rule("buffer", 2, |g, ty, size, cx| {
        let b = g.fresh("b");
        g.op(
            ty,
            &format!("(let {b} = Buffer.create 3 in Buffer.add_string {b} §; Buffer.add_char {b} §; Buffer.add_int32_le {b} §; Buffer.contents {b})"),
            &[Ty::Str, Ty::Char, Ty::I32],
            size,
            cx,
        )
    }),
    rule("format", 2, |g, ty, size, cx| {
        g.op(
            ty,
            "(Printf.sprintf \"%5d|%x|%c|%S|%B|%Ld|%ld|%s\" § § § § § § § §)",
            &[Ty::Int, Ty::Int, Ty::Char, Ty::Str, Ty::Bool, Ty::I64, Ty::I32, Ty::Str],
            size,
            cx,
        )
    }),
    rule("map of a string", 1, |g, ty, size, cx| {
        let f = *g.rng.pick(&["String.map", "Fz.cat \"m\" (String.map"]);
        let close = if f.contains('(') { ")" } else { "" };
        g.op(ty, &format!("({f} § §{close})"), &[Ty::fun(vec![Ty::Char], Ty::Char), Ty::Str], size, cx)
    }),
];

const BYTES: &[Rule] = &[
    rule("wide writes", 3, |g, ty, size, cx| {
        let b = g.fresh("b");
        let n = g.rng.below(7);
        g.op_pure(
            ty,
            &format!("(let {b} = Bytes.make 12 § in Fz.bytes_set16 {b} {n} §; Fz.bytes_set32 {b} {n} §; Bytes.set_int64_be {b} 1 §; Bytes.set_uint16_ne {b} 9 §; Bytes.set_int8 {b} {n} §; {b})"),
            &[Ty::Char, Ty::Int, Ty::I32, Ty::I64, Ty::Int, Ty::Int],
            size,
            cx,
        )
    }),
    rule("wide write out of bounds", 1, |g, ty, size, cx| {
        let b = g.fresh("b");
        let (f, of) = g
            .rng
            .pick(&[("bytes_set16", Ty::Int), ("bytes_set32", Ty::I32), ("bytes_set64", Ty::I64)])
            .clone();
        g.op_pure(ty, &format!("(let {b} = § in Fz.{f} {b} § §; {b})"), &[Ty::Bytes, Ty::Int, of], size, cx)
    }),
    rule("bytes of bytes", 1, |g, ty, size, cx| {
        if g.rng.chance(50) {
            return g.op(ty, "(Bytes.sub § § §)", &[Ty::Bytes, Ty::Int, Ty::Int], size, cx);
        }
        g.op(ty, "(Bytes.of_string (Fz.cat § (Bytes.to_string §)))", &[Ty::Str, Ty::Bytes], size, cx)
    }),
];

const BOXED: &[Rule] = &[
    rule("large boxed integer", 3, |g, ty, size, cx| {
        let (module, factor) = match ty {
            Ty::I32 => ("Int32", "0x9E3779B1l"),
            Ty::I64 => ("Int64", "0x9E3779B97F4A7C15L"),
            _ => ("Nativeint", "0x9E3779B97F4A7C15n"),
        };
        let (template, of) = match g.rng.below(3) {
            0 => (format!("({module}.mul § {factor})"), ty.clone()),
            1 => (
                format!(
                    "(let x = {module}.mul ({module}.succ §) {factor} in {module}.logxor x ({module}.shift_right_logical x 15))"
                ),
                ty.clone(),
            ),
            _ => (format!("({module}.lognot ({module}.mul ({module}.of_int §) {factor}))"), Ty::Int),
        };
        g.op(ty, &template, &[of], size, cx)
    }),
    rule("rounded boxed integer", 3, |g, ty, size, cx| {
        let (module, suffix) = match ty {
            Ty::I32 => ("Int32", "l"),
            Ty::I64 => ("Int64", "L"),
            _ => ("Nativeint", "n"),
        };
        let by = *g.rng.pick(&["2", "4", "16", "1024", "10", "1000", "0x40000000", "-8"]);
        let f = *g.rng.pick(&["div", "div", "rem"]);
        let dividend = match g.rng.below(3) {
            0 => format!("({module}.sub § {}{suffix})", g.rng.range(1, 99)),
            1 => format!("({module}.neg §)"),
            _ => "(Sys.opaque_identity §)".into(),
        };
        g.op(ty, &format!("({module}.{f} {dividend} ({by}{suffix}))"), std::slice::from_ref(ty), size, cx)
    }),
    rule("narrowed boxed integer", 4, |g, ty, size, cx| {
        let (template, of) = match ty {
            Ty::I32 => g.rng.pick(&[
                ("(Int32.of_int (Int32.to_int §))", Ty::I32),
                ("(Int64.to_int32 (Int64.mul (Int64.of_int32 §) 0x10001L))", Ty::I32),
                ("(Int32.of_int (§ * 0x10000001))", Ty::Int),
            ]),
            Ty::I64 => g.rng.pick(&[
                ("(Int64.of_int32 (Int64.to_int32 §))", Ty::I64),
                ("(let w = Int64.to_int32 § in Int64.add (Int64.of_int32 w) (Int64.of_int32 (Int32.neg w)))", Ty::I64),
                ("(Int64.of_int (Int64.to_int §))", Ty::I64),
                ("(Int64.of_int32 (Int32.of_int §))", Ty::Int),
            ]),
            _ => g.rng.pick(&[
                ("(Nativeint.of_int32 (Nativeint.to_int32 §))", Ty::Nat),
                ("(let w = Nativeint.to_int32 § in Fz.tick (Int32.to_int w land 3); Nativeint.of_int32 w)", Ty::Nat),
                ("(Nativeint.of_int (Nativeint.to_int §))", Ty::Nat),
            ]),
        }
        .clone();
        g.op(ty, template, &[of], size, cx)
    }),
    rule("bigarray of boxed integers", 3, |g, ty, size, cx| {
        let kind = match ty {
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            _ => "nat",
        };
        g.bigarray(ty, &[kind], size, cx)
    }),
    rule("byte swap", 2, |g, ty, size, cx| {
        let f = match ty {
            Ty::I32 => "bswap32",
            Ty::I64 => "bswap64",
            _ => "bswapn",
        };
        g.op(ty, &format!("(Fz.{f} §)"), std::slice::from_ref(ty), size, cx)
    }),
    rule("wide read of a boxed integer", 2, |g, ty, size, cx| {
        let width = match ty {
            Ty::I32 => 32,
            Ty::I64 => 64,
            _ => return None,
        };
        match g.rng.below(3) {
            0 => g.op_pure(ty, &format!("(Fz.string_get{width} § §)"), &[Ty::Str, Ty::Int], size, cx),
            1 => g.op_pure(ty, &format!("(Fz.bytes_get{width} § §)"), &[Ty::Bytes, Ty::Int], size, cx),
            _ => g.op_pure(
                ty,
                &format!("(let b = Fz.ba_char () in Fz.bigstring_set{width} b 0 §; Fz.bigstring_get{width} b (§ land 1))"),
                &[ty.clone(), Ty::Int],
                size,
                cx,
            ),
        }
    }),
    rule("unsigned arithmetic", 1, |g, ty, size, cx| {
        let m = match ty {
            Ty::I32 => "Int32",
            Ty::I64 => "Int64",
            _ => "Nativeint",
        };
        let f = *g.rng.pick(&["unsigned_div", "unsigned_rem"]);
        g.op_pure(ty, &format!("({m}.{f} § §)"), &[ty.clone(), ty.clone()], size, cx)
    }),
];
