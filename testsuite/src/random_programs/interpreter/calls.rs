//! Calls of procedures of an interpreted program.

use super::requests::RequestBinding;
use super::*;

/// The memory of an argument.
#[derive(Clone, Copy)]
pub(super) struct Binding {
    pub(super) root: ArrayId,
    pub(super) offset: usize,
}

impl Process<'_> {
    /// What the dummy arguments of a procedure stand for, by kinds; checked before any of them is bound.
    pub(super) fn bind(&mut self, procedure: ProcedureId, arguments: &Arguments) -> Result<(), Invalid> {
        let arrays = self.bound_arrays(procedure, arguments)?;
        let requests = self.bound_requests(procedure, arguments)?;
        let mut datatypes: Vec<(DatatypeId, DatatypeId)> = Vec::new();
        let mut own_datatypes = Vec::new();
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            match datatype.home {
                Home::Argument(owner, position) if owner == procedure => {
                    let Some(actual) = arguments.datatypes.get(position) else { return Err("an argument is missing") };
                    datatypes.push((id, self.datatype_root(*actual)?));
                }
                Home::Procedure(owner) if owner == procedure => own_datatypes.push(id),
                _ => {}
            }
        }
        let mut values = Vec::new();
        for (id, scalar) in self.program.scalars.iter().enumerate() {
            match scalar.home {
                Home::Argument(owner, position) if owner == procedure => {
                    let Some(actual) = arguments.integers.get(position) else { return Err("an argument is missing") };
                    values.push((id, Some(self.integer_or_name(actual)? as f64)));
                }
                Home::Procedure(owner) if owner == procedure => values.push((id, None)),
                _ => {}
            }
        }
        self.frozen.push(usize::MAX);
        for actual in &arguments.integers {
            if let Expression::Scalar(scalar) = actual {
                self.frozen.push(*scalar);
            }
        }
        arrays.into_iter().for_each(|(id, binding)| self.bindings[id] = Some(binding));
        requests.into_iter().for_each(|(id, binding)| self.request_bindings[id] = Some(binding));
        datatypes.into_iter().for_each(|(id, root)| self.datatype_bindings[id] = Some(root));
        own_datatypes.into_iter().for_each(|id| self.datatypes[id] = None);
        values.into_iter().for_each(|(id, value)| self.scalars[id] = value);
        Ok(())
    }

    fn bound_arrays(&self, procedure: ProcedureId, arguments: &Arguments) -> Result<Vec<(ArrayId, Binding)>, Invalid> {
        let mut bound: Vec<(ArrayId, Binding)> = Vec::new();
        for (id, array) in self.program.arrays.iter().enumerate() {
            let Home::Argument(owner, position) = array.home else { continue };
            if owner != procedure {
                continue;
            }
            let Some((actual, index)) = arguments.arrays.get(position) else { return Err("an argument is missing") };
            let (root, offset) = self.locate_start(*actual, index)?;
            let passed = &self.program.arrays[*actual];
            if passed.element != array.element || self.end_of(*actual)? < offset + array.length {
                return Err("an argument does not fit");
            }
            bound.push((id, Binding { root, offset }));
        }
        let overlap = |(one, a): &(ArrayId, Binding), (other, b): &(ArrayId, Binding)| {
            let length = |id: ArrayId| self.program.arrays[id].length;
            a.root == b.root && a.offset < b.offset + length(*other) && b.offset < a.offset + length(*one)
        };
        if (1..bound.len()).any(|this| bound[..this].iter().any(|other| overlap(other, &bound[this]))) {
            return Err("two arguments share memory");
        }
        Ok(bound)
    }

    fn bound_requests(
        &self,
        procedure: ProcedureId,
        arguments: &Arguments,
    ) -> Result<Vec<(RequestId, RequestBinding)>, Invalid> {
        let mut bound: Vec<(RequestId, RequestBinding)> = Vec::new();
        for (id, dummy) in self.program.requests.iter().enumerate() {
            let RequestHome::Argument(owner, position) = dummy.home else { continue };
            if owner != procedure {
                continue;
            }
            let Some(handed) = arguments.requests.get(position) else { return Err("an argument is missing") };
            let actual = self.handed_requests(handed)?;
            let binding = match (dummy.length, actual.length) {
                (None, None) => actual,
                // An element of an array.
                (None, Some(_)) if matches!(handed.part, HandedPart::From(_)) => {
                    RequestBinding { base: actual.base + 1, length: None, ..actual }
                }
                (Some(wanted), Some(length)) if wanted <= length => RequestBinding { length: Some(wanted), ..actual },
                _ => return Err("an argument does not fit"),
            };
            if bound.iter().any(|(_, other)| other.overlaps(&binding)) {
                return Err("two arguments share memory");
            }
            bound.push((id, binding));
        }
        Ok(bound)
    }

    /// Ends what was bound for a procedure.
    pub(super) fn unbind(&mut self, procedure: ProcedureId) {
        for (id, array) in self.program.arrays.iter().enumerate() {
            match array.home {
                Home::Argument(owner, _) if owner == procedure => self.bindings[id] = None,
                Home::Procedure(owner) if owner == procedure => self.memory[id].fill(None),
                _ => {}
            }
        }
        for (id, request) in self.program.requests.iter().enumerate() {
            if matches!(request.home, RequestHome::Argument(owner, _) if owner == procedure) {
                self.request_bindings[id] = None;
            }
        }
        for (id, datatype) in self.program.datatypes.iter().enumerate() {
            if matches!(datatype.home, Home::Argument(owner, _) if owner == procedure) {
                self.datatype_bindings[id] = None;
            }
        }
    }
}
