//! Where posts and transfers go.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::SiteId;
use crate::ir::{Polynomial, Region, StatementId, SymbolId};

/// Where a receive is posted.
#[derive(Debug, Clone)]
pub struct Hoisted {
    /// The place.
    pub place: Place,
    /// The request is made in a variable of its own, and takes its place in the program's only where the post was.
    pub hands_over_request: bool,
}

impl Hoisted {
    /// The statement of the receive's own procedure before which the post stands.
    pub fn before(&self) -> Option<StatementId> {
        match &self.place {
            Place::Own(own) => Some(own.before),
            Place::InCallers(_) => None,
        }
    }
}

/// Where the post stands.
#[derive(Debug, Clone)]
pub enum Place {
    /// Further up in the procedure of the receive.
    Own(OwnPlace),
    /// In the procedures that call that of the receive: once for every call.
    InCallers(Vec<EarlyPost>),
}

/// A place further up in the same procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPlace {
    /// The post stands just before this statement.
    pub before: StatementId,
    /// It is made under the condition of this IF statement.
    pub guard: Option<StatementId>,
    /// The first statement with work that now runs after the post.
    pub above: StatementId,
    /// The variables whose values the post needs, and its condition.
    pub needed: BTreeSet<SymbolId>,
    /// What the post is given in the place of values that the program computes below it.
    pub early: EarlyValues,
}

/// One post of a receive in a procedure that calls that of the receive.
#[derive(Debug, Clone)]
pub struct EarlyPost {
    /// The call.
    pub call: SiteId,
    /// The post stands just before this statement of the caller.
    pub before: StatementId,
    /// It is made under the condition of this IF statement of the caller.
    pub guard: Option<StatementId>,
    /// And under the condition of this IF statement of the called procedure.
    pub inner_guard: Option<StatementId>,
    /// The first statement with work that runs after the post; `None` where it stands just before the call.
    pub above: Option<StatementId>,
    /// The message's memory, in the caller.
    pub region: Region,
    /// The variables of the caller whose values the post needs, and its conditions.
    pub needed: BTreeSet<SymbolId>,
    /// What the post is given in the place of values that the caller computes below it.
    pub early: EarlyValues,
}

/// A place further up in the procedure of a send, where its message is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlySend {
    /// The send stands just before this statement, which is work.
    pub before: StatementId,
    /// It is made under the condition of this IF statement.
    pub guard: Option<StatementId>,
}

/// A loop that can be cut.
#[derive(Debug, Clone)]
pub struct StripMined {
    /// The loop.
    pub loop_statement: StatementId,
    /// The transfer is opened under the condition of this IF statement.
    pub guard: Option<StatementId>,
    /// Where the sequences of runs begin that the loop fills side by side, in elements of the message.
    pub sequences: Vec<Polynomial>,
    /// Elements of each sequence that one iteration completes.
    pub elements_per_iteration: Polynomial,
    /// The program may look at the loop variable after the loop.
    pub keeps_variable: bool,
    /// Tiles need not be whole vectors, because loops inside of this one are vectorised, not the loop itself.
    pub any_tile_length: bool,
    /// The variables whose values the opening of the transfer needs, and its condition.
    pub needed: BTreeSet<SymbolId>,
    /// What the opening is given in the place of values that the program computes below it.
    pub early: EarlyValues,
}

/// What a call that moved up is given in the place of variables that the program sets only on the way to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlyValues {
    /// Variables for which the right side of an assignment stands.
    pub written: BTreeMap<SymbolId, StatementId>,
    /// Variables for which new ones stand.
    pub computed: BTreeSet<SymbolId>,
    /// Those of the new ones that begin with what the program's variable holds there.
    pub copied: BTreeSet<SymbolId>,
    /// The statements that compute them, in their order; they are all in the block of the call, or in those around it.
    pub statements: Vec<StatementId>,
    /// The assignments in these that matter.
    pub assignments: BTreeSet<StatementId>,
}
