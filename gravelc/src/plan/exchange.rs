//! Procedures that are taken apart into the begin and the end of an exchange.

use serde::{Deserialize, Serialize};

use crate::ir::{Depth, ProcedureId, StatementId, SymbolId};

/// A procedure that posts messages, waits for them and works on what has come. It is written as two: one up to its first wait, and one
/// with the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitExchange {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The first statement of the second part.
    pub first_of_end: StatementId,
    /// The IF statements around it, outermost first: both parts have them.
    pub around: Vec<StatementId>,
    /// IF statements at the beginning that return: both parts begin with them.
    pub guards: Vec<StatementId>,
    /// Variables of its own of which the second part needs what the first one has left there.
    pub handed_over: Vec<SymbolId>,
    /// The exchange that it calls, with that call: the first part ends with the begin of that one, and the second part begins with its end.
    #[serde(default)]
    pub inner: Option<(ProcedureId, StatementId)>,
    /// The calls between whose two parts the caller works.
    pub calls: Vec<SplitCall>,
}

/// The name of the procedure that begins what the one of this name does.
pub fn name_of_begin(name: &str) -> String {
    format!("gravel_{name}_begin")
}

/// The name of the procedure that ends what the one of this name does.
pub fn name_of_end(name: &str) -> String {
    format!("gravel_{name}_end")
}

/// A call of such a procedure that becomes two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitCall {
    /// The procedure that calls.
    pub caller: ProcedureId,
    /// The call: the begin stands in its place.
    pub call: StatementId,
    /// The end stands behind this statement, of the same block.
    pub end_after: StatementId,
    /// That statement calls a procedure of [`SplitNest`]: its inside comes before the end, and its border behind it.
    pub is_in_nest: bool,
    /// The caller is taken apart as well: the end is the first statement of its second part.
    #[serde(default)]
    pub ends_with_caller: bool,
}

/// A procedure that runs through loops that stand one in the other: it is written once more, with the iterations of one box after the
/// other. The first box is inside, the others are the strips around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitNest {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The loops, outermost first; each is the only statement of the one before.
    pub loops: Vec<NestLoop>,
}

/// One of the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NestLoop {
    /// The loop.
    pub statement: StatementId,
    /// So many of its first and last iterations at least are not inside.
    pub margin: Depth,
    /// Boxes of any width leave the results as they are ([`super::TiledLoop::any_tile_length`]).
    pub any_part_length: bool,
}

impl SplitNest {
    /// How many boxes there are.
    pub fn boxes(&self) -> usize {
        1 + self.loops.iter().map(|it| usize::from(it.has_first()) + usize::from(it.has_last())).sum::<usize>()
    }
}

impl NestLoop {
    /// Is there a strip in front of what is inside?
    pub fn has_first(self) -> bool {
        self.margin.first > 0
    }

    /// Is there one behind it? Where boxes are whole vectors, the rest of them may be in it.
    pub fn has_last(self) -> bool {
        self.margin.last > 0 || !self.any_part_length && self.margin.first > 0
    }
}

/// The name of the procedure that does what the one of this name does, box by box.
pub fn name_of_boxes(name: &str) -> String {
    format!("gravel_{name}_boxes")
}
