//! What one statement does by itself, step by step, without the statements that it holds.

use crate::analysis::memory::overrun::{beside, is_member};
use crate::ir::{
    Certainty, Expression, Loop, Message, Procedure, ProcedureId, Span, Statement, StatementId, StatementKind,
    SymbolClass, SymbolId,
};

use super::summary::Summaries;
use super::{AccessKind, ExternalKind, communication, expression};

/// The memory of an access.
#[derive(Debug, Clone, Copy)]
pub(super) enum Touched<'a> {
    /// What the expression designates: a variable, an element, a section, a part.
    Designator(&'a Expression),
    /// Unknown elements of a variable.
    Whole(SymbolId),
    /// Unknown elements of what lies beside this member of a COMMON block, whether it has a name here or not.
    Beside(SymbolId),
    /// The buffer of a message.
    Message(&'a Message),
    /// What a called procedure touches of an argument, or of a variable that both see.
    Handed {
        /// The call.
        call: GivenCall<'a>,
        /// Index in the accesses of the procedure's summary.
        access: usize,
    },
    /// Anything that a pointer can point to.
    Targets,
    /// Anything in the object of this number ([`crate::ir::MemoryObjects`]).
    Object(u32),
}

/// A call of a given procedure.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenCall<'a> {
    /// Who is called.
    pub callee: ProcedureId,
    /// The actual arguments in the order of the dummy arguments.
    pub arguments: &'a [Expression],
}

/// One step of a statement.
#[derive(Debug, Clone)]
pub(super) enum Event<'a> {
    /// Memory is read or written.
    Access {
        /// Which memory.
        place: Touched<'a>,
        /// How.
        kind: AccessKind,
        /// Whether it happens whenever the statement is executed.
        certainty: Certainty,
        /// What to show.
        span: Span,
    },
    /// Anything may be read and written.
    Everything {
        /// Variables that only this procedure's own statements can name as well.
        private_too: bool,
    },
    /// Somebody outside may notice.
    External(ExternalKind),
    /// A called procedure may store something that lasts and that has no name here: what it does next may depend on it.
    HiddenState {
        /// The procedure's name.
        callee: String,
    },
    /// Control may leave the statement otherwise than by its end.
    Leave {
        /// How.
        why: String,
        /// It may leave the procedure without returning to the caller.
        for_good: bool,
    },
}

/// Collects the events of one statement.
pub(super) struct Recorder<'a, 's> {
    /// The procedure.
    pub procedure: &'a Procedure,
    /// What is known of called procedures.
    pub summaries: &'s Summaries<'a>,
    /// The statement.
    pub statement: &'a Statement,
    events: Vec<Event<'a>>,
}

/// The events of the statement `id` by itself, in the order in which they happen. Jumps to other places of the procedure
/// (EXIT, CYCLE) are left to whoever knows the surroundings.
pub(super) fn events_of<'a>(procedure: &'a Procedure, summaries: &Summaries<'a>, id: StatementId) -> Vec<Event<'a>> {
    let statement = procedure.statement(id);
    let mut recorder = Recorder { procedure, summaries, statement, events: Vec::new() };
    recorder.statement(&statement.kind);
    recorder.events
}

