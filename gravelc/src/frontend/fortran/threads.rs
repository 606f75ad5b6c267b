//! Procedures that may run on several threads at once, because a parallel region calls them.

use super::directives::directive;
use crate::ir::{
    Callee, Communication, Expression, ExpressionKind, Operation, Procedure, ProcedureId, SourceFile, Span, Statement,
    StatementKind, Status,
};
use crate::source_layout::SourceLayout;

/// Marks every procedure that a parallel region of another one calls, directly or not, as untouchable.
/// Without OpenMP its regions are none.
pub(super) fn mark_threaded(files: &[SourceFile], procedures: &mut [Procedure], without_openmp: bool) {
    let mut pending: Vec<(ProcedureId, Span)> = Vec::new();
    for procedure in procedures.iter() {
        if let Some(region) = parallel_region(&files[procedure.span.file.0], procedure, without_openmp) {
            let inside = procedure
                .statements
                .iter()
                .filter(|statement| region.start <= statement.span.start && statement.span.start < region.end);
            pending.extend(inside.flat_map(callees).map(|callee| (callee, region)));
        }
    }
    let mut seen = vec![false; procedures.len()];
    while let Some((callee, region)) = pending.pop() {
        if std::mem::replace(&mut seen[callee.0], true) {
            continue;
        }
        let procedure = &mut procedures[callee.0];
        pending.extend(procedure.statements.iter().flat_map(callees).map(|callee| (callee, region)));
        procedure.untouchable.get_or_insert_with(|| (region, "called from a parallel region".to_string()));
    }
}

/// From the first directive that begins a parallel region to the last one that ends one, or to the procedure's end where
/// an end is left out.
fn parallel_region(file: &SourceFile, procedure: &Procedure, without_openmp: bool) -> Option<Span> {
    let mut begin: Option<usize> = None;
    let mut end = procedure.span.start;
    let mut open = 0_i64;
    let mut offset = procedure.span.start;
    for line in file.text[procedure.span.start..procedure.span.end].split_inclusive(|&byte| byte == b'\n') {
        let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let mut comment = line[blank..].to_vec();
        let is_fixed = file.layout != SourceLayout::Free;
        if let Some(first @ (b'c' | b'C' | b'*')) = comment.first_mut().filter(|_| is_fixed && blank == 0) {
            *first = b'!';
        }
        let counts = match directive(&comment) {
            Some("OpenMP directive") => !without_openmp,
            other => other == Some("OpenACC directive"),
        };
        if counts {
            let text = String::from_utf8_lossy(line).to_ascii_lowercase();
            let mut words = text.split_whitespace().skip(1);
            if words.next().is_some_and(|word| word.starts_with("end")) {
                open -= 1;
                end = offset;
            } else if ["parallel", "task", "teams", "target", "kernels", "loop"].iter().any(|word| text.contains(word))
            {
                open += 1;
                begin.get_or_insert(offset);
            }
        }
        offset += line.len();
    }
    let end = if open == 0 { end } else { procedure.span.end };
    begin.map(|start| Span { start, end: end.max(start), ..procedure.span })
}

/// The procedures of the program that `statement` itself calls.
fn callees(statement: &Statement) -> Vec<ProcedureId> {
    let mut found = Vec::new();
    let mut look_into = |expressions: &[&Expression]| {
        for part in expressions.iter().flat_map(|expression| expression.walk()) {
            if let ExpressionKind::Call { callee: Callee::Procedure(id), .. } = &part.kind {
                found.push(*id);
            }
        }
    };
    match &statement.kind {
        StatementKind::Assign { target, value, .. } => look_into(&[target, value]),
        StatementKind::Call { callee, arguments } => {
            look_into(&arguments.iter().collect::<Vec<_>>());
            if let Callee::Procedure(id) = callee {
                found.push(*id);
            }
        }
        StatementKind::If { arms, .. } => look_into(&arms.iter().map(|arm| &arm.condition).collect::<Vec<_>>()),
        StatementKind::While { condition, .. } => look_into(&condition.iter().collect::<Vec<_>>()),
        StatementKind::Select { selectors, .. } => look_into(&selectors.iter().collect::<Vec<_>>()),
        StatementKind::Loop(counted) => {
            look_into(&[&counted.lower, &counted.upper]);
            look_into(&counted.step.iter().collect::<Vec<_>>());
        }
        StatementKind::InputOutput { reads, writes, .. } => {
            look_into(&reads.iter().chain(writes).collect::<Vec<_>>());
        }
        StatementKind::Lifetime { variables, reads, .. } => {
            look_into(&reads.iter().chain(variables).collect::<Vec<_>>());
        }
        StatementKind::Communication(communication) => look_into(&arguments_of(communication)),
        StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Jump
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Nothing
        | StatementKind::Opaque(_) => {}
    }
    found
}

/// Every argument of a call of MPI.
fn arguments_of(communication: &Communication) -> Vec<&Expression> {
    let mut arguments: Vec<&Expression> = communication.error.iter().collect();
    match &communication.operation {
        Operation::Initialize { accesses } => arguments.extend(accesses),
        Operation::Finalize => {}
        Operation::Send { message, request, .. } => {
            arguments.extend(message.expressions());
            arguments.extend(request);
        }
        Operation::Receive { message, request, status } => {
            arguments.extend(message.expressions());
            arguments.extend(request);
            arguments.extend(stored(status));
        }
        Operation::SendReceive { send, receive, status, .. } => {
            arguments.extend(send.expressions());
            arguments.extend(receive.expressions());
            arguments.extend(stored(status));
        }
        Operation::Wait { request, status } => {
            arguments.push(request);
            arguments.extend(stored(status));
        }
        Operation::WaitAll { count, requests, statuses } => {
            arguments.extend([count, requests]);
            arguments.extend(stored(statuses));
        }
        Operation::Inquiry { reads, writes } => arguments.extend(reads.iter().chain(writes)),
        Operation::CreateCommunicator { reads, created, .. } => {
            arguments.extend(reads);
            arguments.push(created);
        }
        Operation::Other { arguments: all, .. } => arguments.extend(all),
    }
    arguments
}

fn stored(status: &Status) -> Option<&Expression> {
    match status {
        Status::Ignored => None,
        Status::Stored(place) => Some(place),
    }
}
