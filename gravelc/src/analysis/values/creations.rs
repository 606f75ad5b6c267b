//! The communicators that a program makes: which of them could be one and the same.
//!
//! A communicator is made by all its processes together, but they need not be at the same statement: one half of a branch
//! may call `MPI_Comm_dup` for the same communicator as the other. So two places count as apart only if they call
//! different routines, or if every process is known to come by both in the same order, and the routine is one that all
//! processes of the communicator it is handed take part in.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Communication, Expression, Operation, Procedure, ProcedureId, ProcedureKind, Program, StatementKind};
use crate::mpi::properties::Property;

use super::super::facts::{Fact, Facts, SiteId};
use super::super::program::calls::call_sites;
use super::super::program::open_world::is_uncertain;
use super::{CommunicatorSource, Value, Values};

/// One call that makes a communicator.
#[derive(Debug)]
struct Creation {
    site: SiteId,
    routine: String,
    /// What it is made of; `None` if that is not known, or may be several communicators.
    parents: Option<BTreeSet<CommunicatorSource>>,
    /// Every process that runs the procedure comes by here exactly once, and in the order of the text.
    is_unconditional: bool,
}

/// A communicator that is made of one that is made of one … is not followed further back.
const MOST_GENERATIONS: usize = 8;

/// The communicators that a program makes.
#[derive(Debug)]
pub struct Creations {
    list: Vec<Creation>,
}

impl Creations {
    /// Those of `program`.
    pub fn of(program: &Program, values: &Values) -> Self {
        let mut list = Vec::new();
        let callees = OnceCell::new();
        for (procedure, body) in program.procedures() {
            for statement in body.statements_in_order() {
                if let StatementKind::Communication(communication) = &body.statement(statement).kind
                    && let Operation::CreateCommunicator { parent, .. } = &communication.operation
                {
                    let site = SiteId { procedure, statement };
                    list.push(creation((program, &callees), site, communication, values, parent.as_ref()));
                }
            }
        }
        Self { list }
    }

    fn find(&self, site: SiteId) -> Option<&Creation> {
        self.list.iter().find(|creation| creation.site == site)
    }

    /// Could these be the same communicator, on the same or on different processes?
    pub fn may_be_one(&self, one: CommunicatorSource, other: CommunicatorSource) -> bool {
        self.may_be_one_within(one, other, MOST_GENERATIONS)
    }

    fn may_be_one_within(&self, one: CommunicatorSource, other: CommunicatorSource, generations: usize) -> bool {
        match (one, other) {
            (CommunicatorSource::CreatedAt(one), CommunicatorSource::CreatedAt(other)) => {
                one == other
                    || match (self.find(one), self.find(other)) {
                        (Some(one), Some(other)) => self.may_be_one_call(one, other, generations),
                        _ => true,
                    }
            }
            // What a call makes is never a predefined communicator.
            (one, other) => one == other,
        }
    }

    /// Could two calls at different places be the two ends of one collective call?
    fn may_be_one_call(&self, one: &Creation, other: &Creation, generations: usize) -> bool {
        if one.routine != other.routine || !self.may_have_one_parent(one, other, generations) {
            return false;
        }
        let of_world = |creation: &Creation| {
            creation.parents.as_ref().is_some_and(|parents| parents.iter().eq([&CommunicatorSource::World]))
        };
        // The calls that a communicator takes part in come in the same order on all its processes. Where all calls of the
        // routine on the world communicator are made by one procedure, each once and one after the other whenever it
        // runs, the first process that comes by the one meets the others there.
        let may_be_of_world = |creation: &&Creation| {
            creation.parents.as_ref().is_none_or(|parents| parents.contains(&CommunicatorSource::World))
        };
        let mut rivals = self.list.iter().filter(|creation| creation.routine == one.routine).filter(may_be_of_world);
        let is_in_order = !Property::MembersOnly.holds_of(&one.routine)
            && of_world(one)
            && of_world(other)
            && rivals
                .all(|rival| of_world(rival) && rival.is_unconditional && rival.site.procedure == one.site.procedure);
        !is_in_order
    }

