//! Primitives on blocks, arrays, strings and bigarrays, and the others.

use flambeau_ir::prim::{ArrayKind, BigarrayKind, Init, IntOp, Mutability, StringKind, Width};
use flambeau_ir::term::Switch;
use flambeau_ir::{ApplyCont, ContHandler, Dbg, Expr, IntKind, Item, Prim, Simple, Terminator};

use super::types::{BIGARRAYS, BYTES, LENGTH, SIDE, Type, is_bigstring};
use super::{Generator, Scope};

type Items = Vec<Item>;

/// How a field is read that may be assigned.
pub(super) const CHANGING: &[Mutability] = &[Mutability::Mutable, Mutability::Unknown, Mutability::Declared];

impl Generator {
    /// An item that is a primitive, with others that make its operands.
    pub(super) fn prim(&mut self, scope: &mut Scope, items: &mut Items) {
        let options = self.options;
        if options.raising && self.one_in(2) {
            if self.one_in(3) {
                self.let_(scope, items, Prim::ExnState, &[], Type::Int);
            } else {
                self.outside(scope, items);
            }
            return;
        }
        type Group = fn(&mut Generator, &mut Scope, &mut Items);
        let groups: [(bool, usize, Group); 16] = [
            (true, 4, Generator::integers),
            (options.numbers, 3, Generator::floats),
            (true, 3, Generator::blocks),
            (options.arrays, 2, Generator::arrays),
            (options.arrays && options.numbers, 1, Generator::float_blocks),
            (options.strings, 2, Generator::strings),
            (options.bigarrays && options.numbers, 1, Generator::bigarrays),
            (true, 2, Generator::outside),
            (true, 1, Generator::others),
            (true, 1, Generator::alias),
            (true, 1, Generator::again),
            (true, 1, Generator::result_slots),
            (true, 1, Generator::instances),
            (options.numbers, 1, Generator::number_blocks),
            (options.numbers, 1, Generator::number_arrays),
            (options.local_blocks, 20, Generator::local_blocks),
        ];
        let total = groups.iter().filter(|(on, ..)| *on).map(|(_, weight, _)| weight).sum();
        let mut choice = self.random.below(total);
        for (_, weight, group) in groups.iter().filter(|(on, ..)| *on) {
            if choice < *weight {
                return group(self, scope, items);
            }
            choice -= weight;
        }
    }

    /// Parts of a result that are stored, on each of two ways perhaps, and taken at once.
    fn result_slots(&mut self, scope: &mut Scope, items: &mut Items) {
        let parts: Vec<(u32, Type)> =
            (0..=self.random.below(LENGTH) as u32).map(|part| (part, self.any_type())).collect();
        if self.one_in(2) {
            self.store_parts(scope, items, &parts);
        } else {
            let cont = self.unit.new_continuation("stored");
            let jump = |cont| ApplyCont { cont, args: Default::default() };
            let side = |g: &mut Generator| {
                let (mut inside, mut run) = (scope.clone(), Vec::new());
                g.store_parts(&mut inside, &mut run, &parts);
                let body = Expr { items: run, terminator: Terminator::ApplyCont(jump(cont)) };
                ContHandler { cont: g.unit.new_continuation("side"), params: Default::default(), body }
            };
            let handlers = vec![side(self), side(self)];
            let (left, right) = (jump(handlers[0].cont), jump(handlers[1].cont));
            let (mut inside, mut run) = (scope.clone(), Vec::new());
            let scrutinee = self.force(&mut inside, &mut run, Type::Naked);
            run.push(Item::LetCont { recursive: false, handlers });
            let switch = Switch {
                scrutinee,
                arms: vec![(0, left)],
                default: Some(right),
                dbg: Dbg::NONE,
                cases: None,
            };
            let body = Box::new(Expr { items: run, terminator: Terminator::Switch(Box::new(switch)) });
            items.push(Item::Join { cont, params: Default::default(), body });
        }
        let slots = Simple::Symbol(self.unit.module_symbol);
        for (part, ty) in parts {
            self.let_(scope, items, Prim::LoadResult { part, kind: ty.kind() }, &[slots], ty);
        }
    }

