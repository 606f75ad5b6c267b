//! Procedures that may run on several threads at once, because a parallel region calls them.

use std::collections::BTreeSet;

use super::super::text::directives::{Directive, Unused, directive};
use crate::ir::called_name::is_through_object;
use crate::ir::{
    Callee, Expression, ExpressionKind, Overridable, Procedure, ProcedureId, SourceFile, Span, Statement,
    StatementKind, Untouchable, UntouchableCause,
};
use crate::source_layout::SourceLayout;

/// Marks every procedure that a parallel region of another one calls, directly or not, as untouchable: all procedures where
/// it calls something through an object, a pointer or an argument that could be any of them (`indirect_names` has the names
/// of pointers and arguments). Directives that the program is compiled without begin no region.
pub fn mark_threaded(
    files: &[SourceFile],
    procedures: &mut [Procedure],
    indirect_names: &BTreeSet<String>,
    without: Unused,
) {
    let everything = 0..procedures.len();
    let called = |procedure: &Procedure, region: Span, inside: Option<Span>| {
        let is_inside =
            |it: &&Statement| inside.is_none_or(|range| range.start <= it.span.start && it.span.start < range.end);
        let statements = procedure.statements.iter().filter(is_inside);
        let found: Option<Vec<_>> = statements.map(|it| callees(procedure, indirect_names, it)).collect();
        let found = found.map_or_else(|| everything.clone().map(ProcedureId).collect(), |found| found.concat());
        found.into_iter().map(move |callee| (callee, region))
    };
    let mut pending: Vec<(ProcedureId, Span)> = Vec::new();
    for procedure in procedures.iter() {
        if let Some(region) = parallel_region(&files[procedure.span.file.0], procedure, without) {
            pending.extend(called(procedure, region, Some(region)));
        }
    }
    let mut seen = vec![false; procedures.len()];
    while let Some((callee, region)) = pending.pop() {
        if std::mem::replace(&mut seen[callee.0], true) {
            continue;
        }
        let procedure = &mut procedures[callee.0];
        pending.extend(called(procedure, region, None).filter(|(callee, _)| !seen[callee.0]));
        let text = "called from a parallel region".to_owned();
        let untouchable = Untouchable { span: region, cause: UntouchableCause::Threads, text };
        Untouchable::add(&mut procedure.untouchable, untouchable);
    }
}

/// From the first directive that begins a parallel region to the last one that ends one, or to the procedure's end where
/// an end is left out.
fn parallel_region(file: &SourceFile, procedure: &Procedure, without: Unused) -> Option<Span> {
    let mut begin: Option<usize> = None;
    let mut end = procedure.span.start;
    let mut open = 0_i64;
    for (offset, line) in file.whole_lines(procedure.span.start..procedure.span.end) {
        let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let mut comment = line[blank..].to_vec();
        let is_fixed = file.layout != SourceLayout::Free;
        if let Some(first @ (b'c' | b'C' | b'*')) = comment.first_mut().filter(|_| is_fixed && blank == 0) {
            *first = b'!';
        }
        let is_parallel = |found: &Directive| matches!(found, Directive::OpenMp | Directive::OpenAcc);
        if directive(&comment).filter(is_parallel).is_some_and(|found| !without.are_comments(found)) {
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
    }
    let end = if open == 0 { end } else { procedure.span.end };
    begin.map(|start| Span { start, end: end.max(start), ..procedure.span })
}

/// The procedures of the program that `statement` of `procedure` itself may call; `None` if that could be any of them.
fn callees(
    procedure: &Procedure,
    indirect_names: &BTreeSet<String>,
    statement: &Statement,
) -> Option<Vec<ProcedureId>> {
    let of_statement = match &statement.kind {
        StatementKind::Call { callee, .. } => Some(callee),
        _ => None,
    };
    let parts = statement.kind.expressions().into_iter().flat_map(Expression::walk);
    let in_expressions = parts.filter_map(|part| match &part.kind {
        ExpressionKind::Call { callee, .. } => Some(callee),
        _ => None,
    });
    let mut found = Vec::new();
    for callee in in_expressions.chain(of_statement) {
        match callee {
            Callee::Procedure(id) => found.push(*id),
            Callee::PureIntrinsic(_) => {}
            // Through a pointer or an argument: whoever was handed over elsewhere may be meant.
            Callee::Unknown(name) if indirect_names.contains(name) => return None,
            Callee::Unknown(name) => match procedure.overridable_calls.get(name) {
                Some(Overridable::Means(id)) => found.push(*id),
                Some(Overridable::Beside) => {}
                // Through an object.
                None if is_through_object(name) => return None,
                None => {}
            },
        }
    }
    Some(found)
}
