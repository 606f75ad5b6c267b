//! Text edits: disjoint, sorted, applied in one pass. What lies outside of them stays byte for byte.

use std::collections::BTreeMap;
use std::ops::{Range, RangeBounds};

use crate::ir::bytes_as_text::bytes_of;

/// Where an insertion stands among others at the same offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// Closes what ended just before (the end of a loop that was put around a statement).
    Closing,
    /// Belongs to the statement before.
    Behind,
    /// Stands between the text of two files.
    Border,
    /// Belongs to the statement after.
    Ahead,
    /// Opens what begins just after (the head of a loop that is put around a statement).
    Opening,
    /// Says which line follows.
    Place,
    /// White space before the line that follows.
    Margin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    start: usize,
    end: usize,
    order: Order,
    text: String,
}

/// The edits of one file.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    edits: Vec<Edit>,
    /// The edits that begin at an offset. No two edits touch the same bytes, or nothing of them is of use.
    at: BTreeMap<usize, Vec<usize>>,
}

/// Two edits that touch the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two edits touch the bytes {first_start}..{first_end} and {second_start}..{second_end}")]
pub struct EditConflict {
    /// Start of the first edit.
    pub first_start: usize,
    /// End of the first edit.
    pub first_end: usize,
    /// Start of the second edit.
    pub second_start: usize,
    /// End of the second edit.
    pub second_end: usize,
}

impl Edits {
    /// Inserts `text` before the byte `offset`. Insertions at one offset appear in their order, those of the same order
    /// as they were made.
    pub fn insert(&mut self, offset: usize, order: Order, text: String) {
        self.add(Edit { start: offset, end: offset, order, text });
    }

    /// Replaces the bytes `start..end` by `text`.
    pub fn replace(&mut self, start: usize, end: usize, text: String) {
        self.add(Edit { start, end, order: Order::Opening, text });
    }

    /// White space before the line at `offset`, unless what is replaced goes on there.
    pub fn add_margin(&mut self, offset: usize, margin: &str) {
        if !self.replaces_around(offset) {
            self.insert(offset, Order::Margin, margin.to_owned());
        }
    }

    fn add(&mut self, edit: Edit) {
        self.at.entry(edit.start).or_default().push(self.edits.len());
        self.edits.push(edit);
    }

    /// The edits that begin in `range`, from the last offset to the first.
    fn last_first(&self, range: impl RangeBounds<usize>) -> impl Iterator<Item = impl Iterator<Item = &Edit>> {
        self.at.range(range).rev().map(|(_, edits)| edits.iter().map(|&index| &self.edits[index]))
    }

    /// The texts that the edits between these bytes write, in no particular order.
    pub fn texts_within(&self, start: usize, end: usize) -> impl Iterator<Item = &str> {
        let within = self.last_first(start..=end).flatten().filter(move |edit| edit.end <= end);
        within.map(|edit| edit.text.as_str())
    }

    /// The bytes that an edit replaces to which all of `start..end` belong.
    pub fn replaced_with(&self, start: usize, end: usize) -> Option<Range<usize>> {
        self.last_first(..=start).next()?.find(|edit| end <= edit.end).map(|edit| edit.start..edit.end)
    }

    /// Does an edit replace, or insert between, some of the bytes `start..end`?
    pub fn touches(&self, start: usize, end: usize) -> bool {
        self.last_first(..end).next().is_some_and(|mut edits| edits.any(|edit| start < edit.end))
    }