    /// Stores parts of a result, whose values are computed before.
    fn store_parts(&mut self, scope: &mut Scope, items: &mut Items, parts: &[(u32, Type)]) {
        let values: Vec<Simple> = parts.iter().map(|(_, ty)| self.force(scope, items, *ty)).collect();
        let slots = Simple::Symbol(self.unit.module_symbol);
        for ((part, ty), value) in parts.iter().zip(values) {
            let store = Prim::StoreResult { part: *part, kind: ty.kind() };
            self.let_(scope, items, store, &[slots, value], Type::Int);
        }
    }

    /// Two blocks that may have one table of methods.
    fn instances(&mut self, scope: &mut Scope, items: &mut Items) {
        let make = Prim::MakeBlock { tag: 0, mutability: Mutability::Mutable };
        let [table, other] =
            [0, 1].map(|n| self.let_(scope, items, make.clone(), &[Simple::tagged(n)], Type::Any));
        let other = if self.one_in(2) { table } else { other };
        let object = self.let_(scope, items, make.clone(), &[table, Simple::tagged(0)], Type::Any);
        let class = self.let_(scope, items, make, &[other], Type::Any);
        self.let_(scope, items, Prim::IsInstance, &[object, class], Type::Naked);
    }

    /// A C function: its events show that of its arguments.
    fn outside(&mut self, scope: &mut Scope, items: &mut Items) {
        if self.one_in(5) {
            return self.comparison(scope, items);
        }
        let ty = if self.one_in(2) { Type::Any } else { self.any_type() };
        let arg = self.force(scope, items, ty);
        let alloc = !self.one_in(3);
        match self.random.below(6) {
            5 => {
                let format = (self.symbols.decimal.into(), Type::Any);
                let number = (self.force(scope, items, Type::Int), Type::Int);
                let text = self.c_call(scope, items, "caml_format_int", &[format, number], Type::Any, true);
                self.c_call(scope, items, "observe", &[(text, Type::Any)], Type::Int, alloc);
            }
            0 if self.options.mutation => {
                self.c_call(scope, items, "block_new", &[(arg, ty)], Type::Block, alloc);
            }
            1 => {
                self.c_call(scope, items, "any_function", &[(arg, ty)], Type::Any, alloc);
            }
            2 if self.options.numbers => {
                let result =
                    self.random.pick(&[Type::Naked, Type::Float, Type::Int32, Type::Int64, Type::Native]);
                self.c_call(scope, items, "unboxed", &[(arg, ty)], result, alloc);
            }
            3 => {
                self.c_call(scope, items, "observe", &[(arg, ty)], Type::Int, alloc);
            }
            _ => {
                self.c_call(scope, items, "int_function", &[(arg, ty)], Type::Int, alloc);
            }
        }
    }

    /// A polymorphic comparison: of two integers, or of two values of which nothing is known.
    fn comparison(&mut self, scope: &mut Scope, items: &mut Items) {
        let name = self.random.pick(&[
            "caml_compare",
            "caml_equal",
            "caml_notequal",
            "caml_lessthan",
            "caml_greaterequal",
        ]);
        let ty = if self.one_in(2) { Type::Int } else { Type::Any };
        let args = [(); 2].map(|()| {
            let arg = self.force(scope, items, Type::Int);
            match ty {
                Type::Any => self.c_call(scope, items, "any_function", &[(arg, Type::Int)], ty, false),
                _ => arg,
            }
        });
        self.c_call(scope, items, name, &args.map(|arg| (arg, ty)), Type::Int, true);
    }

    fn any_type(&mut self) -> Type {
        let mut types = vec![Type::Int, Type::Naked, Type::Block, Type::Tuple];
        if self.options.numbers {
            types.extend([Type::Int32, Type::Int64, Type::Native, Type::Float]);
        }
        self.random.pick(&types)
    }

