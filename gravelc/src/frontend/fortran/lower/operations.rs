//! Operators and assignments that the program defines (Fortran 2018, 10.1.6 and 10.2.1.4): calls of the procedures behind them.
//!
//! Whether an operation is the intrinsic one is decided by the types of its operands (`categories`). Where they are objects, or
//! not known, it may be a call of any procedure that an interface block of the program gives to the operator: which of them
//! a unit sees is not looked at, only what certainly does not fit is ruled out. What types bind to operators, what finalisers
//! do, and what modules define that were not given, is not known.

use std::collections::{HashMap, HashSet};

use super::super::names::association::Scopes;
use super::super::names::operation_names::{ASSIGNMENT, operator_named};
use super::super::names::units::UnitIndex;
use super::generics::{Actual, one_of};
use super::lowering::Lowering;
use crate::ir::{
    Callee, Expression, ExpressionKind, PartForm, ProcedureId, Span, StatementId, StatementKind, TypeCategory,
};

/// The operations that the units of a program define.
pub struct Operations {
    /// The procedures behind each, with the units that list them.
    specifics: HashMap<String, Vec<(UnitIndex, String)>>,
    /// Those that types bind to procedures.
    bound: HashSet<String>,
    /// Some type has a finaliser, which an assignment may call.
    has_finalisers: bool,
    /// Some procedure behind one of them, or one that is bound to a type, was not given.
    lead_out: bool,
    /// What types bind to operations, or have as finalisers or for input and output, may be that of a type which was not given:
    /// there are objects whose types can be others than the declared ones.
    lead_to_other_types: bool,
}

impl Operations {
    /// Those of all units.
    pub fn of(scopes: &Scopes<'_>) -> Self {
        let mut found = Self {
            specifics: HashMap::new(),
            bound: HashSet::new(),
            has_finalisers: false,
            lead_out: false,
            lead_to_other_types: false,
        };
        let mut reads_objects = false;
        let mut is_polymorphic = false;
        for (unit, scope) in scopes.list.iter().enumerate() {
            let Some(scope) = scope else { continue };
            found.has_finalisers |= scope.defines_finalisers;
            reads_objects |= scope.defines_input_output;
            let components = scope.types.values().flat_map(|definition| definition.components.values());
            let of_components = components.map(|component| &component.declared_type);
            let of_entities = scope.entities.values().filter_map(|entity| entity.declared_type.as_ref());
            is_polymorphic |= of_components.chain(of_entities).any(|declared| declared.polymorphic);
            let bindings = scope.types.values().flat_map(|definition| definition.bindings.values());
            let bound = bindings.filter_map(|binding| binding.procedure.as_ref());
            let listed = scope.operations.iter().map(|(_, procedure)| procedure);
            let behind = bound.chain(listed).chain(&scope.procedures_of_objects);
            found.lead_out |= behind.into_iter().any(|name| scopes.specific(unit, name).is_none());
            found.bound.extend(scope.bound_operations.iter().cloned());
            for (operation, procedure) in &scope.operations {
                found.specifics.entry(operation.clone()).or_default().push((unit, procedure.clone()));
            }
        }
        let blocks = scopes.blocks.values();
        let of_blocks =
            blocks.flat_map(|scope| scope.entities.values().filter_map(|entity| entity.declared_type.as_ref()));
        is_polymorphic |= of_blocks.into_iter().any(|declared| declared.polymorphic);
        let of_types = found.has_finalisers || !found.bound.is_empty() || reads_objects;
        found.lead_to_other_types = of_types && is_polymorphic;
        found
    }

    /// Does an interface block or a type of the program list something for the operation?
    pub fn is_defined(&self, operation: &str) -> bool {
        self.specifics.contains_key(operation) || self.bound.contains(operation)
    }

    /// May a procedure be behind one of them that was not given, though all modules are?
    pub fn lead_out(&self) -> bool {
        self.lead_out
    }

    /// May types that were not given have procedures behind them?
    pub fn lead_to_other_types(&self) -> bool {
        self.lead_to_other_types
    }
}

impl Lowering<'_, '_> {
    /// `operator` on these operands, which the program may define: a call, or one of several, or `intrinsic`.
    pub fn defined_operator(
        &mut self,
        operator: &str,
        operands: Vec<Expression>,
        intrinsic: ExpressionKind,
        span: Span,
    ) -> ExpressionKind {
        let Some(calls) = self.calls_of(&operator_named(operator), operands, span) else {
            return self.opaque(span, "an operator that the program may define");
        };
        if calls.is_empty() {
            return intrinsic;
        }
        let intrinsic = operands_again(intrinsic);
        one_of(calls.into_iter().map(function_call).chain([intrinsic]).collect(), span)
    }

    /// An operator with a name of its own, such as `.dot.`.
    pub fn named_operator(&mut self, operator: &str, operands: Vec<Expression>, span: Span) -> ExpressionKind {
        let operation = operator_named(operator);
        let mut calls = self.calls_of(&operation, operands.clone(), span).unwrap_or_default();
        match calls.len() {
            0 => ExpressionKind::Call { callee: Callee::Unknown(operation), arguments: operands },
            1 => function_call(calls.remove(0)),
            _ => one_of(calls.into_iter().map(function_call).collect(), span),
        }
    }