    /// Does an edit replace bytes on both sides of `offset`?
    pub fn replaces_around(&self, offset: usize) -> bool {
        self.last_first(..offset).next().is_some_and(|mut edits| edits.any(|edit| offset < edit.end))
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Does one begin at `offset`?
    pub fn begins_at(&self, offset: usize) -> bool {
        self.at.contains_key(&offset)
    }

    /// Behind which lines of `text` the lines that follow have other numbers than before: where the first line begins behind
    /// edits that write more or fewer of them than they replace, in order. What an edit follows at once is no such place.
    pub fn lines_moved(&self, text: &[u8]) -> Vec<usize> {
        let feeds = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
        let line_behind = |edit: &Edit| match edit.end.checked_sub(1).map(|last| text[last]) {
            None | Some(b'\n') => edit.end,
            Some(_) => {
                text[edit.end..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| edit.end + feed + 1)
            }
        };
        let mut found: Vec<(usize, bool)> = Vec::new();
        for edit in self.at.values().flatten().map(|&index| &self.edits[index]) {
            let moves = feeds(edit.text.as_bytes()) != feeds(&text[edit.start..edit.end]);
            let behind = line_behind(edit);
            match found.last_mut() {
                Some((place, moved)) if edit.start <= *place => {
                    (*place, *moved) = ((*place).max(behind), *moved | moves)
                }
                _ => found.push((behind, moves)),
            }
        }
        found.into_iter().filter(|(_, moved)| *moved).map(|(place, _)| place).collect()
    }

    /// The edits within `range`, as those of a text that is this range alone. What stands at its end belongs to it as far as it belongs
    /// to the statement before.
    pub fn within(&self, range: Range<usize>) -> Self {
        let is_inside = |edit: &&Edit| {
            let is_insertion_at = |offset| edit.start == offset && edit.end == offset;
            range.start <= edit.start
                && edit.end <= range.end
                && !is_insertion_at(range.start)
                && (!is_insertion_at(range.end) || edit.order <= Order::Behind)
        };
        let mut found = Self::default();
        for edit in self.edits.iter().filter(is_inside) {
            found.add(Edit { start: edit.start - range.start, end: edit.end - range.start, ..edit.clone() });
        }
        found
    }

    /// The text after all edits, and what of it was copied.
    pub fn apply(&self, text: &[u8]) -> Result<(Vec<u8>, Vec<Range<usize>>), EditConflict> {
        let mut sorted: Vec<&Edit> = self.edits.iter().collect();
        sorted.sort_by_key(|edit| (edit.start, edit.end, edit.order));
        let mut result = Vec::with_capacity(text.len());
        let mut kept = Vec::new();
        let mut position = 0;
        let mut previous: Option<&Edit> = None;
        for edit in sorted {
            let is_misplaced = edit.start < position || edit.end > text.len() || edit.end < edit.start;
            if is_misplaced {
                let first = previous.unwrap_or(edit);
                return Err(EditConflict {
                    first_start: first.start,
                    first_end: first.end,
                    second_start: edit.start,
                    second_end: edit.end,
                });
            }
            kept.push(result.len()..result.len() + edit.start - position);
            result.extend_from_slice(&text[position..edit.start]);
            result.extend_from_slice(&bytes_of(&edit.text));
            position = edit.end;
            previous = Some(edit);
        }
        kept.push(result.len()..result.len() + text.len() - position);
        result.extend_from_slice(&text[position..]);
        Ok((result, kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applies_edits_in_order_of_place_and_kind() {
        let mut edits = Edits::default();
        edits.replace(4, 7, "TWO".into());
        edits.insert(4, Order::Ahead, "[ahead]".into());
        edits.insert(4, Order::Closing, "[closing]".into());
        edits.insert(4, Order::Behind, "[behind]".into());
        edits.insert(0, Order::Ahead, ">".into());
        let (text, kept) = edits.apply(b"one two three").unwrap();
        let copied: Vec<&[u8]> = kept.into_iter().map(|range| &text[range]).filter(|text| !text.is_empty()).collect();
        assert_eq!(copied, [&b"one "[..], b" three"]);
        assert_eq!(String::from_utf8(text).unwrap(), ">one [closing][behind][ahead]TWO three");
    }

    #[test]
    fn lines_have_other_numbers_behind_edits_that_add_or_take_some() {
        let text = b"a\nbb\nc\nd\n";
        let moved = |edits: &[(usize, usize, &str)]| {
            let mut all = Edits::default();
            edits.iter().for_each(|&(start, end, text)| all.replace(start, end, text.into()));
            all.lines_moved(text)
        };
        assert!(moved(&[(2, 4, "x")]).is_empty());
        assert_eq!(moved(&[(2, 2, "new\n")]), [2]);
        assert_eq!(moved(&[(2, 4, "x\ny")]), [5]);
        assert_eq!(moved(&[(2, 5, "")]), [5]);
        assert_eq!(moved(&[(2, 4, "x\ny"), (7, 7, "e\n")]), [5, 7]);
        assert_eq!(moved(&[(2, 2, "new\n"), (2, 4, "x")]), [5]);
        assert_eq!(moved(&[(2, 4, "x\ny"), (5, 6, "z")]), [7]);
        assert_eq!(moved(&[(9, 9, "e\n")]), [9]);
    }

    #[test]
    fn lines_of_what_is_replaced_have_no_margins() {
        let mut edits = Edits::default();
        edits.replace(2, 7, "X".into());
        [0, 4, 8].into_iter().for_each(|offset| edits.add_margin(offset, "  "));
        let (text, _) = edits.apply(b"a b\nc d\ne\n").unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "  a X\n  e\n");
    }

    #[test]
    fn refuses_edits_that_overlap() {
        let mut edits = Edits::default();
        edits.replace(0, 5, String::new());
        edits.replace(3, 6, String::new());
        assert_eq!(edits.apply(b"one two").unwrap_err().second_start, 3);
    }

    #[test]
    fn refuses_edits_outside_the_text() {
        let mut edits = Edits::default();
        edits.replace(3, 60, String::new());
        assert!(edits.apply(b"one two").is_err());
    }
}
