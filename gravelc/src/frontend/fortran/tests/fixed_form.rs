//! Programs in fixed form from the file to the program, and what included files and macros do.

use std::fs;
use std::path::Path;

use super::{dump, procedure};
use crate::frontend::{FrontendOptions, Macro, Macros, parse_text, read_program};
use crate::ir::{Program, StatementKind};

fn fixed(text: &str) -> Program {
    parse_text(Path::new("test.f"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap()
}

fn first_statements(text: &str) -> String {
    let program = fixed(text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    dump::statements(&program, &program.procedures[0])
}

#[test]
fn spans_are_those_of_the_file() {
    let text = "      subroutine s(a, n)\n      real a(n)\n      do10i=1,n\nC     note\n\
                10    a(i) = b l a n k +\n     &   1.0\n      call mpi_bar\n     &rier(i)\n      end\n";
    let program = fixed(text);
    let s = procedure(&program, "s");
    let texts: Vec<&str> = s
        .statements_in_order()
        .into_iter()
        .map(|id| &text[s.statement(id).span.start..s.statement(id).span.end])
        .collect();
    assert_eq!(texts[0], "do10i=1,n\nC     note\n10    a(i) = b l a n k +\n     &   1.0");
    assert_eq!(texts[1], "a(i) = b l a n k +\n     &   1.0");
    assert_eq!(texts[2], "call mpi_bar\n     &rier(i)");
    assert!(matches!(s.statement(s.body[1]).kind, StatementKind::Communication(_)));
    assert!(s.find_symbol("blank").is_some());
    assert!(s.find_symbol("i").is_some());
}

#[test]
fn blanks_in_numbers_mean_nothing() {
    for (written, number) in [
        ("1.D+ 0", "1.D+0"),
        ("3.14159 26535 D 0", "3.1415926535D0"),
        ("2.E - 3", "2.E-3"),
        ("1 .5", "1.5"),
        ("1. 5 d0", "1.5d0"),
        ("2\n     &5 6", "256"),
        ("1E + 3 * n", "1E+3*n"),
    ] {
        let of = |number: &str| {
            let text = format!("      subroutine s(x, n)\n      x = {number}\n      x = x + n\n      end\n");
            let program = fixed(&text);
            assert!(program.files[0].unread.is_empty(), "{number}: {:?}", program.files[0].unread);
            dump::statements(&program, &program.procedures[0])
        };
        assert_eq!(of(written), of(number), "{written}");
    }
    // Behind an integer a letter begins a name, and two points an operator.
    let lengths = first_statements(
        "      subroutine s(n)\n      real*8 d1, e2\n      do 10 e1 = 1, 2\n10    d1 = e2\n      l = n .eq. 1 . and. n .lt. 2\n      end\n",
    );
    assert!(lengths.contains("d1 = e2"), "{lengths}");
}

#[test]
fn old_statements_are_understood_or_opaque() {
    let text = "      subroutine s(n)\n      common /c/ x(10)\n      f(y) = y + 1\n      do 20 i = 1, n\n      do 20 j = 1, n\n\
                20    x(i) = x(j)\n      if (x(1)) 30, 40, 50\n30    goto (40, 50), n\n40    assign 50 to k\n      goto k\n\
                50    entry t(n)\n      end\n";
    let program = fixed(text);
    let s = procedure(&program, "s");
    assert!(s.untouchable.is_some());
    let shown = dump::statements(&program, s);
    assert!(shown.contains("opaque"), "{shown}");
}

#[test]
fn free_form_in_a_file_of_fixed_form_costs_itself() {
    let program = fixed("subroutine s\n  call f(a, &\n    b)\nend subroutine\n");
    assert!(!program.files[0].unread.is_empty());
    assert!(program.procedures.is_empty());
}

#[test]
fn included_declarations_count() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("inc")).unwrap();
    write("inc/Size.h", "      integer n\n      parameter (n = 20)\n");
    write("fields.h", "      include 'inc/Size.h'\nc     all fields\n      real u(n, 0:n)\n      common /fields/ u\n");
    write("broken.h", "      integer\n     & i\n      real (\n");
    write("work.h", "c     a comment\n      integer i,\n     & j\n      u(1, 1) = 2\n");
    write("outer.h", "      integer k\n      include 'missing.h'\n");
    write(
        "a.f",
        "      subroutine a\n      include 'fields.h'\n      u(1, n) = 1\n      end\n\
         \x20     subroutine b\n      include 'missing.h'\n      x = 1\n      end\n\
         \x20     subroutine c\n      include 'broken.h'\n      x = 1\n      end\n\
         \x20     subroutine d\n#include <work.h>\n      end\n\
         \x20     subroutine e\n      include 'outer.h'\n      x = 1\n      end\n\
         #include \"fields.h\"\n",
    );
    let program = read_program(&[folder.path().join("a.f")], &FrontendOptions::default()).unwrap();
    let a = procedure(&program, "a");
    assert_eq!(a.untouchable, None);
    let shown = dump::symbol(a, a.symbol(a.find_symbol("u").unwrap()));
    assert!(shown.contains("Member { block: \"/fields/\", position: 0 }"), "{shown}");
    assert!(shown.contains("0:20"), "{shown}");
    // What the included file declares is declared at the line that includes it.
    let declaration = a.symbol(a.find_symbol("u").unwrap()).declaration.unwrap();
    assert_eq!(program.text(declaration), "include 'fields.h'");
    for (name, why) in [
        ("b", "not found beside the source or in a folder of -I: missing.h"),
        ("c", "can't be read completely: broken.h, line 3: "),
        ("d", "holds more than declarations: work.h, line 4"),
        ("e", "not found beside the source or in a folder of -I: missing.h, which outer.h includes"),
    ] {
        let untouchable = procedure(&program, name).untouchable.clone().unwrap().text;
        assert!(untouchable.contains(why), "{untouchable}");
    }
}

#[test]
fn included_definitions_decide() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("config.h", "/* found */\n#define WITH_A 1\n#undef WITH_B\n");
    write(
        "a.F90",
        "#include \"config.h\"\nsubroutine a\n#if WITH_A\n  i = 1\n#else\n  i = = 1\n#endif\n#ifdef WITH_B\n  j = 1\n#endif\n\
         #if C > 2\n  k = 1\n#endif\nend subroutine\n",
    );
    let mut options = FrontendOptions::default();
    let read = |options: &FrontendOptions| read_program(&[folder.path().join("a.F90")], options).unwrap();
    let open = read(&options);
    let last = |program: &Program| procedure(program, "a").statements_in_order()[1];
    assert!(matches!(procedure(&open, "a").statement(last(&open)).kind, StatementKind::Select { .. }));
    options.macros.known.extend(Macro::definition("C=3"));
    let program = read(&options);
    assert_eq!(program.files[0].unread, []);
    let a = procedure(&program, "a");
    assert_eq!(a.untouchable, None);
    assert_eq!(a.body.len(), 2);
    assert!(matches!(a.statement(last(&program)).kind, StatementKind::Assign { .. }));
}

