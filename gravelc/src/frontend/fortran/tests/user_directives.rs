//! Which statement a directive is about.

use super::*;
use crate::ir::DirectivePlace;

/// For each directive: its text, and the line of the statement that it stands before.
fn directives(text: &str) -> Vec<String> {
    let program = program(text);
    let show = |place| match place {
        DirectivePlace::Before { procedure, statement } => {
            let procedure = program.procedure(procedure);
            format!("{} {}", procedure.name, program.line(procedure.statement(statement).span))
        }
        DirectivePlace::Beside => "beside".to_owned(),
        DirectivePlace::BeforeNothing => "nothing".to_owned(),
    };
    program.directives.iter().map(|found| format!("{}: {}", found.text, show(found.place))).collect()
}

#[test]
fn a_directive_is_about_the_next_statement() {
    let text = "program p\n  integer :: i, a(9)\n  !$gravel one\n  ! a comment\n\n  !$gravel two (3) \n10 do i = 1, 9\n\
        !$GRAVEL three\n    if (i > 3) a(i) = 1\n  end do\n  call q\ncontains\n  subroutine q\n    !$gravel four\n    a(2) = 3\n\
        end subroutine\nend program\n";
    assert_eq!(directives(text), ["one: p 7", "two (3): p 7", "three: p 9", "four: q 15"]);
}

#[test]
fn what_is_no_executable_statement_has_no_directive() {
    let text = "!$gravel a\nprogram p\n  !$gravel b\n  integer :: i\n  i = 1 !$gravel c\n  i = 2 + &\n  !$gravel d\n    3\n\
        do i = 1, 2\n    !$gravel e\n  end do\n  print *, '!$gravel f'\n  !$gravel g\nend program\n!$gravel\n";
    assert_eq!(
        directives(text),
        ["a: nothing", "b: nothing", "c: beside", "d: beside", "e: nothing", "g: nothing", ": nothing"]
    );
}