impl<'a> Recorder<'a, '_> {
    fn statement(&mut self, kind: &'a StatementKind) {
        match kind {
            StatementKind::Assign { target, value, may_reallocate } => {
                expression::read(self, value);
                if *may_reallocate {
                    expression::lose(self, target);
                } else {
                    expression::write(self, target, Certainty::Must);
                }
            }
            StatementKind::Loop(Loop { variable, lower, upper, step, .. }) => {
                [lower, upper].into_iter().chain(step).for_each(|bound| expression::read(self, bound));
                self.whole(*variable, AccessKind::Write, self.statement.span);
            }
            StatementKind::While { changes, condition, .. } => {
                condition.iter().for_each(|condition| expression::read(self, condition));
                changes.iter().for_each(|&changed| self.whole(changed, AccessKind::Write, self.statement.span));
            }
            StatementKind::If { arms, .. } => arms.iter().for_each(|arm| expression::read(self, &arm.condition)),
            StatementKind::Select { selectors, .. } => {
                selectors.iter().for_each(|selector| expression::read(self, selector));
            }
            StatementKind::Scope(scope) => scope.evaluated.iter().for_each(|value| expression::read(self, value)),
            StatementKind::Call { callee, arguments } => {
                expression::call(self, callee, arguments, self.statement.span, Certainty::Must);
            }
            StatementKind::Communication(communication) => communication::record(self, communication),
            StatementKind::InputOutput { reads, writes, may_leave } => {
                reads.iter().for_each(|read| expression::read(self, read));
                writes.iter().for_each(|written| expression::write(self, written, Certainty::May));
                self.push(Event::External(ExternalKind::InputOutput));
                if *may_leave {
                    self.leave("input or output that fails ends the program or jumps", true);
                }
            }
            StatementKind::Lifetime { variables, reads, .. } => {
                reads.iter().for_each(|read| expression::read(self, read));
                variables.iter().for_each(|variable| expression::lose(self, variable));
            }
            StatementKind::Jump => self.leave("a jump to a label", false),
            StatementKind::Return => self.leave("a return", false),
            StatementKind::Stop => self.leave("the program ends", true),
            StatementKind::Opaque(_) => self.opaque("a statement that could not be understood"),
            StatementKind::Exit(_) | StatementKind::Cycle(_) | StatementKind::Nothing => {}
        }
    }

    /// Adds an event.
    pub fn push(&mut self, event: Event<'a>) {
        self.events.push(event);
    }

    /// Adds an access.
    pub fn access(&mut self, place: Touched<'a>, kind: AccessKind, certainty: Certainty, span: Span) {
        self.push(Event::Access { place, kind, certainty, span });
    }

    /// Adds an access to unknown elements of a variable. Names that stand for no variable have no memory.
    pub fn whole(&mut self, symbol: SymbolId, kind: AccessKind, span: Span) {
        if self.is_variable(symbol) {
            self.access(Touched::Whole(symbol), kind, Certainty::May, span);
        }
    }

    /// Adds an access to unknown elements of what lies beside a member of a COMMON block, or has its place, and of the
    /// object that a component belongs to.
    pub fn beside(&mut self, symbol: SymbolId, kind: AccessKind, span: Span) {
        if let Some(holder) = self.procedure.symbol(symbol).holder() {
            return self.whole(holder, kind, span);
        }
        // Those with a name are noted for what they are.
        let has_others =
            beside(self.procedure, symbol).into_iter().filter(|&other| self.is_variable(other)).count() > 0;
        if has_others || is_member(self.procedure, symbol) {
            self.access(Touched::Beside(symbol), kind, Certainty::May, span);
        }
    }

    /// Does the name stand for a variable? Notes what follows from its class and attributes.
    pub fn is_variable(&mut self, id: SymbolId) -> bool {
        let symbol = self.procedure.symbol(id);
        match symbol.class {
            SymbolClass::Variable => {
                if symbol.volatile {
                    self.push(Event::External(ExternalKind::Volatile));
                }
                true
            }
            SymbolClass::Unknown => {
                self.opaque(&format!("`{}`, of which nothing is known", symbol.name));
                false
            }
            SymbolClass::Constant(_) | SymbolClass::MessagingConstant | SymbolClass::Procedure => false,
        }
    }

    /// Adds everything that something not understood may do.
    pub fn opaque(&mut self, why: &str) {
        self.push(Event::Everything { private_too: true });
        self.push(Event::External(ExternalKind::Opaque));
        self.leave(why, true);
    }

    /// Adds a way for control to leave.
    pub fn leave(&mut self, why: &str, for_good: bool) {
        self.push(Event::Leave { why: why.to_owned(), for_good });
    }
}
