//! Error handlers of the program's own that end it, as `MPI_ERRORS_ARE_FATAL` does.
//!
//! ```c
//! static void handle(MPI_Comm *comm, int *code, ...) {
//!     fprintf(stderr, "rank %d: error %d\n", rank, *code);
//!     MPI_Abort(*comm, 1);
//! }
//! ```
//!
//! The runtime hands its errors to the handler of the operation's communicator (`MPI_Comm_call_errhandler`), as MPI does. So
//! where no run of the procedure comes to its end, an error ends the program with Gravel as without, and the program says the
//! same of it. Three things could tell the two apart, and are asked here.
//!
//! - *It returns* on some path: then the program goes on where its own calls stand, and others may stand there now.
//! - *It meets messages*: sends, receives, waits, or what data comes by in collective operations. Ending MPI is none of it, nor
//!   is a barrier: MPI promises nothing for calls behind an error, and means handlers for what has nothing to do with it before
//!   the program ends (MPI 4.0, section 9.3).
//! - *It uses data*, such as one that writes the last state of a field to a file. At an error a message may have come already, or
//!   a loop may have run, that would not have yet. Text and single variables, as a rank or the step, it may print: what they
//!   tell may be of a moment later.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::Facts;
use crate::analysis::memory::effects::{AccessKind, called_procedures};
use crate::analysis::program::open_world::is_uncertain;
use crate::ir::{
    Block, Callee, Communication, ErrorHandling, Expression, ExpressionKind, Operation, Participation, Procedure,
    ProcedureId, Program, Shape, Span, StatementId, StatementKind, Storage, Symbol, SymbolClass, TypeCategory,
};
use crate::known_libraries::only_tells;
use crate::mpi::properties::Property;
use crate::mutations::Clause;

/// Why a handler may do something else than end the program, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The place.
    pub span: Span,
    /// What it does there, behind the procedure's name.
    pub why: String,
}

impl Obstacle {
    fn at(span: Span, why: impl Into<String>) -> Self {
        Self { span, why: why.into() }
    }
}

/// Why the procedure may do something else than end the program; `None` if it does nothing else.
pub fn obstacle_to_ending(facts: &Facts, handler: ProcedureId) -> Option<Obstacle> {
    if Clause::EndingHandlers.is_off() {
        return None;
    }
    let handling = Handling { facts, reached: with_called(facts.program, handler) };
    if let Some(obstacle) = handling.reached.iter().find_map(|&id| handling.strange_part(id)) {
        return Some(obstacle);
    }
    if (Ends { program: facts.program, known: BTreeMap::new() }).procedure(handler) {
        return None;
    }
    let body = facts.program.procedure(handler);
    let returns = |id: &StatementId| matches!(body.statement(*id).kind, StatementKind::Return);
    let way_out = body.statements_in_order().into_iter().find(returns).or_else(|| body.body.last().copied());
    Some(Obstacle::at(way_out.map_or(body.span, |id| body.statement(id).span), "may return"))
}

/// The procedure with all that it calls.
fn with_called(program: &Program, procedure: ProcedureId) -> BTreeSet<ProcedureId> {
    let mut found = BTreeSet::from([procedure]);
    let mut pending = vec![procedure];
    while let Some(id) = pending.pop() {
        let called = called_procedures(program.procedure(id)).into_iter();
        pending.extend(called.filter(|&called| found.insert(called)));
    }
    found
}

/// What happens at an error.
struct Handling<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The procedures that may run.
    reached: BTreeSet<ProcedureId>,
}

impl Handling<'_, '_> {
    /// What in a procedure could concern others, go elsewhere than its text shows, or use data.
    fn strange_part(&self, id: ProcedureId) -> Option<Obstacle> {
        let body = self.facts.procedure(id);
        if is_uncertain(body) {
            return Some(Obstacle::at(body.span, format!("runs `{}`, which is not understood", body.name)));
        }
        body.statements_in_order().into_iter().find_map(|statement| {
            let why = self.strange_statement(id, statement)?;
            Some(Obstacle::at(body.statement(statement).span, why))
        })
    }

