//! Which variables may hold a wildcard of MPI, such as MPI_ANY_SOURCE.
//!
//! A wildcard comes into a variable by its name, along the same stores as other values. Arithmetic on something that
//! holds none gives none: what number stands for a wildcard is the MPI's own business, and no portable program computes
//! it. MPI itself gives them in statuses: of a wait for no request, or of what comes from nobody.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::program::contents::is_messaging_constant;
use crate::ir::{Callee, Expression, ExpressionKind, ProcedureId, Program, SymbolClass, SymbolId};

use super::stores::Source;
use super::{Cell, Readers, Values, are_references};

/// The constants of MPI that stand for any process and for any tag.
pub const WILDCARDS: [&str; 2] = ["mpi_any_source", "mpi_any_tag"];

/// By the wildcard's name: the variables that may hold it.
pub(super) type WildcardCells = BTreeMap<&'static str, BTreeSet<Cell>>;

/// May an expression have a wildcard as its value?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MayBeWildcard {
    /// No: all stores to its variables have been looked at.
    No,
    /// It is stored to a variable of the expression, or stands in it.
    Yes,
    /// Some part of the expression can't be followed.
    Unknown,
}

/// Where and for which wildcard the question is asked.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure that the expression is in.
    pub procedure: ProcedureId,
    /// The wildcard's name.
    pub name: &'a str,
    /// Variables that certainly hold none where the expression is evaluated.
    pub is_none: &'a dyn Fn(SymbolId) -> bool,
}

impl Values {
    /// May the expression have the wildcard as its value?
    pub fn may_be_wildcard(&self, asked: Asked, expression: &Expression) -> MayBeWildcard {
        let Asked { program, procedure, name, is_none } = asked;
        let body = program.procedure(procedure);
        let of_cell = |cell: Option<Cell>| match cell {
            None => MayBeWildcard::Unknown,
            Some(cell) if self.wildcards.get(name).is_some_and(|cells| cells.contains(&cell)) => MayBeWildcard::Yes,
            Some(_) => MayBeWildcard::No,
        };
        let of_all = |operands: Vec<&Expression>| {
            let mut operands = operands.into_iter().map(|operand| self.may_be_wildcard(asked, operand));
            operands.find(|answer| *answer != MayBeWildcard::No).unwrap_or(MayBeWildcard::No)
        };
        if is_messaging_constant(body, expression, name) {
            return MayBeWildcard::Yes;
        }
        match &expression.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Literal => MayBeWildcard::No,
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. } => match &body.symbol(*id).class {
                SymbolClass::Variable if is_none(*id) => MayBeWildcard::No,
                SymbolClass::Variable => of_cell(self.cell(program, procedure, *id)),
                SymbolClass::Constant(Some(_)) | SymbolClass::MessagingConstant => MayBeWildcard::No,
                SymbolClass::Constant(None) | SymbolClass::Procedure | SymbolClass::Unknown => MayBeWildcard::Unknown,
            },
            ExpressionKind::Part { component: Some(_), .. }
            | ExpressionKind::Call { callee: Callee::Procedure(_), .. } => {
                of_cell(self.cell_of_part(program, procedure, expression))
            }
            ExpressionKind::Computed(references) if are_references(references) => of_all(references.iter().collect()),
            ExpressionKind::Unary { operand, .. } => of_all(vec![operand]),
            ExpressionKind::Binary { left, right, .. } => of_all(vec![left, right]),
            ExpressionKind::ArrayConstructor(elements) => of_all(elements.iter().collect()),
            ExpressionKind::Call { callee: Callee::PureIntrinsic(_), arguments } => of_all(arguments.iter().collect()),
            ExpressionKind::Part { component: None, .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::Computed(_)
            | ExpressionKind::Opaque(_) => MayBeWildcard::Unknown,
        }
    }

    /// Works out which variables may hold a wildcard. One that something unknown is stored to counts as one.
    pub(super) fn find_wildcards(&mut self, program: &Program, flows: &BTreeMap<Cell, Vec<Source>>, readers: &Readers) {
        for name in WILDCARDS {
            self.wildcards.insert(name, BTreeSet::new());
            let mut pending: BTreeSet<&Cell> = flows.keys().collect();
            while !pending.is_empty() {
                let is_new = |cell: &&Cell| {
                    let is_known = self.wildcards[name].contains(*cell);
                    !is_known && flows[*cell].iter().any(|source| self.may_bring(program, source, name))
                };
                let found: Vec<&Cell> = pending.into_iter().filter(is_new).collect();
                pending = found.iter().filter_map(|cell| readers.get(*cell)).flatten().collect();
                self.wildcards.entry(name).or_default().extend(found.into_iter().cloned());
            }
        }
    }

    fn may_bring(&self, program: &Program, source: &Source, name: &str) -> bool {
        let may_be = |procedure: ProcedureId, expression: &Expression| {
            let asked = Asked { program, procedure, name, is_none: &|_| false };
            self.may_be_wildcard(asked, expression) != MayBeWildcard::No
        };
        match source {
            Source::Expression(procedure, expression) | Source::Elements(procedure, expression) => {
                may_be(*procedure, expression)
            }
            Source::Counted(procedure, counted) => {
                [&counted.lower, &counted.upper].into_iter().chain(&counted.step).any(|bound| may_be(*procedure, bound))
            }
            Source::Dummy(procedure, dummy) => match self.cell(program, *procedure, *dummy) {
                Some(cell) => self.wildcards[name].contains(&cell),
                None => true,
            },
            Source::Constant(constant, _) => *constant == name,
            Source::Created(_)
            | Source::CreatedDatatype(_)
            | Source::Number(_)
            | Source::Rank
            | Source::EndingHandler
            | Source::Null => false,
            // What comes from nobody has any tag (MPI 4.0, section 3.10), and an empty status has both (section 3.7.3).
            Source::Envelope | Source::Kept(_) | Source::Lost(_) => true,
        }
    }
}
