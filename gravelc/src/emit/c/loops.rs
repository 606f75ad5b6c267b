//! What is written around loops that are cut into tiles (Gravel paper, Figure 2c).
//!
//! Where the program's loop stays below its bound, so do the tiles: their ends are the values behind their last ones.

use crate::ir::{ExpressionKind, Loop, LoopBound, Polynomial, SymbolId};
use crate::plan::{NewVariable, VECTOR_MULTIPLE};

use super::super::around::LoopSteps;
use super::super::parts::Value;
use super::super::{EmitError, polynomials};
use super::calls::Writer;
use super::layout::comment;

/// A loop around a loop: what is written around the inner one, and what its bounds become.
pub struct LoopAround {
    /// Up to the head of the new loop.
    pub head: Vec<String>,
    /// Inside the new loop, before the other one, each with how deep it is there.
    pub before: Vec<(usize, String)>,
    /// The first value of the loop inside.
    pub lower: String,
    /// The bound of the loop inside.
    pub upper: String,
    /// Inside the new loop, behind the other one.
    pub after: Vec<String>,
    /// Behind the new loop.
    pub tail: Vec<String>,
}

/// What makes the runtime's type for offsets and counts of an integer, so that products of it are of that type.
const WIDE: &str = "(int64_t)";
/// What stands for the end of a tile in values: no procedure has so many symbols.
const TILE_END: SymbolId = SymbolId(usize::MAX);

