//! What programs do with a request between the call that makes it and the call that completes it.

/// One of them. In its texts `REQUEST` stands for the type of requests; `NULL` for the request that is none.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Its name.
    pub name: &'static str,
    /// Declarations of the procedure.
    pub declarations: &'static str,
    /// Statements in front of everything.
    pub before: &'static str,
    /// The request that the call makes.
    pub request: &'static str,
    /// Statements behind that call.
    pub behind: &'static str,
    /// The statements that complete it.
    pub completion: &'static str,
    /// Procedures inside the procedure.
    pub procedures: &'static str,
    /// Where it can be written.
    pub interface: Needs,
    /// gravelc leaves it to MPI, and with it all requests that nobody follows: it stands beside ways whose requests are followed.
    pub keeps_others: bool,
    /// The call only prepares the operation, which is started behind it.
    pub is_prepared: bool,
}

/// Which interfaces of MPI the texts of a way fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// All of them.
    Nothing,
    /// Requests that are integers.
    Integers,
    /// An interface that compares no ranks: `mpif.h`.
    NoRanks,
}

const PLAIN: Way = Way {
    name: "plain",
    declarations: "REQUEST :: q",
    before: "",
    request: "q",
    behind: "",
    completion: "call mpi_wait(q, mpi_status_ignore, code)",
    procedures: "",
    interface: Needs::Nothing,
    keeps_others: false,
    is_prepared: false,
};

/// Completes the copy `c`.
const COPY: Way =
    Way { declarations: "REQUEST :: q, c", completion: "call mpi_wait(c, mpi_status_ignore, code)", ..PLAIN };

/// An element of an array with four, the others of which are none.
const ONE_OF_FOUR: Way = Way {
    declarations: "REQUEST :: q(4)",
    before: "q = NULL",
    request: "q(2)",
    completion: "call mpi_waitall(4, q, mpi_statuses_ignore, code)",
    ..PLAIN
};

