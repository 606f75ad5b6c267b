//! ENTRY statements: further names under which a procedure is called, each of which begins where it stands (Fortran 2018,
//! 15.6.2.6).
//!
//! ```fortran
//! subroutine gather(a)          ! calls of `gather` begin at the first statement
//!   real :: a(:), b(:, :)
//!   n = 1
//!   go to 10
//!   entry gather_all(b)         ! those of `gather_all` here: `n` has not been set, and `a` is not there
//!   n = size(b, 2)
//! 10 continue
//! end subroutine
//! ```
//!
//! What the program does is this, without any ENTRY:
//!
//! - The procedure has all dummy arguments, its own in front of those that only its entries have. A call hands over what its own
//!   name lists; the others are not there, like OPTIONAL ones, and no statement that such a call reaches may name them (15.6.2.6
//!   and 15.5.2.12).
//! - Its first statement jumps to one of the ENTRY statements, or does not: a GO TO with labels that nobody can see. So no
//!   statement in front of an ENTRY statement is certain to have run behind it, and nothing moves from one side to the other that
//!   could not move over a label. An ENTRY statement itself does nothing. One among the declarations begins where the procedure does.
//! - Each entry is a procedure that does nothing but call this one, with its dummy arguments for those of the same names. It has the
//!   declarations of the procedure around it: they are about its arguments, too.
//! - The results of a function and of its entries share memory, as by EQUIVALENCE.
//!
//! So each statement is there once, and calls by either name are calls of procedures that are known. The text of such a procedure
//! stays as it is but for its calls of MPI ([`UntouchableCause::SeveralEntries`](crate::ir::UntouchableCause::SeveralEntries)).
//!
//! Where that is not how it can be told, the ENTRY statement is not understood, as before: in a procedure with text that could not be
//! read or that a preprocessor may leave out, with alternate returns, in a construct, where no ENTRY may stand, and in a function
//! whose results are pointers, allocatable, or of a type with components.

use super::super::text::syntax_tree::Node;
use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::declarations::{Reader, is_executable, read_dummies, result_of};
use super::scope::Meaning;
use super::storage_association::join;
use super::units::{Source, Unit, UnitIndex, UnitKind, Units, prefixes_in};
use crate::ir::{ProcedureId, ProcedureKind, TypeCategory};
use crate::mutations::Clause;

/// What keeps a procedure from being understood.
pub const UNREAD: &str = "an ENTRY statement";

const ENTRY: &str = "entry_statement";

/// Adds the entries of the unit at `index`, which is the last one so far.
pub(super) fn add_entries<'t>(source: &Source<'t>, index: UnitIndex, units: &mut Units<'t>) {
    let statements = readable(source, index, units);
    if statements.is_empty() {
        return;
    }
    let is_declaration = |part: &&Node<'t>| !is_executable(**part) && part.kind() != ENTRY;
    let declarations: Vec<Node<'t>> = units.list[index].parts.iter().filter(is_declaration).copied().collect();
    for node in statements {
        let Some(name) = child_of_kind(node, "name").map(|name| source.lower(name)) else { continue };
        let (number, of) = (units.list.len(), &units.list[index]);
        let entry = Unit {
            source: of.source,
            kind: of.kind,
            name,
            node,
            host: of.host,
            procedure: Some(ProcedureId(units.of_procedure.len())),
            entry_of: Some(index),
            header: Some(node),
            parts: declarations.clone(),
            parts_end: node.end_byte(),
        };
        units.of_procedure.push(number);
        units.list.push(entry);
    }
}

/// The ENTRY statements of a unit, if all of them can be told in the way that this module describes.
fn readable<'t>(source: &Source<'t>, index: UnitIndex, units: &Units<'t>) -> Vec<Node<'t>> {
    let unit = &units.list[index];
    let found: Vec<Node<'t>> = unit.parts.iter().copied().filter(|part| part.kind() == ENTRY).collect();
    if found.is_empty() {
        return found;
    }
    let is_module = |host: UnitIndex| matches!(units.list[host].kind, UnitKind::Module | UnitKind::Submodule);
    let is_procedure =
        unit.kind != UnitKind::Procedure(ProcedureKind::Main) && matches!(unit.node.kind(), "subroutine" | "function");
    // An internal procedure has no ENTRY, and neither has one whose interface is declared elsewhere (C1571, C1575).
    let may_have_some = is_procedure
        && unit.host.is_none_or(is_module)
        && !unit.header.is_some_and(|header| prefixes_in(source, header).iter().any(|prefix| prefix == "module"));
    let end = unit.parts_end;
    let own = unit.node.start_byte()..end;
    let is_whole = !source.parsed.holes.iter().any(|hole| hole.range.start < own.end && own.start < hole.range.end);
    let may_be_left_out = |node: &Node<'t>| {
        source.parsed.preprocessing.choices.iter().any(|choice| choice.range.contains(&node.start_byte()))
    };
    let is_clear = |node: &Node<'t>| {
        let dummies = child_of_kind(*node, "parameters").map(named_children).unwrap_or_default();
        !node.has_error() && !may_be_left_out(node) && dummies.iter().all(|dummy| dummy.kind() == "identifier")
    };
    let all = descendants_of_kinds(unit.node, &[ENTRY]).into_iter().filter(|node| node.start_byte() < end).count();
    match may_have_some && is_whole && all == found.len() && unit.header.iter().chain(&found).all(is_clear) {
        true => found,
        false => Vec::new(),
    }
}

