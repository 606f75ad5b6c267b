//! Runs small procedures and notes what they touch.

use std::collections::BTreeMap;

use crate::ir::{
    BinaryOperator, Expression, ExpressionKind, Loop, Procedure, Shape, StatementId, StatementKind, SymbolId,
};

/// An access that really happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::analysis) struct Touched {
    pub symbol: SymbolId,
    /// Offset of the element in its array.
    pub offset: i64,
    /// Its subscripts.
    pub subscripts: Vec<i64>,
    pub is_write: bool,
    /// The iteration of the observed loop during which it happened.
    pub iteration: Option<i64>,
    /// The statements around, outermost first, each with the number of the round of the loop that holds it.
    pub within: Vec<(StatementId, usize)>,
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis) enum Ending {
    Normal,
    Exit(StatementId),
    Cycle(StatementId),
    Return,
}

/// Statements after which a machine stops.
const MAX_STEPS: usize = 20_000;
/// Magnitude above which integers count as overflowing.
const MAX_VALUE: i64 = 1 << 31;

/// Runs the statements that the builder makes, with integers only (reals hold no values), and notes every access.
pub(in crate::analysis) struct Machine<'a> {
    pub procedure: &'a Procedure,
    pub integers: BTreeMap<SymbolId, i64>,
    /// Values of subscripts' arrays are not modelled: reading an array gives a number made from its offset.
    pub touched: Vec<Touched>,
    /// The loop whose iterations are numbered.
    pub observed: Option<StatementId>,
    /// A subscript was outside its bounds, or a number too large: the program does not conform to the language.
    pub is_out_of_bounds: bool,
    /// The program was stopped.
    pub is_out_of_time: bool,
    iteration: Option<i64>,
    within: Vec<(StatementId, usize)>,
    /// Of the innermost loop, unless a branch is in between.
    round: usize,
    steps: usize,
}

impl<'a> Machine<'a> {
    pub fn new(procedure: &'a Procedure, integers: BTreeMap<SymbolId, i64>) -> Self {
        Self {
            procedure,
            integers,
            touched: Vec::new(),
            observed: None,
            is_out_of_bounds: false,
            is_out_of_time: false,
            iteration: None,
            within: Vec::new(),
            round: 0,
            steps: 0,
        }
    }

    pub fn run(&mut self, block: &[StatementId]) -> Ending {
        for &statement in block {
            let ending = self.statement(statement);
            if ending != Ending::Normal {
                return ending;
            }
        }
        Ending::Normal
    }

    pub fn statement(&mut self, id: StatementId) -> Ending {
        let round = std::mem::take(&mut self.round);
        self.within.push((id, round));
        let ending = self.execute(id);
        self.within.pop();
        self.round = round;
        ending
    }

    fn execute(&mut self, id: StatementId) -> Ending {
        self.steps += 1;
        self.is_out_of_time |= self.steps > MAX_STEPS;
        if self.is_out_of_time || self.is_out_of_bounds {
            return Ending::Return;
        }
        let procedure = self.procedure;
        match &procedure.statement(id).kind {
            StatementKind::Assign { target, value, .. } => {
                let value = self.evaluate(value);
                self.store(target, value);
                Ending::Normal
            }
            StatementKind::If { arms, otherwise, .. } => {
                for arm in arms {
                    if self.evaluate(&arm.condition) != 0 {
                        return self.run(&arm.body);
                    }
                }
                otherwise.as_ref().map_or(Ending::Normal, |block| self.run(block))
            }
            StatementKind::Scope(scope) => match self.run(&scope.body) {
                Ending::Exit(target) if target == id => Ending::Normal,
                other => other,
            },
            StatementKind::Loop(counted) => self.counted_loop(id, counted),
            StatementKind::Exit(Some(target)) => Ending::Exit(*target),
            StatementKind::Cycle(Some(target)) => Ending::Cycle(*target),
            StatementKind::Return => Ending::Return,
            StatementKind::Nothing => Ending::Normal,
            other => panic!("the machine does not run {other:?}"),
        }
    }

