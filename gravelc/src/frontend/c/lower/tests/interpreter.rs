//! Runs a lowered function as far as it is described: a value that is not described is unknown, and so is what it is stored in.

use std::collections::BTreeMap;

use crate::ir::{
    BinaryOperator, Callee, Expression, ExpressionKind, Procedure, Shape, StatementId, StatementKind, Storage,
    SymbolClass, SymbolId, UnaryOperator,
};

/// A number, if it is known.
pub type Value = Option<i64>;

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Normal,
    Exit(StatementId),
    Cycle(StatementId),
    Return,
    /// What follows depends on what is not known.
    Lost,
}

const MOST_STEPS: usize = 100_000;

/// A run of one procedure.
pub struct Run<'p> {
    procedure: &'p Procedure,
    memory: BTreeMap<SymbolId, Vec<Value>>,
    /// The arguments of each call.
    pub shown: Vec<Vec<Value>>,
    /// It came to its end.
    pub is_complete: bool,
    steps: usize,
}

impl<'p> Run<'p> {
    /// Runs the procedure.
    pub fn of(procedure: &'p Procedure) -> Self {
        let memory = BTreeMap::new();
        let mut run = Self { procedure, memory, shown: Vec::new(), is_complete: false, steps: 0 };
        run.is_complete = matches!(run.block(&procedure.body), Ending::Normal | Ending::Return);
        run
    }

    fn length(&self, symbol: SymbolId) -> Option<usize> {
        match &self.procedure.symbol(symbol).shape {
            Shape::Scalar => Some(1),
            Shape::Array(dimensions) => dimensions.iter().try_fold(1, |length, dimension| {
                match dimension.upper.as_ref().map(|upper| &upper.kind) {
                    Some(ExpressionKind::Integer(upper)) => Some(length * usize::try_from(upper + 1).ok()?),
                    _ => None,
                }
            }),
        }
    }

    fn cells(&mut self, symbol: SymbolId) -> &mut Vec<Value> {
        let length = self.length(symbol).unwrap_or(1);
        self.memory.entry(symbol).or_insert_with(|| vec![None; length])
    }

    /// Whatever pointers lead to may have changed.
    fn lose_targets(&mut self) {
        for (symbol, cells) in &mut self.memory {
            if self.procedure.symbol(*symbol).target {
                cells.fill(None);
            }
        }
    }

    fn block(&mut self, block: &[StatementId]) -> Ending {
        for &statement in block {
            let ending = self.statement(statement);
            if ending != Ending::Normal {
                return ending;
            }
        }
        Ending::Normal
    }

