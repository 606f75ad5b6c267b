//! The steps that compute early what calls need that moved up.

use std::collections::BTreeMap;

use crate::analysis::facts::SiteId;
use crate::ir::{Line, ProcedureId, StatementId, SymbolId};
use crate::plan::{EarlyComputation, EarlyValue, NewVariable, Position, Step, StepOperation, ValueSource};
use crate::transform::found::EarlyValues;

use super::{Conversion, SiteSteps};

/// What is computed early so far: calls that need the same in the same place share it.
#[derive(Debug, Default)]
pub struct EarlyComputations {
    by_procedure: BTreeMap<ProcedureId, Vec<(StatementId, Option<StatementId>, EarlyValues)>>,
}

impl EarlyComputations {
    /// The number of a computation in its procedure, and whether it is a new one.
    fn number(
        &mut self,
        (procedure, before): (ProcedureId, StatementId),
        guard: Option<StatementId>,
        values: &EarlyValues,
    ) -> (usize, bool) {
        let all = self.by_procedure.entry(procedure).or_default();
        let wanted = (before, guard, values.clone());
        let known = all.iter().position(|known| *known == wanted);
        let index = known.unwrap_or_else(|| {
            all.push(wanted);
            all.len() - 1
        });
        (index + 1, known.is_none())
    }
}

impl Conversion<'_> {
    /// Computes what the call `origin`, which moved to just before the statement `before` of its procedure, is given there.
    pub(super) fn compute_early(
        &mut self,
        steps: &mut SiteSteps,
        (origin, before): (SiteId, StatementId),
        guard: Option<StatementId>,
        values: &EarlyValues,
    ) -> Vec<EarlyValue> {
        let right_side = |(&variable, &assignment): (&SymbolId, &StatementId)| EarlyValue {
            variable,
            source: ValueSource::RightSide(assignment),
        };
        let mut found: Vec<EarlyValue> = values.written.iter().map(right_side).collect();
        if values.computed.is_empty() {
            return found;
        }
        let (number, is_new) = self.early.number((origin.procedure, before), guard, values);
        found.extend(values.computed.iter().map(|&symbol| EarlyValue {
            variable: symbol,
            source: ValueSource::Variable(NewVariable::EarlyValue { symbol, number }),
        }));
        if is_new {
            let computation = EarlyComputation {
                values: found.clone(),
                copied: values.copied.iter().copied().collect(),
                statements: values.statements.clone(),
                assignments: values.assignments.iter().copied().collect(),
            };
            steps.steps.push(Step {
                procedure: origin.procedure,
                position: Position::Before(before),
                origin: origin.statement,
                guard,
                operation: StepOperation::ComputeEarly(computation),
            });
        }
        found
    }

    /// Words for the report about values that were not there yet where a call of this procedure has moved to.
    pub(super) fn told_of_early(&self, origin: SiteId, values: &EarlyValues) -> String {
        let statements = values.written.values().chain(&values.assignments);
        let mut lines: Vec<Line> = statements.map(|&statement| self.line(origin, statement)).collect();
        lines.sort_unstable();
        lines.dedup();
        match lines.as_slice() {
            [] => String::new(),
            [line] => format!(", given what line {line} computes"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(Line::to_string).collect();
                format!(", given what lines {} and {last} compute", first.join(", "))
            }
        }
    }
}
