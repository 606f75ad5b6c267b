//! Spans, anchors, lines.

use super::{procedure, program};
use crate::ir::{Language, Program, Room, StatementId, StatementKind};

fn line_behind(program: &Program, offset: usize) -> String {
    let file = &program.files[0];
    let text = &file.text[offset..];
    String::from_utf8_lossy(text.split(|&byte| byte == b'\n').next().unwrap()).trim_end().to_string()
}

fn anchors(text: &str) -> (String, String) {
    let program = program(text);
    let anchors = program.procedures[0].anchors;
    (line_behind(&program, anchors.imports), line_behind(&program, anchors.declarations))
}

#[test]
fn imports_and_declarations_have_their_places() {
    for (text, imports, declarations) in [
        ("program p\nimplicit none\ninteger i\n\n! comment\ni = 1\nend\n", "implicit none", "i = 1"),
        (
            "subroutine s(a, &\n   b)\n! comment\nuse mpi ! why\nuse m, only: &\n   x\nreal a\na = 1\nend\n",
            "real a",
            "a = 1",
        ),
        ("function f(x)\nend function\n", "end function", "end function"),
        ("subroutine s\ncontains\nsubroutine t\nend subroutine\nend subroutine\n", "contains", "contains"),
        ("! comment\n\ni = 1\nend\n", "i = 1", "i = 1"),
        ("use mpi\ni = 1\nend\n", "i = 1", "i = 1"),
        ("subroutine s\r\ninteger i\r\n10 format (i3)\r\n20 i = 1\r\nend\r\n", "integer i", "20 i = 1"),
        ("subroutine s\nuse m; implicit none\ni = 1\nend\n", "use m; implicit none", "i = 1"),
        ("subroutine s\nreal x\ndata x /1.0/\nif (x > 1) then\nx = 2\nend if\nend\n", "real x", "if (x > 1) then"),
    ] {
        assert_eq!(anchors(text), (imports.to_string(), declarations.to_string()), "{text}");
    }
}

#[test]
fn spans_hold_the_statement_and_nothing_else() {
    let text = "subroutine s\r\n10 call f(a, & ! one\r\n   b) ! two\r\n  x = 1 ; y = 2 ! three\r\n\tdo i = 1, 2 ! four\r\n    z = i\r\n  end do ! five\r\nend subroutine s\r\n";
    let program = program(text);
    let procedure = &program.procedures[0];
    let texts: Vec<String> = procedure.statements.iter().map(|statement| program.text(statement.span)).collect();
    assert_eq!(
        texts,
        ["call f(a, & ! one\r\n   b)", "x = 1", "y = 2", "do i = 1, 2 ! four\r\n    z = i\r\n  end do", "z = i"]
    );
    let shared: Vec<bool> = procedure.statements.iter().map(|statement| statement.room == Room::SharedLine).collect();
    assert_eq!(shared, [false, true, true, false, false]);
    let has_room = |procedure: &crate::ir::Procedure| {
        (0..procedure.statements.len()).map(|index| procedure.has_room_around(StatementId(index))).collect::<Vec<_>>()
    };
    assert_eq!(has_room(procedure), [true, false, false, true, true]);
    let other = crate::ir::Procedure { language: Language::Opposite, ..crate::ir::Procedure::clone(procedure) };
    assert_eq!(has_room(&other), [true; 5]);
    assert!(procedure.statements[0].labelled);
    assert!(program.text(procedure.span).ends_with("end subroutine s"));
}

#[test]
fn spans_of_shared_loop_ends_reach_over_the_statement() {
    let text = "subroutine s\ndo 10 i = 1, 2\ndo 10 j = 1, 2\nx = 1\n10 continue\ny = 1\nend subroutine\n";
    let program = program(text);
    for statement in &program.procedures[0].statements {
        if matches!(statement.kind, StatementKind::Loop(_)) {
            assert!(program.text(statement.span).ends_with("10 continue"), "{}", program.text(statement.span));
        }
    }
}

#[test]
fn bytes_beyond_ascii_do_not_matter() {
    let text = b"! Gr\xf6\xdfe \xff\nprogram p\n  character(9) c ! \xe4\n  c = 'gr\xfcn' // \"\xf6\" ! \xc3\xa4\n  call mpi_barrier(1, i)\nend program p\n";
    let program =
        crate::frontend::parse_text(std::path::Path::new("a.f90"), text.to_vec(), &Default::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    assert_eq!(program.files[0].text, text);
    assert_eq!(program.procedures[0].body.len(), 2);
}

#[test]
fn a_main_program_needs_no_statement_of_its_own() {
    let program = program("call s\nend\nsubroutine s\nend subroutine\n");
    assert_eq!(procedure(&program, "main program").kind, crate::ir::ProcedureKind::Main);
    assert_eq!(program.procedures.len(), 2);
}

#[test]
fn names_that_are_keywords_are_names() {
    let text = "subroutine s\ncharacter class\nreal common, write(3), call(2)\ninteger type\nclass = 'U'\ncommon = write(type) + call(1)\nwrite(1) = common\ncall t(class, write)\nif (common > 1) call(2) = 3\nend subroutine\n";
    let program = program(text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let out = super::dump::statements(&program, &program.procedures[0]);
    assert_eq!(
        out,
        "class = lit\ncommon = (write[type]+call[1])\nwrite[1] = common\ncall ?t(class, write)\nif1\n ? (common>1)\n  call[2] = 3\n"
    );
}
