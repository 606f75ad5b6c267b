//! Scalars that nothing but loops counts with, and what is known of others.

use std::collections::BTreeMap;

use super::style::Style;
use crate::random_programs::program::{
    Communication, Completion, Expression, Home, Part, Program, ScalarId, Statement,
};

/// What a counter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CounterType {
    Int,
    Long,
    Unsigned,
    Size,
}

impl CounterType {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Long => "long",
            Self::Unsigned => "unsigned",
            Self::Size => "size_t",
        }
    }

    /// Can't it be negative?
    pub(super) fn is_unsigned(self) -> bool {
        matches!(self, Self::Unsigned | Self::Size)
    }
}

/// The scalars of a program that live in loops only: each loop, or each function, can have one of its own.
pub(super) fn counters(program: &Program, style: &Style) -> BTreeMap<ScalarId, CounterType> {
    let constants = constants(program);
    let mut random = fastrand::Rng::with_seed(style.seed ^ 0xc0);
    let mut found = BTreeMap::new();
    for (id, scalar) in program.scalars.iter().enumerate() {
        let is_private = scalar.is_integer
            && !matches!(scalar.home, Home::Argument(..))
            && program.any(&|statement| matches!(statement, Statement::Loop { variable, .. } if *variable == id))
            && !program.bodies().any(|body| is_used_outside(body, id));
        if !is_private {
            continue;
        }
        let wanted = match (style.wide_counters, random.usize(0..4)) {
            (false, _) | (_, 0) => CounterType::Int,
            (_, 1) => CounterType::Long,
            (_, 2) => CounterType::Unsigned,
            _ => CounterType::Size,
        };
        let fits = !wanted.is_unsigned() || program.bodies().all(|body| counts_upwards(body, id, &constants));
        found.insert(id, if fits { wanted } else { CounterType::Int });
    }
    found
}

/// Scalars that are set once in all the program, to a number.
fn constants(program: &Program) -> BTreeMap<ScalarId, i64> {
    let mut known = BTreeMap::new();
    for (id, scalar) in program.scalars.iter().enumerate() {
        let mut values = Vec::new();
        let mut see = |statement: &Statement| {
            if sets(statement, id) {
                values.push(match statement {
                    Statement::SetInteger(_, Expression::Literal(value)) => Some(*value),
                    _ => None,
                });
            }
        };
        program.bodies().for_each(|body| see_all(body, &mut see));
        if let ([Some(value)], false) = (&values[..], matches!(scalar.home, Home::Argument(..))) {
            known.insert(id, *value);
        }
    }
    known
}

fn see_all(block: &[Statement], see: &mut dyn FnMut(&Statement)) {
    for statement in block {
        see(statement);
        statement.blocks().into_iter().for_each(|inner| see_all(inner, see));
    }
}

/// Does the statement itself set the scalar?
fn sets(statement: &Statement, scalar: ScalarId) -> bool {
    match statement {
        Statement::Loop { variable: set, .. }
        | Statement::SetInteger(set, _)
        | Statement::SetReal(set, _)
        | Statement::Communicate(
            Communication::Count(set, _) | Communication::Complete(Completion { answer: set, .. }),
        ) => *set == scalar,
        _ => false,
    }
}

/// Do the statements, or what they call, set the scalar?
pub(super) fn set_in(program: &Program, block: &[Statement], scalar: ScalarId) -> bool {
    block.iter().any(|statement| {
        sets(statement, scalar)
            || matches!(statement, Statement::Call(procedure, _)
                if set_in(program, &program.procedures[*procedure].body, scalar))
            || statement.blocks().into_iter().any(|inner| set_in(program, inner, scalar))
    })
}

/// The statement without the blocks in it.
fn without_blocks(statement: &Statement) -> Statement {
    match statement {
        Statement::Loop { variable, lower, upper, step, .. } => Statement::Loop {
            variable: *variable,
            lower: lower.clone(),
            upper: upper.clone(),
            step: *step,
            body: Vec::new(),
        },
        Statement::If { condition, .. } => {
            Statement::If { condition: condition.clone(), then: Vec::new(), otherwise: Vec::new() }
        }
        other => other.clone(),
    }
}

fn is_used_outside(block: &[Statement], scalar: ScalarId) -> bool {
    block.iter().any(|statement| {
        let counts = matches!(statement, Statement::Loop { variable, .. } if *variable == scalar);
        let mut uses = 0;
        without_blocks(statement)
            .visit(&mut |part| uses += usize::from(matches!(part, Part::Scalar(id) if *id == scalar)));
        // A loop names its variable once; bounds that name it are outside of the loop.
        uses > usize::from(counts)
            || !counts && statement.blocks().into_iter().any(|inner| is_used_outside(inner, scalar))
    })
}

/// Do all loops that count with the scalar go up from a number that is not negative, at least once?
fn counts_upwards(block: &[Statement], scalar: ScalarId, constants: &BTreeMap<ScalarId, i64>) -> bool {
    let known = |bound: &Expression| match bound {
        Expression::Literal(value) => Some(*value),
        Expression::Scalar(id) => constants.get(id).copied(),
        _ => None,
    };
    block.iter().all(|statement| {
        let is_fit = match statement {
            Statement::Loop { variable, lower, upper, step, .. } if *variable == scalar => {
                *step > 0 && known(lower).zip(known(upper)).is_some_and(|(lower, upper)| 0 <= lower && lower <= upper)
            }
            _ => true,
        };
        is_fit && statement.blocks().into_iter().all(|inner| counts_upwards(inner, scalar, constants))
    })
}

/// Must the bound of a loop be evaluated before the loop, because something in it changes the value?
pub(super) fn changes(program: &Program, bound: &Expression, variable: ScalarId, body: &[Statement]) -> bool {
    let mut changes = false;
    bound.visit(&mut |part| {
        changes |= match part {
            Expression::Element(..) => true,
            Expression::Scalar(scalar) => *scalar == variable || set_in(program, body, *scalar),
            _ => false,
        };
    });
    changes
}

/// Does an iteration end early?
pub(super) fn has_cycle(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Cycle(_) => true,
        Statement::If { then, otherwise, .. } => has_cycle(then) || has_cycle(otherwise),
        _ => false,
    })
}
