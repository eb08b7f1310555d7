//! Meet and join are sound: values are generated beside types, and what a type says of a value is decided by a function
//! of its own, simple and obviously right.

use std::rc::Rc;

use flambeau_ir::{BoxedKind, Const, Kind, Simple};
use flambeau_types::{Block, Blocks, IntSet, Ty, Variant, join, meet};
use proptest::prelude::*;

/// A value of kind `Value`.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(i64),
    Block(u8, Vec<Value>),
    Float(u64),
    Int32(i32),
    /// A flat record of floats.
    Floats(Vec<u64>),
    /// A string that never changes.
    String(Vec<u8>),
    /// Poison has no meaning: every type has it.
    Poison,
}

/// Whether the value is one of the type.
fn has(ty: &Ty, value: &Value) -> bool {
    match (ty, value) {
        (Ty::Unknown, _) | (_, Value::Poison) => true,
        (Ty::Is(Simple::Const(Const::Tagged(n))), Value::Int(m)) => n == m,
        (Ty::Variant(variant), Value::Int(n)) => variant.ints.contains(*n),
        (Ty::Variant(variant), Value::Block(tag, fields)) => match &variant.blocks {
            Blocks::Any => true,
            Blocks::Known(known) => known.iter().any(|block| {
                block.tag == *tag
                    && (block.fields.len() == fields.len()
                        || !block.exact && block.fields.len() < fields.len())
                    && block.fields.iter().zip(fields).all(|(ty, value)| has(ty, value))
            }),
        },
        (Ty::Variant(variant), Value::Float(_) | Value::Int32(_) | Value::Floats(_) | Value::String(_)) => {
            matches!(variant.blocks, Blocks::Any)
        }
        (Ty::String(known), Value::String(bytes)) => **known == **bytes,
        (Ty::Boxed(BoxedKind::Float, contents), Value::Float(bits)) => has_float(contents, *bits),
        (Ty::Floats(known), Value::Floats(fields)) => {
            known.len() == fields.len() && known.iter().zip(fields).all(|(ty, bits)| has_float(ty, *bits))
        }
        (Ty::Boxed(BoxedKind::Int32, contents), Value::Int32(n)) => match &**contents {
            Ty::Unknown => true,
            Ty::Int(set) => set.contains(i64::from(*n)),
            Ty::Is(Simple::Const(Const::NakedInt32(known))) => known == n,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a naked float is one of the type.
fn has_float(ty: &Ty, bits: u64) -> bool {
    match ty {
        Ty::Unknown => true,
        Ty::Is(Simple::Const(Const::NakedFloat(known))) => *known == bits,
        _ => false,
    }
}

/// What is known of the atoms in these types.
fn head(simple: Simple) -> Ty {
    match simple {
        Simple::Const(c) => Ty::of_const(c),
        Simple::Var(_) | Simple::Symbol(_) => Ty::Unknown,
    }
}

fn ints() -> impl Strategy<Value = IntSet> {
    prop_oneof![
        Just(IntSet::empty()),
        (-3i64..6).prop_map(IntSet::one),
        (-20i64..20, 0i64..30).prop_map(|(low, width)| IntSet::range(low, low + width)),
        Just(IntSet::OCAML),
    ]
}

fn naked_float() -> impl Strategy<Value = Ty> {
    prop_oneof![
        Just(Ty::Unknown),
        Just(Ty::Is(Const::NakedFloat(0.0f64.to_bits()).into())),
        Just(Ty::Is(Const::NakedFloat((-0.0f64).to_bits()).into())),
    ]
}

fn contents() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(b"".to_vec()), Just(b"a".to_vec()), Just(b"ab".to_vec())]
}

fn boxed() -> impl Strategy<Value = Ty> {
    let zeros = prop_oneof![Just(0.0f64), Just(-0.0), Just(1.5), Just(f64::NAN)];
    prop_oneof![
        Just(Ty::boxed(BoxedKind::Float, Ty::Unknown)),
        prop::collection::vec(naked_float(), 1..3).prop_map(Ty::floats),
        zeros.prop_map(|x| Ty::boxed(BoxedKind::Float, Ty::Is(Const::NakedFloat(x.to_bits()).into()))),
        Just(Ty::boxed(BoxedKind::Int32, Ty::Unknown)),
        contents().prop_map(|bytes| Ty::String(bytes.into())),
        ints()
            .prop_filter("not empty", |s| !s.is_empty())
            .prop_map(|s| Ty::boxed(BoxedKind::Int32, Ty::Int(s))),
    ]
}

fn ty() -> impl Strategy<Value = Ty> {
    let leaf = prop_oneof![
        Just(Ty::Bottom),
        Just(Ty::Unknown),
        Just(Ty::pointer()),
        (-3i64..6).prop_map(|n| Ty::Is(Simple::tagged(n))),
        Just(Ty::Is(Const::Poison(Kind::Value).into())),
        ints().prop_map(|set| Ty::variant(set, Blocks::none())),
        boxed(),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let block = (0u8..3, any::<bool>(), prop::collection::vec(inner, 1..4))
            .prop_map(|(tag, exact, fields)| Block { tag, exact, fields: fields.into() });
        (ints(), prop::collection::vec(block, 0..3)).prop_map(|(ints, mut blocks)| {
            blocks.sort_by_key(|block| block.tag);
            blocks.dedup_by_key(|block| block.tag);
            Ty::Variant(Rc::new(Variant { ints, blocks: Blocks::Known(blocks.into()) }))
        })
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (-25i64..50).prop_map(Value::Int),
        prop_oneof![Just(0.0f64), Just(-0.0), Just(1.5), Just(f64::NAN)]
            .prop_map(|x| Value::Float(x.to_bits())),
        (-25i32..50).prop_map(Value::Int32),
        prop::collection::vec(prop_oneof![Just(0.0f64), Just(-0.0)], 1..3)
            .prop_map(|xs| Value::Floats(xs.into_iter().map(f64::to_bits).collect())),
        contents().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        (0u8..3, prop::collection::vec(inner, 1..4)).prop_map(|(tag, fields)| Value::Block(tag, fields))
    })
}

