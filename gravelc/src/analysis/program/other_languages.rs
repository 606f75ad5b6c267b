//! Procedures that one language calls and another one defines: `call tick(n)` of Fortran, where a file of C defines `tick_`.
//!
//! The front end of the one language does not know those of the other: such a call is one of a procedure that was not given, which
//! may touch its arguments and all that others see, and which nothing moves across. But what it calls in its turn can be looked
//! at: where it certainly neither communicates nor leaves the given files, it is no opening.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::open_world::is_uncertain;
use super::outside::is_of_known_library;
use crate::ir::{Callee, Expression, ExpressionKind, Place, Procedure, ProcedureId, Program, StatementKind, Storage};

/// Which names that are called mean procedures of another language among the files, and whether these keep to themselves.
pub fn defined_elsewhere(program: &Program) -> BTreeMap<String, bool> {
    let mut found: BTreeMap<String, bool> = BTreeMap::new();
    if program.link_names.is_empty() {
        return found;
    }
    let mut asked = Asked { program, known: BTreeMap::new() };
    for procedure in &program.procedures {
        for name in called_by(procedure) {
            let Some(label) = procedure.dialect().label(name) else { continue };
            let Some(defined) = program.link_names.get(&label) else { continue };
            let keeps = defined.is_some_and(|id| asked.keeps_to_itself(id));
            *found.entry(name.to_owned()).or_insert(true) &= keeps;
        }
    }
    // By the same name other languages mean another procedure.
    for procedure in &program.procedures {
        for name in called_by(procedure).into_iter().filter(|name| procedure.dialect().label(name).is_none()) {
            found.entry(name.to_owned()).and_modify(|keeps| *keeps = false);
        }
    }
    found
}

/// The names of what the procedure calls and its front end does not know.
fn called_by(procedure: &Procedure) -> BTreeSet<&str> {
    let of_statements = procedure.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Call { callee: Callee::Unknown(name), .. } => Some(name.as_str()),
        _ => None,
    });
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    let parts = expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk);
    let of_expressions = parts.filter_map(|part| match &part.kind {
        ExpressionKind::Call { callee: Callee::Unknown(name), .. } => Some(name.as_str()),
        _ => None,
    });
    of_statements.chain(of_expressions).collect()
}

/// What was found of procedures, which many call.
struct Asked<'p> {
    program: &'p Program,
    known: BTreeMap<ProcedureId, bool>,
}

impl Asked<'_> {
    /// Does the procedure, with all that it calls, certainly keep out of communication, and away from the procedures and variables of
    /// other languages?
    fn keeps_to_itself(&mut self, first: ProcedureId) -> bool {
        if let Some(&known) = self.known.get(&first) {
            return known;
        }
        let language = self.program.procedure(first).language;
        let (mut seen, mut next) = (HashSet::from([first]), vec![first]);
        let mut keeps = true;
        while let Some(id) = next.pop() {
            let procedure = self.program.procedure(id);
            match given_callees(self.program, procedure) {
                Some(callees) if procedure.language == language => {
                    next.extend(callees.into_iter().filter(|callee| seen.insert(*callee)));
                }
                _ => keeps = false,
            }
        }
        self.known.insert(first, keeps);
        keeps
    }
}

/// The given procedures that this one calls; nothing, if it may do more than to call these and known libraries.
fn given_callees(program: &Program, procedure: &Procedure) -> Option<Vec<ProcedureId>> {
    let is_shared = |name: &str| {
        let is_label = |(global, _): &(String, _)| name.trim_matches('_') == global;
        name.contains("_MOD_")
            || name.contains("_mp_")
            || name.starts_with("__")
            || program.global_names.iter().any(is_label)
    };
    let names_shared = procedure
        .symbols
        .iter()
        .any(|symbol| matches!(&symbol.storage, Storage::Global(Place::External { name }) if is_shared(name)));
    if is_uncertain(procedure) || names_shared {
        return None;
    }
    let mut callees = Vec::new();
    let mut add = |callee: &Callee| match callee {
        Callee::Procedure(id) => {
            callees.push(*id);
            true
        }
        Callee::Unknown(name) => {
            let label = procedure.dialect().label(name);
            let is_given = label.is_some_and(|label| program.link_names.contains_key(&label));
            !is_given && is_of_known_library(name) && program.is_external_name(name)
        }
        Callee::PureIntrinsic(_) => true,
    };
    for statement in &procedure.statements {
        let is_plain = match &statement.kind {
            StatementKind::Communication(_) | StatementKind::Opaque(_) => false,
            StatementKind::Call { callee, .. } => add(callee),
            _ => true,
        };
        if !is_plain {
            return None;
        }
    }
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    for part in expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk) {
        let is_plain = match &part.kind {
            ExpressionKind::Opaque(_) => false,
            ExpressionKind::Call { callee, .. } => add(callee),
            _ => true,
        };
        if !is_plain {
            return None;
        }
    }
    Some(callees)
}

#[cfg(all(test, feature = "fortran", feature = "c"))]
mod tests {
    use std::path::Path;

    use super::super::open_world::OpenWorld;
    use super::super::outside::Outside;
    use super::*;
    use crate::frontend::{FrontendOptions, language_of, layout_of, read_texts};
    use crate::ir::SourceFile;

