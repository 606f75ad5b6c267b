//! Writes a procedure that is taken apart as two: what stood between its first statement and its first wait stays where it is and gets
//! the name of the begin; in front of the rest the head of the end is inserted, which is the procedure's own head once more.
//!
//! Either declares only what it needs. What one leaves to the other is in a COMMON block. The procedure itself
//! is written once more behind them, as the two calls: others may name it, too.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use super::layout::{Lines, behind_declarations, behind_last_code_line, indentation_of, replaced_end, text_of};
use super::unused_names::{removable, written_words};
use crate::emit::EmitError;
use crate::emit::edits::{Edits, Order};
use crate::ir::{
    DeclarationStatement, DeclaredEntity, FileId, Procedure, ProcedureId, Program, SourceFile, Span, StatementId,
    StatementKind, TextParts,
};
use crate::plan::{Plan, SplitExchange, SplitNest, Step, StepOperation, name_of_begin, name_of_boxes, name_of_end};
use crate::source_layout::SourceLayout;

/// A procedure of the program with those that are made of it.
struct Made {
    procedure: ProcedureId,
    names: Vec<String>,
    callers: Vec<ProcedureId>,
}

/// What the plan makes of procedures.
fn made(program: &Program, plan: &Plan) -> Vec<Made> {
    let of_exchange = |exchange: &SplitExchange| {
        let name = &program.procedure(exchange.procedure).name;
        let callers = exchange.calls.iter().map(|call| call.caller).collect();
        Made { procedure: exchange.procedure, names: vec![name_of_begin(name), name_of_end(name)], callers }
    };
    let of_nest = |nest: &SplitNest| {
        let runs = |step: &&Step| matches!(step.operation, StepOperation::RunAroundEnd { procedure, .. } if procedure == nest.procedure);
        let callers = plan.steps().filter(runs).map(|step| step.procedure).collect();
        let name = name_of_boxes(&program.procedure(nest.procedure).name);
        Made { procedure: nest.procedure, names: vec![name], callers }
    };
    plan.exchanges.iter().map(of_exchange).chain(plan.nests.iter().map(of_nest)).collect()
}

/// The names that a procedure has to import to call what is made of others, with their modules.
pub fn imports(program: &Program, plan: &Plan, caller: ProcedureId) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for made in made(program, plan).into_iter().filter(|made| made.callers.contains(&caller)) {
        let Some(module) = program.module_around(made.procedure) else { continue };
        if !program.is_inside_module(program.procedure(caller), &module.name) {
            found.extend(made.names.into_iter().map(|name| (module.name.clone(), name)));
        }
    }
    found
}

/// Lets others than a module's own procedures call what is made of these, where they do.
pub fn publish(program: &Program, plan: &Plan, edits: &mut [Edits]) {
    let made = made(program, plan);
    for module in program.modules.iter() {
        let is_called_outside = |made: &&Made| {
            let is_its = program.module_around(made.procedure).is_some_and(|around| around.name == module.name);
            is_its
                && made.callers.iter().any(|&caller| !program.is_inside_module(program.procedure(caller), &module.name))
        };
        let names: Vec<&str> =
            made.iter().filter(is_called_outside).flat_map(|made| made.names.iter().map(String::as_str)).collect();
        if names.is_empty() {
            continue;
        }
        let FileId(index) = module.span.file;
        let file = &program.files[index];
        let (place, margin) = behind_declarations(file, &module.anchors);
        let mut lines = Lines::new(file, &margin);
        lines.add(&format!("public :: {}", names.join(", ")));
        edits[index].insert(place, Order::Behind, lines.as_inserted_lines(place));
    }
}

/// Adds the edits that make two procedures of one, behind all other edits of the file.
pub fn split(program: &Program, exchange: &SplitExchange, edits: &mut Edits) -> Result<(), EmitError> {
    let procedure = program.procedure(exchange.procedure);
    let file = program.file(procedure.span.file);
    let Ok(parts) = &procedure.text_parts else {
        return Err(EmitError::WrongStatement {
            path: file.path.display().to_string(),
            line: program.line(procedure.span),
            step: "taking a procedure apart",
        });
    };
    Text { program, procedure, file, parts, exchange }.split(edits)
}

