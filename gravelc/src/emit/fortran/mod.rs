//! Executes a plan on Fortran text, free form and fixed form.
//!
//! [`calls`] writes the statements of a step ([`early_posts`] those for procedures that are called, [`early_values`] what is
//! computed for calls further up, [`waits`] those that complete requests), [`expressions`] their arguments, [`buffers`] what a
//! wait names as its buffer, [`loops`] what
//! stands around a loop that is cut or split, [`exchanges`] procedures that are taken apart, [`nests`] those that run box by box, [`names`] the names of new variables, [`in_objects`] those of buffers in objects,
//! [`meanings`] what was meant by what is written, [`layout`] fits text into lines, [`unused_names`] takes out of declarations
//! what lost its use; this file says where they go.

mod buffers;
mod calls;
mod early_posts;
mod early_values;
mod exchanges;
mod expressions;
mod fixed_lines;
mod in_objects;
mod layout;
mod loops;
mod meanings;
mod names;
mod nests;
mod unused_names;
mod waits;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{FileId, Language, Procedure, ProcedureId, Program, SourceFile, StatementId, StatementKind};
use crate::plan::{Plan, Step, StepOperation};
use crate::source_layout::SourceLayout;

use super::EmitError;
use super::around::{Around, LoopSteps, by_statement, groups};
use super::edits::{Edits, Order};
use calls::Writer;
use layout::{
    Lines, NESTED_MARGIN, behind_declarations, behind_last_code_line, deeper_margins, indentation_of, replaced_end,
    text_of,
};
use loops::replace_bounds;
pub use meanings::{Meaning, Mistake, Parts, first_mistake};
use names::{Names, RequestOfModule, declarations, requests_of_modules};
use unused_names::remove_unused_names;

/// What makes a block of an IF, behind its condition.
const THEN: &str = " then";

/// The edits of every file, in the order of [`Program::files`], and what is written in them for the program's expressions.
pub fn edits_of(program: &Program, plan: &Plan) -> Result<(Vec<Edits>, BTreeSet<Meaning>), EmitError> {
    let mut edits: Vec<Edits> = program.files.iter().map(|_| Edits::default()).collect();
    let mut by_procedure: BTreeMap<ProcedureId, Vec<&Step>> = BTreeMap::new();
    let is_own = |step: &&Step| program.procedure(step.procedure).language == Language::Fortran;
    for step in plan.steps().filter(is_own) {
        by_procedure.entry(step.procedure).or_default().push(step);
    }
    let names = Names::of(program);
    let mut of_modules: BTreeMap<RequestOfModule, bool> = BTreeMap::new();
    for (&id, steps) in &by_procedure {
        let procedure = program.procedure(id);
        for request in requests_of_modules(&names, procedure, steps) {
            let is_outside = !program.is_inside_module(procedure, &request.module);
            *of_modules.entry(request).or_default() |= is_outside;
        }
    }
    declare_in_modules(program, &of_modules, &mut edits);
    exchanges::publish(program, plan, &mut edits);
    for (&id, steps) in &by_procedure {
        let procedure = program.procedure(id);
        let FileId(file) = procedure.span.file;
        let place =
            Place { program, plan, procedure, file: &program.files[file], writer: Writer::new(&names, plan, id) };
        place.declare(steps, &mut edits[file]);
        place.execute(steps, &mut edits[file])?;
    }
    let with_runtime = |id: ProcedureId| by_procedure.contains_key(&id);
    let is_whole = |id: &ProcedureId| plan.exchanges.iter().all(|exchange| exchange.procedure != *id);
    let of_procedures = program
        .procedures()
        .filter(|(id, _)| is_whole(id))
        .map(|(id, unit)| (unit.declarations.as_slice(), unit.span, with_runtime(id)));
    let of_modules = program.modules.iter().map(|unit| (unit.declarations.as_slice(), unit.span, false));
    for (declarations, span, has_runtime) in of_procedures.chain(of_modules) {
        let FileId(file) = span.file;
        remove_unused_names(&program.files[file], (declarations, span), has_runtime, &mut edits[file]);
    }
    for nest in &plan.nests {
        let FileId(file) = program.procedure(nest.procedure).span.file;
        nests::add_boxes(program, nest, &mut edits[file])?;
    }
    for exchange in &plan.exchanges {
        let FileId(file) = program.procedure(exchange.procedure).span.file;
        exchanges::split(program, exchange, &mut edits[file])?;
    }
    Ok((edits, names.meanings.into_all()))
}