    fn statement(&mut self, id: StatementId) -> Ending {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Ending::Lost;
        }
        match &self.procedure.statement(id).kind {
            StatementKind::Assign { target, value, .. } => {
                let value = self.value(value);
                self.store(target, value);
                Ending::Normal
            }
            StatementKind::If { arms, otherwise, .. } => {
                for arm in arms {
                    match self.value(&arm.condition) {
                        Some(0) => {}
                        Some(_) => return self.block(&arm.body),
                        None if arm.body.is_empty() && otherwise.is_none() => return Ending::Normal,
                        None => return Ending::Lost,
                    }
                }
                otherwise.as_ref().map_or(Ending::Normal, |block| self.block(block))
            }
            StatementKind::Scope(scope) => match self.block(&scope.body) {
                Ending::Exit(target) if target == id => Ending::Normal,
                other => other,
            },
            StatementKind::While { condition, body, .. } => loop {
                match condition.as_ref().map_or(Some(1), |condition| self.value(condition)) {
                    Some(0) => return Ending::Normal,
                    Some(_) => {}
                    None => return Ending::Lost,
                }
                match self.block(body) {
                    Ending::Normal => {}
                    Ending::Cycle(target) if target == id => {}
                    Ending::Exit(target) if target == id => return Ending::Normal,
                    other => return other,
                }
            },
            StatementKind::Loop(counted) => {
                let step = counted.step.as_ref().map_or(Some(1), |step| self.value(step));
                let bounds = (self.value(&counted.lower), self.value(&counted.upper), step);
                let (Some(lower), Some(upper), Some(step)) = bounds else { return Ending::Lost };
                let trips = ((upper - lower + step) / step).max(0);
                let mut value = lower;
                self.cells(counted.variable)[0] = Some(value);
                for _ in 0..trips {
                    match self.block(&counted.body) {
                        Ending::Normal => {}
                        Ending::Cycle(target) if target == id => {}
                        Ending::Exit(target) if target == id => return Ending::Normal,
                        other => return other,
                    }
                    value += step;
                    self.cells(counted.variable)[0] = Some(value);
                }
                Ending::Normal
            }
            StatementKind::Call { arguments, .. } => {
                let values = arguments.iter().map(|argument| self.value(argument)).collect();
                self.shown.push(values);
                self.lose_targets();
                Ending::Normal
            }
            StatementKind::Exit(Some(target)) => Ending::Exit(*target),
            StatementKind::Cycle(Some(target)) => Ending::Cycle(*target),
            StatementKind::Return => Ending::Return,
            StatementKind::Nothing | StatementKind::Lifetime { .. } => Ending::Normal,
            _ => Ending::Lost,
        }
    }

    fn store(&mut self, target: &Expression, value: Value) {
        let Some(symbol) = target.designated() else { return self.memory.clear() };
        if self.procedure.symbol(symbol).storage == Storage::Pointer {
            return self.lose_targets();
        }
        match &target.kind {
            ExpressionKind::Symbol(_) if self.procedure.symbol(symbol).rank() == 0 => self.cells(symbol)[0] = value,
            ExpressionKind::Element { subscripts, .. } => match self.place(symbol, subscripts) {
                Some(place) => self.cells(symbol)[place] = value,
                None => self.cells(symbol).fill(None),
            },
            _ => self.cells(symbol).fill(None),
        }
    }

    fn place(&mut self, array: SymbolId, subscripts: &[Expression]) -> Option<usize> {
        let Shape::Array(dimensions) = &self.procedure.symbol(array).shape else { return None };
        let (mut place, mut stride) = (0, 1);
        for (dimension, subscript) in dimensions.iter().zip(subscripts) {
            let upper = match dimension.upper.as_ref()?.kind {
                ExpressionKind::Integer(upper) => upper,
                _ => return None,
            };
            place += self.value(subscript)? * stride;
            stride *= upper + 1;
        }
        usize::try_from(place).ok().filter(|place| self.length(array).is_some_and(|length| *place < length))
    }

    fn value(&mut self, expression: &Expression) -> Value {
        match &expression.kind {
            ExpressionKind::Integer(value) => Some(*value),
            ExpressionKind::Logical(value) => Some(i64::from(*value)),
            ExpressionKind::Symbol(symbol) => match self.procedure.symbol(*symbol).class {
                SymbolClass::Constant(value) => value,
                _ if self.procedure.symbol(*symbol).rank() == 0 => self.cells(*symbol)[0],
                _ => None,
            },
            ExpressionKind::Element { array, subscripts } => {
                if self.procedure.symbol(*array).storage == Storage::Pointer {
                    return None;
                }
                let place = self.place(*array, subscripts)?;
                self.cells(*array)[place]
            }
            ExpressionKind::Unary { operator, operand } => {
                let value = self.value(operand)?;
                match operator {
                    UnaryOperator::Negate => value.checked_neg(),
                    UnaryOperator::Identity => Some(value),
                    UnaryOperator::Not => Some(i64::from(value == 0)),
                }
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (left, right) = (self.value(left), self.value(right));
                match operator {
                    // One of both decides, where it is known.
                    BinaryOperator::And if left == Some(0) || right == Some(0) => return Some(0),
                    BinaryOperator::Or if left.is_some_and(|it| it != 0) || right.is_some_and(|it| it != 0) => {
                        return Some(1);
                    }
                    _ => {}
                }
                let (left, right) = (left?, right?);
                match operator {
                    BinaryOperator::Add => left.checked_add(right),
                    BinaryOperator::Subtract => left.checked_sub(right),
                    BinaryOperator::Multiply => left.checked_mul(right),
                    BinaryOperator::Divide => left.checked_div(right),
                    BinaryOperator::Equal => Some(i64::from(left == right)),
                    BinaryOperator::NotEqual => Some(i64::from(left != right)),
                    BinaryOperator::Less => Some(i64::from(left < right)),
                    BinaryOperator::LessEqual => Some(i64::from(left <= right)),
                    BinaryOperator::Greater => Some(i64::from(left > right)),
                    BinaryOperator::GreaterEqual => Some(i64::from(left >= right)),
                    BinaryOperator::And => Some(i64::from(left != 0 && right != 0)),
                    BinaryOperator::Or => Some(i64::from(left != 0 || right != 0)),
                    BinaryOperator::Power | BinaryOperator::Other => None,
                }
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } if name == "mod" => {
                let [left, right] = arguments.as_slice() else { return None };
                self.value(left)?.checked_rem(self.value(right)?)
            }
            _ => None,
        }
    }
}
