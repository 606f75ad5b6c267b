//! Where waits go.

use crate::analysis::facts::SiteId;
use crate::ir::{Depth, Polynomial, ProcedureId, StatementId, SymbolId};
use crate::plan::{Missed, Reason};

/// Where the wait of an operation goes.
#[derive(Debug, Clone)]
pub enum WaitPlace {
    /// Further down in its procedure.
    Own(Sunk),
    /// Into the procedures that call its own.
    InCallers(LateWaits),
    /// Into a procedure that its own calls further down.
    InCallee(WaitInCallee),
}

impl WaitPlace {
    /// The place, if it is in the wait's own procedure.
    pub fn own(&self) -> Option<&Sunk> {
        match self {
            Self::Own(sunk) => Some(sunk),
            Self::InCallers(_) | Self::InCallee(_) => None,
        }
    }
}

impl WaitPlace {
    /// Does it stand in a procedure that is called?
    pub fn is_in_callee(&self) -> bool {
        match self {
            Self::Own(_) => false,
            Self::InCallee(_) => true,
            Self::InCallers(late) => late.waits.iter().any(|wait| wait.in_callee.is_some()),
        }
    }

    /// The statements behind which, or in which, the wait of the call at `site` stands.
    pub fn statements(&self, site: SiteId) -> Vec<SiteId> {
        match self {
            Self::Own(sunk) => vec![SiteId { statement: sunk.after, ..site }],
            Self::InCallee(found) => found.statements().to_vec(),
            Self::InCallers(late) => {
                let places = late.waits.iter().flat_map(|wait| {
                    let own = wait.sunk.as_ref().map_or(wait.call.statement, |sunk| sunk.after);
                    let in_callee = wait.in_callee.iter().flat_map(WaitInCallee::statements);
                    in_callee.chain([SiteId { statement: own, ..wait.call }])
                });
                places.collect()
            }
        }
    }
}

/// A place further down in a procedure.
#[derive(Debug, Clone)]
pub struct Sunk {
    /// The wait stands just after this statement.
    pub after: StatementId,
    /// The wait left a branch: just before this statement the request is made null.
    pub null_before: Option<StatementId>,
    /// `after` is a loop in which parts of the message are waited for, or the whole of it, already.
    pub in_loop: Option<InLoop>,
}

impl Sunk {
    /// How the loop is split in which the wait stands.
    pub fn boundary(&self) -> Option<&Boundary> {
        match &self.in_loop {
            Some(InLoop::Boundary(boundary)) => Some(boundary),
            _ => None,
        }
    }
}

/// The waits of one operation in the procedures that call its own.
#[derive(Debug, Clone)]
pub struct LateWaits {
    /// One for each call.
    pub waits: Vec<LateWait>,
    /// The procedure may end without having come to the wait: before this statement, its first one, the request is made null.
    pub null_before: Option<StatementId>,
}

/// The wait for one call.
#[derive(Debug, Clone)]
pub struct LateWait {
    /// The call.
    pub call: SiteId,
    /// Where the wait goes; `None` where it stands just behind the call, or in another procedure.
    pub sunk: Option<Sunk>,
    /// It goes into a procedure that the caller calls further down.
    pub in_callee: Option<WaitInCallee>,
    /// The caller's variable that is the message's, or holds it; `None` where both procedures see it.
    pub argument: Option<SymbolId>,
    /// The wait passes a call that may post the same operation again: until then the request is in a variable of the caller's
    /// own.
    pub keeps_request: bool,
}

/// A wait in a procedure that is called below the place where its own stood.
#[derive(Debug, Clone)]
pub struct WaitInCallee {
    /// The call.
    pub call: SiteId,
    /// The procedure that it calls.
    pub callee: ProcedureId,
    /// The wait stands behind this statement of that procedure, or in it.
    pub after: StatementId,
    /// The statement is a loop that is split for the wait.
    pub boundary: Option<Boundary>,
    /// The variable of that procedure which is the message's.
    pub buffer: SymbolId,
    /// Before these other calls of the procedure the request is made null.
    pub null_before: Vec<SiteId>,
}

impl WaitInCallee {
    /// The call, and the statement behind which, or in which, the wait stands.
    fn statements(&self) -> [SiteId; 2] {
        [self.call, SiteId { procedure: self.callee, statement: self.after }]
    }
}

/// How a wait takes part in a loop.
#[derive(Debug, Clone)]
pub enum InLoop {
    /// The loop is cut into tiles, each of which waits for what it reads.
    Tiles(ConsumerTiles),
    /// The first and the last iterations run last, behind the wait.
    Boundary(Boundary),
}

/// A loop that reads its message tile by tile.
#[derive(Debug, Clone)]
pub struct ConsumerTiles {
    /// The loop's variable.
    pub variable: SymbolId,
    /// As many of the message's first elements do the iterations up to the value of `variable` need.
    pub needed: Polynomial,
    /// The program may look at the loop variable after the loop.
    pub keeps_variable: bool,
    /// Tiles need not be whole vectors.
    pub any_tile_length: bool,
    /// The receives whose requests the wait completes.
    pub posts: Vec<SiteId>,
}

/// A loop whose first and last iterations alone need the message.
#[derive(Debug, Clone)]
pub struct Boundary {
    /// How many of them do.
    pub depth: Depth,
    /// The program may look at the loop variable after the loop.
    pub keeps_variable: bool,
    /// The parts need not be whole vectors.
    pub any_part_length: bool,
}

impl Boundary {
    /// What runs behind the wait, in words.
    pub fn last_part(&self) -> String {
        match (self.any_part_length, self.depth) {
            // Where the parts are whole vectors, it is more of them than need the message.
            (false, _) => "the first and last iterations".to_owned(),
            (true, Depth::ONE) => "the first and last iteration".to_owned(),
            (true, Depth { first, last: 1 }) => format!("the first {first} iterations and the last one"),
            (true, Depth { first: 1, last }) => format!("the first iteration and the last {last}"),
            (true, Depth { first, last }) => format!("the first {first} and last {last} iterations"),
        }
    }
}

/// One of the waits into which a wait for several requests is taken apart.
#[derive(Debug, Clone)]
pub struct SplitWait {
    /// The post that makes the request.
    pub post: SiteId,
    /// Where the wait goes.
    pub sunk: Result<WaitPlace, Reason>,
    /// Where the statuses are stored: the subscript of its own one, in the array's last dimension.
    pub status: Option<i64>,
}

/// The waits of one call.
#[derive(Debug, Clone, Default)]
pub struct Waits {
    /// The only one, or that of the receive.
    pub sunk: Option<Result<WaitPlace, Reason>>,
    /// That of the send, where the call receives as well.
    pub sunk_send: Option<Result<WaitPlace, Reason>>,
    /// Those of a wait for several requests, or why they stay one.
    pub split: Option<Result<Vec<SplitWait>, Reason>>,
    /// What was tried in vain to wait in the loop that reads the message.
    pub missed: Vec<Missed>,
}

impl Waits {
    /// The places that were found.
    pub fn found(&self) -> impl Iterator<Item = &WaitPlace> {
        let split = self.split.iter().flatten().flatten().map(|wait| &wait.sunk);
        let all = self.sunk.iter().chain(&self.sunk_send).chain(split);
        all.filter_map(|sunk| sunk.as_ref().ok())
    }

    /// Does any of them move?
    pub fn gained(&self) -> bool {
        self.found().next().is_some()
    }
}