impl Unit<'_> {
    /// Is it a function, or an entry of one, by its own text?
    pub fn has_result(&self) -> bool {
        match self.node.kind() {
            "function" => true,
            ENTRY => self.kind == UnitKind::Procedure(ProcedureKind::Function),
            _ => false,
        }
    }
}

impl<'t> Units<'t> {
    /// The entries of the procedure `index` that are understood, in order.
    pub fn entries_of(&self, index: UnitIndex) -> impl Iterator<Item = (UnitIndex, &Unit<'t>)> {
        let behind = self.list.iter().enumerate().skip(index + 1);
        behind.take_while(move |(_, unit)| unit.entry_of == Some(index))
    }

    /// The entry of the procedure `index` whose statement this is, if it is understood.
    pub fn entry_at(&self, index: UnitIndex, node: Node<'_>) -> Option<UnitIndex> {
        let mut entries = self.entries_of(index).filter(|_| node.kind() == ENTRY);
        entries.find(|(_, entry)| entry.node.id() == node.id()).map(|(entry, _)| entry)
    }

    /// The procedure that the name calls inside of the procedure `index`: itself, or one of its entries.
    pub fn function_called(&self, index: UnitIndex, name: &str) -> Option<ProcedureId> {
        let mut all = std::iter::once(&self.list[index]).chain(self.entries_of(index).map(|(_, entry)| entry));
        all.find(|unit| unit.name == name)?.procedure
    }

    /// The names of the dummy arguments of `index` in order, and behind them those that only its entries have, in lower case.
    pub fn all_dummy_names(&self, sources: &[Source<'_>], index: UnitIndex) -> Vec<String> {
        let mut names = self.dummy_names(sources, index);
        for (entry, _) in self.entries_of(index) {
            let more = self.dummy_names(sources, entry).into_iter();
            let more: Vec<String> = more.filter(|name| !names.contains(name)).collect();
            names.extend(more);
        }
        names
    }
}

/// Remembers that an ENTRY statement is not understood.
pub(super) fn mark_unread(reader: &mut Reader<'_, '_>, statement: Node<'_>) {
    reader.scope.mark_obstacle(Reader::range(statement), UNREAD);
}

/// What the entries of a procedure bring to its scope: dummy arguments, and results that are its own.
pub(super) fn read_entries(reader: &mut Reader<'_, '_>, units: &Units<'_>, index: UnitIndex) {
    for (_, entry) in units.entries_of(index) {
        read_dummies(reader, entry.node);
        if let Some(name) = result_of(reader.source, entry, entry.node) {
            reader.scope.entity(&name).declaration = Some(Reader::range(entry.node));
        }
    }
    let results = results(reader, units, index);
    if !results.is_empty() && !Clause::EntryResults.is_off() {
        join(&mut reader.scope, &results);
    }
}

/// The names of the results of a function and its entries; none of a procedure without entries.
fn results(reader: &Reader<'_, '_>, units: &Units<'_>, index: UnitIndex) -> Vec<String> {
    let entries: Vec<&Unit<'_>> = units.entries_of(index).map(|(_, entry)| entry).collect();
    let all = std::iter::once(&units.list[index]).filter(|_| !entries.is_empty()).chain(entries.iter().copied());
    all.filter_map(|unit| result_of(reader.source, unit, unit.header?)).collect()
}

/// Results that share memory in another way than variables do, or may, are not understood.
pub(super) fn check_results(reader: &mut Reader<'_, '_>, units: &Units<'_>, index: UnitIndex) {
    let is_plain = |name: &String| {
        reader.scope.entities.get(name).is_some_and(|entity| {
            let category = entity.element().category;
            entity.meaning == Meaning::Variable
                && !entity.attributes.pointer
                && !entity.attributes.allocatable
                && !matches!(category, TypeCategory::Derived | TypeCategory::Unknown)
        })
    };
    if !results(reader, units, index).iter().all(is_plain)
        && let Some((_, entry)) = units.entries_of(index).next()
    {
        let statement = entry.node;
        mark_unread(reader, statement);
    }
}
