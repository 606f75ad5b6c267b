//! Names and declarations of what a program knows MPI's objects by: requests and datatypes.
//!
//! The names say what the variables are, so that what becomes of calls with them can be counted
//! ([`Subject::of_call`](crate::random_programs::subjects::Subject::of_call)).

use std::fmt::Write as _;

use super::Writer;
use crate::random_programs::program::{
    DatatypeId, Home, Interface, ProcedureId, ProcedureKind, RequestHome, RequestId,
};
use crate::random_programs::used_names::Used;

impl Writer<'_> {
    /// The name of a request variable, as the unit knows it.
    pub(super) fn request_name(&self, unit: Option<ProcedureId>, id: RequestId) -> String {
        match self.program.requests[id].home {
            RequestHome::Unit => format!("request{id}"),
            RequestHome::Module => format!("module_request{id}_{}", self.number),
            RequestHome::Common => format!("common_request{id}{}", if self.is_renamed(unit) { "x" } else { "" }),
            RequestHome::Argument(..) => format!("handed_request{id}"),
        }
    }

    /// The name of a variable for datatypes.
    pub(super) fn datatype_name(&self, id: DatatypeId) -> String {
        match self.program.datatypes[id].home {
            Home::Argument(..) => format!("handed_type{id}"),
            home => format!("layout{id}{}", self.suffix(home)),
        }
    }

    fn handle_type(&self, of: &str) -> String {
        match self.program.style.interface {
            Interface::Module2008 => format!("type(mpi_{of})"),
            Interface::IncludeFile | Interface::Module => "integer".to_owned(),
        }
    }

    fn request_declaration(&self, unit: Option<ProcedureId>, id: RequestId) -> String {
        let request = self.program.requests[id];
        let is_handed = matches!(request.home, RequestHome::Argument(..));
        let shape = match request.length {
            None => String::new(),
            Some(_) if is_handed && self.program.style.assumed_size => "(*)".to_owned(),
            Some(length) => format!("({length})"),
        };
        format!("  {} :: {}{shape}\n", self.handle_type("request"), self.request_name(unit, id))
    }

    /// What a unit declares of them.
    pub(super) fn handles(&self, unit: Option<ProcedureId>) -> String {
        let mut text = String::new();
        let used = Used::of(self.body_of(unit)).requests;
        let is_internal = unit.is_some_and(|unit| self.program.procedures[unit].kind == ProcedureKind::Internal);
        let mut common = Vec::new();
        for (id, request) in self.program.requests.iter().enumerate() {
            let is_own = match request.home {
                RequestHome::Unit => used.contains(&id),
                RequestHome::Module => false,
                RequestHome::Common => !is_internal,
                RequestHome::Argument(owner, _) => unit == Some(owner),
            };
            if is_own {
                text.push_str(&self.request_declaration(unit, id));
            }
            if is_own && request.home == RequestHome::Common {
                common.push(self.request_name(unit, id));
            }
        }
        if !common.is_empty() {
            let _ = writeln!(text, "  common /pending{}/ {}", self.number, common.join(", &\n    "));
        }
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            let is_own = match datatype.home {
                Home::Argument(owner, _) | Home::Procedure(owner) => unit == Some(owner),
                Home::Module => false,
                _ => unit.is_none(),
            };
            if is_own {
                let _ = writeln!(text, "  {} :: {}", self.handle_type("datatype"), self.datatype_name(id));
            }
        }
        text
    }

    /// Are some of them in the module?
    pub(super) fn has_module_handles(&self) -> bool {
        self.program.requests.iter().any(|request| request.home == RequestHome::Module)
            || self.program.datatypes.iter().any(|datatype| datatype.home == Home::Module)
    }

    /// What the module declares of them.
    pub(super) fn module_handles(&self) -> String {
        let mut text = String::new();
        for (id, request) in self.program.requests.iter().enumerate() {
            if request.home == RequestHome::Module {
                text.push_str(&self.request_declaration(None, id));
            }
        }
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            if datatype.home == Home::Module {
                let _ = writeln!(text, "  {} :: {}", self.handle_type("datatype"), self.datatype_name(id));
            }
        }
        text
    }

    /// The dummy arguments of a procedure that are requests, then those that are datatypes.
    pub(super) fn dummy_handles(&self, unit: ProcedureId) -> Vec<String> {
        let mut requests: Vec<(usize, String)> = Vec::new();
        for (id, request) in self.program.requests.iter().enumerate() {
            match request.home {
                RequestHome::Argument(owner, place) if owner == unit => {
                    requests.push((place, self.request_name(Some(unit), id)));
                }
                _ => {}
            }
        }
        let mut datatypes: Vec<(usize, String)> = Vec::new();
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            match datatype.home {
                Home::Argument(owner, place) if owner == unit => datatypes.push((place, self.datatype_name(id))),
                _ => {}
            }
        }
        requests.sort();
        datatypes.sort();
        requests.into_iter().chain(datatypes).map(|(_, name)| name).collect()
    }
}