    /// The program of a main program in Fortran, with this before its end, and of a file of C.
    fn program(statement: &str, more: &str, of_c: &str) -> Program {
        let fortran =
            format!("program p\nuse mpi\ninteger :: n\nreal :: x\ncommon /shared/ x\n{statement}\nend program\n{more}");
        let options = FrontendOptions::default();
        let file = |path: &str, text: &str| {
            let layout = layout_of(Path::new(path), &options).expect("it has one");
            let mut file = SourceFile::new(path, text.into(), layout);
            file.language = language_of(Path::new(path));
            file
        };
        read_texts(vec![file("p.f90", &fortran), file("tick.c", of_c)], &options).expect("it is read")
    }

    /// What leads out of such a program that calls `tick`.
    fn openings(of_c: &str) -> Vec<String> {
        let program = program("call tick(n)", "", of_c);
        let world = OpenWorld::of(Outside { program: &program, is_closed: false });
        let openings = world.as_ref().map(OpenWorld::openings).unwrap_or_default();
        openings.iter().map(|opening| opening.why.clone()).collect()
    }

    #[test]
    fn what_another_language_defines_and_keeps_to_itself_is_no_opening() {
        assert_eq!(openings("void tick_(int *n) { *n = 1; }\n"), [""; 0]);
        let calls = "#include <stdio.h>\n#include <unistd.h>\nstatic int calls;\nstatic void count(void) { calls++; }\n\
                     void tick_(int *n) { count(); printf(\"%d\\n\", isatty(*n)); }\n";
        assert_eq!(openings(calls), [""; 0]);
        // Another process does it, and the caller waits for that.
        let commands = "#include <stdlib.h>\nvoid tick_(int *n) { *n = system(\"ls\"); }\n";
        assert_eq!(openings(commands), [""; 0]);
        let around = "void tick_(int *n);\nstatic void tock(int *n) { if (*n > 0) tick_(n); }\n\
                      void tick_(int *n) { *n -= 1; tock(n); }\n";
        assert_eq!(openings(around), [""; 0]);
    }

    #[test]
    fn what_may_do_more_leads_out() {
        for of_c in [
            "void tick(int *n) { *n = 1; }\n",
            "static void tick_(int *n) { *n = 1; }\nvoid other(int *n) { tick_(n); }\n",
            "__attribute__((weak)) void tick_(int *n) { *n = 1; }\n",
            "#include <mpi.h>\nvoid tick_(int *n) { MPI_Send(n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); }\n",
            "#include <mpi.h>\nstatic void tock(int *n) { MPI_Barrier(MPI_COMM_WORLD); }\nvoid tick_(int *n) { tock(n); }\n",
            "void (*act)(int *);\nvoid tick_(int *n) { act(n); }\n",
            "void other(int *);\nvoid tick_(int *n) { other(n); }\n",
            "extern float shared_;\nvoid tick_(int *n) { shared_ = *n; }\n",
            "extern int __m_MOD_n;\nvoid tick_(int *n) { __m_MOD_n = *n; }\n",
            "#include <stdlib.h>\nvoid tick_(int *n) { atexit((void (*)(void))n); }\n",
            "void tick_(int *n) { __asm__(\"nop\"); }\n",
        ] {
            assert!(!openings(of_c).is_empty(), "{of_c}");
        }
    }

    #[test]
    fn a_library_that_is_given_is_no_library() {
        let keeps = |of_c: &str| {
            let program = program("call pdgetrf(n)\ncall dgemm(n)", "", of_c);
            let outside = Outside { program: &program, is_closed: false };
            [outside.keeps_to_itself("pdgetrf"), outside.keeps_to_itself("dgemm")]
        };
        assert_eq!(keeps("int other;\n"), [true, true]);
        let sends = "{ MPI_Send(n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); }\n";
        assert_eq!(keeps(&format!("#include <mpi.h>\nvoid pdgetrf_(int *n) {sends}")), [false, true]);
        assert_eq!(keeps(&format!("#include <mpi.h>\nvoid dgemm_(int *n) {sends}")), [true, false]);
        // Nor is one that something else calls which is given.
        let calls = "void pdgetrf_(int *n);\nvoid dgemm_(int *n) { pdgetrf_(n); }\n";
        assert_eq!(keeps(&format!("#include <mpi.h>\nvoid pdgetrf_(int *n) {sends}{calls}")), [false, false]);
    }

    #[test]
    fn handles_may_be_stored_by_what_another_language_defines() {
        for (of_c, leaves) in [("void tock_(int *n) { }\n", true), ("void tick_(int *n) { *n = 1; }\n", false)] {
            let program = program("call tick(n)", "", of_c);
            assert_eq!(Outside { program: &program, is_closed: true }.leaves_communicators("tick"), leaves, "{of_c}");
        }
    }

    #[test]
    fn a_function_of_the_library_may_be_defined_by_the_program() {
        let interface = "interface\nsubroutine pause_(n) bind(c, name='usleep')\ninteger, value :: n\nend subroutine\n\
                         end interface\n";
        let more = format!("subroutine s\n{interface}call pause_(1)\nend subroutine\n");
        let keeps = |of_c: &str| {
            let program = program("n = 1", &more, of_c);
            Outside { program: &program, is_closed: false }.keeps_to_itself("<c>::usleep")
        };
        assert!(keeps("int other;\n"));
        assert!(!keeps("int usleep(unsigned n) { return 0; }\n"));
    }
}
