//! Values that calls are given further up than where the program computes them.

use serde::{Deserialize, Serialize};

use super::NewVariable;
use crate::ir::{StatementId, SymbolId};

/// What a call is given in the place of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyValue {
    /// The variable that holds it where the program has the call.
    pub variable: SymbolId,
    /// What stands for it further up.
    pub source: ValueSource,
}

/// What stands for a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueSource {
    /// The right side of this assignment.
    RightSide(StatementId),
    /// A new variable.
    Variable(NewVariable),
}

/// Computes values in new variables, as statements of the program compute them further down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyComputation {
    /// What stands for the variables of these statements.
    pub values: Vec<EarlyValue>,
    /// The variables whose new ones begin with what they hold here.
    pub copied: Vec<SymbolId>,
    /// The statements, in their order.
    pub statements: Vec<StatementId>,
    /// The assignments in these that are done here, too, with the branches around them.
    pub assignments: Vec<StatementId>,
}
