//! The buffers that lie in objects beside their requests.

use crate::ir::{Expression, ExpressionKind, ProcedureId, StatementId, StatementKind, Storage};
use crate::plan::MessageOf;

use super::super::EmitError;
use super::calls::Writer;

impl Writer<'_> {
    /// The object that holds the component which the expression designates, as it is written.
    fn object_of(&self, component: &Expression) -> String {
        let text = match &component.kind {
            ExpressionKind::Part { .. } => self.text_alone(component),
            // The expression may have a name of a construct for the component.
            _ => component.designated().map(|id| self.procedure.symbol(id).name.clone()).unwrap_or_default(),
        };
        last_component(&text).map(|position| text[..position].trim_end().to_string()).unwrap_or_default()
    }

    /// The buffer of a call in another procedure, which is a component beside the request there, beside the request of `call`.
    pub(super) fn buffer_in_object(
        &self,
        other: ProcedureId,
        which: MessageOf,
        call: StatementId,
    ) -> Result<String, EmitError> {
        let wrong = || self.wrong_statement(call, "a buffer in an object");
        let object = self.communication(call, "a request")?.request().map(|request| self.object_of(request));
        let object = object.ok_or_else(wrong)?;
        let other = self.program.procedure(other);
        let StatementKind::Communication(communication) = &other.statement(which.call).kind else {
            return Err(wrong());
        };
        let buffer = communication.described(which.direction).and_then(|message| message.buffer.designated());
        match buffer.map(|buffer| &other.symbol(buffer).storage) {
            Some(Storage::Component { name, .. }) => {
                Ok(format!("{object}{}{}", self.procedure.dialect().component_separator(), name.name))
            }
            _ => Err(wrong()),
        }
    }
}

/// Where the sign stands in front of the component that a designator names last.
fn last_component(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let signs = text.bytes().enumerate().filter(|&(_, byte)| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        byte == b'%' && depth == 0
    });
    signs.last().map(|(position, _)| position)
}
