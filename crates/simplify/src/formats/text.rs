//! What is printed, as strings: what is known of neighbours is put together, and what stands beside a number goes into
//! the format by which the runtime makes a string of it.

use flambeau_ir::{Const, Prim, Simple};
use flambeau_types::Ty;

use crate::Simplifier;

/// What is put together is no longer.
const LONGEST: usize = 256;
/// The runtime reads formats of integers into a buffer of 32 characters, with a letter or two of its own.
const LONGEST_OF_INTEGERS: usize = 28;

/// A part of what is printed.
#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    /// A string that is known, and what it is if it is one of the program's.
    Known(Vec<u8>, Option<Simple>),
    /// A string.
    String(Simple),
    /// A character.
    Char(Simple),
    /// A number, which a function of the runtime makes a string of by a format of C.
    Number { function: String, format: Vec<u8>, value: Simple },
}

impl Text {
    /// Whether it is a float: its format goes to `printf` of C as it is.
    fn takes_any_format(&self) -> bool {
        matches!(self, Text::Number { function, .. } if function == "caml_format_float")
    }
}

impl Simplifier<'_> {
    /// A string as a part of what is printed.
    pub(super) fn text_of_string(&self, string: Simple) -> Text {
        if let Ty::String(bytes) = self.env.ty(string) {
            return Text::Known(bytes.to_vec(), Some(string));
        }
        let definition = self.env.definition(string);
        if let Some(definition) = &definition
            && let (Prim::CCall(external), [format, value]) = (&definition.prim, &definition.args[..])
            && external.prints_number()
            && let Ty::String(format) = self.env.ty(*format)
        {
            return Text::Number { function: external.name.clone(), format: format.to_vec(), value: *value };
        }
        Text::String(string)
    }

    /// A character as a part of what is printed.
    pub(super) fn text_of_char(&self, char: Simple) -> Text {
        match char {
            Simple::Const(Const::Tagged(code)) => match u8::try_from(code) {
                Ok(byte) => Text::Known(vec![byte], None),
                Err(_) => Text::Char(char),
            },
            _ => Text::Char(char),
        }
    }

    /// Adds a part, to the last one if these can be one.
    pub(super) fn add_text(&self, texts: &mut Vec<Text>, text: Text) {
        let joined = texts.last().and_then(|last| one_text(last, &text));
        match joined {
            Some(joined) => {
                texts.pop();
                texts.push(joined);
            }
            None => texts.push(text),
        }
    }
}

/// Two parts as one.
fn one_text(first: &Text, second: &Text) -> Option<Text> {
    match (first, second) {
        (Text::Known(first, atom), Text::Known(second, other)) => {
            let atom = if second.is_empty() { *atom } else { other.filter(|_| first.is_empty()) };
            let joined = [&first[..], second].concat();
            (joined.len() <= LONGEST || atom.is_some()).then_some(Text::Known(joined, atom))
        }
        (Text::Known(literal, _), Text::Number { function, format, value }) => {
            let format = [in_format(literal)?, format.clone()].concat();
            let longest = if second.takes_any_format() { LONGEST } else { LONGEST_OF_INTEGERS };
            let number = Text::Number { function: function.clone(), format, value: *value };
            (number.format_length() <= longest).then_some(number)
        }
        (Text::Number { function, format, value }, Text::Known(literal, _)) => {
            let format = [format.clone(), in_format(literal)?].concat();
            let number = Text::Number { function: function.clone(), format, value: *value };
            (number.takes_any_format() && number.format_length() <= LONGEST).then_some(number)
        }
        _ => None,
    }
}

impl Text {
    fn format_length(&self) -> usize {
        match self {
            Text::Number { format, .. } => format.len(),
            _ => 0,
        }
    }
}

/// A string as a format of C that prints it. Other systems take formats to be text in an encoding.
fn in_format(literal: &[u8]) -> Option<Vec<u8>> {
    let is_plain = literal.iter().all(|byte| (1..0x7f).contains(byte));
    is_plain.then(|| literal.iter().flat_map(|byte| [*byte].repeat(1 + usize::from(*byte == b'%'))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Text {
        Text::Known(text.into(), None)
    }

    fn number(function: &str, format: &str) -> Text {
        Text::Number { function: function.to_owned(), format: format.into(), value: Simple::UNIT }
    }

    #[test]
    fn strings_go_into_formats_that_take_them() {
        let int = |format: &str| number("caml_format_int", format);
        let float = |format: &str| number("caml_format_float", format);
        let long = "a".repeat(LONGEST_OF_INTEGERS);
        for (first, second, joined) in [
            (known("a"), known("b"), Some(known("ab"))),
            (known("x = "), int("%d"), Some(int("x = %d"))),
            (known("5% of "), int("%d"), Some(int("5%% of %d"))),
            (known("x = "), float("%.2f"), Some(float("x = %.2f"))),
            (float("%.2f"), known("%\n"), Some(float("%.2f%%\n"))),
            // The runtime looks for the conversion at the end.
            (int("%d"), known("\n"), None),
            (int("%d"), int("%d"), None),
            // What it has no room for, and what C may not take for text.
            (known(&long), int("%d"), None),
            (known(&long), float("%f"), Some(float(&format!("{long}%f")))),
            (known("\0"), int("%d"), None),
            (known("é"), float("%f"), None),
        ] {
            assert_eq!(one_text(&first, &second), joined, "{first:?}, {second:?}");
        }
    }
}
