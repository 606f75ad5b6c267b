//! The values of expressions.
//!
//! Computation is described where C computes as the program's integers do: in signed types, of which an overflow is undefined,
//! and in floating types. Whatever may wrap, lose bits or change its sign is some value of its operands.

use super::designators::sum;
use super::lowering::Lowering;
use super::types::is_signed_integer;
use super::unread::OTHER_FORM;
use crate::frontend::c::types::{IntegerType, TypeKind};
use crate::frontend::c::unit::{
    BinaryOperator, Conversion, ExpressionId, Operation, SymbolKind, UnaryOperator, integer_value,
};
use crate::ir::{BinaryOperator as Sign, Callee, Expression, ExpressionKind, Span, UnaryOperator as Prefix};

impl Lowering<'_> {
    /// The value of an expression.
    pub fn value(&mut self, id: ExpressionId) -> Expression {
        let span = self.span_of(id);
        if let Some(value) = integer_value(self.unit, id).and_then(|value| i64::try_from(value).ok()) {
            return Self::number(value, span);
        }
        if self.hoisted.contains_key(&id) {
            return self.hoisted_value(id);
        }
        let computed = |operands| Expression::new(ExpressionKind::Computed(operands), span);
        let operation = &self.unit.expression(id).operation;
        match operation {
            Operation::Symbol(symbol) => match self.unit.symbol(*symbol).kind {
                SymbolKind::Enumerator(_) => {
                    let symbol = self.symbol(*symbol);
                    Expression::new(ExpressionKind::Symbol(symbol), span)
                }
                _ => {
                    self.name_functions(&[id]);
                    computed(Vec::new())
                }
            },
            Operation::Integer(_) | Operation::Float { .. } | Operation::String { .. } | Operation::FunctionName => {
                Expression::new(ExpressionKind::Literal, span)
            }
            Operation::LabelAddress(_) | Operation::AlignOf(_) | Operation::OffsetOf(_) => computed(Vec::new()),
            Operation::Convert { conversion, operand, .. } => self.converted(id, *conversion, *operand),
            Operation::Unary(operator, operand) => self.unary(id, *operator, *operand),
            Operation::Binary(operator, left, right) => self.binary(id, *operator, *left, *right),
            Operation::AddressOf(operand) => computed(self.on_the_way(*operand)),
            Operation::Conditional { condition, then: Some(then), otherwise }
                if self.holds_hoisted(*then) || self.holds_hoisted(*otherwise) =>
            {
                self.value_in_branches(id, *condition, *then, *otherwise)
            }
            Operation::Conditional { condition, then, otherwise } => {
                let mut operands = vec![self.condition(*condition)];
                operands.extend(then.map(|then| self.value(then)));
                operands.push(self.value(*otherwise));
                computed(operands)
            }
            Operation::Comma(left, right) => {
                let left = self.value(*left);
                if !self.has_effects(&left) {
                    return self.value(*right);
                }
                if self.holds_hoisted(*right) {
                    self.add_evaluations(vec![left]);
                    return self.value(*right);
                }
                let right = self.value(*right);
                computed(vec![left, right])
            }
            Operation::Test(operands) => computed(operands.iter().map(|operand| self.value(*operand)).collect()),
            Operation::SizeOf { of, .. } if !self.unit.types.is_variable(of.id) => computed(Vec::new()),
            Operation::Call { callee, arguments } => self.call_value(id, *callee, arguments),
            Operation::CompoundLiteral(symbol) => {
                let items = self.unit.symbol(*symbol).initialiser.iter().flat_map(|initialiser| &initialiser.items);
                let items: Vec<ExpressionId> = items.map(|item| item.value).collect();
                computed(items.into_iter().map(|item| self.initial_value(item)).collect())
            }
            Operation::Member { base, .. } if let Some(made) = self.value_with_member(*base) => {
                let made = self.value(made);
                computed(vec![made])
            }
            // An lvalue whose value nobody reads.
            Operation::Dereference(_) | Operation::Subscript { .. } | Operation::Member { .. } => {
                computed(self.on_the_way(id))
            }
            Operation::SizeOf { .. }
            | Operation::Assign { .. }
            | Operation::AssignOperation { .. }
            | Operation::Step { .. }
            | Operation::StatementExpression(_)
            | Operation::VariadicArgument(_)
            | Operation::Builtin(_) => self.opaque(&[id], OTHER_FORM),
            Operation::Unknown(reason, _) => {
                let what = self.what_is_unknown(id, *reason);
                self.opaque(&[id], &what)
            }
        }
    }

    /// The value that an initialiser gives; of an array of characters that may be a text.
    pub fn initial_value(&mut self, id: ExpressionId) -> Expression {
        match self.unit.expression(id).operation {
            Operation::String { .. } => Expression::new(ExpressionKind::Literal, self.span_of(id)),
            _ => self.value(id),
        }
    }

    /// What is evaluated to find an object, without reading it.
    fn on_the_way(&mut self, lvalue: ExpressionId) -> Vec<Expression> {
        if let Operation::Symbol(symbol) = self.unit.expression(lvalue).operation
            && self.unit.symbol(symbol).kind == SymbolKind::Function
        {
            self.name_functions(&[lvalue]);
            return Vec::new();
        }
        let access = self.access(lvalue);
        access.subscripts.into_iter().chain(access.selectors).collect()
    }

    fn converted(&mut self, id: ExpressionId, conversion: Conversion, operand: ExpressionId) -> Expression {
        let span = self.span_of(id);
        let computed = |operands| Expression::new(ExpressionKind::Computed(operands), span);
        match conversion {
            // What it was made of just now.
            Conversion::Read if matches!(self.unit.expression(operand).operation, Operation::CompoundLiteral(_)) => {
                self.value(operand)
            }
            Conversion::Read => self.lvalue(operand),
            Conversion::Decay | Conversion::FunctionAddress => {
                let is_text = matches!(
                    self.unit.expression(operand).operation,
                    Operation::String { .. } | Operation::FunctionName
                );
                if is_text {
                    return Expression::new(ExpressionKind::Literal, span);
                }
                if let Operation::CompoundLiteral(_) = self.unit.expression(operand).operation {
                    return self.value(operand);
                }
                computed(self.on_the_way(operand))
            }
            Conversion::Same => self.value(operand),
            Conversion::Integer => {
                let value = self.value(operand);
                if self.keeps_value(operand, id) { value } else { computed(vec![value]) }
            }
            Conversion::Truth => {
                let condition = self.condition(operand);
                computed(vec![condition])
            }
            Conversion::ToFloat => {
                let arguments = vec![self.value(operand)];
                let callee = Callee::PureIntrinsic("real".to_owned());
                Expression::new(ExpressionKind::Call { callee, arguments }, span)
            }
            Conversion::Null => Expression::new(ExpressionKind::Literal, span),
            Conversion::OfUnknown | Conversion::Wrong => self.opaque(&[operand], "a value of an unknown type"),
            Conversion::ToInteger
            | Conversion::Float
            | Conversion::Complex
            | Conversion::Pointer
            | Conversion::ToPointer
            | Conversion::FromPointer
            | Conversion::Void
            | Conversion::Vector
            | Conversion::Opaque
            | Conversion::Union => {
                let value = self.value(operand);
                computed(vec![value])
            }
        }
    }

    /// Has the type of `to` all values of the type of `from`?
    fn keeps_value(&self, from: ExpressionId, to: ExpressionId) -> bool {
        let types = &self.unit.types;
        let of = |id: ExpressionId| types.as_integer(self.unit.type_of(id).id);
        let Some((from, to)) = of(from).zip(of(to)) else { return false };
        let (is_signed, becomes_signed) = (from.is_signed(&types.target), to.is_signed(&types.target));
        match (is_signed, becomes_signed) {
            (true, true) | (false, false) => from.width() <= to.width() && to != IntegerType::Bool,
            (false, true) => from.width() < to.width(),
            (true, false) => false,
        }
    }

    fn unary(&mut self, id: ExpressionId, operator: UnaryOperator, operand: ExpressionId) -> Expression {
        let span = self.span_of(id);
        let ty = self.unit.type_of(id);
        let is_float = matches!(self.unit.types.kind(ty.id), TypeKind::Float(_));
        let is_exact = is_float || is_signed_integer(&self.unit.types, ty);
        match operator {
            UnaryOperator::Not => {
                let condition = self.condition(id);
                Expression::new(ExpressionKind::Computed(vec![condition]), span)
            }
            UnaryOperator::Plus | UnaryOperator::Minus if is_exact => {
                let operator = if operator == UnaryOperator::Plus { Prefix::Identity } else { Prefix::Negate };
                let operand = Box::new(self.value(operand));
                Expression::new(ExpressionKind::Unary { operator, operand }, span)
            }
            _ => {
                let value = self.value(operand);
                Expression::new(ExpressionKind::Computed(vec![value]), span)
            }
        }
    }

    fn binary(
        &mut self,
        id: ExpressionId,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Expression {
        let span = self.span_of(id);
        if is_test(operator) {
            let condition = self.condition(id);
            return Expression::new(ExpressionKind::Computed(vec![condition]), span);
        }
        let left = self.value(left);
        let right = self.value(right);
        self.combined(self.unit.type_of(id), operator, left, right, span)
    }

    /// What an operator of arithmetic computes in a type: some value of the operands, if that is not described.
    pub fn combined(
        &self,
        ty: crate::frontend::c::types::Type,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        use BinaryOperator as B;
        let types = &self.unit.types;
        let is_signed = is_signed_integer(types, ty);
        let is_float = matches!(types.kind(ty.id), TypeKind::Float(_));
        let sign = match operator {
            B::Add => Sign::Add,
            B::Subtract => Sign::Subtract,
            B::Multiply => Sign::Multiply,
            B::Divide => Sign::Divide,
            B::Remainder if is_signed => {
                let callee = Callee::PureIntrinsic("mod".to_owned());
                return Expression::new(ExpressionKind::Call { callee, arguments: vec![left, right] }, span);
            }
            _ => return Expression::new(ExpressionKind::Computed(vec![left, right]), span),
        };
        if is_signed && matches!(sign, Sign::Add | Sign::Subtract) {
            let mut result = sum(left, right, sign);
            result.span = span;
            return result;
        }
        if !is_signed && !is_float {
            return Expression::new(ExpressionKind::Computed(vec![left, right]), span);
        }
        let kind = ExpressionKind::Binary { operator: sign, left: Box::new(left), right: Box::new(right) };
        Expression::new(kind, span)
    }

    /// An expression as a condition: is it other than zero?
    pub fn condition(&mut self, id: ExpressionId) -> Expression {
        use BinaryOperator as B;
        let span = self.span_of(id);
        if let Some(value) = integer_value(self.unit, id) {
            return Expression::new(ExpressionKind::Logical(value != 0), span);
        }
        let is_hoisted = self.hoisted.contains_key(&id);
        match &self.unit.expression(id).operation {
            Operation::Convert { conversion: Conversion::Same | Conversion::Integer, operand, .. }
                // Of an integer that is another one only modulo some power of two.
                if !is_hoisted && (self.keeps_value(*operand, id) || self.unit.type_of(*operand) == self.unit.type_of(id)) =>
            {
                return self.condition(*operand);
            }
            Operation::Convert { conversion: Conversion::Truth, operand, .. } => return self.condition(*operand),
            Operation::Unary(UnaryOperator::Not, operand) => {
                let operand = Box::new(self.condition(*operand));
                return Expression::new(ExpressionKind::Unary { operator: Prefix::Not, operand }, span);
            }
            Operation::Binary(operator @ (B::And | B::Or), left, right) => {
                if self.holds_hoisted(*right) {
                    return self.condition_in_branches(id, *operator == B::And, *left, *right);
                }
                let operator = if *operator == B::And { Sign::And } else { Sign::Or };
                let left = Box::new(self.condition(*left));
                let right = Box::new(self.condition(*right));
                return Expression::new(ExpressionKind::Binary { operator, left, right }, span);
            }
            Operation::Binary(operator, left, right) if is_test(*operator) => {
                let sign = match operator {
                    B::Less => Sign::Less,
                    B::LessEqual => Sign::LessEqual,
                    B::Greater => Sign::Greater,
                    B::GreaterEqual => Sign::GreaterEqual,
                    B::Equal => Sign::Equal,
                    _ => Sign::NotEqual,
                };
                let types = &self.unit.types;
                let is_number = |id: &ExpressionId| {
                    let kind = types.kind(self.unit.type_of(*id).id);
                    matches!(kind, TypeKind::Integer(_) | TypeKind::Enum(_) | TypeKind::Float(_))
                };
                let are_numbers = is_number(left) && is_number(right);
                let (left, right) = (self.value(*left), self.value(*right));
                let kind = match are_numbers {
                    true => ExpressionKind::Binary { operator: sign, left: Box::new(left), right: Box::new(right) },
                    false => ExpressionKind::Computed(vec![left, right]),
                };
                return Expression::new(kind, span);
            }
            _ => {}
        }
        let is_number = self.unit.types.as_integer(self.unit.type_of(id).id).is_some();
        let value = self.value(id);
        let kind = match is_number {
            true => ExpressionKind::Binary {
                operator: Sign::NotEqual,
                left: Box::new(value),
                right: Box::new(Self::number(0, span)),
            },
            false => ExpressionKind::Computed(vec![value]),
        };
        Expression::new(kind, span)
    }
}

/// Is the value of the operator a truth value?
fn is_test(operator: BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(operator, B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual | B::And | B::Or)
}
