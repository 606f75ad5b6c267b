//! What never runs because of constants, and what follows from that for the rest of the program.

use std::path::Path;

use super::*;
use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};
use crate::passes::never_called::without_never_called;

fn program_of(path: &str, text: &str) -> Program {
    parse_text(Path::new(path), text.as_bytes().to_vec(), &FrontendOptions::default()).expect("it parses")
}

/// The names of the procedures that never run, if nothing leads out of the program.
fn never_called(program: &Program) -> Option<Vec<String>> {
    let reduced = without_dead_branches(program).map(|found| found.program);
    let reduced = reduced.as_ref().unwrap_or(program);
    let outside = Outside { program: reduced, is_closed: false };
    let is_open = OpenWorld::of(outside).is_some();
    match without_never_called(outside) {
        Some(found) => Some(found.procedures.iter().map(|&id| reduced.procedure(id).name.clone()).collect()),
        None if is_open => None,
        None => Some(Vec::new()),
    }
}

const FORTRAN: &str = "module m\nlogical, parameter :: debug = .false.\ncontains\nsubroutine inner(k)\nk = 1\nend subroutine\n\
    subroutine outer(k)\ncall inner(k)\nend subroutine\nend module\n\
    program main\nuse m\nexternal :: elsewhere\n";

#[test]
fn what_only_dead_branches_call_never_runs() {
    let with = |statements: &str| never_called(&program_of("test.f90", &format!("{FORTRAN}{statements}end program\n")));
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    assert_eq!(with("if (debug) call outer(k)\n"), names(&["inner", "outer"]));
    assert_eq!(with("if (debug) call elsewhere(k)\ncall outer(k)\n"), names(&[]));
    assert_eq!(with("if (debug) call elsewhere(outer)\n"), names(&["inner", "outer"]));
    // It is named elsewhere, too.
    assert_eq!(with("if (debug) call elsewhere(outer)\nif (k > 1) call outer(k)\n"), names(&[]));
    assert_eq!(with("if (debug) then\ncall elsewhere(k)\nelse\ncall inner(k)\nend if\n"), names(&["outer"]));
    // What runs leads out of the program.
    assert_eq!(with("if (.not. debug) call elsewhere(k)\n"), None);
    assert_eq!(with("if (k > 1) call elsewhere(k)\n"), None);
}

#[cfg(feature = "c")]
#[test]
fn branches_in_c() {
    let with = |statements: &str| {
        never_called(&program_of(
            "test.c",
            &format!(
                "#define LEVEL 2\nenum {{ checked = 0 }};\nvoid elsewhere(int k);\nstatic int f(int k) {{ return k; }}\n\
                 int main(int argc, char **argv) {{\n{statements}return 0;\n}}\n"
            ),
        ))
    };
    assert_eq!(with("if (LEVEL > 3) elsewhere(f(argc));\n"), Some(vec!["f".to_owned()]));
    assert_eq!(with("if (checked) { elsewhere(1); } else { argc = f(argc); }\n"), Some(Vec::new()));
    assert_eq!(with("if (argc) elsewhere(1);\n"), None);
    // Something jumps into it.
    assert_eq!(with("if (argc > 2) goto failed;\nif (0) {\nfailed:\nelsewhere(1);\n}\n"), None);
    assert_eq!(with("switch (argc) { case 1: if (0) { case 2: elsewhere(1); } }\n"), None);
}

#[test]
fn everything_is_put_back() {
    let text = format!("{FORTRAN}if (debug) then\ncall outer(k)\nif (k > 1) call inner(k)\nend if\nend program\n");
    let program = program_of("test.f90", &text);
    let found = without_dead_branches(&program).expect("there is one");
    let mut whole = found.program.clone();
    found.branches.iter().for_each(|dead| dead.put_back(&mut whole, &program));
    for (id, body) in program.procedures() {
        assert_eq!(format!("{body:?}"), format!("{:?}", whole.procedure(id)));
    }
}
