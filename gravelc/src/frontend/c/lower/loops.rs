//! `for` loops that count.
//!
//! Whether the bound keeps its value is not decided here: C computes it again before each iteration, and analyses ask for that.

use super::designators::sum;
use super::lowering::Lowering;
use super::statements::{Continue, JumpTarget};
use super::types::is_signed_integer;
use super::unread::{expressions_in, parts_of};
use crate::frontend::c::types::{IntegerType, Qualifiers, Type};
use crate::frontend::c::unit::{self, BinaryOperator, Conversion, ExpressionId, ForStart, Operation};
use crate::ir::{AssertedIndependence, BinaryOperator as Sign, Expression, Loop, LoopBound, Room, StatementKind};

/// A loop whose variable goes from a first to a last value in equal steps.
struct Counted {
    variable: unit::SymbolId,
    first: ExpressionId,
    /// The value with which the variable is compared, and the comparison with the variable on its left.
    bound: ExpressionId,
    operator: BinaryOperator,
    step: i64,
}

impl Lowering<'_> {
    /// A `for`.
    pub fn add_for(
        &mut self,
        start: &ForStart,
        condition: Option<ExpressionId>,
        update: Option<ExpressionId>,
        body: unit::StatementId,
        range: &unit::Span,
    ) {
        let counted =
            condition.zip(update).and_then(|(condition, update)| self.counted(start, condition, update, body));
        let Some(counted) = counted else {
            return self.add_uncounted(start, condition, update, body, range);
        };
        let span = self.span(range);
        self.as_compound(range, |this| {
            // The statement comes first: what the head declares means something inside of it.
            let loop_id = this.add(StatementKind::Nothing, span);
            let outer = this.scope;
            if let ForStart::Declaration(declaration) = start
                && let unit::StatementKind::Declaration { symbols, .. } = &this.unit.statement(*declaration).kind
            {
                this.scope = Some(loop_id);
                this.declare(symbols);
            }
            let variable = this.symbol(counted.variable);
            let lower = this.value(counted.first);
            let bound = this.value(counted.bound);
            let one = Self::number(1, span);
            let (upper, written) = match counted.operator {
                BinaryOperator::Less => (sum(bound, one, Sign::Subtract), LoopBound::BehindLast),
                BinaryOperator::Greater => (sum(bound, one, Sign::Add), LoopBound::BehindLast),
                _ => (bound, LoopBound::Last),
            };
            let upper = Expression::new(upper.kind, this.span_of(counted.bound));
            let counts_plainly = this.is_plain_number(this.unit.symbol(counted.variable).ty)
                && this.is_plain_number(this.unit.type_of(counted.bound));
            let step = (counted.step != 1).then(|| Self::number(counted.step, span));
            let target = JumpTarget { breaks: loop_id, continues: Some(Continue::Cycle(loop_id)) };
            let body = this.inside(loop_id, |this| this.add_governed_body(body, target));
            this.scope = outer;
            this.statements[loop_id.0].kind = StatementKind::Loop(Loop {
                variable,
                lower,
                upper,
                step,
                body,
                concurrent: false,
                bound: written,
                counts_plainly,
                asserted: AssertedIndependence::Nothing,
            });
            // New bounds need places of their own.
            let is_own = [counted.first, counted.bound].into_iter().all(|bound| {
                let range = &this.unit.expression(bound).range;
                this.input.places.is_own_statement(range) && !this.input.places.tells_of_place(range)
            });
            if !is_own {
                this.statements[loop_id.0].room = Room::Elsewhere;
            }
        });
    }

    /// Is it `int`?
    fn is_plain_number(&self, ty: Type) -> bool {
        self.unit.types.as_integer(ty.id) == Some(IntegerType::Int)
    }

    fn counted(
        &self,
        start: &ForStart,
        condition: ExpressionId,
        update: ExpressionId,
        body: unit::StatementId,
    ) -> Option<Counted> {
        let (variable, first) = self.first_value(start)?;
        if !self.is_private(variable) {
            return None;
        }
        let integer = self.unit.types.as_integer(self.unit.symbol(variable).ty.id)?;
        if integer.promoted() != integer {
            // A narrower one wraps before it reaches what an `int` reaches.
            return None;
        }
        let step = self.step_of(update, variable)?;
        let (bound, operator) = self.bound_of(condition, variable)?;
        use BinaryOperator as B;
        let is_towards = match operator {
            B::Less | B::LessEqual => step > 0,
            B::Greater | B::GreaterEqual => step < 0,
            _ => false,
        };
        if !is_towards {
            return None;
        }
        let compared = self.unit.types.as_integer(self.unit.type_of(bound).id)?;
        let is_signed = integer.is_signed(&self.unit.types.target);
        let is_compared_signed = compared.is_signed(&self.unit.types.target);
        match (is_signed, is_compared_signed) {
            (true, true) => {}
            // It stays below the bound, so that one more is no more than that: nothing wraps. The bound's own value counts as
            // far as it is known.
            (false, false) if operator == B::Less && step == 1 && compared.width() == integer.width() => {}
            _ => return None,
        }
        // The bound must name no variable that wraps: its value is computed as the program's numbers are.
        let head = [first, bound];
        let has_effects = head.iter().any(|id| self.has_hoisted(*id) || self.has_call(*id));
        if has_effects || self.is_stored_in(variable, body) {
            return None;
        }
        let names_itself = parts_of(self.unit, &[first, bound])
            .into_iter()
            .any(|part| self.unit.expression(part).operation == Operation::Symbol(variable));
        let is_volatile = parts_of(self.unit, &head).into_iter().any(|part| {
            let qualifiers = self.unit.type_of(part).qualifiers;
            qualifiers.has(Qualifiers::VOLATILE) || qualifiers.has(Qualifiers::ATOMIC)
        });
        // Control may come into the middle of it.
        let is_entered = self.has(body, &|kind| matches!(kind, unit::StatementKind::Labelled(..)), &|_| false);
        (!names_itself && !is_volatile && !is_entered).then_some(Counted { variable, first, bound, operator, step })
    }

    /// Is something called there, or stored?
    pub fn has_call(&self, id: ExpressionId) -> bool {
        parts_of(self.unit, &[id]).into_iter().any(|part| {
            matches!(
                self.unit.expression(part).operation,
                Operation::Call { .. }
                    | Operation::Assign { .. }
                    | Operation::AssignOperation { .. }
                    | Operation::Step { .. }
                    | Operation::StatementExpression(_)
                    | Operation::Builtin(_)
                    | Operation::VariadicArgument(_)
                    | Operation::Unknown(..)
            )
        })
    }

    /// Does a statement of the body store in the private variable, or something that is not followed?
    fn is_stored_in(&self, variable: unit::SymbolId, body: unit::StatementId) -> bool {
        let is_variable = |id: &ExpressionId| self.unit.expression(*id).operation == Operation::Symbol(variable);
        let stores = parts_of(self.unit, &expressions_in(self.unit, body)).into_iter().any(|part| {
            match &self.unit.expression(part).operation {
                Operation::Assign { left, .. } | Operation::AssignOperation { left, .. } => is_variable(left),
                Operation::Step { operand, .. } => is_variable(operand),
                Operation::AddressOf(operand) => is_variable(operand),
                _ => false,
            }
        });
        let is_unread = |kind: &unit::StatementKind| {
            matches!(
                kind,
                unit::StatementKind::Hole(_) | unit::StatementKind::Assembler | unit::StatementKind::NestedFunction(_)
            )
        };
        stores || self.has(body, &is_unread, &|_| false)
    }

    /// The variable that the head sets, and to what.
    fn first_value(&self, start: &ForStart) -> Option<(unit::SymbolId, ExpressionId)> {
        match start {
            ForStart::Nothing => None,
            ForStart::Expression(id) => match self.unit.expression(*id).operation {
                Operation::Assign { left, right } => match self.unit.expression(left).operation {
                    Operation::Symbol(symbol) => Some((symbol, right)),
                    _ => None,
                },
                _ => None,
            },
            ForStart::Declaration(id) => {
                let unit::StatementKind::Declaration { symbols, .. } = &self.unit.statement(*id).kind else {
                    return None;
                };
                let [symbol] = symbols.as_slice() else { return None };
                match self.unit.symbol(*symbol).initialiser.as_ref()?.items.as_slice() {
                    [only] if only.path.is_empty() => Some((*symbol, only.value)),
                    _ => None,
                }
            }
        }
    }

    /// By how much the update moves the variable.
    fn step_of(&self, update: ExpressionId, variable: unit::SymbolId) -> Option<i64> {
        let is_variable = |id: ExpressionId| self.plain(id) == Some(variable);
        let constant =
            |id: ExpressionId| unit::integer_value(self.unit, id).and_then(|value| i64::try_from(value).ok());
        let negative = |value: i64| value.checked_neg();
        match &self.unit.expression(update).operation {
            Operation::Convert { conversion: Conversion::Void, operand, .. } => self.step_of(*operand, variable),
            Operation::Step { operand, is_increment, .. } if is_variable(*operand) => {
                Some(if *is_increment { 1 } else { -1 })
            }
            Operation::AssignOperation { operator, left, right, .. } if is_variable(*left) => match operator {
                BinaryOperator::Add => constant(*right),
                BinaryOperator::Subtract => constant(*right).and_then(negative),
                _ => None,
            },
            Operation::Assign { left, right } if is_variable(*left) => match &self.unit.expression(*right).operation {
                Operation::Binary(BinaryOperator::Add, one, other) if is_variable(*one) => constant(*other),
                Operation::Binary(BinaryOperator::Add, one, other) if is_variable(*other) => constant(*one),
                Operation::Binary(BinaryOperator::Subtract, one, other) if is_variable(*one) => {
                    constant(*other).and_then(negative)
                }
                _ => None,
            },
            _ => None,
        }
        .filter(|step| *step != 0 && step.unsigned_abs() < 1 << 30)
    }

    /// What the condition compares the variable with, and how.
    fn bound_of(&self, condition: ExpressionId, variable: unit::SymbolId) -> Option<(ExpressionId, BinaryOperator)> {
        use BinaryOperator as B;
        match self.unit.expression(condition).operation {
            Operation::Convert { conversion: Conversion::Same | Conversion::Truth, operand, .. } => {
                self.bound_of(operand, variable)
            }
            Operation::Binary(operator @ (B::Less | B::LessEqual | B::Greater | B::GreaterEqual), left, right) => {
                if self.plain(left) == Some(variable) {
                    return Some((right, operator));
                }
                let turned = match operator {
                    B::Less => B::Greater,
                    B::LessEqual => B::GreaterEqual,
                    B::Greater => B::Less,
                    _ => B::LessEqual,
                };
                (self.plain(right) == Some(variable)).then_some((left, turned))
            }
            _ => None,
        }
    }

    /// The variable whose value an expression is, in a type that has all its values.
    fn plain(&self, id: ExpressionId) -> Option<unit::SymbolId> {
        match self.unit.expression(id).operation {
            Operation::Symbol(symbol) => Some(symbol),
            Operation::Convert { conversion: Conversion::Read, operand, .. } => self.plain(operand),
            Operation::Convert { conversion: Conversion::Same | Conversion::Integer, operand, .. } => {
                let types = &self.unit.types;
                let is_wider = is_signed_integer(types, self.unit.type_of(operand))
                    && is_signed_integer(types, self.unit.type_of(id))
                    && types.as_integer(self.unit.type_of(operand).id)?.width()
                        <= types.as_integer(self.unit.type_of(id).id)?.width();
                is_wider.then(|| self.plain(operand)).flatten()
            }
            _ => None,
        }
    }
}