/// The lines with conditions between the two parts.
struct Conditions {
    /// The ends of the branches that the begin leaves.
    closed: String,
    /// What makes the end return at once, as the begin did.
    guards: String,
    /// The heads of the branches that the end goes on in.
    opened: String,
}

/// The text of the procedure.
struct Text<'t> {
    program: &'t Program,
    procedure: &'t Procedure,
    file: &'t SourceFile,
    parts: &'t TextParts,
    exchange: &'t SplitExchange,
}

impl Text<'_> {
    fn split(&self, edits: &mut Edits) -> Result<(), EmitError> {
        let Self { procedure, file, parts, exchange, .. } = *self;
        let name = &procedure.name;
        let margin = indentation_of(file, self.first_byte());
        let head = self.head();
        let cut = self.cut();
        if !exchange.handed_over.is_empty() {
            let mut lines = Lines::new(file, &indentation_of(file, self.start_of(procedure.body[0])));
            lines.add_comment("! gravel: what the begin leaves to the end");
            lines.add(&format!("common /gravel_{name}/ {}", self.handed_over().join(", ")));
            edits.insert(head.end, Order::Behind, lines.as_inserted_lines(head.end));
        }
        let end = self.copy_of_head(edits, &name_of_end(name), cut..parts.end.start, true)?;
        let unneeded = self.unneeded(edits, head.end..cut);
        let mut between = Lines::new(file, &margin);
        between.add(&format!("end subroutine {}", name_of_begin(name)));
        let feed = file.line_feed();
        let mut comment = Lines::new(file, &margin);
        comment.add_comment(&format!("! gravel: the rest of {name}, behind work of those who call it"));
        let Conditions { closed, guards, opened } = self.conditions();
        let (between, comment) = (between.as_inserted_lines(cut), comment.as_inserted_lines(head.start));
        let inner = self.end_of_inner(cut);
        let text = format!("{closed}{between}{feed}{comment}{end}{guards}{opened}{inner}");
        edits.insert(cut, Order::Behind, text);
        self.add_whole(edits, &margin)?;
        for range in unneeded {
            edits.replace(range.start, range.end, String::new());
        }
        let (range, first) = renamed_head(file, parts, &name_of_begin(name), None);
        edits.replace(range.start, range.end, first);
        if let Some(last) = parts.name_at_end {
            edits.replace(last.start, last.end, name_of_end(name));
        }
        Ok(())
    }

    /// The line that ends the exchange which the begin has begun as its last statement.
    fn end_of_inner(&self, cut: usize) -> String {
        let Self { procedure, file, program, exchange, .. } = *self;
        let Some((inner, call)) = exchange.inner else { return String::new() };
        let span = procedure.statement(call).span;
        let text = text_of(file, span);
        let arguments = text.find('(').map_or("", |start| &text[start..]);
        let mut lines = Lines::new(file, &indentation_of(file, span.start));
        lines.add(&format!("call {}{arguments}", name_of_end(&program.procedure(inner).name)));
        lines.as_inserted_lines(cut)
    }

    /// The lines with the conditions that both parts have.
    fn conditions(&self) -> Conditions {
        let Self { procedure, file, exchange, .. } = *self;
        let first = file.line_start(self.first_byte());
        let line = |statement: StatementId, text: &str| {
            let mut lines = Lines::new(file, &indentation_of(file, procedure.statement(statement).span.start));
            lines.add(text);
            lines.as_inserted_lines(first)
        };
        let opened = exchange.around.iter().map(|&it| line(it, &format!("if ({}) then", self.condition(it))));
        Conditions {
            closed: exchange.around.iter().rev().map(|&it| line(it, "end if")).collect(),
            guards: exchange
                .guards
                .iter()
                .map(|&it| line(it, &format!("if ({}) return", self.condition(it))))
                .collect(),
            opened: opened.collect(),
        }
    }

    /// The procedure as it was, for those who call it as a whole, or name it: in lists of what is public or imported, as an argument.
    fn add_whole(&self, edits: &mut Edits, margin: &str) -> Result<(), EmitError> {
        let Self { procedure, file, .. } = *self;
        let name = &procedure.name;
        let head = self.copy_of_head(&Edits::default(), name, 0..0, false)?;
        let dummies: Vec<&str> = procedure.dummies.iter().map(|&it| procedure.symbol(it).name.as_str()).collect();
        let mut calls = Lines::new(file, &indentation_of(file, self.start_of(procedure.body[0])));
        for part in [name_of_begin(name), name_of_end(name)] {
            calls.add(&format!("call {part}({})", dummies.join(", ")));
        }
        let mut last = Lines::new(file, margin);
        last.add(&format!("end subroutine {name}"));
        let place = file.whole_line_end(procedure.span.end);
        let first = self.file.line_start(self.first_byte());
        let (feed, calls, last) = (file.line_feed(), calls.as_inserted_lines(first), last.as_inserted_lines(first));
        let open = if place > 0 && file.text[place - 1] != b'\n' { feed } else { "" };
        edits.insert(place, Order::Behind, format!("{open}{feed}{head}{calls}{last}"));
        Ok(())
    }

    /// The head of the procedure with another name, for statements in `code` alone. Where it `goes_on`, arguments have the values that
    /// were left in them.
    fn copy_of_head(&self, edits: &Edits, name: &str, code: Range<usize>, goes_on: bool) -> Result<String, EmitError> {
        let Self { file, parts, .. } = *self;
        let head = self.head();
        let mut own = edits.within(head.clone());
        let mut all = edits.clone();
        let mut replace = |range: Range<usize>, text: &str| {
            own.replace(range.start - head.start, range.end - head.start, text.to_owned());
        };
        let (range, first) = renamed_head(file, parts, name, None);
        replace(range, &first);
        if goes_on {
            parts.resets.iter().for_each(|it| replace(it.start..it.end, "inout"));
            parts.resets.iter().for_each(|it| all.replace(it.start, it.end, "inout".to_owned()));
        }
        for range in self.unneeded(&all, code) {
            replace(range, "");
        }
        let conflict = |conflict| EmitError::Conflict { path: file.path.display().to_string(), conflict };
        let (text, _) = own.apply(&file.text[head]).map_err(conflict)?;
        Ok(crate::ir::bytes_as_text::text_of(&text))
    }

    /// The pieces of the declarations that statements in `code` have no use for.
    fn unneeded(&self, edits: &Edits, code: Range<usize>) -> Vec<Range<usize>> {
        let Self { procedure, file, exchange, .. } = *self;
        let head = self.head();
        let is_spelled_here = |statement: &&DeclarationStatement| {
            file.expansions().around(statement.span.start).next().is_none() && statement.span.end <= head.end
        };
        let declarations: Vec<DeclarationStatement> =
            procedure.declarations.iter().filter(is_spelled_here).cloned().collect();
        let texts = edits.texts_within(code.start, code.end).chain(edits.texts_within(head.start, head.end));
        let mut written: HashSet<String> = texts.flat_map(|text| written_words(file.layout, text)).collect();
        // Both parts hand the same to an exchange inside.
        if let Some((_, call)) = exchange.inner.filter(|_| !code.is_empty()) {
            let call = text_of(file, procedure.statement(call).span);
            written.extend(written_words(file.layout, &call));
        }
        let is_within = |range: &Range<usize>, span: &Span| range.start <= span.start && span.end <= range.end;
        let handed = |name: &str| exchange.handed_over.iter().any(|&it| procedure.symbol(it).name == name);
        let is_unneeded = |entity: &DeclaredEntity| {
            let is_used = |mention: &Span| {
                let repeated = exchange.guards.iter().chain(&exchange.around);
                let is_repeated = || repeated.clone().any(|&id| self.is_in_condition(id, mention));
                is_within(&head, mention)
                    || !code.is_empty() && is_repeated()
                    || is_within(&code, mention) && edits.replaced_with(mention.start, mention.end).is_none()
            };
            let is_handed = !code.is_empty() && handed(&entity.name);
            !entity.is_dummy
                && !is_handed
                && !written.contains(&entity.name)
                && !entity.mentions.is_empty()
                && !entity.mentions.iter().any(is_used)
        };
        removable(file, &declarations, edits, &is_unneeded)
    }

    fn is_in_condition(&self, branch: StatementId, mention: &Span) -> bool {
        match &self.procedure.statement(branch).kind {
            StatementKind::If { arms, .. } => arms.first().is_some_and(|arm| mention.is_within(arm.condition.span)),
            _ => false,
        }
    }

    /// What an IF statement asks.
    fn condition(&self, branch: StatementId) -> String {
        match &self.procedure.statement(branch).kind {
            StatementKind::If { arms, .. } => arms.first().map(|arm| text_of(self.file, arm.condition.span)),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// The members of the COMMON block, those of the longest elements first, so that all are aligned.
    fn handed_over(&self) -> Vec<&str> {
        let mut symbols: Vec<_> = self.exchange.handed_over.iter().map(|&it| self.procedure.symbol(it)).collect();
        symbols.sort_by_key(|symbol| Reverse(symbol.element.bytes));
        symbols.into_iter().map(|symbol| symbol.name.as_str()).collect()
    }

    /// From the line of its name to its last declaration.
    fn head(&self) -> Range<usize> {
        let anchors = &self.procedure.anchors;
        let end = behind_last_code_line(self.file, anchors.imports, anchors.declarations);
        self.file.whole_line_start(self.first_byte())..end
    }

    /// Between the last statement of the begin and the comments above the first one of the end.
    fn cut(&self) -> usize {
        // The call of an exchange inside is begun by the first part.
        if let Some((_, call)) = self.exchange.inner {
            return self.file.whole_line_end(self.procedure.statement(call).span.end);
        }
        let first = self.start_of(self.exchange.first_of_end);
        behind_last_code_line(self.file, self.head().end, self.file.whole_line_start(first))
    }

    fn first_byte(&self) -> usize {
        self.procedure.span.start
    }

    fn start_of(&self, statement: StatementId) -> usize {
        start_of(self.procedure, statement)
    }
}

/// The longest line of free form.
const LONGEST_LINE: usize = 132;

/// Which bytes at the beginning of a procedure give way to which, so that it has another name, and these arguments in front of its own.
/// Where they do not fit the line any more, the whole statement is written anew.
pub fn renamed_head(
    file: &SourceFile,
    parts: &TextParts,
    name: &str,
    arguments: Option<&str>,
) -> (Range<usize>, String) {
    let TextParts { name: old, head, .. } = parts;
    let behind = text_of(file, Span { start: old.end, ..*head });
    let behind = match (arguments, behind.trim_start().strip_prefix('(')) {
        (None, _) => behind,
        (Some(arguments), None) => format!("({arguments}){behind}"),
        (Some(arguments), Some(rest)) if rest.trim_start().starts_with(')') => format!("({arguments}{rest}"),
        (Some(arguments), Some(rest)) => format!("({arguments}, {rest}"),
    };
    let line = file.line_start(head.start)..file.line_end(head.start);
    let added = (name.len() + arguments.map_or(0, |it| it.len() + 2)).saturating_sub(old.end - old.start);
    let fits = file.layout == SourceLayout::Free && head.end <= line.end && line.len() + added <= LONGEST_LINE;
    if fits {
        return (old.start..head.end, format!("{name}{behind}"));
    }
    let before = text_of(file, Span { end: old.start, ..*head });
    let mut lines = Lines::in_place_of(file, &indentation_of(file, head.start), head.start);
    lines.add(&format!("{} {name}{behind}", before.trim_end()));
    (head.start..replaced_end(file, head.end), lines.as_statements())
}

/// The first byte of the statement, or of the hints to compilers above it.
pub fn start_of(procedure: &Procedure, statement: StatementId) -> usize {
    let statement = procedure.statement(statement);
    statement.hint.unwrap_or(statement.span.start)
}
