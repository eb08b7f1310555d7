//! Expectations: how they are written, and whether they hold.

use std::fmt;

use flambeau_ir::{MNEMONICS, Unit};

use crate::subject::{Name, Subject};

/// `(* expect SUBJECT: CLAIM, CLAIM *)`
#[derive(Debug)]
pub struct Expectation {
    subject: Name,
    claims: Vec<Claim>,
}

/// What is claimed of a subject.
#[derive(Debug, PartialEq)]
enum Claim {
    /// Nothing of it is left.
    Gone,
    /// It does nothing but to return this integer, or the parameter of that name.
    Returns(String),
    /// It has so many of these.
    Has(Number, Noun),
}

#[derive(Debug, PartialEq, Clone, Copy)]
enum Number {
    Exactly(usize),
    Some,
}

/// What can be counted.
#[derive(Debug, PartialEq)]
pub enum Noun {
    Call,
    IndirectCall,
    MethodCall,
    /// A direct call of a function.
    CallOf(Name),
    /// A primitive, by its mnemonic.
    Prim(String),
    /// A call of the C function of that name.
    CCallOf(String),
    /// Anything that allocates but C functions.
    Allocation,
    /// A set of closures that is allocated.
    Closure,
    /// A value that such a set holds.
    Capture,
    Branch,
    Loop,
    Raise,
    Try,
    Parameter,
    /// Static data of that shape, as the textual form calls it.
    Static(String),
}

const SHAPES: &[&str] = &[
    "block",
    "float",
    "int32",
    "int64",
    "nativeint",
    "string",
    "bytes",
    "float_array",
    "preallocated",
    "closure",
];

impl Expectation {
    /// Those of a source.
    pub fn all(source: &str) -> Result<Vec<Expectation>, String> {
        let comments = source.split("(* expect ").skip(1);
        comments
            .map(|comment| {
                let (text, _) = comment.split_once("*)").ok_or("a comment without end")?;
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                Expectation::parse(&text)
            })
            .collect()
    }

    fn parse(text: &str) -> Result<Expectation, String> {
        let (subject, claims) = text.split_once(':').ok_or_else(|| format!("`{text}` has no colon"))?;
        if claims.trim().is_empty() {
            return Err(format!("nothing is claimed of {subject}"));
        }
        let claims = claims.split(',').map(|claim| Claim::parse(claim.trim())).collect::<Result<_, _>>()?;
        Ok(Expectation { subject: Name::parse(subject)?, claims })
    }

    /// Whether the expectation holds, given the unit before and after optimisation.
    pub fn check(&self, raw: &Unit, optimised: &Unit) -> Result<(), String> {
        if self.claims == [Claim::Gone] {
            self.subject.must_be_in(raw)?;
            let left = Subject::all(optimised, &self.subject);
            return if left.is_empty() { Ok(()) } else { Err(format!("{} is there", self.subject)) };
        }
        let subjects = Subject::all(optimised, &self.subject);
        if subjects.is_empty() {
            return Err(format!("there is no function {}", self.subject));
        }
        if subjects.len() > 1 && !self.subject.copy {
            return Err(format!("there are several functions {}", self.subject));
        }
        for subject in subjects {
            for claim in &self.claims {
                claim.check(&subject, raw)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.subject)
    }
}

impl Claim {
    fn parse(text: &str) -> Result<Claim, String> {
        if text == "is gone" {
            return Ok(Claim::Gone);
        }
        let unknown = || format!("`{text}` is no claim");
        let (first, rest) = text.split_once(' ').ok_or_else(unknown)?;
        let number = match first {
            "returns" => return Ok(Claim::Returns(rest.to_owned())),
            "no" => Number::Exactly(0),
            "some" => Number::Some,
            digits => Number::Exactly(digits.parse().map_err(|_| unknown())?),
        };
        Ok(Claim::Has(number, Noun::parse(rest)?))
    }

    fn check(&self, subject: &Subject, raw: &Unit) -> Result<(), String> {
        match self {
            Claim::Gone => Err("`is gone` stands alone".into()),
            Claim::Returns(what) => subject.returns(what),
            Claim::Has(number, noun) => {
                if let Noun::CallOf(name) = noun {
                    name.must_be_called_in(raw)?;
                }
                if !subject.can_have(noun) {
                    return Err(format!("{noun:?} of this can't be counted"));
                }
                let count = subject.count(noun);
                let holds = match number {
                    Number::Exactly(n) => count == *n,
                    Number::Some => count > 0,
                };
                if holds {
                    Ok(())
                } else {
                    Err(format!("{number:?} {noun:?} expected, but {count} {}", noun.word()))
                }
            }
        }
    }
}

impl Noun {
    fn parse(text: &str) -> Result<Noun, String> {
        if let Some((what, name)) = text.split_once(" of ") {
            return match what {
                "call" | "calls" => Ok(Noun::CallOf(Name::parse(name)?)),
                "c_call" | "c_calls" => Ok(Noun::CCallOf(name.to_owned())),
                _ => Err(format!("`{what}` of what?")),
            };
        }
        Noun::singular(text)
            .or_else(|| Noun::singular(text.strip_suffix('s')?))
            .ok_or_else(|| format!("`{text}` can't be counted"))
    }

    fn singular(text: &str) -> Option<Noun> {
        Some(match text {
            "call" => Noun::Call,
            "indirect call" => Noun::IndirectCall,
            "method call" => Noun::MethodCall,
            "allocation" => Noun::Allocation,
            "closure" => Noun::Closure,
            "capture" => Noun::Capture,
            "branch" | "branche" => Noun::Branch,
            "loop" => Noun::Loop,
            "raise" => Noun::Raise,
            "try" => Noun::Try,
            "parameter" => Noun::Parameter,
            _ => match text.strip_prefix("static ") {
                Some(shape) if SHAPES.contains(&shape) => Noun::Static(shape.to_owned()),
                None if MNEMONICS.contains(&text) => Noun::Prim(text.to_owned()),
                _ => return None,
            },
        })
    }

    /// For messages.
    fn word(&self) -> String {
        match self {
            Noun::Prim(name) => name.clone(),
            _ => format!("{self:?}").to_lowercase(),
        }
    }
}
