//! Programs in which a message is received where no call of MPI can be seen, as an adversary would hide it: behind an assignment, an
//! operator, the end of an object, a macro. Transformed and run against what they print as they are.
//!
//! Each sends two messages with one tag: a call of MPI that can be seen receives one of them, what is hidden receives the other. If the
//! send that what is hidden waits for is taken from MPI, the program hangs; so nothing may be transformed, unless the procedure that
//! receives is among the files that gravelc is given.

mod places;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use fastrand::Rng;

use crate::case::Case;
use crate::directives::Directives;
use crate::equivalence::Equivalence;
use crate::gravelc::Gravelc;
use crate::report::Status;
use crate::side_by_side::check_each;
use crate::tally::Tally;

use self::places::{PLACES, Place};

/// A fixed batch hides the message in each place, with what receives it among the files and without.
pub const FIXED_BATCH: u64 = 2 * PLACES.len() as u64;

/// The name of the file that is never transformed.
const COMPANION: &str = "companion.f90";

/// The number of elements of a message.
const LENGTH: usize = 20000;

/// Transforms and runs `count` programs from number `first` on.
pub fn check(gravelc: &Gravelc, equivalence: &Equivalence, (first, count): (u64, u64), tally: &mut Tally) {
    // How many programs there are where what receives is given, and in how many of them something is transformed.
    let given = Mutex::new(BTreeMap::<&str, (usize, usize)>::new());
    let numbers: Vec<u64> = (first..first.saturating_add(count)).collect();
    check_each(&numbers, tally, |&number, tally| {
        let program = HiddenMessage::of(number);
        let name = format!("hidden-communication/{number}-{}", program.place.name);
        match program.transform(gravelc, &name, &equivalence.scratch) {
            Ok((case, is_transformed)) => {
                if program.is_given {
                    if let Ok(mut given) = given.lock() {
                        let of_place = given.entry(program.place.name).or_default();
                        of_place.0 += 1;
                        of_place.1 += usize::from(is_transformed);
                    }
                } else if is_transformed {
                    return tally.fail(&name, "a send is transformed that meets a receive of MPI");
                }
                equivalence.check(&case, tally);
            }
            Err(message) => tally.fail(&name, message),
        }
    });
    let Ok(given) = given.into_inner() else { return tally.fail("hidden communication", "a check ended early") };
    let all: usize = given.values().map(|(programs, _)| programs).sum();
    let transformed: usize = given.values().map(|(_, transformed)| transformed).sum();
    println!("    of {all} programs with all that receives {transformed} are transformed");
    if count >= FIXED_BATCH {
        let result = if transformed > 0 { Ok(()) } else { Err("nothing is transformed in any of them".to_owned()) };
        tally.check("hidden communication: programs with all that receives are transformed", result);
    }
}

/// One program.
struct HiddenMessage {
    place: &'static Place,
    /// The procedure that receives is among the files that gravelc is given.
    is_given: bool,
    /// The program sees another module that is not given.
    sees_unseen: bool,
    /// What is hidden receives the first message of a step.
    is_first: bool,
    steps: usize,
    /// Work between the receives.
    works: bool,
}

impl HiddenMessage {
    fn of(number: u64) -> Self {
        let places = PLACES.len() as u64;
        let place = &PLACES[usize::try_from(number % places).unwrap_or(0)];
        let is_given = number / places % 2 == 1 || place.is_in_program;
        let mut rng = Rng::with_seed(number);
        // The first programs are the hard ones: an operation of a module that is not given, and nothing else in doubt.
        let sees_unseen = number >= FIXED_BATCH && rng.bool();
        Self { place, is_given, sees_unseen, is_first: rng.bool(), steps: rng.usize(1..4), works: rng.bool() }
    }

