//! What leads out of the given files: why statements that are not in them could call given procedures, or store to
//! variables of modules.
//!
//! All of it is found, not only the first: whoever mends one place wants to know what else is in the way.

use std::collections::{HashMap, HashSet};

use crate::ir::called_name::{is_reference, referred};
use crate::ir::{ExpressionKind, Procedure, ProcedureKind, Program, Span, StatementKind};

use super::outside::Outside;

/// Why other statements than those of the given files could call their procedures or use variables of their modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWorld {
    /// At least one, in the order of the program.
    openings: Vec<Opening>,
}

/// One thing that leads out of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// What it is, as a clause.
    pub why: String,
    /// Where it is, in the order of the program; nowhere if it is something that the files lack.
    pub places: Vec<Span>,
}

impl OpenWorld {
    /// What leads out of the given files; nothing if they are the whole program.
    pub fn of(outside: Outside) -> Option<Self> {
        let mut found = Found::default();
        let program = outside.program;
        if program.is_part {
            found.add("only a part of the program is given".to_owned(), None);
        }
        if !program.procedures.iter().any(|procedure| procedure.kind == ProcedureKind::Main) {
            found.add("no main program is among the given files".to_owned(), None);
        }
        for (span, why) in program.files.iter().flat_map(|file| &file.unread) {
            found.unread.insert(*span);
            found.add(format!("source could not be read: {why}"), Some(*span));
        }
        for procedure in &program.procedures {
            match &procedure.untouchable {
                // What could not be read stands in the way of the procedures that it is in, too.
                Some(untouchable) if found.unread.contains(&untouchable.span) => {}
                Some(untouchable) if is_uncertain(procedure) => {
                    found.add(untouchable.text.clone(), Some(untouchable.span))
                }
                _ => found.add_statements(outside, procedure),
            }
        }
        let openings = found.openings();
        (!openings.is_empty()).then_some(Self { openings })
    }

    /// All that leads out of the files.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// The first of them with its place, and how many others there are, as a clause.
    pub fn describe(&self, program: &Program) -> String {
        let first = &self.openings[0];
        let mut text = first.why.clone();
        if let Some(&span) = first.places.first() {
            let path = program.path_of(span).display();
            text.push_str(&format!(" at {path}:{}", program.line(span)));
        }
        let others = self.openings.iter().map(|opening| opening.places.len().max(1)).sum::<usize>() - 1;
        match others {
            0 => {}
            1 => text.push_str(", and one other place leads out of the files, too"),
            _ => text.push_str(&format!(", and {others} other places lead out of the files, too")),
        }
        text
    }
}

/// What has been found, each kind once.
#[derive(Default)]
struct Found {
    openings: Vec<Opening>,
    /// Where source could not be read.
    unread: HashSet<Span>,
    /// Where each kind is among them.
    known: HashMap<String, usize>,
    /// Those that no others bring about: where all of these are mended, the rest are gone ([`crate::passes::given_overrides`]).
    causes: HashSet<usize>,
}

impl Found {
    /// All of them, but for what others bring about.
    fn openings(self) -> Vec<Opening> {
        if self.causes.is_empty() {
            return self.openings;
        }
        let openings = self.openings.into_iter().enumerate();
        openings.filter(|(index, _)| self.causes.contains(index)).map(|(_, opening)| opening).collect()
    }

    fn add(&mut self, why: String, place: Option<Span>) {
        let index = self.add_at(why, place);
        self.causes.insert(index);
    }

    /// The index of what is added to.
    fn add_at(&mut self, why: String, place: Option<Span>) -> usize {
        let next = self.openings.len();
        let index = *self.known.entry(why).or_insert_with_key(|why| {
            self.openings.push(Opening { why: why.clone(), places: Vec::new() });
            next
        });
        self.openings[index].places.extend(place);
        index
    }