    fn strange_statement(&self, id: ProcedureId, number: StatementId) -> Option<String> {
        let body = self.facts.procedure(id);
        let statement = body.statement(number);
        let (kind, outside) = (&statement.kind, self.facts.outside());
        if kind.is_opaque() {
            return Some("does something that is not understood".to_owned());
        }
        if statement.jump_target || matches!(kind, StatementKind::Jump) {
            return Some("jumps".to_owned());
        }
        if outside.may_communicate(kind) {
            let name = outside.procedures_called_by(kind).next().map_or(String::new(), |name| format!(", `{name}`"));
            return Some(format!("calls a procedure that was not given{name}"));
        }
        if let StatementKind::Communication(call) = kind {
            return (!meets_nobody(call)).then(|| format!("calls {}", call.routine));
        }
        self.data_used(id, number).map(|data| format!("uses {data}, which may hold something else at an error"))
    }

    /// What the statement itself uses that may be data.
    fn data_used(&self, id: ProcedureId, number: StatementId) -> Option<String> {
        let body = self.facts.procedure(id);
        let kind = &body.statement(number).kind;
        let named = |symbol: &Symbol| format!("`{}`", symbol.name);
        if !kind.blocks().is_empty() {
            let mut parts = kind.expressions().into_iter().flat_map(Expression::walk);
            return parts.find_map(|part| {
                let symbol = body.symbol(part.designated()?);
                self.is_data(body, symbol).then(|| named(symbol))
            });
        }
        let mut arguments = arguments_of_library(kind);
        if let Some(handed) = arguments.find(|argument| self.may_hand_data(body, argument)) {
            return Some(format!("`{}`", self.facts.program.text(handed.span)));
        }
        let effects = self.facts.effects(id, number);
        let reads = |symbol| self.is_data(body, body.symbol(symbol)).then(|| named(body.symbol(symbol)));
        let read = effects.accesses.iter().filter(|access| access.kind == AccessKind::Read);
        // What given procedures do is asked of their own statements, and the others know of nothing but their arguments.
        let may_do_anything = effects.everything.is_some() && !calls_procedures(kind);
        read.map(|access| access.region.symbol).find_map(reads).or_else(|| may_do_anything.then(|| "memory".to_owned()))
    }

    /// May what a procedure that was not given gets as its argument lead it to data? In C it may be a pointer.
    fn may_hand_data(&self, body: &Procedure, argument: &Expression) -> bool {
        argument.walk().into_iter().any(|part| match &part.kind {
            ExpressionKind::Computed(operands) => {
                !matches!(operands.as_slice(), [Expression { kind: ExpressionKind::Literal, .. }])
            }
            _ => part.designated().is_some_and(|symbol| {
                let symbol = body.symbol(symbol);
                let is_pointer = symbol.element.category == TypeCategory::Unknown && symbol.element.bytes.is_some();
                is_pointer || self.is_data(body, symbol)
            }),
        })
    }

    /// Is it more than a single value, or text, or something of the handling procedures' own?
    fn is_data(&self, body: &Procedure, symbol: &Symbol) -> bool {
        let holder = symbol.holder().map_or(symbol, |holder| body.symbol(holder));
        let is_text = symbol.element.category == TypeCategory::Character
            || symbol.element.category == TypeCategory::Integer && symbol.element.bytes == Some(1);
        if symbol.class != SymbolClass::Variable || is_text {
            return false;
        }
        match &holder.storage {
            Storage::Local | Storage::Static | Storage::Dummy => false,
            Storage::Global(_) => !is_single(symbol) || is_allocated(symbol),
            Storage::Pointer => symbol.objects.as_ref().is_none_or(|objects| {
                let is_number = matches!(symbol.element.category, TypeCategory::Real | TypeCategory::Complex);
                objects.may_be_others && is_number || objects.own.iter().any(|object| !self.is_single_object(*object))
            }),
            Storage::Allocatable | Storage::Component { .. } => true,
        }
    }

    /// Is the object of this number a single value, or one that a handling procedure has for itself?
    fn is_single_object(&self, object: u32) -> bool {
        let mut is_named = false;
        for (id, body) in self.facts.program.procedures() {
            let names = body.symbols.iter().filter(|symbol| {
                let is_it = symbol.objects.as_ref().is_some_and(|objects| objects.own.contains(&object));
                is_it && !matches!(symbol.storage, Storage::Pointer | Storage::Component { .. })
            });
            for name in names {
                let is_own = name.storage == Storage::Local && self.reached.contains(&id);
                if !is_own && !is_single(name) {
                    return false;
                }
                is_named = true;
            }
        }
        is_named
    }
}

