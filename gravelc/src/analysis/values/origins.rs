//! Where it comes from that a variable may hold anything: the store that a report can name.
//!
//! What made a variable unknown is noted when that happens: a store of something that is not followed, or of another variable
//! that was unknown before. So the way back through these has an end.

use std::collections::BTreeMap;

use crate::analysis::program::open_world::is_uncertain;
use crate::ir::{Expression, ProcedureId, Program, Span, Storage, SymbolClass, SymbolId, Untouchable};

use super::{Cell, Source, Value, Values};

/// What made a variable unknown.
#[derive(Debug, Clone)]
pub(super) struct Cause {
    /// Where that is stored; nowhere if no statement of the given files stores it.
    span: Option<Span>,
    /// The variable that it comes from, if that was unknown before.
    from: Option<Cell>,
    /// A variable that it comes from and that is not followed.
    beyond: Option<(ProcedureId, SymbolId)>,
}

/// Where something that is not known comes into the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The store, or the declaration of what is stored there.
    pub span: Span,
    /// What keeps that from being followed, as what is said of it, where there is a word for it.
    pub why: Option<String>,
}

/// By the variable.
pub(super) type Causes = BTreeMap<Cell, Cause>;

impl Values {
    /// Where something that is not known is stored that comes into this communicator: the statement furthest back on its
    /// way. `None` if it is not followed at all, or nothing is stored.
    pub fn origin_of_unknown(
        &self,
        program: &Program,
        procedure: ProcedureId,
        expression: &Expression,
    ) -> Option<Origin> {
        let mut cell = self.unknown_in(program, procedure, expression);
        let (mut span, mut beyond) = (None, None);
        while let Some(cause) = cell.and_then(|cell| self.causes.get(&cell)) {
            span = cause.span.or(span);
            beyond = cause.beyond;
            cell = cause.from.clone();
        }
        let why = beyond.and_then(|(owner, symbol)| self.why_not_followed(program, owner, symbol));
        Some(Origin { span: span?, why })
    }

    /// Why nothing that the variable may hold is followed, as what is said of it; `None` if it is.
    pub fn why_not_followed(&self, program: &Program, procedure: ProcedureId, id: SymbolId) -> Option<String> {
        if self.cell(program, procedure, id).is_some() {
            return None;
        }
        let body = program.procedure(procedure);
        let symbol = body.symbol(id);
        let is_dummy = body.dummies.contains(&id);
        let uncertain = body.untouchable.as_ref().filter(|_| is_uncertain(body));
        let why = if let Some(Untouchable { span, text: why, .. }) = uncertain {
            format!("not everything in `{}` is understood ({why}, line {})", body.name, program.line_named(*span))
        } else if symbol.target && symbol.place_inside.is_none() || symbol.storage == Storage::Pointer {
            "pointers may lead to it".to_owned()
        } else if symbol.volatile {
            "it is VOLATILE".to_owned()
        } else if is_dummy && !self.callers.callers_are_known(procedure) {
            let open = self.callers.open_world.as_ref().map(|open| format!(" ({})", open.describe(program)));
            format!("not all calls of `{}` are known{}", body.name, open.unwrap_or_default())
        } else if symbol.overlay.is_some() || symbol.storage.common_block().is_some() {
            "it shares memory with other variables, or not all procedures see it alike".to_owned()
        } else if symbol.place_inside.is_some() {
            "procedures inside this one see it".to_owned()
        } else {
            return None;
        };
        Some(why)
    }

    /// Notes what has made a variable unknown that was not.
    pub(super) fn note_cause(&mut self, program: &Program, cell: &Cell, source: &Source) {
        let at = |span: Option<Span>| Cause { span, from: None, beyond: None };
        let cause = match source {
            Source::Expression(procedure, expression) | Source::Elements(procedure, expression) => {
                let from = self.unknown_in(program, *procedure, expression);
                let beyond = self.first_not_followed(program, *procedure, expression);
                Cause { span: Some(expression.span), from, beyond: beyond.map(|symbol| (*procedure, symbol)) }
            }
            Source::Dummy(procedure, dummy) => {
                let span = program.procedure(*procedure).symbol(*dummy).declaration;
                let from = self.cell(program, *procedure, *dummy);
                let beyond = from.is_none().then_some((*procedure, *dummy));
                Cause { span, from: from.filter(|cell| self.is_unknown(cell)), beyond }
            }
            Source::Created(site) | Source::CreatedDatatype(site) => {
                at(Some(program.procedure(site.procedure).statement(site.statement).span))
            }
            Source::Kept(span) => at(Some(*span)),
            Source::Lost(span) => at(*span),
            Source::Number(_)
            | Source::Constant(..)
            | Source::Counted(..)
            | Source::Rank
            | Source::Envelope
            | Source::EndingHandler
            | Source::Null => at(None),
        };
        self.causes.insert(cell.clone(), cause);
    }

    /// The first variable of an expression that may hold anything.
    fn unknown_in(&self, program: &Program, procedure: ProcedureId, expression: &Expression) -> Option<Cell> {
        expression
            .walk()
            .into_iter()
            .find_map(|part| self.cell_of_part(program, procedure, part).filter(|cell| self.is_unknown(cell)))
    }

    /// The first variable of an expression that is not followed.
    fn first_not_followed(
        &self,
        program: &Program,
        procedure: ProcedureId,
        expression: &Expression,
    ) -> Option<SymbolId> {
        let variables = expression.walk().into_iter().filter_map(|part| part.designated());
        let is_variable = |id: &SymbolId| program.procedure(procedure).symbol(*id).class == SymbolClass::Variable;
        variables.filter(is_variable).find(|id| self.cell(program, procedure, *id).is_none())
    }

    fn is_unknown(&self, cell: &Cell) -> bool {
        self.held.get(cell) == Some(&Value::Anything)
    }
}
