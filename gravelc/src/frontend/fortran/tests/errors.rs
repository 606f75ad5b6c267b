//! What can't be read stays where it is and is reported.

use std::path::Path;

use super::{dump, obstacle, procedure, program};
use crate::frontend::{FrontendOptions, Macro, parse_text, read_program, syntax_errors};
use crate::ir::SourceFile;
use crate::source_layout::SourceLayout;

#[test]
fn a_bad_statement_becomes_opaque() {
    let text = "subroutine s\ninteger i\ni = 1\ncall t(i,, )\nif (i == 1) then\ni = = 2\nend if\ni = 3\nend subroutine\nsubroutine t(i)\ni = 1\nend subroutine\n";
    let program = program(text);
    let out = dump::statements(&program, procedure(&program, "s"));
    assert_eq!(out, "i = 1\nopaque syntax error\nif\n ? (i==1)\n  opaque syntax error\ni = 3\n");
    assert_eq!(program.files[0].unread.len(), 2);
    assert_eq!(program.line(program.files[0].unread[1].0), 6);
    // Neither procedure is lost, and simple statements do not cost more than themselves.
    assert_eq!(obstacle(text, "s"), None);
    assert_eq!(dump::statements(&program, procedure(&program, "t")), "i = 1\n");
}

#[test]
fn a_bad_declaration_leaves_names_open() {
    let text = "subroutine s\ninteger :: i, (3)\ni = 1\nend subroutine\n";
    assert_eq!(obstacle(text, "s").as_deref(), Some("syntax error"));
    let program = program(text);
    let out = dump::statements(&program, &program.procedures[0]);
    assert!(out.contains("opaque syntax error\nopaque an assignment to something"), "{out}");
}

#[test]
fn constructs_without_an_end_cost_their_procedure() {
    let text = "subroutine s\nx = 1\nif (x > 1) then\ny = 1\nend subroutine\nsubroutine t\nx = 1\nend subroutine\n";
    let program = program(text);
    assert!(obstacle(text, "s").is_some());
    assert!(
        dump::statements(&program, procedure(&program, "s")).starts_with("opaque the statements of this procedure")
    );
    assert_eq!(obstacle(text, "t"), None);
    assert!(!program.files[0].unread.is_empty());
}

#[test]
fn a_procedure_that_can_not_be_read_is_not_lost_silently() {
    let text = "subroutine s(\nx = 1\nend subroutine\nsubroutine t\ncall s\nend subroutine\n";
    let program = program(text);
    assert_eq!(dump::statements(&program, procedure(&program, "t")), "call ?s()\n");
    assert!(program.files[0].unread.iter().any(|(span, _)| span.start == 0));
}

#[test]
fn an_inner_procedure_that_can_not_be_read_may_use_all_it_mentions() {
    let text = "program p\nreal x, y\ncall inner\ncontains\nsubroutine inner(\nx = 1\nend subroutine\nend program\n";
    let program = program(text);
    let main = procedure(&program, "p");
    assert_eq!(dump::statements(&program, main), "call ?inner()\n");
    let x = main.symbol(main.find_symbol("x").unwrap());
    assert!(x.is_reachable_from_calls());
}

#[test]
fn conditional_compilation_is_opaque_or_an_obstacle() {
    // Whole statements are a choice (`tests::constructs`); a label that may be there or not is more than that.
    let text = "subroutine s\nx = 1\n#ifdef A\n10 y = 2\n#else\ny = 3\n#endif\nz = 4\nend subroutine\n";
    let program_of = program(text);
    let out = dump::statements(&program_of, &program_of.procedures[0]);
    assert_eq!(out, "x = 1\nopaque conditional compilation is not evaluated: #ifdef A\nz = 4\n");
    assert_eq!(obstacle(text, "s"), None);
    let text = "subroutine s\n#ifdef A\nreal y\n#endif\ny = 3\nend subroutine\n";
    assert!(obstacle(text, "s").unwrap().starts_with("conditional compilation"));
    let text = "#ifdef A\nsubroutine s\ny = 3\nend subroutine\n#endif\nsubroutine t\nend subroutine\n";
    assert!(obstacle(text, "s").unwrap().starts_with("conditional compilation"));
    assert_eq!(obstacle(text, "t"), None);
    let text = "subroutine s\ncall f(a, &\n#ifdef A\nb, &\n#endif\nc)\nend subroutine\n";
    let program_of = program(text);
    assert!(dump::statements(&program_of, &program_of.procedures[0]).starts_with("opaque "));
}

