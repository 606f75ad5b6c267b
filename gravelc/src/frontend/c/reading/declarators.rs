//! Declarators (C11 6.7.6).

use super::attributes::Written;
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Name, Sign, TokenKind};
use crate::frontend::c::types::{ArrayLength, FunctionType, Qualifiers, Reason, Type, TypeKind};
use crate::frontend::c::unit::{
    ExpressionId, HoleCause, Linkage, Span, Storage, Symbol, SymbolId, SymbolKind, integer_value, is_unspecified,
};

/// What a declarator says, from its name outwards.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Pointer(Qualifiers),
    Array {
        length: ArrayLength,
        /// Of the pointer that a parameter becomes.
        qualifiers: Qualifiers,
    },
    Function(Parameters),
}

/// The parameters of a function declarator.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    pub style: Style,
    pub is_variadic: bool,
    /// The lengths of variable-length arrays in them.
    pub bounds: Vec<ExpressionId>,
}

#[derive(Debug, Clone)]
pub(super) enum Style {
    /// Their types are declared.
    Prototype(Vec<SymbolId>),
    /// Names alone, or nothing at all.
    Names(Vec<(Name, Span)>),
}

/// A declarator.
#[derive(Debug, Clone)]
pub(super) struct Declarator {
    pub name: Option<Name>,
    /// From its first to its last byte.
    pub range: Span,
    pub parts: Vec<Part>,
    pub written: Written,
    /// `asm("name")`
    pub assembler_name: Option<Span>,
}

