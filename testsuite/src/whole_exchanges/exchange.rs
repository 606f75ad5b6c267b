//! The procedure that exchanges the edges of a grid.

use std::fmt::Write as _;

use fastrand::Rng;

use super::generator::{Extents, Grid, happens, one_of};

/// Posts, packs, sends, waits and unpacks; with a second stage or without, and with something of its own around it.
pub fn exchange(random: &mut Rng, grid: &Grid) -> String {
    let (rows, _) = grid.names();
    let mut declared = if grid.local_buffers { grid.buffers() } else { String::new() };
    let mut before = match grid.local_buffers {
        true => "    from_west = 1d0\n    from_east = 2d0\n".to_owned(),
        false => String::new(),
    };
    let mut behind = String::new();
    if happens(random, 30) {
        before.push_str("    runs = runs + 1\n");
    }
    if happens(random, 30) {
        declared.push_str("    double precision :: kept\n");
        before.push_str("    kept = a(1, 1)\n");
        behind.push_str("    a(0, 0) = kept\n");
    }
    if happens(random, 25) {
        behind.push_str("    tally = tally + a(1, 1)\n");
    }
    if happens(random, 20) {
        behind.push_str("    runs = runs + 2\n");
    }
    let too_few = format!("    if ({rows} < 1) return\n");
    let guard = one_of(random, &["", "", "", "    if (ranks == 1) return\n", &too_few]).to_owned();
    let mut body = messages(random, grid);
    if happens(random, 25) {
        body = format!("    if (ranks > 0) then\n{body}    end if\n");
    }
    let intent = one_of(random, &[", intent(inout)", ""]);
    format!(
        "{}    double precision{intent} :: a{}\n{declared}    integer :: requests(8), j\n{guard}{before}{body}{behind}  end subroutine exchange\n\n",
        grid.head("exchange", "a"),
        grid.shape(),
    )
}

/// What is done by procedures that the exchange calls.
#[derive(Debug, Clone, Copy)]
struct Called {
    /// The columns are sent and received there.
    columns: bool,
    /// So are the rows, and those of the second stage.
    rows: bool,
    /// What has come is copied there.
    copies: bool,
}

/// The procedures that the exchange may call: one sends and receives, and hands the requests back; one copies what has come.
pub fn called(random: &mut Rng, grid: &Grid) -> String {
    let (_, columns) = grid.names();
    let shape = one_of(random, &["(*)", "(length)"]);
    let counted = if happens(random, 30) { "    runs = runs + 1\n" } else { "" };
    let (first, last) = if happens(random, 50) { ("from", "to") } else { ("to", "from") };
    let post = |side: &str| match side {
        "to" => "    call mpi_isend(out, length, mpi_double_precision, to, tag, mpi_comm_world, request_out, ierr)\n",
        _ => "    call mpi_irecv(in, length, mpi_double_precision, from, tag, mpi_comm_world, request_in, ierr)\n",
    };
    format!(
        "  subroutine talk(out, in, length, to, from, tag, request_out, request_in)\n    integer :: length, to, from, tag, request_out, request_in\n\
        \x20   double precision :: out{shape}, in{shape}\n{counted}{}{}  end subroutine talk\n\n\
        {}    double precision, intent(inout) :: a{}\n    integer, intent(in) :: i\n    double precision, intent(in) :: from(*)\n\
        \x20   integer :: j\n    do j = 1, {columns}\n      a(i, j) = from(j)\n    end do\n  end subroutine place\n\n",
        post(first),
        post(last),
        grid.head("place", "a, i, from"),
        grid.shape(),
    )
}

/// A procedure around the exchange, which sets what lies beyond the grid.
pub fn update(random: &mut Rng, grid: &Grid) -> String {
    let (rows, columns) = grid.names();
    let mut before = "    edge = 0.25d0\n".to_owned();
    if happens(random, 40) {
        before.push_str("    edge = edge * a(1, 1)\n");
    }
    if happens(random, 20) {
        before.push_str("    if (ranks == 5) return\n");
    }
    let mut behind = String::new();
    if happens(random, 60) {
        behind.push_str("    do j = 1, ");
        let _ = write!(
            behind,
            "{columns}\n      if (west == mpi_proc_null) a(0, j) = edge\n      if (east == mpi_proc_null) a({rows} + 1, j) = a({rows}, j)\n    end do\n"
        );
    }
    if happens(random, 30) {
        behind.push_str("    tally = tally + a(0, 1) * edge\n");
    }
    if happens(random, 30) {
        behind.push_str("    runs = runs + 1\n");
    }
    let mut call = grid.call_inside("exchange", "a");
    if happens(random, 20) {
        call = format!("    if (ranks > 0) then\n{call}    end if\n");
    }
    format!(
        "{}    double precision, intent(inout) :: a{}\n    double precision :: edge\n    integer :: j\n{before}{call}{behind}  end subroutine update\n\n",
        grid.head("update", "a"),
        grid.shape(),
    )
}

