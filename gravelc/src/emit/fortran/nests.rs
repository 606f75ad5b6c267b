//! Writes a procedure once more that runs through a nest of loops: box by box, so that what is inside can run before an exchange has ended,
//! and the strips around it afterwards.
//!
//! ```fortran
//! subroutine gravel_step_boxes(gravel_first, gravel_last, a, b)
//!    ...
//!    gravel_lo1 = 1 + 1                       ! inside: from here
//!    gravel_hi1 = ny - 1                      ! to here
//!    do gravel_box = gravel_first, gravel_last
//!       ...                                   ! the bounds of this box
//!       do j = gravel_from1, gravel_to1
//! ```
//!
//! Box 1 is inside. Then come, loop by loop from the outermost on, the strip in front and the strip behind: inside of the loops before,
//! along all of the loops after.

use super::exchanges::{renamed_head, start_of};
use super::layout::{Lines, NESTED_MARGIN, behind_last_code_line, deeper_margins, indentation_of, text_of};
use super::loops::replace_bounds;
use crate::emit::EmitError;
use crate::emit::edits::{Edits, Order};
use crate::ir::{Loop, Procedure, Program, SourceFile, StatementKind, TextParts};
use crate::plan::{NestLoop, SplitNest, VECTOR_MULTIPLE, name_of_boxes};

/// Adds the procedure behind the one that it is made of.
pub fn add_boxes(program: &Program, nest: &SplitNest, edits: &mut Edits) -> Result<(), EmitError> {
    let procedure = program.procedure(nest.procedure);
    let file = program.file(procedure.span.file);
    let wrong = |span| EmitError::WrongStatement {
        path: file.path.display().to_string(),
        line: program.line(span),
        step: "running loops box by box",
    };
    let Ok(parts) = &procedure.text_parts else { return Err(wrong(procedure.span)) };
    let mut loops = Vec::new();
    // Loops without strips keep their bounds.
    for &cut in nest.loops.iter().filter(|cut| cut.has_first() || cut.has_last()) {
        let statement = procedure.statement(cut.statement);
        let StatementKind::Loop(counted) = &statement.kind else { return Err(wrong(statement.span)) };
        loops.push(CutLoop { cut, counted });
    }
    let text = Text { procedure, file, parts, nest, loops }.written()?;
    let place = file.whole_line_end(procedure.span.end);
    let feed = file.line_feed();
    let open = if place > 0 && file.text[place - 1] != b'\n' { feed } else { "" };
    edits.insert(place, Order::Behind, format!("{open}{feed}{text}"));
    Ok(())
}

/// A loop that is cut.
struct CutLoop<'t> {
    cut: NestLoop,
    counted: &'t Loop,
}

/// The text of the procedure.
struct Text<'t> {
    procedure: &'t Procedure,
    file: &'t SourceFile,
    parts: &'t TextParts,
    nest: &'t SplitNest,
    loops: Vec<CutLoop<'t>>,
}

