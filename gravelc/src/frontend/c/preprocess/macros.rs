//! Definitions of macros (ISO C 6.10.3).

use std::rc::Rc;

use super::dialect::Dialect;
use super::problem::ProblemKind;
use super::symbols::{Symbol, known};
use super::token::{Flags, Token, TokenKind};

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    /// The parameters; none at all, without parentheses, for one that is like an object.
    pub parameters: Option<Parameters>,
    pub body: Vec<Part>,
    /// It stays a name in the program's own text.
    pub stays: bool,
    pub builtin: Option<Builtin>,
}

/// The parameters of a macro that is like a function.
#[derive(Debug)]
pub(super) struct Parameters {
    pub names: Vec<Symbol>,
    /// The last one takes all arguments that are left.
    pub is_variadic: bool,
}

/// One element of a macro's body.
#[derive(Debug)]
pub(super) struct Part {
    pub token: Token,
    pub kind: PartKind,
    /// `#` stands in front.
    pub stringify: bool,
    /// `##` stands in front.
    pub pasted: bool,
    /// `##` stands behind.
    pub pastes: bool,
}

#[derive(Debug)]
pub(super) enum PartKind {
    Token,
    Parameter(usize),
    /// `__VA_OPT__(…)`.
    Optional(Vec<Part>),
}

/// A macro whose value the preprocessor makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    File,
    FileName,
    BaseFile,
    Line,
    Date,
    Time,
    Timestamp,
    IncludeLevel,
    Counter,
    HasInclude,
    HasIncludeNext,
    /// `__has_attribute` and what else only the compiler can answer.
    Asked,
}

impl Builtin {
    /// Those that are names alone: they exist with every compiler but for `__FILE_NAME__`.
    pub(super) const NAMES: &[(&str, Self)] = &[
        ("__FILE__", Self::File),
        ("__FILE_NAME__", Self::FileName),
        ("__BASE_FILE__", Self::BaseFile),
        ("__LINE__", Self::Line),
        ("__DATE__", Self::Date),
        ("__TIME__", Self::Time),
        ("__TIMESTAMP__", Self::Timestamp),
        ("__INCLUDE_LEVEL__", Self::IncludeLevel),
        ("__COUNTER__", Self::Counter),
    ];
    /// Those with an argument, which exist where a compiler says so.
    pub(super) const QUESTIONS: &[(&str, Self)] = &[
        ("__has_include", Self::HasInclude),
        ("__has_include_next", Self::HasIncludeNext),
        ("__has_attribute", Self::Asked),
        ("__has_c_attribute", Self::Asked),
        ("__has_cpp_attribute", Self::Asked),
        ("__has_declspec_attribute", Self::Asked),
        ("__has_builtin", Self::Asked),
        ("__has_constexpr_builtin", Self::Asked),
        ("__has_feature", Self::Asked),
        ("__has_extension", Self::Asked),
        ("__has_warning", Self::Asked),
        ("__is_identifier", Self::Asked),
        ("__building_module", Self::Asked),
    ];

    /// Has it an argument in parentheses?
    pub(super) fn has_argument(self) -> bool {
        matches!(self, Self::HasInclude | Self::HasIncludeNext | Self::Asked)
    }
}

impl Macro {
    /// A macro of the preprocessor's own.
    pub(super) fn builtin(name: Symbol, builtin: Builtin) -> Self {
        Self { name, parameters: None, body: Vec::new(), stays: false, builtin: Some(builtin) }
    }

    /// The macro that the tokens behind `#define` define.
    pub(super) fn of_line(line: &[Token], dialect: &Dialect) -> Result<Self, ProblemKind> {
        let invalid = Err(ProblemKind::InvalidDefinition);
        let Some((name, mut rest)) = line.split_first() else { return invalid };
        if name.kind != TokenKind::Identifier || name.symbol == known::DEFINED {
            return invalid;
        }
        let mut parameters = None;
        match rest.first() {
            Some(open) if open.is(known::OPEN) && !open.flags.has(Flags::SPACE) => {
                let (found, behind) = Parameters::of_line(&rest[1..]).ok_or(ProblemKind::InvalidDefinition)?;
                parameters = Some(found);
                rest = behind;
            }
            _ => {}
        }
        let body = Body { parameters: parameters.as_ref(), dialect }.read(rest)?;
        Ok(Self { name: name.symbol, parameters, body, stays: false, builtin: None })
    }
}