    fn may_have_one_parent(&self, one: &Creation, other: &Creation, generations: usize) -> bool {
        let (Some(ones), Some(others), Some(left)) = (&one.parents, &other.parents, generations.checked_sub(1)) else {
            return true;
        };
        ones.iter().any(|&one| others.iter().any(|&other| self.may_be_one_within(one, other, left)))
    }

    /// The calls that could be other ends of the collective call at `site`, itself included.
    pub fn ends_of(&self, site: SiteId) -> Vec<SiteId> {
        let source = CommunicatorSource::CreatedAt(site);
        let may_be_one = |other: &SiteId| self.may_be_one(source, CommunicatorSource::CreatedAt(*other));
        self.list.iter().map(|creation| creation.site).filter(may_be_one).collect()
    }

    /// The calls that make communicators.
    pub fn sites(&self) -> impl Iterator<Item = SiteId> {
        self.list.iter().map(|creation| creation.site)
    }

    /// The call at `site` with all that could be other ends of it, or of one of these.
    pub fn made_together(&self, site: SiteId) -> BTreeSet<SiteId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![site];
        while let Some(site) = pending.pop() {
            if found.insert(site) {
                pending.extend(self.ends_of(site));
            }
        }
        found
    }
}

/// Which procedures each procedure calls, worked out when it is first asked for.
type Callees = OnceCell<BTreeMap<ProcedureId, BTreeSet<ProcedureId>>>;

fn creation(
    (program, callees): (&Program, &Callees),
    site: SiteId,
    communication: &Communication,
    values: &Values,
    parent: Option<&Expression>,
) -> Creation {
    let parents = parent.and_then(|parent| match values.of_expression(program, site.procedure, parent) {
        Value::Communicators(sources) => Some(sources),
        Value::Nothing | Value::Integers(_) | Value::Datatypes(_) | Value::ErrorHandlers(_) | Value::Anything => None,
    });
    let body = program.procedure(site.procedure);
    let is_unconditional = body.body.contains(&site.statement)
        && runs_straight(body)
        && !may_run_within_itself((program, callees), values, site.procedure);
    Creation { site, routine: communication.routine.clone(), parents, is_unconditional }
}

/// May the procedure be called again before it is over? Then what comes first in the text need not come first in a run.
fn may_run_within_itself((program, callees): (&Program, &Callees), values: &Values, procedure: ProcedureId) -> bool {
    if program.procedure(procedure).kind == ProcedureKind::Main {
        return false;
    }
    let callees = callees.get_or_init(|| {
        let mut callees: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
        for call in call_sites(program) {
            callees.entry(call.caller).or_default().insert(call.callee);
        }
        callees
    });
    let mut reached = BTreeSet::new();
    let mut pending = vec![procedure];
    while let Some(caller) = pending.pop() {
        let called = callees.get(&caller).into_iter().flatten().copied();
        pending.extend(called.filter(|&callee| reached.insert(callee)));
    }
    reached.contains(&procedure) || !values.other_callers().callers_are_known(procedure)
}

/// Does the procedure run all statements of its own block, one after the other, whenever it runs?
fn runs_straight(body: &Procedure) -> bool {
    !is_uncertain(body)
        && body.statements.iter().all(|statement| {
            let leaves = matches!(
                statement.kind,
                StatementKind::Jump
                    | StatementKind::Return
                    | StatementKind::Opaque(_)
                    | StatementKind::InputOutput { may_leave: true, .. }
                    | StatementKind::Exit(None)
                    | StatementKind::Cycle(None)
            );
            !leaves && !statement.jump_target
        })
}

impl Fact for Creations {
    fn of(facts: &Facts<'_>) -> Self {
        Self::of(facts.program, facts.values())
    }
}

impl Facts<'_> {
    /// Which of the program's own communicators could be the same.
    pub fn creations(&self) -> &Creations {
        self.get()
    }
}
