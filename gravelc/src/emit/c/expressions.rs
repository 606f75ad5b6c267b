//! A call inside of an expression: one expression takes its place.
//!
//! `CHECK(MPI_Comm_dup(comm, &own))` becomes `CHECK((gravel_code = MPI_Comm_dup(comm, &own), gravel_attach(own), gravel_code))`: what
//! stands around a statement on lines of its own is a part of a comma expression, whose value is the code of the program's call.

use std::collections::BTreeMap;

use crate::ir::{Room, Span, StatementId, StatementKind};
use crate::plan::{Step, StepOperation};

use super::super::EmitError;
use super::super::around::Around;
use super::super::edits::{Edits, Order};
use super::Function;
use super::calls::Writer;
use super::layout::{begins_line, margin_of};

/// How the variable is called that keeps a code. Names that begin so are the runtime's.
pub const CODE: &str = "gravel_code";

/// What is evaluated in the place of a call, in order.
struct Parts {
    /// Expressions.
    parts: Vec<String>,
    /// Which of them has the value of the call.
    value: usize,
}

impl Parts {
    /// Must the value be kept while others are evaluated?
    fn keeps_code(&self) -> bool {
        self.value + 1 < self.parts.len()
    }
}

impl Function<'_> {
    /// Where the call begins, if it is one in an expression.
    pub fn expression_start(&self, id: StatementId) -> Option<usize> {
        match self.procedure.statement(id).room {
            Room::Expression(start) => Some(start),
            _ => None,
        }
    }

    /// Must there be a variable that keeps codes?
    pub fn needs_code(&self, statements: &BTreeMap<StatementId, Around>) -> Result<bool, EmitError> {
        for (&id, around) in statements {
            if let Some(start) = self.expression_start(id)
                && self.parts(id, start, around)?.keeps_code()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes what takes the place of the call that begins at `start`.
    pub fn edit_expression(
        &self,
        id: StatementId,
        start: usize,
        around: &Around,
        edits: &mut Edits,
    ) -> Result<(), EmitError> {
        let span = self.procedure.statement(id).span;
        let margin = margin_of(self.file, span.start);
        if begins_line(self.file, span.start) && begins_statement(&self.file.text, span.start) {
            let of_groups =
                [&around.before, &around.replace, &around.after].into_iter().filter(|steps| !steps.is_empty());
            let comments: Vec<String> = of_groups.map(|steps| self.writer.comment(steps)).collect();
            self.insert_ahead(span.start, &comments, &margin, Order::Ahead, edits);
        }
        let mut parts = self.parts(id, start, around)?;
        if parts.keeps_code() {
            parts.parts[parts.value].insert_str(0, &format!("{CODE} = "));
            parts.parts.push(CODE.to_owned());
        }
        let original = self.file.spelling(Span { start, ..span });
        let text = match parts.parts.as_slice() {
            [only] => renamed(&original, only).unwrap_or_else(|| only.clone()),
            several => format!("({})", several.join(", ")),
        };
        let missing = original.matches('\n').count().saturating_sub(text.matches('\n').count());
        let text = with_line_feeds(&text, missing, &format!("{}{margin}    ", self.file.line_feed()));
        edits.replace(start, span.end, text);
        Ok(())
    }

    /// Is the code of the call stored?
    fn is_looked_at(&self, id: StatementId) -> bool {
        match &self.procedure.statement(id).kind {
            StatementKind::Communication(call) => call.error.is_some(),
            _ => true,
        }
    }

    fn parts(&self, id: StatementId, start: usize, around: &Around) -> Result<Parts, EmitError> {
        let writer = Writer { in_expression: true, ..self.writer };
        let mut parts = Vec::new();
        let mut value = None;
        let add = |step: &Step, parts: &mut Vec<String>| -> Result<(), EmitError> {
            if step.guard.is_some() {
                return Err(writer.wrong_statement(step.origin, "a condition in an expression"));
            }
            let statements = writer.statement(&step.operation, step.origin)?.unwrap_or_default();
            parts.extend(statements.iter().map(|statement| as_expression(statement)));
            Ok(())
        };
        for step in &around.before {
            add(step, &mut parts)?;
        }
        if around.replace.is_empty() {
            value = Some(parts.len());
            parts.push(self.file.spelling(Span { start, ..self.procedure.statement(id).span }));
        } else if let Some(call) = writer.blocking(&around.replace)? {
            value = Some(parts.len());
            parts.push(as_expression(&call));
        } else {
            for step in &around.replace {
                add(step, &mut parts)?;
                value = if gives_code(&step.operation) { parts.len().checked_sub(1) } else { value };
            }
        }
        for step in &around.after {
            add(step, &mut parts)?;
        }
        let value = match value {
            Some(value) => value,
            None => {
                if self.is_looked_at(id) || parts.is_empty() {
                    parts.push("MPI_SUCCESS".to_owned());
                }
                parts.len() - 1
            }
        };
        Ok(Parts { parts, value })
    }
}

/// The statement without its end.
fn as_expression(statement: &str) -> String {
    statement.trim_end_matches(';').to_owned()
}

/// Does a statement begin there, as far as what stands in front of it tells? In front of an operand, or of the argument of a macro,
/// no comment is put, which may bring a directive with it.
fn begins_statement(text: &[u8], start: usize) -> bool {
    let mut before = text[..start].trim_ascii_end();
    loop {
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let comment = match before.ends_with(b"*/") {
            true => before.windows(2).rposition(|two| two == b"/*"),
            false => before[line..].windows(2).position(|two| two == b"//").map(|place| line + place),
        };
        match comment {
            Some(place) => before = before[..place].trim_ascii_end(),
            None if before[line..].trim_ascii_start().starts_with(b"#") => return true,
            None => break,
        }
    }
    match before.last() {
        None | Some(b';' | b'{' | b'}' | b')' | b':') => true,
        Some(last) => last.is_ascii_alphabetic(),
    }
}

/// The program's call with the name of another one, if that has the same arguments: it keeps its lines.
fn renamed(original: &str, call: &str) -> Option<String> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (name, arguments) = call.split_at(call.find('(')?);
    let own = &original[original.find('(')?..];
    (words(own) == words(arguments)).then(|| format!("{name}{own}"))
}