impl Macro {
    /// Has it parameters of which its body has none, as `assert` has where `NDEBUG` is defined? Then arguments are not evaluated.
    pub(super) fn drops_its_arguments(&self) -> bool {
        let has_parameters =
            self.parameters.as_ref().is_some_and(|parameters| !parameters.names.is_empty() && !parameters.is_variadic);
        let is_used = |part: &Part| matches!(part.kind, PartKind::Parameter(_) | PartKind::Optional(_));
        has_parameters && !self.body.iter().any(is_used)
    }
}

impl Parameters {
    /// The parameters behind the opening parenthesis, and what stands behind the closing one.
    fn of_line(line: &[Token]) -> Option<(Self, &[Token])> {
        let mut names: Vec<Symbol> = Vec::new();
        let mut is_variadic = false;
        let mut rest = line;
        if let Some((_, behind)) = rest.split_first().filter(|(first, _)| first.is(known::CLOSE)) {
            return Some((Self { names, is_variadic }, behind));
        }
        loop {
            let (name, behind) = rest.split_first()?;
            rest = behind;
            if name.is(known::ELLIPSIS) {
                names.push(known::VA_ARGS);
                is_variadic = true;
            } else if name.kind == TokenKind::Identifier && name.symbol != known::VA_ARGS {
                if names.contains(&name.symbol) {
                    return None;
                }
                names.push(name.symbol);
                // GNU: the arguments have a name of their own.
                if let Some(behind) =
                    rest.split_first().filter(|(next, _)| next.is(known::ELLIPSIS)).map(|(_, rest)| rest)
                {
                    rest = behind;
                    is_variadic = true;
                }
            } else {
                return None;
            }
            let (next, behind) = rest.split_first()?;
            rest = behind;
            if next.is(known::CLOSE) {
                return Some((Self { names, is_variadic }, rest));
            }
            if !next.is(known::COMMA) || is_variadic {
                return None;
            }
        }
    }
}

/// What reads a body.
struct Body<'a> {
    parameters: Option<&'a Parameters>,
    dialect: &'a Dialect,
}

