//! Parsing terms.

use smallvec::{SmallVec, smallvec};

use super::function::Binder;
use super::{Parser, Result, one_of};
use crate::lexer::{Token, is_keyword};
use crate::prim_syntax::{Source, Word, read_prim};
use crate::stack::deep;
use crate::term::{InlineAttribute, RaiseKind, SpecialiseAttribute, StringSwitch};
use crate::{
    Apply, ApplyCont, ArgType, CallKind, ContHandler, Continuation, Elements, ExnCont, Expr, FunctionSlot,
    Hashed, HashedShape, Heat, Item, Kind, Leaf, Named, Origin, Prim, SetOfClosures, Simple, Switch,
    Terminator, ValueSlot, Variable,
};

/// The attributes of a call or of a code.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) inline: InlineAttribute,
    pub(super) specialise: SpecialiseAttribute,
    pub(super) recursive: bool,
    pub(super) tupled: bool,
    pub(super) functor: bool,
    pub(super) stub: bool,
    pub(super) no_poll: bool,
    pub(super) sole: bool,
    pub(super) no_return: bool,
    pub(super) exported: bool,
    pub(super) heat: Heat,
}

impl Parser<'_> {
    /// `{ item… terminator }`
    pub(super) fn block(&mut self) -> Result<Expr> {
        self.expect(Token::LeftBrace)?;
        let expr = deep(|| self.run())?;
        self.expect(Token::RightBrace)?;
        Ok(expr)
    }

    fn run(&mut self) -> Result<Expr> {
        let mut items = Vec::new();
        while let Token::Word("let" | "do" | "join" | "cont") = self.peek() {
            items.push(self.item()?);
        }
        Ok(Expr { items, terminator: self.terminator()? })
    }

    fn item(&mut self) -> Result<Item> {
        match self.advance() {
            Token::Word("let") => self.let_item(),
            Token::Word("do") => self.do_item(),
            Token::Word("join") => {
                let (cont, params) = self.handler_head()?;
                Ok(Item::Join { cont, params, body: Box::new(self.block()?) })
            }
            _ => {
                let recursive = self.eat_word("rec");
                let mut handlers = Vec::new();
                loop {
                    let (cont, params) = self.handler_head()?;
                    handlers.push(ContHandler { cont, params, body: self.block()? });
                    if !self.eat_word("and") {
                        return Ok(Item::LetCont { recursive, handlers });
                    }
                }
            }
        }
    }

    /// `[exn] k (params) [heat WORD]`
    fn handler_head(&mut self) -> Result<(Continuation, SmallVec<[Variable; 2]>)> {
        let is_exn = self.eat_word("exn");
        let cont = self.continuation_binder(is_exn)?;
        let mut params = SmallVec::new();
        if self.eat(Token::LeftParen) {
            params.extend(self.list_until(Token::RightParen, Self::parameter)?);
        }
        self.unit.continuations[cont].heat = self.heat()?;
        Ok((cont, params))
    }

    fn let_item(&mut self) -> Result<Item> {
        let offset = self.offset();
        let mut binders = vec![self.binder()?];
        while self.eat(Token::Comma) {
            binders.push(self.binder()?);
        }
        self.expect(Token::Equal)?;
        if self.eat_word("closures") {
            let vars = binders.into_iter().map(|binder| self.bind(binder, Kind::Value)).collect();
            let set = self.set_of_closures()?;
            return Ok(Item::LetClosures { vars, set, dbg: self.dbg()? });
        }
        let Ok([binder]) = <[Binder; 1]>::try_from(binders) else {
            return Err(self.error_at(offset, "only `closures` binds several variables"));
        };
        if self.eat_word("call") {
            let result = self.bind(binder, Kind::Value);
            return self.call_item(result);
        }
        if self.at_prim() {
            let (named, result) = self.prim()?;
            let var = self.bind(binder, result);
            return Ok(Item::Let { var, named, dbg: self.dbg()? });
        }
        let named = Named::Simple(self.simple()?);
        let var = self.bind(binder, Kind::Value);
        Ok(Item::Let { var, named, dbg: self.dbg()? })
    }

    /// What binds a result that has no use.
    fn do_item(&mut self) -> Result<Item> {
        if self.eat_word("call") {
            let result = self.unit.new_value("u");
            return self.call_item(result);
        }
        if !self.at_prim() {
            return Err(self.expected("`call` or a primitive"));
        }
        let (named, result) = self.prim()?;
        let var = self.unit.new_variable("u", result, crate::Subkind::Any);
        Ok(Item::Let { var, named, dbg: self.dbg()? })
    }

    /// A call whose result is bound in the remainder of the run: short for a join which is nothing else.
    fn call_item(&mut self, result: Variable) -> Result<Item> {
        let cont = self.unit.new_continuation("k");
        let apply = self.apply(Some(cont))?;
        let body = Expr { items: Vec::new(), terminator: Terminator::Apply(Box::new(apply)) };
        Ok(Item::Join { cont, params: smallvec![result], body: Box::new(body) })
    }

    /// `(code, …) { slot = value, … }`, each code followed by `/slot` if the slot is not its own.
    pub(super) fn set_of_closures(&mut self) -> Result<SetOfClosures> {
        self.expect(Token::LeftParen)?;
        let functions = self.list_until(Token::RightParen, |parser| {
            let code = parser.code()?;
            let slot = if parser.eat(Token::Slash) { Some(parser.function_slot()?) } else { None };
            Ok((slot.unwrap_or(parser.slots_of_codes[code]), code))
        })?;
        let mut values = Vec::new();
        if self.eat(Token::LeftBrace) {
            values = self.list_until(Token::RightBrace, |parser| {
                let offset = parser.offset();
                let name = parser.name("the name of a value slot")?;
                let slot = parser.value_slot_named(name.clone(), offset)?;
                let value = if parser.eat(Token::Equal) {
                    parser.simple()?
                } else {
                    Simple::Var(parser.variable_named(name, offset)?)
                };
                Ok((slot, value))
            })?;
        }
        Ok(SetOfClosures { functions: functions.into(), values })
    }

    // ---- primitives

    /// Whether a primitive comes next: a word with operands or data, which an atom has not.
    fn at_prim(&self) -> bool {
        let application = matches!(self.peek_after(1), Token::LeftParen | Token::LeftBracket);
        matches!(self.peek(), Token::Word(word) if !is_keyword(word)) && application
    }

    /// A primitive with its operands, and the kind of its result.
    fn prim(&mut self) -> Result<(Named, Kind)> {
        let offset = self.offset();
        let Token::Word(text) = self.advance() else {
            return Err(self.error_at(offset, "expected a primitive"));
        };
        let mut words = text.split('.').peekable();
        let mnemonic = words.next().unwrap_or("");
        let mut source = PrimSource { parser: self, words, offset, in_brackets: false };
        let prim = read_prim(mnemonic, &mut source)?;
        let (extra_word, in_brackets) = (source.words.next(), source.in_brackets);
        let prim =
            prim.ok_or_else(|| self.error_at(offset, format!("there is no primitive `{mnemonic}`")))?;
        if let Some(word) = extra_word {
            return Err(self.error_at(offset, format!("`{mnemonic}` does not take `.{word}`")));
        }
        if in_brackets {
            self.expect(Token::RightBracket)?;
        }
        let args = self.arguments()?;
        let exn = self.prim_exn(&prim)?;
        let result = prim.signature().result;
        Ok((Named::Prim { prim, args, exn }, result))
    }

    fn prim_exn(&mut self, prim: &Prim) -> Result<Option<Box<ExnCont>>> {
        if self.peek() == Token::Bar && self.peek_after(1) == Token::Word("none") {
            self.next += 2;
            return Ok(None);
        }
        if !prim.may_raise() && self.peek() != Token::Bar {
            return Ok(None);
        }
        Ok(Some(Box::new(self.exn()?)))
    }

    fn arguments<A: Extend<Simple> + Default>(&mut self) -> Result<A> {
        self.expect(Token::LeftParen)?;
        let mut args = A::default();
        args.extend(self.list_until(Token::RightParen, Self::simple)?);
        Ok(args)
    }

    fn arguments_if_any(&mut self) -> Result<SmallVec<[Simple; 2]>> {
        if self.peek() == Token::LeftParen { self.arguments() } else { Ok(SmallVec::new()) }
    }

    /// `| k (extra arguments)`, or the innermost handler.
    fn exn(&mut self) -> Result<ExnCont> {
        if self.eat(Token::Bar) {
            let cont = self.continuation_use()?;
            return Ok(ExnCont { cont, extra_args: self.arguments_if_any()? });
        }
        match self.function.handler {
            Some(cont) => Ok(ExnCont { cont, extra_args: SmallVec::new() }),
            None => Err(self.expected("`|` and an exception continuation")),
        }
    }

    // ---- terminators

    fn terminator(&mut self) -> Result<Terminator> {
        let word = match self.peek() {
            Token::Word(word) if is_keyword(word) => word,
            Token::Word(_) | Token::Quoted(_) => return self.jump().map(Terminator::ApplyCont),
            _ => return Err(self.expected("an item or a terminator")),
        };
        self.next += 1;
        match word {
            "call" => Ok(Terminator::Apply(Box::new(self.apply(None)?))),
            "switch" => {
                let (scrutinee, dbg) = (self.simple()?, self.dbg()?);
                let (arms, default, cases) = self.arms(Self::integer)?;
                Ok(Terminator::Switch(Box::new(Switch { scrutinee, arms, default, dbg, cases })))
            }
            "switch_string" => {
                let (scrutinee, dbg) = (self.simple()?, self.dbg()?);
                let (arms, default, _) = self.arms(Self::bytes)?;
                Ok(Terminator::StringSwitch(Box::new(StringSwitch { scrutinee, arms, default, dbg })))
            }
            "raise" => self.raise(RaiseKind::Regular),
            "reraise" => self.raise(RaiseKind::Reraise),
            "raise_notrace" => self.raise(RaiseKind::NoTrace),
            "try" => {
                let cont = self.continuation_use()?;
                let handler = ExnCont { cont, extra_args: self.arguments_if_any()? };
                let outer = self.function.handler.replace(cont);
                let body = Box::new(self.block()?);
                self.function.handler = outer;
                Ok(Terminator::Try { body, handler })
            }
            "unreachable" => Ok(Terminator::Unreachable),
            _ => {
                self.next -= 1;
                Err(self.expected("an item or a terminator"))
            }
        }
    }

    fn raise(&mut self, kind: RaiseKind) -> Result<Terminator> {
        let exn = self.simple()?;
        let handler = Box::new(self.exn()?);
        Ok(Terminator::Raise { kind, exn, handler, dbg: self.dbg()? })
    }

    fn jump(&mut self) -> Result<ApplyCont> {
        let cont = self.continuation_use()?;
        Ok(ApplyCont { cont, args: self.arguments_if_any()? })
    }

    /// `{ value -> jump, …, _ of cases -> jump }`
    #[allow(clippy::type_complexity, reason = "the fields of both sorts of switches")]
    fn arms<V>(
        &mut self,
        value: impl Fn(&mut Self) -> Result<V>,
    ) -> Result<(Vec<(V, ApplyCont)>, Option<ApplyCont>, Option<u32>)> {
        self.expect(Token::LeftBrace)?;
        let (mut arms, mut default, mut cases) = (Vec::new(), None, None);
        self.list_until(Token::RightBrace, |parser| {
            if default.is_some() {
                return Err(parser.expected("`}` after the default arm"));
            }
            let value = if parser.eat_word("_") { None } else { Some(value(parser)?) };
            if value.is_none() && parser.eat_word("of") {
                cases = Some(parser.integer()?);
            }
            parser.expect(Token::Arrow)?;
            let jump = parser.jump()?;
            match value {
                Some(value) => arms.push((value, jump)),
                None => default = Some(jump),
            }
            Ok(())
        })?;
        Ok((arms, default, cases))
    }

    // ---- calls

    /// A call after its keyword. Its return continuation is in the text unless it is passed as `ret`.
    fn apply(&mut self, ret: Option<Continuation>) -> Result<Apply> {
        let (kind, callee) = self.callee()?;
        let args = self.arguments()?;
        let attributes = self.attributes("inlined", "specialised", &[])?;
        let ret = match ret {
            Some(ret) => ret,
            None => {
                self.expect(Token::Arrow)?;
                self.continuation_use()?
            }
        };
        let (exn, dbg) = (self.exn()?, self.dbg()?);
        let (inlined, specialised) = (attributes.inline, attributes.specialise);
        let depth = if self.eat_word("depth") { self.integer()? } else { 0 };
        let origin = if self.eat_word("origin") { Some(Origin::from_u32(self.integer()?)) } else { None };
        let types = if self.eat_word("types") { self.arg_types()? } else { Vec::new() };
        let heat = self.heat()?;
        Ok(Apply { callee, kind, args, types, ret, exn, dbg, inlined, specialised, depth, origin, heat })
    }

    /// `heat WORD`, if it is there.
    fn heat(&mut self) -> Result<Heat> {
        if self.eat_word("heat") { self.heat_word() } else { Ok(Heat::Unknown) }
    }

    fn heat_word(&mut self) -> Result<Heat> {
        let Token::Word(word) = self.peek() else { return Err(self.expected("`never`, `warm` or `hot`")) };
        match Heat::COUNTED.into_iter().find(|heat| heat.word() == Some(word)) {
            Some(heat) => {
                self.next += 1;
                Ok(heat)
            }
            None => Err(self.expected("`never`, `warm` or `hot`")),
        }
    }

    fn arg_types(&mut self) -> Result<Vec<ArgType>> {
        self.expect(Token::LeftParen)?;
        self.list_until(Token::RightParen, Self::arg_type)
    }

    pub(super) fn arg_type(&mut self) -> Result<ArgType> {
        if self.eat_word("any") {
            Ok(ArgType::Unknown)
        } else if self.eat_word("variable") {
            Ok(ArgType::Variable(self.integer()?))
        } else if self.eat_word("int") {
            Ok(ArgType::Immediate)
        } else if self.eat_word("array") {
            Ok(ArgType::Array(Box::new(self.inner_arg_type()?)))
        } else if self.eat_word("bigarray") {
            let kind = self.lone_word()?;
            Ok(ArgType::Bigarray { kind, fortran: self.eat_word("fortran") })
        } else if self.eat_word("block") {
            self.expect(Token::LeftParen)?;
            Ok(ArgType::Block(self.list_until(Token::RightParen, Self::inner_arg_type)?))
        } else if self.eat_word("enclosing") {
            Ok(ArgType::Enclosing(self.integer()?))
        } else if self.eat_word("function") {
            self.expect(Token::LeftParen)?;
            let params = self.list_until(Token::RightParen, Self::inner_arg_type)?;
            Ok(ArgType::Function(params, Box::new(self.inner_arg_type()?)))
        } else {
            self.expect_word("by")?;
            let (compare, equal) = (self.simple()?, self.simple()?);
            let total = self.eat_word("total");
            let elements = if self.eat_word("no_float") {
                Elements::Values
            } else if self.eat_word("float") {
                Elements::Floats
            } else if self.eat_word("boxed_float") {
                Elements::MaybeBoxes
            } else {
                Elements::Any
            };
            let hashed = if self.eat_word("hashed") { self.hashed()? } else { Hashed::default() };
            Ok(ArgType::Compared { compare, equal, total, elements, hashed })
        }
    }

    fn hashed(&mut self) -> Result<Hashed> {
        let mut shapes = vec![self.hashed_shape()?];
        while self.eat_word("or") {
            shapes.push(self.hashed_shape()?);
        }
        Ok(Hashed(shapes))
    }

    fn hashed_shape(&mut self) -> Result<HashedShape> {
        if self.eat_word("block") {
            let tag = self.integer()?;
            self.expect(Token::LeftParen)?;
            let fields = self.list_until(Token::RightParen, |parser| deep(|| parser.hashed_shape()))?;
            return Ok(HashedShape::Block(tag, fields));
        }
        match Leaf::ALL.into_iter().find(|leaf| self.eat_word(leaf.word())) {
            Some(leaf) => Ok(HashedShape::Leaf(leaf)),
            None => Err(self.expected("`block`, or `int`, `float`, `string` or a boxed integer")),
        }
    }

    fn inner_arg_type(&mut self) -> Result<ArgType> {
        deep(|| self.arg_type())
    }

    fn callee(&mut self) -> Result<(CallKind, Option<Simple>)> {
        let kind = match self.peek() {
            Token::Word("code") => {
                self.next += 1;
                CallKind::Direct(self.code()?)
            }
            Token::Word("external") => {
                self.next += 1;
                CallKind::DirectExternal(self.string()?)
            }
            Token::Word("method.public") => CallKind::MethodPublic,
            Token::Word("method.self") => CallKind::MethodSelf,
            Token::Word("method.cached") => CallKind::MethodCached,
            _ => CallKind::Generic,
        };
        match kind {
            CallKind::Direct(_) | CallKind::DirectExternal(_) => {
                let callee = if self.eat_word("via") { Some(self.simple()?) } else { None };
                return Ok((kind, callee));
            }
            CallKind::MethodPublic | CallKind::MethodSelf | CallKind::MethodCached => self.next += 1,
            CallKind::Generic => {}
        }
        let callee = if self.eat_word("_") { None } else { Some(self.simple()?) };
        Ok((kind, callee))
    }

    /// `[attribute, …]`, if it is there. `flags` are those allowed beside the two that have values.
    pub(super) fn attributes(
        &mut self,
        inline: &str,
        specialise: &str,
        flags: &[&str],
    ) -> Result<Attributes> {
        let mut attributes = Attributes::default();
        if !self.eat(Token::LeftBracket) {
            return Ok(attributes);
        }
        self.list_until(Token::RightBracket, |parser| {
            let word = match parser.peek() {
                Token::Word(word) => word,
                _ => "",
            };
            let known = word == inline || word == specialise || flags.contains(&word);
            if !known {
                let all = [&[inline, specialise], flags].concat();
                return Err(parser.expected(&format!("an attribute ({})", all.join(", "))));
            }
            parser.next += 1;
            match word {
                "rec" => attributes.recursive = true,
                "tupled" => attributes.tupled = true,
                "functor" => attributes.functor = true,
                "stub" => attributes.stub = true,
                "no_poll" => attributes.no_poll = true,
                "sole" => attributes.sole = true,
                "no_return" => attributes.no_return = true,
                "exported" => attributes.exported = true,
                "heat" => attributes.heat = parser.heat_word()?,
                _ if word == inline => attributes.inline = parser.inline_attribute()?,
                _ => attributes.specialise = parser.specialise_attribute()?,
            }
            Ok(())
        })?;
        Ok(attributes)
    }

    fn inline_attribute(&mut self) -> Result<InlineAttribute> {
        let attribute = match self.peek() {
            Token::Word("always") => InlineAttribute::Always,
            Token::Word("never") => InlineAttribute::Never,
            Token::Word("hint") => InlineAttribute::Hint,
            Token::Word("entered") => InlineAttribute::Entered,
            Token::Word("awaited") => InlineAttribute::Awaited,
            Token::Word("cold") => InlineAttribute::Cold,
            Token::Word("unroll") => {
                self.next += 1;
                return Ok(InlineAttribute::Unroll(self.integer()?));
            }
            _ => {
                return Err(
                    self.expected("`always`, `never`, `hint`, `entered`, `awaited`, `cold` or `unroll`")
                );
            }
        };
        self.next += 1;
        Ok(attribute)
    }

    fn specialise_attribute(&mut self) -> Result<SpecialiseAttribute> {
        let attribute = match self.peek() {
            Token::Word("always") => SpecialiseAttribute::Always,
            Token::Word("never") => SpecialiseAttribute::Never,
            _ => return Err(self.expected("`always` or `never`")),
        };
        self.next += 1;
        Ok(attribute)
    }
}

