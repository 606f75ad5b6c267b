//! Names and declarations of what a program consists of, as C.

use std::fmt::Write as _;

use super::memory::{Form, Place};
use super::style::Parameters;
use super::{Writer, type_name};
use crate::random_programs::program::{
    ArrayId, Calls, DatatypeId, Element, Home, ProcedureId, ProcedureKind, RESULTS, RequestHome, RequestId, ScalarId,
};

impl Writer<'_> {
    /// Names outside of functions must differ from those of other programs in the file.
    fn suffix(&self, place: Place) -> String {
        if place == Place::File { format!("_{}", self.number) } else { String::new() }
    }

    /// The object in front of the name of a variable.
    fn object(&self, unit: Option<ProcedureId>, place: Place) -> String {
        match place {
            Place::Local | Place::Static | Place::File => String::new(),
            Place::FileObject => format!("held_{}.", self.number),
            Place::Shared => format!("shared_{}.", self.number),
            Place::Object if unit.is_none() && !self.style.object_pointer => "held.".to_owned(),
            Place::Object => "held->".to_owned(),
        }
    }

    /// The array, as the unit knows it.
    pub(super) fn array_name(&self, unit: Option<ProcedureId>, id: ArrayId) -> String {
        let holding = &self.memory.holdings[id];
        if let Some((group, row)) = holding.row {
            return format!("{}[{row}]", self.rows_name(group));
        }
        self.object(unit, holding.place) + &self.plain_array_name(id)
    }

    fn rows_name(&self, group: usize) -> String {
        format!("rows{group}{}", self.suffix(self.memory.rows[group].place))
    }

    fn plain_array_name(&self, id: ArrayId) -> String {
        if id == RESULTS {
            return "results".to_owned();
        }
        let letter = match self.program.arrays[id].element {
            Element::Double => "a",
            Element::Single => "s",
            Element::Integer => "m",
        };
        format!("{letter}{id}{}", self.suffix(self.memory.holdings[id].place))
    }

    /// The scalar, as the unit knows it.
    pub(super) fn scalar_name(&self, unit: Option<ProcedureId>, id: ScalarId) -> String {
        if self.memory.counters.contains_key(&id) {
            return ["i", "j", "k", "step"].get(id).map_or_else(|| format!("i{id}"), |&name| name.to_owned());
        }
        let place = self.memory.scalar(id);
        self.object(unit, place) + &self.plain_scalar_name(id)
    }

    fn plain_scalar_name(&self, id: ScalarId) -> String {
        let letter = if self.program.scalars[id].is_integer { "k" } else { "x" };
        format!("{letter}{id}{}", self.suffix(self.memory.scalar(id)))
    }

    /// The name of a request variable; the names say what it is.
    pub(super) fn request_name(&self, id: RequestId) -> String {
        match self.program.requests[id].home {
            RequestHome::Unit => format!("request{id}"),
            RequestHome::Module => format!("module_request{id}_{}", self.number),
            RequestHome::Common => format!("common_request{id}_{}", self.number),
            RequestHome::Argument(..) => format!("handed_request{id}"),
        }
    }

    pub(super) fn datatype_name(&self, id: DatatypeId) -> String {
        match self.program.datatypes[id].home {
            Home::Argument(..) => format!("handed_type{id}"),
            _ => format!("layout{id}{}", self.suffix(self.memory.datatype(id))),
        }
    }

    pub(super) fn procedure_name(&self, id: ProcedureId) -> String {
        format!("work{}_{id}", self.number)
    }

    /// What a unit calls the procedure.
    pub(super) fn called_name(&self, unit: Option<ProcedureId>, id: ProcedureId) -> String {
        let sees_table = unit.is_none_or(|unit| self.program.procedures[unit].kind == ProcedureKind::Internal);
        match self.program.style.calls {
            Calls::ThroughType if sees_table && self.is_in_table(id) => format!("worker{}.run{id}", self.number),
            Calls::ThroughClass if sees_table && self.is_in_table(id) => format!("doer{}->run{id}", self.number),
            _ => self.procedure_name(id),
        }
    }

    /// Is the function called through a table of functions?
    pub(super) fn is_in_table(&self, id: ProcedureId) -> bool {
        self.program.style.calls != Calls::ByName && self.program.procedures[id].kind == ProcedureKind::Module
    }

    /// The declaration of an array that is no parameter.
    pub(super) fn array_declaration(&self, id: ArrayId) -> String {
        let (array, holding) = (&self.program.arrays[id], &self.memory.holdings[id]);
        let (of, name) = (type_name(array.element), self.plain_array_name(id));
        let (rows, columns) = (self.number(array.rows), self.number(array.columns()));
        match (holding.form, holding.is_allocated) {
            (Form::Table, _) => format!("{of} **{name}"),
            (Form::Nested, true) => format!("{of} (*{name})[{rows}]"),
            (Form::Vector | Form::Flat, true) => format!("{of} *{name}"),
            (Form::Nested, false) => format!("{of} {name}[{columns}][{rows}]"),
            (Form::Flat, false) => format!("{of} {name}[{columns} * {rows}]"),
            (Form::Vector, false) => format!("{of} {name}[{rows}]"),
        }
    }

    /// The declaration of an array on the memory of another one: a pointer.
    pub(super) fn overlay(&self, id: ArrayId, base: ArrayId, offset: usize) -> String {
        let (array, name) = (&self.program.arrays[id], self.plain_array_name(id));
        let (of, rows) = (type_name(array.element), self.number(array.rows));
        let start = self.plain_array_name(base);
        let start = match self.memory.holdings[base].form {
            Form::Nested => format!(
                "&{start}[{}][{}]",
                offset / self.program.arrays[base].rows,
                offset % self.program.arrays[base].rows
            ),
            _ if offset == 0 => start,
            _ => format!("{start} + {offset}"),
        };
        match self.memory.holdings[id].form {
            Form::Nested => format!("{of} (*const {name})[{rows}] = ({of} (*)[{rows}])({start})"),
            _ => format!("{of} *const {name} = {start}"),
        }
    }

    /// The declaration of an array as a parameter.
    pub(super) fn array_parameter(&self, id: ArrayId) -> String {
        let (array, name) = (&self.program.arrays[id], self.plain_array_name(id));
        let (of, rows) = (type_name(array.element), self.number(array.rows));
        let restrict = if self.style.restrict { "restrict " } else { "" };
        match (self.memory.holdings[id].form, self.style.parameters) {
            (Form::Nested, Parameters::Pointers) => format!("{of} (*{restrict}{name})[{rows}]"),
            (Form::Nested, _) => format!("{of} {name}[{}][{rows}]", restrict.trim_end()),
            (_, Parameters::Pointers) => format!("{of} *{restrict}{name}"),
            (_, Parameters::Unsized) => format!("{of} {name}[{}]", restrict.trim_end()),
            (_, Parameters::Sized) => format!("{of} {name}[{restrict}{}]", self.number(array.length)),
        }
    }

    pub(super) fn scalar_declaration(&self, id: ScalarId) -> String {
        let of = if self.program.scalars[id].is_integer { "int" } else { "double" };
        format!("{of} {}", self.plain_scalar_name(id))
    }

    /// The declaration of a request variable that is no parameter.
    pub(super) fn request_declaration(&self, id: RequestId) -> String {
        let shape = self.program.requests[id].length.map_or(String::new(), |length| format!("[{length}]"));
        format!("MPI_Request {}{shape}", self.request_name(id))
    }

    /// The declaration of a request variable as a parameter: a pointer in any case.
    pub(super) fn request_parameter(&self, id: RequestId) -> String {
        let name = self.request_name(id);
        match (self.program.requests[id].length, self.style.parameters) {
            (Some(_), Parameters::Unsized) => format!("MPI_Request {name}[]"),
            (Some(length), Parameters::Sized) => format!("MPI_Request {name}[{length}]"),
            _ => format!("MPI_Request *{name}"),
        }
    }

    /// The members of an object, or of what is shared: declarations.
    pub(super) fn members(&self, place: Place) -> String {
        let mut text = String::new();
        for (id, holding) in self.memory.holdings.iter().enumerate() {
            if holding.place == place && self.memory.is_used(id) {
                let _ = writeln!(text, "    {};", self.array_declaration(id));
            }
        }
        for id in 0..self.program.scalars.len() {
            let is_kept = !self.memory.counters.contains_key(&id) && self.memory.is_scalar_used(id);
            if self.memory.scalar(id) == place && is_kept {
                let _ = writeln!(text, "    {};", self.scalar_declaration(id));
            }
        }
        text
    }

    /// Is there an object of the main unit?
    pub(super) fn has_object(&self) -> bool {
        !self.members(Place::Object).is_empty()
    }

    /// Declarations of arrays, and of rows of them, that stand at this place and that `is_own` accepts.
    pub(super) fn arrays_at(&self, place: Place, is_own: &dyn Fn(Home) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut groups: Vec<usize> = Vec::new();
        for (id, array) in self.program.arrays.iter().enumerate() {
            let holding = &self.memory.holdings[id];
            if id == RESULTS || holding.place != place || !self.memory.is_used(id) || !is_own(array.home) {
                continue;
            }
            match (array.home, holding.row) {
                (Home::Argument(..), _) => {}
                (Home::Over(base, offset), _) => lines.push(self.overlay(id, base, offset)),
                (_, Some((group, _))) if groups.contains(&group) => {}
                (_, Some((group, _))) => {
                    groups.push(group);
                    let rows = &self.memory.rows[group];
                    let (of, name) = (type_name(rows.element), self.rows_name(group));
                    lines.push(format!("{of} {name}[{}][{}]", rows.rows, rows.width));
                }
                _ => lines.push(self.array_declaration(id)),
            }
        }
        // What lies on the memory of another one comes behind it.
        lines.sort_by_key(|line| line.contains(" = "));
        lines
    }
}
