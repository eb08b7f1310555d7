//! Parsing the parts of a unit.

use super::numbering::Table;
use super::{Name, Parser, Result};
use crate::lexer::Token;
use crate::naming::Naming;
use crate::unit::Entry;
use crate::{
    Code, CodeAttributes, Const, Dbg, FunctionKind, Kind, Loc, Static, StaticDef, StaticField, Symbol,
    SymbolData,
};

impl<'s> Parser<'s> {
    pub(super) fn whole_unit(&mut self) -> Result<()> {
        self.expect_word("unit")?;
        self.unit.name = self.string()?;
        self.expect_word("prefix")?;
        let prefix = self.string()?;
        let separator =
            if self.eat_word("separator") { self.string()? } else { Naming::USUAL_SEPARATOR.to_owned() };
        self.unit.naming = Naming::new(prefix, separator);
        if self.eat_word("parts") {
            self.unit.parts = self.integer()?;
        }
        self.numbering()?;
        self.declare()?;
        self.expect_word("module")?;
        self.unit.module_symbol = self.symbol()?;
        let mut entry = None;
        loop {
            match self.peek() {
                Token::Word("extern" | "local") => self.skip_symbol_declaration()?,
                Token::Word("static") => {
                    self.next += 1;
                    let item = self.static_item()?;
                    self.unit.statics.push(item);
                }
                Token::Word("code") => {
                    self.next += 1;
                    let code = self.in_function(Self::code_definition)?;
                    self.unit.codes.push(code);
                }
                Token::Word("entry") => {
                    if entry.is_some() {
                        return Err(self.error("a unit has one `entry`"));
                    }
                    self.next += 1;
                    entry = Some(self.in_function(Self::entry)?);
                }
                Token::Word("loc") => {
                    self.next += 1;
                    self.location()?;
                }
                Token::Word("origin") => {
                    self.next += 1;
                    self.origin()?;
                }
                Token::Word("setting" | "import" | "library") => self.context()?,
                Token::End => break,
                _ => {
                    return Err(
                        self.expected("`extern`, `local`, `static`, `code`, `entry`, `loc` or `origin`")
                    );
                }
            }
        }
        self.unit.entry = entry.ok_or_else(|| self.error("the unit has no `entry`"))?;
        Ok(())
    }

    // ---- declarations, found before all else so that they may be used before

    /// Declares the symbols and codes of the whole text, from here on.
    fn declare(&mut self) -> Result<()> {
        let start = self.next;
        let mut depth = 0usize;
        let mut statics = Vec::new();
        loop {
            let token = self.advance();
            match token {
                Token::LeftBrace | Token::LeftParen | Token::LeftBracket => depth += 1,
                Token::RightBrace | Token::RightParen | Token::RightBracket => {
                    depth = depth.saturating_sub(1);
                }
                Token::Word("extern") if depth == 0 => self.declare_symbol(false)?,
                Token::Word("local") if depth == 0 => self.declare_symbol(true)?,
                Token::Word("static") if depth == 0 => statics.push(self.next),
                Token::Word("code") if depth == 0 => self.declare_code()?,
                Token::End => break,
                _ => {}
            }
        }
        for position in statics {
            self.next = position;
            self.eat_word("exported");
            self.declare_static()?;
        }
        self.next = start;
        Ok(())
    }

    fn declare_symbol(&mut self, is_local: bool) -> Result<()> {
        let offset = self.offset();
        let name = self.symbol_name()?;
        if self.symbols.contains_key(&name) {
            return Err(self.error_at(offset, format!("the symbol `${name}` is declared twice")));
        }
        let linkage_name = if self.eat(Token::Equal) {
            self.string()?
        } else if is_local {
            self.unit.naming.local(&name)
        } else {
            name.to_string()
        };
        self.add_symbol(name, offset, SymbolData { linkage_name, is_local })
    }

    /// Adds a symbol that is declared there.
    fn add_symbol(&mut self, name: Name<'s>, offset: usize, data: SymbolData) -> Result<()> {
        let added = self.numbering.add((Table::Symbols, &mut self.unit.symbols), &name, |_| data);
        let symbol = added.map_err(|error| self.error_at(offset, error))?;
        self.symbols.insert(name, symbol);
        Ok(())
    }