impl Writer<'_> {
    /// What is written around a loop that is cut into tiles, or split.
    ///
    /// # Errors
    /// If a step is none for C.
    pub fn around_loop(&self, steps: &LoopSteps, counted: &Loop) -> Result<LoopAround, EmitError> {
        match steps.splits.first() {
            Some(split) => self.parts(steps, counted, split.number),
            None => self.tiles(steps, counted),
        }
    }

    /// The loop over the three parts of a loop that is split: the iterations inside, then the first and the last ones. All
    /// three count by one, as the loop did: compilers make slower code of a step that they don't know.
    fn parts(&self, steps: &LoopSteps, counted: &Loop, number: usize) -> Result<LoopAround, EmitError> {
        let start = self.name(NewVariable::TileStart(number));
        let end = self.name(NewVariable::TileEnd(number));
        let part = self.name(NewVariable::LoopPart(number));
        let (lower, bound) = (self.text(&counted.lower), self.text(&counted.upper));
        let (parts, text) = steps.parts(counted.bound);
        let text_of = |value: &Value| value_text(value, counted, (&lower, &bound));
        let goes_over = |(from, to): &(Value, Value)| {
            [format!("{start} = {};", text_of(from)), format!("{end} = {};", text_of(to))]
        };
        let mut head = vec![comment(&text)];
        head.extend(goes_over(&parts.inside));
        head.push(format!("for ({part} = 1; {part} <= 3; {part}++) {{"));
        let mut before = vec![(0, format!("if ({part} == 2) {{"))];
        let mut quoted = None;
        for split in &steps.splits {
            let origin = split.step.origin;
            if quoted.replace(origin) != Some(origin) {
                before.push((1, self.comment(&[split.step])));
            }
            let wait = self.statement(split.wait, origin)?.unwrap_or_default();
            before.extend(wait.into_iter().map(|line| (1, line)));
        }
        before.extend(goes_over(&parts.first).map(|line| (1, line)));
        before.push((0, format!("}} else if ({part} == 3) {{")));
        before.extend(goes_over(&parts.last).map(|line| (1, line)));
        before.push((0, "}".to_owned()));
        let mut tail = Vec::new();
        if steps.splits.iter().any(|split| split.keeps_variable) {
            let variable = &self.procedure.symbol(counted.variable).name;
            let behind = match counted.bound {
                LoopBound::BehindLast => bound,
                LoopBound::Last => format!("{} + 1", operand(&bound)),
            };
            tail.push(format!("{variable} = {};", larger(&lower, &behind)));
        }
        Ok(LoopAround { head, before, lower: start, upper: end, after: Vec::new(), tail })
    }

    /// The loop over tiles around a loop that fills or reads messages.
    fn tiles(&self, steps: &LoopSteps, counted: &Loop) -> Result<LoopAround, EmitError> {
        let number = steps.tiled().next().map_or(0, |tiled| tiled.number);
        let start = self.name(NewVariable::TileStart(number));
        let end = self.name(NewVariable::TileEnd(number));
        let step = self.name(NewVariable::TileStep(number));
        let (lower, bound) = (self.text(&counted.lower), self.text(&counted.upper));
        let (lower_operand, bound_operand) = (operand(&lower), operand(&bound));
        let is_behind = counted.bound == LoopBound::BehindLast;
        let iterations = match (&counted.lower.kind, counted.bound) {
            (ExpressionKind::Integer(0), LoopBound::BehindLast) | (ExpressionKind::Integer(1), LoopBound::Last) => {
                bound.clone()
            }
            (_, LoopBound::BehindLast) => format!("{bound_operand} - {lower_operand}"),
            (_, LoopBound::Last) => format!("{bound_operand} - {lower_operand} + 1"),
        };
        let mut head = Vec::new();
        for (step, _) in &steps.waits {
            head.push(self.comment(&[step]));
        }
        if steps.tiled().any(|tiled| tiled.keeps_variable) {
            head.push(format!("{} = {lower};", self.procedure.symbol(counted.variable).name));
        }
        // Where one of the messages needs whole vectors, the loop does.
        let multiple = if steps.tiled().all(|tiled| tiled.any_tile_length) { 1 } else { VECTOR_MULTIPLE };
        let puts = steps.puts.iter().map(|(_, put)| {
            Ok::<_, EmitError>(format!("gravel_tile({}, {iterations}, {multiple})", self.name(put.transfer)))
        });
        let waits = steps.waits.iter().map(|(_, wait)| {
            let request = self.request_value(wait.request)?;
            Ok(format!("gravel_tile_of_request({request}, {iterations}, {multiple})"))
        });
        let tiles = puts.chain(waits).collect::<Result<Vec<_>, _>>()?;
        for (index, tile) in tiles.iter().enumerate() {
            head.push(match index {
                0 => format!("{step} = {tile};"),
                // The message with the shortest tiles has its way.
                _ => format!("if ({tile} < {step}) {step} = {tile};"),
            });
        }
        // A loop that the runtime leaves in one piece may have to stay in one.
        if let Some(tile) = steps.puts.iter().find_map(|(_, put)| put.tile) {
            head.push(format!("if ({step} < {iterations}) {step} = {tile};"));
        }
        // In one piece, the wait comes first, and everything is as it was.
        let mut tail = Vec::new();
        for (origin, wait) in &steps.waits {
            for line in self.statement(&wait.wait, origin.origin)?.unwrap_or_default() {
                head.push(format!("if ({step} >= {iterations}) {line}"));
                tail.push(format!("if ({step} < {iterations}) {line}"));
            }
        }
        let (sign, next) = if is_behind { ("<", end.clone()) } else { ("<=", format!("{end} + 1")) };
        head.push(format!("for ({start} = {lower}; {start} {sign} {bound}; {start} = {next}) {{"));
        let end_of_tile = match is_behind {
            true => format!("{end} = {step} < {bound_operand} - {start} ? {start} + (int){step} : {bound};"),
            false => format!("{end} = {step} <= {bound_operand} - {start} ? {start} + (int){step} - 1 : {bound};"),
        };
        let mut before = vec![(0, end_of_tile)];
        // The blocks of an exchange may be more elements together than integers count.
        let widened = |is_exchange: bool| if is_exchange { WIDE } else { "" };
        for (origin, wait) in &steps.waits {
            let request = self.request_value(wait.request)?;
            let buffer = wait.buffer_of.and_then(|which| self.buffer_named(which)).unwrap_or("NULL".to_owned());
            let last = match is_behind {
                true => Polynomial::variable(TILE_END).checked_subtract(&Polynomial::constant(1)),
                false => Some(Polynomial::variable(TILE_END)),
            };
            let needed = last.and_then(|last| wait.needed.checked_substitute(wait.variable, &last));
            let needed = needed.ok_or_else(|| self.wrong_statement(origin.origin, "a wait in tiles"))?;
            let is_product = wait.needed != Polynomial::variable(wait.variable);
            let wide = widened(self.communication(origin.origin, "a wait in tiles")?.is_exchange() && is_product);
            let reached = |symbol: SymbolId| match symbol {
                TILE_END => format!("{wide}{end}"),
                _ => format!("{wide}{}", self.procedure.symbol(symbol).name),
            };
            let needed = polynomials::text_alone(&needed, &reached);
            let wait = format!("gravel_wait_range({request}, {buffer}, 0, {needed});");
            before.push((0, format!("if ({step} < {iterations}) {wait}")));
        }
        let mut after = Vec::new();
        for (origin, put) in &steps.puts {
            let buffer = self.text(&self.sent(origin.origin)?.buffer);
            let wide = widened(self.sent(origin.origin)?.is_exchange());
            let named = |symbol: SymbolId| format!("{wide}{}", self.procedure.symbol(symbol).name);
            let elements = |count: String| match put.elements_per_iteration.as_constant() {
                Some(1) => count,
                _ => format!("{wide}({count})*{}", polynomials::text(&put.elements_per_iteration, &named)),
            };
            let from = match counted.lower.kind {
                ExpressionKind::Integer(0) => start.clone(),
                _ => format!("{start} - {lower_operand}"),
            };
            let offset =
                match (put.elements_per_iteration.as_constant(), counted.lower.kind == ExpressionKind::Integer(0)) {
                    (Some(1), _) => from,
                    (_, true) => format!("{wide}{from}*{}", polynomials::text(&put.elements_per_iteration, &named)),
                    (_, false) => elements(from),
                };
            let count = elements(if is_behind { format!("{end} - {start}") } else { format!("{end} - {start} + 1") });
            for first in &put.sequences {
                let offset = match first.as_constant() {
                    Some(0) => offset.clone(),
                    _ => format!("{} + {offset}", polynomials::text(first, &named)),
                };
                after.push(format!("gravel_post_os_put({}, {buffer}, {offset}, {count});", self.name(put.transfer)));
            }
        }
        Ok(LoopAround { head, before, lower: start, upper: end, after, tail })
    }
}

