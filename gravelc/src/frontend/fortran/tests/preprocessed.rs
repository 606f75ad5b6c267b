//! Files that a preprocessor reads: which lines are statements, and where text may be inserted.

use std::path::Path;

use super::dump;
use crate::frontend::{FrontendOptions, Macro, file_reading, parse_text};
use crate::ir::{MessagingNames, Program, SymbolClass};

fn read(name: &str, text: &str) -> Program {
    parse_text(Path::new(name), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap()
}

fn statements(program: &Program) -> String {
    dump::statements(program, &program.procedures[0])
}

#[test]
fn only_preprocessed_files_have_joined_lines() {
    let text = "subroutine s\nx = 1 ! a \\\ny = 2\nz = 3\nend subroutine\n";
    assert_eq!(statements(&read("a.F90", text)), "x = 1\nz = 3\n");
    assert_eq!(statements(&read("a.f90", text)), "x = 1\ny = 2\nz = 3\n");
    let fixed = "      subroutine s\n      x = 1\nC a \\\n      y = 2\n      z = 3\n      end\n";
    assert_eq!(statements(&read("a.F", fixed)), "x = 1\nz = 3\n");
    assert_eq!(statements(&read("a.f", fixed)), "x = 1\ny = 2\nz = 3\n");
    let preprocessed = FrontendOptions { preprocesses: Some(true), ..FrontendOptions::default() };
    let program = parse_text(Path::new("a.f90"), text.as_bytes().to_vec(), &preprocessed).unwrap();
    assert_eq!(statements(&program), "x = 1\nz = 3\n");
}

#[test]
fn statements_in_which_something_is_missing_are_opaque() {
    let text = "subroutine s\ninteger w, x, y, z, a, ac\nw = 0\nx = 1 + \\\n 2\ny = a/* b */c\nz = 3 /* d\n */\nw = 4\nend subroutine\n";
    let found = statements(&read("a.F90", text));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 5, "{found}");
    assert!(lines[1].starts_with("opaque") && lines[2].starts_with("opaque"), "{found}");
    assert_eq!([lines[0], lines[3], lines[4]], ["w = 0", "z = 3", "w = 4"]);
}

#[test]
fn text_is_inserted_between_lines_of_the_preprocessor() {
    let text = "subroutine s\nuse m ! \\\n\ninteger x ! \\\n  y\nx = 1 /* a\n b */\nend subroutine\n";
    let program = read("a.F90", text);
    let procedure = &program.procedures[0];
    assert!(text[..procedure.anchors.imports].ends_with("\\\n\n"), "{:?}", procedure.anchors);
    assert!(text[procedure.anchors.declarations..].starts_with("x = 1"), "{:?}", procedure.anchors);
    let file = &program.files[0];
    let comment = text.find("/* a").unwrap();
    assert!(text[file.whole_line_end(comment)..].starts_with("end subroutine"));
    assert!(text[file.whole_line_start(text.find("b */").unwrap())..].starts_with("x = 1"));
}

#[test]
fn macros_in_quotes_that_only_one_of_the_two_sees_are_not_understood() {
    let text = "#define N 3\nsubroutine s\nprint *, 'a\\', N\nprint *, 'b &\n  & N', 1\ni = N\nend subroutine\n";
    let found = statements(&read("a.F90", text));
    assert_eq!(found.matches("opaque a macro that is in quotes here").count(), 2, "{found}");
}

