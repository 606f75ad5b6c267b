//! Expressions, from the comma operator down to unary operators (C11 6.5).

use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Sign, TokenKind};
use crate::frontend::c::unit::{BinaryOperator, ExpressionId, HoleCause, Operation, UnaryOperator};

/// A binary operator, and how tightly it binds.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOperator, u32)> {
    use BinaryOperator as B;
    let TokenKind::Sign(sign) = kind else { return None };
    Some(match sign {
        Sign::Star => (B::Multiply, 10),
        Sign::Slash => (B::Divide, 10),
        Sign::Percent => (B::Remainder, 10),
        Sign::Plus => (B::Add, 9),
        Sign::Minus => (B::Subtract, 9),
        Sign::ShiftLeft => (B::ShiftLeft, 8),
        Sign::ShiftRight => (B::ShiftRight, 8),
        Sign::Less => (B::Less, 7),
        Sign::Greater => (B::Greater, 7),
        Sign::LessEqual => (B::LessEqual, 7),
        Sign::GreaterEqual => (B::GreaterEqual, 7),
        Sign::Equal => (B::Equal, 6),
        Sign::NotEqual => (B::NotEqual, 6),
        Sign::BitAnd => (B::BitAnd, 5),
        Sign::BitXor => (B::BitXor, 4),
        Sign::BitOr => (B::BitOr, 3),
        Sign::And => (B::And, 2),
        Sign::Or => (B::Or, 1),
        _ => return None,
    })
}

/// The operator of a compound assignment.
fn assignment_operator(kind: TokenKind) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    let TokenKind::Sign(sign) = kind else { return None };
    Some(match sign {
        Sign::MultiplyAssign => B::Multiply,
        Sign::DivideAssign => B::Divide,
        Sign::RemainderAssign => B::Remainder,
        Sign::AddAssign => B::Add,
        Sign::SubtractAssign => B::Subtract,
        Sign::ShiftLeftAssign => B::ShiftLeft,
        Sign::ShiftRightAssign => B::ShiftRight,
        Sign::BitAndAssign => B::BitAnd,
        Sign::BitXorAssign => B::BitXor,
        Sign::BitOrAssign => B::BitOr,
        _ => return None,
    })
}