/// A value over a loop's bounds, as text.
fn value_text(value: &Value, counted: &Loop, (lower, bound): (&str, &str)) -> String {
    let of = |value: &Value| value_text(value, counted, (lower, bound));
    match value {
        Value::BehindLower(more) => behind(counted, lower, *more),
        Value::BeforeBound(0) => bound.to_owned(),
        Value::BeforeBound(less) => format!("{} - {less}", operand(bound)),
        Value::WholeVectors { less } => {
            let from = operand(&behind(counted, lower, *less));
            let before = if *less == 0 { String::new() } else { format!(" - {less}") };
            format!("{0}{before} - ({0} - {from}) % {VECTOR_MULTIPLE}", operand(bound))
        }
        Value::Before(value) => format!("{} - 1", of(value)),
        Value::Smaller(both) => smaller(&of(&both[0]), &of(&both[1])),
        Value::Larger(both) => larger(&of(&both[0]), &of(&both[1])),
    }
}

/// The loop's lower bound and so many more.
fn behind(counted: &Loop, lower: &str, more: i64) -> String {
    match counted.lower.kind {
        _ if more == 0 => lower.to_owned(),
        ExpressionKind::Integer(lower) if lower < i64::from(i32::MAX) - more => (lower + more).to_string(),
        _ => format!("{} + {more}", operand(lower)),
    }
}

fn smaller(one: &str, other: &str) -> String {
    format!("{one} < {other} ? {one} : {other}")
}

fn larger(one: &str, other: &str) -> String {
    format!("{one} > {other} ? {one} : {other}")
}

/// A text as an operand of `+` and `-`.
fn operand(text: &str) -> String {
    let is_single = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_single { text.to_owned() } else { format!("({text})") }
}
