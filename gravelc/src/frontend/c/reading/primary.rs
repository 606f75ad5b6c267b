//! Primary expressions, and builtins that take types (C11 6.5.1, 6.5.2).

use super::literals::{self, Number};
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Name, Sign, TokenKind};
use crate::frontend::c::types::{IntegerType, Qualifiers, Reason, Type, TypeKind, are_compatible, size_of};
use crate::frontend::c::unit::{
    Category, ExpressionId, HoleCause, Linkage, Operation, Span, StatementKind, Storage, Symbol, SymbolId, SymbolKind,
    integer_value,
};

/// What the name `NULL` stands for.
const NULL: &str = "__gravel_null";

/// The names by which a function may ask for its own.
const FUNCTION_NAMES: [&str; 3] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"];

impl Reader<'_> {
    pub(super) fn primary_expression(&mut self) -> Parsed<ExpressionId> {
        let token = self.token();
        let range = token.start..token.end;
        match token.kind {
            TokenKind::Name(name) => self.name_expression(name, range),
            TokenKind::Number => {
                self.bump();
                let text = String::from_utf8_lossy(&self.text[token.range()]).into_owned();
                Ok(self.number_expression(&text, range))
            }
            TokenKind::Character => {
                self.bump();
                let target = self.unit.types.target;
                Ok(match literals::character(&self.text[token.range()], &target) {
                    Some((value, ty)) => {
                        let ty = self.unit.types.integer(ty);
                        self.unit.add_value(Operation::Integer(value), ty, range)
                    }
                    None => self.unit.add_unknown(Reason::BadConstant, Vec::new(), range),
                })
            }
            TokenKind::String => Ok(self.string_expression()),
            TokenKind::Sign(Sign::LeftParenthesis) => self.nested(Self::parenthesized),
            TokenKind::Keyword(keyword) => self.nested(|reader| reader.keyword_expression(keyword)),
            _ => Err(self.failure(HoleCause::Syntax)),
        }
    }

    fn parenthesized(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        self.bump();
        let id = if self.is(Sign::LeftBrace) { self.statement_expression(start)? } else { self.expression()? };
        self.expect(Sign::RightParenthesis)?;
        self.unit.expressions[id.index()].range = self.since(start);
        Ok(id)
    }

    /// `({ … })`
    fn statement_expression(&mut self, start: u32) -> Parsed<ExpressionId> {
        if self.bodies.is_empty() {
            return Err(self.failure(HoleCause::Syntax));
        }
        let bounds = std::mem::take(&mut self.bounds);
        let block = self.block();
        self.bounds = bounds;
        let block = block?;
        let last = match &self.unit.statement(block).kind {
            StatementKind::Block(items) => items.last().copied(),
            _ => None,
        };
        let ty = match last.map(|last| self.unit.statement(last).kind.clone()) {
            Some(StatementKind::Expression(id)) => {
                let value = self.unit.value(id);
                if let Some(last) = last {
                    self.unit.statements[last.index()].kind = StatementKind::Expression(value);
                }
                self.unit.type_of(value).unqualified()
            }
            _ => self.unit.types.of(TypeKind::Void),
        };
        let range = self.since(start);
        Ok(self.unit.add_value(Operation::StatementExpression(block), ty, range))
    }

    fn number_expression(&mut self, text: &str, range: Span) -> ExpressionId {
        let target = self.unit.types.target;
        match literals::number(text, &target) {
            Some(Number::Integer(value, ty)) => {
                let ty = self.unit.types.integer(ty);
                self.unit.add_value(Operation::Integer(value), ty, range)
            }
            Some(Number::Float { value, float, is_imaginary }) => {
                let ty = if is_imaginary {
                    self.unit.complex_type(float)
                } else {
                    self.unit.types.of(TypeKind::Float(float))
                };
                self.unit.add_value(Operation::Float { value, is_imaginary }, ty, range)
            }
            Some(Number::ImaginaryInteger) => self.unit.add_unknown(Reason::ComplexInteger, Vec::new(), range),
            None => self.unit.add_unknown(Reason::BadConstant, Vec::new(), range),
        }
    }

    /// Adjacent string literals.
    fn string_expression(&mut self) -> ExpressionId {
        let start = self.start();
        let first = self.at;
        while self.kind() == TokenKind::String {
            self.bump();
        }
        let target = self.unit.types.target;
        let texts = self.tokens[first..self.at].iter().map(|token| &self.text[token.range()]);
        let found = literals::string(texts, &target);
        let range = self.since(start);
        match found {
            Some((element, length)) => {
                let ty = self.unit.string_type(element, length);
                self.unit.add(Operation::String { length }, ty, Category::Object, range)
            }
            None => self.unit.add_unknown(Reason::BadConstant, Vec::new(), range),
        }
    }

    fn name_expression(&mut self, name: Name, range: Span) -> Parsed<ExpressionId> {
        if let Some(builtin) = self.builtin_of(name)
            && let Some(id) = self.builtin_expression(builtin, &range)?
        {
            return Ok(id);
        }
        if let Some(symbol) = self.scopes.symbol(name) {
            if self.unit.symbol(symbol).kind == SymbolKind::Typedef {
                return Err(self.failure(HoleCause::Syntax));
            }
            self.bump();
            return Ok(self.symbol_expression(symbol, range));
        }
        self.bump();
        let spelled = self.unit.names.text(name).to_string();
        if let (true, Some(body)) = (FUNCTION_NAMES.contains(&spelled.as_str()), self.bodies.last()) {
            let length = self.unit.names.text(body.name).len() as u64 + 1;
            let ty = self.unit.string_type(IntegerType::Char, length);
            let ty = self.unit.types.qualified(ty, Qualifiers::CONST);
            return Ok(self.unit.add(Operation::FunctionName, ty, Category::Object, range));
        }
        if !self.is(Sign::LeftParenthesis) {
            return Ok(self.unit.add_unknown(Reason::UndeclaredName, Vec::new(), range));
        }
        if let Some(call) = self.builtin_call(&spelled, &range)? {
            return Ok(call);
        }
        let symbol = match self.builtin_symbol(name, &spelled) {
            Some(symbol) => symbol,
            None => self.implicit_function(name, &range),
        };
        Ok(self.symbol_expression(symbol, range))
    }

    /// The builtin that the name of a macro stands for, unless the text declares something else of this name.
    fn builtin_of(&self, name: Name) -> Option<&'static str> {
        let builtin = self.builtins.get(&name)?;
        self.scopes.symbol(name).is_none_or(|id| self.unit.is_stand_in(id)).then_some(*builtin)
    }

    /// The expression that a builtin begins. None, if it needs brackets and there are none.
    fn builtin_expression(&mut self, builtin: &str, range: &Span) -> Parsed<Option<ExpressionId>> {
        if builtin == NULL {
            self.bump();
            let int = self.unit.types.int();
            let zero = self.unit.add_value(Operation::Integer(0), int, range.clone());
            let void = self.unit.types.of(TypeKind::Void);
            let pointer = self.unit.types.pointer(void);
            return Ok(Some(self.unit.converted(zero, pointer, true)));
        }
        if !self.is_at(1, Sign::LeftParenthesis) {
            return Ok(None);
        }
        match self.unit.names.word(builtin) {
            Err(keyword) => self.nested(|reader| reader.keyword_expression(keyword)).map(Some),
            Ok(name) => {
                self.bump();
                if let Some(call) = self.builtin_call(builtin, range)? {
                    return Ok(Some(call));
                }
                let symbol = self.builtin_symbol(name, builtin);
                Ok(symbol.map(|symbol| self.symbol_expression(symbol, range.clone())))
            }
        }
    }

    fn symbol_expression(&mut self, symbol: SymbolId, range: Span) -> ExpressionId {
        let ty = self.unit.symbol(symbol).ty;
        let is_value = matches!(self.unit.symbol(symbol).kind, SymbolKind::Enumerator(_));
        let category = if is_value { Category::Value } else { Category::Object };
        self.unit.add(Operation::Symbol(symbol), ty, category, range)
    }

    /// A function that is called and has not been declared: `int name()` (C90 3.3.2.2); if a header that is not read may
    /// declare it, it is not known what it gives.
    fn implicit_function(&mut self, name: Name, range: &Span) -> SymbolId {
        if let Some(known) = self.linked.get(&name).filter(|id| self.unit.symbol(**id).kind == SymbolKind::Function) {
            return *known;
        }
        let result = if self.lacks_declarations {
            self.unit.types.unknown(Reason::UndeclaredName)
        } else {
            self.unit.types.int()
        };
        let ty = self.undeclared_function(result, Vec::new(), false, false);
        let mut symbol =
            Symbol::new(Some(name), SymbolKind::Function, ty, range.clone(), Linkage::External, Storage::Static);
        symbol.is_implicit = true;
        let id = self.add_symbol(symbol);
        self.linked.insert(name, id);
        self.unit.globals.push(id);
        id
    }

    /// `base.name` or `base->name`
    pub(super) fn member_of(&mut self, base: ExpressionId, name: Name, is_arrow: bool, range: Span) -> ExpressionId {
        let base = if is_arrow {
            let span = self.unit.span(base);
            self.unit.dereference(base, span)
        } else {
            base
        };
        let record = self.unit.types.as_record(self.unit.type_of(base).id);
        match record.and_then(|record| self.unit.types.find_member(record, name)) {
            Some(found) => self.unit.member(base, found.path, is_arrow, range),
            None => self.unit.add_unknown(Reason::NoSuchMember, vec![base], range),
        }
    }

    /// `(type){ … }`
    pub(super) fn compound_literal(&mut self, ty: Type, start: u32) -> Parsed<ExpressionId> {
        let (initialiser, ty) = self.initialiser(ty)?;
        let range = self.since(start);
        let storage = if self.bodies.is_empty() { Storage::Static } else { Storage::Automatic };
        let mut symbol = Symbol::new(None, SymbolKind::Object, ty, range.clone(), Linkage::None, storage);
        symbol.is_defined = true;
        symbol.initialiser = Some(initialiser);
        let id = self.add_symbol(symbol);
        Ok(self.unit.add(Operation::CompoundLiteral(id), ty, Category::Object, range))
    }

    fn keyword_expression(&mut self, keyword: Keyword) -> Parsed<ExpressionId> {
        let start = self.start();
        let failure = self.failure(HoleCause::Syntax);
        self.bump();
        if !self.is(Sign::LeftParenthesis) {
            return Err(failure);
        }
        self.bump();
        let id = match keyword {
            Keyword::Generic => self.generic_selection(start)?,
            Keyword::BuiltinOffsetof => self.offset_of(start)?,
            Keyword::BuiltinTypesCompatible => {
                let one = self.type_name()?;
                self.expect(Sign::Comma)?;
                let other = self.type_name()?;
                let is = are_compatible(&self.unit.types, one.id, other.id);
                let ty = self.unit.types.int();
                let range = self.since(start);
                self.unit.add_value(Operation::Integer(i128::from(is)), ty, range)
            }
            Keyword::BuiltinVaArgument => {
                let list = self.assignment_expression()?;
                self.expect(Sign::Comma)?;
                let ty = self.type_name()?;
                let ty = self.unit.types.plain(ty.id).into();
                let range = self.since(start);
                self.unit.add_value(Operation::VariadicArgument(list), ty, range)
            }
            Keyword::BuiltinChooseExpression => {
                let condition = self.assignment_expression()?;
                self.expect(Sign::Comma)?;
                let one = self.assignment_expression()?;
                self.expect(Sign::Comma)?;
                let other = self.assignment_expression()?;
                match integer_value(&self.unit, condition) {
                    Some(0) => other,
                    Some(_) => one,
                    None => self.unit.add_unknown(Reason::BadConstant, vec![condition, one, other], start..start),
                }
            }
            _ => return Err(failure),
        };
        self.expect(Sign::RightParenthesis)?;
        self.unit.expressions[id.index()].range = self.since(start);
        Ok(id)
    }

    /// `_Generic(…)`: the expression of the association that fits (C11 6.5.1.1).
    fn generic_selection(&mut self, start: u32) -> Parsed<ExpressionId> {
        let controlling = self.assignment_expression()?;
        let controlling = self.unit.value(controlling);
        let ty = self.unit.type_of(controlling).unqualified();
        let mut chosen = None;
        let mut default = None;
        let mut others = Vec::new();
        while self.accept(Sign::Comma) {
            if self.accept_keyword(Keyword::Default) {
                self.expect(Sign::Colon)?;
                default = Some(self.assignment_expression()?);
                continue;
            }
            let associated = self.type_name()?;
            self.expect(Sign::Colon)?;
            let id = self.assignment_expression()?;
            others.push(id);
            let fits =
                associated.qualifiers == Qualifiers::NONE && are_compatible(&self.unit.types, associated.id, ty.id);
            if fits {
                chosen = chosen.or(Some(id));
            }
        }
        let is_known = self.unit.types.reason(ty.id).is_none();
        let range = self.since(start);
        match chosen.or(default).filter(|_| is_known) {
            Some(id) => Ok(id),
            None => {
                others.extend(default);
                others.insert(0, controlling);
                Ok(self.unit.add_unknown(Reason::NoAssociation, others, range))
            }
        }
    }

    /// `__builtin_offsetof(type, a.b[2])`
    fn offset_of(&mut self, start: u32) -> Parsed<ExpressionId> {
        let mut ty = self.type_name()?;
        self.expect(Sign::Comma)?;
        let mut offset = Some(0_u64);
        let mut is_first = true;
        loop {
            if is_first || self.accept(Sign::Dot) {
                let name = self.expect_name()?;
                let record = self.unit.types.as_record(ty.id);
                let found = record.and_then(|record| self.unit.types.find_member(record, name));
                let is_laid_out = record.is_some_and(|record| self.unit.types.record(record).layout.is_some());
                match found {
                    Some(found) => {
                        offset =
                            offset.filter(|_| is_laid_out).and_then(|offset| offset.checked_add(found.bit_offset / 8));
                        for number in found.path {
                            let record = self.unit.types.as_record(ty.id);
                            let member = record.and_then(|id| self.unit.types.record(id).members.get(number as usize));
                            ty = member.map_or(ty, |member| member.ty);
                        }
                    }
                    None => {
                        offset = None;
                        ty = self.unit.types.unknown(Reason::NoSuchMember);
                    }
                }
                is_first = false;
            } else if self.accept(Sign::LeftBracket) {
                let index = self.expression()?;
                self.expect(Sign::RightBracket)?;
                let element = match self.unit.types.kind(ty.id) {
                    TypeKind::Array { element, .. } => Some(element),
                    _ => None,
                };
                let size = element.and_then(|element| size_of(&self.unit.types, element));
                let index = integer_value(&self.unit, index).and_then(|index| u64::try_from(index).ok());
                let bytes = size.zip(index).and_then(|(size, index)| size.checked_mul(index));
                offset = offset.zip(bytes).and_then(|(offset, bytes)| offset.checked_add(bytes));
                ty = element.unwrap_or(ty);
            } else {
                break;
            }
        }
        let ty = self.unit.types.size_type();
        let range = self.since(start);
        Ok(self.unit.add_value(Operation::OffsetOf(offset), ty, range))
    }
}
