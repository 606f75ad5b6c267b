//! The variables that steps use: those that the emitter declares, and where requests and statuses of the program are.

use serde::{Deserialize, Serialize};

use crate::ir::{ProcedureId, StatementId, SymbolId};

/// A variable that the emitter declares in the procedure of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NewVariable {
    /// Request of the receive with this number in its procedure.
    ReceiveRequest(usize),
    /// Request of the send with this number.
    SendRequest(usize),
    /// Request of a receive that the callers of its procedure post: a variable that they and the procedure see.
    EarlyRequest {
        /// The procedure of the receive.
        procedure: ProcedureId,
        /// The number of the receive there.
        number: usize,
    },
    /// Request of an operation that the callers of its procedure wait for: a variable that they and the procedure see.
    LateRequest {
        /// The procedure of the operation.
        procedure: ProcedureId,
        /// The number of the wait there.
        number: usize,
    },
    /// Request of an operation that callers of the procedure have begun and that it waits for: a variable that they and the
    /// procedure see, null where there is none.
    CallersRequest {
        /// The procedure that waits.
        procedure: ProcedureId,
        /// The number of the wait there.
        number: usize,
    },
    /// Request that the call with this number, of another procedure, has left to wait for.
    AwaitedRequest(usize),
    /// Request of an operation that shares its variable with others, one after the other, and has one of its own here: this symbol
    /// of the procedure of the step, which the program does not have.
    SeparateRequest(SymbolId),
    /// The transfer of the send with this number.
    Transfer(usize),
    /// First iteration of a tile of the strip-mined loop with this number.
    TileStart(usize),
    /// Last iteration of a tile.
    TileEnd(usize),
    /// Iterations per tile.
    TileStep(usize),
    /// Which part of a split loop is run: 1 the inner iterations, 2 the first one, 3 the last one.
    LoopPart(usize),
    /// Stands for a variable of the program's, an integer, where its value is computed further up than by the program.
    EarlyValue {
        /// The variable.
        symbol: SymbolId,
        /// The number of the computation in its procedure.
        number: usize,
    },
}

impl NewVariable {
    /// Does it hold a request?
    pub fn is_request(self) -> bool {
        match self {
            Self::ReceiveRequest(_)
            | Self::SendRequest(_)
            | Self::EarlyRequest { .. }
            | Self::LateRequest { .. }
            | Self::CallersRequest { .. }
            | Self::AwaitedRequest(_)
            | Self::SeparateRequest(_) => true,
            Self::Transfer(_)
            | Self::TileStart(_)
            | Self::TileEnd(_)
            | Self::TileStep(_)
            | Self::LoopPart(_)
            | Self::EarlyValue { .. } => false,
        }
    }
}

/// Where a status is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusPlace {
    /// The call whose status argument it is.
    pub call: StatementId,
    /// Where that is an array of statuses: which of them, by the subscript of its last dimension.
    pub element: Option<i64>,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestPlace {
    /// In a variable of the emitted code.
    New(NewVariable),
    /// In the program's own: what this call of the procedure of the step names as its request.
    OfCall(StatementId),
}

impl RequestPlace {
    /// The new variable that holds it.
    pub fn new_variable(self) -> Option<NewVariable> {
        match self {
            Self::New(variable) => Some(variable),
            Self::OfCall(_) => None,
        }
    }
}
