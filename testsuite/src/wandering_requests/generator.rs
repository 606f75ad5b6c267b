//! Programs with some exchanges, in each of which two requests are handled in two ways.

use std::fmt::Write as _;

use fastrand::Rng;

use super::ways::{Needs, WAYS, Way};

/// Exchanges of a program: so few compilations and runs are enough for many.
pub const EXCHANGES: usize = 9;

/// So many programs have every way for a receive and for a send.
const ROUND: u64 = WAYS.len().div_ceil(EXCHANGES) as u64;

/// Two rounds: most ways are met with two interfaces.
pub const FIXED_BATCH: u64 = 2 * ROUND;

/// The number of elements of a message: more than MPI sends without asking.
const LENGTH: usize = 12000;

/// How a program gets MPI's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// `use mpi`
    Module,
    /// `include 'mpif.h'`
    Include,
    /// `use mpi_f08`
    Module08,
}

impl Interface {
    fn fits(self, way: &Way) -> bool {
        match way.interface {
            Needs::Nothing => true,
            Needs::Integers => self != Self::Module08,
            Needs::NoRanks => self == Self::Include,
        }
    }

    /// In front of and behind IMPLICIT NONE.
    fn statements(self) -> (&'static str, &'static str) {
        match self {
            Self::Module => ("use mpi\n", ""),
            Self::Include => ("", "include 'mpif.h'\n"),
            Self::Module08 => ("use mpi_f08\n", ""),
        }
    }

    fn handle(self, name: &str) -> String {
        if self == Self::Module08 { format!("type(mpi_{name})") } else { "integer".to_owned() }
    }
}

