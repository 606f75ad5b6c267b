//! Own text: a part of the expansion that a file spells itself, in order and once.

use std::collections::HashMap;
use std::ops::Range;

use super::Expansion;
use crate::frontend::c::preprocess::{ArgumentUse, Flags, Place, Step, StepId, Token, TokenKind, Unit};

/// A part of a file that is a part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnText {
    /// The bytes of the file.
    pub place: Place,
    /// Are all its tokens spelled there? Else macros are used in it, whole invocations all of them.
    pub is_plain: bool,
    /// Is it an argument of a macro, or a part of one?
    pub is_in_argument: bool,
}

/// Why a part of the text is not spelled by a file in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotOwn {
    /// There is no token in it.
    Empty,
    /// A macro makes a part of it, and not all of what that invocation makes is in it.
    MadeByMacro,
    /// It is an argument of a macro that has it in several places.
    Repeated,
    /// It is an argument of a macro that leaves it out elsewhere.
    Unused,
    /// It is an argument of a macro that also makes a string of it.
    Stringified,
    /// A part of it is joined to another token.
    Pasted,
    /// A macro gives its parts in another order.
    OtherOrder,
    /// Its parts stand in several files.
    SeveralFiles,
    /// The file is included more than once.
    IncludedTwice,
    /// It stands in a header of the system.
    InSystemHeader,
    /// A directive stands inside of it, such as `#if` or `#pragma`.
    Directive,
    /// It has one parenthesis of two.
    Unbalanced,
    /// A file has other tokens between its parts.
    Gap,
}

/// Invocations in invocations that became nothing, at most.
const NESTED: usize = 16;

/// What an invocation became: the first and last of its tokens and how many.
#[derive(Debug, Clone, Copy)]
struct Made {
    first: usize,
    last: usize,
    count: usize,
}

/// All invocations whose names a file spells outside of definitions, with what they became.
#[derive(Debug, Default)]
pub(super) struct Invocations {
    made: HashMap<StepId, Made>,
    /// How often each spelled token is in the text, for those that are there more than once.
    repeated: HashMap<Place, usize>,
    /// Those that became nothing, in order.
    empty: Vec<Place>,
}

/// Is a token spelled by a file, outside of macros' definitions?
fn is_spelled(token: &Token) -> bool {
    !token.flags.has(Flags::IN_BODY) && !token.flags.has(Flags::MADE)
}

impl Invocations {
    pub(super) fn of(unit: &Unit) -> Self {
        let mut made: HashMap<StepId, Made> = HashMap::new();
        let mut seen: HashMap<Place, usize> = HashMap::new();
        for (number, token) in unit.tokens.iter().enumerate() {
            if is_spelled(token) && !token.step.is_none() {
                *seen.entry(token.place).or_default() += 1;
            }
            let mut next = token.step;
            while let Some(step) = unit.step(next) {
                if !step.is_in_body {
                    let found = made.entry(next).or_insert(Made { first: number, last: number, count: 0 });
                    found.last = number;
                    found.count += 1;
                }
                next = step.outer;
            }
        }
        seen.retain(|_, count| *count > 1);
        let numbers = (1..=unit.steps.len()).map(StepId::of_number);
        let spelled = numbers.zip(&unit.steps).filter(|(_, step)| !step.is_in_body && step.is_complete);
        let mut empty: Vec<Place> =
            spelled.filter(|(number, _)| !made.contains_key(number)).map(|(_, step)| step.place()).collect();
        empty.sort_unstable();
        Self { made, repeated: seen, empty }
    }

    /// The places of those that are spelled by files and became, as a whole, something for which `is_operand` does not hold.
    pub(super) fn compounds(&self, unit: &Unit, is_operand: &dyn Fn(Range<usize>) -> bool) -> Vec<Place> {
        let compounds = self.made.iter().filter(|(_, made)| {
            let is_one = made.last - made.first + 1 == made.count;
            !is_one || !is_operand(made.first..made.last + 1)
        });
        compounds.filter_map(|(&step, _)| unit.step(step)).map(Step::place).collect()
    }

    /// The invocation around a token, the innermost or the outermost one, that is a part of these tokens as a whole.
    fn whole(&self, unit: &Unit, token: &Token, tokens: &Range<usize>, prefers: Prefers) -> Option<StepId> {
        if prefers == Prefers::Arguments && is_spelled(token) {
            return None;
        }
        let mut found = None;
        let mut next = token.step;
        while let Some(step) = unit.step(next) {
            if let Some(made) = self.made.get(&next)
                && tokens.contains(&made.first)
                && tokens.contains(&made.last)
                && made.last - made.first + 1 == made.count
                && step.is_complete
            {
                found = Some(next);
                if prefers == Prefers::Arguments {
                    break;
                }
            }
            next = step.outer;
        }
        found
    }
}

