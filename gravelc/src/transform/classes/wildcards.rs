//! MPI_ANY_SOURCE and MPI_ANY_TAG, named in a call or hidden in a variable.
//!
//! A receive with a wildcard can't tell its producer where its buffer is, for it does not know whom to tell. So all messages
//! of its class are announced by their producers (Gravel paper, section 2.1, the producer-initiated protocols), and the
//! consumer matches them as MPI does. Where it is not known whether a variable holds a wildcard, it may.

use std::collections::{BTreeSet, HashSet};

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::matching::{TagFact, tag_facts};
use crate::analysis::program::contents::is_messaging_constant;
use crate::analysis::values::{Asked, MayBeWildcard, WILDCARDS};
use crate::ir::{
    Callee, Dialect, Expression, ExpressionKind, Language, Message, Partner, Procedure, Span, StatementId,
    StatementKind, Storage, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

/// Where the program uses wildcards other than directly as arguments of MPI.
pub struct Wildcards {
    /// Stored, passed on or given by a declaration, or looked for in a status, so that a variable may hold one.
    stored: BTreeSet<&'static str>,
    /// Named anywhere in the text.
    named: BTreeSet<&'static str>,
}

impl Wildcards {
    /// Looks through the program.
    pub fn find(facts: &Facts) -> Self {
        let is_named =
            |name: &&'static str| facts.program.messaging_names.contains_key(*name) || is_included(facts, name);
        let named: BTreeSet<&'static str> = WILDCARDS.into_iter().filter(is_named).collect();
        let mut stored = stored_wildcards(facts);
        // A status may hold one that the program names nowhere.
        let in_statuses = WILDCARDS.into_iter().zip(["mpi_source", "mpi_tag"]);
        stored.extend(in_statuses.filter(|(_, field)| is_in_text(facts, field)).map(|(name, _)| name));
        Self { stored, named }
    }

    /// May the receive take messages from any source or with any tag?
    pub fn may_take_any(&self, facts: &Facts, site: SiteId, message: &Message) -> bool {
        if Clause::Wildcards.is_off() {
            return false;
        }
        let Partner::Process { peer, tag } = &message.partner else {
            return false;
        };
        let procedure = facts.procedure(site.procedure);
        let may_hold = |expression: &Expression, name: &'static str| {
            let counts_ranks = |symbol| counts_ranks(procedure, site, symbol);
            let asked = Asked { program: facts.program, procedure: site.procedure, name, is_none: &counts_ranks };
            facts.values().may_be_wildcard(asked, expression) != MayBeWildcard::No
                && facts.constant_value(site.procedure, expression).is_none()
                && (self.stored.contains(name)
                    || (self.named.contains(name) && has_hidden_value(procedure, expression)))
        };
        is_messaging_constant(procedure, peer, "mpi_any_source")
            || tag_facts(facts, site.procedure, tag).contains(&TagFact::Any)
            || may_hold(peer, "mpi_any_source")
            || may_hold(tag, "mpi_any_tag")
    }
}

/// Is it the variable of a loop around the call that counts up from zero or more? No MPI has wildcards among the ranks.
fn counts_ranks(procedure: &Procedure, site: SiteId, symbol: SymbolId) -> bool {
    let parent = |id: &StatementId| procedure.statement(*id).parent;
    std::iter::successors(parent(&site.statement), parent).any(|around| match &procedure.statement(around).kind {
        StatementKind::Loop(counted) if counted.variable == symbol => {
            let constant = |expression| polynomial_of(procedure, expression)?.as_constant();
            let goes_up = counted.step.as_ref().is_none_or(|step| constant(step).is_some_and(|step| step > 0));
            goes_up && constant(&counted.lower).is_some_and(|lower| lower >= 0)
        }
        _ => false,
    })
}

/// The wildcards whose name stands anywhere other than as an argument of MPI that is no memory: in other statements, in
/// declarations (what a component, an element or a constant is given there), in what could not be read.
fn stored_wildcards(facts: &Facts) -> BTreeSet<&'static str> {
    let mut only_asked_for: BTreeSet<Span> = BTreeSet::new();
    let mut found = BTreeSet::new();
    for procedure in &facts.program.procedures {
        for statement in &procedure.statements {
            let communication = match &statement.kind {
                StatementKind::Communication(communication) => Some(communication),
                _ => None,
            };
            let is_memory = |expression: &Expression| {
                let mut messages = communication.into_iter().flat_map(|it| it.messages());
                messages.any(|message| std::ptr::eq(&message.buffer, expression))
            };
            for expression in statement.kind.expressions() {
                let is_argument = communication.is_some() && !is_memory(expression);
                for part in expression.walk() {
                    for name in WILDCARDS.into_iter().filter(|name| is_messaging_constant(procedure, part, name)) {
                        if is_argument && std::ptr::eq(part, expression) {
                            only_asked_for.insert(part.span);
                        } else {
                            found.insert(name);
                        }
                    }
                }
            }
        }
    }
    let is_elsewhere = |name: &&'static str| {
        let places = facts.program.messaging_names.get(*name).into_iter().flatten();
        is_included(facts, name) || places.into_iter().any(|place| !only_asked_for.contains(place))
    };
    found.extend(WILDCARDS.into_iter().filter(is_elsewhere));
    found
}

/// Does the word stand in the text of the files?
fn is_in_text(facts: &Facts, word: &str) -> bool {
    facts.program.files.iter().any(|file| contains(&file.text, word, file.language.dialect()))
        || is_included(facts, word)
}

/// Does it stand in the text of a file that one of them includes?
fn is_included(facts: &Facts, word: &str) -> bool {
    let languages: HashSet<Language> = facts.program.files.iter().map(|file| file.language).collect();
    let contains = |text: &[u8]| languages.iter().any(|language| contains(text, word, language.dialect()));
    facts.program.included.values().any(|text| contains(text))
}

fn contains(text: &[u8], word: &str, dialect: &dyn Dialect) -> bool {
    text.windows(word.len()).any(|window| dialect.is_same_name(window, word.as_bytes()))
}

/// Could the expression's value come from a declaration that is not looked into?
fn has_hidden_value(procedure: &Procedure, expression: &Expression) -> bool {
    expression.walk().into_iter().any(|part| match &part.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(*id);
            symbol.initialised
                || matches!(symbol.class, SymbolClass::Constant(None) | SymbolClass::Unknown)
                || matches!(symbol.storage, Storage::Global(_) | Storage::Component { .. })
        }
        ExpressionKind::Element { .. } | ExpressionKind::Part { .. } => true,
        ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
        _ => false,
    })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
