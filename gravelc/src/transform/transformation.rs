//! What a transformation is ([`Entry`]), and what it is given to work with ([`Context`]).

use std::collections::BTreeSet;

use super::Selection;
use super::found::{AllMoves, Found, InLoop, LoopUses};
use super::rules::message_order::MessageOrder;
use super::rules::movement::Surroundings;
use crate::analysis::facts::{Facts, SiteId};
use crate::directives::Directives;
use crate::ir::{Direction, Message, ProcedureId, Program, Region};
use crate::plan::{Plan, Reason, ReasonCode, Transformation};
use crate::progress::Phase;

/// One of the transformations.
pub struct Entry {
    /// Its name, with what it does.
    pub transformation: Transformation,
    /// What it works on, and how it is asked.
    pub subject: Subject,
}

/// What a transformation works on.
#[derive(Clone, Copy)]
pub enum Subject {
    /// The program: it plans for one in which something is done otherwise, and keeps what loses nothing.
    Program(PlansProgram),
    /// A kind of call that converts by nothing else.
    Class(ObstacleOfCall),
    /// Each call of the classes that convert, one after the other in program order.
    Call {
        /// What users see meanwhile.
        phase: Phase,
        /// What it finds for the call; nothing if that is none of those that it works on.
        find: fn(&Context, SiteId) -> Option<Found>,
    },
    /// A loop that is the first to touch what a wait is for: how the wait goes into it.
    Loop(fn(&Context, &ReceivingLoop) -> Result<InLoop, Reason>),
}

/// The plan, with the help of one that lets all others work on a program.
pub type PlansProgram = fn(&Program, &Selection, &dyn Fn(&Program, &Selection) -> Plan) -> Plan;

/// Why a call can't convert, by who says which transformations are wanted.
pub type ObstacleOfCall = fn(&Facts, SiteId, IsEnabled) -> Option<Reason>;

/// Whether a transformation may be applied.
pub type IsEnabled<'a> = &'a dyn Fn(Transformation) -> Result<(), Reason>;

/// A loop below a wait.
pub struct ReceivingLoop<'a> {
    /// The wait, or the blocking receive.
    pub wait: SiteId,
    /// The loop, in the same procedure.
    pub site: SiteId,
    /// The message, in terms of that procedure.
    pub message: &'a Region,
    /// The receives whose requests the wait completes.
    pub posts: &'a [SiteId],
}

/// What is known while the calls of the classes that convert are worked on.
pub struct Context<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// Which transformations may be applied.
    pub selection: &'a Selection,
    /// What users ask for in the source.
    pub directives: &'a Directives,
    /// The members of classes whose messages are announced by their producers.
    pub announced: &'a BTreeSet<SiteId>,
    /// The members of classes in which a send is synchronous.
    pub synchronous: &'a BTreeSet<SiteId>,
    /// The members of all classes that convert, and the calls that may complete them.
    pub converting: &'a BTreeSet<SiteId>,
    /// What was found so far.
    pub moves: &'a AllMoves,
    /// The loops that waits went into so far.
    pub loops: &'a LoopUses,
    /// The transformations.
    pub registry: &'a [Entry],
}

impl<'a> Context<'a> {
    /// Whether the transformation may be applied at a site.
    ///
    /// # Errors
    /// Who does not want it.
    pub fn is_enabled(&self, transformation: Transformation, site: SiteId) -> Result<(), Reason> {
        is_enabled(self.facts.program, self.selection, self.directives, transformation, site)
    }

    /// A procedure with what is known of it.
    pub fn surroundings(&self, procedure: ProcedureId) -> Surroundings<'a> {
        Surroundings { facts: self.facts, procedure }
    }

    /// In which order messages have to stay.
    pub fn message_order(&self) -> MessageOrder<'a> {
        let Self { facts, converting, announced, moves, .. } = *self;
        MessageOrder { facts, converting, announced, moves }
    }

    /// One of the messages of a call.
    ///
    /// # Errors
    /// If its arguments are not understood.
    pub fn message(&self, site: SiteId, direction: Direction) -> Result<&'a Message, Reason> {
        self.facts.communication(site).and_then(|found| found.message(direction)).ok_or_else(|| {
            let span = self.facts.procedure(site.procedure).statement(site.statement).span;
            Reason::at(ReasonCode::UnrepeatableArguments, span, "the arguments could not be understood")
        })
    }
}

/// Whether the transformation may be applied at a site.
///
/// # Errors
/// Who does not want it.
pub fn is_enabled(
    program: &Program,
    selection: &Selection,
    directives: &Directives,
    transformation: Transformation,
    site: SiteId,
) -> Result<(), Reason> {
    if let Some(span) = directives.skipping(site, transformation) {
        let line = program.line_named(span);
        let message = format!("the directive at line {line} leaves {} out", transformation.name());
        return Err(Reason::at(ReasonCode::SkipDirective, span, message));
    }
    let procedure = program.procedure(site.procedure);
    if procedure.is_expression(site.statement) {
        let span = procedure.statement(site.statement).span;
        return Err(Reason::at(ReasonCode::SharedLine, span, "the call is a part of an expression, and stays there"));
    }
    let dialect = procedure.dialect();
    if transformation.form().is_some_and(|form| !dialect.writes(form)) {
        let message = format!("{} is not written in this language yet", transformation.name());
        return Err(Reason::everywhere(ReasonCode::LanguageNotWritten, message));
    }
    if selection.enabled.contains(&transformation) {
        return Ok(());
    }
    let name = transformation.name();
    let message = format!("{name} was switched off on the command line");
    Err(Reason::everywhere(ReasonCode::NotRequested, message))
}
