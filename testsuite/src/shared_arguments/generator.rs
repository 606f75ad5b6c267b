//! Makes a program out of random numbers in which one procedure has the memory of a message by two names.
//!
//! Statements that only compute obey the language: no loop names the memory by both. What breaks its rule is the message, of
//! which compilers see nothing, so that all of them agree on what the program prints.

use std::fmt::Write as _;

use fastrand::Rng;

/// How the two names come to mean one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sharing {
    /// A variable of a module is handed to a procedure that names it.
    Module,
    /// An allocatable one.
    Allocatable,
    /// A member of a COMMON block.
    Common,
    /// A variable of the host, to a procedure inside of it.
    Host,
    /// A target, to a procedure that has a pointer to it.
    Target,
    /// A pointer, to a procedure that names its target.
    Pointer,
    /// One array for two dummy arguments.
    Twice,
    /// Two pieces of one array, at offsets that are computed, which overlap.
    Pieces,
    /// Two pieces that lie one behind the other.
    Neighbours,
    /// An object and a component of it.
    Component,
    /// Two variables that are one by EQUIVALENCE.
    Equivalence,
}

impl Sharing {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Module,
        Self::Allocatable,
        Self::Common,
        Self::Host,
        Self::Target,
        Self::Pointer,
        Self::Twice,
        Self::Pieces,
        Self::Neighbours,
        Self::Component,
        Self::Equivalence,
    ];

    /// The names: one that the message has, or both, are arguments.
    fn names(self) -> Names {
        let one = |visible: &'static str, actual: &'static str| Names {
            visible: Some(visible),
            dummies: vec!["handed"],
            actuals: vec![actual],
            others: vec!["elsewhere"],
        };
        let two = |first: &'static str, second: &'static str| Names {
            visible: None,
            dummies: vec!["handed", "second"],
            actuals: vec![first, second],
            others: vec!["elsewhere", "aside"],
        };
        match self {
            Self::Module | Self::Allocatable => one("joined", "joined"),
            Self::Common => one("member", "member"),
            Self::Host => one("hosted", "hosted"),
            Self::Target => one("lens", "joined"),
            Self::Pointer => one("joined", "lens"),
            Self::Twice => two("joined", "joined"),
            Self::Pieces | Self::Neighbours => two("work(first)", "work(first + distance)"),
            Self::Component => Names { dummies: vec!["handed", "object"], ..two("object%values", "object") },
            Self::Equivalence => two("one_name", "other_name"),
        }
    }

    /// Which array the results are in.
    fn result(self) -> &'static str {
        match self {
            Self::Module | Self::Allocatable | Self::Target | Self::Pointer | Self::Twice => "joined",
            Self::Common => "member",
            Self::Host => "hosted",
            Self::Pieces | Self::Neighbours => "work",
            Self::Component => "object%values",
            Self::Equivalence => "one_name",
        }
    }
}

/// The names of one place in the procedure, and what calls hand over.
struct Names {
    /// The name that the procedure has without its arguments.
    visible: Option<&'static str>,
    dummies: Vec<&'static str>,
    actuals: Vec<&'static str>,
    /// What another call hands over.
    others: Vec<&'static str>,
}

/// What the memory of two names is to the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Received,
    Sent,
    CopiedAndSent,
}

/// How the message is sent and received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    SendReceive,
    WaitBehindSend,
    WaitForAll,
    PostedFirst,
    SentFirst,
    AllToAll,
    TwoProcedures,
}

/// A program with what it is about.
pub struct Generated {
    /// How two names come to mean one place.
    pub sharing: Sharing,
    /// The text.
    pub source: String,
}

/// The program with this number.
pub fn generate(seed: u64) -> Generated {
    let sharing = Sharing::ALL[usize::try_from(seed).unwrap_or(0) % Sharing::ALL.len()];
    let mut random = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let names = sharing.names();
    let second = names.visible.unwrap_or(if sharing == Sharing::Component { "object%values" } else { "second" });
    let (message, other) = if random.bool() { ("handed", second) } else { (second, "handed") };
    let role = [Role::Received, Role::Received, Role::Sent, Role::CopiedAndSent][random.usize(..4)];
    let forms: &[Form] = match role {
        Role::CopiedAndSent => &[Form::SendReceive, Form::WaitBehindSend, Form::PostedFirst, Form::SentFirst],
        _ => &[
            Form::SendReceive,
            Form::SendReceive,
            Form::WaitBehindSend,
            Form::WaitForAll,
            Form::PostedFirst,
            Form::SentFirst,
            Form::AllToAll,
            Form::TwoProcedures,
        ],
    };
    let form = forms[random.usize(..forms.len())];
    let mut writer = Writer { sharing, names, message, other, role, form, random, source: String::new(), helpers: 0 };
    writer.program();
    Generated { sharing, source: writer.source }
}

