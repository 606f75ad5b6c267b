//! Code in files that others include.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::procedure;
use crate::frontend::{FrontendOptions, Macro, parse_text, read_program};
use crate::ir::{Program, StatementKind};

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Reads the text as the file `main.F90` beside these files.
fn read_beside(files: &[(&str, &str)], text: &str) -> Program {
    let folder = folder(files);
    parse_text(&folder.path().join("main.F90"), text.into(), &FrontendOptions::default()).unwrap()
}

/// Where the assignments of a procedure are: file and line.
fn assignments(program: &Program, name: &str) -> Vec<(String, usize)> {
    let procedure = procedure(program, name);
    let statements = procedure.statements_in_order().into_iter().map(|id| procedure.statement(id));
    let assignments = statements.filter(|statement| matches!(statement.kind, StatementKind::Assign { .. }));
    let name_of = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    assignments.map(|found| (name_of(program.path_of(found.span)), program.line(found.span))).collect()
}

fn at(name: &str, line: usize) -> (String, usize) {
    (name.to_string(), line)
}

#[test]
fn statements_stand_where_they_are_included() {
    let files = [("body.inc", "! a comment\n  j = 1\n\n  j = 2"), ("more.h", "#include \"body.inc\"\n#define M\n")];
    for line in ["  include 'body.inc' ! here\n", "#include \"body.inc\"\n"] {
        let text = format!("subroutine s\n  integer :: i, j\n  i = 1\n{line}  i = 2\nend subroutine\n");
        let program = read_beside(&files, &text);
        let expected = [at("main.F90", 3), at("body.inc", 2), at("body.inc", 4), at("main.F90", 5)];
        assert_eq!(assignments(&program, "s"), expected);
        assert_eq!(procedure(&program, "s").untouchable, None);
        assert_eq!(program.files[0].original(), text.as_bytes());
        assert!(program.included.is_empty() && program.read.len() == 1);
    }
    // What includes nothing but another file brings what that one holds.
    let program =
        read_beside(&files, "subroutine s\n  integer :: i, j\n#include \"more.h\"\n  i = 2\nend subroutine\n");
    assert_eq!(assignments(&program, "s"), [at("body.inc", 2), at("body.inc", 4), at("main.F90", 4)]);
}

#[test]
fn a_template_is_read_for_each_line_that_includes_it() {
    let template = "#ifdef UP\nsubroutine up(i)\n#else\nsubroutine down(i)\n#endif\n  integer :: i\n#ifdef UP\n  i = i + 1\n#else\n  i = i - 1\n#endif\nend subroutine\n";
    let text = "module m\ncontains\n#define UP\n#include \"t.h\"\n#undef UP\n#include \"t.h\"\nend module\n";
    let program = read_beside(&[("t.h", template)], text);
    assert_eq!(program.procedures.len(), 2);
    assert_eq!(assignments(&program, "up"), [at("t.h", 8)]);
    assert_eq!(assignments(&program, "down"), [at("t.h", 10)]);
}

#[test]
fn a_statement_may_end_in_an_included_file() {
    let text = "subroutine s\n  integer :: i\n  i = 1 &\n#include \"rest.h\"\n  + 3\nend subroutine\n";
    let program = read_beside(&[("rest.h", "  + 2 &")], text);
    assert_eq!(assignments(&program, "s"), [at("main.F90", 3)]);
    assert_eq!(program.files[0].unread, []);
}

#[test]
fn fixed_form_includes_fixed_form_whatever_the_name() {
    let folder = folder(&[("body.f90", "      j = 1\n     & + 2\r\nC     a comment\n")]);
    let text = "      subroutine s\n      integer j\n      include 'body.f90'\n      j = 3\n      end\n";
    let path = folder.path().join("main.f");
    let program = parse_text(&path, text.into(), &FrontendOptions::default()).unwrap();
    assert_eq!(assignments(&program, "s"), [at("body.f90", 1), at("main.f", 4)]);
}

