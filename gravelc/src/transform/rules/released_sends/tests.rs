//! Which sends count as released while they may be under way.

use std::path::Path;

use crate::analysis::facts::Facts;
use crate::frontend::{FrontendOptions, parse_text};

use super::told_by_received;

/// Whether that is found for two persistent sends which are begun together, with these statements behind that.
fn is_released_early(statements: &str) -> bool {
    let text = format!(
        "program main\nuse mpi\nimplicit none\ninteger :: step, code, requests(3)\ndouble precision :: a(100), b(100)\n\
         call mpi_init(code)\n\
         call mpi_send_init(a, 100, mpi_double_precision, 0, 1, mpi_comm_world, requests(1), code)\n\
         call mpi_send_init(b, 100, mpi_double_precision, 0, 2, mpi_comm_world, requests(2), code)\n\
         do step = 1, 3\ncall mpi_startall(2, requests, code)\n{statements}end do\n\
         call mpi_request_free(requests(1), code)\ncall mpi_request_free(requests(2), code)\n\
         call mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let facts = Facts::new(&program);
    told_by_received(&facts).is_some()
}

fn wait(element: usize) -> String {
    format!("call mpi_wait(requests({element}), mpi_status_ignore, code)\n")
}

#[test]
fn sends_that_are_waited_for_one_by_one_are_over() {
    assert!(!is_released_early("call mpi_waitall(2, requests, mpi_statuses_ignore, code)\n"));
    assert!(!is_released_early(&format!("{}a = b\n{}", wait(2), wait(1))));
}

#[test]
fn sends_of_which_some_are_waited_for_may_be_under_way() {
    assert!(is_released_early(&wait(1)));
    assert!(is_released_early(&format!("{}{}", wait(1), wait(1))));
    assert!(is_released_early(&format!("{}{}", wait(1), wait(3))));
    // One of them only now and then.
    assert!(is_released_early(&format!("{}if (a(1) > 0) then\n{}end if\n", wait(1), wait(2))));
    // An element that is not known.
    assert!(is_released_early(&format!("{}call mpi_wait(requests(step), mpi_status_ignore, code)\n", wait(1))));
}
