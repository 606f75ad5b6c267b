//! The procedure that exchanges the edges of a grid.

use std::fmt::Write as _;

use fastrand::Rng;

use super::generator::{Grid, happens, one_of};

/// Posts, packs, sends, waits and unpacks; with a second stage or without, and with something of its own around it.
pub fn exchange(random: &mut Rng, grid: &Grid) -> String {
    let (rows, columns) = grid.names();
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
    let mut body = messages(random, (rows, columns));
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

fn messages(random: &mut Rng, (rows, columns): (&str, &str)) -> String {
    let mut text = format!(
        "    call mpi_irecv(from_west, {columns}, mpi_double_precision, west, 1, mpi_comm_world, requests(1), ierr)\n\
        \x20   call mpi_irecv(from_east, {columns}, mpi_double_precision, east, 2, mpi_comm_world, requests(2), ierr)\n"
    );
    let has_rows = happens(random, 60);
    let mut requests = 2;
    let mut next = || {
        requests += 1;
        requests
    };
    if has_rows {
        let number = next();
        let _ = writeln!(
            text,
            "    call mpi_irecv(a(1, 0), {rows}, mpi_double_precision, west, 3, mpi_comm_world, requests({number}), ierr)"
        );
    }
    let _ = write!(
        text,
        "    do j = 1, {columns}\n      to_west(j) = a(1, j)\n      to_east(j) = a({rows}, j)\n    end do\n\
        \x20   call mpi_isend(to_east, {columns}, mpi_double_precision, east, 1, mpi_comm_world, requests({}), ierr)\n\
        \x20   call mpi_isend(to_west, {columns}, mpi_double_precision, west, 2, mpi_comm_world, requests({}), ierr)\n",
        next(),
        next(),
    );
    if has_rows {
        let number = next();
        let _ = writeln!(
            text,
            "    call mpi_isend(a(1, {columns}), {rows}, mpi_double_precision, east, 3, mpi_comm_world, requests({number}), ierr)"
        );
    }
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
    let _ = write!(
        text,
        "    do j = 1, {columns}\n      {west}a(0, j) = from_west(j)\n      {east}a({rows} + 1, j) = from_east(j)\n    end do\n"
    );
    if happens(random, 35) {
        // The corners go with the second direction.
        let _ = write!(
            text,
            "    call mpi_irecv(a(0, {columns} + 1), {rows} + 2, mpi_double_precision, east, 4, mpi_comm_world, requests(1), ierr)\n\
            \x20   call mpi_isend(a(0, 1), {rows} + 2, mpi_double_precision, west, 4, mpi_comm_world, requests(2), ierr)\n\
            \x20   call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)\n"
        );
    }
    text
}
