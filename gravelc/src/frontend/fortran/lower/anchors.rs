//! Where lines may be inserted into a procedure.

use super::super::text::syntax_tree::Node;

use super::super::names::units::{Source, Unit};
use super::lowering::Lowering;
use crate::ir::{Anchors, UntouchableCause};

/// Finds the anchors of `unit`, whose first executable part is `first`.
///
/// Where statements share the lines in question nothing can be inserted, and the procedure is untouchable.
pub(super) fn find_anchors(lowering: &mut Lowering<'_, '_>, unit: &Unit<'_>, first: Option<Node<'_>>) -> Anchors {
    let source = lowering.source;
    let first = first.map_or(unit.parts_end, |first| first.start_byte());
    if let Some(anchors) = anchors_of(source, unit, first) {
        return anchors;
    }
    let place = unit.header.unwrap_or(unit.node);
    let span = source.span(place.start_byte()..place.start_byte());
    let why = "several statements share the line where declarations would go";
    lowering.mark_untouchable_for(UntouchableCause::SharedLine, span, why);
    // Nothing is inserted; these are in the procedure at least.
    let start = line_start(source, unit.node.start_byte());
    Anchors { imports: start, declarations: start }
}

/// The anchors of a unit whose declarations end before `first`; `None` where statements share the lines in question.
pub fn anchors_of(source: &Source<'_>, unit: &Unit<'_>, first: usize) -> Option<Anchors> {
    // Imports come first in a procedure, in any order among themselves: behind the others, else in front of them.
    // Where the preprocessor has a say, the last of them may not always be there.
    let may_vanish = source.parsed.preprocessing.has_lines && unit.header.is_some();
    let last_import = unit.parts.iter().rfind(|part| part.kind() == "use_statement").filter(|_| !may_vanish).copied();
    let candidates = [last_import, unit.header];
    let behind = candidates.into_iter().flatten().map(|node| behind_statement(source, node.start_byte()));
    let in_front = unit.header.is_none().then(|| in_front_of(source, unit.node.start_byte()));
    let imports = behind.chain(in_front).find_map(|anchor| anchor);
    let choice = source.parsed.preprocessing.choices.iter().find(|choice| choice.range.contains(&first));
    let declarations = match choice {
        // In front of `#if`, for every branch needs them.
        Some(choice) => Some(line_start(source, choice.range.start)),
        None => in_front_of_conditions(source, first).or_else(|| in_front_of(source, first)),
    };
    Some(Anchors { imports: imports?, declarations: declarations? })
}

/// Where conditions stand between the last declaration and the statement at `first`: the line of the first of these that begins
/// there. What it leaves out may be statements, so that declarations can't stand behind it for every reader.
fn in_front_of_conditions(source: &Source<'_>, first: usize) -> Option<usize> {
    if !source.parsed.preprocessing.has_lines {
        return None;
    }
    let lexed = &source.parsed.lexed;
    let index = lexed.statement_at(first)?;
    let last = lexed.statements[index.checked_sub(1)?].end;
    // Free form that was made of the file shows no conditions that have been decided: the file does, whose lines begin at the same places.
    let (text, last) = match &source.parsed.free_form {
        Some(form) => (source.text, form.end_in_file(last)),
        None => (source.original, last),
    };
    let begin = last + text.get(last..)?.iter().position(|&byte| byte == b'\n')? + 1;
    let end = line_start(source, lexed.statements[index].start);
    // The conditions that are open, by where they begin; an end without a beginning is one of something around.
    let (mut open, mut first_begun) = (Vec::new(), None);
    let mut start = begin;
    for line in text.get(begin..end)?.split_inclusive(|&byte| byte == b'\n') {
        let word = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start).unwrap_or_default();
        if word.starts_with(b"if") {
            open.push(start);
            first_begun.get_or_insert(start);
        } else if word.starts_with(b"endif") && open.pop().is_none() {
            first_begun = None;
        }
        start += line.len();
    }
    first_begun
}

fn line_start(source: &Source<'_>, offset: usize) -> usize {
    source.original[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1)
}

/// The line behind the statement at `offset`, if that line begins no earlier than the next statement's.
pub(super) fn behind_statement(source: &Source<'_>, offset: usize) -> Option<usize> {
    let lexed = &source.parsed.lexed;
    let index = lexed.statement_at(offset)?;
    let end = lexed.statements[index].end;
    let feed = source.original[end..].iter().position(|&byte| byte == b'\n')?;
    let anchor = end + feed + 1;
    lexed.statements.get(index + 1).is_none_or(|next| next.start >= anchor).then_some(anchor)
}

/// The beginning of the line of the statement at `offset`, if no statement before it reaches into that line.
fn in_front_of(source: &Source<'_>, offset: usize) -> Option<usize> {
    let lexed = &source.parsed.lexed;
    let index = lexed.statement_at(offset)?;
    let anchor = line_start(source, lexed.statements[index].start);
    let before = index.checked_sub(1).map(|before| &lexed.statements[before]);
    before.is_none_or(|before| before.end <= anchor).then_some(anchor)
}