    fn transform(&self, gravelc: &Gravelc, name: &str, scratch: &Path) -> Result<(Case, bool), String> {
        let folder = scratch.join(name);
        let elsewhere = folder.join("elsewhere");
        let write = |path: &Path, text: &str| {
            fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
        };
        fs::create_dir_all(&elsewhere).map_err(|error| format!("cannot make {}: {error}", elsewhere.display()))?;
        let original = folder.join(if self.place.is_preprocessed { "program.F90" } else { "program.f90" });
        let (hidden, main) = (self.hidden(), self.main_program());
        let unseen = "module unseen\n  integer :: unknown = 3\nend module unseen\n";
        if self.is_given {
            write(&original, &format!("{hidden}{main}"))?;
            write(&folder.join(COMPANION), unseen)?;
        } else {
            write(&original, &main)?;
            write(&folder.join(COMPANION), &format!("{unseen}{hidden}"))?;
        }
        // The compiler finds it, and gravelc does not.
        write(&elsewhere.join("text.inc"), self.place.included)?;
        let found = gravelc.transform(&original, &folder.join("out"))?;
        let is_transformed = found.report.sites.iter().any(|site| site.status == Status::Transformed);
        let directives = Directives {
            ranks: vec![2],
            flags: vec!["-I".to_owned(), elsewhere.display().to_string()],
            companion: Some(COMPANION.to_owned()),
            ..Directives::default()
        };
        Ok((Case { name: name.to_owned(), original, transformed: found.output, directives }, is_transformed))
    }

    /// What receives, if it is no part of the main program.
    fn hidden(&self) -> String {
        let place = self.place;
        let receive = place.procedures.replace("RECEIVE", RECEIVE);
        if place.is_in_program {
            String::new()
        } else if place.is_external {
            receive.replace("STATE", STATE)
        } else {
            let (specification, state) = (place.specification, STATE);
            format!("module hidden\n{state}{specification}contains\n{receive}end module hidden\n")
        }
    }

    fn main_program(&self) -> String {
        let place = self.place;
        let import = if place.is_external || place.is_in_program { "" } else { "  use hidden\n" };
        let unseen = if self.sees_unseen { "  use unseen\n" } else { "" };
        let work =
            if self.works { "      do i = 1, n\n        field(i) = field(i)*1.5d0 + 1\n      end do\n" } else { "" };
        let hidden = format!("{}\n      total = total + y\n", place.statement);
        let seen = format!(
            "      call mpi_recv(arrived, n, mpi_double_precision, 0, 7, mpi_comm_world, state, code)\n{work}\
             \x20     do i = 1, n\n        total = total + arrived(i)\n      end do\n"
        );
        let receives = if self.is_first { format!("{hidden}{seen}") } else { format!("{seen}{hidden}") };
        let (before, declarations, behind, steps) = (place.before, place.declarations, place.behind, self.steps);
        format!(
            "{before}program hides\n  use mpi\n{import}{unseen}  implicit none\n  integer, parameter :: n = {LENGTH}\n\
             \x20 double precision :: leaving(n), arrived(n), field(n), y, total\n\
             \x20 integer :: code, own, i, step, state(mpi_status_size)\n{declarations}\n\
             \x20 call mpi_init(code)\n  call mpi_comm_rank(mpi_comm_world, own, code)\n  total = 0d0\n  y = 0d0\n\
             \x20 do i = 1, n\n    field(i) = own + 0.25d0*i\n  end do\n  do step = 1, {steps}\n    if (own == 0) then\n\
             \x20     do i = 1, n\n        leaving(i) = field(i)*2d0 + step\n      end do\n\
             \x20     call mpi_send(leaving, n, mpi_double_precision, 1, 7, mpi_comm_world, code)\n\
             \x20     do i = 1, n\n        leaving(i) = field(i)*3d0 - step\n      end do\n\
             \x20     call mpi_send(leaving, n, mpi_double_precision, 1, 7, mpi_comm_world, code)\n    else\n{receives}    end if\n\
             \x20 end do\n  if (own == 1) print *, total, y\n  call mpi_finalize(code)\n{behind}end program hides\n"
        )
    }
}

/// What the procedure needs that receives.
const STATE: &str = "  use mpi\n  implicit none\n  double precision, save :: got(20000)\n\
                     \x20 integer, save :: got_state(mpi_status_size), got_code\n";

/// Receives the message.
const RECEIVE: &str = "    call mpi_recv(got, 20000, mpi_double_precision, 0, 7, mpi_comm_world, got_state, got_code)";