#[test]
fn macros_change_what_names_mean() {
    let text = "#define N 3\nsubroutine s\nx = N\nend subroutine\nsubroutine t\nx = n\nend subroutine\n";
    for procedure in ["s", "t"] {
        assert_eq!(obstacle(text, procedure), None);
    }
    let parsed = program(text);
    assert_eq!(dump::statements(&parsed, &parsed.procedures[0]), "x = 3\n");
    assert_eq!(dump::statements(&parsed, &parsed.procedures[1]), "x = n\n");
    const REPLACED: &str = "the macro mpi_comm_world would replace that word in what gravelc writes";
    // What stands for something is read as that; the name alone may still be a macro's.
    for (define, expected) in [
        ("#define M 3+4", None),
        ("#define M other", None),
        ("#define M 3\n#define M 4", None),
        ("#define M(x) 3", Some("the macro M")),
        // It would replace what gravelc writes.
        ("#define mpi_comm_world other\n#define M 3", Some(REPLACED)),
        // And here it replaces something that is read: that counts more.
        ("#define mpi_comm_world other\n#define M mpi_comm_world", Some("the macro mpi_comm_world")),
        ("#define M 3\n#undef M", Some("the macro M")),
        ("#ifdef OPEN\n#define M 3\n#endif", Some("the macro M")),
    ] {
        let text = format!("{define}\nsubroutine s\nx = M\nend subroutine\n");
        assert_eq!(obstacle(&text, "s").as_deref(), expected, "{define}");
    }
    let text = "#include \"m.h\"\nsubroutine s\nend subroutine\n";
    assert!(obstacle(text, "s").unwrap().starts_with("the included file is not read"));
}

#[test]
fn macros_for_numbers_are_numbers() {
    let text = "#define LENGTH 300\n#define DOWN (-1)\n#define STEP 0.5\n#define LONG 8\nsubroutine s\n\
                integer, parameter :: k = LENGTH + 1\nreal(LONG) :: a(LENGTH, k)\na(LENGTH, 1) = STEP + DOWN\nend subroutine\n";
    let program_of = program(text);
    assert_eq!(obstacle(text, "s"), None);
    assert_eq!(dump::statements(&program_of, &program_of.procedures[0]), "a[300,1] = (lit+-1)\n");
    let array = program_of.procedures[0].find_symbol("a").unwrap();
    let array = program_of.procedures[0].symbol(array);
    assert_eq!(array.element.bytes, Some(8));
    let crate::ir::Shape::Array(dimensions) = &array.shape else { panic!("it has a shape") };
    let upper = |dimension: usize| dimensions[dimension].upper.as_ref().map(|upper| upper.kind.clone());
    assert_eq!(upper(0), Some(crate::ir::ExpressionKind::Integer(300)));
    // Of the command line: where the preprocessor certainly sees the file.
    let mut options = FrontendOptions::default();
    options.macros.known.insert("M".to_string(), Macro::Defined("3".to_string()));
    for (text, expected) in
        [("#define OTHER\n", None), ("", Some("the macro M")), ("# 1 \"a.F90\"\n", Some("the macro M"))]
    {
        let text = format!("{text}subroutine s\nx = M\nend subroutine\n");
        let program = parse_text(Path::new("a.F90"), text.into_bytes(), &options).unwrap();
        let why = program.procedures[0].untouchable.as_ref().map(|found| found.text.as_str());
        assert_eq!(why, expected);
    }
    // Used above its definition; a label that jumps could mean is written out.
    let text = "subroutine s\nx = M\n#define M 3\ny = M\nend subroutine\n";
    assert_eq!(obstacle(text, "s").as_deref(), Some("the macro M"));
    let text = "#define M 100\nsubroutine s\nread (*, *, err=M) x\ny = M\n100 continue\nend subroutine\n";
    let program = program(text);
    assert!(program.files[0].text.windows(8).any(|text| text == b"err=100)"), "{:?}", program.files[0].expansions());
}

