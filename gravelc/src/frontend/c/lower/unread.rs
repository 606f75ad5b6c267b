//! What is not understood: expressions of which is known only whom they may call and what they name.

use std::collections::HashSet;

use super::lowering::Lowering;
use crate::frontend::c::types::Reason;
use crate::frontend::c::unit::{self, ExpressionId, Operation, StatementId, SymbolKind, Unit};
use crate::ir::{Expression, ExpressionKind, Opacity, OutsideCalls, ProcedureId, Unread};

/// So many characters of an expression are quoted.
const LONGEST_QUOTED: usize = 60;

/// What is said of expressions of which nothing better can be said.
pub const OTHER_FORM: &str = "an expression of a form that is not followed";

impl Lowering<'_> {
    /// Something that is not understood, with whom its text may call and which names it has.
    pub fn opaque(&mut self, ids: &[ExpressionId], what: &str) -> Expression {
        let span = ids.first().map_or(self.carrier, |id| self.span_of(*id));
        let unread = self.unread_expressions(ids, what);
        Expression::new(ExpressionKind::Opaque(Box::new(unread)), span)
    }

    /// Why an expression is not understood, as the reports say it.
    pub fn what_is_unknown(&self, id: ExpressionId, reason: Reason) -> String {
        // What it is computed of has made it so.
        let is_cause = |part: &ExpressionId| matches!(&self.unit.expression(*part).operation, Operation::Unknown(its, _) if *its == reason);
        let id = parts_of(self.unit, &[id]).into_iter().rev().find(is_cause).unwrap_or(id);
        let range = &self.unit.expression(id).range;
        let text = self.input.text.get(range.start as usize..range.end as usize).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.chars().take(LONGEST_QUOTED).collect();
        match reason {
            Reason::UndeclaredName => format!("`{text}`, which nothing declares (a macro or a header is missing)"),
            Reason::NoSuchMember => {
                format!("`{text}`, a member that nothing declares (a macro or a header is missing)")
            }
            Reason::UnknownBuiltin => format!("`{text}`, a builtin function that is not known"),
            _ => OTHER_FORM.to_owned(),
        }
    }

    /// What is known of expressions that are not understood.
    pub fn unread_expressions(&mut self, ids: &[ExpressionId], what: &str) -> Unread {
        let mut unread =
            Unread { opacity: Opacity::Meaning, calls: Some(OutsideCalls::default()), ..Unread::unknown(what) };
        for part in parts_of(self.unit, ids) {
            match &self.unit.expression(part).operation {
                Operation::Symbol(symbol) => {
                    let kind = self.unit.symbol(*symbol).kind;
                    if matches!(kind, SymbolKind::Object | SymbolKind::Parameter) {
                        let variable = self.symbol(*symbol);
                        unread.variables.push(variable);
                        unread.variables.extend(self.pointee(*symbol));
                    }
                }
                Operation::Call { callee, arguments } => {
                    if self.messaging_call_in(part).is_some() {
                        unread.calls = None;
                    }
                    let function = self.called_back(*callee, arguments).unwrap_or(*callee);
                    if let Some(procedures) = self.input.called.get(&function) {
                        self.note_named(procedures, function);
                        continue;
                    }
                    match self.callee_with(*callee, arguments) {
                        crate::ir::Callee::Unknown(name) => {
                            if let Some(calls) = &mut unread.calls {
                                calls.names.push(name);
                            }
                        }
                        crate::ir::Callee::Procedure(_) | crate::ir::Callee::PureIntrinsic(_) => {}
                    }
                }
                Operation::StatementExpression(block) if !may_hold_more(self.unit, *block) => {}
                Operation::StatementExpression(_) | Operation::Unknown(..) => unread.calls = None,
                _ => {}
            }
        }
        self.name_functions(ids);
        unread
    }

    /// Notes the functions of the program that the expressions name.
    pub fn name_functions(&mut self, ids: &[ExpressionId]) {
        for part in parts_of(self.unit, ids) {
            if let Operation::Symbol(symbol) = self.unit.expression(part).operation
                && self.unit.symbol(symbol).kind == SymbolKind::Function
                && let Some(procedure) = self.given_procedure(symbol)
            {
                self.note_named(&[procedure], part);
            }
        }
    }

    /// Notes that the expression names these functions of the program.
    pub fn note_named(&mut self, procedures: &[ProcedureId], id: ExpressionId) {
        let place = self.span_of(id);
        self.named.extend(procedures.iter().map(|&procedure| (procedure, place)));
    }
}

/// The expressions and all that they consist of, statements inside of expressions and initialisers included.
pub fn parts_of(unit: &Unit, ids: &[ExpressionId]) -> Vec<ExpressionId> {
    let mut found: Vec<ExpressionId> = Vec::new();
    let mut seen: HashSet<ExpressionId> = HashSet::new();
    let mut left: Vec<ExpressionId> = ids.to_vec();
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.push(id);
        let operation = &unit.expression(id).operation;
        left.extend(operation.operands());
        match operation {
            Operation::StatementExpression(block) => left.extend(expressions_in(unit, *block)),
            Operation::CompoundLiteral(symbol) => left.extend(initial_values(unit, *symbol)),
            _ => {}
        }
    }
    found
}

/// The expressions that stand in a statement and in those inside of it.
pub fn expressions_in(unit: &Unit, statement: StatementId) -> Vec<ExpressionId> {
    let mut found = Vec::new();
    let mut left = vec![statement];
    while let Some(id) = left.pop() {
        let kind = &unit.statement(id).kind;
        found.extend(kind.expressions());
        if let unit::StatementKind::Declaration { symbols, .. } = kind {
            found.extend(symbols.iter().flat_map(|symbol| initial_values(unit, *symbol)));
        }
        left.extend(kind.statements());
    }
    found
}

/// Do calls stand in a statement, or in those inside of it, that are not among its expressions?
fn may_hold_more(unit: &Unit, statement: StatementId) -> bool {
    let mut left = vec![statement];
    while let Some(id) = left.pop() {
        let kind = &unit.statement(id).kind;
        if matches!(
            kind,
            unit::StatementKind::Hole(_) | unit::StatementKind::Assembler | unit::StatementKind::NestedFunction(_)
        ) {
            return true;
        }
        left.extend(kind.statements());
    }
    false
}

/// The values that the initialiser of an object has.
pub fn initial_values(unit: &Unit, symbol: unit::SymbolId) -> Vec<ExpressionId> {
    let items = unit.symbol(symbol).initialiser.iter().flat_map(|initialiser| &initialiser.items);
    items.map(|item| item.value).collect()
}
