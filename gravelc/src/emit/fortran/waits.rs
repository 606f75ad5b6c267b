//! The calls that complete requests.

use crate::ir::{Expression, ExpressionKind, Operation, StatementId, Subscript};
use crate::plan::{MessageOf, RequestPlace, StatusPlace};

use super::super::{EmitError, routines};
use super::calls::Writer;

impl Writer<'_> {
    /// A wait for a single request.
    pub(super) fn wait(
        &self,
        request: RequestPlace,
        buffer_of: Option<MessageOf>,
        status: Option<StatusPlace>,
        error_of: Option<StatementId>,
    ) -> Result<String, EmitError> {
        let mut arguments = vec![self.request(request)?];
        let name = match buffer_of {
            Some(buffer_of) => {
                arguments.push(self.whole_buffer(buffer_of)?);
                "gravel_wait"
            }
            None => "gravel_wait_request",
        };
        match status {
            Some(StatusPlace { call, element: Some(element) }) => arguments.extend(self.one_status(call, element)?),
            Some(StatusPlace { call, element: None }) => arguments.extend(self.status(call)?),
            None => {}
        }
        let error = match error_of {
            Some(id) => self.error_argument(id, true)?,
            None => String::new(),
        };
        Ok(format!("call {name}({}{error})", arguments.join(", ")))
    }

    /// A wait for several requests.
    pub(super) fn wait_all(&self, id: StatementId, stores_error: bool) -> Result<String, EmitError> {
        let Operation::WaitAll { count, requests, .. } = &self.communication(id, "a wait")?.operation else {
            return Err(self.wrong_statement(id, "a wait"));
        };
        let mut arguments = vec![self.text(count), self.text(requests)];
        arguments.extend(self.status(id)?);
        let error = self.error_argument(id, stores_error)?;
        Ok(format!("call gravel_waitall({}{error})", arguments.join(", ")))
    }

    /// A test, or a wait for any or some of several requests.
    pub(super) fn completion(
        &self,
        id: StatementId,
        buffer_of: Option<MessageOf>,
        stores_error: bool,
    ) -> Result<String, EmitError> {
        let Operation::Complete { kind, count, requests, completed, indices, flag, .. } =
            &self.communication(id, "a completion")?.operation
        else {
            return Err(self.wrong_statement(id, "a completion"));
        };
        let name = routines::of_completion(*kind, buffer_of.is_some());
        let mut arguments = match count {
            Some(count) => vec![self.text(count), self.text(requests)],
            None => {
                let buffer = buffer_of.map(|buffer_of| self.whole_buffer(buffer_of)).transpose()?;
                [self.text(requests)].into_iter().chain(buffer).collect()
            }
        };
        arguments.extend(completed.iter().chain(indices).chain(flag).map(|stored| self.text(stored)));
        arguments.extend(self.status(id)?);
        let error = self.error_argument(id, stores_error)?;
        Ok(format!("call {name}({}{error})", arguments.join(", ")))
    }

    /// The status argument of a call, if somebody looks at it.
    fn status(&self, id: StatementId) -> Result<Option<String>, EmitError> {
        let status = self.communication(id, "a status")?.status();
        Ok(status.variable().map(|variable| self.text(variable)))
    }

    /// One of the statuses that a call stores in an array.
    fn one_status(&self, id: StatementId, element: i64) -> Result<Option<String>, EmitError> {
        let status = self.communication(id, "statuses")?.status();
        let text = |variable: &Expression| {
            let index = Expression::new(ExpressionKind::Integer(element), variable.span);
            let (columns, kind) = match variable.designated() {
                // A column of integers.
                Some(array) if self.procedure.symbol(array).rank() == 2 => {
                    let all = Subscript::Range { lower: None, upper: None, stride: None };
                    (":, ", ExpressionKind::Section { array, subscripts: vec![all, Subscript::Index(index)] })
                }
                // An object of the derived type.
                Some(array) => ("", ExpressionKind::Element { array, subscripts: vec![index] }),
                None => ("", variable.kind.clone()),
            };
            let text = format!("{}({columns}{element})", self.text_alone(variable));
            let meant = Expression::new(kind, variable.span);
            self.note(&text, self.forms(|forms| forms.form(&meant)));
            text
        };
        Ok(status.variable().map(text))
    }
}
