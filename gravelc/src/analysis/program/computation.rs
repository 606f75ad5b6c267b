//! What counts as computation: what a message can travel beside.
//!
//! Loops and statements over whole arrays compute, and so do calls of procedures that do such. A clock that is read, a flag that
//! is set, a counter that goes up and a call of MPI do not: nothing is gained by waiting behind them. What a procedure does that
//! was not given is not known; who calls a library calls it for work.

use super::super::facts::{Fact, Facts, SiteId};
use crate::ir::{
    Callee, CompletionKind, Expression, ExpressionKind, Operation, Procedure, ProcedureId, Program, StatementId,
    StatementKind, SymbolClass,
};

/// Which procedures compute.
#[derive(Debug)]
pub struct Computation {
    /// By procedure: does it hold something that computes?
    computes: Vec<bool>,
    /// By procedure: does it give a value to anything? For each element of an array, that is computation, too.
    assigns: Vec<bool>,
    /// By procedure: does it wait for messages?
    waits: Vec<bool>,
}

impl Computation {
    /// For all procedures of a program.
    pub fn of(program: &Program) -> Self {
        let holds = |procedure: &Procedure, property: &dyn Fn(&StatementKind) -> bool| {
            procedure.statements.iter().any(|statement| property(&statement.kind))
        };
        let by_procedure = |property: &dyn Fn(&StatementKind) -> bool| -> Vec<bool> {
            program.procedures.iter().map(|procedure| holds(procedure, property)).collect()
        };
        let mut found = Self {
            computes: vec![false; program.procedures.len()],
            assigns: by_procedure(&|kind| matches!(kind, StatementKind::Assign { .. })),
            waits: by_procedure(&waits_for_message),
        };
        // Each round goes up the calls by one at least; what calls itself ends where nothing is new.
        loop {
            let mut is_new = false;
            for (ProcedureId(index), procedure) in program.procedures() {
                let computes = found.computes[index] || procedure.body.iter().any(|&id| found.is_in(procedure, id));
                let calls_one_of = |those: &[bool]| {
                    holds(procedure, &|kind| called(kind).into_iter().any(|ProcedureId(callee)| those[callee]))
                };
                let assigns = found.assigns[index] || calls_one_of(&found.assigns);
                let waits = found.waits[index] || calls_one_of(&found.waits);
                let now = (computes, assigns, waits);
                is_new |= now != (found.computes[index], found.assigns[index], found.waits[index]);
                (found.computes[index], found.assigns[index], found.waits[index]) = now;
            }
            if !is_new {
                return found;
            }
        }
    }

    /// Is there computation in the statement?
    pub fn is_in(&self, body: &Procedure, statement: StatementId) -> bool {
        let all = body.with_descendants(statement);
        all.into_iter().any(|inner| match &body.statement(inner).kind {
            StatementKind::Loop(_) | StatementKind::While { .. } => {
                let mut inside = body.with_descendants(inner).into_iter().skip(1);
                inside.any(|part| self.computes_for_each(body, part))
            }
            kind => self.computes_once(body, kind),
        })
    }

    /// Does the statement wait for a message, itself or in what it calls?
    pub fn waits_in(&self, body: &Procedure, statement: StatementId) -> bool {
        body.with_descendants(statement).into_iter().any(|inner| {
            let kind = &body.statement(inner).kind;
            waits_for_message(kind) || called(kind).into_iter().any(|ProcedureId(callee)| self.waits[callee])
        })
    }

    /// Does a statement compute that runs once?
    fn computes_once(&self, body: &Procedure, kind: &StatementKind) -> bool {
        let is_over_array = match kind {
            StatementKind::Assign { target, value, .. } => is_array(body, target) && !is_of_messaging(body, value),
            StatementKind::Call { callee: Callee::PureIntrinsic(_) | Callee::Unknown(_), .. } => true,
            _ => false,
        };
        is_over_array || called(kind).into_iter().any(|ProcedureId(callee)| self.computes[callee])
    }

    /// Does a statement compute that runs in a loop?
    fn computes_for_each(&self, body: &Procedure, statement: StatementId) -> bool {
        let kind = &body.statement(statement).kind;
        match kind {
            StatementKind::Assign { value, .. } => !is_of_messaging(body, value),
            StatementKind::Opaque(_) => true,
            _ => {
                self.computes_once(body, kind)
                    || called(kind).into_iter().any(|ProcedureId(callee)| self.assigns[callee])
            }
        }
    }
}

/// Is it a call of MPI that waits for a message?
fn waits_for_message(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Communication(communication) => matches!(
            communication.operation,
            Operation::Wait { .. }
                | Operation::WaitAll { .. }
                | Operation::Complete { kind: CompletionKind::WaitAny | CompletionKind::WaitSome, .. }
                | Operation::SendReceive { .. }
                | Operation::Send { request: None, .. }
                | Operation::Receive { request: None, .. }
        ),
        _ => false,
    }
}

