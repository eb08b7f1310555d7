//! The integer domain against integers: variables are assigned values, mostly at the ends of their kinds; what the
//! values make true is assumed, results of arithmetic are computed as the machine does; and whatever the domain then
//! claims has to hold of them.

use cranelift_entity::EntityRef;
use flambeau_ir::prim::{IntCmp, IntOp, ShiftOp};
use flambeau_ir::{Const, IntKind, Prim, Simple, Variable};
use flambeau_types::machine::{compare, extremes};
use flambeau_types::{Definition, Env, IntSet, Operands, Ty};

const KINDS: [IntKind; 5] =
    [IntKind::Tagged, IntKind::Naked, IntKind::Int32, IntKind::Int64, IntKind::Nativeint];
const COMPARISONS: [IntCmp; 7] =
    [IntCmp::Eq, IntCmp::Ne, IntCmp::Lt, IntCmp::Le, IntCmp::Gt, IntCmp::Ge, IntCmp::UnsignedLt];

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

fn wrap(kind: IntKind, n: i128) -> i64 {
    match kind {
        IntKind::Tagged | IntKind::Naked => ((n as i64) << 1) >> 1,
        IntKind::Int32 => i64::from(n as i32),
        IntKind::Int64 | IntKind::Nativeint => n as i64,
    }
}

fn boundary(rng: &mut Rng, kind: IntKind) -> i64 {
    let (least, greatest) = extremes(kind);
    let near = rng.one_of(&[0, 0, 0, 1, least, greatest, least / 2, greatest / 2, 1 << 30]);
    wrap(kind, i128::from(near) + rng.below(5) as i128 - 2)
}

fn constant(kind: IntKind, n: i64) -> Const {
    match kind {
        IntKind::Tagged => Const::Tagged(n),
        IntKind::Naked => Const::NakedImmediate(n),
        IntKind::Int32 => Const::NakedInt32(n as i32),
        IntKind::Int64 => Const::NakedInt64(n),
        IntKind::Nativeint => Const::NakedNativeint(n),
    }
}

/// Variables with their values.
struct World {
    env: Env,
    kind: IntKind,
    values: Vec<i64>,
}

impl World {
    fn bind(&mut self, value: i64, ty: Ty) -> Variable {
        let var = Variable::new(self.values.len());
        self.values.push(value);
        self.env.bind(var, ty);
        var
    }

    /// A variable or a constant, and its value.
    fn operand(&self, rng: &mut Rng, variables: usize) -> (Simple, i64) {
        if rng.below(4) == 0 {
            let n = boundary(rng, self.kind);
            return (constant(self.kind, n).into(), n);
        }
        let index = rng.below(variables);
        (Variable::new(index).into(), self.values[index])
    }

    /// Takes a comparison's outcome to be known, as a branch does.
    fn compare(&mut self, rng: &mut Rng, variables: usize) {
        let ((x, a), (y, b)) = (self.operand(rng, variables), self.operand(rng, variables));
        let op = rng.one_of(&COMPARISONS);
        let holds = compare(op, a, b);
        let test = self.bind(i64::from(holds), Ty::bool());
        let prim = Prim::IntCompare { op, kind: self.kind };
        self.env.define(test, Definition { prim, args: Operands::from_slice(&[x, y]) });
        assert!(self.env.assume(test.into(), &IntSet::one(i64::from(holds))), "{a} {op:?} {b} is {holds}");
    }

