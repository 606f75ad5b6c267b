//! Writes programs in Fortran: several in one file, one after the other, each with names and tags of its own.
//!
//! The main program calls them, unless one is the main program itself, and prints the results of all ranks in the order of
//! the ranks, as the bits of the numbers.

mod allocations;
mod bound_procedures;
mod communication;
mod completions;
mod datatypes;
mod handles;
mod objects;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use self::allocations::deferred_shape;
use super::messages::ATTACHED;
use super::program::{
    Array, ArrayId, Communication, Completion, CompletionKind, Element, Home, Interface, ProcedureId, ProcedureKind,
    Program, RESULT_COUNT, RESULTS, ScalarId, SendMode, Statement,
};
use super::used_names::Used;
use super::written::{Written, headline};
use crate::source_language::SourceLanguage;

/// Programs as one file. At most one is written as the main program.
pub fn write(programs: &[&Program]) -> Written {
    let main = programs.iter().position(|program| program.style.is_main);
    let mut file = Written::default();
    // Modules come before what uses them.
    for (number, program) in programs.iter().enumerate() {
        let writer = Writer { program, number };
        file.push(&headline(SourceLanguage::Fortran, Some(number)), Some(number));
        file.push(&writer.modules(), Some(number));
        if main != Some(number) {
            file.push(&writer.subroutine(), Some(number));
        }
        file.push(&writer.external_procedures(), Some(number));
    }
    file.push(&headline(SourceLanguage::Fortran, main), None);
    write_main(&mut file, programs, main);
    file.push(COLLECT, None);
    file
}

fn write_main(file: &mut Written, programs: &[&Program], main: Option<usize>) {
    let writer = main.map(|number| Writer { program: programs[number], number });
    let interface = writer.as_ref().map_or(Interface::Module, |writer| writer.program.style.interface);
    let error = if interface == Interface::Module2008 { "" } else { ", ierr" };
    let mut text = "program batch\n".to_owned();
    text.push_str(&writer.as_ref().map_or("  use mpi\n".to_owned(), Writer::uses));
    text.push_str("  implicit none\n");
    if interface == Interface::IncludeFile {
        text.push_str("  include 'mpif.h'\n");
    }
    let _ = writeln!(text, "  integer :: rank, ranks, ierr");
    let _ = writeln!(text, "  double precision :: results({RESULT_COUNT})");
    let is_buffered = |statement: &Statement| {
        matches!(statement, Statement::Communicate(Communication::Send { mode: SendMode::Buffered, .. }))
    };
    let attached = programs.len() * ATTACHED;
    let attaches = programs.iter().any(|program| program.any(&is_buffered));
    if attaches {
        let _ = writeln!(text, "  double precision, save, asynchronous :: attached({})", attached / 8);
    }
    if let Some(writer) = &writer {
        text.push_str(&writer.declarations(None));
    }
    let _ = writeln!(text, "  call mpi_init({})", error.trim_start_matches(", "));
    let _ = writeln!(text, "  call mpi_comm_rank(mpi_comm_world, rank{error})");
    let _ = writeln!(text, "  call mpi_comm_size(mpi_comm_world, ranks{error})");
    if attaches {
        let _ = writeln!(text, "  call mpi_buffer_attach(attached, {attached}{error})");
    }
    file.push(&text, None);
    for (number, program) in programs.iter().enumerate() {
        file.push("  results = 0.0d0\n", None);
        if main == Some(number) {
            file.push(&Writer { program, number }.body(None), Some(number));
        } else {
            file.push(&format!("  call case{number}(rank, ranks, results)\n"), None);
        }
        file.push(&format!("  call collect({number}, results, rank, ranks)\n"), None);
    }
    file.push(&format!("  call mpi_finalize({})\n", error.trim_start_matches(", ")), None);
    if let Some(writer) = &writer {
        file.push(&writer.internal_procedures(), main);
    }
    file.push("end program batch\n\n", None);
}

