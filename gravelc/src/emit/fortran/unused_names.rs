//! Takes names out of declarations that the transformed text has no use for, so that compilers do not warn of them.
//!
//! Only names that the original used are taken out, and only where the statement that declares them stays readable: what
//! stands between the names, comments included, is kept or the name stays.

use std::collections::HashSet;
use std::ops::Range;

use super::layout::{Lines, indentation_of, strip_comment};
use crate::emit::edits::{Edits, Order};
use crate::ir::{DeclarationStatement, DeclaredEntity, SourceFile, Span};
use crate::source_layout::{FixedLineKind, SourceLayout, fixed_line};

/// Adds the edits that take out what is no longer used, behind all other edits of the file. Dummy arguments are kept in
/// use instead where `has_runtime`: the procedure sees the runtime's names. `span` is that of the unit.
pub fn remove_unused_names(
    file: &SourceFile,
    (declarations, span): (&[DeclarationStatement], Span),
    has_runtime: bool,
    edits: &mut Edits,
) {
    let has_lost_uses = |entity: &DeclaredEntity| {
        let is_gone = |mention: &Span| edits.replaced_with(mention.start, mention.end).is_some();
        !entity.mentions.is_empty() && entity.mentions.iter().all(is_gone)
    };
    let suspects = declarations.iter().flat_map(|statement| &statement.entities).filter(|e| has_lost_uses(e));
    // A BLOCK may have variables of the same names.
    let suspects: HashSet<usize> = suspects.map(|entity| entity.span.start).collect();
    if suspects.is_empty() {
        return;
    }
    let written: HashSet<String> =
        edits.texts_within(span.start, span.end).flat_map(|text| written_words(file.layout, text)).collect();
    let is_unused = |entity: &DeclaredEntity| suspects.contains(&entity.span.start) && !written.contains(&entity.name);
    for statement in declarations {
        for dummy in statement.entities.iter().filter(|entity| has_runtime && entity.is_dummy && is_unused(entity)) {
            keep_in_use(file, dummy, edits);
        }
    }
    for range in removable(file, declarations, edits, &|entity| !entity.is_dummy && is_unused(entity)) {
        edits.replace(range.start, range.end, String::new());
    }
}

/// The pieces of the declarations that hold unused names. A name goes from all statements that declare it, or from none: it
/// would have another type without the one, and be a function without the other.
pub fn removable(
    file: &SourceFile,
    declarations: &[DeclarationStatement],
    edits: &Edits,
    is_unused: &dyn Fn(&DeclaredEntity) -> bool,
) -> Vec<Range<usize>> {
    let mut kept: HashSet<&str> = HashSet::new();
    loop {
        let mut found = Vec::new();
        let mut stays: Vec<&DeclaredEntity> = Vec::new();
        for statement in declarations {
            let goes = |entity: &DeclaredEntity| is_unused(entity) && !kept.contains(entity.name.as_str());
            let unused: Vec<bool> = statement.entities.iter().map(goes).collect();
            if !unused.contains(&true) {
                continue;
            }
            let ranges = match unused.contains(&false) {
                _ if edits.touches(statement.span.start, statement.span.end) => None,
                true => names_in_list(file, statement, &unused),
                false => whole_statement(file, statement.span).map(|range| vec![range]),
            };
            match ranges {
                Some(ranges) => found.extend(ranges),
                None => stays.extend(statement.entities.iter().filter(|entity| goes(entity))),
            }
        }
        if stays.is_empty() {
            return found;
        }
        kept.extend(stays.into_iter().map(|entity| entity.name.as_str()));
    }
}

/// The list of dummy arguments is the callers' business, so the argument stays, and with it a use: behind the last call
/// that had it.
fn keep_in_use(file: &SourceFile, dummy: &DeclaredEntity, edits: &mut Edits) {
    let Some(last) = dummy.mentions.iter().max_by_key(|mention| mention.start) else { return };
    let Some(call) = edits.replaced_with(last.start, last.end) else { return };
    let place = file.whole_line_end(call.end);
    let mut lines = Lines::new(file, &indentation_of(file, first_of_statement(file, call.start)));
    lines.add_comment("! gravel: the argument stays, for those who call");
    lines.add(&format!("call gravel_f_sync_reg({})", dummy.name));
    edits.insert(place, Order::Behind, lines.as_inserted_lines(place));
}

