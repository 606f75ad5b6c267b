//! Executes a plan on C text.
//!
//! [`calls`] writes the statements of a step, [`blocking`] the one call that some are, [`expressions`] what takes the place of a call in an expression, [`loops`] what stands around a loop that is cut, [`declarations`] the new variables,
//! [`layout`] looks at lines and margins; this file says where everything goes.

mod blocking;
mod calls;
mod declarations;
mod expressions;
mod layout;
mod loops;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{FileId, Language, Procedure, ProcedureId, Program, Room, SourceFile, StatementId, StatementKind};
use crate::plan::{Plan, Step, StepOperation};

use super::around::{Around, LoopSteps, by_statement, groups};
use super::edits::{Edits, Order};
use super::{EmitError, Written};
use calls::Writer;
use declarations::declarations;
use layout::{
    begins_line, broken, end_of_statement, end_of_token_before, lines_within, margin_between, margin_of, next_line,
};

/// The edits of every file, in the order of [`Program::files`].
pub fn edits_of(program: &Program, plan: &Plan) -> Result<Written, EmitError> {
    let mut edits: Vec<Edits> = program.files.iter().map(|_| Edits::default()).collect();
    let mut by_procedure: BTreeMap<ProcedureId, Vec<&Step>> = BTreeMap::new();
    let is_own = |step: &&Step| program.procedure(step.procedure).language == Language::C;
    for step in plan.steps().filter(is_own) {
        by_procedure.entry(step.procedure).or_default().push(step);
    }
    let mut included: BTreeSet<usize> = BTreeSet::new();
    for (&id, steps) in &by_procedure {
        let procedure = program.procedure(id);
        let FileId(number) = procedure.span.file;
        let file = &program.files[number];
        let function = Function { procedure, file, writer: Writer { program, procedure, in_expression: false } };
        if included.insert(number) {
            include_runtime(file, procedure.anchors.imports, &mut edits[number]);
        }
        let statements = by_statement(procedure, steps);
        function.declare(&statements, &mut edits[number])?;
        for (statement, around) in statements {
            match function.expression_start(statement) {
                Some(start) => function.edit_expression(statement, start, &around, &mut edits[number])?,
                None => function.edit_statement(statement, &around, &mut edits[number])?,
            }
        }
    }
    // What is written stands as it does in the program, or is computed from names of the emitted code.
    Ok((edits, BTreeSet::new()))
}

/// Includes the runtime's header behind MPI's, or in front of the function that begins at `place`.
fn include_runtime(file: &SourceFile, place: usize, edits: &mut Edits) {
    let feed = file.line_feed();
    match begins_line(file, place) {
        true => edits.insert(file.line_start(place), Order::Behind, format!("#include <gravel.h>{feed}{feed}")),
        false => match next_line(file, place) {
            Some(line) => edits.insert(line, Order::Behind, format!("#include <gravel.h>{feed}")),
            None => edits.insert(place, Order::Behind, format!("{feed}#include <gravel.h>{feed}")),
        },
    }
}

/// One function in its file.
struct Function<'a> {
    procedure: &'a Procedure,
    file: &'a SourceFile,
    writer: Writer<'a>,
}