impl Body<'_> {
    fn read(&self, tokens: &[Token]) -> Result<Vec<Part>, ProblemKind> {
        let mut parts = self.parts(tokens, false)?;
        if let Some(first) = parts.first_mut() {
            first.token.flags.clear(Flags::SPACE);
        }
        Ok(parts)
    }

    /// The elements that the tokens are, those of `__VA_OPT__` or all.
    fn parts(&self, tokens: &[Token], is_inner: bool) -> Result<Vec<Part>, ProblemKind> {
        let mut parts: Vec<Part> = Vec::with_capacity(tokens.len());
        let mut at = 0;
        let mut pasted = false;
        // The space of an operator `#` is that of the string.
        let mut stringify: Option<Token> = None;
        while let Some(token) = tokens.get(at) {
            at += 1;
            if token.is(known::HASH_HASH) && stringify.is_none() {
                // Several in a row are one.
                let Some(last) = parts.last_mut() else {
                    return Err(ProblemKind::InvalidDefinition);
                };
                last.pastes = true;
                pasted = true;
                continue;
            }
            if token.is(known::HASH) && self.parameters.is_some() && stringify.is_none() {
                stringify = Some(*token);
                continue;
            }
            let kind = self.kind(token, tokens, &mut at, is_inner)?;
            let mut token = *token;
            token.flags.set(Flags::IN_BODY);
            if let Some(operator) = stringify {
                if matches!(kind, PartKind::Token) {
                    return Err(ProblemKind::InvalidDefinition);
                }
                token.flags.clear(Flags::SPACE);
                token.flags.set(operator.flags.only(Flags::SPACE));
            }
            parts.push(Part { token, kind, stringify: stringify.take().is_some(), pasted, pastes: false });
            pasted = false;
        }
        if pasted || stringify.is_some() {
            return Err(ProblemKind::InvalidDefinition);
        }
        Ok(parts)
    }

    /// What the token at `at - 1` is here; for `__VA_OPT__` `at` goes behind its closing parenthesis.
    fn kind(&self, token: &Token, tokens: &[Token], at: &mut usize, is_inner: bool) -> Result<PartKind, ProblemKind> {
        let Some(parameters) = self.parameters.filter(|_| token.kind == TokenKind::Identifier) else {
            return Ok(PartKind::Token);
        };
        if let Some(number) = parameters.names.iter().position(|name| *name == token.symbol) {
            return Ok(PartKind::Parameter(number));
        }
        if token.symbol != known::VA_OPT || !parameters.is_variadic || !self.dialect.va_opt {
            return Ok(PartKind::Token);
        }
        if is_inner || !tokens.get(*at).is_some_and(|next| next.is(known::OPEN)) {
            return Err(ProblemKind::InvalidDefinition);
        }
        let from = *at + 1;
        let mut depth = 1_usize;
        let mut to = from;
        while depth > 0 {
            let next = tokens.get(to).ok_or(ProblemKind::InvalidDefinition)?;
            if next.is(known::OPEN) {
                depth += 1;
            } else if next.is(known::CLOSE) {
                depth -= 1;
            }
            to += 1;
        }
        *at = to;
        let mut inner = self.parts(&tokens[from..to - 1], true)?;
        if let Some(first) = inner.first_mut() {
            first.token.flags.clear(Flags::SPACE);
        }
        Ok(PartKind::Optional(inner))
    }
}

/// The macros that are defined, one row per symbol.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

#[derive(Debug, Default)]
struct Row {
    current: Option<Rc<Macro>>,
    /// It is being expanded.
    is_disabled: bool,
    /// It was defined at some time, by whatever.
    was_defined: bool,
    /// What `#pragma push_macro` kept.
    pushed: Vec<Option<Rc<Macro>>>,
}

impl Table {
    fn row(&mut self, name: Symbol) -> &mut Row {
        if self.rows.len() <= name.index() {
            self.rows.resize_with(name.index() + 1, Row::default);
        }
        &mut self.rows[name.index()]
    }

    pub(super) fn find(&self, name: Symbol) -> Option<&Rc<Macro>> {
        self.rows.get(name.index())?.current.as_ref()
    }

    pub(super) fn is_disabled(&self, name: Symbol) -> bool {
        self.rows.get(name.index()).is_some_and(|row| row.is_disabled)
    }

    /// Was the symbol of this number defined at some time?
    pub(super) fn was_defined_at(&self, number: usize) -> bool {
        self.rows.get(number).is_some_and(|row| row.was_defined)
    }

    pub(super) fn disable(&mut self, name: Symbol, is_disabled: bool) {
        self.row(name).is_disabled = is_disabled;
    }

    pub(super) fn define(&mut self, definition: Macro) {
        let row = self.row(definition.name);
        row.was_defined = true;
        row.current = Some(Rc::new(definition));
    }

    pub(super) fn undefine(&mut self, name: Symbol) {
        self.row(name).current = None;
    }

    /// Notes a name that somebody has an opinion on, such as one of -U.
    pub(super) fn know(&mut self, name: Symbol) {
        self.row(name).was_defined = true;
    }

    pub(super) fn push(&mut self, name: Symbol) {
        let row = self.row(name);
        row.pushed.push(row.current.clone());
    }

    pub(super) fn pop(&mut self, name: Symbol) {
        let row = self.row(name);
        if let Some(kept) = row.pushed.pop() {
            row.current = kept;
        }
    }
}