struct Writer {
    sharing: Sharing,
    names: Names,
    /// The name of the message's memory, and the other one.
    message: &'static str,
    other: &'static str,
    role: Role,
    form: Form,
    random: Rng,
    source: String,
    /// Procedures that name the shared memory for the one that has the message.
    helpers: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.source, "{}", line.as_ref());
    }

    fn lines(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.line(line));
    }

    fn program(&mut self) {
        self.state();
        let (body, helpers) = self.step();
        let is_inside = self.sharing == Sharing::Host;
        let has_outer = self.random.bool();
        let outer = if has_outer { self.outer() } else { Vec::new() };
        if !is_inside {
            self.line("module steps\n  use mpi\n  use state\n  implicit none\ncontains");
            [&body, &helpers, &outer, &self.pair()].into_iter().for_each(|part| self.lines(part));
            self.line("end module steps\n");
        }
        self.main(if has_outer { "outer" } else { "step" });
        if is_inside {
            self.line("contains");
            [&body, &helpers, &outer, &self.pair()].into_iter().for_each(|part| self.lines(part));
        }
        self.line("end program shared_arguments");
    }

    fn state(&mut self) {
        let joined = match self.sharing {
            Sharing::Allocatable => "allocatable :: joined(:)",
            Sharing::Target | Sharing::Pointer => "target :: joined(n)",
            _ => ":: joined(n)",
        };
        let comma = if joined.starts_with(':') { "" } else { ", " };
        self.line(format!(
            "module state\n  implicit none\n  integer, parameter :: n = 2520\n  \
             double precision{comma}{joined}\n  double precision, pointer :: lens(:)\n  \
             double precision :: outgoing(n), incoming(n), computed(n), field(n), elsewhere(n), aside(n), work(3 * n)\n  \
             type :: box\n    integer :: number\n    double precision :: values(n)\n  end type box\n  \
             type(box) :: object\n  integer :: rank, ranks, next, previous, ierror, requests(2), first, distance\n\
             end module state\n"
        ));
    }

    fn declarations(&mut self) -> Vec<String> {
        let bounds = ["n", "*", ":"][self.random.usize(..if self.sharing == Sharing::Pieces { 2 } else { 3 })];
        let bounds = if self.sharing == Sharing::Neighbours && bounds == ":" { "n" } else { bounds };
        let mut lines: Vec<String> = Vec::new();
        for dummy in self.names.dummies.clone() {
            lines.push(match dummy {
                "object" => "    type(box), intent(inout) :: object".to_owned(),
                _ => format!("    double precision, intent(inout) :: {dummy}({bounds})"),
            });
        }
        if self.sharing == Sharing::Common {
            lines.push(COMMON.to_owned());
        }
        lines
    }

    /// The procedure with the message, and those that it leaves some of its loops to.
    fn step(&mut self) -> (Vec<String>, Vec<String>) {
        let dummies = self.names.dummies.join(", ");
        let mut lines = vec![format!("  subroutine step({dummies}, turn)")];
        lines.extend(self.declarations());
        lines.push("    integer, intent(in) :: turn\n    integer :: i, status(mpi_status_size)".to_owned());
        if self.role == Role::CopiedAndSent {
            lines.push("    double precision :: packed(n)".to_owned());
        }
        let mut helpers = Vec::new();
        let (message, other) = (self.message, self.other);
        let is_posted_first = self.form == Form::PostedFirst;
        let received = if self.role == Role::Received { message } else { "incoming" };
        let sent = match self.role {
            Role::Received => "outgoing",
            Role::Sent => message,
            Role::CopiedAndSent => "packed",
        };
        if is_posted_first {
            lines.push(receive(received));
        }
        // Nobody touches what is pending.
        let may_touch = !(is_posted_first && self.role == Role::Received);
        if may_touch && self.random.bool() {
            self.touch(other, "0.5d0", &mut lines, &mut helpers);
        }
        let source = if may_touch && self.role == Role::Received && self.random.u8(..4) > 0 { other } else { "field" };
        match self.role {
            Role::CopiedAndSent => lines.push(format!("    do i = 1, n\n      packed(i) = {message}(i)\n    end do")),
            _ => self.fill(sent, source, &mut lines, &mut helpers),
        }
        if self.random.bool() {
            lines.push(self.computation());
        }
        lines.extend(self.exchange(sent, received));
        if self.random.u8(..4) > 0 {
            lines.push(self.computation());
        }
        if self.random.u8(..4) > 0 {
            if self.role == Role::Received && self.random.bool() {
                self.fill("computed", other, &mut lines, &mut helpers);
            } else {
                self.touch(other, "0.25d0", &mut lines, &mut helpers);
            }
        }
        lines.push(format!("    do i = 1, n\n      field(i) = field(i) * 0.5d0 + {received}(i)\n    end do"));
        lines.push("  end subroutine step\n".to_owned());
        (lines, helpers)
    }

    fn computation(&mut self) -> String {
        let factor = self.random.u8(1..9);
        format!(
            "    do i = 1, n\n      computed(i) = computed(i) * 0.5d0 + dble(mod(i * {factor} + turn, 13))\n    end do"
        )
    }

    /// A loop that changes what the name means, here or in a procedure that is called.
    fn touch(&mut self, name: &str, factor: &str, lines: &mut Vec<String>, helpers: &mut Vec<String>) {
        let text =
            format!("    do i = 1, n\n      {name}(i) = {name}(i) * {factor} + dble(mod(i + turn, 7))\n    end do");
        self.place(name, text, lines, helpers);
    }

    /// A loop that fills one array from another one.
    fn fill(&mut self, target: &str, source: &str, lines: &mut Vec<String>, helpers: &mut Vec<String>) {
        let text =
            format!("    do i = 1, n\n      {target}(i) = {source}(i) * 0.5d0 + dble(mod(i, 5) + turn)\n    end do");
        let names_arguments = [target, source].iter().any(|name| !self.is_visible(name) && !GLOBAL.contains(name));
        let name = if names_arguments { "handed" } else { source };
        self.place(name, text, lines, helpers);
    }

    fn is_visible(&self, name: &str) -> bool {
        self.names.visible == Some(name)
    }

    fn place(&mut self, name: &str, text: String, lines: &mut Vec<String>, helpers: &mut Vec<String>) {
        if !self.is_visible(name) || self.random.bool() {
            return lines.push(text);
        }
        self.helpers += 1;
        let common = if self.sharing == Sharing::Common { COMMON } else { "" };
        let number = self.helpers;
        lines.push(format!("    call help_{number}(turn)"));
        helpers.push(format!(
            "  subroutine help_{number}(turn)\n    integer, intent(in) :: turn\n    integer :: i\n{common}\n{text}\n  \
             end subroutine help_{number}\n"
        ));
    }

    fn exchange(&self, sent: &str, received: &str) -> Vec<String> {
        let send = format!("    call mpi_send({sent}, n, mpi_double_precision, next, 1, mpi_comm_world, ierror)");
        let isend = format!(
            "    call mpi_isend({sent}, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierror)"
        );
        let wait = |number| format!("    call mpi_wait(requests({number}), mpi_status_ignore, ierror)");
        match self.form {
            Form::SendReceive => vec![format!(
                "    call mpi_sendrecv({sent}, n, mpi_double_precision, next, 1, {received}, n, &\n      \
                 mpi_double_precision, previous, 1, mpi_comm_world, status, ierror)"
            )],
            Form::WaitBehindSend => vec![receive(received), send, wait(1)],
            Form::WaitForAll => vec![
                receive(received),
                isend,
                "    call mpi_waitall(2, requests, mpi_statuses_ignore, ierror)".to_owned(),
            ],
            Form::PostedFirst => vec![isend, wait(1), wait(2)],
            Form::SentFirst => vec![
                isend,
                format!(
                    "    call mpi_recv({received}, n, mpi_double_precision, previous, 1, mpi_comm_world, status, ierror)"
                ),
                wait(2),
            ],
            Form::AllToAll => vec![format!(
                "    call mpi_alltoall({sent}, n / ranks, mpi_double_precision, {received}, n / ranks, &\n      \
                 mpi_double_precision, mpi_comm_world, ierror)"
            )],
            Form::TwoProcedures => {
                vec![format!("    call begin({sent}, {received})"), "    call finish".to_owned()]
            }
        }
    }

    /// The procedures that begin and end an exchange.
    fn pair(&self) -> Vec<String> {
        if self.form != Form::TwoProcedures {
            return Vec::new();
        }
        let isend = "    call mpi_isend(sent, n, mpi_double_precision, next, 1, mpi_comm_world, requests(2), ierror)";
        let begin = format!(
            "  subroutine begin(sent, received)\n    double precision, intent(inout) :: sent(n), received(n)\n{}\n{isend}\n  \
             end subroutine begin\n",
            receive("received")
        );
        let finish = "  subroutine finish\n    call mpi_wait(requests(1), mpi_status_ignore, ierror)\n    \
                      call mpi_wait(requests(2), mpi_status_ignore, ierror)\n  end subroutine finish\n";
        vec![begin, finish.to_owned()]
    }

    /// A procedure between the one with the message and its caller.
    fn outer(&mut self) -> Vec<String> {
        let dummies = self.names.dummies.join(", ");
        let mut lines = vec![format!("  subroutine outer({dummies}, turn)")];
        // What it has need not be what is handed on: an array of assumed size has no shape.
        for dummy in self.names.dummies.clone() {
            lines.push(match dummy {
                "object" => "    type(box), intent(inout) :: object".to_owned(),
                _ => format!("    double precision, intent(inout) :: {dummy}(n)"),
            });
        }
        lines
            .push(format!("    integer, intent(in) :: turn\n    call step({dummies}, turn)\n  end subroutine outer\n"));
        lines
    }

    fn main(&mut self, called: &str) {
        self.line("program shared_arguments\n  use mpi\n  use state");
        if self.sharing != Sharing::Host {
            self.line("  use steps");
        }
        self.line("  implicit none\n  integer :: turn, j\n  double precision :: sums(2), all_sums(2, 16), hosted(n)");
        match self.sharing {
            Sharing::Common => self.line(COMMON),
            Sharing::Equivalence => {
                self.line("  double precision :: one_name(n), other_name(n)\n  equivalence (one_name, other_name)")
            }
            _ => {}
        }
        self.line(
            "  call mpi_init(ierror)\n  call mpi_comm_rank(mpi_comm_world, rank, ierror)\n  \
             call mpi_comm_size(mpi_comm_world, ranks, ierror)\n  next = modulo(rank + 1, ranks)\n  \
             previous = modulo(rank - 1, ranks)",
        );
        match self.sharing {
            Sharing::Allocatable => self.line("  allocate (joined(n))"),
            Sharing::Target | Sharing::Pointer => self.line("  lens => joined"),
            _ => {}
        }
        let distance = match self.sharing {
            Sharing::Neighbours => "n".to_owned(),
            _ => self.random.u16(1..2000).to_string(),
        };
        let result = self.sharing.result();
        self.line(format!(
            "  hosted = 0\n  work = 0\n  elsewhere = rank + 2\n  aside = 1\n  computed = 0\n  outgoing = 0\n  incoming = 0\n  \
             first = 1 + mod(ranks, 7)\n  distance = {distance}\n  do j = 1, n\n    field(j) = mod(j * 3 + rank, 17)\n    \
             {result}(j) = mod(j + rank * 5, 11)\n  end do\n  do turn = 1, 3"
        ));
        let actuals = self.names.actuals.join(", ");
        self.line(format!("    call {called}({actuals}, turn)"));
        // Another call, of which nothing is one place.
        if self.random.bool() && self.sharing != Sharing::Component {
            let others = self.names.others.join(", ");
            self.line(format!("    call {called}({others}, turn)"));
        }
        self.line(format!(
            "  end do\n  sums = 0\n  do j = 1, n\n    sums(1) = sums(1) + {result}(j) * mod(j, 19)\n    \
             sums(2) = sums(2) + (computed(j) + 2 * field(j) + 3 * outgoing(j) + elsewhere(j)) * mod(j, 23)\n  end do\n  \
             call mpi_gather(sums, 2, mpi_double_precision, all_sums, 2, mpi_double_precision, 0, mpi_comm_world, ierror)\n  \
             if (rank == 0) print '(2es25.17)', all_sums(:, 1:ranks)\n  call mpi_finalize(ierror)"
        ));
    }
}

/// Names that every procedure has.
const GLOBAL: [&str; 5] = ["outgoing", "incoming", "computed", "field", "joined"];

const COMMON: &str =
    "    double precision :: before(2520), member(2520), after(2520)\n    common /block/ before, member, after";

fn receive(name: &str) -> String {
    format!("    call mpi_irecv({name}, n, mpi_double_precision, previous, 1, mpi_comm_world, requests(1), ierror)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_always_gives_the_same_program() {
        for seed in 0..50 {
            assert_eq!(generate(seed).source, generate(seed).source);
        }
    }

    #[test]
    fn every_way_of_sharing_has_its_turn() {
        let found: std::collections::BTreeSet<Sharing> = (0..11).map(|seed| generate(seed).sharing).collect();
        assert_eq!(found.len(), Sharing::ALL.len());
    }
}
