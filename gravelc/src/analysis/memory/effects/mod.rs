//! What statements do: the memory that they read and write, their effects outside the program, and whether control may
//! leave them otherwise than by their end.
//!
//! The regions of a statement are in terms of the values that variables have **when the statement begins**: a subscript
//! that the statement computes itself is followed through its assignments, and one that can't be followed makes the
//! region whole. Whoever compares regions of different statements must know that the variables of both
//! ([`Region::variables`]) are not changed in between.

mod beyond;
mod cache;
mod communication;
mod completion;
mod conflicts_in_call;
mod environment;
mod event;
mod expression;
mod footprint;
mod handed_operations;
mod loop_aggregation;
mod reach;
mod summary;
mod translation;
mod walk;

use std::collections::BTreeSet;

use crate::ir::{
    Certainty, Expression, ExpressionKind, Procedure, ProcedureId, Program, Region, Span, StatementId, Storage,
    SymbolId,
};

use super::super::Answer;
use super::super::algebra::prover::Assumptions;
use super::overlap::may_overlap;
use super::sharing::may_share_memory;

pub(super) use beyond::blocks_written_beyond;
pub use conflicts_in_call::ConflictsInCall;
pub use environment::iteration_symbol;
pub use footprint::Footprint;
pub use summary::{Summaries, called_procedures};
pub use translation::handed_region;
pub(in crate::analysis) use walk::{effects_of_iteration, effects_with};

/// Whether memory is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// Its value is used.
    Read,
    /// It gets a value, loses it, or comes to life or ends.
    Write,
}

/// One access to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Which memory.
    pub region: Region,
    /// Read or written.
    pub kind: AccessKind,
    /// Whether it happens each time the statement runs to its end. Reads never promise that.
    pub certainty: Certainty,
    /// Of a read: the value may be one from before the statement began. `false` only for scalars that the statement
    /// certainly has written by then.
    pub is_exposed: bool,
    /// The innermost statement that does it.
    pub statement: StatementId,
    /// What to show: the expression, or the statement.
    pub span: Span,
}

/// The sorts of effects that somebody outside the procedure's memory can notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalKind {
    /// Input, output, or anything else that the operating system sees.
    InputOutput,
    /// A call of MPI that other ranks may notice.
    Communication,
    /// A call of a procedure that was not given; its name.
    UnknownProcedure(String),
    /// A call of a given procedure that has an external effect inside; its name.
    Procedure(String),
    /// An access to a VOLATILE variable.
    Volatile,
    /// Something that was not understood.
    Opaque,
}

impl ExternalKind {
    /// Is it not known from here what it is: that of a procedure, or of something that is not understood?
    pub fn is_hidden(&self) -> bool {
        match self {
            Self::UnknownProcedure(_) | Self::Procedure(_) | Self::Opaque => true,
            Self::InputOutput | Self::Communication | Self::Volatile => false,
        }
    }
}

/// An effect outside the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// The innermost statement that has it.
    pub statement: StatementId,
    /// What it is.
    pub kind: ExternalKind,
}

/// A way for control to leave a statement otherwise than by its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leave {
    /// The innermost statement that does it.
    pub statement: StatementId,
    /// How, for the report.
    pub why: String,
}

/// A call that may store something that lasts in memory for which the caller has no name (a saved variable, a variable of
/// a module that it does not use): such calls have to keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenState {
    /// The innermost statement that calls.
    pub statement: StatementId,
    /// Who is called.
    pub callee: String,
}

/// What a statement does, with everything that it contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// The accesses to memory, in the order of the program text.
    pub accesses: Vec<Access>,
    /// COMMON blocks of which members without a name here may be read, too.
    pub blocks_read: BTreeSet<String>,
    /// COMMON blocks of which members without a name here may be written, too.
    pub blocks_written: BTreeSet<String>,
    /// A statement that may read and write anything, if there is one.
    pub everything: Option<StatementId>,
    /// The first effect outside the program.
    pub external: Option<External>,
    /// The first one of which nothing but its being there is known: see [`ExternalKind::is_hidden`].
    pub hidden_external: Option<External>,
    /// The first call with a memory of its own.
    pub hidden_state: Option<HiddenState>,
    /// The first way for control to leave.
    pub leaves: Option<Leave>,
    /// The first one that does not end the program.
    pub goes_elsewhere: Option<Leave>,
}

/// The effects of a statement with everything that it contains.
pub fn effects_of(program: &Program, procedure: ProcedureId, statement: StatementId) -> Effects {
    effects_of_all(program, procedure, &[statement])
}

/// The effects of statements that follow one another in one block.
pub fn effects_of_all(program: &Program, procedure: ProcedureId, statements: &[StatementId]) -> Effects {
    walk::effects_of_block(program, procedure, statements)
}

impl Effects {
    /// The first access of one of these kinds that may touch `region`. [`Effects::everything`] is asked separately.
    ///
    /// The variables of `region` must have the values that they have when the statement begins.
    pub fn first_access(
        &self,
        procedure: &Procedure,
        region: &Region,
        kinds: &[AccessKind],
        assumptions: &Assumptions,
    ) -> Option<&Access> {
        self.first_access_but(procedure, region, kinds, assumptions, &|_| false)
    }

    /// [`Effects::first_access`] without those for which `is_elsewhere` holds: they are known to touch other memory.
    pub fn first_access_but(
        &self,
        procedure: &Procedure,
        region: &Region,
        kinds: &[AccessKind],
        assumptions: &Assumptions,
        is_elsewhere: &dyn Fn(&Access) -> bool,
    ) -> Option<&Access> {
        self.accesses.iter().find(|access| {
            kinds.contains(&access.kind)
                && may_overlap(procedure, &access.region, region, assumptions) != Answer::No
                && !is_elsewhere(access)
        })
    }

    /// The first access that may write any part of the memory that belongs to `symbol`, or is shared with it.
    /// [`Effects::everything`] is asked separately.
    pub fn writes_symbol(&self, procedure: &Procedure, symbol: SymbolId) -> Option<&Access> {
        self.accesses.iter().find(|access| {
            access.kind == AccessKind::Write && may_share_memory(procedure, access.region.symbol, symbol)
        })
    }

    /// The first access that may read or write any part of the memory that belongs to `symbol`, or is shared with it.
    /// [`Effects::everything`] is asked separately.
    pub fn touches_symbol(&self, procedure: &Procedure, symbol: SymbolId) -> Option<&Access> {
        self.accesses.iter().find(|access| may_share_memory(procedure, access.region.symbol, symbol))
    }
}

/// The arguments of an intrinsic function whose values it needs. Of an array it may be the bounds alone, and those do not
/// change while the procedure runs unless it is a pointer or allocatable.
pub fn evaluated_arguments<'e>(procedure: &Procedure, name: &str, arguments: &'e [Expression]) -> &'e [Expression] {
    let is_fixed = |id: SymbolId| {
        let symbol = procedure.symbol(id);
        symbol.rank() > 0 && !symbol.is_allocatable() && symbol.storage != Storage::Pointer
    };
    match arguments {
        [array, others @ ..] if ["size", "ubound", "lbound"].contains(&name) => match array.kind {
            ExpressionKind::Symbol(id) if is_fixed(id) => others,
            _ => arguments,
        },
        _ => arguments,
    }
}

#[cfg(test)]
pub mod tests;
