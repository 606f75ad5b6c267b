use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, Macro, parse_text};

/// The names of the procedures that never run, if they can be told.
fn never_called_with(text: &str, is_closed: bool, options: &FrontendOptions) -> Option<Vec<String>> {
    let program = parse_text(Path::new("test.F90"), text.as_bytes().to_vec(), options).expect("it parses");
    let found = without_never_called(Outside { program: &program, is_closed })?;
    Some(found.procedures.iter().map(|&id| program.procedure(id).name.clone()).collect())
}

fn never_called(text: &str) -> Vec<String> {
    never_called_with(text, false, &FrontendOptions::default()).unwrap_or_default()
}

/// A module with these declarations and two procedures, and a program that calls the second one.
fn with_declarations(declarations: &str) -> String {
    format!(
        "module m\n{declarations}\ncontains\nsubroutine one()\nend subroutine\nsubroutine two()\nend subroutine\n\
         end module\nprogram p\nuse m, only: one, two\ncall two()\nend program\n"
    )
}

#[test]
fn what_nothing_names_never_runs() {
    assert_eq!(never_called(&with_declarations("private\npublic :: one, two")), ["one"]);
    assert_eq!(never_called(&with_declarations("interface any\nmodule procedure one\nend interface")), ["one"]);
    let whole = "subroutine s\ncall t\ncontains\nsubroutine inner\nend subroutine\nend subroutine\n\
                 subroutine t\nend subroutine\n";
    assert_eq!(never_called(&format!("{whole}program p\nend program\n")), ["s", "inner", "t"]);
    assert_eq!(never_called(&format!("{whole}program p\ncall s\nend program\n")), ["inner"]);
    // Without a main program anybody may call them.
    assert_eq!(never_called(whole), [""; 0]);
}

#[test]
fn names_in_declarations_count() {
    for declarations in [
        "type :: t\ncontains\nprocedure, nopass :: go => one\nend type",
        "type :: t\nprocedure(two), pointer, nopass :: go => one\nend type",
        "type :: t\ncontains\nfinal :: one\nend type",
        "procedure(two), pointer :: go => one",
        "interface operator(.of.)\nmodule procedure one\nend interface",
        "interface assignment(=)\nmodule procedure one\nend interface",
        "interface write(formatted)\nmodule procedure one\nend interface",
        "type :: t\ninteger :: k\nend type\ninterface t\nmodule procedure one\nend interface",
        "#define GO one",
        "!$omp declare reduction(mine: integer: one(omp_in, omp_out))",
    ] {
        assert_eq!(never_called(&with_declarations(declarations)), [""; 0], "{declarations}");
    }
}

#[test]
fn names_in_procedures_that_run_count() {
    let with = |statement: &str| with_declarations("").replace("call two()", statement);
    assert_eq!(never_called(&with("call two()\ncall mpi_op_create(one, .true., k, ierr)")), [""; 0]);
    assert_eq!(never_called(&with("procedure(two), pointer :: go => one\ncall two()")), [""; 0]);
    let renamed = with("call go()").replace("use m, only: one, two", "use m, only: go => one");
    assert_eq!(never_called(&renamed), ["two"]);
    // Named by a procedure that never runs itself.
    let unused = "subroutine three\ncall one()\nend subroutine\nend module";
    assert_eq!(never_called(&with("call two()").replace("end module", unused)), ["one", "three"]);
}

#[test]
fn others_may_call_what_has_a_name_for_them() {
    let text = with_declarations("");
    let one = "subroutine one()";
    assert_eq!(never_called(&text.replace(one, "subroutine one() bind(c)")), [""; 0]);
    let entry = text.replace(one, "subroutine one()\nentry other()");
    assert_eq!(never_called(&entry), ["one", "other"]);
    assert_eq!(never_called(&entry.replace("call two()", "call other()").replace("only: one", "only: other")), ["two"]);
    // In a construct no ENTRY may stand.
    let unread = "subroutine one()\nif (k > 0) then\nentry other()\nend if";
    assert_eq!(never_called(&text.replace(one, unread)), [""; 0]);
    assert_eq!(never_called(&text.replace("one", "xerbla")), [""; 0]);
    assert_eq!(never_called(&text.replace("one", "dgemm")), [""; 0]);
    let mut options = FrontendOptions::default();
    options.macros.known.insert("GO".to_string(), Macro::Defined("one".to_string()));
    assert_eq!(never_called_with(&text, false, &options), None);
}