#[test]
fn what_an_included_file_includes_is_beside_it() {
    let files = [("sub/body.inc", "#include \"inner.h\"\n  j = 1\n"), ("sub/inner.h", "  j = 0\n")];
    let text = "subroutine s\n  integer :: j\n#include \"sub/body.inc\"\nend subroutine\n";
    let program = read_beside(&files, text);
    assert_eq!(assignments(&program, "s"), [at("inner.h", 1), at("body.inc", 2)]);
    // Written out, the line would name another file.
    let other = [files[0], files[1], ("inner.h", "  j = 9\n")];
    assert!(kept_because(&other, text).contains("inner.h, which is another file"));
}

/// What is said of the first statement that could not be understood.
fn kept_because(files: &[(&str, &str)], text: &str) -> String {
    let program = read_beside(files, text);
    let procedure = procedure(&program, "s");
    let opaque = procedure.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Opaque(why) => Some(format!("{why:?}")),
        _ => None,
    });
    opaque.or_else(|| procedure.untouchable.as_ref().map(|known| known.text.clone())).unwrap_or_default()
}

#[test]
fn what_would_mean_something_else_is_not_expanded() {
    let body = "  j = 1\n";
    for (files, line, why) in [
        (vec![("a.h", "  j = 1\n#include \"a.h\"\n")], "#include \"a.h\"", "holds more than declarations"),
        (vec![("a.h", "#ifdef X\n  j = 1\n")], "#include \"a.h\"", "a condition begins in it"),
        (vec![("a.h", "  j = 1\n#pragma once\n")], "#include \"a.h\"", "`#pragma`"),
        (vec![("a.h", "  j = __INCLUDE_LEVEL__\n")], "#include \"a.h\"", "`__INCLUDE_LEVEL__`"),
        (vec![("a.h", "#define Y\n  j = 1\n")], "  include 'a.h'", "lines for a preprocessor"),
        (vec![("a.h", "  j = 1 ! /* so\n")], "#define K\n  include 'a.h'", "`/*`"),
        (vec![("a.h", "  j = K\n")], "#define K 3\n  include 'a.h'", "names `K`, which is a macro"),
        (vec![("a.h", body)], "#include <a.h>", "holds more than declarations"),
    ] {
        let text = format!("subroutine s\n  integer :: j\n  j = 0\n{line}\n  j = 2\nend subroutine\n");
        let found = kept_because(&files, &text);
        assert!(found.contains(why), "{line}: {found}");
    }
}

#[test]
fn only_what_is_compiled_is_expanded() {
    let files = [("a.h", "  j = 1\n")];
    let text = "subroutine s\n  integer :: j\n  j = 0\n#ifdef X\n#include \"a.h\"\n#endif\nend subroutine\n";
    let folder = folder(&files);
    let read = |definition: Option<Macro>| {
        let mut options = FrontendOptions::default();
        options.macros.known.extend(definition.map(|known| ("X".to_string(), known)));
        parse_text(&folder.path().join("main.F90"), text.into(), &options).unwrap()
    };
    let with = read(Some(Macro::Defined(String::new())));
    assert_eq!(assignments(&with, "s"), [at("main.F90", 3), at("a.h", 1)]);
    let without = read(Some(Macro::Undefined));
    assert_eq!(assignments(&without, "s"), [at("main.F90", 3)]);
    assert!(without.included.is_empty() && without.files[0].expansions().is_empty());
    let open = read(None);
    assert!(open.files[0].expansions().is_empty() && open.included.len() == 1);
}

#[test]
fn a_file_that_is_given_is_not_expanded_elsewhere() {
    let folder = folder(&[
        ("main.f90", "subroutine s\n  j = 0\nend subroutine\ninclude 'other.f90'\n"),
        ("other.f90", "subroutine t\n  j = 1\nend subroutine\n"),
    ]);
    let paths = ["main.f90", "other.f90"].map(|name| folder.path().join(name));
    let alone = read_program(&paths[..1], &FrontendOptions::default()).unwrap();
    assert_eq!(assignments(&alone, "t"), [at("other.f90", 2)]);
    let both = read_program(&paths, &FrontendOptions::default()).unwrap();
    assert!(both.files[0].expansions().is_empty());
    assert_eq!(both.procedures.len(), 2);
}

