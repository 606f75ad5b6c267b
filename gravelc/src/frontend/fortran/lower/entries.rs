//! Procedures with ENTRY statements, and their entries ([`super::super::names::entries`] says how they are understood).

use super::super::names::declarations::result_of;
use super::super::names::entries::UNREAD;
use super::super::names::units::{Unit, UnitIndex};
use super::super::text::syntax_tree::Node;
use super::lowering::Lowering;
use crate::ir::{
    Anchors, Block, Callee, Expression, ExpressionKind, Room, Span, StatementId, StatementKind, UntouchableCause,
};
use crate::mutations::Clause;

impl<'t> Lowering<'_, 't> {
    /// An ENTRY statement: calls of its name begin there.
    pub(super) fn entry_statement(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        if self.units.entry_at(self.unit, node).is_none() {
            self.mark_untouchable(span, UNREAD);
            return self.opaque_statement(span, UNREAD);
        }
        self.statements[id.0].jump_target = !Clause::EntryInTheMiddle.is_off();
        StatementKind::Nothing
    }

    /// What chooses at the beginning where to begin, if a procedure can begin somewhere among these statements.
    pub(super) fn choice_of_entry(&mut self, executable: &[Node<'t>]) -> Option<StatementId> {
        let first = executable.first()?;
        let is_entry = |node: &Node<'t>| self.units.entry_at(self.unit, *node).is_some();
        if Clause::EntryInTheMiddle.is_off() || !executable.iter().any(is_entry) {
            return None;
        }
        let id = self.reserve(self.source.span(first.start_byte()..first.start_byte()), None);
        let choice = self.jump_on(None, id);
        let statement = &mut self.statements[id.0];
        (statement.kind, statement.room, statement.hint) = (choice, Room::Inside, None);
        Some(id)
    }

    /// The statement of the entry `unit`, which calls the procedure `around` it, and where nothing is inserted.
    pub(super) fn entry(&mut self, unit: &Unit<'t>, around: UnitIndex) -> (Block, Anchors) {
        let span = self.trimmed_span(unit.node);
        let anchors = Anchors { imports: span.start, declarations: span.start };
        let Some(procedure) = self.units.list[around].procedure else { return (Block::new(), anchors) };
        let own = self.units.dummy_names(self.sources, self.unit);
        let all = self.units.all_dummy_names(self.sources, around);
        let arguments: Vec<Expression> = all
            .iter()
            .map(|name| match own.contains(name) {
                true => Expression::new(self.plain_name(name, span), span),
                false => Expression::absent(span),
            })
            .collect();
        let callee = Callee::Procedure(procedure);
        let result = result_of(self.source, unit, unit.node);
        let entity = result.and_then(|name| Some((self.scope.entities.get(&name)?, name)));
        let kind = match entity.map(|(entity, name)| self.entity_symbol(&name, self.unit, entity)) {
            None => StatementKind::Call { callee, arguments },
            // What the other results hold is not told.
            Some(result) => {
                let call = Expression::new(ExpressionKind::Call { callee, arguments }, span);
                let target = Expression::new(ExpressionKind::Symbol(result), span);
                let value = Expression::new(ExpressionKind::Computed(vec![call]), span);
                StatementKind::Assign { target, value, may_reallocate: false }
            }
        };
        let id = self.add(span, None, kind);
        self.statements[id.0].room = Room::Inside;
        (vec![id], anchors)
    }

    /// Of the text of a procedure with entries only calls change, and nothing of an entry does.
    pub(super) fn keep_text_around_entries(&mut self, index: UnitIndex) {
        let unit = &self.units.list[index];
        let entry = unit.entry_of.map(|_| unit.node).or(self.units.entries_of(index).next().map(|(_, it)| it.node));
        if let Some(entry) = entry {
            let why = "several entries: what is called by another name begins behind an ENTRY statement";
            self.mark_untouchable_for(UntouchableCause::SeveralEntries, self.source.span_of(entry), why);
        }
    }
}
