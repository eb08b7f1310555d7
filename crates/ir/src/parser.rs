//! The parser of the textual form (docs/ir.md): a lexer, then recursive descent on a stack that grows.
//!
//! What parses need not be well-formed: a name stands for one variable or continuation in its whole
//! function, and whether its uses are in scope is the verifier's question, so that the verifier's tests
//! can be written as text. A name that nothing binds is an error here.

mod function;
mod numbering;
mod terms;
mod unit;

use std::borrow::Cow;
use std::fmt;

use cranelift_entity::PrimaryMap;
use logos::Logos;
use rustc_hash::FxHashMap;

use crate::lexer::{Token, is_keyword, unescape};
use crate::naming::Naming;
use crate::prim_syntax::{Word, type_of_word};
use crate::saved::Context;
use crate::{CodeId, Const, Dbg, FunctionSlot, Kind, Simple, Subkind, Symbol, Unit, ValueSlot};
use function::Function;
use numbering::{Numbering, Table};

/// Parses a unit.
///
/// # Errors
/// When the text is none: the first place where it can't go on.
pub fn parse_unit(source: &str) -> Result<Unit, ParseError> {
    let mut parser = Parser::new(source)?;
    parser.whole_unit()?;
    Ok(parser.unit)
}

/// Parses a unit with what the compilation that wrote it gave to its passes; nothing, of a unit alone.
///
/// # Errors
/// As [`parse_unit`].
pub fn parse_saved(source: &str) -> Result<(Unit, Context), ParseError> {
    let mut parser = Parser::new(source)?;
    parser.whole_unit()?;
    Ok((parser.unit, parser.context))
}

/// Why a text is not a unit, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong or was expected.
    pub message: String,
    /// The line of the source.
    pub source_line: String,
}

impl ParseError {
    fn at(source: &str, offset: usize, message: String) -> ParseError {
        let before = source.get(..offset).unwrap_or(source);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let source_line = source[start..].lines().next().unwrap_or("").to_owned();
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            message,
            source_line,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { line, column, message, source_line } = self;
        writeln!(f, "{line}:{column}: {message}")?;
        let margin = " ".repeat(line.to_string().len());
        writeln!(f, "{line} | {source_line}")?;
        write!(f, "{margin} | {}^", " ".repeat(column - 1))
    }
}

impl std::error::Error for ParseError {}

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// A name as it is in the source, or unescaped.
type Name<'s> = Cow<'s, str>;

