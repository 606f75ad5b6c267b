//! Macros whose value is made when they are used.

use super::macros::Builtin;
use super::problem::{Limit, ProblemKind};
use super::run::{Frame, Run};
use super::symbols::known;
use super::token::{Flags, StepId, Token, TokenKind};

/// Replaces the name of such a macro. No if it stays a name, since it has no argument.
pub(super) fn enter(run: &mut Run<'_>, name: &Token, builtin: Builtin) -> Result<bool, Limit> {
    let mut flags = Flags::default();
    let text = match builtin {
        Builtin::Line => {
            flags = Flags::OF_PLACE;
            run.presumed_line(name).to_string().into_bytes()
        }
        Builtin::File | Builtin::FileName | Builtin::BaseFile => {
            flags = Flags::OF_PLACE;
            let frame = if builtin == Builtin::BaseFile { run.frames.first() } else { run.frames.last() };
            let file = frame.map_or(&[][..], |frame| Run::presumed_name(frame));
            let file = if builtin == Builtin::FileName { base_name(file) } else { file };
            quoted(file)
        }
        Builtin::Date => made_at(&mut flags, "\"??? ?? ????\""),
        Builtin::Time => made_at(&mut flags, "\"??:??:??\""),
        Builtin::Timestamp => made_at(&mut flags, "\"??? ??? ?? ??:??:?? ????\""),
        Builtin::IncludeLevel => run.frames.len().saturating_sub(1).to_string().into_bytes(),
        Builtin::Counter => {
            let place = run.unit.origin(name);
            run.unit.counters.push(place);
            let number = run.counter;
            run.counter += 1;
            number.to_string().into_bytes()
        }
        Builtin::HasInclude | Builtin::HasIncludeNext | Builtin::Asked => {
            let Some(operand) = operand(run, name)? else { return Ok(false) };
            if builtin == Builtin::Asked {
                let question = format!("{}({})", run.unit.symbols.text(name.symbol), written(run, &operand));
                run.configuration.compiler.answer(&question).into_bytes()
            } else {
                let is_there = has_include(run, name, operand, builtin == Builtin::HasIncludeNext)?;
                vec![b'0' + u8::from(is_there)]
            }
        }
    };
    let end = name.place.end;
    let step = run.step(name, end);
    let mut tokens = run.tokens_of(&text, name.place, step);
    for token in &mut tokens {
        token.flags.set(flags.and(name.flags.only(Flags::IN_BODY)));
    }
    run.replace(name, tokens, None);
    Ok(true)
}

fn made_at(flags: &mut Flags, text: &str) -> Vec<u8> {
    *flags = Flags::OF_TIME;
    text.as_bytes().to_vec()
}

fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// A path as a string literal.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend_from_slice(b"\\n"),
            _ => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}

/// The tokens between the parentheses behind a name.
fn operand(run: &mut Run<'_>, name: &Token) -> Result<Option<Vec<Token>>, Limit> {
    if run.read_parenthesis().is_none() {
        run.note(ProblemKind::InvalidCondition, name.place, Some(name.symbol));
        return Ok(None);
    }
    run.prevented += 1;
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let ending = loop {
        match run.next() {
            Ok(Some(token)) if token.is(known::CLOSE) && depth == 0 => break Ok(true),
            Ok(Some(token)) => {
                if token.is(known::OPEN) {
                    depth += 1;
                } else if token.is(known::CLOSE) {
                    depth -= 1;
                }
                tokens.push(token);
            }
            Ok(None) => break Ok(false),
            Err(limit) => break Err(limit),
        }
    };
    run.prevented -= 1;
    if !ending? {
        run.note(ProblemKind::InvalidCondition, name.place, Some(name.symbol));
    }
    Ok(Some(tokens))
}

/// The tokens as they could be written.
fn written(run: &Run<'_>, tokens: &[Token]) -> String {
    tokens.iter().map(|token| String::from_utf8_lossy(run.spelling(token)).into_owned()).collect()
}

/// Is there the header that the operand names?
fn has_include(run: &mut Run<'_>, name: &Token, operand: Vec<Token>, is_next: bool) -> Result<bool, Limit> {
    let is_macro = operand.first().is_some_and(|first| first.kind == TokenKind::Identifier);
    let operand = if is_macro { run.expanded(operand)?.0 } else { operand };
    let Some((header, is_angled)) = run.header_name(&operand) else {
        run.note(ProblemKind::InvalidCondition, name.place, Some(name.symbol));
        return Ok(false);
    };
    Ok(run.find_header(&header, is_angled, is_next).is_some())
}

impl Run<'_> {
    /// The line that `__LINE__` is: its own where a file spells it, else that of the innermost invocation that a file spells.
    fn presumed_line(&self, name: &Token) -> i64 {
        let mut place = name.place;
        let mut is_in_body = name.flags.has(Flags::IN_BODY.and(Flags::MADE));
        let mut next: StepId = name.step;
        while is_in_body && let Some(step) = self.unit.step(next) {
            place = step.at;
            if self.configuration.dialect.line_of_end {
                place.start = step.place().end.saturating_sub(1);
            }
            is_in_body = step.is_in_body;
            next = step.outer;
        }
        let line = self.unit.file(place.file).line(place.start);
        let added = self.frames.last().map_or(0, |frame| frame.lines);
        i64::try_from(line).unwrap_or(i64::MAX).saturating_add(added)
    }

    /// The name that `__FILE__` is.
    fn presumed_name(frame: &Frame) -> &[u8] {
        frame.name.as_deref().unwrap_or(&frame.path)
    }
}
