//! Files that a preprocessor reads: which lines are statements, and where text may be inserted.

use std::path::Path;

use super::dump;
use crate::frontend::{FrontendOptions, Macro, file_reading, parse_text};
use crate::ir::Program;

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
        let text = format!("#undef A\n#define B 1\nsubroutine s\nreal x\n! c\n{conditions}end subroutine\n");
        let anchor = read("a.F90", &text).procedures[0].anchors.declarations;
        text[anchor..].lines().next().unwrap().to_string()
    };
    assert_eq!(place("#ifdef A\nx = 1\n#endif\nx = 2\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\nx = 1\n#else\nx = 2\n#endif\nx = 3\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\n#ifdef B\nx = 1\n#endif\n#endif\n! d\nx = 2\n"), "#ifdef A");
    // A condition around declarations is over first.
    assert_eq!(place("#ifdef B\nreal y\n#endif\n! d\nx = 2\n"), "x = 2");
    assert_eq!(place("#ifdef B\nreal y\n#else\nreal z\n#endif\n#ifdef A\nx = 1\n#endif\nx = 2\n"), "#ifdef A");
    assert_eq!(place("#ifdef A\nx = 1\n#endif\n#ifdef B\nreal y\n#endif\nx = 2\n"), "x = 2");
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
