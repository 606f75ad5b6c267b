//! The graphs of one small program, and that Graphviz can read them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::frontend::{FrontendOptions, parse_text};
use crate::transform::{Selection, as_planned, plan_program};

const KINDS: [(GraphKind, &str); 3] = [
    (GraphKind::Match, include_str!("../testdata/match.dot")),
    (GraphKind::Call, include_str!("../testdata/call.dot")),
    (GraphKind::Dependence, include_str!("../testdata/dependence.dot")),
];

/// A program with calls, quotes in its text, a wait, and a byte that is not UTF-8.
fn program() -> Program {
    let text = b"program ring\n  use mpi\n  real, save :: s(100), r(100)\n\
        integer :: i, request, ierr, status(mpi_status_size)\n  call mpi_init(ierr)\n\
        call mpi_irecv(r, 100, mpi_real, 0, 7, mpi_comm_world, request, ierr)\n\
        do i = 1, 100\n    s(i) = real(i)\n  end do\n\
        call mpi_send(s, 100, mpi_real, 0, 7, mpi_comm_world, ierr)\n\
        call mpi_wait(request, status, ierr)\n  print *, \"a \\ \xe4 'b'\", r(1)\n\
        call show(r)\n  call elsewhere()\n  call mpi_finalize(ierr)\n\
        contains\n  subroutine show(x)\n    real :: x(100)\n    print *, x(2)\n  end subroutine show\nend program\n";
    parse_text(Path::new("src/ring.f90"), text.to_vec(), &FrontendOptions::default()).expect("it is text")
}

fn graph(program: &Program, kind: GraphKind) -> String {
    render_graph(program, &as_planned(program, false), &plan_program(program, &Selection::default()), kind)
}

/// `GRAVEL_BLESS=1` writes the expected files anew.
#[test]
fn is_as_it_was_read_and_approved() {
    let program = program();
    for (kind, expected) in KINDS {
        let found = graph(&program, kind);
        if std::env::var_os("GRAVEL_BLESS").is_some() {
            let name = format!("{kind:?}").to_ascii_lowercase();
            let path = format!("{}/src/report/testdata/{name}.dot", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &found).expect("the file can be written");
        } else {
            assert_eq!(found, expected, "{kind:?}");
        }
    }
}

#[test]
fn graphviz_accepts_it() {
    let program = program();
    for (kind, _) in KINDS {
        for text in
            [graph(&program, kind), render_graph(&Program::default(), &Program::default(), &Plan::default(), kind)]
        {
            let dot = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            let mut dot = match dot {
                Ok(dot) => dot,
                Err(error) => {
                    eprintln!("skipped: `dot` can't be run ({error}); install graphviz");
                    return;
                }
            };
            dot.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("dot reads it");
            let output = dot.wait_with_output().expect("dot ends");
            assert!(output.status.success(), "{kind:?}: {text}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("</svg>"), "{kind:?}");
        }
    }
}

/// Two names that a call makes one place order the statements of the procedure, although the language says that they are apart.
#[test]
fn shows_the_dependences_that_the_planner_believes() {
    let drawn = |second: &str| {
        let text = format!(
            "program p\n  use mpi\n  real :: a(100), b(100)\n  integer :: ierr\n  call mpi_init(ierr)\n  a = 1\n  b = 2\n\
             call pass({second}, a)\n  print *, a(1), b(1)\n  call mpi_finalize(ierr)\ncontains\n\
             subroutine pass(x, y)\n  real :: x(100), y(100), first\n  integer :: code\n\
             call mpi_recv(x, 100, mpi_real, 0, 7, mpi_comm_world, mpi_status_ignore, code)\n  first = y(1)\n\
             if (first > 0) print *, 'more'\n  end subroutine pass\nend program\n"
        );
        let read = parse_text(Path::new("p.f90"), text.into_bytes(), &FrontendOptions::default());
        graph(&read.expect("it is text"), GraphKind::Dependence)
    };
    // What comes into `x`, and the statement that reads `y`.
    let is_ordered = |drawn: &str| drawn.contains("\"p1s0\" -> \"p1s1\" [label=\"flow x");
    assert!(is_ordered(&drawn("a")) && !is_ordered(&drawn("b")), "{}{}", drawn("a"), drawn("b"));
}