/// All of them. Nine at a time are handled in one program.
pub const WAYS: &[Way] = &[
    Way { name: "copied", behind: "c = q", ..COPY },
    Way {
        name: "copied-back",
        behind: "c = q\nq = NULL\nq = c",
        completion: "if (q /= NULL) call mpi_wait(q, mpi_status_ignore, code)",
        ..COPY
    },
    Way {
        name: "moved-in-array",
        behind: "q(4) = q(2)\nq(2) = NULL",
        completion: "call mpi_wait(q(4), mpi_status_ignore, code)",
        ..ONE_OF_FOUR
    },
    Way {
        name: "section-of-copy",
        declarations: "REQUEST :: q(4), c(4)",
        behind: "c = q",
        completion: "call mpi_waitall(1, c(2:2), mpi_statuses_ignore, code)",
        ..ONE_OF_FOUR
    },
    Way {
        name: "module-variable",
        behind: "kept_request = q",
        completion: "call mpi_wait(kept_request, mpi_status_ignore, code)",
        ..PLAIN
    },
    Way {
        name: "object",
        declarations: "REQUEST :: q\ntype(holder) :: h, g",
        behind: "h%r = q\ng = h",
        completion: "call mpi_wait(g%r, mpi_status_ignore, code)",
        ..PLAIN
    },
    Way {
        name: "array-of-objects",
        declarations: "type(holder) :: h(3), g(3)\ninteger :: k",
        request: "h(2)%r",
        behind: "k = 2\ng(3) = h(k)",
        completion: "call finish(g(3)%r)",
        ..PLAIN
    },
    Way {
        name: "pointer",
        declarations: "REQUEST, pointer :: p",
        request: "reached(2)",
        behind: "p => reached(2)",
        completion: "call mpi_wait(p, mpi_status_ignore, code)",
        ..PLAIN
    },
    Way { name: "function", behind: "c = same(q)", ..COPY },
    Way {
        name: "tested",
        declarations: "REQUEST :: q, c\nlogical :: done",
        behind: "c = q\ndone = .false.",
        completion: "do while (.not. done)\ncall mpi_test(c, done, mpi_status_ignore, code)\nend do",
        ..PLAIN
    },
    Way {
        name: "some-of-copy",
        declarations: "REQUEST :: q(4), c(4)\ninteger :: ended, places(4)",
        behind: "c = q",
        completion: "call mpi_waitsome(4, c, ended, places, mpi_statuses_ignore, code)\ntotal = total + 10*ended + places(1)",
        // Places that MPICH 4.0 tells of are counted from 0 in mpi_f08, against the standard.
        interface: Needs::Integers,
        ..ONE_OF_FOUR
    },
    Way {
        name: "beside-a-broadcast",
        declarations: "REQUEST :: q(4)\ninteger :: news",
        behind: "news = 5\ncall mpi_ibcast(news, 1, mpi_integer, 0, mpi_comm_world, q(3), code)",
        completion: "call mpi_waitall(4, q, mpi_statuses_ignore, code)\ntotal = total + news",
        ..ONE_OF_FOUR
    },
    Way {
        name: "allocated-copy",
        declarations: "REQUEST, allocatable :: q(:), c(:)",
        before: "allocate(q(4))\nq = NULL",
        behind: "allocate(c(4), source = q)",
        completion: "call mpi_wait(c(2), mpi_status_ignore, code)",
        ..ONE_OF_FOUR
    },
    Way {
        name: "moved-allocation",
        declarations: "REQUEST, allocatable :: q(:), c(:)",
        before: "allocate(q(4))\nq = NULL",
        behind: "call move_alloc(q, c)",
        completion: "call mpi_wait(c(2), mpi_status_ignore, code)",
        ..ONE_OF_FOUR
    },
    Way { name: "merged", behind: "c = merge(q, NULL, size > 0)", ..COPY },
    Way {
        name: "transferred",
        declarations: "REQUEST :: q, c(1)",
        behind: "c = transfer(q, c)",
        completion: "call finish_all(1, c)",
        ..PLAIN
    },
    Way {
        name: "prepared",
        behind: "c = q\ncall mpi_start(c, code)",
        completion: "call mpi_wait(c, mpi_status_ignore, code)\ncall mpi_request_free(c, code)",
        is_prepared: true,
        ..COPY
    },
    Way {
        name: "prepared-in-array",
        behind: "call mpi_startall(1, q(2:2), code)",
        completion: "call mpi_waitall(4, q, mpi_statuses_ignore, code)\ncall mpi_request_free(q(2), code)",
        is_prepared: true,
        ..ONE_OF_FOUR
    },
    PLAIN,
    Way { name: "handed-over", completion: "call finish(q)", ..PLAIN },
    Way { name: "array-handed-over", completion: "call finish_all(4, q)", ..ONE_OF_FOUR },
    Way {
        name: "inside-the-procedure",
        completion: "call inside()",
        procedures: "subroutine inside()\ncall mpi_wait(q, mpi_status_ignore, code)\nend subroutine inside",
        ..PLAIN
    },
    Way {
        name: "under-a-condition",
        completion: "if (size > 0) then\ncall mpi_wait(q, mpi_status_ignore, code)\nend if",
        ..PLAIN
    },
    Way {
        name: "on-a-shared-line",
        declarations: "REQUEST :: q, c\ninteger :: k",
        behind: "c = q",
        completion: "call mpi_wait(c, mpi_status_ignore, code); k = 1",
        keeps_others: true,
        ..PLAIN
    },
    Way {
        name: "associated-name",
        completion: "associate (named => q(2))\ncall mpi_wait(named, mpi_status_ignore, code)\nend associate",
        keeps_others: true,
        ..ONE_OF_FOUR
    },
    Way {
        name: "any",
        declarations: "REQUEST :: q(4)\ninteger :: k",
        completion: "call mpi_waitany(4, q, k, mpi_status_ignore, code)\ntotal = total + k",
        ..ONE_OF_FOUR
    },
    Way {
        name: "tested-in-array",
        declarations: "REQUEST :: q(4)\nlogical :: done",
        behind: "done = .false.",
        completion: "do while (.not. done)\ncall mpi_testall(4, q, done, mpi_statuses_ignore, code)\nend do",
        ..ONE_OF_FOUR
    },
    Way {
        name: "two-dimensions-by-column",
        declarations: "REQUEST :: q(2, 2)",
        before: "q = NULL",
        request: "q(1, 2)",
        completion: "call mpi_waitall(2, q(:, 2), mpi_statuses_ignore, code)",
        ..PLAIN
    },
    Way {
        name: "common-block",
        declarations: "REQUEST :: q, c\ncommon /requests/ q, c",
        behind: "c = q",
        interface: Needs::Integers,
        ..COPY
    },
    Way {
        name: "equivalent-name",
        declarations: "REQUEST :: q",
        request: "one_view(2)",
        behind: "q = 0",
        completion: "call mpi_wait(other_view(2), mpi_status_ignore, code)",
        interface: Needs::Integers,
        ..PLAIN
    },
    Way {
        name: "through-text",
        declarations: "REQUEST :: q, c\ncharacter(20) :: text",
        behind: "write (text, *) q\nread (text, *) c",
        interface: Needs::Integers,
        ..COPY
    },
    Way { name: "bit-by-bit", behind: "c = ieor(ieor(q, 77), 77)", interface: Needs::Integers, ..COPY },
    Way {
        name: "in-a-namelist",
        declarations: "REQUEST :: q, c\nnamelist /group/ q",
        behind: "c = q",
        interface: Needs::Integers,
        ..COPY
    },
    Way {
        name: "saved-from-zero",
        declarations: "REQUEST, save :: q = 0, c",
        behind: "c = q",
        completion: "call finish(c)",
        interface: Needs::Integers,
        ..PLAIN
    },
    Way {
        name: "two-dimensions",
        declarations: "REQUEST :: q(2, 2)",
        before: "q = NULL",
        request: "q(1, 2)",
        completion: "call mpi_waitall(4, q, mpi_statuses_ignore, code)",
        interface: Needs::NoRanks,
        ..PLAIN
    },
    Way {
        name: "scalar-as-array",
        completion: "call mpi_waitall(1, q, mpi_statuses_ignore, code)",
        interface: Needs::NoRanks,
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_way_has_a_name_of_its_own() {
        assert_eq!(WAYS.iter().map(|way| way.name).collect::<HashSet<_>>().len(), WAYS.len());
    }
}