/// Reads one primitive: its words are those of one token, the rest is in brackets.
struct PrimSource<'p, 's> {
    parser: &'p mut Parser<'s>,
    words: std::iter::Peekable<std::str::Split<'s, char>>,
    /// Where the primitive begins.
    offset: usize,
    in_brackets: bool,
}

impl PrimSource<'_, '_> {
    fn token(text: &str) -> Token<'_> {
        match text {
            "(" => Token::LeftParen,
            ")" => Token::RightParen,
            "," => Token::Comma,
            "/" => Token::Slash,
            "->" => Token::Arrow,
            word => Token::Word(word),
        }
    }
}

impl Source for PrimSource<'_, '_> {
    type Error = super::ParseError;

    fn word<W: Word>(&mut self) -> Result<W> {
        let found = self.words.peek().and_then(|word| W::from_word(word));
        if found.is_some() {
            self.words.next();
        }
        found.or(W::USUAL).ok_or_else(|| {
            let found = self.words.peek().map_or_else(String::new, |word| format!(", found `.{word}`"));
            self.parser.error_at(self.offset, format!("expected, after a dot, {}{found}", one_of::<W>()))
        })
    }

    fn datum(&mut self) -> Result<()> {
        let before = if self.in_brackets { Token::Comma } else { Token::LeftBracket };
        self.in_brackets = true;
        self.parser.expect(before)
    }

    fn text(&mut self, text: &'static str) -> Result<()> {
        self.parser.expect(Self::token(text))
    }

    fn text_if(&mut self, text: &'static str) -> bool {
        self.parser.eat(Self::token(text))
    }

    fn lone_word<W: Word>(&mut self) -> Result<W> {
        self.parser.lone_word()
    }

    fn integer<I: TryFrom<i64>>(&mut self) -> Result<I> {
        self.parser.integer()
    }

    fn string(&mut self) -> Result<String> {
        self.parser.string()
    }

    fn function_slot(&mut self) -> Result<FunctionSlot> {
        self.parser.function_slot()
    }

    fn value_slot(&mut self) -> Result<ValueSlot> {
        let offset = self.parser.offset();
        let name = self.parser.name("the name of a value slot")?;
        self.parser.value_slot_named(name, offset)
    }
}