/// What a program is made of.
struct Composition {
    /// How its receives and sends are handled, by exchange.
    ways: Vec<[&'static Way; 2]>,
    /// How it gets MPI's names.
    interface: Interface,
}

impl Composition {
    /// That of the program of this number. Those of a [`FIXED_BATCH`] have every way, for a receive and for a send; behind it, ways
    /// are taken at random.
    fn of(number: u64, rng: &mut Rng) -> Self {
        let first = usize::try_from(number).unwrap_or(0).wrapping_mul(EXCHANGES);
        let may_keep = rng.u8(0..4) == 0;
        let mut ways: Vec<&Way> = WAYS.iter().filter(|way| may_keep || !way.keeps_others).collect();
        match number < FIXED_BATCH {
            true => ways = (0..EXCHANGES).map(|exchange| &WAYS[(first + exchange) % WAYS.len()]).collect(),
            false => {
                // No two are the same: both requests of an exchange would be in one variable of the module.
                rng.shuffle(&mut ways);
                ways.truncate(EXCHANGES);
            }
        }
        let all = [Interface::Module08, Interface::Module, Interface::Include];
        let wanted = usize::try_from((number + number / ROUND) % 3).unwrap_or(0);
        let fitting = (0..3).map(|turn| all[(wanted + turn) % 3]).find(|it| ways.iter().all(|way| it.fits(way)));
        let shift = rng.usize(1..EXCHANGES);
        let sends = ways.iter().cycle().skip(shift);
        Self {
            ways: ways.iter().zip(sends).map(|(receive, send)| [*receive, *send]).collect(),
            interface: fitting.unwrap_or(Interface::Include),
        }
    }
}

/// The program of this number.
pub fn generate(number: u64) -> String {
    let mut rng = Rng::with_seed(number);
    let Composition { ways, interface } = Composition::of(number, &mut rng);
    let mut program = Writer { interface, text: String::new() };
    program.store();
    program.text.push_str("module exchanges\nimplicit none\ncontains\n");
    let mut main = String::new();
    // Tags that are shared make one class of several exchanges.
    let has_tags = rng.bool();
    for (exchange, [receiving, sending]) in ways.into_iter().enumerate() {
        let tag = if has_tags { exchange } else { 3 };
        program.exchange(exchange, [receiving, sending], tag, &mut rng);
        let (make, communicator) = COMMUNICATORS[rng.usize(0..COMMUNICATORS.len())];
        let (describe, datatype) = DATATYPES[rng.usize(0..DATATYPES.len())];
        let _ = write!(
            main,
            "! received: {}, sent: {}\n{make}\n{describe}\ncall mpi_comm_rank({communicator}, own, code)\ntotal = 0\n\
             y = own\nx = 0\ndo step = 1, 3\n\
             call receive{exchange}(x, y, {communicator}, {datatype}, own, size, total)\nend do\n\
             totals({exchange} + 1) = total\n",
            receiving.name, sending.name
        );
    }
    program.text.push_str("end module exchanges\n");
    program.main(&main);
    program.text.replace("NULL", "mpi_request_null").replace("REQUEST", &interface.handle("request"))
}

/// Statements that make a communicator, and its name.
const COMMUNICATORS: [(&str, &str); 7] = [
    ("", "mpi_comm_world"),
    ("call mpi_comm_dup(mpi_comm_world, made, code)", "made"),
    (
        "if (own == 0) then\ncall mpi_comm_dup(mpi_comm_world, made, code)\nelse\n\
         call mpi_comm_dup(mpi_comm_world, made, code)\nend if",
        "made",
    ),
    ("call mpi_comm_dup(mpi_comm_world, made, code); step = 0", "made"),
    ("call mpi_comm_split(mpi_comm_world, 1, -rank, made, code)", "made"),
    ("call make(made)", "made"),
    ("call mpi_cart_create(mpi_comm_world, 1, [size], [.true.], .false., made, code)", "made"),
];

/// Statements that make a datatype, and its name.
const DATATYPES: [(&str, &str); 2] = [
    ("", "mpi_double_precision"),
    (
        "call mpi_type_contiguous(1, mpi_double_precision, kind_of, code)\ncall mpi_type_commit(kind_of, code)",
        "kind_of",
    ),
];

struct Writer {
    interface: Interface,
    text: String,
}

impl Writer {
    /// What procedures of all exchanges share.
    fn store(&mut self) {
        let (import, include) = self.interface.statements();
        let of_integers = match self.interface {
            Interface::Module08 => "",
            Interface::Module | Interface::Include => {
                "integer :: one_view(4), other_view(4)\nequivalence (one_view, other_view)\n"
            }
        };
        let communicator = self.interface.handle("comm");
        let _ = write!(
            self.text,
            "module store\n{import}implicit none\n{include}type holder\nREQUEST :: r = NULL\ninteger :: more(4)\n\
             end type holder\nREQUEST :: kept_request\nREQUEST, target :: reached(4)\n{of_integers}\
             contains\n\
             subroutine finish(r)\nREQUEST, intent(inout) :: r\ninteger :: code\n\
             call mpi_wait(r, mpi_status_ignore, code)\nend subroutine finish\n\
             subroutine finish_all(count, r)\ninteger, intent(in) :: count\nREQUEST, intent(inout) :: r(*)\n\
             integer :: code\ncall mpi_waitall(count, r, mpi_statuses_ignore, code)\nend subroutine finish_all\n\
             function same(r)\nREQUEST, intent(in) :: r\nREQUEST :: same\nsame = r\nend function same\n\
             subroutine make(made)\n{communicator}, intent(out) :: made\ninteger :: code\n\
             call mpi_comm_dup(mpi_comm_world, made, code)\nend subroutine make\n\
             subroutine work(a, total)\ndouble precision, intent(inout) :: a(:), total\ninteger :: i\n\
             do i = 1, ubound(a, 1)\na(i) = sqrt(abs(a(i)) + i*1d-3)\ntotal = total + a(i)*1d-6\nend do\n\
             end subroutine work\nend module store\n"
        );
    }