impl Text<'_> {
    fn written(&self) -> Result<String, EmitError> {
        let Self { procedure, file, parts, .. } = self;
        let start = file.whole_line_start(procedure.span.start);
        let end = file.whole_line_end(procedure.span.end);
        let mut edits = Edits::default();
        self.name(&mut edits);
        parts.resets.iter().for_each(|it| edits.replace(it.start, it.end, "inout".to_owned()));
        self.declare(&mut edits);
        self.put_boxes_around(&mut edits);
        let conflict = |conflict| EmitError::Conflict { path: file.path.display().to_string(), conflict };
        let (text, _) = edits.within(start..end).apply(&file.text[start..end]).map_err(conflict)?;
        let mut comment = Lines::new(file, &indentation_of(file, procedure.span.start));
        let boxes = self.nest.boxes();
        comment.add_comment(&format!(
            "! gravel: {} by boxes: 1 is its inside, 2 to {boxes} are its border",
            procedure.name
        ));
        let feed = if text.ends_with(b"\n") { "" } else { file.line_feed() };
        Ok(format!("{}{}{feed}", comment.as_inserted_lines(start), crate::ir::bytes_as_text::text_of(&text)))
    }

    /// The head: another name, and which boxes are wanted.
    fn name(&self, edits: &mut Edits) {
        let Self { procedure, parts, .. } = self;
        let name = name_of_boxes(&procedure.name);
        let (range, first) = renamed_head(self.file, parts, &name, Some("gravel_first, gravel_last"));
        edits.replace(range.start, range.end, first);
        if let Some(last) = parts.name_at_end {
            edits.replace(last.start, last.end, name);
        }
    }

    fn declare(&self, edits: &mut Edits) {
        let Self { procedure, file, .. } = self;
        let anchors = &procedure.anchors;
        let first = procedure.body.first().map_or(anchors.declarations, |&id| start_of(procedure, id));
        let mut lines = Lines::new(file, &indentation_of(file, first));
        lines.add("integer, intent(in) :: gravel_first, gravel_last");
        let of_loop =
            |number: usize| ["lo", "hi", "from", "to"].map(|bound| format!("gravel_{bound}{}", number + 1)).join(", ");
        let variables: Vec<String> = (0..self.loops.len()).map(of_loop).collect();
        lines.add(&format!("integer :: gravel_box, {}", variables.join(", ")));
        let place = behind_last_code_line(file, anchors.imports, anchors.declarations);
        edits.insert(place, Order::Behind, lines.as_inserted_lines(place));
    }

    /// The loop over the boxes, around the nest.
    fn put_boxes_around(&self, edits: &mut Edits) {
        let Self { procedure, file, .. } = self;
        let outermost = self.nest.loops[0].statement;
        let nest = procedure.statement(outermost);
        let start = file.whole_line_start(start_of(procedure, outermost));
        let end = file.whole_line_end(nest.span.end);
        let margin = indentation_of(file, nest.span.start);
        let mut head = Lines::new(file, &margin);
        for (index, found) in self.loops.iter().enumerate() {
            self.inside(index + 1, found, &mut head);
        }
        head.add("do gravel_box = gravel_first, gravel_last");
        for number in 1..=self.loops.len() {
            head.add_deeper(1, &format!("gravel_from{number} = gravel_lo{number}"));
            head.add_deeper(1, &format!("gravel_to{number} = gravel_hi{number}"));
        }
        head.add_deeper(1, "select case (gravel_box)");
        let mut box_number = 1;
        for (index, found) in self.loops.iter().enumerate() {
            let number = index + 1;
            let (lower, upper) = self.bounds(found);
            if found.cut.has_first() {
                box_number += 1;
                head.add_deeper(1, &format!("case ({box_number})"));
                head.add_deeper(2, &format!("gravel_from{number} = {lower}"));
                head.add_deeper(2, &format!("gravel_to{number} = gravel_lo{number} - 1"));
                self.along(index, &mut head);
            }
            if found.cut.has_last() {
                box_number += 1;
                head.add_deeper(1, &format!("case ({box_number})"));
                head.add_deeper(2, &format!("gravel_from{number} = gravel_hi{number} + 1"));
                head.add_deeper(2, &format!("gravel_to{number} = {upper}"));
                self.along(index, &mut head);
            }
        }
        head.add_deeper(1, "end select");
        edits.insert(start, Order::Ahead, head.as_inserted_lines(start));
        for offset in deeper_margins(file, nest.span.start, nest.span.end) {
            edits.add_margin(offset, NESTED_MARGIN);
        }
        for (index, CutLoop { cut, counted }) in self.loops.iter().enumerate() {
            let span = procedure.statement(cut.statement).span;
            let bounds = ["from", "to"].map(|bound| format!("gravel_{bound}{}", index + 1));
            replace_bounds(file, span, counted, (&bounds[0], &bounds[1]), edits);
        }
        let mut last = Lines::new(file, &margin);
        last.add("end do");
        edits.insert(end, Order::Closing, last.as_inserted_lines(end));
    }

    /// A strip goes along all of the loops inside of the one that it belongs to.
    fn along(&self, index: usize, lines: &mut Lines) {
        for (inner, found) in self.loops.iter().enumerate().skip(index + 1) {
            let (lower, upper) = self.bounds(found);
            lines.add_deeper(2, &format!("gravel_from{} = {lower}", inner + 1));
            lines.add_deeper(2, &format!("gravel_to{} = {upper}", inner + 1));
        }
    }

    /// The iterations of a loop that are inside. Where there are none, all are in the strip in front of them.
    fn inside(&self, number: usize, found: &CutLoop, lines: &mut Lines) {
        let (lower, upper) = self.bounds(found);
        let margin = found.cut.margin;
        let plus = |text: &str, count: i64| match (text.parse::<i64>(), count) {
            (Ok(number), _) => number.saturating_add(count).to_string(),
            (_, 0) => text.to_owned(),
            (_, 1..) => format!("{text} + {count}"),
            _ => format!("{text} - {}", count.unsigned_abs()),
        };
        if found.cut.any_part_length {
            lines.add(&format!("gravel_lo{number} = {}", plus(&lower, margin.first.into())));
            lines.add(&format!("gravel_hi{number} = {}", plus(&upper, -i64::from(margin.last))));
        } else {
            // Whole vectors, as in the loop that is not cut.
            let first = if margin.first == 0 { 0 } else { VECTOR_MULTIPLE };
            let behind = plus(&upper, 1 - i64::from(margin.last));
            lines.add(&format!("gravel_lo{number} = {}", plus(&lower, first)));
            lines.add(&format!(
                "gravel_hi{number} = gravel_lo{number} - 1 + max(0, {behind} - gravel_lo{number}) / {VECTOR_MULTIPLE} * {VECTOR_MULTIPLE}"
            ));
        }
        lines.add(&format!("if (gravel_lo{number} > gravel_hi{number}) then"));
        let (all, none) = match found.cut.has_first() {
            true => (plus(&upper, 1), upper),
            false => (lower.clone(), plus(&lower, -1)),
        };
        lines.add_nested(&format!("gravel_lo{number} = {all}"));
        lines.add_nested(&format!("gravel_hi{number} = {none}"));
        lines.add("end if");
    }

    /// The bounds of a loop as they stand in the text, to be part of a sum.
    fn bounds(&self, found: &CutLoop) -> (String, String) {
        let text = |span| {
            let text = text_of(self.file, span);
            let is_plain = text.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
            let is_sum = text.chars().all(|it| it.is_ascii_alphanumeric() || "_+ ".contains(it));
            if is_plain || is_sum { text } else { format!("({text})") }
        };
        (text(found.counted.lower.span), text(found.counted.upper.span))
    }
}