    fn add_statements(&mut self, outside: Outside, procedure: &Procedure) {
        for statement in &procedure.statements {
            let opaque = match &statement.kind {
                StatementKind::Opaque(_) if self.unread.contains(&statement.span) => continue,
                StatementKind::Opaque(unread) => Some(unread.what.clone()),
                _ => None,
            };
            if opaque.is_none() && !outside.may_be_called_by(&statement.kind) {
                continue;
            }
            let is_settled = |name: &&str| procedure.overridable_calls.contains_key(*name);
            let called = || {
                let mut called = outside.procedures_called_by(&statement.kind);
                called.find(|name| !is_settled(name)).or_else(|| outside.procedures_called_by(&statement.kind).next())
            };
            let is_consequence = opaque.is_none() && called().is_some_and(|name| is_settled(&name));
            let describe = |name: &str| match outside.program.has_procedure_named(name) {
                _ if outside.program.indirect_names.contains(name) && is_reference(name) => {
                    let own = referred(name);
                    format!("`{own}`, which could be a procedure that was not given, is called")
                }
                true => format!("`{name}` is called, which may be another procedure than the given one of that name"),
                false => format!("`{name}`, which was not given, is called"),
            };
            let why = opaque
                .or_else(|| called().map(describe))
                .or_else(|| opaque_part(&statement.kind))
                .unwrap_or_else(|| "source that could not be read".to_owned());
            if is_consequence {
                self.add_at(why, Some(statement.span));
            } else {
                self.add(why, Some(statement.span));
            }
        }
    }
}

/// What an expression of the statement is that is not understood.
fn opaque_part(kind: &StatementKind) -> Option<String> {
    kind.expressions().into_iter().flat_map(|expression| expression.walk()).find_map(|part| match &part.kind {
        ExpressionKind::Opaque(unread) => Some(unread.what.clone()),
        _ => None,
    })
}

/// May names and statements of the procedure be others than they seem?
pub fn is_uncertain(procedure: &Procedure) -> bool {
    procedure.untouchable.as_ref().is_some_and(|found| !found.cause.leaves_text_certain())
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    /// What leads out of a program of this text: each thing with the number of its places.
    fn openings(text: &str, is_closed: bool) -> Vec<(String, usize)> {
        let program = parse_text(Path::new("test.F90"), text.as_bytes().to_vec(), &FrontendOptions::default())
            .expect("it parses");
        let world = OpenWorld::of(Outside { program: &program, is_closed });
        let openings = world.as_ref().map(OpenWorld::openings).unwrap_or_default();
        openings.iter().map(|opening| (opening.why.clone(), opening.places.len())).collect()
    }

    #[test]
    fn a_whole_program_is_closed() {
        let text = "program p\ncall inner\ncontains\nsubroutine inner\nend subroutine\nend program\n";
        assert_eq!(openings(text, false), []);
    }

    #[test]
    fn what_only_leaves_no_room_leads_nowhere() {
        let text = "program p\nprint *, f()\nend program\n\
                    function f() result (k); integer :: k\nk = 1\nend function\n";
        assert_eq!(openings(text, false), []);
        // The part of a string of CLASS(*) is no reference to a function.
        let text = "program p\ncall s(1)\ncontains\nsubroutine s(x)\nclass(*) :: x\nselect type (x)\n\
                    type is (character(*))\nprint *, x(1:2)\nend select\nend subroutine\nend program\n";
        assert_eq!(openings(text, false), []);
    }

    #[test]
    fn everything_that_leads_out_is_found() {
        let text = "subroutine one\ncall library(1)\nx = outside(2)\ncall library(2)\nend subroutine\n\
                    subroutine two(unit)\ncall library(3)\na = = b\nend subroutine\n";
        let library = ("`library`, which was not given, is called".to_owned(), 3);
        let unread = "source could not be read: syntax error".to_owned();
        let expected = [
            ("no main program is among the given files".to_owned(), 0),
            (unread.clone(), 1),
            library,
            ("`outside`, which was not given, is called".to_owned(), 1),
        ];
        assert_eq!(openings(text, false), expected);
        assert_eq!(openings(text, true), [expected[0].clone(), (unread, 1)]);
    }

    #[test]
    fn what_others_bring_about_is_not_said() {
        let text = "program p\nexternal act\ncall apply(act)\nend program\nsubroutine apply(f)\nexternal f\n\
                    call f\nend subroutine\nsubroutine act\nend subroutine\n";
        let unread = ("source could not be read: syntax error".to_owned(), 1);
        assert_eq!(openings(&text.replace("call apply", "a = = b\ncall apply"), false), [unread]);
        let without_end =
            openings(&text.replace("program p", "subroutine p").replace("end program", "end subroutine"), false);
        assert_eq!(without_end, [("no main program is among the given files".to_owned(), 0)]);
    }

    #[test]
    fn the_first_is_described_with_its_place() {
        let text = "program p\ncall one\ncall two\ncall one\nend program\n";
        let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).expect("it parses");
        let world = OpenWorld::of(Outside { program: &program, is_closed: false }).expect("it calls others");
        let expected =
            "`one`, which was not given, is called at test.f90:2, and 2 other places lead out of the files, too";
        assert_eq!(world.describe(&program), expected);
    }
}
