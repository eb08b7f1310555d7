//! Lists, arrays and options, and what has only an effect: stores and loops.

use super::rule;
use crate::exprs::Rule;
use crate::tree::Node;
use crate::types::Ty;

pub(super) const LIST: &[Rule] = &[
    rule("list by a sequence", 1, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        let from = g.some_type(1, false);
        let fun = Ty::fun(vec![from.clone()], (**of).clone());
        g.op(ty, "(List.of_seq (Seq.map § (List.to_seq §)))", &[fun, from.list()], size, cx)
    }),
    rule("concat_map", 1, |g, ty, size, cx| {
        let from = g.some_type(1, false);
        let fun = Ty::fun(vec![from.clone()], ty.clone());
        g.op(ty, "(Fz.take 40 (List.concat_map § §))", &[fun, from.list()], size, cx)
    }),
    rule("init of a list", 1, |g, ty, size, cx| {
        let Ty::List(of) = ty else { return None };
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        let fun = Ty::fun(vec![Ty::Int], (**of).clone());
        g.op(ty, "(List.init (Fz.size §) §)", &[Ty::Int, fun], size, cx)
    }),
];

pub(super) const ARRAY: &[Rule] = &[
    rule("part of an array", 2, |g, ty, size, cx| {
        g.op(ty, "(Array.sub § § §)", &[ty.clone(), Ty::Int, Ty::Int], size, cx)
    }),
    rule("append of arrays", 2, |g, ty, size, cx| {
        g.op(ty, "(Fz.aapp § §)", &[ty.clone(), ty.clone()], size, cx)
    }),
    rule("fill and blit", 2, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        let (a, b) = (g.fresh("a"), g.fresh("a"));
        g.op(
            ty,
            &format!("(let {a} = § and {b} = § in Array.fill {a} 0 (min 2 (Array.length {a})) §; Array.blit {b} 0 {a} (§ land 3) 1; {a})"),
            &[ty.clone(), ty.clone(), (**of).clone(), Ty::Int],
            size,
            cx,
        )
    }),
    rule("unsafe set", 2, |g, ty, size, cx| {
        let Ty::Array(of) = ty else { return None };
        let (a, i) = (g.fresh("a"), g.fresh("i"));
        g.op(
            ty,
            &format!("(let {a} = § in let {i} = § in if {i} >= 0 && {i} < Array.length {a} then Array.unsafe_set {a} {i} §; {a})"),
            &[ty.clone(), Ty::Int, (**of).clone()],
            size,
            cx,
        )
    }),
];

pub(super) const OPTION: &[Rule] = &[
    rule("binding operators", 2, |g, ty, size, cx| {
        let (of, x) = (g.some_type(1, false), g.fresh("x"));
        let sizes = g.split(size, 3);
        let first = g.expr(&of.clone().opt(), sizes[0], cx);
        let (second, third) = g.scoped(|g| {
            g.bind(&x, &of);
            (g.expr(ty, sizes[1], cx), g.leaf(ty, cx))
        });
        let text = g.type_text(&of);
        Some(Node::expr(
            ty,
            &format!(
                "(let open Fz.Ops in let* ({x} : {text}) = § in let+ a = § and+ b = § in if Fz.more () then a else b)"
            ),
            vec![first, second, third],
        ))
    }),
    rule("map of an option", 2, |g, ty, size, cx| {
        let Ty::Opt(of) = ty else { return None };
        let from = g.some_type(1, false);
        let fun = Ty::fun(vec![from.clone()], (**of).clone());
        if matches!(**of, Ty::Fun(..)) {
            return None;
        }
        g.op(ty, "(Option.map § §)", &[fun, from.opt()], size, cx)
    }),
    rule("search", 1, |g, ty, size, cx| {
        let Ty::Opt(of) = ty else { return None };
        g.op(
            ty,
            "(List.find_opt § §)",
            &[Ty::fun(vec![(**of).clone()], Ty::Bool), (**of).clone().list()],
            size,
            cx,
        )
    }),
];

pub(super) const UNIT: &[Rule] = &[
    rule("increment in a block", 2, |g, ty, size, cx| {
        let r = g.fresh("r");
        let of = Ty::Ref(Box::new(Ty::Int));
        g.op(
            ty,
            &format!("(let {r} = § in incr {r}; Fz.tick (!{r} land 15); decr {r}; incr {r})"),
            &[of],
            size,
            cx,
        )
    }),
    rule("while loop", 4, |g, ty, size, cx| {
        let c = g.fresh("c");
        let sizes = g.split(size, 3);
        let count = g.expr(&Ty::Int, sizes[0], cx);
        let test = g.expr(&Ty::Bool, sizes[1].min(5), cx.in_loop());
        let body = g.statements(sizes[2], cx.in_loop());
        Some(Node::expr(
            ty,
            &format!(
                "(let {c} = ref (Fz.size §) in while decr {c}; !{c} > 0 && Fz.more () && § do §() done)"
            ),
            vec![count, test, body],
        ))
    }),
    rule("store of a closure", 2, |g, ty, size, cx| {
        let of = g.some_type(1, false);
        let fun = Ty::fun(vec![Ty::Int], of.clone());
        if matches!(of, Ty::Fun(..)) {
            return None;
        }
        let r = g.fresh("r");
        let text = g.type_text(&of);
        g.op(
            ty,
            &format!("(let {r} : (int -> {text}) list ref = ref [] in {r} := § :: !{r}; {r} := § :: !{r}; List.iter (fun f -> ignore (f §)) !{r})"),
            &[fun.clone(), fun, Ty::Int],
            size,
            cx,
        )
    }),
];
