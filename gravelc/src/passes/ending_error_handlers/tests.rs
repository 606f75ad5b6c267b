//! Which handlers of small programs end them.

use std::path::Path;

use super::*;
use crate::analysis::messages::error_handling::Errors;
use crate::frontend::{FrontendOptions, parse_text};

/// What a program whose files are all of it makes of errors: nothing where each of them ends the program, or else why not.
fn told(name: &str, text: String) -> Option<String> {
    let program = parse_text(Path::new(name), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let changed = with_ending_error_handlers(Outside { program: &program, is_closed: true });
    let known = changed.as_ref().unwrap_or(&program);
    match Facts::with_outside(Outside { program: known, is_closed: true }).errors() {
        Errors::EndTheProgram => None,
        Errors::MayBeReturned(_) => Some("returned".to_owned()),
        Errors::AreHandled { why, .. } => {
            assert!(changed.is_none());
            Some(why.clone())
        }
    }
}

/// Of a program in C with this handler, behind these declarations.
fn of_c(declared: &str, handling: &str) -> Option<String> {
    let text = format!(
        "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
         static int rank; static double field[100]; static double *grid; static char name[80]; static FILE *log_file;\n\
         {declared}\nstatic void handle(MPI_Comm *comm, int *code, ...) {{\n{handling}\n}}\n\
         int main(int argc, char **argv) {{\nMPI_Errhandler handler;\nMPI_Init(&argc, &argv);\n\
         grid = malloc(100 * sizeof *grid);\nlog_file = fopen(\"log\", \"w\");\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
         MPI_Errhandler_create(handle, &handler);\nMPI_Errhandler_set(MPI_COMM_WORLD, handler);\n\
         MPI_Errhandler_free(&handler);\nMPI_Finalize();\nreturn 0;\n}}\n"
    );
    told("test.c", text)
}

/// Of one in Fortran, with these procedures besides.
fn of_fortran(handling: &str, more: &str) -> Option<String> {
    let text = format!(
        "module parts\nuse mpi\nimplicit none\ninteger :: rank\nreal :: field(100)\ncontains\n{more}\nend module\n\
         program main\nuse parts\nimplicit none\ninteger :: handler, ierr\nexternal :: handle\ncall mpi_init(ierr)\n\
         call mpi_comm_create_errhandler(handle, handler, ierr)\n\
         call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)\ncall mpi_finalize(ierr)\nend program\n\
         subroutine handle(comm, code)\nuse parts\nimplicit none\ninteger :: comm, code, length, ierr\n\
         character(len=mpi_max_error_string) :: text\n{handling}\nend subroutine\n"
    );
    told("test.f90", text)
}

fn assert_why(found: Option<String>, why: &str) {
    let found = found.unwrap_or_default();
    assert!(found.ends_with(why), "{found}");
}

#[test]
fn handlers_that_print_and_end_are_like_those_of_mpi() {
    let prints = "int length, own; char text[MPI_MAX_ERROR_STRING];\nMPI_Error_string(*code, text, &length);\n\
                  MPI_Comm_rank(*comm, &own);\nfprintf(stderr, \"%s %s %d of %d\\n\", name, text, own, rank);";
    assert_eq!(of_c("", &format!("{prints}\nMPI_Abort(*comm, 1);")), None);
    let end = "static void end(int status, const char *why) {\ntime_t now; time(&now);\n\
               printf(\"%s: %d %s\", ctime(&now), status, why);\nfflush(stdout);\n\
               MPI_Barrier(MPI_COMM_WORLD);\nMPI_Finalize();\nexit(status);\n}";
    assert_eq!(of_c(end, &format!("{prints}\nend(*code, text);")), None);
    let either = "if (*code == MPI_ERR_TRUNCATE) { end(1, \"long\"); } else { for (int i = 0; i < 3; i++) puts(\"!\"); abort(); }";
    assert_eq!(of_c(end, either), None);

    let prints = "call mpi_error_string(code, text, length, ierr)\nprint *, rank, text(1:length)";
    assert_eq!(of_fortran(&format!("{prints}\nstop 1"), ""), None);
    assert_eq!(of_fortran(&format!("{prints}\ncall mpi_abort(comm, code, ierr)"), ""), None);
    let end = "subroutine end_all(status)\ninteger :: status\nprint *, status\nerror stop\nend subroutine";
    assert_eq!(of_fortran(&format!("{prints}\ncall end_all(code)"), end), None);
}

#[test]
fn handlers_that_may_return_are_any_handlers() {
    assert_why(of_c("", "if (*code > 3) MPI_Abort(*comm, 1);"), "may return");
    assert_why(of_c("", "if (*code == 3) return;\nexit(1);"), "may return");
    assert_why(of_c("", "while (rank-- > 0) exit(1);"), "may return");
    assert_why(of_c("", "for (;;) { if (rank) break; exit(1); }"), "may return");
    assert_why(of_c("", "switch (*code) { case 1: exit(1); case 2: break; default: exit(2); }"), "jumps");
    assert_why(of_c("static void end(int it) { if (it) exit(it); }", "end(*code);"), "may return");
    assert_why(of_c("static void end(int it) { if (it) end(it - 1); else end(it); }", "end(*code);"), "may return");
    assert_why(of_c("", "goto past;\nexit(1);\npast: ;"), "jumps");
    assert_why(of_fortran("if (code > 3) stop", ""), "may return");
    assert_why(of_fortran("if (code == 3) return\nstop", ""), "may return");
    assert_why(of_fortran("outer: block\nif (code == 3) exit outer\nstop\nend block outer", ""), "may return");
    assert_why(of_fortran("call elsewhere(code)", ""), "may return");
}

#[test]
fn handlers_that_meet_others_are_any_handlers() {
    let sends = "MPI_Send(field, 100, MPI_DOUBLE, 0, 1, *comm);\nexit(1);";
    assert_why(of_c("", sends), "calls mpi_send");
    assert_why(
        of_c("", "int all; MPI_Allreduce(code, &all, 1, MPI_INT, MPI_MAX, *comm);\nexit(1);"),
        "calls mpi_allreduce",
    );
    assert_why(
        of_c("", "MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);\nexit(1);"),
        "calls mpi_comm_set_errhandler",
    );
    assert_why(of_c("#include <setjmp.h>\nstatic jmp_buf back;", "longjmp(back, 1);"), "was not given, `longjmp`");
    let tell = "subroutine tell(code)\ninteger :: code, ierr\n\
                call mpi_send(code, 1, mpi_integer, 0, 1, mpi_comm_world, ierr)\nend subroutine";
    assert_why(of_fortran("call tell(code)\nstop", tell), "calls mpi_send");
}

/// At an error a message may have come already that would not have yet.
#[test]
fn handlers_that_use_data_are_any_handlers() {
    let strange = "may hold something else at an error";
    assert_why(of_c("", "printf(\"%g\\n\", field[3]);\nexit(1);"), strange);
    assert_why(of_c("", "fwrite(field, 8, 100, log_file);\nexit(1);"), strange);
    assert_why(of_c("", "fwrite(&field[0], 8, 100, log_file);\nexit(1);"), strange);
    assert_why(of_c("", "fwrite(grid, 8, 100, log_file);\nexit(1);"), strange);
    assert_why(of_c("", "printf(\"%g\\n\", grid[3]);\nexit(1);"), strange);
    let save = "static void save(const void *it) { fwrite(it, 1, 800, log_file); }";
    assert_why(of_c(save, "save(field);\nexit(1);"), strange);
    assert_why(of_c(save, "save(&grid[0]);\nexit(1);"), strange);
    let sum =
        "static double sum(const double *it) { double s = 0; for (int i = 0; i < 100; i++) s += it[i]; return s; }";
    assert_why(of_c(sum, "printf(\"%g\\n\", sum(grid));\nexit(1);"), strange);
    assert_why(of_fortran("write (9) field\nstop", ""), strange);
    let save = "subroutine save_it(values)\nreal :: values(100)\nwrite (9) values\nend subroutine";
    assert_why(of_fortran("call save_it(field)\nstop", save), strange);
}
