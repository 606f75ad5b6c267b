//! What is written around loops: those over tiles, and those over the parts of a loop that is split.

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::ir::{Expression, ExpressionKind, Loop, Polynomial, SourceFile, Span, SymbolId};
use crate::plan::{NewVariable, VECTOR_MULTIPLE};
use crate::source_layout::SourceLayout;

use super::super::around::LoopSteps;
use super::super::parts::Value;
use super::super::{EmitError, polynomials};
use super::calls::Writer;
use super::layout::{Lines, indentation_of, replaced_end, text_of};
use crate::emit::edits::Edits;

/// A loop around a loop: what is written around the inner one, and what its bounds become.
pub struct LoopAround {
    /// Up to the head of the new loop.
    pub head: Vec<String>,
    /// Inside the new loop, before the other one, with its depth.
    pub before: Vec<(usize, String)>,
    /// The lower bound of the loop inside.
    pub lower: String,
    /// The upper bound of the loop inside.
    pub upper: String,
    /// Inside the new loop, behind the other one.
    pub after: Vec<String>,
    /// Behind the new loop.
    pub tail: Vec<String>,
}

/// What stands for the bounds of a tile in values: no procedure has so many symbols.
const TILE_START: SymbolId = SymbolId(usize::MAX);
const TILE_END: SymbolId = SymbolId(usize::MAX - 1);

