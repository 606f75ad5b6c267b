//! What a dummy argument that is an array sees of what it is handed.
//!
//! It sees the caller's elements from the argument on, one for one; where no interface says what a procedure takes, compilers
//! let it see other numbers in the same memory, or what lies behind the variable: programs that are older than the rules for
//! array arguments (Fortran 2018, 15.5.2.11) hand over the first of several members of a COMMON block, or of a type.

use crate::ir::{
    Component, ElementType, Expression, ExpressionKind, ProcedureId, Shape, Storage, Symbol, SymbolId, TypeCategory,
};

use super::stores::Stores;

/// What is handed over, by this procedure.
type Handed<'p> = (ProcedureId, &'p Expression);
/// The dummy argument, of this procedure.
type Dummy = (ProcedureId, SymbolId);

impl<'p> Stores<'p> {
    /// Does an array of such elements see those of the argument one for one?
    pub(super) fn has_elements_of(&self, caller: ProcedureId, argument: &'p Expression, seen: ElementType) -> bool {
        let element = match self.component(caller, argument) {
            Some((_, component)) => component.element,
            None => match argument.designated() {
                Some(variable) => self.program.procedure(caller).symbol(variable).element,
                // A value, which is nobody's memory.
                None => return true,
            },
        };
        let is_object = seen.category == TypeCategory::Derived;
        element.category == seen.category && (is_object || seen.bytes.is_some() && element.bytes == seen.bytes)
    }

    /// May the array see what lies behind the argument's variable in a COMMON block or in an object? Of a single element that is
    /// assumed unless the array is one of one element, of others where it is seen.
    pub(super) fn sees_beyond(&self, (caller, argument): Handed<'p>, (callee, dummy): Dummy) -> bool {
        let length = match self.component(caller, argument) {
            Some((_, component)) if component.lies_elsewhere() => None,
            Some((_, component)) => component.length,
            None => argument.designated().and_then(|variable| self.length_among_others(caller, variable)),
        };
        let Some(length) = length else { return false };
        match (self.elements(callee, dummy), self.elements_in_front(caller, argument)) {
            (Some(elements), Some(in_front)) => in_front.checked_add(elements).is_none_or(|end| end > length),
            (Some(1), None) => false,
            _ => length == 1,
        }
    }

    /// How many elements the variable has, if others may lie behind it: a member of a COMMON block, and what may stand for one.
    fn length_among_others(&self, procedure: ProcedureId, variable: SymbolId) -> Option<i64> {
        let symbol = self.program.procedure(procedure).symbol(variable);
        let is_among_others = symbol.storage.common_block().is_some();
        let may_stand_for_one = symbol.rank() == 0 && symbol.storage == Storage::Dummy;
        if is_among_others || may_stand_for_one { self.elements_of(procedure, symbol) } else { None }
    }

    fn elements(&self, procedure: ProcedureId, variable: SymbolId) -> Option<i64> {
        self.elements_of(procedure, self.program.procedure(procedure).symbol(variable))
    }

    /// How many elements the variable has by its declaration, where that is a number.
    fn elements_of(&self, procedure: ProcedureId, symbol: &Symbol) -> Option<i64> {
        match &symbol.shape {
            Shape::Scalar => Some(1),
            Shape::Array(dimensions) => dimensions.iter().try_fold(1_i64, |elements, dimension| {
                let (lower, upper) = (dimension.lower.as_ref()?, dimension.upper.as_ref()?);
                let extent = self.constant(procedure, upper)?.checked_sub(self.constant(procedure, lower)?)?;
                elements.checked_mul(extent.checked_add(1)?.max(0))
            }),
        }
    }

    /// How many elements of the variable lie in front of the argument, where that is a number.
    fn elements_in_front(&self, procedure: ProcedureId, argument: &Expression) -> Option<i64> {
        match &argument.kind {
            ExpressionKind::Symbol(_) => Some(0),
            ExpressionKind::Element { array, subscripts } => {
                let Shape::Array(dimensions) = &self.program.procedure(procedure).symbol(*array).shape else {
                    return None;
                };
                let ([dimension], [subscript]) = (dimensions.as_slice(), subscripts.as_slice()) else {
                    return None;
                };
                let lower = self.constant(procedure, dimension.lower.as_ref()?)?;
                self.constant(procedure, subscript)?.checked_sub(lower)
            }
            _ => None,
        }
    }

    /// Does the whole of a dummy argument that begins at this element lie in the component?
    pub(super) fn is_within(
        &self,
        component: &Component,
        (caller, argument): Handed<'p>,
        (callee, dummy): Dummy,
    ) -> bool {
        let is_within = || {
            let bytes = i64::from(component.element.bytes?);
            let first = self.elements_in_front(caller, argument)?;
            let seen = i64::from(self.program.procedure(callee).symbol(dummy).element.bytes?);
            let end = first.checked_mul(bytes)?.checked_add(self.elements(callee, dummy)?.checked_mul(seen)?)?;
            Some(first >= 0 && end <= component.length?.checked_mul(bytes)?)
        };
        is_within().unwrap_or(false)
    }
}
