//! Lines of source with parts of them marked.

use maud::{Markup, html};

/// A part of a file that is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// How.
    pub class: &'static str,
}

/// The bytes `start..end` of `text`, one line, with the marks on them, but not on its indentation; bytes that are not
/// UTF-8 are shown as U+FFFD.
pub(super) fn marked(text: &[u8], start: usize, end: usize, marks: &[Mark]) -> Markup {
    let indentation = text[start..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let first = start + indentation;
    let mut cuts = vec![start, first, end];
    for mark in marks {
        cuts.extend([mark.start, mark.end].into_iter().filter(|cut| (start..end).contains(cut)));
    }
    cuts.sort_unstable();
    cuts.dedup();
    html! {
        @for pair in cuts.windows(2) {
            @let piece = String::from_utf8_lossy(&text[pair[0]..pair[1]]);
            @let classes = if pair[0] < first { Vec::new() } else { classes_at(marks, pair[0]) };
            @if classes.is_empty() { (piece) } @else { span class=(classes.join(" ")) { (piece) } }
        }
    }
}

fn classes_at(marks: &[Mark], offset: usize) -> Vec<&'static str> {
    let mut classes: Vec<&'static str> =
        marks.iter().filter(|mark| mark.start <= offset && offset < mark.end).map(|mark| mark.class).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_overlap_and_text_is_escaped() {
        let text = b"a<b && \xe4 c";
        let marks = [Mark { start: 0, end: 6, class: "site" }, Mark { start: 2, end: 99, class: "way" }];
        let found = marked(text, 0, text.len(), &marks).into_string();
        let expected = "<span class=\"site\">a&lt;</span><span class=\"site way\">b &amp;&amp;</span>\
            <span class=\"way\"> \u{fffd} c</span>";
        assert_eq!(found, expected);
    }

    #[test]
    fn indentation_is_not_marked() {
        let marks = [Mark { start: 0, end: 9, class: "site" }];
        let found = marked(b"  a", 0, 3, &marks).into_string();
        assert_eq!(found, "  <span class=\"site\">a</span>");
    }
}
