//! Why iterations of a loop don't change places, or don't keep off a message, as a reason.

use crate::analysis::loops::independence::Dependent;
use crate::analysis::loops::production::NotProduced;
use crate::ir::StatementId;
use crate::plan::{Reason, ReasonCode};

use super::movement::Surroundings;

/// The reason for what was found about the loop `statement`.
pub fn reason_of(surroundings: Surroundings, statement: StatementId, dependent: &Dependent) -> Reason {
    let code = match dependent {
        Dependent::NotCuttable(
            NotProduced::ExternalEffect { .. } | NotProduced::LeavesLoop { .. } | NotProduced::CallInside { .. },
        ) => ReasonCode::LoopHasEffects,
        Dependent::Carried { .. } | Dependent::Remembered { .. } | Dependent::Outlives { .. } => {
            ReasonCode::DependentIterations
        }
        Dependent::CountsWith { .. } => ReasonCode::NotConsumedInOrder,
        Dependent::NotCuttable(_) | Dependent::TouchedInside { .. } => ReasonCode::HaloReadInside,
    };
    let span = dependent.span().unwrap_or(surroundings.body().statement(statement).span);
    Reason::at(code, span, dependent.to_string())
}