/// The text on so many lines more: in the argument of a macro `__LINE__` may be that of its end.
fn with_line_feeds(text: &str, count: usize, feed: &str) -> String {
    let mut left = count;
    let mut result = String::with_capacity(text.len() + count * feed.len());
    let mut quote = None;
    let mut escaped = false;
    let last = text.rfind(')');
    for (at, character) in text.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, ' ') if left > 0 && result.ends_with(',') => {
                result.push_str(feed);
                left -= 1;
                continue;
            }
            _ => {}
        }
        if Some(at) == last {
            result.push_str(&feed.repeat(std::mem::take(&mut left)));
        }
        result.push(character);
    }
    result
}

/// Is the code of the program's call that of the step?
fn gives_code(operation: &StepOperation) -> bool {
    match operation {
        StepOperation::PostReceive { stores_error, .. }
        | StepOperation::PostSend { stores_error, .. }
        | StepOperation::SendFin { stores_error, .. }
        | StepOperation::WaitAll { stores_error }
        | StepOperation::Complete { stores_error, .. }
        | StepOperation::Prepare { stores_error, .. }
        | StepOperation::Start { stores_error, .. }
        | StepOperation::StartAll { stores_error }
        | StepOperation::Release { stores_error } => *stores_error,
        StepOperation::Wait { error_of, .. } => error_of.is_some(),
        StepOperation::CallTwin | StepOperation::StoreSuccess => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stand_in_front_of_statements() {
        let is_begun = |text: &str| begins_statement(text.as_bytes(), text.len());
        for text in ["", "a;\n", "if (a) // b (\n", "else\n", "x: /* y, */\n", "#ifdef A,\n", "} /* a\n b( */\n"] {
            assert!(is_begun(text), "{text}");
        }
        for text in ["while (\n", "f(a,\n", "a = // b;\n", "a && /* ; */\n"] {
            assert!(!is_begun(text), "{text}");
        }
    }

    #[test]
    fn a_call_keeps_its_lines() {
        assert_eq!(renamed("MPI_Send(a,\n  b)", "gravel_send(a, b)").as_deref(), Some("gravel_send(a,\n  b)"));
        assert_eq!(renamed("MPI_Wait(r, s)", "gravel_wait(r, b, s)"), None);
        assert_eq!(with_line_feeds("f(a, b)", 0, "\n"), "f(a, b)");
        assert_eq!(with_line_feeds("f(a, b, c)", 1, "\n "), "f(a,\n b, c)");
        assert_eq!(with_line_feeds("f(a, b)", 3, "\n"), "f(a,\nb\n\n)");
        assert_eq!(with_line_feeds(r#"f("a, \", b", ', ', c)"#, 1, "\n"), "f(\"a, \\\", b\",\n', ', c)");
    }
}
