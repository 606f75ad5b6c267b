//! Variables that procedures get as arguments.
//!
//! A message may be posted by one procedure and waited for by another one, which both get its buffer from their callers.
//! Where all calls of a procedure hand one and the same variable to a dummy argument, as a whole and without a copy, the
//! dummy argument is another name for that variable, however the two are declared. Requests, which need the same
//! subscripts everywhere, are followed by [`crate::passes::handed_requests`].

use std::collections::BTreeSet;

use crate::ir::{
    Callee, Expression, ExpressionKind, ProcedureId, StatementKind, Storage, Symbol, SymbolClass, SymbolId,
};

use super::super::facts::{Fact, Facts, Memo, Name, SiteId};
use super::super::program::calls::may_be_active_twice;

/// The variables behind dummy arguments, worked out when they are first asked for.
struct Known(Memo<Name, Option<Name>>);

impl Fact for Known {
    fn of(_: &Facts<'_>) -> Self {
        Self(Memo::default())
    }
}

impl Facts<'_> {
    /// The one variable that a name of a procedure stands for: of a dummy argument what all calls hand it, of a variable
    /// that several procedures see one of its names, the same for all of them. `None` where a dummy argument may be
    /// several variables, or a copy.
    pub fn variable_behind(&self, procedure: ProcedureId, symbol: SymbolId) -> Option<Name> {
        let name = (procedure, symbol);
        self.get::<Known>().0.get(&name, || self.follow_to_variable(name))
    }

    /// The name that `procedure` has for the variable that `symbol` of `other` is, also one that it gets as an argument.
    pub fn handed_name_in(&self, procedure: ProcedureId, other: ProcedureId, symbol: SymbolId) -> Option<SymbolId> {
        if let Some(own) = self.name_in(procedure, other, symbol) {
            return Some(own);
        }
        let variable = self.variable_behind(other, symbol)?;
        let dummies = self.procedure(procedure).dummies.iter().copied();
        let shared = self.name_in(procedure, variable.0, variable.1);
        shared.into_iter().chain(dummies).find(|&own| self.variable_behind(procedure, own) == Some(variable))
    }

    /// The dummy arguments of `procedure` that may be (parts of) the variable that `symbol` of `other` is.
    ///
    /// A conforming program changes such a variable by no other name (Fortran 2018, 15.5.2.13). But what completes a message
    /// that was posted elsewhere names no variable at all, and programs rely on what has come being in all that they know.
    pub fn dummies_that_may_be(&self, procedure: ProcedureId, other: ProcedureId, symbol: SymbolId) -> Vec<SymbolId> {
        let variable = self.first_name((other, symbol));
        let is_known_as = |&dummy: &SymbolId| self.may_be_handed((procedure, dummy), variable);
        self.procedure(procedure).dummies.iter().copied().filter(is_known_as).collect()
    }

    /// One of the names of the object that the variable is or lies in, the same for all of them.
    fn first_name(&self, (procedure, symbol): Name) -> Name {
        let holder = self.procedure(procedure).holder_of(symbol);
        self.names_of(procedure, holder).into_iter().next().unwrap_or((procedure, holder))
    }

    /// May some call hand the variable, or a part of it, to the dummy argument?
    fn may_be_handed(&self, dummy: Name, variable: Name) -> bool {
        let mut seen = BTreeSet::from([dummy]);
        let mut pending = vec![dummy];
        while let Some((procedure, symbol)) = pending.pop() {
            let body = self.procedure(procedure);
            let own = body.symbol(symbol);
            let may_have_other_names = own.storage == Storage::Pointer || own.overlay.is_some();
            if self.first_name((procedure, symbol)) == variable || may_have_other_names {
                return true;
            }
            let Some(position) = body.dummies.iter().position(|&other| other == symbol) else { continue };
            if !self.calls_are_known(procedure) {
                return true;
            }
            for &call in self.calls_of(procedure) {
                let Some(arguments) = self.arguments_of(call, procedure) else { return true };
                // One that is left out, or a value, is no variable.
                let actual = arguments.get(position).and_then(Expression::designated);
                let actual = actual.map(|actual| (call.procedure, self.procedure(call.procedure).holder_of(actual)));
                pending.extend(actual.filter(|&actual| seen.insert(actual)));
            }
        }
        false
    }

    fn follow_to_variable(&self, name: Name) -> Option<Name> {
        let mut found: Option<Name> = None;
        let mut seen = BTreeSet::from([name]);
        let mut pending = vec![name];
        while let Some((procedure, symbol)) = pending.pop() {
            let body = self.procedure(procedure);
            let own = body.symbol(symbol);
            let Some(position) = body.dummies.iter().position(|&other| other == symbol) else {
                let variable = self.names_of(procedure, symbol).into_iter().next()?;
                let is_one = own.class == SymbolClass::Variable
                    && !(own.storage == Storage::Local && may_be_active_twice(self.program, procedure));
                if !is_one || found.is_some_and(|known| known != variable) {
                    return None;
                }
                found = Some(variable);
                continue;
            };
            if !self.calls_are_known(procedure) || own.storage != Storage::Dummy {
                return None;
            }
            for &call in self.calls_of(procedure) {
                let ExpressionKind::Symbol(actual) = self.arguments_of(call, procedure)?.get(position)?.kind else {
                    return None;
                };
                if may_be_copied(self.procedure(call.procedure).symbol(actual), own) {
                    return None;
                }
                if seen.insert((call.procedure, actual)) {
                    pending.push((call.procedure, actual));
                }
            }
        }
        found
    }

    /// The actual arguments of a statement that calls the procedure and does nothing else.
    fn arguments_of(&self, call: SiteId, procedure: ProcedureId) -> Option<&[Expression]> {
        match &self.procedure(call.procedure).statement(call.statement).kind {
            StatementKind::Call { callee: Callee::Procedure(callee), arguments } if *callee == procedure => {
                Some(arguments)
            }
            _ => None,
        }
    }
}

/// Could the dummy argument be a copy of the actual one, or of what a pointer leads to?
pub(super) fn may_be_copied(actual: &Symbol, dummy: &Symbol) -> bool {
    let is_plain = matches!(
        actual.storage,
        Storage::Local | Storage::Static | Storage::Global(_) | Storage::Dummy | Storage::Allocatable
    );
    let has_one_type = actual.element == dummy.element;
    let lies_in_one_piece = !actual.may_be_strided || dummy.assumes_shape();
    !(is_plain && has_one_type && lies_in_one_piece) || actual.scope.is_some()
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