    /// Statics declare their symbols, unless that was done in more words.
    fn declare_static(&mut self) -> Result<()> {
        loop {
            let offset = self.offset();
            let name = self.symbol_name()?;
            if !self.symbols.contains_key(&name) {
                let linkage_name = self.unit.naming.local(&name);
                self.add_symbol(name, offset, SymbolData { linkage_name, is_local: true })?;
            }
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn declare_code(&mut self) -> Result<()> {
        let offset = self.offset();
        let name = self.name("the name of a code")?;
        if self.eat(Token::Equal) {
            self.string()?;
        }
        let slot =
            if self.eat_word("slot") { self.name("the name of a function slot")? } else { name.clone() };
        let slot = self.function_slot_named(slot, offset)?;
        let id = self.slots_of_codes.push(slot);
        match self.codes.insert(name, id) {
            None => Ok(()),
            Some(_) => Err(self.error_at(offset, "there is another code of this name")),
        }
    }

    fn skip_symbol_declaration(&mut self) -> Result<()> {
        self.next += 1;
        self.symbol_name()?;
        if self.eat(Token::Equal) {
            self.string()?;
        }
        Ok(())
    }

    // ---- static data

    fn static_item(&mut self) -> Result<Static> {
        let exported = self.eat_word("exported");
        let offset = self.offset();
        let mut symbols = vec![self.symbol()?];
        while self.eat(Token::Comma) {
            symbols.push(self.symbol()?);
        }
        self.expect(Token::Equal)?;
        if self.eat_word("closures") {
            let def = StaticDef::Closures { symbols, set: self.in_function(Self::set_of_closures)? };
            return Ok(Static { exported, def });
        }
        match symbols[..] {
            [symbol] => Ok(Static { exported, def: self.static_def(symbol)? }),
            _ => Err(self.error_at(offset, "only `closures` defines several symbols")),
        }
    }

    fn static_def(&mut self, symbol: Symbol) -> Result<StaticDef> {
        let Token::Word(shape) = self.peek() else {
            return Err(self.expected("the shape of a static"));
        };
        let offset = self.offset();
        self.next += 1;
        match shape {
            "block" => {
                let tag = self.tag()?;
                self.expect(Token::LeftParen)?;
                let fields = self.list_until(Token::RightParen, Self::static_field)?;
                Ok(StaticDef::Block { symbol, tag, fields })
            }
            "preallocated" => {
                let tag = self.tag()?;
                self.expect_word("size")?;
                let size = self.integer()?;
                let private = if self.eat_word("private") { self.integer()? } else { 0 };
                Ok(StaticDef::Preallocated { symbol, tag, size, private })
            }
            "boxed" => {
                let offset = self.offset();
                match self.constant()? {
                    Const::NakedFloat(bits) => Ok(StaticDef::Float { symbol, bits }),
                    Const::NakedInt32(value) => Ok(StaticDef::Int32 { symbol, value }),
                    Const::NakedInt64(value) => Ok(StaticDef::Int64 { symbol, value }),
                    Const::NakedNativeint(value) => Ok(StaticDef::Nativeint { symbol, value }),
                    _ => {
                        Err(self.error_at(offset, "expected a number that is boxed, such as `#1.5` or `#1L`"))
                    }
                }
            }
            "string" | "bytes" => {
                Ok(StaticDef::String { symbol, mutable: shape == "bytes", contents: self.bytes()? })
            }
            "float_array" => {
                let mutable = self.eat_word("mut");
                self.expect(Token::LeftParen)?;
                Ok(StaticDef::FloatArray {
                    symbol,
                    mutable,
                    elements: self.list_until(Token::RightParen, Self::float)?,
                })
            }
            _ => Err(self.error_at(
                offset,
                "expected `block`, `boxed`, `string`, `bytes`, `float_array`, `closures` or `preallocated`",
            )),
        }
    }

    fn tag(&mut self) -> Result<u8> {
        self.expect(Token::LeftBracket)?;
        let tag = self.integer()?;
        self.expect(Token::RightBracket)?;
        Ok(tag)
    }

    fn static_field(&mut self) -> Result<StaticField> {
        match self.peek() {
            Token::Integer(_) => Ok(StaticField::Immediate(self.integer()?)),
            _ => Ok(StaticField::Symbol(self.symbol()?)),
        }
    }

    // ---- code

    fn code_definition(&mut self) -> Result<Code> {
        let name = self.name("the name of a code")?;
        let function_slot = self.slots_of_codes[self.codes[&name]];
        let linkage_name =
            if self.eat(Token::Equal) { self.string()? } else { self.unit.naming.local(&name) };
        if self.eat_word("slot") {
            self.function_slot()?;
        }
        self.expect(Token::LeftParen)?;
        let params = self.list_until(Token::RightParen, Self::parameter)?.into();
        let my_closure =
            if self.eat_word("closure") { self.parameter()? } else { self.unit.new_value("my_closure") };
        let (ret, result, exn) = self.function_head()?;
        let flags = &["rec", "tupled", "functor", "stub", "no_poll", "sole", "no_return", "exported", "heat"];
        let attributes = self.attributes("inline", "specialise", flags)?;
        let dbg = self.dbg()?;
        Ok(Code {
            linkage_name,
            params,
            my_closure,
            function_slot,
            ret,
            exn,
            result,
            kind: if attributes.tupled { FunctionKind::Tupled } else { FunctionKind::Curried },
            recursive: attributes.recursive,
            attributes: CodeAttributes {
                inline: attributes.inline,
                specialise: attributes.specialise,
                is_functor: attributes.functor,
                stub: attributes.stub,
                no_poll: attributes.no_poll,
                sole: attributes.sole,
                no_return: attributes.no_return,
                exported: attributes.exported,
                heat: attributes.heat,
            },
            dbg,
            body: self.block()?,
        })
    }

    fn entry(&mut self) -> Result<Entry> {
        let offset = self.offset();
        let (ret, result, exn) = self.function_head()?;
        if result != Kind::Value {
            return Err(self.error_at(offset, "the entry's result is a value"));
        }
        Ok(Entry { ret, exn, body: self.block()? })
    }

    /// `-> k: kind | kx`. The exception continuation is implicit in the body, where it is that of
    /// the innermost enclosing `try`; then it needs no name.
    fn function_head(&mut self) -> Result<(crate::Continuation, Kind, crate::Continuation)> {
        self.expect(Token::Arrow)?;
        let ret = self.continuation_binder(false)?;
        let result = self.kind_annotation()?;
        let exn = if self.eat(Token::Bar) {
            self.continuation_binder(true)?
        } else {
            self.unit.new_exn_continuation("raise")
        };
        self.function.handler = Some(exn);
        Ok((ret, result, exn))
    }

    // ---- locations

    fn location(&mut self) -> Result<()> {
        let offset = self.offset();
        if self.dbg()? != Dbg(self.unit.locs.len() as u32) {
            return Err(self.error_at(offset, "locations are numbered in order from `@1`"));
        }
        if self.eat_word("inlined") {
            let inner = self.dbg()?;
            self.expect_word("at")?;
            let call = self.dbg()?;
            let number = self.unit.locs.len() as u32;
            let known = |dbg: Dbg| dbg != Dbg::NONE && dbg.0 < number;
            if !known(inner) || !known(call) || self.unit.locs.inline(call, inner).0 != number {
                return Err(self.error_at(offset, "an inlined place is of two earlier ones, and given once"));
            }
            return Ok(());
        }
        let file = self.string()?;
        let (line, end_line) = self.span("line")?;
        let (char_start, char_end) = self.span("chars")?;
        let (start_bol, end_bol) = self.span("bol")?;
        let scope = if self.eat_word("in") { self.string()? } else { String::new() };
        self.unit.locs.push(Loc { file, line, char_start, char_end, start_bol, end_bol, end_line, scope });
        Ok(())
    }

    /// The arguments of the inliner of other units, numbered in order from 0.
    fn origin(&mut self) -> Result<()> {
        let offset = self.offset();
        if self.integer::<u32>()? != self.unit.origins.next_key().as_u32() {
            return Err(self.error_at(offset, "origins are numbered in order from 0"));
        }
        let offset = self.offset();
        let rounds = self.string()?.parse().map_err(|error: String| self.error_at(offset, error))?;
        self.unit.origins.push(rounds);
        Ok(())
    }

    /// What passes are given besides the unit.
    fn context(&mut self) -> Result<()> {
        match self.advance() {
            Token::Word("setting") => {
                let setting = (self.string()?, self.string()?);
                self.context.settings.push(setting);
            }
            Token::Word("import") => {
                let import = self.bytes()?;
                self.context.imports.push(import);
            }
            _ => {
                let found = (self.string()?, self.bytes()?);
                self.context.library.push(found);
            }
        }
        Ok(())
    }

    /// A word, then one number or two.
    fn span(&mut self, word: &str) -> Result<(u32, u32)> {
        self.expect_word(word)?;
        let from = self.integer()?;
        let to = if let Token::Integer(_) = self.peek() { self.integer()? } else { from };
        Ok((from, to))
    }
}