impl Function<'_> {
    /// By how much a block is moved in.
    fn margin_inside(&self) -> String {
        let first = self.procedure.body.first();
        let first = first.map_or(self.procedure.span.end, |&id| self.procedure.statement(id).span.start);
        margin_between(self.file, self.procedure.span.start, first)
    }

    /// Declares what the steps use, and a variable for codes, if one is needed.
    fn declare(&self, statements: &BTreeMap<StatementId, Around>, edits: &mut Edits) -> Result<(), EmitError> {
        let mut steps: Vec<&Step> = Vec::new();
        for around in statements.values() {
            steps.extend(around.before.iter().chain(&around.after).copied());
            // A blocking call needs no request of its own.
            if self.writer.blocking(&around.replace)?.is_none() {
                steps.extend(&around.replace);
            }
        }
        let mut lines = declarations(&self.writer, &steps);
        lines.extend(self.needs_code(statements)?.then(|| format!("int {};", expressions::CODE)));
        if lines.is_empty() {
            return Ok(());
        }
        let margin = margin_of(self.file, self.procedure.span.start) + &self.margin_inside();
        self.insert_behind(self.procedure.anchors.declarations, &lines, &margin, edits);
        Ok(())
    }

    /// Lines that stand behind what ends at `place`.
    fn insert_behind(&self, place: usize, lines: &[String], margin: &str, edits: &mut Edits) {
        if lines.is_empty() {
            return;
        }
        match next_line(self.file, place) {
            Some(line) => edits.insert(line, Order::Behind, self.as_lines(lines, margin)),
            None => {
                let feed = self.file.line_feed();
                let text = self.as_lines(lines, margin);
                edits.insert(place, Order::Behind, format!("{feed}{}", text.trim_end()) + feed + margin);
            }
        }
    }

    /// Lines that stand in front of what begins at `place`.
    fn insert_ahead(&self, place: usize, lines: &[String], margin: &str, order: Order, edits: &mut Edits) {
        if lines.is_empty() {
            return;
        }
        let text = self.as_lines(lines, margin);
        match begins_line(self.file, place) {
            true => edits.insert(self.file.line_start(place), order, text),
            false => {
                let feed = self.file.line_feed();
                edits.insert(place, order, format!("{feed}{text}{margin}"));
            }
        }
    }

    fn as_lines(&self, lines: &[String], margin: &str) -> String {
        let feed = self.file.line_feed();
        let broken = lines.iter().flat_map(|line| broken(line, margin));
        broken.map(|line| format!("{margin}{line}{feed}")).collect()
    }

    fn edit_statement(&self, id: StatementId, around: &Around, edits: &mut Edits) -> Result<(), EmitError> {
        let statement = self.procedure.statement(id);
        // Nothing comes between a loop and the pragmas above it.
        let start = statement.hint.unwrap_or(statement.span.start);
        let end = end_of_statement(&self.file.text, statement.span.end);
        let outer = margin_of(self.file, start);
        // On the line of what governs it it is moved in itself.
        let shares_line = !begins_line(self.file, start);
        let is_governed = statement.room == Room::Governed && (shares_line || self.needs_braces(around)?);
        let is_moved = is_governed && shares_line;
        let margin = if is_moved { outer.clone() + &self.margin_inside() } else { outer.clone() };
        if is_governed {
            self.open_brace(start, edits);
        }
        let mut ahead = Vec::new();
        self.write_groups(&around.before, &mut ahead)?;
        if let Some(steps) = LoopSteps::among(&around.replace) {
            self.insert_ahead(start, &ahead, &margin, Order::Ahead, edits);
            self.put_loop_around(id, end, &margin, &steps, edits)?;
        } else if around.replace.is_empty() {
            self.insert_ahead(start, &ahead, &margin, Order::Ahead, edits);
            if is_moved && ahead.is_empty() {
                edits.insert(start, Order::Ahead, self.file.line_feed().to_owned() + &margin);
            }
        } else {
            let comment = self.writer.comment(&around.replace);
            let mut lines = self.writer.replacement(&around.replace)?;
            match lines.is_empty() {
                // A branch, or a label, needs a statement; compilers warn of a branch with a semicolon alone.
                true => lines.push(match self.needs_statement(id) {
                    true if statement.room == Room::Governed => format!("{{}} {comment}"),
                    true => format!("; {comment}"),
                    false => comment,
                }),
                false => ahead.push(comment),
            }
            self.insert_ahead(start, &ahead, &margin, Order::Ahead, edits);
            let text = self.as_lines(&lines, &margin);
            edits.replace(start, end, text.trim().to_owned());
        }
        let mut behind = Vec::new();
        self.write_groups(&around.after, &mut behind)?;
        if is_governed {
            // The brace belongs to what governs it.
            let parent = statement.parent.map_or(start, |parent| self.procedure.statement(parent).span.start);
            let mut text = self.as_lines(&behind, &margin);
            text.push_str(&margin_of(self.file, parent));
            text.push('}');
            let feed = self.file.line_feed();
            match next_line(self.file, end) {
                Some(line) => edits.insert(line, Order::Behind, text + feed),
                None => edits.insert(end, Order::Behind, format!("{feed}{text}")),
            }
        } else {
            self.insert_behind(end, &behind, &margin, edits);
        }
        Ok(())
    }

    /// Is what is written around a statement, or in its place, more than one statement?
    fn needs_braces(&self, around: &Around) -> Result<bool, EmitError> {
        if !around.before.is_empty() || !around.after.is_empty() || LoopSteps::among(&around.replace).is_some() {
            return Ok(true);
        }
        Ok(self.writer.replacement(&around.replace)?.len() > 1)
    }

    /// Would the text be wrong without a statement in the place of this one?
    fn needs_statement(&self, id: StatementId) -> bool {
        let statement = self.procedure.statement(id);
        let before = self.file.text[..statement.span.start].trim_ascii_end();
        let is_of_switch =
            |parent: StatementId| matches!(self.procedure.statement(parent).kind, StatementKind::Select { .. });
        statement.room == Room::Governed
            || statement.parent.is_some_and(is_of_switch)
            || !matches!(before.last(), Some(b';' | b'{' | b'}' | b'/'))
    }

    /// Writes a brace behind what stands in front of a statement, on that line where it is possible.
    fn open_brace(&self, start: usize, edits: &mut Edits) {
        match end_of_token_before(&self.file.text, start) {
            Some(end) if self.file.text[end..start].contains(&b'\n') => {
                edits.insert(end, Order::Behind, " {".to_owned());
            }
            Some(end) => edits.replace(end, start, " {".to_owned()),
            None => {
                let feed = self.file.line_feed();
                let line = self.file.line_start(start);
                match begins_line(self.file, start) {
                    true => edits.insert(line, Order::Closing, format!("{}{{{feed}", margin_of(self.file, start))),
                    false => edits.insert(start, Order::Closing, "{".to_owned()),
                }
            }
        }
    }

    /// Comment and code for steps on lines of their own; neighbours of one kind with the same origin share the comment.
    fn write_groups(&self, steps: &[&Step], lines: &mut Vec<String>) -> Result<(), EmitError> {
        for group in groups(steps) {
            let mut code = Vec::new();
            for step in group {
                code.extend(self.writer.code(step)?);
            }
            if !code.is_empty() || group.iter().any(|step| tells(&step.operation)) {
                lines.push(self.writer.comment(group));
                lines.extend(code);
            }
        }
        Ok(())
    }

    /// Puts a loop over tiles, or over parts, around the loop, with what belongs before and behind each of them.
    fn put_loop_around(
        &self,
        id: StatementId,
        end: usize,
        margin: &str,
        steps: &LoopSteps,
        edits: &mut Edits,
    ) -> Result<(), EmitError> {
        let span = self.procedure.statement(id).span;
        let StatementKind::Loop(counted) = &self.procedure.statement(id).kind else {
            return Err(self.writer.wrong_statement(id, "strip-mining"));
        };
        let around = self.writer.around_loop(steps, counted)?;
        let unit = self.margin_inside();
        let inner = format!("{margin}{unit}");
        let mut head = self.as_lines(&around.head, margin);
        for (depth, line) in around.before {
            head.push_str(&self.as_lines(&[line], &format!("{inner}{}", unit.repeat(depth))));
        }
        match begins_line(self.file, span.start) {
            true => {
                edits.insert(self.file.line_start(span.start), Order::Opening, head);
                edits.insert(self.file.line_start(span.start), Order::Margin, unit.clone());
            }
            false => edits.insert(span.start, Order::Opening, format!("{}{head}{inner}", self.file.line_feed())),
        }
        let (lower, upper) = (counted.lower.span, counted.upper.span);
        edits.replace(lower.start, lower.end, around.lower);
        edits.replace(upper.start, upper.end, around.upper);
        for offset in lines_within(self.file, span.start, end) {
            edits.add_margin(offset, &unit);
        }
        let mut tail = self.as_lines(&around.after, &inner);
        tail.push_str(&self.as_lines(&["}".to_owned()], margin));
        tail.push_str(&self.as_lines(&around.tail, margin));
        match next_line(self.file, end) {
            Some(line) => edits.insert(line, Order::Closing, tail),
            None => {
                let feed = self.file.line_feed();
                edits.insert(end, Order::Closing, format!("{feed}{}{feed}{margin}", tail.trim_end()));
            }
        }
        Ok(())
    }
}

/// Is the step told of although nothing is written for it?
fn tells(operation: &StepOperation) -> bool {
    !matches!(operation, StepOperation::SynchroniseBuffer { .. })
}
