//! Tags of blocks that mean something to OCaml's runtime, of all versions.

/// Blocks with this tag or a greater one are none of the front end's constructors: the runtime gives them a meaning of
/// their own, changes them (a lazy value becomes forced, [`FORCING`] and [`CONT`] in 5.x) or does not scan them.
pub const FIRST_SPECIAL: u8 = FORCING;

/// A lazy value that is being forced (5.x; a constructor's before).
pub const FORCING: u8 = 244;
/// A continuation (5.x; a constructor's before).
pub const CONT: u8 = 245;
/// A lazy value.
pub const LAZY: u8 = 246;
/// A set of closures.
pub const CLOSURE: u8 = 247;
/// An object.
pub const OBJECT: u8 = 248;
/// A closure of a set other than the first.
pub const INFIX: u8 = 249;
/// A forced lazy value.
pub const FORWARD: u8 = 250;
/// Blocks with this tag or a greater one are not scanned by the collector.
pub const NO_SCAN: u8 = ABSTRACT;
/// What only C code looks into.
pub const ABSTRACT: u8 = 251;
/// Bytes and strings.
pub const STRING: u8 = 252;
/// A boxed float.
pub const DOUBLE: u8 = 253;
/// A flat array or record of floats.
pub const DOUBLE_ARRAY: u8 = 254;
/// What C code gave its own operations: boxed integers, bigarrays, channels.
pub const CUSTOM: u8 = 255;

/// What `Obj.tag` says of an immediate (`Obj.int_tag`).
pub const OF_IMMEDIATES: i64 = 1000;
