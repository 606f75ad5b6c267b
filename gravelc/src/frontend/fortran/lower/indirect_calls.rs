//! References through dummy procedures and procedure pointers: `call argument(…)`, `pointer(…)`, `call object%pointer(…)`.
//!
//! They call one of the procedures that the given files hand over ([`super::handed_over`]), or one that somebody else did: for the
//! latter stands a name under which [`Procedure::overridable_calls`](crate::ir::Procedure::overridable_calls) has what else it
//! may mean, as with calls through objects.

use super::super::text::syntax_tree::Node;

use super::super::names::association::Found;
use super::super::names::scope::Meaning;
use super::super::names::units::{UnitIndex, UnitKind};
use super::super::text::tree::named_children;
use super::bound_calls::{ProcedurePointer, loses_effects, with_object};
use super::generics::{Actual, one_of, positions};
use super::handed_over::HandedOver;
use super::lowering::Lowering;
use crate::ir::called_name::reference;
use crate::ir::{
    Callee, Expression, ExpressionKind, Overridable, ProcedureId, ProcedureKind, Span, StatementId, StatementKind,
};
use crate::mutations::Clause;

impl<'t> Lowering<'_, 't> {
    /// `call name(arguments)` of a dummy procedure or a pointer.
    pub fn indirect_call(&mut self, name: &str, nodes: &[Node<'t>], id: StatementId, span: Span) -> StatementKind {
        if nodes.iter().any(|node| node.kind() == "assumed_size") {
            return self.opaque_statement(span, "a CALL with alternate returns");
        }
        let actuals = self.actuals(nodes);
        let calls = self.references_by_name(name, &actuals, ProcedureKind::Subroutine, span);
        self.one_of_calls(calls, id, span)
    }

    /// `call object%pointer(arguments)`
    pub fn call_through_component(
        &mut self,
        pointer: &ProcedurePointer,
        actuals: &[Actual],
        id: StatementId,
        span: Span,
    ) -> StatementKind {
        let calls = self.references_through_component(pointer, actuals, ProcedureKind::Subroutine, span);
        self.one_of_calls(calls, id, span)
    }

    fn one_of_calls(&mut self, calls: Vec<(Callee, Vec<Expression>)>, id: StatementId, span: Span) -> StatementKind {
        let mut calls: Vec<StatementKind> =
            calls.into_iter().map(|(callee, arguments)| StatementKind::Call { callee, arguments }).collect();
        match calls.len() {
            1 => calls.remove(0),
            _ => self.one_of(calls, id, span),
        }
    }

    /// `name(arguments)` of a dummy procedure or a pointer.
    pub fn indirect_function(&mut self, name: &str, arguments: Node<'t>, span: Span) -> ExpressionKind {
        let actuals = self.actuals(&named_children(arguments));
        one_of_references(self.references_by_name(name, &actuals, ProcedureKind::Function, span), span)
    }

    /// `object%pointer(arguments)`
    pub fn function_through_component(
        &mut self,
        pointer: &ProcedurePointer,
        actuals: &[Actual],
        span: Span,
    ) -> ExpressionKind {
        one_of_references(self.references_through_component(pointer, actuals, ProcedureKind::Function, span), span)
    }

    /// The dummy arguments of the interface that `unit` calls `name`, an interface body or a procedure; none where that is not
    /// known.
    pub fn dummies_of_interface(&self, unit: UnitIndex, name: &str) -> Vec<String> {
        let Found::Entity { unit, entity } = self.scopes.find(unit, name) else { return Vec::new() };
        if let Meaning::Procedure(id) = entity.meaning {
            return self.dummy_names(self.units.of_procedure[id.0]);
        }
        let scope = self.scopes.list[unit].as_ref();
        scope.and_then(|scope| scope.interface_dummies.get(&entity.name).cloned()).unwrap_or_default()
    }

    fn references_by_name(
        &mut self,
        name: &str,
        actuals: &[Actual],
        kind: ProcedureKind,
        span: Span,
    ) -> Vec<(Callee, Vec<Expression>)> {
        let place = self.scopes.place_of_procedure(self.sources, self.units, self.unit, name);
        let values = actuals.iter().map(|actual| actual.value.clone()).collect();
        let dummies = self.dummies_of_interface(self.unit, name);
        self.indirect_references((name, &place, kind), values, without_keywords(actuals, &dummies), span)
    }

    fn references_through_component(
        &mut self,
        pointer: &ProcedurePointer,
        actuals: &[Actual],
        kind: ProcedureKind,
        span: Span,
    ) -> Vec<(Callee, Vec<Expression>)> {
        let ProcedurePointer { name, object, passed, dummies } = pointer;
        let values = [object].into_iter().chain(actuals.iter().map(|actual| &actual.value)).cloned().collect();
        let in_order = with_object(passed, object, actuals, dummies)
            .filter(|_| !loses_effects(passed, object))
            .and_then(|actuals| without_keywords(&actuals, dummies));
        self.indirect_references((name, &HandedOver::Target, kind), values, in_order, span)
    }

    /// What may be called at `place` by a reference of this name and kind, each with its arguments: those of a given procedure
    /// are `in_order`, if that is known, those of others are `values`.
    fn indirect_references(
        &mut self,
        (name, place, kind): (&str, &HandedOver, ProcedureKind),
        values: Vec<Expression>,
        in_order: Option<Vec<Actual>>,
        span: Span,
    ) -> Vec<(Callee, Vec<Expression>)> {
        self.calls_indirectly = true;
        self.indirect_names.insert(name.to_string());
        let (Some(actuals), Some(all_handed_over)) = (in_order, self.all_handed_over) else {
            return vec![(Callee::Unknown(name.to_string()), values)];
        };
        let mut references = Vec::new();
        let targets = all_handed_over.behind(place);
        let is_handed_any = !targets.is_empty();
        for target in targets {
            match target {
                HandedOver::Given(id) if self.is_of_kind(id, kind) => {
                    if self.may_receive(id, &actuals)
                        && let Some(arguments) = self.in_order_of(id, &actuals, span)
                    {
                        references.push((Callee::Procedure(id), arguments));
                    }
                }
                HandedOver::NotGiven(own) => references.push((Callee::Unknown(own), values.clone())),
                HandedOver::Intrinsic(own) if kind == ProcedureKind::Function => {
                    references.push((Callee::PureIntrinsic(own), values.clone()));
                }
                _ => {}
            }
        }
        if Clause::HandedOverProcedures.is_off() {
            references.truncate(1);
        }
        // The name itself stands for what nothing is known about.
        let elsewhere = reference(name, "handed over elsewhere");
        let (meaning, unknown) = match references.as_slice() {
            // None is like the reference: some compilers let it call one all the same.
            [] if is_handed_any => return vec![(Callee::Unknown(name.to_string()), values)],
            // Nobody hands over anything: the reference is never reached.
            [] => {
                let unknown = self.name_with_meaning(elsewhere, Overridable::Beside);
                references.push((Callee::Unknown(unknown.clone()), values));
                (Overridable::Beside, unknown)
            }
            [(Callee::Procedure(only), _)] => {
                let meaning = Overridable::Means(*only);
                let unknown = self.name_with_meaning(elsewhere, meaning);
                references[0].0 = Callee::Unknown(unknown.clone());
                (meaning, unknown)
            }
            [(_, arguments), ..] => {
                let arguments = arguments.clone();
                let unknown = self.name_with_meaning(elsewhere, Overridable::Beside);
                references.push((Callee::Unknown(unknown.clone()), arguments));
                (Overridable::Beside, unknown)
            }
        };
        self.overridable_calls.insert(unknown.clone(), meaning);
        self.indirect_names.insert(unknown);
        references
    }

    fn is_of_kind(&self, id: ProcedureId, kind: ProcedureKind) -> bool {
        self.units.list[self.units.of_procedure[id.0]].kind == UnitKind::Procedure(kind)
    }

    /// Can the procedure be called with as many arguments? Their types are not looked at: without an interface a program
    /// may have its ways with them.
    fn may_receive(&self, id: ProcedureId, actuals: &[Actual]) -> bool {
        let unit = self.units.of_procedure[id.0];
        let dummies = self.dummy_names(unit);
        let Some(positions) = positions(&dummies, actuals) else { return false };
        let Some(scope) = self.scopes.list[unit].as_ref().filter(|scope| scope.incomplete.is_none()) else {
            return true;
        };
        dummies.iter().enumerate().all(|(index, dummy)| {
            positions.contains(&index) || scope.entities.get(dummy).is_some_and(|entity| entity.attributes.optional)
        })
    }
}

/// A reference that is one of these.
fn one_of_references(references: Vec<(Callee, Vec<Expression>)>, span: Span) -> ExpressionKind {
    let mut references: Vec<ExpressionKind> =
        references.into_iter().map(|(callee, arguments)| ExpressionKind::Call { callee, arguments }).collect();
    match references.len() {
        1 => references.remove(0),
        _ => one_of(references, span),
    }
}

/// The arguments without their keywords, which are names of the interface with these dummy arguments: the procedures that are
/// called may have others (Fortran 2018, 15.3.1: names are no characteristics). `None` where that does not say their order.
fn without_keywords(actuals: &[Actual], dummies: &[String]) -> Option<Vec<Actual>> {
    if actuals.iter().all(|actual| actual.keyword.is_none()) {
        return Some(actuals.to_vec());
    }
    let positions = positions(dummies, actuals)?;
    // An argument that is missing between others can only be said by keywords.
    (0..actuals.len())
        .map(|position| {
            let actual = positions.iter().position(|&of_actual| of_actual == position)?;
            Some(Actual { keyword: None, value: actuals[actual].value.clone() })
        })
        .collect()
}