    fn blocks(&mut self, scope: &mut Scope, items: &mut Items) {
        if self.options.mutation && self.one_in(8) {
            return self.read_again(scope, items);
        }
        let block = if self.options.mutation && !self.one_in(3) { Type::Block } else { Type::Tuple };
        let field = self.random.below(LENGTH) as u32;
        let any = [
            Mutability::Mutable,
            Mutability::Immutable,
            Mutability::ImmutableUnique,
            Mutability::Unknown,
            Mutability::Declared,
        ];
        let mutability = match (block, field) {
            (Type::Block, 0 | 1) => self.random.pick(CHANGING),
            _ => self.random.pick(&any),
        };
        let pointer = self.one_in(2);
        let store_field = self.random.below(2) as u32;
        let (prim, args, ty) = match self.random.below(14) {
            0..2 => {
                let tag = self.random.below(4) as u8;
                (Prim::MakeBlock { tag, mutability: block.mutability() }, vec![Type::Int; LENGTH], block)
            }
            2 => {
                // Of any type, and not inspected.
                let count = 1 + self.random.below(4);
                let mutability = self.random.pick(&any);
                (Prim::MakeBlock { tag: 0, mutability }, vec![Type::Any; count], Type::Any)
            }
            3..7 => (Prim::BlockLoad { field, mutability }, vec![block], Type::Int),
            7 => {
                let args = [self.force(scope, items, block), Simple::tagged(i64::from(field))];
                self.let_(scope, items, Prim::BlockLoadComputed, &args, Type::Int);
                return;
            }
            8 => (Prim::Duplicate { mutability: block.mutability() }, vec![block], block),
            9 => (Prim::GetTag, vec![block], Type::Naked),
            _ if block == Type::Tuple => (Prim::IsInt, vec![Type::Any], Type::Naked),
            10 => (Prim::OffsetRef { amount: i64::from(field) - 1 }, vec![Type::Block], Type::Int),
            11 => {
                let prim = Prim::BlockStoreComputed { pointer, init: Init::Assignment };
                let block = self.force(scope, items, Type::Block);
                let args =
                    [block, Simple::tagged(i64::from(store_field)), self.force(scope, items, Type::Int)];
                self.let_(scope, items, prim, &args, Type::Int);
                return;
            }
            _ => {
                let prim = Prim::BlockStore { field: store_field, pointer, init: Init::Assignment };
                (prim, vec![Type::Block, Type::Int], Type::Int)
            }
        };
        self.apply_prim(scope, items, prim, &args, ty);
    }

    /// A field is read, something happens that may have changed it, and it is read again.
    fn read_again(&mut self, scope: &mut Scope, items: &mut Items) {
        let block = self.force(scope, items, Type::Block);
        let field = self.random.below(2) as u32;
        let mutability = self.random.pick(CHANGING);
        self.let_(scope, items, Prim::BlockLoad { field, mutability }, &[block], Type::Int);
        match self.random.below(5) {
            // The outside knows the block now, and assigns fields of blocks that it knows.
            0 | 1 => drop(self.c_call(scope, items, "observe", &[(block, Type::Block)], Type::Int, true)),
            2 if self.options.functions > 1 => self.call_item(scope, items),
            // Perhaps another name of the same block.
            _ => {
                let (other, value) =
                    (self.force(scope, items, Type::Block), self.force(scope, items, Type::Int));
                let prim = Prim::BlockStore { field, pointer: false, init: Init::Assignment };
                self.let_(scope, items, prim, &[other, value], Type::Int);
            }
        }
        let again = self.let_(scope, items, Prim::BlockLoad { field, mutability }, &[block], Type::Int);
        self.c_call(scope, items, "observe", &[(again, Type::Int)], Type::Int, false);
    }

    /// An index within bounds; or any, with its check.
    fn index(
        &mut self,
        scope: &mut Scope,
        items: &mut Items,
        length: Simple,
        count: i64,
        width: u32,
    ) -> Simple {
        if self.one_in(2) {
            return Simple::tagged(self.random.below((count - i64::from(width) + 1) as usize) as i64);
        }
        let index = self.force(scope, items, Type::Int);
        self.let_(scope, items, Prim::CheckBound { width }, &[length, index], Type::Int);
        index
    }

