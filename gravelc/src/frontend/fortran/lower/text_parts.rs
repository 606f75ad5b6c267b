//! Where the text of a subroutine can be taken apart: what would have to be written otherwise in a subroutine that is made of a part of
//! its statements, with its declarations.
//!
//! The parts share nothing but what they are handed, so what one of them would have of its own is in the way: variables that are
//! saved, procedures inside, second entries. Labels could lead from one part into another one.

use std::ops::Range;

use super::super::text::parse::Hole;
use super::super::text::syntax_tree::Node;

use super::super::names::included_declarations::is_known_header;
use super::super::names::units::{Source, Unit, UnitKind};
use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::lowering::Lowering;
use crate::ir::{Indivisible, ProcedureKind, Storage, TextParts};

/// Statements that say something of the whole procedure, and constructs whose lines belong together.
const IN_THE_WAY: [(&str, &str); 10] = [
    ("entry_statement", "has a second entry"),
    ("statement_label", "has labels"),
    ("format_statement", "has labels"),
    ("equivalence_statement", "has variables that share memory"),
    ("namelist_statement", "has a namelist"),
    ("data_statement", "has variables that keep their values"),
    ("statement_function", "has statement functions"),
    ("import_statement", "is declared in an interface"),
    ("interface", "declares interfaces of others"),
    ("include_statement", "includes a file that is not read"),
];

impl<'t> Lowering<'_, 't> {
    /// Where the text of the procedure `unit` can be taken apart. `holes` are those of it that could not be read.
    pub(super) fn text_parts(
        &self,
        unit: &Unit<'t>,
        kind: ProcedureKind,
        holes: &[&Hole],
    ) -> Result<TextParts, Indivisible> {
        let source = self.source;
        let refused =
            |place: Range<usize>, why: &str| Err(Indivisible { span: source.span(place), why: why.to_owned() });
        let whole = unit.node.byte_range();
        let Some(header) = unit.header.filter(|_| kind == ProcedureKind::Subroutine) else {
            return refused(whole, "is no subroutine");
        };
        if !matches!(unit.kind, UnitKind::Procedure(_)) || unit.node.kind() != "subroutine" {
            return refused(header.byte_range(), "has its interface elsewhere");
        }
        if let Some(hole) = holes.first() {
            return refused(hole.range.clone(), "could not be read as a whole");
        }
        let parts = named_children(header);
        let said = parts.iter().find(|part| !matches!(part.kind(), "name" | "parameters" | "comment"));
        if let Some(said) = said {
            return refused(said.byte_range(), "is declared with more than its name");
        }
        let (Some(name), Some(end)) = (
            child_of_kind(header, "name"),
            named_children(unit.node).into_iter().find(|child| child.kind() == "end_subroutine_statement"),
        ) else {
            return refused(header.byte_range(), "has no end of its own");
        };
        if let Some(inner) = child_of_kind(unit.node, "internal_procedures") {
            return refused(inner.byte_range(), "has procedures inside");
        }
        for (kind, why) in IN_THE_WAY {
            // A file of declarations is included by either part.
            let is_known_file = |node: &&Node<'t>| {
                node.kind() == "include_statement"
                    && (is_known_header(source, **node) || source.included_by(**node).is_some())
            };
            let found = descendants_of_kinds(unit.node, &[kind]);
            if let Some(found) = found.iter().find(|node| !is_known_file(node)) {
                return refused(found.byte_range(), why);
            }
        }
        if let Some(conditional) = first_conditional(unit.node) {
            return refused(conditional.byte_range(), "has lines for a preprocessor");
        }
        let is_kept = |symbol: &&crate::ir::Symbol| matches!(symbol.storage, Storage::Static);
        let is_variable = |symbol: &&crate::ir::Symbol| symbol.class == crate::ir::SymbolClass::Variable;
        if let Some(kept) = self.symbols.iter().filter(is_variable).find(is_kept) {
            let span = kept.declaration.unwrap_or_else(|| source.span(header.byte_range()));
            return Err(Indivisible { span, why: format!("has a variable that keeps its value, `{}`", kept.name) });
        }
        let resets = descendants_of_kinds(unit.node, &["type_qualifier"]);
        let resets = resets.into_iter().filter_map(|qualifier| word_out(source, qualifier)).map(|it| source.span(it));
        Ok(TextParts {
            name: source.span(name.byte_range()),
            head: self.trimmed_span(header),
            name_at_end: child_of_kind(end, "name").map(|name| source.span(name.byte_range())),
            end: self.trimmed_span(end),
            resets: resets.collect(),
        })
    }
}

/// A part of the procedure between lines for a preprocessor.
fn first_conditional<'t>(node: Node<'t>) -> Option<Node<'t>> {
    named_children(node).into_iter().find_map(|child| match child.kind().starts_with("preproc") {
        true => Some(child),
        false => first_conditional(child),
    })
}

/// The word OUT of `intent(out)`.
fn word_out(source: &Source<'_>, qualifier: Node<'_>) -> Option<Range<usize>> {
    let range = qualifier.byte_range();
    let text = source.lower(qualifier);
    let words: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let word = text.rfind("out").filter(|_| words == "intent(out)")?;
    Some(range.start + word..range.start + word + "out".len())
}