    fn compute(&mut self, rng: &mut Rng, variables: usize) {
        let ((x, a), (y, b)) = (self.operand(rng, variables), self.operand(rng, variables));
        let kind = self.kind;
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        let arith = |op| Prim::IntArith { op, kind };
        let (prim, y, result) = match rng.below(11) {
            0 => (arith(IntOp::Add), y, wide_a + wide_b),
            1 => (arith(IntOp::Sub), y, wide_a - wide_b),
            2 => (arith(IntOp::Mul), y, wide_a.wrapping_mul(wide_b)),
            3 => (arith(IntOp::And), y, wide_a & wide_b),
            4 => (arith(IntOp::Or), y, wide_a | wide_b),
            5 => (arith(IntOp::Xor), y, wide_a ^ wide_b),
            6 | 7 if b == 0 => return,
            6 => (Prim::IntDiv { kind }, y, wide_a / wide_b),
            7 => (Prim::IntMod { kind }, y, wide_a % wide_b),
            _ => {
                let (op, amount) = (rng.one_of(&[ShiftOp::Lsl, ShiftOp::Lsr, ShiftOp::Asr]), rng.below(32));
                let bits = match kind {
                    IntKind::Tagged | IntKind::Naked => a as u64 & (u64::MAX >> 1),
                    IntKind::Int32 => u64::from(a as u32),
                    IntKind::Int64 | IntKind::Nativeint => a as u64,
                };
                let result = match op {
                    ShiftOp::Lsl => wide_a << amount,
                    ShiftOp::Lsr => i128::from(bits >> amount),
                    ShiftOp::Asr => wide_a >> amount,
                };
                let amount = match kind {
                    IntKind::Tagged => Const::Tagged(amount as i64),
                    _ => Const::NakedImmediate(amount as i64),
                };
                (Prim::IntShift { op, kind }, amount.into(), result)
            }
        };
        let ty = self.env.integer_result(&prim, &[x, y]).expect("a result of arithmetic");
        let var = self.bind(wrap(kind, result), ty);
        self.env.define(var, Definition { prim: prim.clone(), args: Operands::from_slice(&[x, y]) });
        self.env.learn_result(var, &prim, &[x, y]);
    }

    /// Whatever is claimed holds.
    fn check(&self, variables: usize) {
        let n = variables.min(self.values.len());
        for (i, a) in self.values[..n].iter().enumerate() {
            let x = Simple::Var(Variable::new(i));
            if let Some(ints) = self.env.ints(x, self.kind) {
                assert!(ints.contains(*a), "{a} in {ints:?} ({:?})", self.kind);
            }
            let term = self.env.term(x).expect("a variable");
            let low = self.env.lowest(term);
            assert!(low.is_none_or(|low| low <= *a), "{low:?} <= {a} ({:?}), {:?}", self.kind, self.values);
            assert!(self.env.highest(term).is_none_or(|high| *a <= high));
            for (j, b) in self.values[..n].iter().enumerate() {
                let y = Simple::Var(Variable::new(j));
                for op in COMPARISONS {
                    if let Some(claim) = self.env.decide(op, self.kind, x, y) {
                        assert_eq!(claim, compare(op, *a, *b), "{a} {op:?} {b} ({:?})", self.kind);
                    }
                }
                let distance = self.env.distance(term, self.env.term(y).expect("a variable"), i64::MIN);
                assert!(distance.is_none_or(|c| i128::from(*a) <= i128::from(*b) + i128::from(c)));
                if let Some(order) = self.env.three_way(self.kind, x, y) {
                    assert_eq!(order, a.cmp(b) as i64);
                }
            }
        }
    }
}

#[test]
fn what_is_claimed_holds() {
    let mut decided = 0;
    for seed in 0..6000 {
        let mut rng = Rng(seed);
        let kind = KINDS[seed as usize % KINDS.len()];
        let mut world = World { env: Env::default(), kind, values: Vec::new() };
        for _ in 0..4 {
            let value = boundary(&mut rng, kind);
            let ty = if kind == IntKind::Tagged && rng.below(3) > 0 {
                Ty::tagged(IntSet::OCAML)
            } else {
                Ty::Unknown
            };
            world.bind(value, ty);
        }
        let variables = 4;
        let mark = world.env.mark();
        for _ in 0..3 {
            world.compare(&mut rng, variables);
        }
        world.check(variables);
        for _ in 0..3 {
            // Results become operands themselves; tests are of another kind.
            let first = world.values.len();
            world.compute(&mut rng, variables);
            if world.values.len() > first {
                let (result, value) = (Variable::new(first), world.values[first]);
                let x = Simple::Var(result);
                if let Some(ints) = world.env.ints(x, kind) {
                    assert!(ints.contains(value), "{value} in {ints:?} ({kind:?})");
                }
                for i in 0..variables {
                    let y = Simple::Var(Variable::new(i));
                    for op in COMPARISONS {
                        if let Some(claim) = world.env.decide(op, kind, x, y) {
                            decided += 1;
                            assert_eq!(
                                claim,
                                compare(op, value, world.values[i]),
                                "{value} {op:?} of {kind:?}"
                            );
                        }
                    }
                }
            }
        }
        world.check(variables);
        world.env.undo(mark);
        world.check(variables);
    }
    assert!(decided > 5000, "few comparisons are decided: {decided}");
}