impl Writer<'_> {
    /// What is written around the loop.
    pub fn around_loop(&self, steps: &LoopSteps, counted: &Loop) -> Result<LoopAround, EmitError> {
        match steps.splits.first() {
            Some(split) => self.parts(steps, counted, split.number),
            None => self.tiles(steps, counted),
        }
    }

    /// The loop over tiles around a loop that fills or reads messages (Gravel paper, Figure 2c).
    fn tiles(&self, steps: &LoopSteps, counted: &Loop) -> Result<LoopAround, EmitError> {
        let number = steps.tiled().next().map_or(0, |tiled| tiled.number);
        let start = self.name(NewVariable::TileStart(number));
        let end = self.name(NewVariable::TileEnd(number));
        let tile_step = self.name(NewVariable::TileStep(number));
        let lower = self.bound(&counted.lower);
        let upper = self.bound(&counted.upper);
        let (lower_operand, upper_operand) = (operand(&lower, &counted.lower), operand(&upper, &counted.upper));
        let iterations = match counted.lower.kind {
            ExpressionKind::Integer(1) => upper.clone(),
            _ => format!("{upper_operand} - {lower_operand} + 1"),
        };
        let mut messages: Vec<String> =
            steps.puts.iter().map(|(_, strip_mine)| self.name(strip_mine.transfer)).collect();
        for (_, wait) in &steps.waits {
            messages.push(self.request(wait.request)?);
        }
        let messages = match messages.as_slice() {
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let mut head = Vec::new();
        for (step, _) in &steps.waits {
            head.push(self.comment(&[step]));
        }
        if steps.tiled().any(|tiled| tiled.keeps_variable) {
            head.push(format!("{} = {lower}", self.procedure.symbol(counted.variable).name));
        }
        // Where one of the messages needs whole vectors, the loop does.
        let multiple = if steps.tiled().all(|tiled| tiled.any_tile_length) { ", 1" } else { "" };
        head.push(format!("{tile_step} = gravel_tile({messages}, {iterations}{multiple})"));
        // A loop that the runtime leaves in one piece may have to stay in one.
        if let Some(tile) = steps.puts.iter().find_map(|(_, strip_mine)| strip_mine.tile) {
            head.push(format!("if ({tile_step} < {iterations}) {tile_step} = {tile}"));
        }
        // In one piece, the wait comes first, and everything is as it was.
        let is_cut = format!("if ({tile_step} < {iterations})");
        let mut tail = Vec::new();
        for (step, wait) in &steps.waits {
            for line in self.code_of(&wait.wait, step.origin, None)? {
                head.push(format!("if ({tile_step} >= {iterations}) {line}"));
                tail.push(format!("{is_cut} {line}"));
            }
        }
        head.push(format!("do {start} = {lower}, {upper}, {tile_step}"));
        let mut before = vec![(1, format!("{end} = {start} + min({tile_step} - 1, {upper_operand} - {start})"))];
        for (step, wait) in &steps.waits {
            let request = self.request(wait.request)?;
            let buffer_of = wait.buffer_of.ok_or_else(|| self.wrong_statement(step.origin, "a wait in tiles"))?;
            let buffer = self.whole_buffer(buffer_of)?;
            // The blocks of an exchange may be more elements together than default integers count.
            let is_wide =
                self.received(buffer_of.call)?.is_exchange() && wait.needed != Polynomial::variable(wait.variable);
            let (reached, offset) = match is_wide {
                true => (format!("int({end}, gravel_offset_kind)"), "0_gravel_offset_kind"),
                false => (end.clone(), "0"),
            };
            let needed = self.polynomial(&wait.needed, Some((wait.variable, &reached)));
            let needed = needed.strip_prefix('(').and_then(|open| open.strip_suffix(')')).unwrap_or(&needed);
            if !is_wide {
                let meant = wait.needed.checked_substitute(wait.variable, &Polynomial::variable(TILE_END));
                self.note_value(needed, meant, (&start, &end));
            }
            before.push((1, format!("{is_cut} call gravel_wait_range({request}, {buffer}, {offset}, {needed})")));
        }
        let mut after = Vec::new();
        for (step, strip_mine) in &steps.puts {
            let elements = &strip_mine.elements_per_iteration;
            let transfer = self.name(strip_mine.transfer);
            let buffer = self.text(&self.sent(step.origin)?.buffer);
            let is_exchange = self.sent(step.origin)?.is_exchange();
            let offset = self.elements(&format!("{start} - {lower_operand}"), elements, is_exchange);
            let count = self.elements(&format!("{end} - {start} + 1"), elements, is_exchange);
            for first in &strip_mine.sequences {
                let offset = match first.as_constant() {
                    Some(0) => offset.clone(),
                    _ => format!("{} + {offset}", self.polynomial(first, None)),
                };
                if !is_exchange {
                    let distance = |from: &Polynomial, to: SymbolId| Polynomial::variable(to).checked_subtract(from);
                    let begin = polynomial_of(self.procedure, &counted.lower)
                        .and_then(|lower| distance(&lower, TILE_START)?.checked_multiply(elements)?.checked_add(first));
                    self.note_value(&offset, begin, (&start, &end));
                    let length = distance(&Polynomial::variable(TILE_START), TILE_END).and_then(|distance| {
                        distance.checked_add(&Polynomial::constant(1))?.checked_multiply(elements)
                    });
                    self.note_value(&count, length, (&start, &end));
                }
                after.push(format!("call gravel_post_os_put({transfer}, {buffer}, {offset}, {count})"));
            }
        }
        Ok(LoopAround { head, before, lower: start, upper: end, after, tail })
    }

    /// Notes that a text is written for a value over the program's variables, and over those of the loop around, which are
    /// called so. Nothing is noted where the value is not known.
    fn note_value(&self, text: &str, value: Option<Polynomial>, (start, end): (&str, &str)) {
        if let Some(value) = value {
            self.note(text, self.forms(|forms| forms.value(&value, &[(TILE_START, start), (TILE_END, end)])));
        }
    }

    /// The loop over the three parts of a loop that is split: the iterations inside, then the first and the last ones. All
    /// three count by one, as the loop did: compilers make slower code of a step that they don't know.
    fn parts(&self, steps: &LoopSteps, counted: &Loop, number: usize) -> Result<LoopAround, EmitError> {
        let start = self.name(NewVariable::TileStart(number));
        let end = self.name(NewVariable::TileEnd(number));
        let part = self.name(NewVariable::LoopPart(number));
        let lower = self.bound(&counted.lower);
        let upper = self.bound(&counted.upper);
        let (parts, comment) = steps.parts(counted.bound);
        let goes_over = |(from, to): &(Value, Value)| {
            [format!("{start} = {}", self.value(from, counted)), format!("{end} = {}", self.value(to, counted))]
        };
        let mut head = vec![format!("! {comment}")];
        head.extend(goes_over(&parts.inside));
        head.push(format!("do {part} = 1, 3"));
        let mut before = vec![(1, format!("if ({part} == 2) then"))];
        let mut quoted = None;
        for split in &steps.splits {
            let origin = split.step.origin;
            if quoted.replace(origin) != Some(origin) {
                before.push((2, self.comment(&[split.step])));
            }
            before.extend(self.code_of(split.wait, origin, None)?.into_iter().map(|line| (2, line)));
        }
        before.extend(goes_over(&parts.first).map(|line| (2, line)));
        before.push((1, format!("else if ({part} == 3) then")));
        before.extend(goes_over(&parts.last).map(|line| (2, line)));
        before.push((1, "end if".to_string()));
        let mut tail = Vec::new();
        if steps.splits.iter().any(|split| split.keeps_variable) {
            let variable = &self.procedure.symbol(counted.variable).name;
            tail.push(format!("{variable} = max({lower}, {} + 1)", operand(&upper, &counted.upper)));
        }
        Ok(LoopAround { head, before, lower: start, upper: end, after: Vec::new(), tail })
    }

    /// A value over the loop's bounds, as text.
    fn value(&self, value: &Value, counted: &Loop) -> String {
        let upper = self.bound(&counted.upper);
        let upper_operand = operand(&upper, &counted.upper);
        match value {
            Value::BehindLower(more) => self.behind_lower(counted, *more),
            Value::BeforeBound(0) => upper,
            Value::BeforeBound(less) => format!("{upper_operand} - {less}"),
            Value::WholeVectors { less } => {
                let distance = match (&counted.lower.kind, self.behind_lower(counted, *less)) {
                    (ExpressionKind::Integer(0), _) if *less == 0 => upper,
                    (ExpressionKind::Integer(_), from) if !from.starts_with('-') => format!("{upper_operand} - {from}"),
                    (_, _) if *less == 0 => {
                        format!("{upper_operand} - {}", operand(&self.bound(&counted.lower), &counted.lower))
                    }
                    (_, from) => format!("{upper_operand} - ({from})"),
                };
                let less = if *less == 0 { String::new() } else { format!(" - {less}") };
                format!("{upper_operand}{less} - mod({distance}, {VECTOR_MULTIPLE})")
            }
            Value::Before(value) => format!("{} - 1", self.value(value, counted)),
            Value::Smaller(both) => {
                format!("min({}, {})", self.value(&both[0], counted), self.value(&both[1], counted))
            }
            Value::Larger(both) => format!("max({}, {})", self.value(&both[0], counted), self.value(&both[1], counted)),
        }
    }

    /// The loop's lower bound and so many more.
    fn behind_lower(&self, counted: &Loop, more: i64) -> String {
        match counted.lower.kind {
            _ if more == 0 => self.bound(&counted.lower),
            ExpressionKind::Integer(lower) if lower < i64::from(i32::MAX) - more => (lower + more).to_string(),
            _ => format!("{} + {more}", operand(&self.bound(&counted.lower), &counted.lower)),
        }
    }

    /// A bound as a default integer, which `min` and `max` need: its numbers may be of another kind (`20000_8`).
    fn bound(&self, bound: &Expression) -> String {
        let has_kind = |part: &Expression| {
            let text = self.text_alone(part);
            matches!(part.kind, ExpressionKind::Integer(_))
                && text.starts_with(|first: char| first.is_ascii_digit())
                && text.contains('_')
        };
        let text = self.text(bound);
        if bound.walk().into_iter().any(has_kind) { format!("int({text})") } else { text }
    }

    /// `sum * factor`, without the factor 1. The blocks of an exchange may be more elements together than default integers
    /// count.
    fn elements(&self, sum: &str, factor: &Polynomial, is_exchange: bool) -> String {
        match factor.as_constant() {
            Some(1) => sum.to_string(),
            _ if is_exchange => format!("int({sum}, gravel_offset_kind)*{}", self.polynomial(factor, None)),
            _ => format!("({sum})*{}", self.polynomial(factor, None)),
        }
    }

    /// A polynomial, in parentheses where it is more than a product, with another name for one of its variables.
    fn polynomial(&self, polynomial: &Polynomial, renamed: Option<(SymbolId, &str)>) -> String {
        polynomials::text(polynomial, &|symbol| match renamed {
            Some((other, name)) if other == symbol => name.to_string(),
            _ => self.procedure.symbol(symbol).name.clone(),
        })
    }
}

