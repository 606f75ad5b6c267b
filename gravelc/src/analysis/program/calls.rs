//! Who calls whom, and whether anybody else could.
//!
//! What a dummy argument or a variable of a module holds can be worked out from the calls and stores of the given files
//! only where no others exist: the main program is given, and nothing in the files leads out of them to procedures that
//! could call back or store.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use petgraph::algo::has_path_connecting;
use petgraph::graphmap::DiGraphMap;

use super::super::facts::{Fact, Facts};
use crate::ir::{
    Callee, Expression, ExpressionKind, Procedure, ProcedureId, Program, StatementId, StatementKind, SymbolClass,
};

use super::open_world::OpenWorld;
use super::outside::Outside;
use crate::known_libraries::procedures::{is_known_to_be_called_back, memory_use};

/// A call of a given procedure.
#[derive(Debug, Clone, Copy)]
pub struct CallSite<'p> {
    /// Who calls.
    pub caller: ProcedureId,
    /// The statement that calls, or whose expression does.
    pub statement: StatementId,
    /// Who is called.
    pub callee: ProcedureId,
    /// The actual arguments in the order of the dummy arguments; optional ones may be missing at the end.
    pub arguments: &'p [Expression],
}

/// Every call of a given procedure, in the order of the program.
pub fn call_sites(program: &Program) -> Vec<CallSite<'_>> {
    let mut sites = Vec::new();
    for (caller, body) in program.procedures() {
        for (index, statement) in body.statements.iter().enumerate() {
            let statement_id = StatementId(index);
            if let StatementKind::Call { callee: Callee::Procedure(callee), arguments } = &statement.kind {
                sites.push(CallSite { caller, statement: statement_id, callee: *callee, arguments });
            }
            let is_call = |part: &Expression| matches!(part.kind, ExpressionKind::Call { .. });
            let with_calls = statement.kind.expressions().into_iter().filter(|expression| expression.any(&is_call));
            for part in with_calls.flat_map(Expression::walk) {
                if let ExpressionKind::Call { callee: Callee::Procedure(callee), arguments } = &part.kind {
                    sites.push(CallSite { caller, statement: statement_id, callee: *callee, arguments });
                }
            }
        }
    }
    sites
}

/// May the procedure be called while it runs, by whatever it calls?
pub fn may_be_active_twice(program: &Program, procedure: ProcedureId) -> bool {
    let mut graph: DiGraphMap<usize, ()> =
        call_sites(program).iter().map(|call| (call.caller.0, call.callee.0)).collect();
    // What was not understood may call any of them.
    for (caller, body) in program.procedures() {
        if body.statements.iter().any(|statement| statement.kind.is_opaque()) {
            for (callee, _) in program.procedures() {
                graph.add_edge(caller.0, callee.0, ());
            }
        }
    }
    let comes_back = |callee| callee == procedure.0 || has_path_connecting(&graph, callee, procedure.0, None);
    graph.neighbors(procedure.0).any(comes_back)
}

/// Who else could call given procedures.
#[derive(Debug)]
pub struct OtherCallers {
    /// Why there could be calls outside of the given files; `None` if there are none.
    pub open_world: Option<OpenWorld>,
    /// Procedures that are called otherwise than by their names, with arguments that are not known.
    called_by_others: BTreeSet<ProcedureId>,
}

impl OtherCallers {
    /// Those of the procedures of a program.
    pub fn of(outside: Outside) -> Self {
        let program = outside.program;
        Self { open_world: OpenWorld::of(outside), called_by_others: called_by_others(program) }
    }

    /// Are all calls of the procedure known?
    pub fn callers_are_known(&self, id: ProcedureId) -> bool {
        self.open_world.is_none() && !self.called_by_others.contains(&id)
    }
}

/// Procedures that are handed on by name to somebody who could call them unseen, and those that a library calls by their
/// names.
fn called_by_others(program: &Program) -> BTreeSet<ProcedureId> {
    let mut passed_on: BTreeSet<&str> = BTreeSet::new();
    for procedure in &program.procedures {
        if procedure.symbols.iter().all(|symbol| symbol.class != SymbolClass::Procedure) {
            continue;
        }
        for statement in &procedure.statements {
            let mut seen = seen_by_program(program, &statement.kind);
            for part in statement.kind.expressions().into_iter().flat_map(Expression::walk) {
                if let ExpressionKind::Call { callee: Callee::Procedure(_) | Callee::PureIntrinsic(_), arguments } =
                    &part.kind
                {
                    seen.extend(arguments.iter().filter(|_| program.names_all_references).map(std::ptr::from_ref));
                }
                let ExpressionKind::Symbol(id) = part.kind else { continue };
                let symbol = procedure.symbol(id);
                let is_name = symbol.class == SymbolClass::Procedure && !procedure.dummies.contains(&id);
                if is_name && !seen.contains(&std::ptr::from_ref(part)) {
                    passed_on.insert(&symbol.name);
                }
            }
        }
    }
    let given: HashSet<&str> = program.procedures.iter().map(|procedure| procedure.name.as_str()).collect();
    // An import can give a procedure another name.
    let any_could_be = passed_on.iter().any(|name| !given.contains(name) && !name.starts_with("mpi_"));
    let is_called = |procedure: &Procedure| {
        any_could_be
            || passed_on.contains(procedure.name.as_str())
            || memory_use(&procedure.name).is_some()
            || is_known_to_be_called_back(&procedure.name)
    };
    program.procedures().filter(|(_, procedure)| is_called(procedure)).map(|(id, _)| id).collect()
}

/// What the statement hands to given procedures, or to pointers: where all references name the procedures that they may
/// call, whoever is handed over so is called by these.
fn seen_by_program(program: &Program, kind: &StatementKind) -> HashSet<*const Expression> {
    let handed_over: Vec<&Expression> = match kind {
        _ if !program.names_all_references => Vec::new(),
        StatementKind::Call { callee: Callee::Procedure(_), arguments } => arguments.iter().collect(),
        StatementKind::Lifetime { variables, reads, .. } => variables.iter().chain(reads).collect(),
        _ => Vec::new(),
    };
    handed_over.into_iter().map(std::ptr::from_ref).collect()
}

impl Fact for Rc<OtherCallers> {
    fn of(facts: &Facts<'_>) -> Self {
        Self::new(OtherCallers::of(facts.outside()))
    }
}

impl Facts<'_> {
    /// Who else could call the procedures of the program.
    pub fn other_callers(&self) -> &Rc<OtherCallers> {
        self.get()
    }

    /// Does nothing but [these statements](Self::calls_of) call the procedure?
    pub fn calls_are_known(&self, procedure: ProcedureId) -> bool {
        self.other_callers().callers_are_known(procedure)
    }

    /// Is nothing outside of the given files that could call their procedures or use variables of their modules?
    pub fn is_closed_world(&self) -> bool {
        self.open_world().is_none()
    }

    /// What leads out of the given files; nothing if they are the whole program.
    pub fn open_world(&self) -> Option<&OpenWorld> {
        self.other_callers().open_world.as_ref()
    }
}
