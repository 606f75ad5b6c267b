//! Procedures of the module that are bound to a type, and called through an object of it.

use std::fmt::Write as _;

use super::Writer;
use crate::random_programs::program::{Calls, ProcedureId, ProcedureKind};

impl Writer<'_> {
    fn is_bound(&self, id: ProcedureId) -> bool {
        self.program.style.calls != Calls::ByName && self.program.procedures[id].kind == ProcedureKind::Module
    }

    fn has_bound(&self) -> bool {
        (0..self.program.procedures.len()).any(|id| self.is_bound(id))
    }

    /// A type whose procedures do nothing, and one that extends it with those that do the work.
    pub(super) fn types_with_procedures(&self) -> String {
        let number = self.number;
        if !self.has_bound() {
            return String::new();
        }
        let bindings = |prefix: &str| {
            let bound = (0..self.program.procedures.len()).filter(|&id| self.is_bound(id));
            bound.fold(String::new(), |mut text, id| {
                let _ = writeln!(text, "    procedure, nopass :: run{id} => {prefix}{}", self.procedure_name(id));
                text
            })
        };
        format!(
            "  type :: idler{number}\n  contains\n{}  end type idler{number}\n  \
             type, extends(idler{number}) :: worker{number}\n  contains\n{}  end type worker{number}\n",
            bindings("idle_"),
            bindings("")
        )
    }

    /// The procedure that the type has which the other one extends.
    pub(super) fn idle_procedure(&self, id: ProcedureId) -> String {
        match self.is_bound(id) {
            true => self.procedure_with(id, &format!("idle_{}", self.procedure_name(id)), "", false),
            false => String::new(),
        }
    }

    /// The object that the main unit calls through.
    pub(super) fn object_with_procedures(&self) -> String {
        let number = self.number;
        match self.program.style.calls {
            _ if !self.has_bound() => String::new(),
            Calls::ByName => String::new(),
            Calls::ThroughType => format!("  type(worker{number}) :: doer\n"),
            Calls::ThroughClass => {
                format!("  type(worker{number}), target :: own\n  class(idler{number}), pointer :: doer\n")
            }
        }
    }

    /// What comes before all other statements of the main unit.
    pub(super) fn object_set_up(&self) -> String {
        let is_needed = self.program.style.calls == Calls::ThroughClass && self.has_bound();
        if is_needed { "  doer => own\n".to_owned() } else { String::new() }
    }

    /// What a unit calls the procedure.
    pub(super) fn called_name(&self, unit: Option<ProcedureId>, id: ProcedureId) -> String {
        let sees_object = unit.is_none_or(|unit| self.program.procedures[unit].kind == ProcedureKind::Internal);
        if sees_object && self.is_bound(id) { format!("doer%run{id}") } else { self.procedure_name(id) }
    }
}
