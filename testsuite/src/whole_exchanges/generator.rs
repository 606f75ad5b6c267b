//! Makes a program out of random numbers that exchanges the edges of grids and works on them: one procedure posts, waits and unpacks,
//! others sweep over the grids or do something else, and all of them are called in any order.

use std::fmt::Write as _;

use fastrand::Rng;

use super::exchange::{called, exchange, update};
use super::sweeps::sweep;

/// How the procedures know the extents of the grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extents {
    /// By constants of the module.
    Constants,
    /// By variables of the module.
    Variables,
    /// By arguments.
    Arguments,
    /// From the grids themselves, which are allocatable: loops use variables of the module.
    Assumed,
}

/// What the program's procedures agree on.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Points in either direction, without the edges.
    pub points: (u32, u32),
    /// Where these numbers come from.
    pub extents: Extents,
    /// The buffers of the exchange are variables of the procedure, else of the module.
    pub local_buffers: bool,
}

impl Grid {
    fn new(random: &mut Rng) -> Self {
        let rows = if random.u32(..4) > 0 { random.u32(130..=300) } else { random.u32(3..=40) };
        let columns = match random.u32(..3) {
            0 => random.u32(4..=14),
            1 => random.u32(1..=5),
            _ => random.u32(130..=200),
        };
        let all = [Extents::Constants, Extents::Variables, Extents::Arguments, Extents::Arguments, Extents::Assumed];
        Self { points: (rows, columns), extents: all[random.usize(..all.len())], local_buffers: random.bool() }
    }

    /// The names of the extents inside of procedures.
    pub fn names(&self) -> (&'static str, &'static str) {
        if self.extents == Extents::Arguments { ("nn", "mm") } else { ("n", "m") }
    }

    /// The shape of a grid that is an argument.
    pub fn shape(&self) -> &'static str {
        match self.extents {
            Extents::Constants | Extents::Variables => "(0:n+1, 0:m+1)",
            Extents::Arguments => "(0:nn+1, 0:mm+1)",
            Extents::Assumed => "(0:, 0:)",
        }
    }

    /// The arguments of a procedure, or of a call, behind these grids.
    fn with_extents(&self, grids: &str, names: &str) -> String {
        if self.extents == Extents::Arguments { format!("{grids}, {names}") } else { grids.to_owned() }
    }

    /// The head of a procedure with these grids as arguments.
    pub fn head(&self, name: &str, grids: &str) -> String {
        let declared = if self.extents == Extents::Arguments { "    integer, intent(in) :: nn, mm\n" } else { "" };
        format!("  subroutine {name}({})\n{declared}", self.with_extents(grids, "nn, mm"))
    }

    fn call(&self, name: &str, grids: &str) -> String {
        format!("    call {name}({})\n", self.with_extents(grids, "n, m"))
    }

    /// A call inside of a procedure that has the extents as arguments, too.
    pub fn call_inside(&self, name: &str, grids: &str) -> String {
        format!("    call {name}({})\n", self.with_extents(grids, "nn, mm"))
    }

    /// The declaration of the buffers.
    pub fn buffers(&self) -> String {
        let length = self.points.0.max(self.points.1) + 5;
        format!(
            "    double precision :: from_west({length}), from_east({length}), to_west({length}), to_east({length})\n"
        )
    }
}

/// One of several.
pub fn one_of<'t>(random: &mut Rng, all: &[&'t str]) -> &'t str {
    all[random.usize(..all.len())]
}

/// Whether something happens that does so in so many of a hundred cases.
pub fn happens(random: &mut Rng, percent: u32) -> bool {
    random.u32(..100) < percent
}

/// The program of this number.
pub fn generate(number: u64) -> String {
    let random = &mut Rng::with_seed(number);
    let grid = Grid::new(random);
    let sweeps: Vec<String> = (0..random.usize(1..=3)).map(|index| sweep(random, &grid, index)).collect();
    let mut procedures = exchange(random, &grid);
    procedures.push_str(&called(random, &grid));
    procedures.push_str(&update(random, &grid));
    procedures.extend(sweeps.iter().cloned());
    procedures.push_str(&others(&grid));
    let in_procedure = happens(random, 70);
    let by_dummies = in_procedure && happens(random, 70);
    let step = steps(random, &grid, sweeps.len(), by_dummies);
    let step = if in_procedure {
        let (dummies, declared, actuals) = match by_dummies {
            true => ("x1, x2", "    double precision, intent(inout) :: x1(0:n+1, 0:m+1), x2(0:n+1, 0:m+1)\n", "u, v"),
            false => ("", "", ""),
        };
        let _ = write!(
            procedures,
            "  subroutine advance({dummies})\n{declared}    integer :: j\n{step}  end subroutine advance\n\n"
        );
        format!("    call advance({actuals})\n")
    } else {
        step
    };
    let is_periodic = random.bool();
    module(&grid, &procedures) + &main_program(&grid, is_periodic, &step)
}

