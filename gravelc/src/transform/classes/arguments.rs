//! Arguments that the runtime's interfaces take ([`crate::passes::argument_forms`] knows which).

use crate::analysis::facts::{Facts, SiteId};
use crate::passes::argument_forms::misfit;
use crate::plan::{Reason, ReasonCode};

/// Why the call's arguments can't be handed to a call of the runtime.
pub fn argument_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    let found = misfit(facts.program, facts.procedure(site.procedure), facts.communication(site)?)?;
    Some(Reason::at(ReasonCode::UnsupportedOperation, found.span, found.why))
}