#[test]
fn a_reading_knows_what_it_rests_on() {
    let text = "#ifdef A\n#define B 1\n#endif\n#if B > 0 || defined(C)\nx = N\n#endif\n!$ y = 1\n";
    let of = |names: &[(&str, &str)]| {
        let mut options = FrontendOptions::default();
        options.macros.complete = true;
        let defined = |(name, value): &(&str, &str)| (name.to_string(), Macro::Defined(value.to_string()));
        options.macros.known = names.iter().map(defined).collect();
        file_reading(Path::new("a.F90"), text.as_bytes(), &options).unwrap()
    };
    let reading = of(&[]);
    let looked_at: Vec<&str> = reading.looked_at.keys().map(String::as_str).collect();
    assert_eq!(looked_at, ["A", "B", "C"]);
    assert_eq!(reading.sentinels.len(), 1);
    assert!(reading.is_same_program(&of(&[("D", "1")])));
    assert!(!reading.is_same_program(&of(&[("A", "1")])) && !reading.is_same_program(&of(&[("C", "")])));
    assert!(of(&[("C", "")]).names("N") && !of(&[("C", "1")]).is_same_program(&of(&[("C", "1"), ("N", "3")])));
    assert!(of(&[("C", "1")]).is_same_program(&of(&[("C", "2")])));
}

#[test]
fn declarations_stand_in_front_of_conditions_whatever_these_decide() {
    let place = |conditions: &str| {
        let free = format!("#undef A\n#define B 1\nsubroutine s\nreal x\n! c\n{conditions}end subroutine\n");
        // Where the lines of fixed form are read as free form, their conditions are no longer seen.
        let fixed: String = free
            .lines()
            .map(|line| if line.starts_with(['#', '!']) { format!("{line}\n") } else { format!("      {line}\n") })
            .collect();
        let [free, fixed] = [("a.F90", free), ("a.F", fixed)].map(|(name, text)| {
            let anchor = read(name, &text).procedures[0].anchors.declarations;
            text[anchor..].lines().next().unwrap().trim().to_string()
        });
        assert_eq!(free, fixed, "{conditions}");
        free
    };
    assert_eq!(place("#ifdef A\nx = 1\n#endif\nx = 2\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\nx = 1\n#else\nx = 2\n#endif\nx = 3\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\n#ifdef B\nx = 1\n#endif\n#endif\n! d\nx = 2\n"), "#ifdef A");
    // A condition around declarations is over first.
    assert_eq!(place("#ifdef B\nreal y\n#endif\n! d\nx = 2\n"), "x = 2");
    assert_eq!(place("#ifdef B\nreal y\n#else\nreal z\n#endif\n#ifdef A\nx = 1\n#endif\nx = 2\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\nx = 1\n#endif\n#ifdef B\nreal y\n#endif\nx = 2\n"), "x = 2");
    assert_eq!(place("#ifdef A\ncall f('a', x)\n#endif\n! d\nx = 2\n"), "#ifdef A");
}

#[test]
fn what_stands_for_places_is_a_value() {
    let text = "subroutine s\ncall give_up(__FILE__, __LINE__, __DATE__)\nend subroutine\n";
    let found = statements(&read("a.F90", text));
    assert!(!found.contains("OPAQUE") && !found.contains("opaque"), "{found}");
    // Which number comes next depends on all that was replaced before.
    let found = statements(&read("a.F90", &text.replace("__LINE__", "__COUNTER__")));
    assert!(found.contains("OPAQUE"), "{found}");
}

/// The declarations of a header, as a preprocessor of the build has put them into the text, with a few more names.
const PASTED_HEADER: &str = "\
integer mpi_success, mpi_any_source, mpi_any_tag, mpi_proc_null, mpi_status_size
parameter (mpi_success=0, mpi_any_source=-2, mpi_any_tag=-1, mpi_proc_null=-1)
parameter (mpi_status_size=5)
integer mpi_comm_world, mpi_comm_self, mpi_request_null, mpi_integer, mpi_double_precision
parameter (mpi_comm_world=1140850688, mpi_comm_self=1140850689)
parameter (mpi_request_null=738197504)
parameter (mpi_integer=1275069467)
parameter (mpi_double_precision=1275070495)
integer mpi_bottom, mpi_in_place, mpi_status_ignore(mpi_status_size)
common /mpifcmb5/ mpi_bottom
common /mpipriv1/ mpi_in_place, mpi_status_ignore
double precision mpi_wtime
external mpi_wtime
";

