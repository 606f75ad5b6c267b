//! Ranges of the text that was read as ranges of the file that is translated.
//!
//! What a macro makes lies where it is invoked, what stands in an included file at the lines that include it.

use crate::frontend::c::expansion::Expansion;
use crate::frontend::c::preprocess::{self, Token};
use crate::frontend::c::unit;
use crate::ir::{FileId, Span};

/// What declares labels of a block.
const LABEL: &[u8] = b"__label__";

/// Where the parts of a unit's text are.
pub struct Places<'u> {
    expansion: &'u Expansion,
    file: FileId,
    /// For each token where it lies in the file that is translated.
    tokens: Vec<(u32, u32)>,
    /// The directives of the file that may change what macros mean, in order.
    of_macros: Vec<Span>,
    length: usize,
}

impl<'u> Places<'u> {
    /// The places of the text, of which the translated file is `file` with so many bytes.
    pub fn of(expansion: &'u Expansion, file: FileId, length: usize) -> Self {
        let read = expansion.unit();
        let mut tokens = Vec::with_capacity(read.tokens.len());
        let mut behind = 0;
        let mut of_included = None;
        for token in &read.tokens {
            let origin = read.origin(token);
            if origin.file == preprocess::FileId::MAIN {
                behind = origin.end;
                of_included = None;
                tokens.push((origin.start, origin.end));
            } else {
                tokens.push(*of_included.get_or_insert_with(|| inclusion_behind(read, behind)));
            }
        }
        let own = read.directives.iter().filter(|place| place.file == preprocess::FileId::MAIN);
        let spans = own.map(|place| Span { file, start: place.start as usize, end: place.end as usize });
        let text = &read.file(preprocess::FileId::MAIN).text;
        let mut of_macros: Vec<Span> =
            spans.filter(|span| text.get(span.start..span.end).is_none_or(may_change_macros)).collect();
        of_macros.sort_unstable_by_key(|span| span.start);
        Self { expansion, file, tokens, of_macros, length }
    }

    /// Where a range of the text lies.
    pub fn span(&self, range: &unit::Span) -> Span {
        let tokens = self.expansion.tokens_in(range.start as usize..range.end as usize);
        let known = &self.tokens[tokens.start.min(self.tokens.len())..tokens.end.min(self.tokens.len())];
        let start = known.iter().map(|(start, _)| *start).min();
        let end = known.iter().map(|(_, end)| *end).max();
        let (start, end) = match start.zip(end) {
            Some((start, end)) => (start as usize, end as usize),
            // Nothing is in it: it lies in front of what follows.
            None => {
                let at = self.tokens.get(tokens.start).map_or(self.length, |(start, _)| *start as usize);
                (at, at)
            }
        };
        Span { file: self.file, start: start.min(self.length), end: end.min(self.length) }
    }

    /// Where the translated file spells the range as one piece, also in the argument of a macro. Statements do not lie there: a
    /// macro may execute its arguments in another order than that of the text.
    pub fn own_span(&self, range: &unit::Span) -> Option<Span> {
        let own = self.expansion.own_text(range.start as usize..range.end as usize).ok()?;
        let (start, end) = (own.place.start as usize, own.place.end as usize);
        (own.place.file == preprocess::FileId::MAIN).then_some(Span { file: self.file, start, end })
    }

    /// Is the range the text of one piece of the translated file, which is nothing else?
    pub fn is_own(&self, range: &unit::Span) -> bool {
        self.own_span(range).is_some()
    }

    /// The same where it can be a statement: not in the argument of a macro.
    pub fn is_own_statement(&self, range: &unit::Span) -> bool {
        let own = self.expansion.own_text(range.start as usize..range.end as usize);
        own.is_ok_and(|own| !own.is_in_argument && own.place.file == preprocess::FileId::MAIN)
    }

    /// Does the range tell of the place where it stands, or of the time (`__LINE__`, `__FILE__`, `__DATE__`), also by a macro? Elsewhere
    /// it would say something else.
    pub fn tells_of_place(&self, range: &unit::Span) -> bool {
        let tokens = self.expansion.tokens_in(range.start as usize..range.end as usize);
        self.expansion.unit().tokens[tokens].iter().any(Token::tells_of_place_or_time)
    }

