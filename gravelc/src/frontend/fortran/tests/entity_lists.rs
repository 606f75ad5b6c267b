//! Where the text of a procedure names what it declares.

use super::program;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::Program;
use std::path::Path;

/// The lines (from 1) that mention `name`, of the first procedure, or else module, that declares it.
fn lines(program: &Program, name: &str) -> Option<Vec<usize>> {
    let of_modules = program.modules.iter().flat_map(|module| &module.declarations);
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.declarations).chain(of_modules);
    let entity = statements.flat_map(|statement| &statement.entities).find(|entity| entity.name == name)?;
    let file = &program.files[0];
    Some(entity.mentions.iter().map(|mention| file.line_of(mention.start)).collect())
}

#[test]
fn every_word_of_a_procedure_counts_but_comments_and_the_declaration_do_not() {
    let text = "subroutine s(unused, handed)\n\
                use mpi\n\
                integer :: unused, handed, request ! the request\n\
                character(9) :: text = 'status'\n\
                integer status, ierr\n\
                !$omp parallel private(none)\n\
                call mpi_wait(Request, status, ierr)\n\
                contains\n\
                subroutine inner\n\
                print *, status\n\
                end subroutine\n\
                end subroutine\n";
    // The directive keeps the procedure as it is: nothing is asked about its names.
    assert_eq!(lines(&program(text), "request"), None);
    let program = program(&text.replace("!$omp", "! omp"));
    assert_eq!(lines(&program, "request"), Some(vec![7]));
    assert_eq!(lines(&program, "status"), Some(vec![4, 7, 10]));
    assert_eq!(lines(&program, "handed"), Some(vec![]));
}

#[test]
fn what_gives_dimensions_declares_too() {
    let text = "subroutine s(list)\nuse mpi\ninteger request, list\ndimension request(2), list(3)\nsave other\n\
                call mpi_wait(request(1), list, ierr)\nend subroutine\n";
    let program = program(text);
    let [types, dimensions, saved] = program.procedures[0].declarations.as_slice() else { panic!("three statements") };
    assert_eq!(saved.entities.iter().map(|entity| entity.name.as_str()).collect::<Vec<_>>(), ["other"]);
    let mentions = |statement: &crate::ir::DeclarationStatement| {
        let lines = |mention: &crate::ir::Span| program.files[0].line_of(mention.start);
        statement.entities.iter().map(|entity| entity.mentions.iter().map(lines).collect()).collect::<Vec<Vec<usize>>>()
    };
    assert_eq!(mentions(types), [vec![6], vec![6]]);
    // The argument is kept in use once.
    assert_eq!(mentions(dimensions), [vec![6], vec![]]);
}

#[test]
fn procedures_without_messages_are_not_looked_at() {
    assert_eq!(lines(&program("subroutine s\ninteger i\ni = 1\nend\n"), "i"), None);
}

#[test]
fn in_fixed_form_words_may_be_glued() {
    let text = "      subroutine s\n      include 'mpif.h'\n      integer req, other, q\n      do10req=1,5\n   10 continue\n\
                \x20     call mpi_barrier(mpi_comm_world, ierr)\n      end\n";
    let program = parse_text(Path::new("test.f"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert_eq!(lines(&program, "req"), Some(vec![4]));
    assert_eq!(lines(&program, "other"), Some(vec![]));
    // The end of a word is a name only behind what can be keywords and numbers.
    assert_eq!(lines(&program, "q"), Some(vec![]));
}

#[test]
fn of_modules_only_what_is_private_is_known() {
    let text = "module m\nprivate\ninteger hidden, shown\npublic shown, s\ncontains\nsubroutine s\nhidden = 1\n\
                shown = 2\nend subroutine\nend module\n";
    assert_eq!(lines(&program(text), "hidden"), Some(vec![7]));
    assert_eq!(lines(&program(text), "shown"), Some(vec![]));
    let extended = format!("{text}submodule (m) n\nend submodule\n");
    assert_eq!(lines(&program(&extended), "hidden"), None);
}

#[test]
fn what_is_imported_by_name_is_declared_where_it_is_a_variable() {
    let text = "module m\nreal :: field(9), other(9)\ninteger, parameter :: n = 9\ncontains\nsubroutine s\nend subroutine\n\
                end module\n\
                subroutine t\nuse mpi\nuse m, only: here => field, other, n, s, operator(+)\n\
                call mpi_bcast(here, n, mpi_real, 0, mpi_comm_world, ierr)\ncall s\nend subroutine\n";
    let program = program(text);
    assert_eq!(lines(&program, "here"), Some(vec![11]));
    // Nobody warns of others.
    assert_eq!(["other", "n", "s", "operator(+)"].map(|name| lines(&program, name)), [(); 4].map(|()| Some(vec![])));
}
