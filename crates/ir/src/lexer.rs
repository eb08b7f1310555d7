//! The tokens of the textual form, and how names and strings are quoted in it. The quoting is here for
//! both directions, so that the printer and the parser agree.

use std::fmt;

use logos::Logos;

/// A token. Text is as in the source, without the marks that show the token's sort.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+", skip r"//[^\n]*")]
pub(crate) enum Token<'s> {
    /// A keyword, a name, a primitive (`add.int#`) or a type (`float#`).
    #[regex(r"[A-Za-z_*][A-Za-z0-9_'*.$#]*")]
    Word(&'s str),
    /// A name in backquotes, still escaped: never a keyword.
    #[regex(r"`([^`\\\n]|\\[^\n])*`", |lex| inner(lex.slice(), 1))]
    Quoted(&'s str),
    /// `$name`
    #[regex(r"\$[A-Za-z0-9_'*.$#]+", |lex| &lex.slice()[1..])]
    Symbol(&'s str),
    /// A symbol's name in backquotes, still escaped.
    #[regex(r"\$`([^`\\\n]|\\[^\n])*`", |lex| inner(lex.slice(), 2))]
    QuotedSymbol(&'s str),
    /// A string, still escaped.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#, |lex| inner(lex.slice(), 1))]
    String(&'s str),
    /// `-12`
    #[regex(r"-?[0-9]+")]
    Integer(&'s str),
    /// `#12`, `#1.5`, `#-3L`, `#nan:7ff8000000000001`
    #[regex(r"#-?(inf|nan:[0-9a-f]+|[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?[lLn]?)", |lex| &lex.slice()[1..])]
    Naked(&'s str),
    /// `@12`
    #[regex(r"@[0-9]+", |lex| &lex.slice()[1..])]
    Dbg(&'s str),
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Equal,
    #[token("->")]
    Arrow,
    #[token("|")]
    Bar,
    #[token("/")]
    Slash,
    /// After the last token.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Quoted(name) => write!(f, "the name `{name}`"),
            Token::Symbol(name) | Token::QuotedSymbol(name) => write!(f, "the symbol `${name}`"),
            Token::String(text) => write!(f, "the string \"{text}\""),
            Token::Integer(text) => write!(f, "`{text}`"),
            Token::Naked(text) => write!(f, "`#{text}`"),
            Token::Dbg(text) => write!(f, "`@{text}`"),
            Token::LeftParen => f.write_str("`(`"),
            Token::RightParen => f.write_str("`)`"),
            Token::LeftBrace => f.write_str("`{`"),
            Token::RightBrace => f.write_str("`}`"),
            Token::LeftBracket => f.write_str("`[`"),
            Token::RightBracket => f.write_str("`]`"),
            Token::Comma => f.write_str("`,`"),
            Token::Colon => f.write_str("`:`"),
            Token::Equal => f.write_str("`=`"),
            Token::Arrow => f.write_str("`->`"),
            Token::Bar => f.write_str("`|`"),
            Token::Slash => f.write_str("`/`"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// The text without its `before` first bytes and its last one.
fn inner(slice: &str, before: usize) -> &str {
    &slice[before..slice.len() - 1]
}

/// Words that are no names unless in backquotes. Primitives and types are not among them: their positions
/// in the grammar distinguish them from names.
const KEYWORDS: [&str; 35] = [
    "_",
    "and",
    "call",
    "closure",
    "closures",
    "code",
    "cont",
    "depth",
    "do",
    "entry",
    "exn",
    "extern",
    "external",
    "heat",
    "join",
    "let",
    "loc",
    "local",
    "method.cached",
    "method.public",
    "method.self",
    "none",
    "origin",
    "poison",
    "raise",
    "raise_notrace",
    "rec",
    "reraise",
    "slot",
    "static",
    "switch",
    "switch_string",
    "try",
    "unreachable",
    "via",
];

/// Whether the word is kept for the grammar.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

fn is_word_rest(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_'*.$#".contains(&byte)
}

/// Appends a name, in backquotes if need be.
pub(crate) fn push_name(out: &mut String, name: &str) {
    let bytes = name.as_bytes();
    let plain = bytes.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b == b'*')
        && bytes.iter().all(|&b| is_word_rest(b))
        && !is_keyword(name);
    if plain { out.push_str(name) } else { push_quoted(out, bytes, b'`') }
}

/// Appends a symbol's name with its mark, in backquotes if need be.
pub(crate) fn push_symbol(out: &mut String, name: &str) {
    out.push('$');
    let plain = !name.is_empty() && name.bytes().all(is_word_rest);
    if plain { out.push_str(name) } else { push_quoted(out, name.as_bytes(), b'`') }
}

/// Appends bytes between quotes, all but printable ASCII escaped.
pub(crate) fn push_quoted(out: &mut String, bytes: &[u8], quote: u8) {
    out.push(quote as char);
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            _ if byte == quote => {
                out.push('\\');
                out.push(quote as char);
            }
            b' '..=b'~' => out.push(byte as char),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\x");
                out.push(DIGITS[usize::from(byte >> 4)] as char);
                out.push(DIGITS[usize::from(byte & 15)] as char);
            }
        }
    }
    out.push(quote as char);
}

/// The bytes that escaped text stands for; if it is wrong, where and why.
pub(crate) fn unescape(text: &str) -> Result<Vec<u8>, (usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        match bytes.get(at + 1) {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(&quote @ (b'\\' | b'"' | b'`')) => out.push(quote),
            Some(b'x') => {
                let digits = text.get(at + 2..at + 4);
                let value = digits
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                out.push(value.ok_or((at, "`\\x` takes two hexadecimal digits"))?);
                at += 2;
            }
            _ => {
                return Err((at, "unknown escape: it can be `\\n`, `\\t`, `\\\\`, `\\\"`, `\\`` or `\\xNN`"));
            }
        }
        at += 2;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted(), "`is_keyword` looks them up by halves");
    }

    #[test]
    fn quoting_round_trips() {
        let all: Vec<u8> = (0..=255).collect();
        for quote in [b'"', b'`'] {
            let mut text = String::new();
            push_quoted(&mut text, &all, quote);
            assert_eq!(unescape(inner(&text, 1)), Ok(all.clone()));
            assert_eq!(Token::lexer(&text).count(), 1);
        }
    }
}
