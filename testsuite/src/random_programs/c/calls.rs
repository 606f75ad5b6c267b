//! Calls of a program's own functions as C, and the functions that stand for calls of MPI.

use std::fmt::Write as _;

use super::Writer;
use super::memory::Form;
use super::statements::{Block, Shape};
use super::style::Codes;
use super::type_name;
use crate::random_programs::program::{Arguments, ArrayId, Calls, Home, Index, ProcedureId, ProcedureKind};

impl Block<'_, '_> {
    pub(super) fn call(&mut self, procedure: ProcedureId, handed: &Arguments) {
        let mut arguments: Vec<String> = Vec::new();
        for (position, (array, index)) in handed.arrays.iter().enumerate() {
            arguments.push(self.handed_array(procedure, position, *array, index));
        }
        arguments.extend(handed.integers.iter().map(|integer| self.expression(integer)));
        for requests in &handed.requests {
            let text = self.handed(requests);
            arguments.push(text);
        }
        arguments.extend(handed.datatypes.iter().map(|datatype| self.writer.datatype_name(*datatype)));
        arguments.extend(["rank".to_owned(), "ranks".to_owned()]);
        if self.writer.program.procedures[procedure].kind == ProcedureKind::Internal {
            arguments.push("results".to_owned());
            if self.writer.has_object() {
                let is_object = self.unit.is_none() && !self.writer.style.object_pointer;
                arguments.push(if is_object { "&held" } else { "held" }.to_owned());
            }
        }
        let (name, arguments) = (self.writer.called_name(self.unit, procedure), arguments.join(", "));
        if self.writer.style.function_pointers && !self.writer.is_in_table(procedure) && self.chance(50) {
            let parameters = self.writer.parameters(procedure).join(", ");
            self.open("{");
            self.line(&format!("void (*work)({parameters}) = {name};"));
            self.line(&format!("work({arguments});"));
            self.close("}");
            return self.end_statement(Shape::Several);
        }
        self.simple(&format!("{name}({arguments})"));
    }

    /// An array, from an element on, as the parameter wants it.
    fn handed_array(&self, procedure: ProcedureId, position: usize, array: ArrayId, index: &Index) -> String {
        let writer = self.writer;
        let is_dummy = |id: &ArrayId| writer.program.arrays[*id].home == Home::Argument(procedure, position);
        let dummy = (0..writer.program.arrays.len()).find(is_dummy);
        let Some(dummy) = dummy.filter(|&dummy| writer.memory.holdings[dummy].form == Form::Nested) else {
            return self.start(array, index);
        };
        let (wanted, found) = (&writer.program.arrays[dummy], &writer.program.arrays[array]);
        let is_same = writer.memory.holdings[array].form == Form::Nested && wanted.rows == found.rows;
        match is_same && index.is_empty() {
            true => self.array(array),
            false => {
                let (of, rows) = (type_name(wanted.element), writer.number(wanted.rows));
                format!("({of} (*)[{rows}])({})", self.start(array, index))
            }
        }
    }
}

impl Writer<'_> {
    /// The name of a function that stands for a call of MPI.
    pub(super) fn helper(&self, what: &'static str) -> String {
        self.helpers.borrow_mut().insert(what);
        format!("{what}_{}", self.number)
    }

    /// The functions that stand for calls of MPI.
    pub(super) fn helper_functions(&self) -> String {
        let mut text = String::new();
        for what in self.helpers.borrow().iter() {
            let (parameters, call) = match *what {
                "send" => (
                    "const double *buffer, int count, int to, int tag",
                    "MPI_Send(buffer, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD)",
                ),
                "post" => (
                    "double *buffer, int count, int from, int tag, MPI_Request *request",
                    "MPI_Irecv(buffer, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, request)",
                ),
                _ => ("MPI_Request *request", "MPI_Wait(request, MPI_STATUS_IGNORE)"),
            };
            let (of, statement) = match self.style.codes {
                Codes::Ignored => ("void", call.to_owned()),
                _ => ("int", format!("return {call}")),
            };
            let number = self.number;
            let _ = writeln!(text, "static {of} {what}_{number}({parameters})\n{{\n    {statement};\n}}\n");
        }
        text
    }

    /// The tables of functions through which others are called.
    pub(super) fn function_tables(&self) -> String {
        let functions: Vec<ProcedureId> =
            (0..self.program.procedures.len()).filter(|&id| self.is_in_table(id)).collect();
        if functions.is_empty() {
            return String::new();
        }
        let number = self.number;
        let mut text = format!("struct worker{number} {{\n");
        for &id in &functions {
            let _ = writeln!(text, "    void (*run{id})({});", self.parameters(id).join(", "));
        }
        let names: Vec<String> =
            functions.iter().map(|&id| format!(".run{id} = {}", self.procedure_name(id))).collect();
        let _ = writeln!(text, "}};\nstatic const struct worker{number} worker{number} = {{{}}};", names.join(", "));
        if self.program.style.calls == Calls::ThroughClass {
            let _ = writeln!(text, "static const struct worker{number} *doer{number} = &worker{number};");
        }
        text
    }
}
