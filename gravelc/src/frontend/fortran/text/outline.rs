//! The program units and procedures of a file as its statements show them, without a tree.

use std::ops::Range;

use super::classify::{Role, StatementText, UnitKeyword};
use super::lexer::Lexed;

/// A program unit or procedure in a file.
#[derive(Debug, Clone)]
pub(super) struct OutlineUnit {
    /// From its first to its last statement.
    pub range: Range<usize>,
    /// Its first statement; empty for a main program without a PROGRAM statement.
    header: Range<usize>,
    /// Its last statement.
    footer: Range<usize>,
    /// Its CONTAINS statement.
    contains: Option<Range<usize>>,
    /// The units inside it.
    pub inner: Vec<Range<usize>>,
    /// Its first or last statement is not there any more.
    pub is_broken: bool,
}

impl OutlineUnit {
    /// What lies between its first and its last statement; `None` where it has no first one of its own.
    pub fn inside(&self) -> Option<Range<usize>> {
        (!self.header.is_empty() && self.header.end <= self.footer.start).then_some(self.header.end..self.footer.start)
    }

    /// The stretches between `range.start` and `range.end` that belong to no inner unit.
    fn without_inner(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut own = Vec::new();
        let mut position = range.start;
        for inner in self.inner.iter().filter(|inner| inner.start >= range.start && inner.end <= range.end) {
            own.push(position..inner.start.max(position));
            position = inner.end.max(position);
        }
        own.push(position..range.end.max(position));
        own
    }

    /// Its statements between the first, the CONTAINS and the last one.
    pub fn body_ranges(&self) -> Vec<Range<usize>> {
        match &self.contains {
            Some(contains) => {
                let mut ranges = self.without_inner(self.header.end..contains.start);
                ranges.extend(self.without_inner(contains.end..self.footer.start));
                ranges
            }
            None => self.without_inner(self.header.end..self.footer.start),
        }
    }
}

struct OpenUnit {
    keyword: Option<UnitKeyword>,
    header: Range<usize>,
    contains: Option<Range<usize>>,
    inner: Vec<Range<usize>>,
    is_broken: bool,
}

impl OpenUnit {
    /// One whose first statement is no statement of its own.
    fn headless(start: usize) -> Self {
        Self { keyword: None, header: start..start, contains: None, inner: Vec::new(), is_broken: false }
    }
}

/// The units of a file, inner ones first. Units inside interface blocks belong to the unit around them.
///
/// `complete` is the text of the file; `text` is what is left of it for the grammar.
pub(super) fn read(complete: &[u8], text: &[u8], lexed: &Lexed) -> Vec<OutlineUnit> {
    let mut units = Vec::new();
    let mut open: Vec<OpenUnit> = Vec::new();
    let mut interfaces = 0_usize;
    let mut in_type = false;
    for statement in &lexed.statements {
        let range = statement.start..statement.end;
        let is_blank = text[range.clone()].iter().all(u8::is_ascii_whitespace);
        // A statement that has been taken out still says where a unit begins or ends.
        match StatementText::new(complete, lexed, statement).role() {
            Role::InterfaceStart => interfaces += 1,
            Role::InterfaceEnd => interfaces = interfaces.saturating_sub(1),
            _ if interfaces > 0 => {}
            Role::TypeStart => in_type = true,
            Role::TypeEnd => in_type = false,
            Role::UnitStart(keyword) => {
                in_type = false;
                open.push(OpenUnit {
                    keyword: Some(keyword),
                    header: range,
                    contains: None,
                    inner: Vec::new(),
                    is_broken: is_blank,
                });
            }
            Role::Contains if !in_type => {
                if let Some(unit) = open.last_mut() {
                    unit.contains = Some(range);
                }
            }
            Role::UnitEnd => {
                in_type = false;
                let is_begun = !open.is_empty();
                let unit = open.pop().unwrap_or_else(|| OpenUnit::headless(range.start));
                close(unit, range, is_blank || !is_begun, &mut open, &mut units);
            }
            _ if open.is_empty() && !is_blank => {
                // The first statement of a main program without a PROGRAM statement.
                open.push(OpenUnit::headless(range.start));
            }
            _ => {}
        }
    }
    while let Some(mut unit) = open.pop() {
        unit.is_broken |= unit.keyword.is_some();
        let end = lexed.statements.last().map_or(0, |statement| statement.end);
        close(unit, end..end, true, &mut open, &mut units);
    }
    units
}

fn close(unit: OpenUnit, footer: Range<usize>, broken: bool, open: &mut [OpenUnit], units: &mut Vec<OutlineUnit>) {
    let range = unit.header.start..footer.end;
    if let Some(host) = open.last_mut() {
        host.inner.push(range.clone());
    }
    units.push(OutlineUnit {
        range,
        header: unit.header,
        footer,
        contains: unit.contains,
        inner: unit.inner,
        is_broken: unit.is_broken || broken,
    });
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    #[test]
    fn units_nest_and_interfaces_do_not_count() {
        let text = "module m\ninterface\nsubroutine x\nend subroutine\nend interface\ncontains\nsubroutine a\ncontains\nfunction b()\nend function\n\
                    end subroutine\nend module\nx = 1\nend\n";
        let units = read(text.as_bytes(), text.as_bytes(), &lex(text.as_bytes()));
        let texts: Vec<&str> = units.iter().map(|unit| text[unit.range.clone()].lines().next().unwrap()).collect();
        assert_eq!(texts, ["function b()", "subroutine a", "module m", "x = 1"]);
        assert!(units.iter().all(|unit| !unit.is_broken));
        assert_eq!(units[2].inner.len(), 1);
        assert_eq!(units[2].body_ranges().len(), 3);
    }

    #[test]
    fn an_end_without_a_beginning_costs_itself() {
        let text = "subroutine a\nend\nend subroutine a\nsubroutine b\nend\n";
        let units = read(text.as_bytes(), text.as_bytes(), &lex(text.as_bytes()));
        let broken: Vec<&str> =
            units.iter().filter(|unit| unit.is_broken).map(|unit| &text[unit.range.clone()]).collect();
        assert_eq!((units.len(), broken), (3, vec!["end subroutine a"]));
    }
}