/// What stands in angle brackets is looked for in the folders of `-I`, and not beside the file that includes it.
#[test]
fn files_in_angle_brackets_are_expanded_from_the_folders_that_are_given() {
    let folder = folder(&[("inc/a.h", "  j = 1\n"), ("b.h", "  j = 2\n"), ("inc/b.h", "  j = 3\n")]);
    let options = FrontendOptions { include_folders: vec![folder.path().join("inc")], ..FrontendOptions::default() };
    let read = |name: &str| {
        let text = format!("subroutine s\n  integer :: j\n  j = 0\n#include <{name}>\nend subroutine\n");
        parse_text(&folder.path().join("main.F90"), text.into(), &options).unwrap()
    };
    assert_eq!(assignments(&read("a.h"), "s"), [at("main.F90", 3), at("a.h", 1)]);
    // The preprocessor takes the other one of the two.
    let either = read("b.h");
    assert_eq!(assignments(&either, "s"), [at("main.F90", 3)]);
    assert!(procedure(&either, "s").statements.iter().any(|it| matches!(it.kind, StatementKind::Opaque(_))));
}

/// A header of switches with a line that nobody compiles.
#[test]
fn what_no_condition_lets_through_is_not_included() {
    let switches = "/*\n** Switches\n*/\n#define OTHER\n#if defined UNKNOWN || \\\n    defined OLD\n  define NEW\n# ifdef OLD\n  j = 3\n# endif\n#endif\n";
    let files = [("outer.h", "#include \"switches.h\"\n"), ("switches.h", switches)];
    let text = "#include \"outer.h\"\nsubroutine s\n  integer :: j\n#ifdef OTHER\n  j = 1\n#endif\nend subroutine\n";
    let folder = folder(&files);
    let read = |complete: bool| {
        let mut options = FrontendOptions::default();
        options.macros.complete = complete;
        parse_text(&folder.path().join("main.F90"), text.into(), &options).unwrap()
    };
    let decided = read(true);
    assert!(decided.files[0].unread.is_empty(), "{:?}", decided.files[0].unread);
    assert_eq!(assignments(&decided, "s"), [at("main.F90", 5)]);
    // What is not decided may be compiled.
    assert!(!read(false).files[0].unread.is_empty());
}

/// A header that includes another one by the name that a macro gives it (`#include HEADER`): it says what conditions decide.
#[test]
fn headers_that_macros_name_are_read_or_not_known() {
    let files =
        [("by_macro.h", "#include HEADER\n"), ("switches.h", "#define WITH\n"), ("lost.h", "#include \"no.h\"\n")];
    let folder = folder(&files);
    let read = |line: &str, header: Option<&str>| {
        let text = format!("{line}\nsubroutine s\n  integer :: j\n#ifdef WITH\n  j = 1\n#endif\nend subroutine\n");
        let mut options = FrontendOptions::default();
        options.macros.complete = true;
        let known = header.map(|name| ("HEADER".to_string(), Macro::Defined(name.to_string())));
        options.macros.known.extend(known);
        parse_text(&folder.path().join("main.F90"), text.into(), &options).unwrap()
    };
    let known = read("#include \"by_macro.h\"", Some("\"switches.h\""));
    assert!(known.files[0].unread.is_empty(), "{:?}", known.files[0].unread);
    assert_eq!(assignments(&known, "s"), [at("main.F90", 5)]);
    for (line, header) in [
        ("#include \"by_macro.h\"", None),
        ("#include \"by_macro.h\"", Some("\"no.h\"")),
        ("#include \"by_macro.h\"", Some("NAME(2)")),
        ("#include \"lost.h\"", None),
        ("#include HEADER", None),
    ] {
        let unknown = read(line, header);
        assert_eq!(unknown.files[0].unread.len(), 1, "{line} {header:?}");
    }
}