#[test]
fn preprocessed_files_may_include_nothing_and_have_comments_of_c() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.h"), "").unwrap();
    let text = "#include \"config.h\"\nsubroutine a\n/* it's\n taken out */\n  i = 1\nend subroutine\n";
    fs::write(folder.path().join("a.F90"), text).unwrap();
    let program = read_program(&[folder.path().join("a.F90")], &FrontendOptions::default()).unwrap();
    assert_eq!(program.files[0].unread, []);
    assert_eq!(procedure(&program, "a").statements_in_order().len(), 1);
}

#[test]
fn formats_and_literals_do_no_harm() {
    let shown = first_statements(
        "      subroutine s\n      data x /4Habcd/\n      write (6, 10) 'a ! b\n     & c', x\n10    format (5h'(&! ,i5)\n      end\n",
    );
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn without_openmp_its_directives_are_comments() {
    let text = "      subroutine s(a, n)\n      real a(n)\nC$OMP PARALLEL DO\n      do 10 i = 1, n\n      call t(a(i))\n\
                10    continue\n!$    n = 2\n      end\n      subroutine t(x)\n      x = 1\n      end\n";
    let read = |without_openmp: bool, text: &str| {
        let mut options = FrontendOptions::default();
        options.macros.without_openmp = without_openmp;
        parse_text(Path::new("test.f"), text.as_bytes().to_vec(), &options).unwrap()
    };
    let with = read(false, text);
    assert!(with.procedures.iter().all(|procedure| procedure.untouchable.is_some()));
    let without = read(true, text);
    assert!(without.procedures.iter().all(|procedure| procedure.untouchable.is_none()));
    // Other directives stay what they are.
    let text = text.replace("$OMP PARALLEL", "$ACC KERNELS");
    let other = read(true, &text);
    assert!(other.procedures.iter().all(|procedure| procedure.untouchable.is_some()));
    let mut options = FrontendOptions::default();
    options.macros.without_openacc = true;
    let text = text.replace("!$    n = 2\n", "");
    let without = parse_text(Path::new("test.f"), text.into_bytes(), &options).unwrap();
    assert!(without.procedures.iter().all(|procedure| procedure.untouchable.is_none()));
    // A compiler without `_CUDA` does not know CUDA Fortran.
    let text = "      subroutine s(a, n)\n      real a(n)\n!$cuf kernel do(1)\n      a = 1\n      end\n";
    let of_compiler = |lists_those_of_compiler| Macros { complete: true, lists_those_of_compiler, ..Macros::default() };
    for (macros, is_comment) in [(Macros::default(), false), (of_compiler(false), false), (of_compiler(true), true)] {
        let options = FrontendOptions { macros, ..FrontendOptions::default() };
        let read = parse_text(Path::new("test.f"), text.as_bytes().to_vec(), &options).unwrap();
        assert_eq!(read.procedures[0].untouchable.is_none(), is_comment);
    }
}
