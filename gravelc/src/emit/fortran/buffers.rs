//! What waits and starts name as their buffer: the variable that holds a message, as the procedure that is written knows it.

use super::super::EmitError;
use super::calls::Writer;
use super::meanings::Form;
use crate::ir::{Expression, ExpressionKind, Place, ProcedureId, StatementKind, SymbolId};
use crate::plan::{MessageOf, StepOperation};

impl<'a> Writer<'a> {
    /// The variable that holds a message, as a whole and in the program's own spelling: its subscripts may have changed
    /// since the post.
    pub(super) fn whole_buffer(&self, which: MessageOf) -> Result<String, EmitError> {
        if let Some(argument) = which.argument {
            let name = &self.procedure.symbol(argument).name;
            let text = format!("{name}{}", self.component_of_another(argument, which).unwrap_or_default());
            self.note(&text, Form::of_name(&text));
            return Ok(text);
        }
        if let (Some(other), Some(call)) = (which.procedure, which.beside_request_of) {
            let text = self.buffer_in_object(other, which, call)?;
            // What leads to an element of an array of objects is compared where the request beside it is written.
            if !text.contains('(') {
                self.note(&text, Form::of_name(&text));
            }
            return Ok(text);
        }
        if let Some(other) = which.procedure {
            let text = self.buffer_of_another(other, which)?;
            self.note(&text, Form::of_name(&text));
            return Ok(text);
        }
        let buffer = &self.message(which, "a wait")?.buffer;
        if let ExpressionKind::Part { .. } = buffer.kind {
            return Ok(self.text(buffer));
        }
        let whole = buffer.designated().ok_or_else(|| self.wrong_statement(which.call, "a wait"))?;
        let name = &self.procedure.symbol(whole).name;
        let spelled = self.text_alone(buffer);
        let in_its_spelling = spelled.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
        let text = in_its_spelling.map_or_else(|| name.clone(), str::to_string);
        let whole = Expression::new(ExpressionKind::Symbol(whole), buffer.span);
        self.note(&text, self.forms(|forms| forms.form(&whole)));
        Ok(text)
    }

    /// What leads to the buffer of a call in another procedure from the object that this one has handed over.
    fn component_of_another(&self, argument: SymbolId, which: MessageOf) -> Option<String> {
        let other = self.program.procedure(which.procedure?);
        let StatementKind::Communication(communication) = &other.statement(which.call).kind else { return None };
        let buffer = communication.described(which.direction)?.buffer.designated()?;
        let is_object = other.symbol(buffer).holder().is_some() && self.procedure.symbol(argument).holder().is_none();
        let path = other.symbol(buffer).path().filter(|_| is_object)?;
        Some(path.members_written(self.procedure.dialect().component_separator()))
    }

    /// The name that this procedure has for the buffer of a call in another one: its own, or that of the module.
    fn buffer_of_another(&self, other: ProcedureId, which: MessageOf) -> Result<String, EmitError> {
        let place = self.place_of_another(other, which).ok_or_else(|| self.wrong_statement(which.call, "a wait"))?;
        let own = self.procedure.symbols.iter().find(|symbol| symbol.shared_variable() == Some(place));
        let name = own.map(|own| own.name.as_str()).or(place.declared_name());
        Ok(name.ok_or_else(|| self.wrong_statement(which.call, "a wait"))?.to_string())
    }

    fn place_of_another(&self, other: ProcedureId, which: MessageOf) -> Option<&'a Place> {
        let other = self.program.procedure(other);
        let StatementKind::Communication(communication) = &other.statement(which.call).kind else { return None };
        other.symbol(communication.described(which.direction)?.buffer.designated()?).shared_variable()
    }

    /// Module and name of the buffers of calls in other procedures that the step names and that this procedure has to
    /// import.
    pub fn imported_buffers(&self, operation: &StepOperation) -> Vec<(String, String)> {
        let which = match operation {
            StepOperation::Wait { buffer_of: Some(which), .. }
            | StepOperation::Complete { buffer_of: Some(which), .. }
            | StepOperation::Start { buffer_of: Some(which), .. }
            | StepOperation::SynchroniseBuffer { buffer_of: which } => *which,
            _ => return Vec::new(),
        };
        let other = which.procedure.filter(|_| which.argument.is_none() && which.beside_request_of.is_none());
        let place = other.and_then(|other| self.place_of_another(other, which));
        let is_own =
            |place: &&Place| self.procedure.symbols.iter().any(|own| !own.lent && own.shared_variable() == Some(place));
        let variable = place.filter(|place| !is_own(place)).and_then(Place::import);
        let Some((module, name)) = variable else { return Vec::new() };
        if self.program.is_inside_module(self.procedure, module) {
            return Vec::new();
        }
        vec![(module.to_string(), name.to_string())]
    }
}