    /// Where the file counts with `__COUNTER__` between the ends of the range, in directives, too: each use has another value, in the
    /// order of the text.
    pub fn counter_in(&self, range: &unit::Span) -> Option<Span> {
        let around = self.span(range);
        let own = self.expansion.unit().counters.iter().filter(|place| place.file == preprocess::FileId::MAIN);
        own.map(|place| self.of_place(*place)).find(|place| place.is_within(around))
    }

    /// The invocations of macros in the file that are no operands as they stand: `#define LAST first + n`.
    pub fn compounds(&self) -> Vec<Span> {
        let own = self.expansion.compounds().into_iter().filter(|place| place.file == preprocess::FileId::MAIN);
        own.map(|place| self.of_place(place)).collect()
    }

    /// Where the declarations of labels end with which the block `range` begins (GNU C), or its brace.
    pub fn behind_labels_of(&self, range: &unit::Span) -> usize {
        let read = self.expansion.unit();
        let mut tokens = self.expansion.tokens_in(range.start as usize..range.end as usize);
        let spelled = |number: usize| read.symbols.spelling(read.tokens[number].symbol);
        let brace = tokens.next();
        let mut end = brace;
        while tokens.clone().next().is_some_and(|number| spelled(number) == LABEL) {
            end = tokens.find(|&number| spelled(number) == b";").or(end);
        }
        end.or(brace).map_or(self.length, |number| self.tokens[number].1 as usize)
    }

    /// Do the first and the last token of the range stand in the translated file themselves? Directives, and what macros make, may
    /// lie between them.
    pub fn has_own_ends(&self, range: &unit::Span) -> bool {
        let tokens = self.expansion.tokens_in(range.start as usize..range.end as usize);
        let is_own = |token: usize| {
            self.expansion
                .own_text(self.expansion.range_of(token))
                .is_ok_and(|own| own.is_plain && !own.is_in_argument && own.place.file == preprocess::FileId::MAIN)
        };
        !tokens.is_empty() && is_own(tokens.start) && is_own(tokens.end - 1)
    }

    /// The first directive between two bytes of the file that may change what a macro means.
    pub fn change_of_macros(&self, start: usize, end: usize) -> Option<Span> {
        let first = self.of_macros.partition_point(|span| span.start < start);
        self.of_macros.get(first).copied().filter(|span| span.start < end)
    }

    /// Where in the file a place is that the preprocessor tells of.
    pub fn of_place(&self, place: preprocess::Place) -> Span {
        let (start, end) = match place.file == preprocess::FileId::MAIN {
            true => (place.start as usize, place.end as usize),
            false => (0, 0),
        };
        Span { file: self.file, start: start.min(self.length), end: end.min(self.length) }
    }
}

/// May a macro mean something else behind the directive? Not behind a condition, of which only one group is text, nor where a line
/// is numbered or a hint given.
fn may_change_macros(directive: &[u8]) -> bool {
    let words = directive.strip_prefix(b"#").unwrap_or(directive).trim_ascii_start();
    let unchanging: [&[u8]; 9] =
        [b"ifdef", b"ifndef", b"if", b"elif", b"else", b"endif", b"line", b"error", b"warning"];
    let is_pragma = words.starts_with(b"pragma");
    let names_macro = words.windows(6).any(|part| part == b"_macro");
    match is_pragma {
        true => names_macro,
        false => !words.is_empty() && !unchanging.iter().any(|word| words.starts_with(word)),
    }
}

/// The directives of the translated file that follow the byte: what is included there comes from one of them.
fn inclusion_behind(read: &preprocess::Unit, behind: u32) -> (u32, u32) {
    let own = read.directives.iter().filter(|place| place.file == preprocess::FileId::MAIN && place.start >= behind);
    own.min_by_key(|place| place.start).map_or((behind, behind), |place| (place.start, place.end))
}