fn with_header(header: &str, more: &str) -> Program {
    let call = "call mpi_recv(a, 3, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, mpi_status_ignore, ierr)";
    let text = format!("subroutine s(a)\n{header}{more}double precision a(3)\ninteger ierr\n{call}\nend subroutine\n");
    read("a.f90", &text)
}

#[test]
fn the_text_of_the_header_of_mpi_is_the_header() {
    let program = with_header(PASTED_HEADER, "integer own\ncommon /mine/ own\n");
    let procedure = &program.procedures[0];
    assert_eq!(procedure.messaging_names, MessagingNames::All("mpi"));
    for name in ["mpi_double_precision", "mpi_any_source", "mpi_comm_world", "mpi_status_ignore"] {
        let class = &procedure.symbol(procedure.find_symbol(name).unwrap()).class;
        assert_eq!(class, &SymbolClass::MessagingConstant, "{name}");
    }
    let datatype = procedure.symbol(procedure.find_symbol("mpi_double_precision").unwrap());
    assert_eq!(datatype.element.bytes, Some(8));
    // Neither is more declared here than elsewhere, nor does anything come into variables by it.
    assert!(procedure.find_symbol("mpi_bottom").is_none() && procedure.find_symbol("own").is_some());
    assert_eq!(program.messaging_names["mpi_any_source"].len(), 1);
    assert!(!program.messaging_names.contains_key("mpi_bottom"));
}

#[test]
fn some_names_of_mpi_are_no_header() {
    let few = "integer mpi_comm_world, mpi_double_precision\nparameter (mpi_comm_world=0, mpi_double_precision=8)\n";
    let program = with_header(few, "");
    let procedure = &program.procedures[0];
    assert_eq!(procedure.messaging_names, MessagingNames::Unseen);
    let datatype = procedure.symbol(procedure.find_symbol("mpi_double_precision").unwrap());
    assert!(matches!(datatype.class, SymbolClass::Constant(Some(8))), "{datatype:?}");
    assert_eq!(program.messaging_names["mpi_double_precision"].len(), 2, "its value may mean anything");
}

#[test]
fn names_of_the_header_that_are_declared_otherwise_mean_anything() {
    for more in
        ["integer own\ncommon /mpipriv1/ own\n", "integer mpi_argv_null, own\nequivalence (own, mpi_argv_null)\n"]
    {
        assert!(with_header(PASTED_HEADER, more).procedures[0].untouchable.is_some(), "{more}");
    }
    assert!(with_header(PASTED_HEADER, "").procedures[0].untouchable.is_none());
}

#[test]
fn initial_values_are_no_declarations() {
    let any = |declaration: &str| {
        let program = read("a.f90", &format!("subroutine s\nuse mpi\n{declaration}\nend subroutine\n"));
        program.messaging_names.get("mpi_any_source").map_or(0, Vec::len)
    };
    for declaration in [
        "integer a(2) /0, mpi_any_source/",
        "integer*4 a /mpi_any_source/, b",
        "integer b /1/, a(2) /0, mpi_any_source/",
        "integer :: a(2) = [0, mpi_any_source]",
        "integer :: a(2) = (/0, mpi_any_source/)",
        "integer a\nparameter (a = mpi_any_source)",
        "integer a\ndata a /mpi_any_source/",
        "integer a(mpi_any_source)",
    ] {
        assert_eq!(any(declaration), 1, "{declaration}");
    }
    assert_eq!(any("integer a, mpi_any_source"), 0);
}

/// A macro whose name begins with `$`, by which OpenMP's directives become comments: no empty name is a macro, which would be in every
/// text in quotes.
#[test]
fn macros_with_dollars_are_in_no_quotes() {
    let text = "#define $OMP !$\nsubroutine s\nprint *, 'a (b)', \"\"\n!$OMP barrier\ni = 1\nend subroutine\n";
    let found = statements(&read("a.F90", text));
    assert!(!found.contains("in quotes here") && found.contains("i = 1"), "{found}");
}
