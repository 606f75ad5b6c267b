//! References to procedures through objects: `call object%name(…)`, `object%name(…)`.
//!
//! The object becomes an argument like any other. A component that is a pointer to procedures is a reference through a pointer
//! ([`super::indirect_calls`]). Where the object's type can be extended by a type that was not given, the
//! reference may mean a procedure that was not given: it then has a name with `%` in it, under which
//! [`Procedure::overridable_calls`](crate::ir::Procedure::overridable_calls) has what else it may mean.

use super::super::text::syntax_tree::Node;

use super::super::names::association::Found;
use super::super::names::bindings::{PassedObject, object_and_name};
use super::super::names::members::Member;
use super::super::names::scope::{DeclaredType, Meaning};
use super::super::names::units::UnitIndex;
use super::super::text::tree::named_children;
use super::construct_names::ConstructName;
use super::designators::Step;
use super::generics::{Actual, one_of};
use super::lowering::Lowering;
use crate::ir::called_name::reference;
use crate::ir::{
    Callee, Expression, ExpressionKind, Overridable, ProcedureId, Span, StatementId, StatementKind, TypeCategory,
};

/// A component of an object that is a pointer to procedures.
pub(super) struct ProcedurePointer {
    /// As it is written, without blanks.
    pub name: String,
    /// The object that has it.
    pub object: Expression,
    /// Where the object goes in references through it.
    pub passed: PassedObject,
    /// The dummy arguments of its interface; none where they are not known.
    pub dummies: Vec<String>,
}

/// What a reference through an object may call, with the arguments.
struct BoundCalls {
    calls: Vec<(ProcedureId, Vec<Expression>)>,
    /// A type that was not given may have a procedure of its own.
    is_open: bool,
}