/// The first byte of code on the line of `offset`.
fn first_of_statement(file: &SourceFile, offset: usize) -> usize {
    let line = file.line_start(offset);
    let field = match file.layout {
        SourceLayout::Free => line,
        SourceLayout::Fixed { columns } => fixed_line(&file.text, line, columns).field.start.min(offset),
    };
    let blanks = file.text[field..offset].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    field + blanks
}

/// The words of inserted text that could be names; comments aside. In fixed form a word may go on on the next line, or end
/// with its line: both readings count.
pub fn written_words(layout: SourceLayout, text: &str) -> Vec<String> {
    let is_fixed = matches!(layout, SourceLayout::Fixed { .. });
    let readings: &[&str] = if is_fixed { &["", " "] } else { &["\n"] };
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut words = Vec::new();
    for joint in readings {
        let mut code = String::new();
        for line in text.lines() {
            match line.split_at_checked(6) {
                Some((label, field)) if is_fixed && label.starts_with("     ") && !label.ends_with(' ') => {
                    code.push_str(joint);
                    code.push_str(field);
                }
                _ => {
                    code.push('\n');
                    code.push_str(strip_comment(line));
                }
            }
        }
        let found = code.split(|character| !is_word(character)).filter(|word| !word.is_empty());
        words.extend(found.map(str::to_ascii_lowercase));
    }
    words
}

/// The lines of a statement that is taken out as a whole. A comment behind it stays, comments within it forbid it.
fn whole_statement(file: &SourceFile, span: Span) -> Option<Range<usize>> {
    if has_comment(file, span.start..span.end) {
        return None;
    }
    let (start, end) = (file.whole_line_start(span.start), file.whole_line_end(span.end));
    let is_blank = |range: Range<usize>| file.text[range].iter().all(u8::is_ascii_whitespace);
    let code_end = match file.layout {
        SourceLayout::Free => end,
        SourceLayout::Fixed { columns } => fixed_line(&file.text, file.line_start(span.end), columns).field.end,
    };
    if !is_blank(start..span.start) {
        return None;
    }
    match is_blank(span.end..code_end.max(span.end)) {
        true => Some(start..end),
        false => {
            let behind = file.text[span.end..end].iter().find(|byte| !byte.is_ascii_whitespace());
            (behind == Some(&b'!')).then_some(span.start..span.end)
        }
    }
}

/// The pieces of a list that hold the unused names, each with the comma that goes with it.
fn names_in_list(file: &SourceFile, statement: &DeclarationStatement, unused: &[bool]) -> Option<Vec<Range<usize>>> {
    let entities = &statement.entities;
    let mut ranges = Vec::new();
    let mut first = 0;
    while first < entities.len() {
        let length = unused[first..].iter().take_while(|unused| **unused).count();
        let behind = first + length;
        if length > 0 {
            let (start, end) = (entities[first].span.start, entities[behind - 1].span.end);
            let range = match entities.get(behind) {
                Some(next) => {
                    let previous = first.checked_sub(1).map(|previous| entities[previous].span.end);
                    before_next(file, statement.span, start..end, (previous, next.span.start))?
                }
                None => entities[first.checked_sub(1)?].span.end..end,
            };
            if has_comment(file, range.clone()) {
                return None;
            }
            ranges.push(range);
        }
        first = behind + 1;
    }
    Some(ranges)
}

/// What goes when the names at `names` go, one before them ends at `previous`, and another one follows at `next`.
fn before_next(
    file: &SourceFile,
    statement: Span,
    names: Range<usize>,
    (previous, next): (Option<usize>, usize),
) -> Option<Range<usize>> {
    let has_line_end = |range: Range<usize>| file.text[range].contains(&b'\n');
    if !has_line_end(names.start..next) {
        return Some(names.start..next);
    }
    let line = file.line_start(names.start);
    if line > statement.start && begins_line(file, names.start) && begins_line(file, next) {
        return Some(line..file.line_start(next));
    }
    if let Some(previous) = previous.filter(|&previous| !has_line_end(previous..names.end)) {
        return Some(previous..names.end);
    }
    let comma = names.end + file.text[names.end..next].iter().position(|&byte| byte == b',')? + 1;
    let is_first_on_line = line > statement.start && begins_line(file, names.start);
    let blanks = file.text[comma..next].iter().take_while(|&&byte| byte == b' ').count();
    (!has_line_end(names.start..comma) && !is_first_on_line).then_some(names.start..comma + blanks)
}