fn messages(random: &mut Rng, grid: &Grid) -> String {
    let (rows, columns) = grid.names();
    let calls = happens(random, 50);
    let called = Called {
        columns: calls,
        rows: calls && grid.extents != Extents::Assumed && happens(random, 60),
        copies: happens(random, 40),
    };
    let has_rows = happens(random, 60);
    let mut text = String::new();
    let mut requests = 0;
    let mut next = || {
        requests += 1;
        requests
    };
    let mut sends = String::new();
    let mut exchange = |text: &mut String,
                        sends: &mut String,
                        is_called: bool,
                        buffers: (&str, &str),
                        about: (&str, &str, &str, u32)| {
        let ((out, into), (length, to, from, tag)) = (buffers, about);
        let (request_in, request_out) = (next(), next());
        let _ = match is_called {
            true => writeln!(
                sends,
                "    call talk({out}, {into}, {length}, {to}, {from}, {tag}, requests({request_out}), requests({request_in}))"
            ),
            false => {
                let _ = writeln!(
                    text,
                    "    call mpi_irecv({into}, {length}, mpi_double_precision, {from}, {tag}, mpi_comm_world, requests({request_in}), ierr)"
                );
                writeln!(
                    sends,
                    "    call mpi_isend({out}, {length}, mpi_double_precision, {to}, {tag}, mpi_comm_world, requests({request_out}), ierr)"
                )
            }
        };
    };
    exchange(&mut text, &mut sends, called.columns, ("to_east", "from_west"), (columns, "east", "west", 1));
    exchange(&mut text, &mut sends, called.columns, ("to_west", "from_east"), (columns, "west", "east", 2));
    if has_rows {
        let (out, into) = (format!("a(1, {columns})"), "a(1, 0)");
        exchange(&mut text, &mut sends, called.rows, (&out, into), (rows, "east", "west", 3));
    }
    let _ = write!(
        text,
        "    do j = 1, {columns}\n      to_west(j) = a(1, j)\n      to_east(j) = a({rows}, j)\n    end do\n{sends}"
    );
    if happens(random, 70) {
        let _ = writeln!(text, "    call mpi_waitall({requests}, requests, mpi_statuses_ignore, ierr)");
    } else {
        let mut order: Vec<u32> = (1..=requests).collect();
        random.shuffle(&mut order);
        for number in order {
            let _ = writeln!(text, "    call mpi_wait(requests({number}), mpi_status_ignore, ierr)");
        }
    }
    let [west, east] = ["west", "east"].map(|side| {
        let asks = format!("if ({side} /= mpi_proc_null) ");
        one_of(random, &["", &asks]).to_owned()
    });
    let _ = match called.copies {
        true => {
            let first = grid.call_inside("place", "a, 0, from_west");
            let last = grid.call_inside("place", &format!("a, {rows} + 1, from_east"));
            write!(text, "    {west}{}    {east}{}", first.trim_start(), last.trim_start())
        }
        false => write!(
            text,
            "    do j = 1, {columns}\n      {west}a(0, j) = from_west(j)\n      {east}a({rows} + 1, j) = from_east(j)\n    end do\n"
        ),
    };
    if happens(random, 35) {
        // The corners go with the second direction.
        let _ = match called.rows {
            true => writeln!(
                text,
                "    call talk(a(0, 1), a(0, {columns} + 1), {rows} + 2, west, east, 4, requests(2), requests(1))"
            ),
            false => writeln!(
                text,
                "    call mpi_irecv(a(0, {columns} + 1), {rows} + 2, mpi_double_precision, east, 4, mpi_comm_world, requests(1), ierr)\n\
                \x20   call mpi_isend(a(0, 1), {rows} + 2, mpi_double_precision, west, 4, mpi_comm_world, requests(2), ierr)"
            ),
        };
        text.push_str("    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)\n");
    }
    text
}