    fn arrays(&mut self, scope: &mut Scope, items: &mut Items) {
        let kind = self.random.pick(&[ArrayKind::Generic, ArrayKind::Addr, ArrayKind::Int]);
        let array = self.force(scope, items, Type::Array(kind));
        if self.one_in(4) {
            let mutability = Mutability::Mutable;
            match self.random.below(3) {
                0 => self.apply_prim(
                    scope,
                    items,
                    Prim::MakeArray { kind, mutability },
                    &[Type::Int; LENGTH],
                    Type::Array(kind),
                ),
                1 => {
                    // Flat or not, as the first element is.
                    let prim = Prim::MakeArray { kind: ArrayKind::Generic, mutability };
                    let boxed = Type::Boxed(flambeau_ir::BoxedKind::Float);
                    let ty = if self.options.numbers { boxed } else { Type::Any };
                    let made = self.apply_prim(scope, items, prim, &[ty; LENGTH], Type::Any);
                    let load = Prim::ArrayLoad { kind: ArrayKind::Generic };
                    let i = Simple::tagged(self.random.below(LENGTH) as i64);
                    self.let_(scope, items, load, &[made, i], ty)
                }
                _ => self.let_(scope, items, Prim::Duplicate { mutability }, &[array], Type::Array(kind)),
            };
            return;
        }
        let length = self.let_(scope, items, Prim::ArrayLength { kind }, &[array], Type::Int);
        let index = self.index(scope, items, length, LENGTH as i64, 1);
        if self.options.mutation && self.one_in(2) {
            let element = self.force(scope, items, Type::Int);
            self.let_(scope, items, Prim::ArrayStore { kind }, &[array, index, element], Type::Int);
        } else {
            self.let_(scope, items, Prim::ArrayLoad { kind }, &[array, index], Type::Int);
        }
    }

    fn float_blocks(&mut self, scope: &mut Scope, items: &mut Items) {
        let mutable = self.options.mutation && self.one_in(2);
        let ty = Type::Floats(mutable);
        let mutability = ty.mutability();
        let field = self.random.below(LENGTH) as u32;
        let index = Simple::tagged(i64::from(field));
        let kind = ArrayKind::Float;
        if self.one_in(3) {
            if self.one_in(2) {
                let make = Prim::MakeFloatBlock { mutability };
                self.apply_prim(scope, items, make, &[Type::Float; LENGTH], ty);
                return;
            }
            let make = Prim::MakeArray { kind, mutability };
            // `[| 0.5; 1. |]`
            let constants: Vec<Simple> =
                (0..LENGTH).filter_map(|_| self.constant(Type::Float)).map(Simple::Const).collect();
            if constants.len() == LENGTH && !self.one_in(4) {
                self.let_(scope, items, make, &constants, ty);
            } else {
                self.apply_prim(scope, items, make, &[Type::Float; LENGTH], ty);
            }
            return;
        }
        let block = self.force(scope, items, ty);
        if mutable && self.one_in(2) {
            let value = self.force(scope, items, Type::Float);
            if self.one_in(2) {
                let prim = Prim::BlockStoreFloat { field, init: Init::Assignment };
                self.let_(scope, items, prim, &[block, value], Type::Int);
            } else {
                self.let_(scope, items, Prim::ArrayStore { kind }, &[block, index, value], Type::Int);
            }
        } else if self.one_in(2) {
            self.let_(scope, items, Prim::BlockLoadFloat { field, mutability }, &[block], Type::Float);
        } else {
            self.let_(scope, items, Prim::ArrayLoad { kind }, &[block, index], Type::Float);
        }
    }