impl Reader<'_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        let mut left = self.assignment_expression()?;
        while self.accept(Sign::Comma) {
            let right = self.assignment_expression()?;
            let right = self.unit.value(right);
            let ty = self.unit.type_of(right);
            let range = self.since(start);
            left = self.unit.add_value(Operation::Comma(left, right), ty, range);
        }
        Ok(left)
    }

    pub(super) fn assignment_expression(&mut self) -> Parsed<ExpressionId> {
        self.nested(|reader| {
            let start = reader.start();
            let left = reader.conditional_expression()?;
            if reader.accept(Sign::Assign) {
                let right = reader.assignment_expression()?;
                let range = reader.since(start);
                return Ok(reader.unit.assignment(left, right, range));
            }
            if let Some(operator) = assignment_operator(reader.kind()) {
                reader.bump();
                let right = reader.assignment_expression()?;
                let range = reader.since(start);
                return Ok(reader.unit.compound_assignment(operator, left, right, range));
            }
            Ok(left)
        })
    }

    pub(super) fn conditional_expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        let condition = self.binary_expression(0)?;
        if !self.accept(Sign::Question) {
            return Ok(condition);
        }
        self.nested(|reader| {
            let then = if reader.is(Sign::Colon) { None } else { Some(reader.expression()?) };
            reader.expect(Sign::Colon)?;
            let otherwise = reader.conditional_expression()?;
            let range = reader.since(start);
            Ok(reader.unit.conditional(condition, then, otherwise, range))
        })
    }

    /// Operators that bind more tightly than `outer`.
    fn binary_expression(&mut self, outer: u32) -> Parsed<ExpressionId> {
        let start = self.start();
        let mut left = self.cast_expression()?;
        while let Some((operator, tightness)) = binary_operator(self.kind()).filter(|(_, tightness)| *tightness > outer)
        {
            self.bump();
            let right = self.binary_expression(tightness)?;
            let range = self.since(start);
            left = self.unit.binary(operator, left, right, range);
        }
        Ok(left)
    }

    pub(super) fn cast_expression(&mut self) -> Parsed<ExpressionId> {
        if !self.is(Sign::LeftParenthesis) || !self.is_type_at(1) && !self.is_undeclared_cast() {
            return self.unary_expression();
        }
        self.nested(|reader| {
            let start = reader.start();
            reader.bump();
            let ty = reader.type_name()?;
            reader.expect(Sign::RightParenthesis)?;
            if reader.is(Sign::LeftBrace) {
                let literal = reader.compound_literal(ty, start)?;
                return reader.postfix(literal, start);
            }
            let operand = reader.cast_expression()?;
            let range = reader.since(start);
            let id = reader.unit.converted(operand, ty, true);
            reader.unit.expressions[id.index()].range = range;
            Ok(id)
        })
    }

    /// Do a name that nothing declares, in parentheses, and an operand follow: `(other_t) x`?
    fn is_undeclared_cast(&self) -> bool {
        let TokenKind::Name(name) = self.kind_at(1) else { return false };
        let is_operand = matches!(
            self.kind_at(3),
            TokenKind::Name(_) | TokenKind::Number | TokenKind::Character | TokenKind::String
        );
        self.scopes.symbol(name).is_none() && self.is_at(2, Sign::RightParenthesis) && is_operand
    }

    pub(super) fn unary_expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        let operator = match self.kind() {
            TokenKind::Sign(Sign::Plus) => UnaryOperator::Plus,
            TokenKind::Sign(Sign::Minus) => UnaryOperator::Minus,
            TokenKind::Sign(Sign::Complement) => UnaryOperator::Complement,
            TokenKind::Sign(Sign::Not) => UnaryOperator::Not,
            TokenKind::Keyword(Keyword::Real) => UnaryOperator::Real,
            TokenKind::Keyword(Keyword::Imaginary) => UnaryOperator::Imaginary,
            TokenKind::Sign(sign @ (Sign::Increment | Sign::Decrement)) => {
                self.bump();
                let operand = self.nested(Self::unary_expression)?;
                let range = self.since(start);
                return Ok(self.unit.step(operand, sign == Sign::Increment, false, range));
            }
            TokenKind::Sign(sign @ (Sign::BitAnd | Sign::Star)) => {
                self.bump();
                let operand = self.nested(Self::cast_expression)?;
                let range = self.since(start);
                return Ok(if sign == Sign::Star {
                    self.unit.dereference(operand, range)
                } else {
                    self.unit.address(operand, range)
                });
            }
            TokenKind::Sign(Sign::And) => return self.label_address(),
            TokenKind::Keyword(Keyword::Extension) => {
                self.bump();
                return self.nested(Self::cast_expression);
            }
            TokenKind::Keyword(Keyword::Sizeof) => return self.nested(Self::size_of_expression),
            TokenKind::Keyword(Keyword::Alignof) => return self.nested(Self::align_of_expression),
            _ => {
                let primary = self.primary_expression()?;
                return self.postfix(primary, start);
            }
        };
        self.bump();
        let operand = self.nested(Self::cast_expression)?;
        let range = self.since(start);
        Ok(self.unit.unary(operator, operand, range))
    }

    /// `&&label`
    fn label_address(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        self.bump();
        let name = self.expect_name()?;
        let label = self.label(name)?;
        self.unit.labels[label.index()].is_taken = true;
        let void = self.unit.types.of(crate::frontend::c::types::TypeKind::Void);
        let ty = self.unit.types.pointer(void);
        let range = self.since(start);
        Ok(self.unit.add_value(Operation::LabelAddress(label), ty, range))
    }

    fn size_of_expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        self.bump();
        let (of, operand) = if self.is(Sign::LeftParenthesis) && self.is_type_at(1) {
            let opens = self.start();
            self.bump();
            let ty = self.type_name()?;
            self.expect(Sign::RightParenthesis)?;
            if self.is(Sign::LeftBrace) {
                let literal = self.compound_literal(ty, opens)?;
                let operand = self.postfix(literal, opens)?;
                (self.unit.type_of(operand), Some(operand))
            } else {
                (ty, None)
            }
        } else {
            let operand = self.unary_expression()?;
            (self.unit.type_of(operand), Some(operand))
        };
        let ty = self.unit.types.size_type();
        let range = self.since(start);
        Ok(self.unit.add_value(Operation::SizeOf { of, operand }, ty, range))
    }

    fn align_of_expression(&mut self) -> Parsed<ExpressionId> {
        let start = self.start();
        self.bump();
        let of = if self.is(Sign::LeftParenthesis) && self.is_type_at(1) {
            self.bump();
            let ty = self.type_name()?;
            self.expect(Sign::RightParenthesis)?;
            Some(ty)
        } else {
            self.unary_expression()?;
            None
        };
        let ty = self.unit.types.size_type();
        let range = self.since(start);
        Ok(self.unit.add_value(Operation::AlignOf(of), ty, range))
    }

    /// What follows a primary expression.
    pub(super) fn postfix(&mut self, mut id: ExpressionId, start: u32) -> Parsed<ExpressionId> {
        loop {
            match self.kind() {
                TokenKind::Sign(Sign::LeftBracket) => {
                    self.bump();
                    let index = self.nested(Self::expression)?;
                    self.expect(Sign::RightBracket)?;
                    let range = self.since(start);
                    id = self.unit.subscript(id, index, range);
                }
                TokenKind::Sign(Sign::LeftParenthesis) => {
                    let arguments = self.arguments()?;
                    let range = self.since(start);
                    id = self.unit.call(id, arguments, range);
                }
                TokenKind::Sign(sign @ (Sign::Dot | Sign::Arrow)) => {
                    self.bump();
                    let name = self.expect_name()?;
                    let range = self.since(start);
                    id = self.member_of(id, name, sign == Sign::Arrow, range);
                }
                TokenKind::Sign(sign @ (Sign::Increment | Sign::Decrement)) => {
                    self.bump();
                    let range = self.since(start);
                    id = self.unit.step(id, sign == Sign::Increment, true, range);
                }
                _ => return Ok(id),
            }
        }
    }

    /// `(…)` behind a function.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<ExpressionId>> {
        self.bump();
        let mut arguments = Vec::new();
        if self.accept(Sign::RightParenthesis) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment_expression()?);
            if self.accept(Sign::RightParenthesis) {
                return Ok(arguments);
            }
            if !self.accept(Sign::Comma) {
                return Err(self.failure(HoleCause::Syntax));
            }
        }
    }
}