/// Does nothing of a statement but a mark of continuation stand before `offset` on its line?
fn begins_line(file: &SourceFile, offset: usize) -> bool {
    let before = file.line_start(offset)..offset;
    match file.layout {
        SourceLayout::Free => file.text[before].iter().all(|byte| byte.is_ascii_whitespace() || *byte == b'&'),
        SourceLayout::Fixed { columns } => {
            let line = fixed_line(&file.text, before.start, columns);
            line.kind == FixedLineKind::Continuation
                && file.text[line.field.start.min(offset)..offset].iter().all(u8::is_ascii_whitespace)
        }
    }
}

/// Is there a comment in `range`, or between its lines? What only looks like one counts, too.
fn has_comment(file: &SourceFile, range: Range<usize>) -> bool {
    if file.text[range.clone()].contains(&b'!') {
        return true;
    }
    let SourceLayout::Fixed { columns } = file.layout else {
        return file.text[range].windows(2).any(|pair| pair == b"\n#");
    };
    let mut line = file.line_end(range.start);
    while line < range.end {
        if !matches!(fixed_line(&file.text, line, columns).kind, FixedLineKind::Continuation) {
            return true;
        }
        line = file.line_end(line);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::FileId;

    /// What remains when everything called `gone` something loses its use: `names` in the order of the declaration.
    fn without(text: &str, layout: SourceLayout, names: &[&str]) -> String {
        let file = SourceFile::new("a.f90", text.as_bytes().to_vec(), layout);
        let span = |start: usize, end: usize| Span { file: FileId(0), start, end };
        let call = text.find("call").unwrap();
        let used = span(call, call + 4);
        let entity = |name: &&str| {
            let start = text.find(name).unwrap();
            let mentions = if name.starts_with("gone") { vec![used] } else { vec![span(0, 1)] };
            DeclaredEntity { name: name.to_string(), span: span(start, start + name.len()), is_dummy: false, mentions }
        };
        let entities: Vec<DeclaredEntity> = names.iter().map(entity).collect();
        let end = entities.last().unwrap().span.end;
        let declaration = DeclarationStatement { span: span(text.find("integer").unwrap(), end), entities };
        let mut edits = Edits::default();
        edits.replace(used.start, used.end, "CALL".to_string());
        remove_unused_names(&file, (&[declaration], span(0, text.len())), true, &mut edits);
        String::from_utf8(edits.apply(&file.text).unwrap().0).unwrap()
    }

    fn free(text: &str, names: &[&str]) -> String {
        without(text, SourceLayout::Free, names)
    }

    fn fixed(text: &str, names: &[&str]) -> String {
        without(text, SourceLayout::Fixed { columns: 72 }, names)
    }

    #[test]
    fn names_go_with_one_comma_each() {
        assert_eq!(free("integer :: gone1, b\ncall\n", &["gone1", "b"]), "integer :: b\nCALL\n");
        assert_eq!(free("integer :: a, gone1, b\ncall\n", &["a", "gone1", "b"]), "integer :: a, b\nCALL\n");
        assert_eq!(free("integer :: a, gone1 , gone2\ncall\n", &["a", "gone1", "gone2"]), "integer :: a\nCALL\n");
        let names = ["gone1", "b", "gone2", "gone3", "c", "gone4"];
        let text = "integer gone1,b,gone2 ,gone3, c,gone4 ! all\ncall\n";
        assert_eq!(free(text, &names), "integer b,c ! all\nCALL\n");
    }

    #[test]
    fn a_statement_without_names_goes_with_its_lines_and_its_comment_stays() {
        assert_eq!(free("  x\n  integer :: gone1\ncall\n", &["gone1"]), "  x\nCALL\n");
        assert_eq!(free("  integer :: gone1, &\n    gone2\ncall\n", &["gone1", "gone2"]), "CALL\n");
        assert_eq!(free("  integer :: gone1 ! why\ncall\n", &["gone1"]), "   ! why\nCALL\n");
        let sequence = format!("{:72}00010\n      call\n", "      integer gone1");
        assert_eq!(fixed(&sequence, &["gone1"]), "      CALL\n");
        let shared = "integer :: gone1; x\ncall\n";
        assert_eq!(free(shared, &["gone1"]), shared.replace("call", "CALL"));
    }

    #[test]
    fn continued_lists_stay_statements() {
        let names = ["a", "gone1", "b"];
        assert_eq!(free("integer :: a, gone1, &\n  b\ncall\n", &names), "integer :: a, &\n  b\nCALL\n");
        let first = free("integer :: gone1, &\n  b\ncall\n", &["gone1", "b"]);
        assert_eq!(first, "integer :: &\n  b\nCALL\n");
        assert_eq!(free("integer :: a, &\n  gone1, &\n  b\ncall\n", &names), "integer :: a, &\n  b\nCALL\n");
        assert_eq!(free("integer :: a, &\n  gone1, b\ncall\n", &names), "integer :: a, &\n  b\nCALL\n");
        assert_eq!(free("integer :: a, &\n  & b, &\n & gone1\ncall\n", &["a", "b", "gone1"]).lines().count(), 3);
        let text = "      integer a,\n     &  gone1,\n     &  b\n      call\n";
        assert_eq!(fixed(text, &names), "      integer a,\n     &  b\n      CALL\n");
        let text = "      integer a,\n     &  gone1, b\n      call\n";
        assert_eq!(fixed(text, &names), "      integer a,\n     &  b\n      CALL\n");
        let last = "      integer a, b,\n     &  gone1\n      call\n";
        assert_eq!(fixed(last, &["a", "b", "gone1"]), "      integer a, b\n      CALL\n");
    }

    #[test]
    fn a_name_goes_from_all_statements_that_declare_it_or_from_none() {
        let removed = |text: &str| {
            let file = SourceFile::new("a.f90", text.as_bytes().to_vec(), SourceLayout::Free);
            let span = |start: usize, end: usize| Span { file: FileId(0), start, end };
            let call = text.find("call").unwrap();
            let of_statement = |begin: &str, behind: &str| {
                let start = text.find(begin).unwrap();
                let end = start + text[start..].find(behind).unwrap();
                let entity = |name: &str| {
                    let at = start + text[start..].find(name).unwrap();
                    let mentions = vec![if name == "gone" { span(call, call + 4) } else { span(0, 1) }];
                    DeclaredEntity {
                        name: name.to_string(),
                        span: span(at, at + name.len()),
                        is_dummy: false,
                        mentions,
                    }
                };
                let entities = ["gone", "b"].map(entity).to_vec();
                DeclarationStatement { span: span(start, end), entities }
            };
            let mut edits = Edits::default();
            edits.replace(call, call + 4, "CALL".to_string());
            let last = if text.contains(';') { ";" } else { "\n" };
            let statements = [of_statement("integer", "\n"), of_statement("dimension", last)];
            remove_unused_names(&file, (&statements, span(0, text.len())), true, &mut edits);
            String::from_utf8(edits.apply(&file.text).unwrap().0).unwrap()
        };
        assert_eq!(removed("integer gone, b\ndimension gone, b\ncall\n"), "integer b\ndimension b\nCALL\n");
        let continued = "integer gone, b\ndimension gone & ! one\n , b;\ncall\n";
        assert_eq!(removed(continued), continued.replace("call", "CALL"));
    }

    #[test]
    fn what_a_comment_speaks_of_stays() {
        let text = "integer :: a, & ! first\n  gone1\ncall\n";
        assert_eq!(free(text, &["a", "gone1"]), text.replace("call", "CALL"));
        let text = "      integer a,\nC the rest\n     &  gone1\n      call\n";
        assert_eq!(fixed(text, &["a", "gone1"]), text.replace("call", "CALL"));
    }

    #[test]
    fn what_was_written_names_counts() {
        let words = |layout, text| written_words(layout, text);
        assert!(words(SourceLayout::Free, "call f(Request) ! status\n").contains(&"request".to_string()));
        assert!(!words(SourceLayout::Free, "call f(request) ! status\n").contains(&"status".to_string()));
        let fixed = SourceLayout::Fixed { columns: 72 };
        let text = "      call f(gravel_re\n     &quest, sta\n     & tus)\n";
        let found = words(fixed, text);
        assert!(["gravel_request", "sta", "tus"].iter().all(|word| found.contains(&word.to_string())));
        assert!(!found.contains(&"request".to_string()));
    }
}
