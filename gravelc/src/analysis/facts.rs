//! What is known about a program: the place where analyses keep the answers they have worked out.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::ir::{
    Communication, Expression, ExpressionKind, Polynomial, Procedure, ProcedureId, Program, StatementId, StatementKind,
};
use crate::ir::{Storage, SymbolClass, SymbolId};

use super::effects::{Effects, effects_of};
use super::symbolic::polynomial_of;

/// A statement of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement in it.
    pub statement: StatementId,
}

/// The answers about one program, worked out when they are first asked for.
pub struct Facts<'program> {
    /// The program.
    pub program: &'program Program,
    effects: Vec<Vec<OnceCell<Effects>>>,
}

impl<'program> Facts<'program> {
    /// Nothing is worked out yet.
    pub fn new(program: &'program Program) -> Self {
        let effects = program
            .procedures
            .iter()
            .map(|procedure| procedure.statements.iter().map(|_| OnceCell::new()).collect())
            .collect();
        Self { program, effects }
    }

    /// The procedure behind `id`.
    pub fn procedure(&self, id: ProcedureId) -> &'program Procedure {
        self.program.procedure(id)
    }

    /// The call of MPI at a site, if it is one.
    pub fn communication(&self, site: SiteId) -> Option<&'program Communication> {
        match &self.procedure(site.procedure).statement(site.statement).kind {
            StatementKind::Communication(communication) => Some(communication),
            _ => None,
        }
    }

    /// The effects of a statement with everything it contains.
    pub fn effects(&self, procedure: ProcedureId, statement: StatementId) -> &Effects {
        self.effects[procedure.0][statement.0].get_or_init(|| effects_of(self.program, procedure, statement))
    }

    /// The statements without statements inside that may write the variable; `None` if others than this procedure's own
    /// statements could.
    pub fn definitions(&self, procedure: ProcedureId, symbol: SymbolId) -> Option<Vec<StatementId>> {
        let body = self.procedure(procedure);
        let variable = body.symbol(symbol);
        let is_own = matches!(variable.storage, Storage::Local | Storage::Static);
        if !is_own || variable.target || variable.volatile || variable.overlay.is_some() {
            return None;
        }
        let mut found = Vec::new();
        for id in body.statements_in_order() {
            let statement = body.statement(id);
            if let StatementKind::Loop(counted) = &statement.kind {
                if counted.variable == symbol {
                    found.push(id);
                }
                continue;
            }
            if !statement.kind.blocks().is_empty() {
                continue;
            }
            let effects = self.effects(procedure, id);
            if effects.everything.is_some() || effects.writes_symbol(body, symbol).is_some() {
                found.push(id);
            }
        }
        Some(found)
    }

    /// The value that an integer expression has wherever it is evaluated in the procedure, if there is one: its variables
    /// are only ever assigned one constant.
    pub fn constant_value(&self, procedure: ProcedureId, expression: &Expression) -> Option<i64> {
        let mut polynomial = polynomial_of(self.procedure(procedure), expression)?;
        for symbol in polynomial.variables() {
            let value = self.constant_of_variable(procedure, symbol)?;
            polynomial = polynomial.checked_substitute(symbol, &Polynomial::constant(value))?;
        }
        polynomial.as_constant()
    }

    fn constant_of_variable(&self, procedure: ProcedureId, symbol: SymbolId) -> Option<i64> {
        let body = self.procedure(procedure);
        if body.symbol(symbol).initialised {
            return None;
        }
        let mut values = Vec::new();
        for definition in self.definitions(procedure, symbol)? {
            match &body.statement(definition).kind {
                StatementKind::Assign { target, value, .. } if target.kind == ExpressionKind::Symbol(symbol) => {
                    values.push(polynomial_of(body, value)?.as_constant()?);
                }
                _ => return None,
            }
        }
        let (&first, rest) = values.split_first()?;
        rest.iter().all(|&value| value == first).then_some(first)
    }
}

/// The statements whose own expressions mention the variable, with how often they do.
pub fn mentions(procedure: &Procedure, symbol: SymbolId) -> BTreeMap<StatementId, usize> {
    let mut counts = BTreeMap::new();
    for id in procedure.statements_in_order() {
        let expressions = procedure.statement(id).kind.expressions();
        let all = expressions.iter().flat_map(|expression| expression.walk());
        let count = all.filter(|expression| expression.designated() == Some(symbol)).count();
        if count > 0 {
            counts.insert(id, count);
        }
    }
    counts
}

/// Is the expression this constant of MPI (lower case)?
pub fn is_messaging_constant(procedure: &Procedure, expression: &Expression, name: &str) -> bool {
    match expression.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(id);
            symbol.class == SymbolClass::MessagingConstant && symbol.name == name
        }
        _ => false,
    }
}
