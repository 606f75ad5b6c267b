//! What is written around loops that are cut into tiles (Gravel paper, Figure 2c).
//!
//! Where the program's loop stays below its bound, so do the tiles: their ends are the values behind their last ones.

use crate::ir::{ExpressionKind, Loop, LoopBound, Polynomial, SymbolId};
use crate::plan::{NewVariable, VECTOR_MULTIPLE};

use super::super::around::LoopSteps;
use super::super::{EmitError, polynomials};
use super::calls::Writer;

/// A loop around a loop: what is written around the inner one, and what its bounds become.
pub struct LoopAround {
    /// Up to the head of the new loop.
    pub head: Vec<String>,
    /// Inside the new loop, before the other one.
    pub before: Vec<String>,
    /// The first value of the loop inside.
    pub lower: String,
    /// The bound of the loop inside.
    pub upper: String,
    /// Inside the new loop, behind the other one.
    pub after: Vec<String>,
    /// Behind the new loop.
    pub tail: Vec<String>,
}

/// What stands for the end of a tile in values: no procedure has so many symbols.
const TILE_END: SymbolId = SymbolId(usize::MAX);

impl Writer<'_> {
    /// The loop over tiles around a loop that fills or reads messages.
    ///
    /// # Errors
    /// If a step is none for C.
    pub fn tiles(&self, steps: &LoopSteps, counted: &Loop) -> Result<LoopAround, EmitError> {
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
        let mut before = vec![match is_behind {
            true => format!("{end} = {step} < {bound_operand} - {start} ? {start} + (int){step} : {bound};"),
            false => format!("{end} = {step} <= {bound_operand} - {start} ? {start} + (int){step} - 1 : {bound};"),
        }];
        let renamed = |symbol: SymbolId| match symbol {
            TILE_END => end.clone(),
            _ => self.procedure.symbol(symbol).name.clone(),
        };
        for (_, wait) in &steps.waits {
            let request = self.request_value(wait.request)?;
            let buffer = self.buffer_named(wait.buffer_of).unwrap_or("NULL".to_owned());
            let last = match is_behind {
                true => Polynomial::variable(TILE_END).checked_subtract(&Polynomial::constant(1)),
                false => Some(Polynomial::variable(TILE_END)),
            };
            let needed = last.and_then(|last| wait.needed.checked_substitute(wait.variable, &last));
            let needed = needed.ok_or_else(|| self.wrong_statement(wait.buffer_of.call, "a wait in tiles"))?;
            let needed = polynomials::text_alone(&needed, &renamed);
            before.push(format!("if ({step} < {iterations}) gravel_wait_range({request}, {buffer}, 0, {needed});"));
        }
        let mut after = Vec::new();
        for (origin, put) in &steps.puts {
            let buffer = self.text(&self.sent(origin.origin)?.buffer);
            let elements = |count: String| match put.elements_per_iteration.as_constant() {
                Some(1) => count,
                _ => format!("({count})*{}", polynomials::text(&put.elements_per_iteration, &renamed)),
            };
            let from = match counted.lower.kind {
                ExpressionKind::Integer(0) => start.clone(),
                _ => format!("{start} - {lower_operand}"),
            };
            let offset =
                match (put.elements_per_iteration.as_constant(), counted.lower.kind == ExpressionKind::Integer(0)) {
                    (Some(1), _) => from,
                    (_, true) => format!("{from}*{}", polynomials::text(&put.elements_per_iteration, &renamed)),
                    (_, false) => elements(from),
                };
            let count = elements(if is_behind { format!("{end} - {start}") } else { format!("{end} - {start} + 1") });
            for first in &put.sequences {
                let offset = match first.as_constant() {
                    Some(0) => offset.clone(),
                    _ => format!("{} + {offset}", polynomials::text(first, &renamed)),
                };
                after.push(format!("gravel_post_os_put({}, {buffer}, {offset}, {count});", self.name(put.transfer)));
            }
        }
        Ok(LoopAround { head, before, lower: start, upper: end, after, tail })
    }
}

/// A text as an operand of `+` and `-`.
fn operand(text: &str) -> String {
    let is_single = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_single { text.to_owned() } else { format!("({text})") }
}