const COLLECT: &str = "\
subroutine collect(number, results, rank, ranks)
  use mpi
  implicit none
  integer :: number, rank, ranks, other, ierr
  double precision :: results(8), all_results(8, 0:15)
  call mpi_gather(results, 8, mpi_double_precision, all_results, 8, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do other = 0, ranks - 1
      write (*, '(a,i0,a,i0,8(1x,z16.16))') 'program ', number, ' rank ', other, transfer(all_results(:, other), [0_8])
    end do
  end if
end subroutine collect
";

/// Writes one program.
struct Writer<'p> {
    program: &'p Program,
    number: usize,
}

fn type_name(element: Element) -> &'static str {
    match element {
        Element::Double => "double precision",
        Element::Single => "real",
        Element::Integer => "integer",
    }
}

fn datatype(element: Element) -> &'static str {
    match element {
        Element::Double => "mpi_double_precision",
        Element::Single => "mpi_real",
        Element::Integer => "mpi_integer",
    }
}

impl<'p> Writer<'p> {
    fn body_of(&self, unit: Option<ProcedureId>) -> &'p [Statement] {
        match unit {
            None => &self.program.body,
            Some(procedure) => &self.program.procedures[procedure].body,
        }
    }

    fn procedures(&self, kind: ProcedureKind) -> impl Iterator<Item = ProcedureId> {
        let of_kind = move |(_, procedure): &(usize, &super::program::Procedure)| procedure.kind == kind;
        self.program.procedures.iter().enumerate().filter(of_kind).map(|(id, _)| id)
    }

    fn has_home(&self, home: Home) -> bool {
        self.program.arrays.iter().any(|array| array.home == home)
            || self.program.scalars.iter().any(|scalar| scalar.home == home)
            || home == Home::Module && self.has_module_handles()
    }

    /// The name of an array, as the unit knows it.
    fn array_name(&self, unit: Option<ProcedureId>, id: ArrayId) -> String {
        if id == RESULTS {
            return "results".to_owned();
        }
        let object = if self.is_component(id) { self.object(self.program.arrays[id].home) } else { String::new() };
        object + &self.plain_array_name(unit, id)
    }

    /// The name without that of the object that the array may be a component of.
    fn plain_array_name(&self, unit: Option<ProcedureId>, id: ArrayId) -> String {
        let array = &self.program.arrays[id];
        let letter = match array.element {
            Element::Double => "a",
            Element::Single => "s",
            Element::Integer => "m",
        };
        let is_renamed = array.home == Home::Common && self.is_renamed(unit);
        format!("{letter}{id}{}{}", self.suffix(array.home), if is_renamed { "x" } else { "" })
    }

    /// Names of the main program must differ from those of others: they could be seen by gravelc side by side.
    fn suffix(&self, home: Home) -> String {
        if home == Home::Module { format!("_{}", self.number) } else { String::new() }
    }

    fn is_renamed(&self, unit: Option<ProcedureId>) -> bool {
        self.program.style.renames_common
            && unit.is_some_and(|unit| self.program.procedures[unit].kind != ProcedureKind::Internal)
    }

    fn scalar_name(&self, unit: Option<ProcedureId>, id: ScalarId) -> String {
        let object =
            if self.is_scalar_component(id) { self.object(self.program.scalars[id].home) } else { String::new() };
        object + &self.plain_scalar_name(unit, id)
    }

    fn plain_scalar_name(&self, unit: Option<ProcedureId>, id: ScalarId) -> String {
        let scalar = self.program.scalars[id];
        let letter = if scalar.is_integer { "k" } else { "x" };
        let is_renamed = scalar.home == Home::Common && self.is_renamed(unit);
        format!("{letter}{id}{}{}", self.suffix(scalar.home), if is_renamed { "x" } else { "" })
    }

    /// The attribute and the shape with which an array is declared.
    fn memory(&self, id: ArrayId) -> (&'static str, String) {
        let array = &self.program.arrays[id];
        if self.is_allocated(id) {
            (", allocatable", deferred_shape(array))
        } else {
            ("", self.shape(array, matches!(array.home, Home::Argument(..))))
        }
    }

    fn shape(&self, array: &Array, is_argument: bool) -> String {
        if array.is_matrix() {
            return format!("({}:{}, {})", array.first, array.first + array.rows as i64 - 1, array.length / array.rows);
        }
        let last = array.first + array.length as i64 - 1;
        if is_argument && self.program.style.assumed_size {
            return if array.first == 1 { "(*)".to_owned() } else { format!("({}:*)", array.first) };
        }
        if array.first == 1 { format!("({last})") } else { format!("({}:{last})", array.first) }
    }

    fn uses(&self) -> String {
        let mut text = String::new();
        if self.has_home(Home::Module) {
            let _ = writeln!(text, "  use data{}", self.number);
        }
        if self.procedures(ProcedureKind::Module).next().is_some() {
            let _ = writeln!(text, "  use work{}", self.number);
        }
        match self.program.style.interface {
            Interface::IncludeFile => {}
            Interface::Module => text.push_str("  use mpi\n"),
            Interface::Module2008 => text.push_str("  use mpi_f08\n"),
        }
        text
    }

    /// The modules with shared data and with procedures.
    fn modules(&self) -> String {
        let mut text = String::new();
        if self.has_home(Home::Module) {
            let is_of_types = self.has_module_handles() && self.program.style.interface == Interface::Module2008;
            let used = if is_of_types { "  use mpi_f08, only: mpi_request, mpi_datatype\n" } else { "" };
            let _ = writeln!(text, "module data{}\n{used}  implicit none", self.number);
            for (id, array) in self.program.arrays.iter().enumerate() {
                if array.home == Home::Module && !self.is_component(id) {
                    let name = self.array_name(None, id);
                    let (attribute, shape) = self.memory(id);
                    let _ = writeln!(text, "  {}{attribute} :: {name}{shape}", type_name(array.element));
                }
            }
            text.push_str(&self.object_declaration(Home::Module));
            text.push_str(&self.extents(true));
            text.push_str(&self.module_handles());
            for (id, scalar) in self.program.scalars.iter().enumerate() {
                if scalar.home == Home::Module && !self.is_scalar_component(id) {
                    let _ = writeln!(text, "  {} :: {}", scalar_type(scalar.is_integer), self.scalar_name(None, id));
                }
            }
            let _ = writeln!(text, "end module data{}\n", self.number);
        }
        let mut procedures = self.procedures(ProcedureKind::Module).peekable();
        if procedures.peek().is_some() {
            let _ =
                writeln!(text, "module work{}\n  implicit none\n{}contains", self.number, self.types_with_procedures());
            for procedure in procedures {
                text.push_str(&self.procedure(procedure, false));
                text.push_str(&self.idle_procedure(procedure));
            }
            let _ = writeln!(text, "end module work{}\n", self.number);
        }
        text
    }

    /// The program as a subroutine.
    fn subroutine(&self) -> String {
        let mut text = format!("subroutine case{}(rank, ranks, results)\n", self.number);
        text.push_str(&self.uses());
        text.push_str("  implicit none\n");
        if self.program.style.interface == Interface::IncludeFile {
            text.push_str("  include 'mpif.h'\n");
        }
        let _ = writeln!(text, "  integer :: rank, ranks, ierr\n  double precision :: results({RESULT_COUNT})");
        text.push_str(&self.declarations(None));
        text.push_str(&self.body(None));
        text.push_str(&self.internal_procedures());
        let _ = writeln!(text, "end subroutine case{}\n", self.number);
        text
    }

    fn internal_procedures(&self) -> String {
        let mut text = String::new();
        for (position, procedure) in self.procedures(ProcedureKind::Internal).enumerate() {
            if position == 0 {
                text.push_str("contains\n");
            }
            text.push_str(&self.procedure(procedure, true));
        }
        text
    }

    fn external_procedures(&self) -> String {
        self.procedures(ProcedureKind::External).map(|procedure| self.procedure(procedure, false)).collect()
    }

    fn procedure(&self, id: ProcedureId, is_internal: bool) -> String {
        self.procedure_with(id, &self.procedure_name(id), &self.body(Some(id)), is_internal)
    }

    /// A procedure with the arguments of this one.
    fn procedure_with(&self, id: ProcedureId, name: &str, body: &str, is_internal: bool) -> String {
        let dummies = self.dummies(id);
        let lines: Vec<String> = dummies.chunks(10).map(|names| names.join(", ")).collect();
        let mut text = format!("subroutine {name}({})\n", lines.join(", &\n    "));
        if !is_internal {
            if self.has_home(Home::Module) {
                let _ = writeln!(text, "  use data{}", self.number);
            }
            match self.program.style.interface {
                Interface::IncludeFile => text.push_str("  implicit none\n  include 'mpif.h'\n"),
                Interface::Module => text.push_str("  use mpi\n  implicit none\n"),
                Interface::Module2008 => text.push_str("  use mpi_f08\n  implicit none\n"),
            }
            text.push_str("  integer :: rank, ranks, ierr\n");
        }
        text.push_str(&self.declarations(Some(id)));
        text.push_str(body);
        let _ = writeln!(text, "end subroutine {name}\n");
        text
    }

    fn procedure_name(&self, id: ProcedureId) -> String {
        format!("work{}_{id}", self.number)
    }

    /// The dummy arguments: arrays, integers, and what every procedure outside of the main unit gets.
    fn dummies(&self, id: ProcedureId) -> Vec<String> {
        let mut arrays = BTreeMap::new();
        for (array, found) in self.program.arrays.iter().enumerate() {
            if let Home::Argument(owner, position) = found.home
                && owner == id
            {
                arrays.insert(position, self.array_name(Some(id), array));
            }
        }
        let mut scalars = BTreeMap::new();
        for (scalar, found) in self.program.scalars.iter().enumerate() {
            if let Home::Argument(owner, position) = found.home
                && owner == id
            {
                scalars.insert(position, self.scalar_name(Some(id), scalar));
            }
        }
        let mut all: Vec<String> = arrays.into_values().chain(scalars.into_values()).collect();
        all.extend(self.dummy_handles(id));
        if self.program.procedures[id].kind != ProcedureKind::Internal {
            all.extend(["rank".to_owned(), "ranks".to_owned()]);
        }
        all
    }

    /// What a unit declares besides `rank`, `ranks`, `ierr` and the results.
    fn declarations(&self, unit: Option<ProcedureId>) -> String {
        let mut text = if unit.is_none() { self.object_with_procedures() } else { String::new() };
        let kind = unit.map(|id| self.program.procedures[id].kind);
        let everywhere = Used::anywhere(self.program);
        let is_own = |home: Home| match home {
            Home::Main | Home::Saved | Home::Over(..) => unit.is_none(),
            Home::Common => kind.is_none_or(|kind| kind != ProcedureKind::Internal),
            Home::Module => false,
            Home::Procedure(owner) | Home::Argument(owner, _) => unit == Some(owner),
        };
        let mut common = Vec::new();
        let mut overlays = Vec::new();
        for (id, array) in self.program.arrays.iter().enumerate() {
            if id == RESULTS || !is_own(array.home) || !everywhere.arrays.contains(&id) || self.is_component(id) {
                continue;
            }
            let name = self.array_name(unit, id);
            let (memory, shape) = self.memory(id);
            let mut attributes = memory.to_owned();
            if array.home == Home::Saved {
                attributes.push_str(", save");
            }
            let is_marked = self.program.style.asynchronous && matches!(array.home, Home::Main | Home::Saved);
            let is_overlaid = matches!(array.home, Home::Over(..))
                || self.program.arrays.iter().any(|other| matches!(other.home, Home::Over(base, _) if base == id));
            if is_marked && !is_overlaid {
                attributes.push_str(", asynchronous");
            }
            let _ = writeln!(text, "  {}{attributes} :: {name}{shape}", type_name(array.element));
            match array.home {
                Home::Common => common.push((array.element == Element::Double, name)),
                Home::Over(base, offset) => {
                    let element = |id: ArrayId, position: usize| {
                        let array = &self.program.arrays[id];
                        let row = array.first + (position % array.rows) as i64;
                        let name = self.array_name(unit, id);
                        if array.is_matrix() {
                            format!("{name}({row}, {})", 1 + position / array.rows)
                        } else {
                            format!("{name}({row})")
                        }
                    };
                    overlays.push(format!("  equivalence ({}, {})\n", element(id, 0), element(base, offset)));
                }
                _ => {}
            }
        }
        for (id, scalar) in self.program.scalars.iter().enumerate() {
            if !is_own(scalar.home) || !everywhere.scalars.contains(&id) || self.is_scalar_component(id) {
                continue;
            }
            let name = self.scalar_name(unit, id);
            let _ = writeln!(text, "  {} :: {name}", scalar_type(scalar.is_integer));
            if scalar.home == Home::Common {
                common.push((!scalar.is_integer, name));
            }
        }
        // Those of 8 bytes first.
        common.sort_by_key(|(is_long, _)| !is_long);
        if !common.is_empty() {
            let names: Vec<String> = common.into_iter().map(|(_, name)| name).collect();
            let _ = writeln!(text, "  common /shared{}/ {}", self.number, names.join(", &\n    "));
        }
        text.extend(overlays);
        if unit.is_none() {
            text.push_str(&self.object_declaration(Home::Main));
            text.push_str(&self.extents(false));
        }
        text.push_str(&self.handles(unit));
        if self.body_of(unit).iter().any(|statement| statement.any(&has_flag)) {
            text.push_str("  logical :: flag\n");
        }
        match self.program.style.interface {
            Interface::Module2008 => text.push_str("  type(mpi_status) :: status\n"),
            _ => text.push_str("  integer :: status(mpi_status_size)\n"),
        }
        if self.program.style.names_numbers && kind.is_none_or(|kind| kind != ProcedureKind::Internal) {
            let bodies = self.bodies_inside(unit);
            let numbers: BTreeSet<i64> = bodies.iter().flat_map(|body| Used::of(body).numbers).collect();
            for number in numbers {
                let _ = writeln!(text, "  integer, parameter :: n{number} = {number}");
            }
        }
        if self.program.style.names_tags && kind.is_none_or(|kind| kind != ProcedureKind::Internal) {
            let bodies = self.bodies_inside(unit);
            let tags: BTreeSet<i64> = bodies.iter().flat_map(|body| Used::of(body).tags).collect();
            for tag in tags {
                let _ = writeln!(text, "  integer, parameter :: tag{tag} = {}", self.tag(tag));
            }
        }
        text
    }

    /// The statements of a unit and of the procedures inside it.
    fn bodies_inside(&self, unit: Option<ProcedureId>) -> Vec<&'p [Statement]> {
        let mut bodies = vec![self.body_of(unit)];
        if unit.is_none() {
            bodies.extend(self.procedures(ProcedureKind::Internal).map(|id| self.body_of(Some(id))));
        }
        bodies
    }

    fn tag(&self, tag: i64) -> i64 {
        tag + 40 * i64::try_from(self.number).unwrap_or(0)
    }

    fn body(&self, unit: Option<ProcedureId>) -> String {
        let allocations = if unit.is_none() { self.allocations() } else { String::new() };
        let set_up = if unit.is_none() { self.object_set_up() } else { String::new() };
        let (named, end) = self.short_names(unit);
        set_up + &allocations + &named + &statements::written(self, unit, self.body_of(unit)) + end
    }
}

fn scalar_type(is_integer: bool) -> &'static str {
    if is_integer { "integer" } else { "double precision" }
}

/// Does it call what answers yes or no?
fn has_flag(statement: &Statement) -> bool {
    use CompletionKind::{Test, TestAll, TestAny};
    let Statement::Communicate(Communication::Complete(Completion { kind, .. })) = statement else { return false };
    matches!(kind, Test | TestAll | TestAny)
}