#[test]
fn macros_for_constants_are_constants() {
    let text = "#define ZERO ( 0.D0, 0.D0 )\nsubroutine s\ncomplex(8) :: z(3)\nz(1) = ZERO\nend subroutine\n";
    assert_eq!(obstacle(text, "s"), None);
    let parsed = program(text);
    assert_eq!(dump::statements(&parsed, &parsed.procedures[0]), "z[1] = lit\n");
    // What is no constant of numbers stands there as it is.
    let text_with = |replacement: &str| text.replace("( 0.D0, 0.D0 )", replacement);
    for (replacement, expected) in [("(x, 0.)", "z[1] = computed(x,lit)\n"), ("(0.)+(0.)", "z[1] = ((lit)+(lit))\n")] {
        let parsed = program(&text_with(replacement));
        assert_eq!(dump::statements(&parsed, &parsed.procedures[0]), expected, "{replacement}");
    }
    // It is used above its definition.
    let text = format!("subroutine t\nreal :: zero\nZERO = 1\nend subroutine\n{text}");
    assert_eq!(obstacle(&text, "t").as_deref(), Some("the macro ZERO"));
    assert_eq!(obstacle(&text, "s"), None);
}

#[test]
fn macros_of_other_files_are_names_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (
            "a.F90",
            "#define ZERO (0.0, 1.0)\n#define OTHER y\nsubroutine s(x)\ncomplex :: x\nx = ZERO\nend subroutine\n",
        ),
        (
            "b.F90",
            "subroutine t(x)\nreal, parameter :: ZERO = 0\nreal :: x, OTHER\nOTHER = x\nx = ZERO\nend subroutine\n",
        ),
    ];
    let paths = files.map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let program = read_program(&paths, &FrontendOptions::default()).unwrap();
    assert_eq!(dump::statements(&program, procedure(&program, "s")), "x = lit\n");
    assert_eq!(dump::statements(&program, procedure(&program, "t")), "other = x\nx = zero\n");
    for name in ["s", "t"] {
        assert!(procedure(&program, name).untouchable.is_none(), "{name}");
    }
}

#[test]
fn a_first_statement_that_can_not_be_read_belongs_to_the_main_program() {
    let program = program("subroutine s\nend subroutine\nx = = 1\ny = 2\nend\n");
    let out = dump::statements(&program, procedure(&program, "main program"));
    assert!(out.starts_with("opaque syntax error"), "{out}");
}

#[test]
fn names_that_are_split_over_lines_are_read() {
    let of = |statement: &str| {
        let text = format!("subroutine s\ny = 2\n{statement}\nx = 1\nend subroutine\n");
        let program = program(&text);
        let found = dump::statements(&program, &program.procedures[0]);
        found.strip_prefix("y = 2\n").and_then(|it| it.strip_suffix("\nx = 1\n")).unwrap_or(&found).to_owned()
    };
    assert_eq!(of("b = gi&\n  &ven + 1&\n&0"), of("b = given + 10"));
    assert_eq!(of("ca&\n&ll ot&\n&her(a)"), of("call other(a)"));
    // Not what it seems, with a directive that some compilers see.
    assert_eq!(of("b = gi&\n!$ &x + &\n&ven"), "opaque a name or number is split over two lines");
}

#[test]
fn of_split_names_the_file_has_the_place() {
    let text = "subroutine s\ncall ot&\n&her(a, &\nb)\nx = = 1\nend subroutine\n";
    let program = program(text);
    let span = program.procedures[0].statements[0].span;
    assert_eq!(&text[span.start..span.end], "call ot&\n&her(a, &\nb)");
    assert_eq!(program.line(program.procedures[0].statements[1].span), 5);
}

#[test]
fn errors_have_lines() {
    let file = SourceFile::new("a.f90", Vec::new(), SourceLayout::Free);
    assert_eq!(syntax_errors(b"program p\nx = 1\nend program\n", &file), []);
    let errors = syntax_errors(b"program p\nx = (\ny = 1\nz = )\nend program\n", &file);
    assert_eq!(errors.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
}