    fn counted_loop(&mut self, id: StatementId, counted: &Loop) -> Ending {
        let lower = self.evaluate(&counted.lower);
        let upper = self.evaluate(&counted.upper);
        let step = counted.step.as_ref().map_or(1, |step| self.evaluate(step));
        let trips = ((upper - lower + step) / step).max(0);
        let mut value = lower;
        self.set(counted.variable, value);
        for round in 0..trips {
            self.round = usize::try_from(round).unwrap_or(usize::MAX);
            if self.observed == Some(id) {
                self.iteration = Some(value);
            }
            match self.run(&counted.body) {
                Ending::Normal => {}
                Ending::Cycle(target) if target == id => {}
                Ending::Exit(target) if target == id => break,
                other => return other,
            }
            value += step;
            self.set(counted.variable, value);
        }
        if self.observed == Some(id) {
            self.iteration = None;
        }
        Ending::Normal
    }

    fn set(&mut self, symbol: SymbolId, value: i64) {
        self.note(symbol, 0, Vec::new(), true);
        let value = self.small(Some(value));
        self.integers.insert(symbol, value);
    }

    /// The value, or 0 if it is larger than programs that conform would make it.
    fn small(&mut self, value: Option<i64>) -> i64 {
        let value = value.filter(|value| value.abs() <= MAX_VALUE);
        self.is_out_of_bounds |= value.is_none();
        value.unwrap_or(0)
    }

    fn note(&mut self, symbol: SymbolId, offset: i64, subscripts: Vec<i64>, is_write: bool) {
        self.touched.push(Touched {
            symbol,
            offset,
            subscripts,
            is_write,
            iteration: self.iteration,
            within: self.within.clone(),
        });
    }

    fn store(&mut self, target: &Expression, value: i64) {
        match &target.kind {
            ExpressionKind::Symbol(symbol) => self.set(*symbol, value),
            ExpressionKind::Element { array, subscripts } => {
                let (offset, subscripts) = self.offset(*array, subscripts);
                self.note(*array, offset, subscripts, true);
            }
            other => panic!("the machine does not store to {other:?}"),
        }
    }

    fn offset(&mut self, array: SymbolId, subscripts: &[Expression]) -> (i64, Vec<i64>) {
        let Shape::Array(dimensions) = &self.procedure.symbol(array).shape else { panic!("an array") };
        let (mut offset, mut stride) = (0, 1);
        let mut values = Vec::new();
        for (dimension, subscript) in dimensions.iter().zip(subscripts) {
            let bound = |bound: &Option<Expression>| bound.clone().expect("a declared bound");
            let lower = self.evaluate(&bound(&dimension.lower));
            let upper = self.evaluate(&bound(&dimension.upper));
            let value = self.evaluate(subscript);
            if !(lower..=upper).contains(&value) {
                self.is_out_of_bounds = true;
                return (0, Vec::new());
            }
            offset += (value - lower) * stride;
            stride *= upper - lower + 1;
            values.push(value);
        }
        (offset, values)
    }

    pub fn evaluate(&mut self, expression: &Expression) -> i64 {
        match &expression.kind {
            ExpressionKind::Integer(value) => *value,
            ExpressionKind::Literal => 0,
            ExpressionKind::Symbol(symbol) => {
                self.note(*symbol, 0, Vec::new(), false);
                self.integers.get(symbol).copied().unwrap_or(0)
            }
            ExpressionKind::Element { array, subscripts } => {
                let (offset, subscripts) = self.offset(*array, subscripts);
                self.note(*array, offset, subscripts, false);
                offset.rem_euclid(7)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (left, right) = (self.evaluate(left), self.evaluate(right));
                match operator {
                    BinaryOperator::Add => self.small(left.checked_add(right)),
                    BinaryOperator::Subtract => self.small(left.checked_sub(right)),
                    BinaryOperator::Multiply => self.small(left.checked_mul(right)),
                    BinaryOperator::Less => i64::from(left < right),
                    other => panic!("the machine does not do {other:?}"),
                }
            }
            other => panic!("the machine does not evaluate {other:?}"),
        }
    }
}
