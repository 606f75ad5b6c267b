//! A small program with a hand-made plan, for the tests of the reports.

use std::collections::BTreeMap;

use crate::ir::{
    Anchors, FileId, Procedure, ProcedureId, ProcedureKind, Program, SourceFile, Span, Statement, StatementId,
    StatementKind,
};
use crate::plan::{
    Action, Assertion, ClassId, Decision, MatchClass, Missed, Opening, Outcome, Plan, Protocol, Reason, ReasonCode,
    Site, Transformation,
};

// The comment holds a Latin-1 byte, as old codes do; it is put in by `program_and_plan`.
const SOURCE: &str = "program ring
  use mpi
  call mpi_recv(r, n, mpi_real8, prev, 7, mpi_comm_world, status, ierr)
  print *, 'between'
  call mpi_send(s, n, mpi_real8, next, 7, mpi_comm_world, ierr)
  ?call mpi_recv(t, 1, mpi_integer, mpi_any_source, 8, mpi_comm_world, status, ierr)
  ! Gr@ben
  a = = b
end program ring
";

/// A program of three sites in two classes, of which one is kept, and a place that could not be read.
pub fn program_and_plan() -> (Program, Plan) {
    let mut text = SOURCE.replace("  ?", "\t").into_bytes();
    let umlaut = text.iter().position(|&byte| byte == b'@').expect("the fixture has a place for the byte");
    text[umlaut] = 0xe4;

    let unread = (span_of(&text, "a = = b"), "syntax error".to_owned());
    let sites = ["call mpi_recv(r", "call mpi_send", "call mpi_recv(t"];
    let statements = sites.iter().map(|&start| call_statement(&text, start)).collect();
    let any_source = span_of(&text, "mpi_any_source");
    let print = span_of(&text, "print *, 'between'");

    let procedure = Procedure {
        name: "ring".to_owned(),
        kind: ProcedureKind::Main,
        language: crate::ir::Language::Fortran,
        span: Span { file: FileId(0), start: 0, end: text.len() },
        dummies: Vec::new(),
        is_pure: false,
        is_elemental: false,
        result: None,
        symbols: Vec::new(),
        statements,
        body: (0..sites.len()).map(StatementId).collect(),
        text_parts: Err(crate::ir::Indivisible::by_language(Span { file: FileId(0), start: 0, end: 0 })),
        anchors: Anchors { imports: 0, declarations: 0 },
        declarations: Vec::new(),
        messaging_names: crate::ir::MessagingNames::Unseen,
        evaluated_at_entry: Vec::new(),
        overridable_calls: BTreeMap::new(),
        redefined_functions: Vec::new(),
        separate_requests: std::collections::BTreeSet::new(),
        aliases: crate::ir::Aliases::default(),
        untouchable: None,
    };
    let mut file = SourceFile::new("src/ring.f90", text, Default::default());
    file.unread.push(unread);
    let program = Program { files: vec![file].into(), procedures: vec![procedure.into()], ..Program::default() };

    let kept = Reason::at(ReasonCode::Wildcard, any_source, "the receive takes messages from any source");
    let receive = transformed(
        vec![
            action(Transformation::HoistReceive, "posted at line 2, above the print"),
            action(Transformation::SinkWait, "waited for at line 7"),
        ],
        Vec::new(),
    );
    let send = transformed(
        Vec::new(),
        vec![
            Missed {
                transformation: Transformation::StripMineProducer,
                reason: Reason::everywhere(ReasonCode::NoProducingLoop, "no loop before the send fills `s`"),
            },
            Missed {
                transformation: Transformation::SinkWait,
                reason: Reason::at(ReasonCode::EffectInBetween, print, "output lies between"),
            },
        ],
    );
    let decisions = vec![
        Decision { site: site(3, 0, "mpi_recv"), class: Some(ClassId(0)), outcome: receive },
        Decision { site: site(5, 1, "mpi_send"), class: Some(ClassId(0)), outcome: send },
        Decision { site: site(6, 2, "mpi_recv"), class: Some(ClassId(1)), outcome: Outcome::kept(kept.clone()) },
    ];
    let classes = vec![
        MatchClass {
            members: vec![site(3, 0, "mpi_recv"), site(5, 1, "mpi_send")],
            description: "mpi_comm_world, tag 7".to_owned(),
            kept: None,
        },
        MatchClass {
            members: vec![site(6, 2, "mpi_recv")],
            description: "mpi_comm_world, tag 8".to_owned(),
            kept: Some(kept),
        },
    ];
    let asserted =
        vec![Assertion { span: print, text: "`s` shares memory with no other variable of `ring`".to_owned() }];
    let assumed = vec!["`numroc`".to_owned(), "module `fox`".to_owned()];
    let openings = vec![
        Opening { why: "no main program is among the given files".to_owned(), places: Vec::new() },
        Opening { why: "`log_line`, which was not given, is called".to_owned(), places: vec![print, any_source] },
    ];
    let text = "`ring` may be called by code that was not given, where `a` and `b` are taken to be different memory";
    let believed = vec![Assertion { span: any_source, text: text.to_owned() }];
    let attachments = Vec::new();
    let plan = Plan { decisions, classes, attachments, assumed, asserted, believed, openings, ..Plan::default() };
    (program, plan)
}

fn span_of(text: &[u8], part: &str) -> Span {
    let start =
        text.windows(part.len()).position(|window| window == part.as_bytes()).expect("the fixture holds its parts");
    Span { file: FileId(0), start, end: start + part.len() }
}

fn call_statement(text: &[u8], start: &str) -> Statement {
    let start = span_of(text, start).start;
    let length = text[start..].iter().position(|&byte| byte == b'\n').expect("the fixture's lines end");
    Statement {
        span: Span { file: FileId(0), start, end: start + length },
        kind: StatementKind::Nothing,
        parent: None,
        jump_target: false,
        changes_names: false,
        labelled: false,
        room: crate::ir::Room::OwnLines,
        hint: None,
    }
}

fn site(line: usize, statement: usize, routine: &str) -> Site {
    Site {
        file: FileId(0),
        line,
        procedure: ProcedureId(0),
        statement: StatementId(statement),
        routine: routine.to_owned(),
    }
}

fn action(transformation: Transformation, text: &str) -> Action {
    Action { transformation, text: text.to_owned() }
}

fn transformed(actions: Vec<Action>, missed: Vec<Missed>) -> Outcome {
    Outcome::Transformed { protocol: Protocol::ConsumerInitiatedWrite, actions, missed, steps: Vec::new() }
}