/// What else there is to call.
fn others(grid: &Grid) -> String {
    let (rows, columns) = grid.names();
    let buffer = if grid.local_buffers { "tally = tally + 1d0" } else { "to_east(1) = to_east(1) + 1d0" };
    format!(
        "{head}    double precision, intent(inout) :: b{shape}\n    integer :: i, j\n    do j = 1, {columns}\n      do i = 1, {rows}\n\
        \x20       b(i, j) = 0.5d0 * b(i, j) + dble(mod(i * j, 5))\n      end do\n    end do\n  end subroutine work\n\n\
        \x20 subroutine touch_u()\n    integer :: j\n    do j = 1, m\n      u(1, j) = u(1, j) + 0.125d0 * u(0, j)\n    end do\n\
        \x20 end subroutine touch_u\n\n\
        \x20 subroutine count_run()\n    runs = runs + 1\n  end subroutine count_run\n\n\
        \x20 subroutine touch_buffer()\n    {buffer}\n  end subroutine touch_buffer\n\n",
        head = grid.head("work", "b"),
        shape = grid.shape(),
    )
}

/// Calls of the exchange, with something behind each.
fn steps(random: &mut Rng, grid: &Grid, sweeps: usize, by_dummies: bool) -> String {
    let layer = if grid.extents == Extents::Assumed { "f(:, :, k)" } else { "f(0:n+1, 0:m+1, k)" };
    let grids = if by_dummies { ["x1", "x2", "w", layer] } else { ["u", "v", "w", layer] };
    let mut text = String::new();
    for _ in 0..random.usize(2..=5) {
        let exchanged = random.usize(..4);
        let name = if happens(random, 35) { "update" } else { "exchange" };
        text.push_str(&grid.call(name, grids[exchanged]));
        for _ in 0..random.usize(..=4) {
            let another = |random: &mut Rng, one: usize| (one + random.usize(1..4)) % 4;
            let first = random.usize(..4);
            let (from, to) =
                if random.bool() { (exchanged, another(random, exchanged)) } else { (first, another(random, first)) };
            let sweep = format!("sweep{}", random.usize(..sweeps));
            text.push_str(&match random.u32(..13) {
                0 | 1 => grid.call("work", grids[first]),
                2..=4 => grid.call(&sweep, &format!("{}, {}", grids[from], grids[to])),
                5 => "    k = 3 - k\n".to_owned(),
                6 => "    call count_run()\n".to_owned(),
                7 => "    call touch_buffer()\n".to_owned(),
                8 => "    tally = tally + u(0, 1)\n".to_owned(),
                9 => "    w(1, 1) = w(1, 1) + tally\n".to_owned(),
                10 => "    do j = 1, m\n      v(1:n, j) = v(1:n, j) + 0.25d0\n    end do\n".to_owned(),
                11 => "    u(1, 1) = u(1, 1) + 1d0\n".to_owned(),
                _ => "    call touch_u()\n".to_owned(),
            });
        }
    }
    text
}

fn module(grid: &Grid, procedures: &str) -> String {
    let (rows, columns) = grid.points;
    let (constant, grids) = match grid.extents {
        Extents::Constants => {
            (", parameter", " :: u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1), f(0:n+1, 0:m+1, 2)")
        }
        _ => ("", ", allocatable :: u(:, :), v(:, :), w(:, :), f(:, :, :)"),
    };
    let buffers = if grid.local_buffers { String::new() } else { grid.buffers() };
    format!(
        "module grids\n  use mpi\n  implicit none\n  integer{constant} :: n = {rows}, m = {columns}\n\
        \x20 integer :: rank, ranks, west, east, ierr, runs = 0, k = 1\n  double precision :: tally = 0d0\n\
        \x20 double precision{grids}\n{buffers}contains\n{procedures}end module grids\n\n"
    )
}

fn main_program(grid: &Grid, is_periodic: bool, step: &str) -> String {
    let allocate = match grid.extents {
        Extents::Constants => "",
        _ => "  allocate(u(0:n+1, 0:m+1), v(0:n+1, 0:m+1), w(0:n+1, 0:m+1), f(0:n+1, 0:m+1, 2))\n",
    };
    let neighbours = match is_periodic {
        true => "  west = mod(rank - 1 + ranks, ranks)\n  east = mod(rank + 1, ranks)\n",
        false => {
            "  west = rank - 1\n  east = rank + 1\n  if (west < 0) west = mpi_proc_null\n  if (east == ranks) east = mpi_proc_null\n"
        }
    };
    format!(
        "program whole_exchanges\n  use grids\n  implicit none\n  integer :: t, i, j\n  double precision :: s, all\n\
        \x20 call mpi_init(ierr)\n  call mpi_comm_rank(mpi_comm_world, rank, ierr)\n  call mpi_comm_size(mpi_comm_world, ranks, ierr)\n\
        {neighbours}{allocate}  do j = 0, m + 1\n    do i = 0, n + 1\n\
        \x20     u(i, j) = dble(mod(3 * i + 5 * j + rank, 11)) * 0.25d0\n      v(i, j) = dble(mod(i + j + rank, 7)) * 0.5d0\n\
        \x20     w(i, j) = 1d0\n      f(i, j, :) = dble(mod(i * j, 3)) + rank\n    end do\n  end do\n\
        \x20 do t = 1, 3\n{step}  end do\n  s = 0d0\n  do j = 0, m + 1\n    do i = 0, n + 1\n\
        \x20     s = s + (u(i, j) + 2d0 * v(i, j) + 3d0 * w(i, j) + 4d0 * f(i, j, 1) + 5d0 * f(i, j, 2)) * dble(mod(i + 2 * j, 9) + 1)\n\
        \x20   end do\n  end do\n  s = s + tally * 0.001d0 + runs\n\
        \x20 call mpi_reduce(s, all, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)\n\
        \x20 if (rank == 0) print '(es24.16)', all\n  call mpi_finalize(ierr)\nend program whole_exchanges\n"
    )
}
