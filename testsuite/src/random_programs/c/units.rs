//! Functions as C: their heads, their variables, and what they do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Writer;
use super::counters::CounterType;
use super::memory::{Form, Place};
use super::statements::{Block, Needs};
use super::style::{Requests, Statuses};
use super::type_name;
use crate::random_programs::program::{
    ArrayId, Element, Home, ProcedureId, ProcedureKind, RESULTS, RequestHome, RequestId, ScalarId,
};
use crate::random_programs::used_names::Used;

impl Writer<'_> {
    /// The parameters of a function: arrays, integers, requests, datatypes, and what every function gets.
    pub(super) fn parameters(&self, id: ProcedureId) -> Vec<String> {
        let own = |home: Home| match home {
            Home::Argument(owner, position) if owner == id => Some(position),
            _ => None,
        };
        let arrays = self.program.arrays.iter().enumerate();
        let arrays = arrays.filter_map(|(array, found)| Some((own(found.home)?, self.array_parameter(array))));
        let scalars = self.program.scalars.iter().enumerate();
        let scalars = scalars.filter_map(|(scalar, found)| Some((own(found.home)?, self.scalar_declaration(scalar))));
        let requests = self.program.requests.iter().enumerate().filter_map(|(request, found)| match found.home {
            RequestHome::Argument(owner, position) if owner == id => Some((position, self.request_parameter(request))),
            _ => None,
        });
        let datatypes = self.program.datatypes.iter().enumerate();
        let datatypes = datatypes.filter_map(|(datatype, found)| {
            Some((own(found.home)?, format!("MPI_Datatype {}", self.datatype_name(datatype))))
        });
        let mut all = in_order(arrays);
        all.extend(in_order(scalars));
        all.extend(in_order(requests));
        all.extend(in_order(datatypes));
        all.extend(["int rank".to_owned(), "int ranks".to_owned()]);
        if self.program.procedures[id].kind == ProcedureKind::Internal {
            all.push("double *results".to_owned());
            if self.has_object() {
                all.push(format!("struct storage{} *held", self.number));
            }
        }
        all
    }

    /// The first line of a function.
    fn head(&self, id: ProcedureId) -> String {
        let linkage = if self.program.procedures[id].kind == ProcedureKind::External { "" } else { "static " };
        wrapped(&format!("{linkage}void {}({})", self.procedure_name(id), self.parameters(id).join(", ")))
    }

    /// Declarations of all functions.
    pub(super) fn prototypes(&self) -> String {
        (0..self.program.procedures.len()).map(|id| format!("{};\n", self.head(id))).collect()
    }

    pub(super) fn functions(&self) -> String {
        let function = |id| {
            let (declarations, statements) = self.unit(Some(id));
            format!("{}\n{{\n{declarations}{statements}}}\n\n", self.head(id))
        };
        (0..self.program.procedures.len()).map(function).collect()
    }

    /// The main unit of the program as a function.
    pub(super) fn main_unit(&self) -> String {
        let (declarations, statements) = self.unit(None);
        let number = self.number;
        format!("static void case{number}(int rank, int ranks, double *results)\n{{\n{declarations}{statements}}}\n\n")
    }

    /// What a unit declares, and what it does.
    pub(super) fn unit(&self, unit: Option<ProcedureId>) -> (String, String) {
        let second_names = self.second_names(unit);
        let mut text = if unit.is_none() { self.allocations() } else { String::new() };
        for (&array, &offset) in &second_names {
            let of = type_name(self.program.arrays[array].element);
            let name = self.array_name(unit, array);
            let start = if offset == 0 { name } else { format!("{name} + {offset}") };
            let _ = writeln!(text, "    {of} *p{array} = {start};");
        }
        let mut block = Block::new(self, unit, second_names);
        block.statements(self.body_of(unit));
        let (statements, needs) = block.end();
        text.push_str(&statements);
        if unit.is_none() {
            text.push_str(&self.releases(needs.end));
        }
        let declarations = self.declarations(unit, &needs);
        (declarations, text)
    }

    fn declarations(&self, unit: Option<ProcedureId>, needs: &Needs) -> String {
        let mut lines = Vec::new();
        for &counter in &needs.counters {
            let of = self.memory.counters.get(&counter).map_or("int", |counter| CounterType::name(*counter));
            lines.push(format!("{of} {}", self.scalar_name(unit, counter)));
        }
        let is_own = |home: Home| match home {
            Home::Main | Home::Saved | Home::Over(..) => unit.is_none(),
            Home::Module | Home::Common => false,
            Home::Procedure(owner) | Home::Argument(owner, _) => unit == Some(owner),
        };
        let statics = self.arrays_at(Place::Static, &is_own);
        lines.extend(statics.into_iter().map(|line| format!("static {line}")));
        lines.extend(self.arrays_at(Place::Local, &is_own));
        lines.extend(self.local_scalars(&is_own));
        if unit.is_none() && self.has_object() {
            let objects = if self.style.object_pointer { "own, *held = &own" } else { "held" };
            lines.push(format!("struct storage{} {objects}", self.number));
        }
        lines.extend(self.local_handles(unit, &is_own));
        let status = match self.style.statuses {
            Statuses::Variable => "MPI_Status status",
            Statuses::Element => "MPI_Status statuses[2]",
        };
        let optional = [
            (needs.status, status.to_owned()),
            (needs.all_statuses > 0, format!("MPI_Status all_statuses[{}]", needs.all_statuses)),
            (needs.communicator, "MPI_Comm comm = MPI_COMM_WORLD".to_owned()),
            (needs.code, "int rc".to_owned()),
            (needs.flag, "int flag".to_owned()),
            (needs.index, "int index".to_owned()),
        ];
        lines.extend(optional.into_iter().filter(|(is_needed, _)| *is_needed).map(|(_, line)| line));
        lines.extend(needs.posted.iter().map(|requests| format!("int posted{requests}")));
        lines.into_iter().map(|line| format!("    {line};\n")).collect()
    }

    fn local_scalars(&self, is_own: &dyn Fn(Home) -> bool) -> Vec<String> {
        let is_declared = |id: &ScalarId| {
            let home = self.program.scalars[*id].home;
            self.memory.scalar(*id) == Place::Local
                && is_own(home)
                && !matches!(home, Home::Argument(..))
                && self.memory.is_scalar_used(*id)
                && !self.memory.counters.contains_key(id)
        };
        (0..self.program.scalars.len()).filter(is_declared).map(|id| self.scalar_declaration(id)).collect()
    }

    /// The requests without elements that only this unit uses.
    pub(super) fn single_requests(&self, unit: Option<ProcedureId>) -> Vec<RequestId> {
        let used = Used::of(self.body_of(unit)).requests;
        let is_single = |id: &RequestId| {
            let request = self.program.requests[*id];
            request.home == RequestHome::Unit && request.length.is_none()
        };
        used.into_iter().filter(is_single).collect()
    }

    fn local_handles(&self, unit: Option<ProcedureId>, is_own: &dyn Fn(Home) -> bool) -> Vec<String> {
        let used = Used::of(self.body_of(unit)).requests;
        let own = |id: &RequestId| self.program.requests[*id].home == RequestHome::Unit;
        let own: Vec<RequestId> = used.into_iter().filter(own).collect();
        let singles = self.single_requests(unit).len();
        let mut lines: Vec<String> = match self.style.requests {
            Requests::Members if own.is_empty() => Vec::new(),
            Requests::Members => {
                let members: Vec<String> =
                    own.iter().map(|&id| format!("        {};\n", self.request_declaration(id))).collect();
                vec![format!("struct {{\n{}    }} pending", members.concat())]
            }
            Requests::Variables => own.iter().map(|&id| self.request_declaration(id)).collect(),
            Requests::Elements => {
                let arrays = own.iter().filter(|id| self.program.requests[**id].length.is_some());
                let single = (singles > 0).then(|| format!("MPI_Request requests[{singles}]"));
                arrays.map(|&id| self.request_declaration(id)).chain(single).collect()
            }
        };
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            let is_local = self.memory.datatype(id) == Place::Local && is_own(datatype.home);
            if is_local && !matches!(datatype.home, Home::Argument(..)) {
                lines.push(format!("MPI_Datatype {}", self.datatype_name(id)));
            }
        }
        lines
    }

    /// The variables outside of all functions.
    pub(super) fn file_variables(&self) -> String {
        let mut text = String::new();
        let structures = [
            (Place::Object, format!("struct storage{} {{\n", self.number), "};\n".to_owned()),
            (Place::FileObject, "static struct {\n".to_owned(), format!("}} held_{};\n", self.number)),
            (Place::Shared, "static struct {\n".to_owned(), format!("}} shared_{};\n", self.number)),
        ];
        for (place, begin, end) in structures {
            let members = self.members(place);
            if !members.is_empty() {
                let _ = write!(text, "{begin}{members}{end}");
            }
        }
        for line in self.arrays_at(Place::File, &|_| true) {
            let _ = writeln!(text, "static {line};");
        }
        for id in 0..self.program.scalars.len() {
            let is_kept = self.memory.is_scalar_used(id) && !self.memory.counters.contains_key(&id);
            if self.memory.scalar(id) == Place::File && is_kept {
                let _ = writeln!(text, "static {};", self.scalar_declaration(id));
            }
        }
        for (id, request) in self.program.requests.iter().enumerate() {
            if matches!(request.home, RequestHome::Module | RequestHome::Common) {
                let _ = writeln!(text, "static {};", self.request_declaration(id));
            }
        }
        for id in 0..self.program.datatypes.len() {
            if self.memory.datatype(id) == Place::File {
                let _ = writeln!(text, "static MPI_Datatype {};", self.datatype_name(id));
            }
        }
        text
    }

    /// Which arrays have second names in a unit, and how far behind their beginnings those point.
    fn second_names(&self, unit: Option<ProcedureId>) -> BTreeMap<ArrayId, i64> {
        let mut names = BTreeMap::new();
        if !self.style.second_names {
            return names;
        }
        for id in Used::of(self.body_of(unit)).arrays {
            let array = &self.program.arrays[id];
            let mut random = fastrand::Rng::with_seed(self.style.seed ^ (id as u64) << 8);
            let is_fit = id != RESULTS
                && self.memory.holdings[id].form == Form::Vector
                && array.element == Element::Double
                && array.length > 4;
            if is_fit && random.usize(0..100) < 40 {
                names.insert(id, random.i64(0..4));
            }
        }
        names
    }

    /// The arrays that come to life when the program begins.
    fn allocated(&self) -> impl Iterator<Item = ArrayId> {
        (0..self.program.arrays.len()).filter(|&id| self.memory.holdings[id].is_allocated && self.memory.is_used(id))
    }

    fn allocations(&self) -> String {
        let mut text = String::new();
        for id in self.allocated() {
            let array = &self.program.arrays[id];
            let (name, of) = (self.array_name(None, id), type_name(array.element));
            let (rows, columns) = (self.number(array.rows), self.number(array.columns()));
            let memory = match (self.memory.holdings[id].form, self.style.explicit_casts) {
                (Form::Table, _) => format!("table({columns}, {rows})"),
                (Form::Nested, _) => format!("fresh({columns} * sizeof *{name})"),
                (Form::Flat, _) => format!("fresh((size_t){columns} * {rows} * sizeof *{name})"),
                (Form::Vector, true) => format!("({of} *)malloc({rows} * sizeof({of}))"),
                (Form::Vector, false) => format!("malloc({rows} * sizeof *{name})"),
            };
            let _ = writeln!(text, "    {name} = {memory};");
        }
        text
    }

    /// Does the main unit free its memory?
    pub(super) fn frees_memory(&self) -> bool {
        self.style.frees && self.allocated().next().is_some()
    }

    fn releases(&self, has_label: bool) -> String {
        let mut text = if has_label { "end:\n".to_owned() } else { String::new() };
        for id in self.allocated().filter(|_| self.frees_memory()) {
            let name = self.array_name(None, id);
            if self.memory.holdings[id].form == Form::Table {
                let _ = writeln!(text, "    free({name}[0]);");
            }
            let _ = writeln!(text, "    free({name});");
        }
        text
    }
}

fn in_order(found: impl Iterator<Item = (usize, String)>) -> Vec<String> {
    let found: BTreeMap<usize, String> = found.collect();
    found.into_values().collect()
}

/// A long line in several: it goes on behind blanks.
fn wrapped(line: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in line.split(' ') {
        if width + word.len() > 110 {
            text.push_str("\n       ");
            width = 7;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        width += word.len() + 1;
    }
    text
}