/// The state of parsing.
struct Parser<'s> {
    source: &'s str,
    /// All tokens with their offsets, [`Token::End`] last.
    tokens: Vec<(Token<'s>, usize)>,
    /// Index of the next token.
    next: usize,
    unit: Unit,
    context: Context,
    numbering: Numbering,
    symbols: FxHashMap<Name<'s>, Symbol>,
    codes: FxHashMap<Name<'s>, CodeId>,
    /// Known, like all names of codes and symbols, before the text that they are in is reached.
    slots_of_codes: PrimaryMap<CodeId, FunctionSlot>,
    function_slots: FxHashMap<Name<'s>, FunctionSlot>,
    value_slots: FxHashMap<Name<'s>, ValueSlot>,
    /// The function that is being parsed.
    function: Function<'s>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Result<Self> {
        let mut tokens = Vec::new();
        for (token, span) in Token::lexer(source).spanned() {
            let token = token.map_err(|()| {
                let message = match source[span.clone()].chars().next() {
                    Some(quote @ ('"' | '`')) => format!("this {quote} has no partner on its line"),
                    first => format!("no token begins with `{}`", first.unwrap_or(' ')),
                };
                ParseError::at(source, span.start, message)
            })?;
            tokens.push((token, span.start));
        }
        tokens.push((Token::End, source.trim_end().len()));
        // What the empty unit already has is replaced: its symbol, its static and its entry's names.
        let mut unit = Unit::new("", Naming::usual(""), 0);
        unit.symbols.clear();
        unit.continuations.clear();
        unit.statics.clear();
        Ok(Parser {
            source,
            tokens,
            next: 0,
            unit,
            context: Context::default(),
            numbering: Numbering::default(),
            symbols: FxHashMap::default(),
            codes: FxHashMap::default(),
            slots_of_codes: PrimaryMap::new(),
            function_slots: FxHashMap::default(),
            value_slots: FxHashMap::default(),
            function: Function::default(),
        })
    }

    // ---- tokens

    fn peek(&self) -> Token<'s> {
        self.peek_after(0)
    }

    /// The token after the next `count` ones.
    fn peek_after(&self, count: usize) -> Token<'s> {
        self.tokens.get(self.next + count).map_or(Token::End, |&(token, _)| token)
    }

    /// Where the next token begins.
    fn offset(&self) -> usize {
        let last = self.tokens.len() - 1;
        self.tokens[self.next.min(last)].1
    }

    fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// Takes the next token if it is that one.
    fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        self.next += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.eat(Token::Word(word))
    }

    fn expect(&mut self, token: Token<'_>) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(&token.to_string())) }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        self.expect(Token::Word(word))
    }

    /// The error that the next token is not what it should be.
    fn expected(&self, what: &str) -> ParseError {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    /// An error at the next token.
    fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.offset(), message)
    }

    fn error_at(&self, offset: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.source, offset, message.into())
    }

    /// Elements with commas between, up to the closing token, which is taken. A comma may end the list.
    fn list_until<T>(
        &mut self,
        close: Token<'_>,
        mut element: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = Vec::new();
        loop {
            if self.eat(close) {
                return Ok(list);
            }
            list.push(element(self)?);
            if !self.eat(Token::Comma) {
                if self.eat(close) {
                    return Ok(list);
                }
                return Err(self.expected(&format!("`,` or {close}")));
            }
        }
    }

    // ---- atoms of the syntax

    fn name(&mut self, what: &str) -> Result<Name<'s>> {
        match self.peek() {
            Token::Word(word) if is_keyword(word) => {
                Err(self
                    .error(format!("expected {what}; `{word}` is a keyword (a name in backquotes never is)")))
            }
            Token::Word(word) => {
                self.next += 1;
                Ok(Cow::Borrowed(word))
            }
            Token::Quoted(text) => self.unescaped(text, 1),
            _ => Err(self.expected(what)),
        }
    }

    fn symbol_name(&mut self) -> Result<Name<'s>> {
        match self.peek() {
            Token::Symbol(name) => {
                self.next += 1;
                Ok(Cow::Borrowed(name))
            }
            Token::QuotedSymbol(text) => self.unescaped(text, 2),
            _ => Err(self.expected("a symbol")),
        }
    }

    /// Takes the next token, whose text follows `marks` bytes of other things.
    fn unescaped(&mut self, text: &'s str, marks: usize) -> Result<Name<'s>> {
        let bytes = self.unescaped_bytes(text, marks)?;
        let text = String::from_utf8(bytes);
        text.map(Cow::Owned)
            .map_err(|_| self.error_at(self.tokens[self.next - 1].1, "this text is not UTF-8"))
    }

    fn unescaped_bytes(&mut self, text: &'s str, marks: usize) -> Result<Vec<u8>> {
        let start = self.offset() + marks;
        self.next += 1;
        unescape(text).map_err(|(at, why)| self.error_at(start + at, why))
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        match self.peek() {
            Token::String(text) => self.unescaped_bytes(text, 1),
            _ => Err(self.expected("a string")),
        }
    }

    fn string(&mut self) -> Result<String> {
        match self.peek() {
            Token::String(text) => self.unescaped(text, 1).map(Cow::into_owned),
            _ => Err(self.expected("a string")),
        }
    }

    fn integer<I: TryFrom<i64>>(&mut self) -> Result<I> {
        let Token::Integer(text) = self.peek() else {
            return Err(self.expected("an integer"));
        };
        let value = text.parse::<i64>().ok().and_then(|value| I::try_from(value).ok());
        let value = value.ok_or_else(|| self.error("this integer is out of range here"))?;
        self.next += 1;
        Ok(value)
    }

    fn lone_word<W: Word>(&mut self) -> Result<W> {
        let found = match self.peek() {
            Token::Word(word) => W::from_word(word),
            _ => None,
        };
        let found = found.ok_or_else(|| self.expected(&one_of::<W>()))?;
        self.next += 1;
        Ok(found)
    }

    /// `: type`, if it is there.
    fn type_annotation(&mut self) -> Result<Option<(Kind, Subkind)>> {
        if !self.eat(Token::Colon) {
            return Ok(None);
        }
        let found = match self.peek() {
            Token::Word(word) => type_of_word(word),
            _ => None,
        };
        if found.is_none() {
            return Err(self.expected("a type (`val`, `int`, `float`, `float#`, `int#`…)"));
        }
        self.next += 1;
        Ok(found)
    }

    /// `: kind`, or a value.
    fn kind_annotation(&mut self) -> Result<Kind> {
        if self.eat(Token::Colon) { self.lone_word() } else { Ok(Kind::Value) }
    }

    fn dbg(&mut self) -> Result<Dbg> {
        let Token::Dbg(text) = self.peek() else {
            return Ok(Dbg::NONE);
        };
        let number = text.parse().map_err(|_| self.error("this location's number is out of range"))?;
        self.next += 1;
        Ok(Dbg(number))
    }

    fn is_constant(&self) -> bool {
        matches!(self.peek(), Token::Integer(_) | Token::Naked(_) | Token::Word("poison"))
    }

    fn constant(&mut self) -> Result<Const> {
        match self.peek() {
            Token::Integer(_) => Ok(Const::Tagged(self.integer()?)),
            Token::Word("poison") => {
                self.next += 1;
                Ok(Const::Poison(self.kind_annotation()?))
            }
            Token::Naked(text) => {
                let constant =
                    naked(text).ok_or_else(|| self.error("this is no number, or it is out of range"))?;
                self.next += 1;
                Ok(constant)
            }
            _ => Err(self.expected("a constant")),
        }
    }

    fn float(&mut self) -> Result<u64> {
        let offset = self.offset();
        match self.constant()? {
            Const::NakedFloat(bits) => Ok(bits),
            _ => Err(self.error_at(offset, "expected an unboxed float, such as `#1.5`")),
        }
    }

    fn simple(&mut self) -> Result<Simple> {
        match self.peek() {
            Token::Symbol(_) | Token::QuotedSymbol(_) => Ok(Simple::Symbol(self.symbol()?)),
            _ if self.is_constant() => Ok(Simple::Const(self.constant()?)),
            Token::Word(_) | Token::Quoted(_) => Ok(Simple::Var(self.variable_use()?)),
            _ => Err(self.expected("a variable, a symbol or a constant")),
        }
    }

    // ---- identifiers of the unit

    fn symbol(&mut self) -> Result<Symbol> {
        let offset = self.offset();
        let name = self.symbol_name()?;
        let known = self.symbols.get(&name).copied();
        known.ok_or_else(|| {
            self.error_at(offset, format!("the symbol `${name}` is neither defined nor declared `extern`"))
        })
    }

    fn code(&mut self) -> Result<CodeId> {
        let offset = self.offset();
        let name = self.name("the name of a code")?;
        let known = self.codes.get(&name).copied();
        known.ok_or_else(|| self.error_at(offset, format!("there is no code `{name}`")))
    }

    /// Slots are created by their first mention.
    fn function_slot(&mut self) -> Result<FunctionSlot> {
        let offset = self.offset();
        let name = self.name("the name of a function slot")?;
        self.function_slot_named(name, offset)
    }

    /// The function slot of that name, which was seen there.
    fn function_slot_named(&mut self, name: Name<'s>, offset: usize) -> Result<FunctionSlot> {
        if let Some(&slot) = self.function_slots.get(&name) {
            return Ok(slot);
        }
        let table = (Table::FunctionSlots, &mut self.unit.function_slots);
        let added = self.numbering.add(table, &name, str::to_owned);
        let slot = added.map_err(|error| self.error_at(offset, error))?;
        self.function_slots.insert(name, slot);
        Ok(slot)
    }

    /// The value slot of that name, which was seen there.
    fn value_slot_named(&mut self, name: Name<'s>, offset: usize) -> Result<ValueSlot> {
        if let Some(&slot) = self.value_slots.get(&name) {
            return Ok(slot);
        }
        let table = (Table::ValueSlots, &mut self.unit.value_slots);
        let added = self.numbering.add(table, &name, str::to_owned);
        let slot = added.map_err(|error| self.error_at(offset, error))?;
        self.value_slots.insert(name, slot);
        Ok(slot)
    }
}

/// The number of a naked literal without its `#`.
fn naked(text: &str) -> Option<Const> {
    if let Some(digits) = text.strip_prefix("nan:") {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return f64::from_bits(bits).is_nan().then_some(Const::NakedFloat(bits));
    }
    if text.ends_with("inf") || text.contains(['.', 'e']) {
        return Some(Const::NakedFloat(text.parse::<f64>().ok()?.to_bits()));
    }
    let digits = text.trim_end_matches(['l', 'L', 'n']);
    match &text[digits.len()..] {
        "" => digits.parse().ok().map(Const::NakedImmediate),
        "l" => digits.parse().ok().map(Const::NakedInt32),
        "L" => digits.parse().ok().map(Const::NakedInt64),
        _ => digits.parse().ok().map(Const::NakedNativeint),
    }
}

/// The words of a set, for a message.
fn one_of<W: Word>() -> String {
    let words: Vec<_> = W::WORDS.iter().map(|(word, _)| format!("`{word}`")).collect();
    format!("a {} ({})", W::WHAT, words.join(", "))
}
