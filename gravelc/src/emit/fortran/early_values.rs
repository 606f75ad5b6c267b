//! What is computed for calls that stand further up than the program computes it, and such values in the calls.

use crate::ir::{Expression, ExpressionKind, StatementId, StatementKind, SymbolId};
use crate::plan::{EarlyComputation, EarlyValue, ValueSource};

use super::super::EmitError;
use super::calls::Writer;
use super::layout::NESTED_MARGIN;
use super::meanings::Form;

/// What is written in the place of a variable.
#[derive(Clone)]
pub struct Given {
    text: String,
    /// What it means.
    pub(super) form: Form,
    /// It is one name, number or reference, and needs no parentheses.
    is_single: bool,
}

impl<'a> Writer<'a> {
    /// One that writes `values` in the place of their variables.
    pub(super) fn given(&self, values: &[EarlyValue]) -> Result<Writer<'a>, EmitError> {
        let mut given = self.clone();
        for value in values {
            let found = match value.source {
                ValueSource::Variable(variable) => {
                    let text = self.name(variable);
                    Given { form: Form::of_name(&text), text, is_single: true }
                }
                ValueSource::RightSide(assignment) => match &self.procedure.statement(assignment).kind {
                    StatementKind::Assign { value, .. } => {
                        let form = self.forms(|forms| forms.form(value));
                        Given { text: self.text_alone(value), form, is_single: self.is_single(value) }
                    }
                    _ => return Err(self.wrong_statement(assignment, "an assignment")),
                },
            };
            given.in_place_of.insert(value.variable, found);
        }
        Ok(given)
    }

    /// What is written in the place of the variable, if it is something else.
    pub(super) fn given_for(&self, variable: SymbolId) -> Option<&str> {
        self.in_place_of.get(&variable).map(|given| given.text.as_str())
    }

    /// Does what is written in the place of the variable need parentheses as an operand?
    pub(super) fn is_given_in_parts(&self, variable: SymbolId) -> bool {
        self.in_place_of.get(&variable).is_some_and(|given| !given.is_single)
    }

    /// Is something else written for a variable in the expression?
    pub(super) fn is_given_otherwise(&self, expression: &Expression) -> bool {
        let is_given = |part: &Expression| match part.kind {
            ExpressionKind::Symbol(symbol) => self.in_place_of.contains_key(&symbol),
            _ => false,
        };
        !self.in_place_of.is_empty() && expression.any(&is_given)
    }

    /// The statements of an early computation; `guard` is the IF statement under whose condition it takes place.
    pub(super) fn early_computation(
        &self,
        computation: &EarlyComputation,
        guard: Option<StatementId>,
    ) -> Result<Vec<String>, EmitError> {
        let writer = self.given(&computation.values)?;
        let mut lines = Vec::new();
        for &variable in &computation.copied {
            let name = &self.procedure.symbol(variable).name;
            lines.push(format!("{} = {name}", writer.given_for(variable).unwrap_or(name)));
        }
        let mut is_nested = false;
        for &statement in &computation.statements {
            let more = writer.computed_again(statement, &computation.assignments)?;
            is_nested |= !matches!(self.procedure.statement(statement).kind, StatementKind::Assign { .. });
            lines.extend(more);
        }
        let Some(branch) = guard else { return Ok(lines) };
        let condition = self.first_condition(branch)?;
        Ok(match lines.as_slice() {
            [only] if !is_nested => vec![format!("if ({condition}) {only}")],
            _ => {
                let nested = lines.iter().map(|line| format!("{NESTED_MARGIN}{line}"));
                let head = std::iter::once(format!("if ({condition}) then"));
                head.chain(nested).chain(std::iter::once("end if".to_string())).collect()
            }
        })
    }

    /// A statement with those of its assignments that are wanted, to the variables that are given for theirs.
    fn computed_again(&self, statement: StatementId, wanted: &[StatementId]) -> Result<Vec<String>, EmitError> {
        let block = |statements: &[StatementId]| -> Result<Vec<String>, EmitError> {
            let mut lines = Vec::new();
            for &inner in statements {
                let holds_some = self.procedure.with_descendants(inner).iter().any(|it| wanted.contains(it));
                if holds_some {
                    lines.extend(self.computed_again(inner, wanted)?);
                }
            }
            Ok(lines)
        };
        match &self.procedure.statement(statement).kind {
            StatementKind::Assign { target, value, .. } => {
                Ok(vec![format!("{} = {}", self.text(target), self.text(value))])
            }
            StatementKind::If { arms, otherwise, .. } => {
                let mut lines: Vec<String> = Vec::new();
                for (index, arm) in arms.iter().enumerate() {
                    let condition = self.text(&arm.condition);
                    let inside = block(&arm.body)?;
                    if let ([only], [_], None) = (inside.as_slice(), arms.as_slice(), otherwise)
                        && !only.starts_with("if (")
                    {
                        return Ok(vec![format!("if ({condition}) {only}")]);
                    }
                    let head = if index == 0 { "if" } else { "else if" };
                    lines.push(format!("{head} ({condition}) then"));
                    lines.extend(inside.iter().map(|line| format!("{NESTED_MARGIN}{line}")));
                }
                let last = otherwise.as_ref().map_or(Ok(Vec::new()), |inner| block(inner))?;
                if !last.is_empty() {
                    lines.push("else".to_string());
                    lines.extend(last.iter().map(|line| format!("{NESTED_MARGIN}{line}")));
                }
                lines.push("end if".to_string());
                Ok(lines)
            }
            _ => Err(self.wrong_statement(statement, "an assignment or a branch")),
        }
    }
}