/// The procedures of the program that a statement itself calls.
fn called(kind: &StatementKind) -> Vec<ProcedureId> {
    let by_statement = match kind {
        StatementKind::Call { callee: Callee::Procedure(id), .. } => Some(*id),
        _ => None,
    };
    // What a call of MPI evaluates for its arguments is a few numbers.
    let expressions = if matches!(kind, StatementKind::Communication(_)) { Vec::new() } else { kind.expressions() };
    let in_expressions = expressions.into_iter().flat_map(Expression::walk).filter_map(|part| match part.kind {
        ExpressionKind::Call { callee: Callee::Procedure(id), .. } => Some(id),
        _ => None,
    });
    by_statement.into_iter().chain(in_expressions).collect()
}

/// Does the assignment give values to several elements?
fn is_array(body: &Procedure, target: &Expression) -> bool {
    match &target.kind {
        ExpressionKind::Symbol(symbol) => body.symbol(*symbol).rank() > 0,
        ExpressionKind::Section { .. } => true,
        _ => false,
    }
}

/// Is the value a constant of MPI, as null requests are?
fn is_of_messaging(body: &Procedure, value: &Expression) -> bool {
    value.designated().is_some_and(|symbol| body.symbol(symbol).class == SymbolClass::MessagingConstant)
}

impl Fact for Computation {
    fn of(facts: &Facts<'_>) -> Self {
        Self::of(facts.program)
    }
}

impl Facts<'_> {
    /// Is there computation in the statement, beside which a message can travel?
    pub fn computes(&self, site: SiteId) -> bool {
        self.get::<Computation>().is_in(self.procedure(site.procedure), site.statement)
    }

    /// Does the statement wait for a message, itself or in what it calls?
    pub fn waits_for_messages(&self, site: SiteId) -> bool {
        self.get::<Computation>().waits_in(self.procedure(site.procedure), site.statement)
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    const OTHERS: &str = "subroutine fill(a)\nreal a(9)\na = 1\nend subroutine\n\
        subroutine deeper(a)\nreal a(9)\ncall fill(a)\nend subroutine\n\
        subroutine point(a, i)\nreal a(9)\na(i) = a(i) * 2\nend subroutine\n\
        subroutine stop_clock(n)\nuse mpi\ndouble precision elapsed(9)\ncommon /clocks/ elapsed\n\
        elapsed(n) = mpi_wtime() - elapsed(n)\nend subroutine\n\
        subroutine round\nif (.false.) call round\nend subroutine\n\
        real function norm(a)\nreal a(9)\nnorm = 0\ndo i = 1, 9\nnorm = norm + a(i)\nend do\nend function\n";

    /// Is there computation in the one statement?
    fn computes(statement: &str) -> bool {
        let declarations = "use mpi\nreal :: a(9), b(9), s\nreal, external :: norm\nlogical :: flag, timed\ninteger :: requests(2), \
                            request, i, ierr\ndouble precision :: t";
        let text = format!("program main\n{declarations}\n{statement}\nend program\n{OTHERS}");
        let program = parse_text("main.f90".as_ref(), text.into(), &FrontendOptions::default()).unwrap();
        let main = &program.procedures[0];
        let [only] = main.body.as_slice() else { panic!("{statement}") };
        Computation::of(&program).is_in(main, *only)
    }

    #[test]
    fn loops_arrays_and_procedures_with_such_compute() {
        for statement in [
            "do i = 1, 9\na(i) = b(i)\nend do",
            "do i = 1, 9\ns = s + b(i)\nend do",
            "do while (s > 1)\ns = s / 2\nend do",
            "a = b",
            "a(2:3) = 0",
            "call fill(a)",
            "call deeper(a)",
            "if (flag) call fill(a)",
            "if (flag) then\ns = 1\nelse\na = 2\nend if",
            "do i = 1, 9\ncall point(a, i)\nend do",
            "s = norm(a)",
            "call unknown(a)",
        ] {
            assert!(computes(statement), "{statement}");
        }
    }

    #[test]
    fn clocks_flags_counters_and_messages_do_not() {
        for statement in [
            "if (timed) call stop_clock(1)",
            "call stop_clock(3)",
            "t = mpi_wtime()",
            "call cpu_time(s)",
            "flag = .true.",
            "i = i + 1",
            "a(3) = 1",
            "requests = mpi_request_null",
            "call point(a, 1)",
            "call round",
            "call mpi_barrier(mpi_comm_world, ierr)",
            "call mpi_wait(request, mpi_status_ignore, ierr)",
            "do i = 1, 2\ncall mpi_wait(requests(i), mpi_status_ignore, ierr)\nend do",
            "do i = 1, 2\nrequests(i) = mpi_request_null\nend do",
            "print *, a",
        ] {
            assert!(!computes(statement), "{statement}");
        }
    }
}