impl<'t> Lowering<'_, 't> {
    /// `call object%name(arguments)`
    pub fn bound_call(
        &mut self,
        reference: Node<'t>,
        nodes: &[Node<'t>],
        id: StatementId,
        span: Span,
    ) -> StatementKind {
        if nodes.iter().any(|node| node.kind() == "assumed_size") {
            return self.opaque_statement(span, "a CALL with alternate returns");
        }
        let text = self.source.lower(reference);
        let actuals = self.actuals(nodes);
        if let Some(pointer) = self.procedure_pointer(reference) {
            return self.call_through_component(&pointer, &actuals, id, span);
        }
        let Some(BoundCalls { calls, is_open }) = self.bound_calls(reference, &actuals, span) else {
            let object = named_children(reference).first().map(|object| self.expression(*object));
            let arguments = object.into_iter().chain(actuals.into_iter().map(|actual| actual.value)).collect();
            return StatementKind::Call { callee: Callee::Unknown(text), arguments };
        };
        let callees = self.callees(&calls, is_open, text);
        let arguments = calls[0].1.clone();
        let all = calls.into_iter().map(|(_, arguments)| arguments).chain([arguments]);
        let mut statements: Vec<StatementKind> =
            callees.into_iter().zip(all).map(|(callee, arguments)| StatementKind::Call { callee, arguments }).collect();
        match statements.len() {
            1 => statements.remove(0),
            _ => self.one_of(statements, id, span),
        }
    }

    /// `object%name(arguments)`, if `name` is a procedure that is known.
    pub fn bound_reference(&mut self, node: Node<'t>, span: Span) -> Option<ExpressionKind> {
        let parts = named_children(node);
        let (reference, list) = match parts.as_slice() {
            [reference, list] if node.kind() == "call_expression" => (*reference, *list),
            _ => return None,
        };
        let (object, name) = object_and_name(reference)?;
        let (home, declared) = self.object_type(object)?;
        match self.scopes.member(home, declared.derived.as_deref()?, &self.source.lower(name)) {
            Member::Procedure | Member::ProcedurePointer(..) => {}
            Member::Component { .. } | Member::Ancestor(..) | Member::Unknown => return None,
        }
        let actuals = self.actuals(&named_children(list));
        if let Some(pointer) = self.procedure_pointer(reference) {
            return Some(self.function_through_component(&pointer, &actuals, span));
        }
        let BoundCalls { calls, is_open } = self.bound_calls(reference, &actuals, span)?;
        let text = self.source.lower(reference);
        let callees = self.callees(&calls, is_open, text);
        let arguments = calls[0].1.clone();
        let all = calls.into_iter().map(|(_, arguments)| arguments).chain([arguments]);
        let mut references: Vec<ExpressionKind> = callees
            .into_iter()
            .zip(all)
            .map(|(callee, arguments)| ExpressionKind::Call { callee, arguments })
            .collect();
        Some(match references.len() {
            1 => references.remove(0),
            _ => one_of(references, span),
        })
    }

    /// Who may be called: the procedures of the calls and, where a type that was not given may have one, an unknown one. Beside
    /// a single procedure it stands for both.
    fn callees(&mut self, calls: &[(ProcedureId, Vec<Expression>)], is_open: bool, text: String) -> Vec<Callee> {
        let given = || calls.iter().map(|(id, _)| Callee::Procedure(*id));
        match calls {
            _ if !is_open => given().collect(),
            [(only, _)] => {
                let meaning = Overridable::Means(*only);
                let name = self.name_with_meaning(text, meaning);
                self.overridable_calls.insert(name.clone(), meaning);
                vec![Callee::Unknown(name)]
            }
            _ => {
                let name = reference(&text, "of another type");
                self.overridable_calls.insert(name.clone(), Overridable::Beside);
                given().chain([Callee::Unknown(name)]).collect()
            }
        }
    }

    /// A name for a call with this meaning. One text may mean several procedures: generic names do.
    pub fn name_with_meaning(&self, text: String, meaning: Overridable) -> String {
        let mut name = text.clone();
        let mut number = 1;
        while self.overridable_calls.get(&name).is_some_and(|known| *known != meaning) {
            number += 1;
            name = reference(&text, &format!("({number})"));
        }
        name
    }

    fn bound_calls(&mut self, reference: Node<'t>, actuals: &[Actual], span: Span) -> Option<BoundCalls> {
        let (object, name) = object_and_name(reference)?;
        let (home, declared) = self.object_type(object)?;
        let object = self.expression(object);
        let this = &*self;
        let fits = |passed: &PassedObject, id: ProcedureId| {
            let dummies = this.dummy_names(this.units.of_procedure[id.0]);
            with_object(passed, &object, actuals, &dummies).is_some_and(|actuals| this.may_be_meant(id, &actuals))
        };
        let bound = self.scopes.bound(self.extensions, (home, &declared), &self.source.lower(name), &fits)?;
        if loses_effects(&bound.passed, &object) {
            return None;
        }
        let calls = bound.procedures.iter().map(|&id| {
            let dummies = self.dummy_names(self.units.of_procedure[id.0]);
            let actuals = with_object(&bound.passed, &object, actuals, &dummies)?;
            Some((id, self.in_order_of(id, &actuals, span)?))
        });
        Some(BoundCalls { calls: calls.collect::<Option<Vec<_>>>()?, is_open: bound.is_open })
    }

    /// The component behind the last `%` of `object%name`, if it is a pointer to procedures.
    pub fn procedure_pointer(&mut self, reference: Node<'t>) -> Option<ProcedurePointer> {
        let (object, name) = object_and_name(reference)?;
        let (home, declared) = self.object_type(object)?;
        let (unit, declared) = match self.scopes.member(home, declared.derived.as_deref()?, &self.source.lower(name)) {
            Member::ProcedurePointer(unit, declared) => (unit, declared.clone()),
            Member::Component { .. } | Member::Ancestor(..) | Member::Procedure | Member::Unknown => return None,
        };
        let mut text = self.source.lower(reference);
        text.retain(|character| !character.is_whitespace() && character != '&');
        let dummies = declared.interface.map(|interface| self.dummies_of_interface(unit, &interface));
        let dummies = dummies.unwrap_or_default();
        Some(ProcedurePointer { name: text, object: self.expression(object), passed: declared.passed, dummies })
    }

    /// The type of the object at `node`, and the unit in whose scope the names of types are meant.
    fn object_type(&self, node: Node<'t>) -> Option<(UnitIndex, DeclaredType)> {
        let (base, steps) = self.steps(node)?;
        let name = self.source.lower(base);
        if self.scoped_names.contains(&name) {
            return None;
        }
        let (name, steps) = match self.construct_name(&name) {
            None => (name, steps),
            Some(ConstructName::Own(key)) => (key, steps),
            Some(ConstructName::Part { variable, steps: way }) => (variable, [way, steps].concat()),
            Some(ConstructName::Value | ConstructName::Some { .. }) => return None,
        };
        let is_variable = match self.find(&name) {
            Found::Entity { entity, .. } => entity.meaning == Meaning::Variable,
            Found::Nothing => true,
            Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) => false,
        };
        let mut current = self.type_of(&name).filter(|_| is_variable)?;
        for step in steps {
            let member = match step {
                Step::Member(member) => member,
                Step::Typed(narrowing) => {
                    current = (narrowing.home, narrowing.declared);
                    continue;
                }
                Step::Arguments(_) | Step::Evaluated => continue,
            };
            let (home, declared) = current;
            current = match self.scopes.member(home, declared.derived.as_deref()?, &member) {
                Member::Component { unit, component, .. } => (unit, component.declared_type.clone()),
                Member::Ancestor(unit, parent) => {
                    let mut declared = DeclaredType::intrinsic(TypeCategory::Derived, None);
                    declared.derived = Some(parent.to_string());
                    (unit, declared)
                }
                Member::ProcedurePointer(..) | Member::Procedure | Member::Unknown => return None,
            };
        }
        Some(current)
    }
}

/// Do the subscripts of the object do something that a call without the object would lose?
pub(super) fn loses_effects(passed: &PassedObject, object: &Expression) -> bool {
    let has_effects = |part: &Expression| matches!(&part.kind, ExpressionKind::Opaque(_) | ExpressionKind::Call { .. });
    *passed == PassedObject::Nowhere && object.any(&has_effects)
}

/// The arguments of a procedure with these dummy arguments, with the object among them.
pub(super) fn with_object(
    passed: &PassedObject,
    object: &Expression,
    actuals: &[Actual],
    dummies: &[String],
) -> Option<Vec<Actual>> {
    let mut all = actuals.to_vec();
    let position = match passed {
        PassedObject::Nowhere => return Some(all),
        PassedObject::First => 0,
        PassedObject::To(name) => dummies.iter().position(|dummy| dummy == name)?,
    };
    let in_order = all.iter().take_while(|actual| actual.keyword.is_none()).count();
    let keyword = (position > in_order).then(|| dummies[position].clone());
    all.insert(position.min(in_order), Actual { keyword, value: object.clone() });
    Some(all)
}
