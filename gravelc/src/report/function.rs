//! What a macro does to one function, as a document: the macro sees one function at a time, and the page is about all of a program.
//!
//! ```text
//! function ──macro──▶ FunctionReport, a file of JSON ──gravelc report──▶ Program and Plan ──▶ the page
//! ```
//!
//! The program that comes of it has the statements' places and nothing of what they do.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ir::{
    Aliases, Anchors, FileId, Language, MessagingNames, Procedure, ProcedureId, ProcedureKind, Program, Room,
    SourceFile, Span, Statement, StatementId, StatementKind,
};
use crate::plan::{Action, ClassId, Decision, Missed, Outcome, Plan, Reason, Site, StepOperation, Transformation};
use crate::source_layout::SourceLayout;

/// The report about one function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FunctionReport {
    /// The version of gravelc that the macro was built with.
    pub gravelc_version: String,
    /// The function's name.
    pub function: String,
    /// The file, as the compiler names it.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
    /// The first and the last line of each statement, by its number in the plan.
    pub statements: Vec<(usize, usize)>,
    /// What was decided. Places are those of whole lines of `text`.
    pub plan: Plan,
}

impl FunctionReport {
    /// The report about the one procedure of `program`, whose lines are those of the file.
    pub fn new(file: PathBuf, text: String, program: &Program, plan: &Plan) -> Self {
        let procedure = program.procedure(ProcedureId(0));
        let source = SourceFile::new(&file, text.clone().into_bytes(), SourceLayout::Free);
        let end_line = |span: Span| program.line(Span { start: span.end.saturating_sub(1).max(span.start), ..span });
        let lines_of = |span: Span| (program.line(span), end_line(span));
        let statements = procedure.statements.iter().map(|statement| lines_of(statement.span)).collect();
        let mut plan = plan.clone();
        // What a part of a program can't know is no news about it.
        (plan.attachments, plan.openings, plan.believed, plan.asserted) = Default::default();
        for reason in reasons_of(&mut plan) {
            reason.span = reason.span.map(|span| span_of(&source, lines_of(span)));
        }
        Self {
            gravelc_version: env!("CARGO_PKG_VERSION").to_owned(),
            function: procedure.name.clone(),
            file,
            text,
            statements,
            plan,
        }
    }

    /// Notes that less was done to the call of a statement than was planned: only what `gained` has, because of `reason`.
    pub fn keep_less(&mut self, site: usize, gained: &BTreeSet<Transformation>, reason: Option<&Reason>) {
        let Some(decision) = self.plan.decisions.iter_mut().find(|it| it.site.statement.0 == site) else { return };
        let Outcome::Transformed { actions, missed, steps, .. } = &mut decision.outcome else { return };
        let dropped = actions.extract_if(.., |action| !gained.contains(&action.transformation));
        let dropped: Vec<Action> = dropped.collect();
        if let Some(reason) = reason {
            let not_done = |action: Action| Missed { transformation: action.transformation, reason: reason.clone() };
            missed.extend(dropped.into_iter().map(not_done));
        }
        steps.retain(|step| transformation_of(&step.operation).is_none_or(|it| gained.contains(&it)));
        if gained.is_empty() {
            let missed = std::mem::take(missed);
            let first = || missed.first().map(|missed| missed.reason.clone());
            if let Some(reason) = reason.cloned().or_else(first) {
                decision.outcome = Outcome::Kept { reason, missed };
            }
        }
    }

    /// Adds a call that is no part of the plan, at a line, with what keeps it.
    pub fn add_kept(&mut self, line: usize, routine: &str, reason: Reason) {
        let statement = StatementId(self.statements.len());
        self.statements.push((line, line));
        let site = Site { file: FileId(0), line, procedure: ProcedureId(0), statement, routine: routine.to_owned() };
        self.plan.decisions.push(Decision { site, class: None, outcome: Outcome::kept(reason) });
    }
}

/// Which transformation a step is of that a page shows.
fn transformation_of(operation: &StepOperation) -> Option<Transformation> {
    match operation {
        StepOperation::PostReceive { .. } => Some(Transformation::HoistReceive),
        StepOperation::StripMine(_) => Some(Transformation::StripMineProducer),
        StepOperation::WaitInTiles(_) => Some(Transformation::StripMineConsumer),
        StepOperation::SplitLoop { .. } => Some(Transformation::SplitLoop),
        StepOperation::Wait { .. } => Some(Transformation::SinkWait),
        _ => None,
    }
}

fn reasons_of(plan: &mut Plan) -> impl Iterator<Item = &mut Reason> {
    let of_decisions = plan.decisions.iter_mut().flat_map(|decision| match &mut decision.outcome {
        Outcome::Transformed { missed, .. } => missed.iter_mut().map(|missed| &mut missed.reason).collect::<Vec<_>>(),
        Outcome::Kept { reason, missed } => {
            missed.iter_mut().map(|missed| &mut missed.reason).chain([reason]).collect()
        }
    });
    of_decisions.chain(plan.classes.iter_mut().filter_map(|class| class.kept.as_mut()))
}