/// An expression's text as an operand of `+` and `-`.
fn operand(text: &str, expression: &Expression) -> String {
    match expression.kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Symbol(_)
        | ExpressionKind::Element { .. }
        | ExpressionKind::Call { .. } => text.to_string(),
        _ => format!("({text})"),
    }
}

/// Gives the loop at `span` other bounds. In fixed form its head is written anew, for it may not fit its line any more.
pub fn replace_bounds(file: &SourceFile, span: Span, counted: &Loop, bounds: (&str, &str), edits: &mut Edits) {
    let (lower, upper) = (counted.lower.span, counted.upper.span);
    if file.layout == SourceLayout::Free {
        edits.replace(lower.start, lower.end, bounds.0.to_owned());
        edits.replace(upper.start, upper.end, bounds.1.to_owned());
        return;
    }
    let text = |start: usize, end: usize| text_of(file, Span { start, end, ..span });
    let head = text(span.start, lower.start);
    let between = text(lower.end, upper.start);
    let end = counted.step.as_ref().map_or(upper.end, |step| step.span.end);
    let tail = text(upper.end, end);
    let mut lines = Lines::in_place_of(file, &indentation_of(file, span.start), span.start);
    lines.add(&format!("{head} {}{between} {}{tail}", bounds.0, bounds.1));
    edits.replace(span.start, replaced_end(file, end), lines.as_statements());
}
