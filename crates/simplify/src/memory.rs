//! Names of the state of the memory, by classes ([`Classes`]): what was loaded is known as long as its class keeps its
//! name.

use flambeau_ir::Prim;
use flambeau_ir::prim::Classes;

/// Names of the state of the memory: equal names, equal contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    classes: [u32; Classes::COUNT],
    /// The name of all contents together.
    contents: u32,
}

impl Memory {
    /// The name of what never changes.
    pub const FIXED: u32 = 0;

    /// A state of which nothing is known. The name is not [`Memory::FIXED`].
    #[must_use]
    pub fn new(name: u32) -> Memory {
        Memory { classes: [name; Classes::COUNT], contents: name }
    }

    /// The state after writes. `name` is a new one.
    #[must_use]
    pub fn after(mut self, writes: Classes, name: u32) -> Memory {
        writes.iter().for_each(|class| self.classes[class] = name);
        if writes.intersects(Classes::CONTENTS) {
            self.contents = name;
        }
        self
    }

    /// The classes that this state and another do not have in common.
    #[must_use]
    pub fn differences(&self, other: &Memory) -> Classes {
        let mut differences = Classes::NONE;
        for (class, (this, other)) in self.classes.iter().zip(&other.classes).enumerate() {
            if this != other {
                differences |= Classes::numbered(class);
            }
        }
        differences
    }

    /// The name of what a primitive reads.
    #[must_use]
    pub fn read_by(&self, prim: &Prim) -> u32 {
        self.of(prim.effects().reads())
    }

    /// The name of some classes; all contents have one name where there are several.
    fn of(&self, classes: Classes) -> u32 {
        match classes.single() {
            Some(class) => self.classes[class],
            None if classes.is_empty() => Memory::FIXED,
            None => self.contents,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flambeau_ir::prim::ArrayKind;

    #[test]
    fn differences_are_what_was_written() {
        let before = Memory::new(1);
        let writes = Prim::ArrayStore { kind: ArrayKind::Float }.effects().writes();
        let after = before.after(writes, 2);
        let both = before.after(after.differences(&before), 3);
        let float = Prim::ArrayLoad { kind: ArrayKind::Float };
        let int = Prim::ArrayLoad { kind: ArrayKind::Int };
        assert_ne!(both.read_by(&float), before.read_by(&float));
        assert_eq!(both.read_by(&int), before.read_by(&int));
        assert_ne!(both.read_by(&Prim::BlockLoadComputed), before.read_by(&Prim::BlockLoadComputed));
        assert_eq!(both.read_by(&Prim::StringLength), before.read_by(&Prim::StringLength));
        assert_eq!(both.read_by(&Prim::Untag), Memory::FIXED);
    }
}
