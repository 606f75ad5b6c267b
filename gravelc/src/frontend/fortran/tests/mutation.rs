//! Broken programs: whatever bytes come, lowering ends with a program whose parts lie inside one another.

use std::path::Path;

use proptest::prelude::*;

use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Block, Program, StatementId};

const SAMPLE: &str = "module m\n  implicit none\n  integer, parameter :: n = 4\n  real :: field(n, 0:n)\n  type t\n    real, pointer :: p(:)\n  end type t\n\
contains\n  subroutine exchange(a, next)\n    use mpi\n    real, intent(inout) :: a(:)\n    integer, intent(in) :: next\n    integer :: i, request, ierr\n\
    call mpi_irecv(a, n, mpi_real, next, 7, mpi_comm_world, request, ierr)\n    do 10 i = 1, n\n      if (a(i) > 0.5) then\n        a(i) = field(i, 0) * &\n          2.0 ! twice\n\
      else if (i == 3) then\n        goto 10\n      end if\n10  continue\n    call mpi_wait(request, mpi_status_ignore, ierr)\n    where (a > 0) a = 1\n  end subroutine exchange\n\
end module m\n#ifdef USE_IT\n! region\n#endif\nprogram main\n  use m, only: exchange, k => n\n  character(len=8) :: c = 'it''s'\n  real :: b(k), class\n  equivalence (b(1), class)\n\
  common /blk/ x, y\n  b = [(real(j), j = 1, k)]; class = 2\n  select case (k)\n  case (1:3)\n    write (c, '(i3)', iostat=j) k\n  case default\n    call exchange(b(:), next=1)\n\
  end select\n  outer: do while (x < y)\n    if (x == 1) exit outer\n    !$omp parallel\n    x = f(y)\n    !$omp end parallel\n  end do outer\ncontains\n  real function f(z)\n    f = z + x\n\
  end function f\nend program main\n";

/// A change of some bytes.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Cut(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let position = || 0..SAMPLE.len();
    let byte = || prop_oneof![any::<u8>(), proptest::sample::select(b"()&;'\"!%=,:\n*#/ 1ae_".to_vec())];
    prop_oneof![
        (position(), byte()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (position(), byte()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        (position(), 1..60_usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (position(), 1..60_usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        position().prop_map(Mutation::Cut),
    ]
}

fn apply(text: &mut Vec<u8>, mutation: &Mutation) {
    let length = text.len();
    if length == 0 {
        return;
    }
    match *mutation {
        Mutation::Replace(at, byte) => text[at % length] = byte,
        Mutation::Insert(at, byte) => text.insert(at % length, byte),
        Mutation::Remove(at, count) => drop(text.drain(at % length..(at % length + count).min(length))),
        Mutation::Repeat(at, count) => {
            let piece = text[at % length..(at % length + count).min(length)].to_vec();
            text.splice(at % length..at % length, piece);
        }
        Mutation::Cut(at) => text.truncate(at % length),
    }
}

/// Every position is inside the file, every statement inside what holds it and listed there.
fn check(program: &Program) {
    for procedure in &program.procedures {
        let length = program.files[procedure.span.file.0].text.len();
        assert!(procedure.span.start <= procedure.span.end && procedure.span.end <= length);
        for anchor in [procedure.anchors.imports, procedure.anchors.declarations] {
            let at_line_start = anchor == 0 || program.files[0].text[anchor - 1] == b'\n';
            assert!(anchor <= length && at_line_start, "anchor at {anchor}");
        }
        for (index, statement) in procedure.statements.iter().enumerate() {
            let outer = statement.parent.map_or(procedure.span, |parent| procedure.statement(parent).span);
            assert!(
                outer.start <= statement.span.start
                    && statement.span.start <= statement.span.end
                    && statement.span.end <= outer.end,
                "{statement:?} outside {outer:?}"
            );
            let listed = match statement.parent {
                Some(parent) => procedure.statement(parent).kind.blocks().into_iter().any(|block| has(block, index)),
                None => has(&procedure.body, index),
            };
            // What was given up with a construct stays in the arena and is no part of the procedure.
            assert!(listed || is_given_up(procedure, statement.parent), "{statement:?}");
        }
    }
}

fn has(block: &Block, index: usize) -> bool {
    block.contains(&StatementId(index))
}

fn is_given_up(procedure: &crate::ir::Procedure, parent: Option<StatementId>) -> bool {
    parent.is_some_and(|parent| matches!(procedure.statement(parent).kind, crate::ir::StatementKind::Opaque(_)))
}

proptest! {
    #[test]
    fn broken_programs_are_read_all_the_same(mutations in proptest::collection::vec(mutation(), 1..6)) {
        let mut text = SAMPLE.as_bytes().to_vec();
        for mutation in &mutations {
            apply(&mut text, mutation);
        }
        if let Ok(program) = parse_text(Path::new("a.f90"), text, &FrontendOptions::default()) {
            check(&program);
        }
    }
}

#[test]
fn the_sample_is_read_completely() {
    let program = parse_text(Path::new("a.f90"), SAMPLE.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    check(&program);
    assert_eq!(program.procedures.len(), 3);
    assert!(
        program.files[0].unread.iter().all(|(_, why)| why.contains("conditional")),
        "{:?}",
        program.files[0].unread
    );
}