/// The requests that procedures of modules hand to each other; of each is known whether procedures outside use it.
fn declare_in_modules(program: &Program, requests: &BTreeMap<RequestOfModule, bool>, edits: &mut [Edits]) {
    for module in program.modules.iter() {
        let declared: Vec<(&RequestOfModule, bool)> =
            requests.iter().filter(|(request, _)| request.module == module.name).map(|(it, &is)| (it, is)).collect();
        if declared.is_empty() {
            continue;
        }
        let FileId(index) = module.span.file;
        let (file, anchors) = (&program.files[index], &module.anchors);
        let (place, margin) = behind_declarations(file, anchors);
        let mut imports = Lines::new(file, &margin);
        imports.add(match declared.iter().any(|(request, _)| request.is_null_at_first) {
            true => "use gravel, only: gravel_request_kind, gravel_request_null",
            false => "use gravel, only: gravel_request_kind",
        });
        // In front of the declarations, which may go to the same place.
        edits[index].insert(anchors.imports, Order::Behind, imports.as_inserted_lines(anchors.imports));
        let mut lines = Lines::new(file, &margin);
        lines.add_comment("! gravel: requests that procedures hand to each other");
        for (request, is_used_outside) in declared {
            let is_public = if is_used_outside { ", public" } else { "" };
            let value = if request.is_null_at_first { " = gravel_request_null" } else { "" };
            lines.add(&format!("integer(gravel_request_kind){is_public} :: {}{value}", request.name));
        }
        edits[index].insert(place, Order::Behind, lines.as_inserted_lines(place));
    }
}

/// One procedure in its file.
struct Place<'a> {
    program: &'a Program,
    plan: &'a Plan,
    procedure: &'a Procedure,
    file: &'a SourceFile,
    writer: Writer<'a>,
}