/// The lines of a file, without the blanks in front.
fn span_of(source: &SourceFile, (first, last): (usize, usize)) -> Span {
    let lines = source.text.split_inclusive(|&byte| byte == b'\n');
    let mut start = 0;
    let mut span = Span { file: FileId(0), start: source.text.len(), end: source.text.len() };
    for (number, line) in lines.enumerate() {
        let length = line.trim_ascii_end().len();
        if number + 1 == first {
            let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            span.start = start + blanks.min(length);
        }
        if number + 1 == last.max(first) {
            span.end = start + length;
        }
        start += line.len();
    }
    span.end = span.end.max(span.start);
    span
}

/// The program that the functions are of, as far as the page shows it, and what was decided about it.
pub fn joined(reports: Vec<FunctionReport>) -> (Program, Plan) {
    let mut files: Vec<SourceFile> = Vec::new();
    let mut program = Program::default();
    let mut plan = Plan::default();
    for report in reports {
        let known = files.iter().position(|file| file.path == report.file && file.text == report.text.as_bytes());
        let file = FileId(known.unwrap_or(files.len()));
        if known.is_none() {
            let mut source = SourceFile::new(&report.file, report.text.into_bytes(), SourceLayout::Free);
            source.language = Language::Rust;
            files.push(source);
        }
        let place = |lines| Span { file, ..span_of(&files[file.0], lines) };
        let id = ProcedureId(program.procedures.len());
        let statements: Vec<Statement> = report.statements.iter().map(|&lines| statement_at(place(lines))).collect();
        program.procedures.push(Arc::new(procedure(report.function, file, statements)));
        let mut own = report.plan;
        for reason in reasons_of(&mut own) {
            reason.span = reason.span.map(|span| Span { file, ..span });
        }
        let classes = plan.classes.len();
        let moved = |site: &mut Site| (site.file, site.procedure) = (file, id);
        for decision in &mut own.decisions {
            moved(&mut decision.site);
            decision.class = decision.class.map(|class| ClassId(class.0 + classes));
            if let Outcome::Transformed { steps, .. } = &mut decision.outcome {
                steps.iter_mut().for_each(|step| step.procedure = id);
            }
        }
        for class in &mut own.classes {
            class.members.iter_mut().for_each(moved);
        }
        plan.decisions.extend(own.decisions);
        plan.classes.extend(own.classes);
    }
    program.files = Arc::new(files);
    plan.decisions.sort_by_key(|decision| (decision.site.file, decision.site.line));
    (program, plan)
}

fn statement_at(span: Span) -> Statement {
    Statement {
        span,
        kind: StatementKind::Nothing,
        parent: None,
        jump_target: false,
        changes_names: false,
        labelled: false,
        room: Room::OwnLines,
        hint: None,
    }
}

fn procedure(name: String, file: FileId, statements: Vec<Statement>) -> Procedure {
    let start = statements.iter().map(|statement| statement.span.start).min().unwrap_or(0);
    let end = statements.iter().map(|statement| statement.span.end).max().unwrap_or(0);
    let body = (0..statements.len()).map(StatementId).collect();
    Procedure {
        name,
        kind: ProcedureKind::Main,
        language: Language::Rust,
        span: Span { file, start, end },
        dummies: Vec::new(),
        is_pure: false,
        is_elemental: false,
        result: None,
        symbols: Vec::new(),
        statements,
        body,
        text_parts: Err(crate::ir::Indivisible::by_language(Span { file, start, end })),
        anchors: Anchors { imports: 0, declarations: 0 },
        messaging_names: MessagingNames::Unseen,
        evaluated_at_entry: Vec::new(),
        redefined_functions: Vec::new(),
        declarations: Vec::new(),
        separate_requests: BTreeSet::new(),
        overridable_calls: std::collections::BTreeMap::new(),
        aliases: Aliases::default(),
        untouchable: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ReasonCode;

    #[test]
    fn lines_are_places() {
        let source = SourceFile::new("a.rs", b"one\n  two\n\n    three;\n".to_vec(), SourceLayout::Free);
        let text = |lines| {
            let span = span_of(&source, lines);
            String::from_utf8_lossy(&source.text[span.start..span.end]).into_owned()
        };
        assert_eq!(
            (text((2, 2)), text((2, 4)), text((1, 1))),
            ("two".into(), "two\n\n    three;".into(), "one".into())
        );
        assert_eq!((text((3, 3)), text((9, 9))), (String::new(), String::new()));
    }

    #[test]
    fn functions_of_a_file_are_shown_in_one_text() {
        let report = |function: &str, file: &str, line| {
            let mut report = FunctionReport {
                gravelc_version: String::new(),
                function: function.to_owned(),
                file: file.into(),
                text: "one\ntwo\nthree\n".to_owned(),
                statements: Vec::new(),
                plan: Plan::default(),
            };
            report.add_kept(line, "send", Reason::everywhere(ReasonCode::OtherSideUnknown, "it is another's"));
            report
        };
        let (program, plan) = joined(vec![report("f", "a.rs", 3), report("g", "b.rs", 1), report("h", "a.rs", 2)]);
        assert_eq!((program.files.len(), program.procedures.len()), (2, 3));
        let sites: Vec<_> =
            plan.decisions.iter().map(|it| (it.site.file.0, it.site.line, it.site.procedure.0)).collect();
        assert_eq!(sites, [(0, 2, 2), (0, 3, 0), (1, 1, 1)]);
        #[cfg(feature = "cli")]
        assert!(crate::report::render_html_of_functions(&program, &plan).contains("b.rs"));
    }
}