fn is_single(symbol: &Symbol) -> bool {
    symbol.shape == Shape::Scalar && symbol.element.category != TypeCategory::Derived
}

fn is_allocated(symbol: &Symbol) -> bool {
    matches!(symbol.storage, Storage::Component { allocatable: true, .. })
}

/// Whom the statement itself calls, with the arguments.
fn calls(kind: &StatementKind) -> impl Iterator<Item = (&Callee, &[Expression])> {
    let own = match kind {
        StatementKind::Call { callee, arguments } => Some((callee, arguments.as_slice())),
        _ => None,
    };
    let parts = kind.expressions().into_iter().flat_map(Expression::walk).filter_map(|part| match &part.kind {
        ExpressionKind::Call { callee, arguments } => Some((callee, arguments.as_slice())),
        _ => None,
    });
    own.into_iter().chain(parts)
}

/// Does the statement itself call procedures, given or not?
fn calls_procedures(kind: &StatementKind) -> bool {
    calls(kind).any(|(callee, _)| !matches!(callee, Callee::PureIntrinsic(_)))
}

/// What procedures of libraries get that may use it for more than to tell something.
fn arguments_of_library(kind: &StatementKind) -> impl Iterator<Item = &Expression> {
    let handed = calls(kind).filter(|(callee, _)| matches!(callee, Callee::Unknown(name) if !only_tells(name)));
    handed.flat_map(|(_, arguments)| arguments)
}

/// Has the call nothing to do with messages, nor with data of other processes?
fn meets_nobody(call: &Communication) -> bool {
    match &call.operation {
        // An attribute may lead to data.
        Operation::Inquiry { .. } => !Property::KeepsAddress.holds_of(&call.routine),
        Operation::Finalize => true,
        Operation::Other { arguments, only_read, participation, error_handling, .. } => {
            let is_told = |(position, argument): (usize, &Expression)| {
                !only_read.contains(&position) && call.error.as_ref() != Some(argument)
            };
            matches!(participation, Participation::None)
                && *error_handling == ErrorHandling::Unconcerned
                && !arguments.iter().enumerate().any(is_told)
        }
        _ => false,
    }
}

/// Which procedures never return.
struct Ends<'p> {
    program: &'p Program,
    /// Those that are being looked at count as returning.
    known: BTreeMap<ProcedureId, bool>,
}

impl Ends<'_> {
    /// Does the program end in every run of the procedure? None of them jumps.
    fn procedure(&mut self, id: ProcedureId) -> bool {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        self.known.insert(id, false);
        let body = self.program.procedure(id);
        let ends = self.block(body, &body.body);
        self.known.insert(id, ends);
        ends
    }

    /// Does control certainly end in the block? What leaves it before, to return or to go on behind a block or a loop around it,
    /// stands in front of the statement that would end the program.
    fn block(&mut self, body: &Procedure, block: &Block) -> bool {
        for &id in block {
            if self.statement(body, id) {
                return true;
            }
            if leaves(body, id) {
                return false;
            }
        }
        false
    }

    fn statement(&mut self, body: &Procedure, id: StatementId) -> bool {
        match &body.statement(id).kind {
            StatementKind::Stop => true,
            StatementKind::Call { callee: Callee::Procedure(callee), .. } => self.procedure(*callee),
            StatementKind::If { arms, otherwise: Some(otherwise), .. } => {
                arms.iter().all(|arm| self.block(body, &arm.body)) && self.block(body, otherwise)
            }
            StatementKind::Scope(scope) => self.block(body, &scope.body),
            // Of a loop perhaps no iteration runs, of several cases none.
            _ => false,
        }
    }
}

/// May control leave the statement otherwise than by its end, with what it holds? Output that fails ends the program: there are no
/// labels that it could go to.
fn leaves(body: &Procedure, id: StatementId) -> bool {
    body.with_descendants(id).into_iter().any(|inner| match &body.statement(inner).kind {
        StatementKind::Return => true,
        // Out of a loop that lies in the statement is no way out of the statement.
        StatementKind::Exit(target) | StatementKind::Cycle(target) => {
            target.is_none_or(|target| !body.with_descendants(id).contains(&target))
        }
        _ => false,
    })
}
