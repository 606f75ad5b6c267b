//! What a name could mean where it does not stand yet.

use std::fmt::Debug;

use super::ProcedureId;

/// Questions about names that need all that surrounds a procedure: a front end keeps what answers them.
pub trait Naming: Debug + Send + Sync {
    /// Could the procedure call the variable `name` of `module` by this name, by an import at most?
    fn could_call(&self, procedure: ProcedureId, module: &str, name: &str) -> bool;

    /// Does the procedure see the module by an import, be it by way of other modules?
    fn imports(&self, procedure: ProcedureId, module: &str) -> bool;
}
