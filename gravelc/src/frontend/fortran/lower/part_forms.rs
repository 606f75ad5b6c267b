//! How much of a component a designator means that leads to its object through subscripts, pointers or memory that is allocated.
//!
//! The emitter writes such a designator with another component in the place of the last one, so its text has to name that.

use super::super::text::syntax_tree::Node;

use super::super::names::members::Member;
use super::super::names::units::UnitIndex;
use super::super::text::tree::{all_children, named_children};
use super::designators::Step;
use super::lowering::Lowering;
use crate::ir::{PartForm, Span, SymbolId};

impl<'t> Lowering<'_, 't> {
    /// How much of the component `member`, to which the steps lead from a variable, they designate.
    pub fn form_of_part(
        &mut self,
        (name, variable): (&str, SymbolId),
        steps: &[Step<'t>],
        member: &str,
        span: Span,
    ) -> PartForm {
        let text = String::from_utf8_lossy(&self.source.original[span.start..span.end]).to_ascii_lowercase();
        if last_member(&text) != Some(member) {
            return PartForm::Unnamed;
        }
        // One object, whatever leads there: each array on the way has subscripts that are single numbers.
        let mut is_array = self.symbols[variable.0].rank() > 0;
        let mut current = self.type_of(name).and_then(|(home, declared)| Some((home, declared.derived?)));
        let mut form = PartForm::Whole;
        let Some(last) = steps.iter().rposition(|step| matches!(step, Step::Member(_))) else { return PartForm::Named };
        for (index, step) in steps.iter().enumerate() {
            match step {
                Step::Member(next) => {
                    if is_array {
                        return PartForm::Named;
                    }
                    let member = current.take().and_then(|(home, holder)| self.member_of_part(home, &holder, next));
                    let Some((next, has_dimensions)) = member else { return PartForm::Named };
                    (current, is_array) = (next, has_dimensions);
                }
                Step::Arguments(list) => {
                    form = self.form_of_subscripts(*list);
                    if index < last && form != PartForm::Element {
                        return PartForm::Named;
                    }
                    is_array = false;
                }
                Step::Typed(_) | Step::Evaluated => return PartForm::Named,
            }
        }
        if matches!(steps.last(), Some(Step::Member(_))) { PartForm::Whole } else { form }
    }

    /// The type of the component `name`, where that is a type with components, and whether it is an array.
    fn member_of_part(
        &self,
        home: UnitIndex,
        type_name: &str,
        name: &str,
    ) -> Option<(Option<(UnitIndex, String)>, bool)> {
        match self.scopes.member(home, type_name, name) {
            Member::Component { unit, component, .. } => {
                let next = component.declared_type.derived.clone().map(|derived| (unit, derived));
                Some((next, !component.dimensions.is_empty()))
            }
            Member::Ancestor(unit, parent) => Some((Some((unit, parent.to_string())), false)),
            Member::ProcedurePointer(..) | Member::Procedure | Member::Unknown => None,
        }
    }

    fn form_of_subscripts(&mut self, list: Node<'t>) -> PartForm {
        let items = named_children(list);
        let is_range = |item: &Node<'t>| item.kind() == "extent_specifier";
        let is_number = |item: &Node<'t>| {
            let value = self.expression(*item);
            !is_range(item) && item.kind() != "keyword_argument" && !self.may_be_array(&value)
        };
        if items.iter().all(is_number) {
            return PartForm::Element;
        }
        let has_stride = |item: &Node<'t>| all_children(*item).iter().filter(|child| child.kind() == ":").count() > 1;
        match items.as_slice() {
            [only] if is_range(only) && !has_stride(only) => PartForm::Elements,
            _ => PartForm::Named,
        }
    }
}

/// The name of the component that a designator names last.
fn last_member(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    let position = text.bytes().enumerate().filter(|&(_, byte)| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        byte == b'%' && depth == 0
    });
    let (position, _) = position.last()?;
    let rest = &text[position + 1..];
    let name = rest.split_once('(').map_or(rest, |(name, _)| name).trim();
    Some(name)
}