    /// A procedure that receives what the other one, which it calls, sends.
    fn exchange(&mut self, number: usize, [receiving, sending]: [&Way; 2], tag: usize, rng: &mut Rng) {
        let call = |way: &Way, name: &str, peer: &str| {
            let routine = if way.is_prepared { format!("mpi_{name}_init") } else { format!("mpi_i{name}") };
            format!(
                "call {routine}(x, {LENGTH}, datatype, modulo(own {peer}, size), {tag}, communicator, {}, code)",
                way.request
            )
        };
        let work = "call work(y, total)\n";
        let (early, late) = if rng.bool() { (work, "") } else { ("", work) };
        let send = format!("call send{number}(y, communicator, datatype, own, size, total)\n");
        let receive = call(receiving, "recv", "- 1");
        let body = format!(
            "{}\n{early}{receive}\n{}\n{send}{}\ntotal = total + sum(x)\n{late}",
            receiving.before, receiving.behind, receiving.completion
        );
        self.procedure(&format!("receive{number}"), "x, y", receiving, &body);
        let own_work = if rng.bool() { "w = 1\ncall work(w, total)\n" } else { "" };
        let send = call(sending, "send", "+ 1");
        let body = format!(
            "{}\ndo i = 1, {LENGTH}\nx(i) = x(i) + own + i\nend do\n{send}\n{}\n{own_work}{}\n",
            sending.before, sending.behind, sending.completion
        );
        self.procedure(&format!("send{number}"), "x", sending, &body);
    }

    fn procedure(&mut self, name: &str, arrays: &str, way: &Way, body: &str) {
        // What a module includes comes with it.
        let (import, _) = self.interface.statements();
        let contains =
            if way.procedures.is_empty() { String::new() } else { format!("contains\n{}\n", way.procedures) };
        let [communicator, datatype] = ["comm", "datatype"].map(|name| self.interface.handle(name));
        let shapes = arrays.split(", ").map(|array| format!("{array}({LENGTH})")).collect::<Vec<_>>().join(", ");
        let _ = write!(
            self.text,
            "subroutine {name}({arrays}, communicator, datatype, own, size, total)\n{import}use store\nimplicit none\n\
             double precision, intent(inout), asynchronous :: {shapes}\n\
             double precision, intent(inout) :: total\ninteger, intent(in) :: own, size\n\
             {communicator}, intent(in) :: communicator\n{datatype}, intent(in) :: datatype\n\
             integer :: code, i\ndouble precision :: w(300)\n{}\n{body}{contains}end subroutine {name}\n",
            way.declarations
        );
    }

    fn main(&mut self, exchanges: &str) {
        let (import, _) = self.interface.statements();
        let [communicator, datatype] = ["comm", "datatype"].map(|name| self.interface.handle(name));
        let _ = write!(
            self.text,
            "program wandering\n{import}use store\nuse exchanges\nimplicit none\n{communicator} :: made\n{datatype} :: kind_of\n\
             integer :: code, rank, own, size, step, i\n\
             double precision :: x({LENGTH}), y({LENGTH}), total, totals({EXCHANGES}), most({EXCHANGES})\n\
             call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, rank, code)\n\
             call mpi_comm_size(mpi_comm_world, size, code)\nown = rank\n{exchanges}\
             totals = totals*(rank + 1)\n\
             call mpi_reduce(totals, most, {EXCHANGES}, mpi_double_precision, mpi_max, 0, mpi_comm_world, code)\n\
             if (rank == 0) then\ndo i = 1, {EXCHANGES}\nprint '(i3, es25.16)', i, most(i)\nend do\nend if\n\
             call mpi_finalize(code)\nend program wandering\n"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_fixed_batch_has_every_way_for_a_receive_and_for_a_send_and_every_interface() {
        let all: Vec<Composition> =
            (0..FIXED_BATCH).map(|number| Composition::of(number, &mut Rng::with_seed(number))).collect();
        for operation in 0..2 {
            let met: BTreeSet<&str> = all.iter().flat_map(|it| &it.ways).map(|ways| ways[operation].name).collect();
            assert_eq!(met, WAYS.iter().map(|way| way.name).collect());
        }
        for interface in [Interface::Module, Interface::Include, Interface::Module08] {
            assert!(all.iter().any(|it| it.interface == interface), "{interface:?}");
        }
    }

    #[test]
    fn the_text_depends_on_the_number_only() {
        assert_eq!(generate(70), generate(70));
        assert_ne!(generate(70), generate(71));
    }
}