impl Place<'_> {
    fn declare(&self, steps: &[&Step], edits: &mut Edits) {
        let anchors = &self.procedure.anchors;
        let first = self.procedure.body.first();
        let start = first.map_or(anchors.declarations, |&id| self.procedure.statement(id).span.start);
        let margin = indentation_of(self.file, start);
        let mut imports = Lines::new(self.file, &margin);
        imports.add("use gravel");
        let handed = requests_of_modules(self.writer.names, self.procedure, steps);
        let handed =
            handed.into_iter().filter(|request| !self.program.is_inside_module(self.procedure, &request.module));
        let buffers = steps.iter().flat_map(|step| self.writer.imported_buffers(&step.operation));
        let constants = steps.iter().flat_map(|step| self.writer.borrowed_constants(step));
        let parts = exchanges::imports(self.program, self.plan, self.writer.procedure_id());
        let names = handed.map(|request| (request.module, request.name)).chain(buffers).chain(constants).chain(parts);
        let mut by_module: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        names.for_each(|(module, name)| {
            by_module.entry(module).or_default().insert(name);
        });
        for (module, names) in by_module {
            let names: Vec<String> = names.into_iter().collect();
            imports.add(&format!("use {module}, only: {}", names.join(", ")));
        }
        // In front of the declarations, which may go to the same place.
        edits.insert(anchors.imports, Order::Behind, imports.as_inserted_lines(anchors.imports));
        let lines = declarations(self.writer.names, self.procedure, steps);
        if !lines.is_empty() {
            let mut declared = Lines::new(self.file, &margin);
            lines.iter().for_each(|line| declared.add(line));
            let place = behind_last_code_line(self.file, anchors.imports, anchors.declarations);
            edits.insert(place, Order::Behind, declared.as_inserted_lines(place));
        }
    }

    fn execute(&self, steps: &[&Step], edits: &mut Edits) -> Result<(), EmitError> {
        for (id, around) in by_statement(self.procedure, steps) {
            let parent = self.procedure.statement(id).parent;
            let is_governed = parent.is_some_and(|parent| {
                matches!(self.procedure.statement(parent).kind, StatementKind::If { one_line: true, .. })
            });
            match (parent, is_governed) {
                (Some(parent), true) => self.edit_governed(id, parent, &around, edits)?,
                _ => self.edit_statement(id, &around, edits)?,
            }
        }
        Ok(())
    }

    /// The beginning of the statement's first line, or of that of the hints to compilers above it, which belong to it.
    fn first_line_of(&self, id: StatementId) -> usize {
        let statement = self.procedure.statement(id);
        self.file.whole_line_start(statement.hint.unwrap_or(statement.span.start))
    }

    /// A statement on lines of its own.
    fn edit_statement(&self, id: StatementId, around: &Around, edits: &mut Edits) -> Result<(), EmitError> {
        let span = self.procedure.statement(id).span;
        let line_start = self.first_line_of(id);
        let line_end = self.file.whole_line_end(span.end);
        let margin = indentation_of(self.file, span.start);
        let mut ahead = Lines::new(self.file, &margin);
        self.write_groups(&around.before, &mut ahead)?;
        if around.before.iter().any(|step| matches!(step.operation, StepOperation::Finalize)) {
            self.move_label(id, &mut ahead, edits);
        }
        if let Some(steps) = LoopSteps::among(&around.replace) {
            edits.insert(line_start, Order::Ahead, ahead.as_inserted_lines(line_start));
            self.put_loop_around(id, &steps, edits)?;
        } else if around.replace.is_empty() {
            edits.insert(line_start, Order::Ahead, ahead.as_inserted_lines(line_start));
        } else {
            let comment = self.writer.comment(&around.replace);
            let mut lines = Lines::in_place_of(self.file, &margin, span.start);
            for step in &around.replace {
                lines.add_all(self.writer.code(step)?);
            }
            if lines.is_empty() && self.procedure.statement(id).labelled {
                // A label needs a statement.
                lines.add("continue");
            }
            let end = replaced_end(self.file, span.end);
            if lines.is_empty() {
                edits.replace(span.start, end, comment);
            } else {
                ahead.add_comment(&comment);
                edits.replace(span.start, end, lines.as_statements());
            }
            edits.insert(line_start, Order::Ahead, ahead.as_inserted_lines(line_start));
        }
        let mut behind = Lines::new(self.file, &margin);
        self.write_groups(&around.after, &mut behind)?;
        edits.insert(line_end, Order::Behind, behind.as_inserted_lines(line_end));
        Ok(())
    }

    /// Whoever jumps to the statement must pass what is put before it: its label goes to the first of these lines.
    fn move_label(&self, id: StatementId, ahead: &mut Lines, edits: &mut Edits) {
        let statement = self.procedure.statement(id);
        let line_start = self.file.line_start(statement.span.start);
        let before = &self.file.text[line_start..statement.span.start];
        let digits = before.iter().position(u8::is_ascii_digit).filter(|_| statement.labelled);
        let Some(column) = digits else { return };
        let length = before[column..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let label = String::from_utf8_lossy(&before[column..column + length]).into_owned();
        ahead.label_first_statement(&label, column);
        let start = line_start + column;
        edits.replace(start, start + length, " ".repeat(length));
    }

    /// A statement behind an IF on the same line: the IF becomes a block where one statement is not enough.
    fn edit_governed(
        &self,
        id: StatementId,
        branch: StatementId,
        around: &Around,
        edits: &mut Edits,
    ) -> Result<(), EmitError> {
        let span = self.procedure.statement(id).span;
        let branch_span = self.procedure.statement(branch).span;
        let margin = indentation_of(self.file, branch_span.start);
        let mut code = Vec::new();
        for step in &around.before {
            code.extend(self.writer.code(step)?);
        }
        if around.replace.is_empty() {
            code.push(match self.file.layout {
                SourceLayout::Free => self.file.spelling(span),
                SourceLayout::Fixed { .. } => text_of(self.file, span),
            });
        }
        for step in around.replace.iter().chain(&around.after) {
            code.extend(self.writer.code(step)?);
        }
        let all: Vec<&Step> = around.before.iter().chain(&around.replace).chain(&around.after).copied().collect();
        let mut ahead = Lines::new(self.file, &margin);
        ahead.add_comment(&self.writer.comment(&all));
        let line_start = self.first_line_of(branch);
        edits.insert(line_start, Order::Opening, ahead.as_inserted_lines(line_start));
        let mut lines = Lines::in_place_of(self.file, &margin, span.start);
        let mut start = span.start;
        match code.as_slice() {
            [only] => lines.add_behind(span.start - self.file.line_start(span.start), only),
            [] => lines.add("continue"),
            several => {
                // On the line of the condition where the statement stands below it.
                let behind_condition = layout::end_of_continued_line(self.file, start, THEN.len());
                start = behind_condition.unwrap_or(start);
                lines.add(if behind_condition.is_some() { THEN } else { THEN.trim_start() });
                several.iter().for_each(|line| lines.add_nested(line));
                lines.add("end if");
            }
        }
        edits.replace(start, replaced_end(self.file, span.end), lines.as_statements());
        Ok(())
    }

    /// Comment and code for steps on lines of their own; neighbours with the same origin share the comment, but for the
    /// two sides of a call that sends and receives.
    fn write_groups(&self, steps: &[&Step], lines: &mut Lines) -> Result<(), EmitError> {
        for group in groups(steps) {
            lines.add_comment(&self.writer.comment(group));
            for step in group {
                lines.add_all(self.writer.code(step)?);
            }
        }
        Ok(())
    }

    /// Puts a loop over tiles, or over parts, around the loop, with what belongs before and behind each of them.
    fn put_loop_around(&self, id: StatementId, steps: &LoopSteps, edits: &mut Edits) -> Result<(), EmitError> {
        let statement = self.procedure.statement(id);
        let StatementKind::Loop(counted) = &statement.kind else {
            return Err(EmitError::WrongStatement {
                path: self.file.path.display().to_string(),
                line: self.program.line(statement.span),
                step: "strip-mining",
            });
        };
        let margin = indentation_of(self.file, statement.span.start);
        let around = self.writer.around_loop(steps, counted)?;
        let mut head = Lines::new(self.file, &margin);
        around.head.iter().for_each(|line| head.add_deeper(0, line));
        around.before.iter().for_each(|(depth, line)| head.add_deeper(*depth, line));
        let line_start = self.first_line_of(id);
        edits.insert(line_start, Order::Opening, head.as_inserted_lines(line_start));
        replace_bounds(self.file, statement.span, counted, (&around.lower, &around.upper), edits);
        for offset in deeper_margins(self.file, statement.span.start, statement.span.end) {
            edits.add_margin(offset, NESTED_MARGIN);
        }
        let mut tail = Lines::new(self.file, &margin);
        around.after.iter().for_each(|put| tail.add_nested(put));
        tail.add("end do");
        tail.add_all(around.tail);
        let line_end = self.file.whole_line_end(statement.span.end);
        edits.insert(line_end, Order::Closing, tail.as_inserted_lines(line_end));
        Ok(())
    }
}