#[test]
fn what_leads_out_counts_where_it_may_run() {
    let text = with_declarations("");
    let inside = |procedure: &str, statement: &str| {
        let first = format!("subroutine {procedure}()\n");
        text.replace(&first, &format!("{first}{statement}\n"))
    };
    assert_eq!(never_called(&inside("one", "call library()")), ["one"]);
    assert_eq!(never_called(&inside("one", "use elsewhere\ncall library()")), ["one"]);
    assert_eq!(never_called(&inside("two", "call library()")), [""; 0]);
    let options = FrontendOptions::default();
    assert_eq!(never_called_with(&inside("two", "call library()"), true, &options), Some(vec!["one".to_string()]));
    assert_eq!(never_called(&inside("one", "#define F(x) x\nF(call library)")), ["one"]);
    // What it stands for may end the procedure and begin another one.
    assert_eq!(never_called(&inside("one", "#ifdef OPEN\n#define F(x) x\n#endif\nF(call library)")), [""; 0]);
    assert_eq!(never_called(&inside("one", "include 'unknown.h'")), [""; 0]);
}

#[test]
fn separate_procedures_run_where_they_are_called() {
    let text = "module m\ninterface\nmodule subroutine one()\nend subroutine\nmodule subroutine two()\nend subroutine\n\
                end interface\nend module\nsubmodule (m) s\ncontains\nmodule subroutine one()\nend subroutine\n\
                module procedure two\nend procedure\nend submodule\nprogram p\nuse m\ncall two()\nend program\n";
    assert_eq!(never_called(text), ["one"]);
}

/// The procedures that never run of a program in Fortran, with this in the main program, and a file of C.
#[cfg(feature = "c")]
fn never_called_of_two(statement: &str, more: &str, of_c: &str) -> Vec<String> {
    use crate::frontend::{language_of, layout_of, read_texts};
    use crate::ir::SourceFile;

    let options = FrontendOptions::default();
    let file = |path: &str, text: &str| {
        let layout = layout_of(Path::new(path), &options).expect("it has one");
        let mut file = SourceFile::new(path, text.into(), layout);
        file.language = language_of(Path::new(path));
        file
    };
    let fortran = format!("program p\n{statement}\nend program\nsubroutine work(n)\nn = 1\nend subroutine\n{more}");
    let program = read_texts(vec![file("p.f90", &fortran), file("tick.c", of_c)], &options).expect("it is read");
    let found = without_never_called(Outside { program: &program, is_closed: false });
    let procedures = found.map(|found| found.procedures).unwrap_or_default();
    procedures.iter().map(|&id| program.procedure(id).name.clone()).collect()
}

#[cfg(feature = "c")]
const TICK: &str = "void act(void (*f)(void)) { f(); }\nvoid tick_(int *n) { *n = 1; }\n";

#[cfg(feature = "c")]
#[test]
fn what_no_other_language_names_never_runs() {
    // It calls what its pointer leads to, which could be anything.
    assert_eq!(never_called_of_two("call tick(n)", "", TICK), ["work", "act"]);
    assert_eq!(never_called_of_two("n = 1", "", TICK), ["work", "act", "tick_"]);
    // Names that mean something else.
    let others = "subroutine s(tick)\ncharacter(*), optional :: tick\nprint *, tick\nend subroutine\n\
                  subroutine t\ninterface\nsubroutine s(tick)\ncharacter(*), optional :: tick\nend subroutine\n\
                  end interface\ncall s(tick='a')\nend subroutine\n";
    let without_interface = others.split("subroutine t").next().expect("it has one");
    assert_eq!(never_called_of_two("n = 1", without_interface, TICK), ["work", "s", "act", "tick_"]);
    assert_eq!(never_called_of_two("n = 1", others, TICK), ["work", "s", "t", "act"]);
}

#[cfg(feature = "c")]
#[test]
fn names_for_linkers_count() {
    let quiet = "void tick_(int *n) { *n = 1; }\n";
    for statement in [
        "call tick(n)",
        "call TICK(n)",
        "external tick\ncall work(tick)",
        "interface\nsubroutine t(n) bind(c, name='tick_')\nend subroutine\nend interface\ncall t(n)",
        "interface\nsubroutine t(n) bind(c, name='ti'//'ck_')\nend subroutine\nend interface\ncall t(n)",
    ] {
        let never = never_called_of_two(statement, "", quiet);
        assert!(!never.contains(&"tick_".to_owned()), "{statement}: {never:?}");
    }
    let names = |of_c: &str| !never_called_of_two("call tick(n)", "", of_c).contains(&"work".to_owned());
    assert!(!names(quiet));
    for of_c in [
        "void work_(int *);\nvoid tick_(int *n) { work_(n); }\n",
        "void tick_(int *n) { extern void WORK(int *); WORK(n); }\n",
        "void f(int *) __asm__(\"work_\");\nvoid tick_(int *n) { f(n); }\n",
        "#pragma weak f = work_\nvoid f(int *);\nvoid tick_(int *n) { f(n); }\n",
        "void __m_MOD_work(int *);\nvoid tick_(int *n) { __m_MOD_work(n); }\n",
    ] {
        assert!(names(of_c), "{of_c}");
    }
}