    /// `target = value`, the statement `id`, which the program may define; `intrinsic` is the assignment itself.
    pub fn defined_assignment(
        &mut self,
        operands: Vec<Expression>,
        intrinsic: StatementKind,
        id: StatementId,
        span: Span,
    ) -> StatementKind {
        let Some(calls) = self.calls_of(ASSIGNMENT, operands, span) else {
            return self.opaque_statement(span, "an assignment that the program may define");
        };
        if calls.is_empty() {
            return intrinsic;
        }
        let mut choices: Vec<StatementKind> = calls
            .into_iter()
            .map(|(id, arguments)| StatementKind::Call { callee: Callee::Procedure(id), arguments })
            .collect();
        choices.push(intrinsic);
        self.one_of(choices, id, span)
    }

    /// May a procedure be behind the operation whose arguments are all of intrinsic types?
    pub fn may_define_for_intrinsic_types(&self, operation: &str) -> bool {
        let listed = self.operations.specifics.get(operation).map(Vec::as_slice).unwrap_or_default();
        listed.iter().any(|(unit, name)| {
            let Some(id) = self.scopes.specific(*unit, name) else { return true };
            let unit = self.units.of_procedure[id.0];
            let Some(scope) = self.scopes.list[unit].as_ref() else { return true };
            let may_be_intrinsic = |dummy: &String| {
                scope.entities.get(dummy).is_none_or(|entity| {
                    // `class(*)` names no type.
                    let names_type = entity.declared_type.as_ref().is_some_and(|declared| declared.derived.is_some());
                    entity.element().category != TypeCategory::Derived || !names_type
                })
            };
            self.dummy_names(unit).iter().all(may_be_intrinsic)
        })
    }

    /// The procedures that the operation may call with these operands, with their arguments; `None` if there may be others.
    fn calls_of(
        &self,
        operation: &str,
        operands: Vec<Expression>,
        span: Span,
    ) -> Option<Vec<(ProcedureId, Vec<Expression>)>> {
        let operations = self.operations;
        if operations.has_finalisers || operations.bound.contains(operation) || self.sees_unknown_modules {
            return None;
        }
        let actuals: Vec<Actual> = operands.into_iter().map(|value| Actual { keyword: None, value }).collect();
        let listed = operations.specifics.get(operation).map(Vec::as_slice).unwrap_or_default();
        let ids: Option<Vec<ProcedureId>> =
            listed.iter().map(|(unit, name)| self.scopes.specific(*unit, name)).collect();
        let mut ids = ids?;
        ids.sort();
        ids.dedup();
        ids.retain(|&id| self.may_be_meant(id, &actuals));
        let mut calls = Vec::with_capacity(ids.len());
        for id in ids {
            let mut arguments = self.in_order_of(id, &actuals, span)?;
            // The operands are evaluated once, whichever it is: chains must not double with every link.
            if !calls.is_empty() {
                arguments = arguments.iter().map(evaluated_already).collect();
            }
            calls.push((id, arguments));
        }
        Some(calls)
    }
}

/// The operation with operands that are evaluated elsewhere.
fn operands_again(operation: ExpressionKind) -> ExpressionKind {
    match operation {
        ExpressionKind::Unary { operator, operand } => {
            ExpressionKind::Unary { operator, operand: Box::new(evaluated_already(&operand)) }
        }
        ExpressionKind::Binary { operator, left, right } => ExpressionKind::Binary {
            operator,
            left: Box::new(evaluated_already(&left)),
            right: Box::new(evaluated_already(&right)),
        },
        other => other,
    }
}

/// A value that is evaluated elsewhere: of a variable the memory, without what its subscripts call.
pub(super) fn evaluated_already(value: &Expression) -> Expression {
    let calls = |part: &Expression| {
        matches!(part.kind, ExpressionKind::Call { .. } | ExpressionKind::Computed(_) | ExpressionKind::Opaque(_))
    };
    let kind = match &value.kind {
        ExpressionKind::Symbol(_)
        | ExpressionKind::Integer(_)
        | ExpressionKind::Logical(_)
        | ExpressionKind::Literal => value.kind.clone(),
        ExpressionKind::Element { .. } | ExpressionKind::Section { .. } | ExpressionKind::Part { .. } => {
            match value.designated().filter(|_| value.any(&calls)) {
                Some(base) => ExpressionKind::Part {
                    base,
                    component: None,
                    form: PartForm::Unnamed,
                    through_pointer: true,
                    selectors: Vec::new(),
                },
                None => value.kind.clone(),
            }
        }
        _ => ExpressionKind::Computed(Vec::new()),
    };
    Expression::new(kind, value.span)
}

fn function_call((id, arguments): (ProcedureId, Vec<Expression>)) -> ExpressionKind {
    ExpressionKind::Call { callee: Callee::Procedure(id), arguments }
}