/// What a text is that is both an argument and all that its macro becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefers {
    Arguments,
    Invocations,
}

/// The part of a file that these tokens of the text are.
pub(super) fn own_text(expansion: &Expansion, tokens: Range<usize>) -> Result<OwnText, NotOwn> {
    let found = own_text_as(expansion, tokens.clone(), Prefers::Arguments);
    found.or_else(|reason| own_text_as(expansion, tokens, Prefers::Invocations).map_err(|_| reason))
}

fn own_text_as(expansion: &Expansion, tokens: Range<usize>, prefers: Prefers) -> Result<OwnText, NotOwn> {
    let unit = &expansion.unit;
    if !is_balanced(&unit.tokens[tokens.clone()], unit) {
        return Err(NotOwn::Unbalanced);
    }
    let mut place: Option<Place> = None;
    let mut is_plain = true;
    let mut is_in_argument = false;
    let mut pieces = Vec::with_capacity(tokens.len());
    let mut number = tokens.start;
    while number < tokens.end {
        let token = &unit.tokens[number];
        if token.flags.has(Flags::DIRECTIVE) {
            return Err(NotOwn::Directive);
        }
        let (piece, next) = match expansion.invocations.whole(unit, token, &tokens, prefers) {
            Some(step) => {
                is_plain = false;
                let made = expansion.invocations.made.get(&step).map_or(number, |made| made.last);
                let step = unit.step(step).ok_or(NotOwn::MadeByMacro)?;
                is_in_argument |= !step.outer.is_none();
                (step.place(), made + 1)
            }
            None if !is_spelled(token) => return Err(NotOwn::MadeByMacro),
            None => {
                is_in_argument |= !token.step.is_none();
                if expansion.invocations.repeated.contains_key(&token.place) {
                    return Err(NotOwn::Repeated);
                }
                (token.place, number + 1)
            }
        };
        pieces.push(piece);
        number = next;
        place = Some(match place {
            None => piece,
            Some(before) if before.file != piece.file => return Err(NotOwn::SeveralFiles),
            Some(before) if before.end > piece.start => return Err(NotOwn::OtherOrder),
            Some(before) => Place { end: piece.end, ..before },
        });
    }
    let place = place.ok_or(NotOwn::Empty)?;
    let file = unit.file(place.file);
    if file.is_system {
        return Err(NotOwn::InSystemHeader);
    }
    if file.inclusions > 1 {
        return Err(NotOwn::IncludedTwice);
    }
    if meets(&unit.directives, place) {
        return Err(NotOwn::Directive);
    }
    for argument in unit.arguments.iter().filter(|argument| argument.place.meets(place)) {
        let name = argument.invocation;
        if !(place.start <= name && name < place.end) {
            return Err(match argument.usage {
                ArgumentUse::Never => NotOwn::Unused,
                ArgumentUse::Repeated => NotOwn::Repeated,
                ArgumentUse::Stringified => NotOwn::Stringified,
                ArgumentUse::Pasted => NotOwn::Pasted,
            });
        }
    }
    if has_gap(expansion, place, &pieces) {
        return Err(NotOwn::Gap);
    }
    Ok(OwnText { place, is_plain, is_in_argument })
}

/// Have all parentheses their partners? Another number of them could change what the arguments of macros are.
fn is_balanced(tokens: &[Token], unit: &Unit) -> bool {
    let mut open = 0_usize;
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Punctuator) {
        match unit.symbols.spelling(token.symbol) {
            b"(" => open += 1,
            b")" => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}

/// Does one of the places, which are in order in each file, meet this one?
fn meets(places: &[Place], place: Place) -> bool {
    places.iter().any(|other| other.meets(place))
}

/// Has the file a token between the pieces? A macro that became nothing may stand there.
fn has_gap(expansion: &Expansion, place: Place, pieces: &[Place]) -> bool {
    let empty = &expansion.invocations.empty;
    let became_nothing = |token: Place| {
        let before = empty
            .partition_point(|other| other.file < token.file || other.file == token.file && other.start <= token.start);
        // They may be nested: the outermost one begins first.
        empty[..before].iter().rev().take(NESTED).any(|other| other.contains(token))
    };
    let mut pieces = pieces.iter().peekable();
    for token in expansion.unit.spelled_in(place) {
        while pieces.peek().is_some_and(|piece| piece.end <= token.start) {
            pieces.next();
        }
        let is_piece = pieces.peek().is_some_and(|piece| piece.contains(token));
        if !is_piece && !became_nothing(token) {
            return true;
        }
    }
    false
}