    fn strings(&mut self, scope: &mut Scope, items: &mut Items) {
        let big = self.options.bigarrays && self.one_in(4);
        let (ty, string, is_mutable) = if big {
            let ty = Type::Bigarray(BigarrayKind::Uint8);
            (ty, StringKind::Bigstring, true)
        } else if self.options.mutation && self.one_in(2) {
            (Type::Bytes, StringKind::Bytes, true)
        } else {
            (Type::String, StringKind::String, false)
        };
        let from = self.force(scope, items, ty);
        let widths: &[Width] = if self.options.numbers {
            &[Width::W8, Width::W16, Width::W32, Width::W64]
        } else {
            &[Width::W8]
        };
        let width = self.random.pick(widths);
        let length = if big { Prim::BigarrayDim { dim: 0 } } else { Prim::StringLength };
        let length = self.let_(scope, items, length, &[from], Type::Int);
        let index = self.index(scope, items, length, BYTES, width.bytes());
        let contents = Type::of_kind(width.kind());
        if is_mutable && self.options.mutation && self.one_in(2) {
            let value = self.force(scope, items, contents);
            self.let_(scope, items, Prim::StringStore { string, width }, &[from, index, value], Type::Int);
        } else {
            self.let_(scope, items, Prim::StringLoad { string, width }, &[from, index], contents);
        }
    }

    fn bigarrays(&mut self, scope: &mut Scope, items: &mut Items) {
        let (kind, _) = self.random.pick(&BIGARRAYS);
        let array = self.force(scope, items, Type::Bigarray(kind));
        let (dims, count) = if is_bigstring(kind) { (1, BYTES) } else { (2, SIDE) };
        if self.one_in(5) {
            let dim = self.random.below(dims) as u32;
            self.let_(scope, items, Prim::BigarrayDim { dim }, &[array], Type::Int);
            return;
        }
        let offset = self.offset(scope, items, array, dims as u32, count);
        // The records of complex numbers have no type here.
        let element = Type::of_kind(kind.kind());
        if self.options.mutation && self.one_in(2) {
            let value = if element == Type::Any {
                let first = Simple::tagged(0);
                self.let_(scope, items, Prim::BigarrayLoad { kind }, &[array, first], element)
            } else {
                self.force(scope, items, element)
            };
            self.let_(scope, items, Prim::BigarrayStore { kind }, &[array, offset, value], Type::Int);
        } else {
            self.let_(scope, items, Prim::BigarrayLoad { kind }, &[array, offset], element);
        }
    }

    /// The offset of an element of a bigarray with so many elements in each dimension.
    fn offset(
        &mut self,
        scope: &mut Scope,
        items: &mut Items,
        array: Simple,
        dims: u32,
        count: i64,
    ) -> Simple {
        let mut offset = None;
        for dim in 0..dims {
            let length = self.let_(scope, items, Prim::BigarrayDim { dim }, &[array], Type::Int);
            let index = self.index(scope, items, length, count, 1);
            offset = Some(match offset {
                None => index,
                Some(row) => {
                    let arith = |op| Prim::IntArith { op, kind: IntKind::Tagged };
                    let start = self.let_(scope, items, arith(IntOp::Mul), &[row, length], Type::Int);
                    self.let_(scope, items, arith(IntOp::Add), &[start, index], Type::Int)
                }
            });
        }
        offset.unwrap_or(Simple::tagged(0))
    }

    fn others(&mut self, scope: &mut Scope, items: &mut Items) {
        match self.random.below(6) {
            0 => {
                let ty = if self.options.mutation { Type::Block } else { Type::Int };
                let negated = self.one_in(2);
                self.apply_prim(scope, items, Prim::PhysEqual { negated }, &[ty, ty], Type::Naked);
            }
            1 => {
                let ty = self.random.pick(&[Type::Int, Type::Any, Type::Tuple]);
                self.apply_prim(scope, items, Prim::Opaque, &[ty], ty);
            }
            2 => {
                // No value: nothing may hold it.
                let args = [self.force(scope, items, Type::Int)];
                self.let_(scope, items, Prim::IntAsPointer, &args, Type::Int);
                scope.vars.pop();
            }
            3 => {
                self.apply_prim(scope, items, Prim::IsInt, &[Type::Any], Type::Naked);
            }
            4 => {
                let counters = Simple::Symbol(self.unit.module_symbol);
                let count = Prim::ProfileCount { word: self.random.below(8) as u32 };
                self.let_(scope, items, count, &[counters], Type::Int);
            }
            _ => {
                self.let_(scope, items, Prim::ExnState, &[], Type::Int);
            }
        }
    }
}
