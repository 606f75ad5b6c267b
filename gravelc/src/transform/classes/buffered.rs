//! Buffered sends. The runtime copies what is sent, so that nobody waits for it, and refuses what does not fit into the buffer that
//! the program has attached, as MPI does. So it has to be told of every buffer.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::repeatable::values_needed;
use crate::analysis::messages::buffer_room::{BufferRoom, buffer_room};
use crate::ir::Span;
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::arguments::argument_obstacle;
use crate::transform::rules::known_calls::{ends_loop, needed_name};

/// Why the buffered sends of the program stay with MPI; `span` is one of them.
pub fn buffered_obstacle(facts: &Facts, span: Span) -> Option<Reason> {
    if Clause::BufferedSends.is_off() {
        return None;
    }
    let refused = |span: Span, why: String| Some(Reason::at(ReasonCode::SendMode, span, why));
    if let Some(open) = facts.open_world() {
        let open = open.describe(facts.program);
        return refused(
            span,
            format!("others than the given files could attach the buffer that it is copied to ({open})"),
        );
    }
    let mut attaches = false;
    for site in buffer_calls(facts) {
        attaches |= matches!(buffer_room(facts.communication(site)?), Some(BufferRoom::Attached(_)));
        if let Some(why) = untold(facts, site) {
            let span = facts.procedure(site.procedure).statement(site.statement).span;
            let line = facts.program.line_named(span);
            return refused(span, format!("Gravel can't be told of the buffer at line {line}: {why}"));
        }
    }
    if attaches { None } else { refused(span, "nothing attaches a buffer that it could be copied to".to_owned()) }
}

/// The calls that attach a buffer, or take it back.
pub fn buffer_calls<'f>(facts: &'f Facts) -> impl Iterator<Item = SiteId> + use<'f> {
    let is_wanted = |site: &SiteId| facts.communication(*site).and_then(buffer_room).is_some();
    facts.communications().iter().copied().filter(is_wanted)
}

/// Why no call can follow one that attaches a buffer, or takes it back.
fn untold(facts: &Facts, site: SiteId) -> Option<String> {
    let procedure = facts.procedure(site.procedure);
    let statement = procedure.statement(site.statement);
    if let Some(untouchable) = procedure.keeps_calls() {
        return Some(untouchable.text.clone());
    }
    if !procedure.can_be_replaced(site.statement) || ends_loop(procedure, site.statement) {
        return Some("no other statement can follow there".to_owned());
    }
    if let Some(BufferRoom::Attached(size)) = buffer_room(facts.communication(site)?)
        && values_needed(facts, site.procedure, &[size]).is_err()
    {
        return Some("its size can't be evaluated twice".to_owned());
    }
    let reason = argument_obstacle(facts, site).or_else(|| needed_name(procedure, statement.span));
    reason.map(|reason| reason.message)
}