impl Reader<'_> {
    /// Reads a declarator; with `named`, it may have a name.
    pub(super) fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        let start = self.start();
        let mut declarator = Declarator {
            name: None,
            range: start..start,
            parts: Vec::new(),
            written: Written::default(),
            assembler_name: None,
        };
        self.declarator_parts(named, &mut declarator)?;
        declarator.range = self.since(start);
        self.attributes(&mut declarator.written)?;
        if self.accept_keyword(Keyword::Asm) {
            let start = self.start();
            self.skip_brackets()?;
            declarator.assembler_name = Some(self.since(start));
            self.attributes(&mut declarator.written)?;
        }
        Ok(declarator)
    }

    fn declarator_parts(&mut self, named: bool, declarator: &mut Declarator) -> Parsed<()> {
        self.nested(|reader| {
            let mut pointers = Vec::new();
            reader.attributes(&mut declarator.written)?;
            while reader.accept(Sign::Star) {
                pointers.push(Part::Pointer(reader.qualifiers(&mut declarator.written)?));
            }
            match reader.kind() {
                TokenKind::Name(name) if named => {
                    declarator.name = Some(name);
                    reader.bump();
                }
                TokenKind::Sign(Sign::LeftParenthesis) if reader.is_nested_declarator(named) => {
                    reader.bump();
                    reader.declarator_parts(named, declarator)?;
                    reader.expect(Sign::RightParenthesis)?;
                }
                _ => {}
            }
            loop {
                match reader.kind() {
                    TokenKind::Sign(Sign::LeftBracket) if !reader.is_at(1, Sign::LeftBracket) => {
                        let part = reader.array_part()?;
                        declarator.parts.push(part);
                    }
                    TokenKind::Sign(Sign::LeftParenthesis) => {
                        let parameters = reader.parameters()?;
                        declarator.parts.push(Part::Function(parameters));
                    }
                    _ => break,
                }
            }
            declarator.parts.extend(pointers.into_iter().rev());
            Ok(())
        })
    }

    /// Qualifiers and attributes behind a `*` or in brackets.
    fn qualifiers(&mut self, written: &mut Written) -> Parsed<Qualifiers> {
        let mut found = Qualifiers::NONE;
        loop {
            found = found
                | match self.kind() {
                    TokenKind::Keyword(Keyword::Const) => Qualifiers::CONST,
                    TokenKind::Keyword(Keyword::Volatile) => Qualifiers::VOLATILE,
                    TokenKind::Keyword(Keyword::Restrict) => Qualifiers::RESTRICT,
                    TokenKind::Keyword(Keyword::Atomic) => Qualifiers::ATOMIC,
                    TokenKind::Keyword(Keyword::Attribute) => {
                        self.attributes(written)?;
                        continue;
                    }
                    TokenKind::Keyword(Keyword::Extension) => Qualifiers::NONE,
                    _ => return Ok(found),
                };
            self.bump();
        }
    }

    /// Does a parenthesis enclose a declarator (rather than parameters)?
    fn is_nested_declarator(&self, named: bool) -> bool {
        match self.kind_at(1) {
            TokenKind::Sign(Sign::Star | Sign::LeftParenthesis | Sign::LeftBracket) => true,
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Name(_) => named && !self.is_type_at(1),
            _ => false,
        }
    }

    /// `[…]`
    fn array_part(&mut self) -> Parsed<Part> {
        self.bump();
        self.accept_keyword(Keyword::Static);
        let qualifiers = self.qualifiers(&mut Written::default())?;
        self.accept_keyword(Keyword::Static);
        let length = if self.accept(Sign::RightBracket) {
            return Ok(Part::Array { length: ArrayLength::Incomplete, qualifiers });
        } else if self.is(Sign::Star) && self.is_at(1, Sign::RightBracket) {
            self.bump();
            ArrayLength::Star
        } else {
            let id = self.nested(Self::assignment_expression)?;
            let id = self.unit.value(id);
            match integer_value(&self.unit, id).and_then(|length| u64::try_from(length).ok()) {
                Some(length) => ArrayLength::Constant(length),
                None if is_unspecified(&self.unit, id) => ArrayLength::Unspecified,
                None => {
                    self.bounds.push(id);
                    ArrayLength::Variable(id.0)
                }
            }
        };
        self.expect(Sign::RightBracket)?;
        Ok(Part::Array { length, qualifiers })
    }

    /// `(…)` behind a declarator.
    fn parameters(&mut self) -> Parsed<Parameters> {
        self.bump();
        if let Some(names) = self.parameter_names() {
            return Ok(Parameters { style: Style::Names(names), is_variadic: false, bounds: Vec::new() });
        }
        let outer = self.scopes.depth();
        let before = std::mem::take(&mut self.bounds);
        self.scopes.enter();
        let read = self.nested(Self::prototype);
        self.scopes.leave_to(outer);
        let bounds = std::mem::replace(&mut self.bounds, before);
        let (parameters, is_variadic) = read?;
        Ok(Parameters { style: Style::Prototype(parameters), is_variadic, bounds })
    }

    /// Names alone, or nothing: `()`, `(a, b)`. The brackets are read if so.
    fn parameter_names(&mut self) -> Option<Vec<(Name, Span)>> {
        let mut names = Vec::new();
        let mut ahead = 0;
        if !self.is(Sign::RightParenthesis) {
            loop {
                let TokenKind::Name(name) = self.kind_at(ahead) else { return None };
                if self.scopes.symbol(name).is_some_and(|id| self.unit.symbol(id).kind == SymbolKind::Typedef) {
                    return None;
                }
                let token = self.tokens[self.at + ahead];
                names.push((name, token.start..token.end));
                ahead += 1;
                if self.is_at(ahead, Sign::RightParenthesis) {
                    break;
                }
                if !self.is_at(ahead, Sign::Comma) {
                    return None;
                }
                ahead += 1;
            }
            // Without a definition behind it this names types that nothing declares.
            let is_definition = self.is_at(ahead + 1, Sign::LeftBrace) || self.is_type_at(ahead + 1);
            if !is_definition {
                return None;
            }
        }
        for _ in 0..=ahead {
            self.bump();
        }
        Some(names)
    }

    fn prototype(&mut self) -> Parsed<(Vec<SymbolId>, bool)> {
        let mut parameters = Vec::new();
        loop {
            if self.accept(Sign::Ellipsis) {
                self.expect(Sign::RightParenthesis)?;
                return Ok((parameters, true));
            }
            let start = self.start();
            let specifiers = self.specifiers(false)?;
            let declarator = self.declarator(true)?;
            let is_void = self.unit.types.kind(specifiers.ty.id) == TypeKind::Void && declarator.parts.is_empty();
            if is_void && declarator.name.is_none() && parameters.is_empty() && self.is(Sign::RightParenthesis) {
                self.bump();
                return Ok((parameters, false));
            }
            let base = self.with_attributes(specifiers.ty, &declarator.written);
            let ty = self.built(base, &declarator);
            let ty = self.parameter_type(ty, &declarator);
            let range = if declarator.name.is_some() { declarator.range } else { start..self.end() };
            parameters.push(self.add_parameter(declarator.name, ty, range));
            if self.accept(Sign::RightParenthesis) {
                return Ok((parameters, false));
            }
            self.expect(Sign::Comma)?;
        }
    }

    /// A parameter's type: of an array the pointer, with the qualifiers in its brackets.
    pub(super) fn parameter_type(&mut self, ty: Type, declarator: &Declarator) -> Type {
        let adjusted = self.unit.adjusted_parameter(ty);
        match declarator.parts.first() {
            Some(Part::Array { qualifiers, .. }) => adjusted.and(*qualifiers),
            _ => adjusted,
        }
    }

    /// Declares a parameter in the innermost scope.
    pub(super) fn add_parameter(&mut self, name: Option<Name>, ty: Type, range: Span) -> SymbolId {
        let mut symbol = Symbol::new(name, SymbolKind::Parameter, ty, range, Linkage::None, Storage::Automatic);
        symbol.is_defined = true;
        let id = self.add_symbol(symbol);
        if let Some(name) = name {
            self.scopes.declare(name, id);
        }
        id
    }

    /// The type of what the declarator declares.
    pub(super) fn built(&mut self, base: Type, declarator: &Declarator) -> Type {
        let mut ty = base;
        for part in declarator.parts.iter().rev() {
            ty = self.with_part(ty, part);
        }
        ty
    }

    fn with_part(&mut self, ty: Type, part: &Part) -> Type {
        let kind = self.unit.types.kind(ty.id);
        match part {
            Part::Pointer(qualifiers) => self.unit.types.pointer(ty).and(*qualifiers),
            Part::Array { length, .. } => match kind {
                TypeKind::Function(_) | TypeKind::Void => self.unit.types.unknown(Reason::BadType),
                TypeKind::Unknown(_) => ty,
                _ => self.unit.types.array(ty, *length),
            },
            Part::Function(parameters) => {
                let result = match kind {
                    TypeKind::Function(_) | TypeKind::Array { .. } => self.unit.types.unknown(Reason::BadType),
                    _ => ty,
                };
                let (types, has_prototype) = match &parameters.style {
                    Style::Prototype(parameters) => {
                        let types = parameters.iter().map(|id| self.unit.symbol(*id).ty.unqualified());
                        (types.collect(), true)
                    }
                    Style::Names(_) => (Vec::new(), false),
                };
                let is_variadic = parameters.is_variadic;
                self.unit.types.function_type(FunctionType { result, parameters: types, is_variadic, has_prototype })
            }
        }
    }

    /// A declarator that must have a name.
    pub(super) fn named_declarator(&mut self) -> Parsed<(Name, Declarator)> {
        let failure = self.failure(HoleCause::Syntax);
        let declarator = self.declarator(true)?;
        declarator.name.map(|name| (name, declarator)).ok_or(failure)
    }
}
