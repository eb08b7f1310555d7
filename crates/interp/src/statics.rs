//! Static data.

use flambeau_ir::{Const, Simple, StaticDef, Symbol, Unit};

use crate::Trap;
use crate::heap::{Shape, Value};
use crate::world::World;

/// A constant.
pub(crate) fn constant(c: Const) -> Value {
    match c {
        Const::Tagged(n) | Const::NakedImmediate(n) => Value::Int(n),
        Const::NakedFloat(bits) => Value::Float(bits),
        Const::NakedInt32(n) => Value::Int32(n),
        Const::NakedInt64(n) => Value::Int64(n),
        Const::NakedNativeint(n) => Value::Nativeint(n),
        Const::Poison(kind) => Value::Poison(kind),
    }
}

impl World {
    /// Allocates static data: first every symbol gets its object, then the objects their contents.
    pub(crate) fn allocate_statics(&mut self, unit: &Unit) {
        for item in &unit.statics {
            self.allocate(unit, &item.def);
        }
        for (symbol, data) in &unit.symbols {
            if !data.is_local {
                let value = self.named(&data.linkage_name);
                self.symbols.insert(symbol, value);
            }
        }
        for item in &unit.statics {
            self.fill(&item.def);
        }
    }

    fn allocate(&mut self, unit: &Unit, def: &StaticDef) {
        let block = |tag, size| Shape::Block { tag, fields: vec![Value::UNIT; size] };
        let (symbol, shape) = match def {
            StaticDef::Closures { symbols, set } => {
                let shape = Shape::Closures { functions: set.functions.to_vec(), slots: Default::default() };
                let Value::Pointer(object, _) = self.heap.alloc(shape, false) else { return };
                for (position, symbol) in (0..).zip(symbols) {
                    self.define(unit, *symbol, Value::Pointer(object, position));
                }
                return;
            }
            StaticDef::Preallocated { symbol, tag, size, .. } => {
                let value = self.heap.alloc(block(*tag, *size as usize), true);
                return self.define(unit, *symbol, value);
            }
            StaticDef::Block { symbol, tag, fields } => (symbol, block(*tag, fields.len())),
            StaticDef::Float { symbol, bits } => (symbol, Shape::Boxed(Value::Float(*bits))),
            StaticDef::Int32 { symbol, value } => (symbol, Shape::Boxed(Value::Int32(*value))),
            StaticDef::Int64 { symbol, value } => (symbol, Shape::Boxed(Value::Int64(*value))),
            StaticDef::Nativeint { symbol, value } => (symbol, Shape::Boxed(Value::Nativeint(*value))),
            StaticDef::String { symbol, contents, .. } => (symbol, Shape::Bytes(contents.clone())),
            StaticDef::FloatArray { symbol, elements, .. } => (symbol, Shape::Floats(elements.clone())),
        };
        let has_identity = matches!(
            def,
            StaticDef::String { mutable: true, .. } | StaticDef::FloatArray { mutable: true, .. }
        );
        let value = self.heap.alloc(shape, has_identity);
        self.define(unit, *symbol, value);
    }

    /// The module block, of which only what other units can read is left.
    pub(crate) fn visible_module(&mut self, unit: &Unit) -> Result<Value, Trap> {
        let module = self.symbol(unit.module_symbol)?;
        if let Shape::Block { fields, .. } = self.heap.get_mut(module)? {
            fields.truncate(fields.len().saturating_sub(unit.private_fields().len()));
        }
        Ok(module)
    }

    fn define(&mut self, unit: &Unit, symbol: Symbol, value: Value) {
        self.symbols.insert(symbol, value);
        if let Some(data) = unit.symbols.get(symbol) {
            self.names.insert(data.linkage_name.clone(), value);
        }
    }

    fn fill(&mut self, def: &StaticDef) {
        match def {
            StaticDef::Block { symbol, fields, .. } => {
                let contents: Vec<_> = fields.iter().map(|field| self.static_atom(field.simple())).collect();
                if let Ok(Shape::Block { fields, .. }) = self.heap.get_mut(self.symbols[symbol]) {
                    *fields = contents;
                }
            }
            StaticDef::Closures { symbols, set } => {
                let contents: Vec<_> =
                    set.values.iter().map(|(slot, value)| (*slot, self.static_atom(*value))).collect();
                let Some(first) = symbols.first() else { return };
                if let Ok(Shape::Closures { slots, .. }) = self.heap.get_mut(self.symbols[first]) {
                    slots.extend(contents);
                }
            }
            _ => {}
        }
    }

    /// The verifier sees to it that it is no variable, and that symbols are defined.
    fn static_atom(&self, simple: Simple) -> Value {
        let poison = Value::Poison(flambeau_ir::Kind::Value);
        match simple {
            Simple::Const(c) => constant(c),
            Simple::Symbol(symbol) => self.symbols.get(&symbol).copied().unwrap_or(poison),
            Simple::Var(_) => poison,
        }
    }
}