/// A value of a type, where one can be found: so that the laws are tested on more than mismatches.
fn inhabitant(ty: &Ty, pick: usize) -> Option<Value> {
    Some(match ty {
        Ty::Bottom => return None,
        Ty::Unknown => Value::Int(pick as i64),
        Ty::Is(Simple::Const(Const::Tagged(n))) => Value::Int(*n),
        Ty::Is(_) => Value::Poison,
        Ty::Variant(variant) => match &variant.blocks {
            Blocks::Known(known)
                if !known.is_empty() && (pick.is_multiple_of(2) || variant.ints.is_empty()) =>
            {
                let block = &known[pick % known.len()];
                let fields = block.fields.iter().map(|f| inhabitant(f, pick / 2)).collect::<Option<_>>()?;
                Value::Block(block.tag, fields)
            }
            Blocks::Any if variant.ints.is_empty() => Value::Float(0),
            _ => Value::Int(variant.ints.bounds()?.0),
        },
        Ty::Boxed(BoxedKind::Float, contents) => match &**contents {
            Ty::Is(Simple::Const(Const::NakedFloat(bits))) => Value::Float(*bits),
            _ => Value::Float(1.5f64.to_bits()),
        },
        Ty::Floats(fields) => Value::Floats(
            fields
                .iter()
                .map(|field| match field {
                    Ty::Is(Simple::Const(Const::NakedFloat(bits))) => *bits,
                    _ => 1.5f64.to_bits(),
                })
                .collect(),
        ),
        Ty::Boxed(_, contents) => match &**contents {
            Ty::Int(set) => Value::Int32(set.bounds()?.0.clamp(-25, 25) as i32),
            _ => Value::Int32(3),
        },
        Ty::String(bytes) => Value::String(bytes.to_vec()),
        _ => return None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn join_has_all_values_of_both(a in ty(), b in ty(), v in value(), pick in 0usize..64) {
        let joined = join(&a, &b, &head);
        for v in [Some(v), inhabitant(&a, pick), inhabitant(&b, pick)].into_iter().flatten() {
            if has(&a, &v) || has(&b, &v) {
                prop_assert!(has(&joined, &v), "{v:?} is lost in {joined:?}");
            }
        }
    }

    #[test]
    fn meet_has_all_values_in_both(a in ty(), b in ty(), v in value(), pick in 0usize..64) {
        let met = meet(&a, &b);
        for v in [Some(v), inhabitant(&a, pick), inhabitant(&b, pick)].into_iter().flatten() {
            if has(&a, &v) && has(&b, &v) {
                prop_assert!(has(&met, &v), "{v:?} is lost in {met:?}");
            }
        }
    }

    #[test]
    fn meet_and_join_with_oneself_change_nothing(a in ty(), v in value(), pick in 0usize..64) {
        for v in [Some(v), inhabitant(&a, pick)].into_iter().flatten() {
            prop_assert_eq!(has(&meet(&a, &a), &v), has(&a, &v));
            prop_assert_eq!(has(&join(&a, &a, &head), &v), has(&a, &v));
        }
    }

    #[test]
    fn join_does_not_depend_on_the_order(a in ty(), b in ty(), v in value(), pick in 0usize..64) {
        let (one, other) = (join(&a, &b, &head), join(&b, &a, &head));
        for v in [Some(v), inhabitant(&one, pick)].into_iter().flatten() {
            prop_assert_eq!(has(&one, &v), has(&other, &v), "{:?} and {:?}", one, other);
        }
    }

    #[test]
    fn join_is_monotone(a in ty(), b in ty(), c in ty(), pick in 0usize..64) {
        // `b` and what is in `b` or `c`: the join with the larger one has all that the join with the smaller has.
        let larger = join(&b, &c, &head);
        let (small, large) = (join(&a, &b, &head), join(&a, &larger, &head));
        if let Some(v) = inhabitant(&small, pick) && (has(&a, &v) || has(&b, &v)) {
            prop_assert!(has(&large, &v));
        }
    }

    #[test]
    fn sets_of_integers(a in ints(), b in ints(), n in -60i64..60) {
        prop_assert!(!(a.contains(n) || b.contains(n)) || a.union(&b).contains(n));
        prop_assert_eq!(a.contains(n) && b.contains(n), a.intersection(&b).contains(n));
        prop_assert!(!a.contains(n) || a.without(n + 1).contains(n));
        prop_assert!(!a.includes(&b) || !b.contains(n) || a.contains(n));
    }
}

/// Poison is no value for a join, and never makes two unknown values one.
#[test]
fn poison_makes_no_alias_of_what_is_not_named_by_all() {
    let mut variables = cranelift_entity::PrimaryMap::<flambeau_ir::Variable, ()>::new();
    let (x, y) = (variables.push(()), variables.push(()));
    let poison = Ty::Is(Const::Poison(Kind::Value).into());
    let is = |v: flambeau_ir::Variable| Ty::Is(v.into());
    assert_eq!(join(&poison, &is(x), &head), is(x));
    assert_eq!(join(&join(&poison, &is(x), &head), &is(y), &head), Ty::Unknown);
}

/// Zeros of two signs are two constants, and a NaN is itself (soundness row 21).
#[test]
fn floats_are_their_bits() {
    let float = |x: f64| Ty::boxed(BoxedKind::Float, Ty::Is(Const::NakedFloat(x.to_bits()).into()));
    assert_eq!(join(&float(0.0), &float(-0.0), &head), Ty::boxed(BoxedKind::Float, Ty::Unknown));
    assert_eq!(join(&float(f64::NAN), &float(f64::NAN), &head), float(f64::NAN));
}
