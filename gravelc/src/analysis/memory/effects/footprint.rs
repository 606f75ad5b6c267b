//! Which variables statements may touch, without regard to which elements, order or control flow: the cheap question.

use std::collections::BTreeSet;

use crate::analysis::memory::arrays::Layouts;
use crate::analysis::memory::overrun::{beside, is_member};
use crate::analysis::memory::sharing::{is_reachable, may_share_memory};
use crate::ir::{Procedure, StatementId, Storage, SymbolClass, SymbolId};

use super::AccessKind;
use super::beyond::reaches_beyond_without_values;
use super::event::{Event, Touched, events_of};
use super::summary::Summaries;
use super::translation::{Caller, handed_symbol};

/// The variables that some statements may read and write.
#[derive(Debug, Clone, Default)]
pub struct Footprint {
    /// Variables of which something may be read.
    pub reads: BTreeSet<SymbolId>,
    /// Variables of which something may be written.
    pub writes: BTreeSet<SymbolId>,
    /// COMMON blocks of which members without a name here may be read, too.
    pub blocks_read: BTreeSet<String>,
    /// COMMON blocks of which members without a name here may be written, too.
    pub blocks_written: BTreeSet<String>,
    /// Objects ([`crate::ir::MemoryObjects`]) of which something may be read by pointers.
    pub objects_read: BTreeSet<u32>,
    /// Likewise, written.
    pub objects_written: BTreeSet<u32>,
    /// Whatever a pointer can point to may be read.
    pub reads_targets: bool,
    /// Whatever a pointer can point to may be written.
    pub writes_targets: bool,
    /// Anything that calls can reach may be read and written.
    pub everything: bool,
    /// Anything at all may be read and written.
    pub everything_private: bool,
    /// Somebody outside may notice.
    pub external: bool,
    /// How control may leave for good.
    pub may_not_return: Option<String>,
}

impl Footprint {
    /// What the statements may touch, each by itself: whoever wants what a compound statement holds names that too.
    pub fn of<'a>(
        procedure: &'a Procedure,
        summaries: &Summaries<'a>,
        statements: impl IntoIterator<Item = StatementId>,
    ) -> Self {
        let mut found = Self::default();
        for statement in statements {
            for event in events_of(procedure, summaries, statement) {
                found.add(procedure, summaries, event);
            }
        }
        found
    }

    /// What all statements of a procedure may touch, if nothing is known of what it calls.
    pub fn of_procedure(procedure: &Procedure) -> Self {
        Self::of(procedure, &Summaries::none(), (0..procedure.statements.len()).map(StatementId))
    }

    fn add(&mut self, procedure: &Procedure, summaries: &Summaries, event: Event) {
        match event {
            Event::Access { place, kind, .. } => {
                let symbol = match place {
                    Touched::Designator(expression) => expression.designated(),
                    Touched::Message(message) => message.buffer.designated(),
                    Touched::Whole(symbol) => Some(symbol),
                    Touched::Beside(_) => None,
                    Touched::Handed { call, access } => handed_symbol(procedure, summaries, call, access),
                    Touched::Object(object) => {
                        match kind {
                            AccessKind::Read => self.objects_read.insert(object),
                            AccessKind::Write => self.objects_written.insert(object),
                        };
                        None
                    }
                    Touched::Targets => {
                        match kind {
                            AccessKind::Read => self.reads_targets = true,
                            AccessKind::Write => self.writes_targets = true,
                        }
                        None
                    }
                };
                let (symbols, blocks) = match kind {
                    AccessKind::Read => (&mut self.reads, &mut self.blocks_read),
                    AccessKind::Write => (&mut self.writes, &mut self.blocks_written),
                };
                symbols.extend(symbol);
                if symbol.is_none_or(|symbol| is_member(procedure, symbol)) {
                    let layouts = Layouts::new(procedure);
                    let in_caller = Caller { layouts: &layouts, summaries, value_of: &|_| None };
                    if let Some(member) = reaches_beyond_without_values(&in_caller, place) {
                        symbols.extend(beside(procedure, member));
                        blocks.extend(procedure.symbol(member).storage.common_block().map(str::to_owned));
                    }
                }
            }
            Event::Everything { private_too } => {
                self.everything = true;
                self.everything_private |= private_too;
            }
            Event::External(_) => self.external = true,
            Event::Leave { why, for_good: true } => {
                self.may_not_return.get_or_insert(why);
            }
            // It is in no variable that is asked about.
            Event::HiddenState { .. } | Event::Leave { for_good: false, .. } => {}
        }
    }

    /// May a part of the variable's memory be written?
    pub fn may_write(&self, procedure: &Procedure, id: SymbolId) -> bool {
        if self.everything_private || self.writes.contains(&id) {
            return true;
        }
        (self.everything && is_reachable(procedure, id))
            || (self.writes_targets && is_target(procedure, id))
            || self.objects_written.iter().any(|&object| may_be_in(procedure, id, object))
            || self.writes.iter().any(|&written| may_share_memory(procedure, written, id))
    }
}

/// May the variable's memory be in the object of this number?
pub(in crate::analysis) fn may_be_in(procedure: &Procedure, id: SymbolId, object: u32) -> bool {
    let symbol = procedure.symbol(procedure.holder_of(id));
    match (&symbol.objects, &symbol.class) {
        (Some(objects), SymbolClass::Variable) => objects.may_be(object),
        _ => is_target(procedure, id),
    }
}

/// May a pointer point to the variable's memory?
pub(in crate::analysis) fn is_target(procedure: &Procedure, id: SymbolId) -> bool {
    let symbol = procedure.symbol(procedure.holder_of(id));
    match symbol.class {
        SymbolClass::Variable => symbol.target || symbol.storage == Storage::Pointer,
        SymbolClass::Unknown => true,
        SymbolClass::Constant(_) | SymbolClass::MessagingConstant | SymbolClass::Procedure => false,
    }
}
