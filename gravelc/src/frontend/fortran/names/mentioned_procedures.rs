//! Where the text names procedures of the program.
//!
//! Who calls whom is said by statements. That nothing calls a procedure is another question: it may be handed over, bound to
//! a type, associated with a pointer from the beginning, or known to somebody else. To be called at all its name has to
//! stand somewhere, so the text is asked and not what was made of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use super::super::text::syntax_tree::Node;

use super::super::text::conditions::{Macro, Macros};
use super::super::text::lexer::TokenKind;
use super::association::Scopes;
use super::names_for_others::names_for_others;
use super::own_bytes::{OwnBytes, words_in};
use super::units::{Source, Unit, UnitIndex, UnitKind, Units};
use crate::ir::{MentionedProcedures, ProcedureId, SourceFile};
use crate::source_layout::is_for_compilers;

/// What stands in the text besides the units: files that they include, macros that the compiler is told.
pub struct BesideUnits<'a> {
    /// The files.
    pub files: &'a [SourceFile],
    /// What they include.
    pub included: &'a BTreeMap<PathBuf, Vec<u8>>,
    /// What is known of macros before the first line of some file.
    pub known: &'a [&'a Macros],
}

/// Finds the names of the procedures of all units.
pub fn mentioned_procedures(
    sources: &[Source<'_>],
    units: &Units<'_>,
    scopes: &Scopes<'_>,
    beside: &BesideUnits<'_>,
) -> MentionedProcedures {
    let names = Names::of(units, scopes);
    let for_others = names_for_others(sources, units, scopes, beside);
    let mut mentioned = MentionedProcedures { for_others, ..MentionedProcedures::default() };
    for &unit in &units.of_procedure {
        let source = &sources[units.list[unit].source];
        let mut named = BTreeSet::new();
        for (start, word) in words_of_procedure(source, units, unit).filter(|(_, word)| names.may_mean_some(word)) {
            let place = source.span(start..start + word.len());
            named.extend(names.meant_by(std::iter::once(word)).into_iter().map(|procedure| (procedure, place)));
        }
        // The text of an entry is that of the procedure around it.
        let around = units.list[unit].entry_of.and_then(|around| units.list[around].procedure);
        named.extend(around.map(|around| (around, source.span_of(units.list[unit].node))));
        mentioned.by_procedures.push(named);
    }
    let others = units.list.iter().enumerate().filter(|(_, unit)| is_no_procedure(unit));
    let mut words: BTreeSet<String> = BTreeSet::new();
    for (index, unit) in others {
        let source = &sources[unit.source];
        let is_complete = scopes.list[index].as_ref().is_some_and(|scope| scope.incomplete.is_none());
        let text = unit.node.start_byte()..unit.parts_end;
        let macros = source.macros();
        let is_macro =
            |word: String| macros.contains(word.as_str()) && scopes.macro_number(source.file, &word).is_none();
        let has_macros = words_as_written(source, text).any(is_macro);
        if !is_complete || has_macros {
            mentioned.elsewhere = names.all();
            return mentioned;
        }
        let parts = unit.parts.iter().filter(|part| may_name_procedures(source, **part, &names));
        words.extend(parts.flat_map(|part| words_of(source, *part)));
    }
    for (index, unit) in units.list.iter().enumerate() {
        let source = &sources[unit.source];
        let is_bound = unit.header.is_some_and(|header| words_of(source, header).any(|word| word == "bind"));
        let has_unread_entries =
            || units.entries_of(index).next().is_none() && unit.entry_of.is_none() && has_entries(source, units, index);
        if is_bound || unit.procedure.is_some() && has_unread_entries() {
            words.insert(unit.name.clone());
        }
    }
    for file in beside.files {
        let lines = file.whole_lines(0..file.text.len()).map(|(_, line)| line);
        words.extend(lines.filter(|line| is_for_compilers(line, file.layout)).flat_map(words_of_bytes));
    }
    words.extend(beside.included.values().flat_map(|text| words_of_bytes(text)));
    for known in beside.known.iter().flat_map(|macros| macros.known.values()) {
        if let Macro::Defined(value) = known {
            words.extend(words_of_bytes(value.as_bytes()));
        }
    }
    mentioned.elsewhere = names.meant_by(words.into_iter());
    mentioned
}

/// What names could mean procedures of the program.
struct Names<'u> {
    procedures: HashMap<&'u str, Vec<ProcedureId>>,
    /// The names that imports replace by others, by these.
    renamed: HashMap<&'u str, BTreeSet<&'u str>>,
    /// Of types with components. A generic name may be one, too.
    types: HashSet<&'u str>,
}

impl<'u> Names<'u> {
    fn of(units: &'u Units<'_>, scopes: &'u Scopes<'_>) -> Self {
        let mut procedures: HashMap<&str, Vec<ProcedureId>> = HashMap::new();
        for unit in &units.list {
            procedures.entry(&unit.name).or_default().extend(unit.procedure);
        }
        let scopes = || scopes.list.iter().flatten().chain(scopes.blocks.values());
        let mut renamed: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for (local, original) in scopes().flat_map(|scope| &scope.uses).flat_map(|clause| &clause.names) {
            if local != original {
                renamed.entry(local).or_default().insert(original);
            }
        }
        Self { procedures, renamed, types: scopes().flat_map(|scope| scope.types.keys()).map(String::as_str).collect() }
    }

    /// May the word mean procedures?
    fn may_mean_some(&self, word: &str) -> bool {
        self.procedures.contains_key(word) || self.renamed.contains_key(word)
    }

    fn all(&self) -> BTreeSet<ProcedureId> {
        self.procedures.values().flatten().copied().collect()
    }

    /// The procedures of these names, whatever module the names come from.
    fn meant_by(&self, words: impl Iterator<Item = String>) -> BTreeSet<ProcedureId> {
        let words: HashSet<String> = words.collect();
        let mut pending: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut meant = BTreeSet::new();
        while let Some(word) = pending.pop() {
            if seen.insert(word) {
                meant.extend(self.procedures.get(word).into_iter().flatten());
                pending.extend(self.renamed.get(word).into_iter().flatten());
            }
        }
        meant
    }
}

fn is_no_procedure(unit: &Unit<'_>) -> bool {
    matches!(unit.kind, UnitKind::Module | UnitKind::Submodule | UnitKind::BlockData)
}

/// The words of a procedure's own text with their places, without those of imports: what a name is imported for stands elsewhere.
fn words_of_procedure(
    source: &Source<'_>,
    units: &Units<'_>,
    index: UnitIndex,
) -> impl Iterator<Item = (usize, String)> {
    let unit = &units.list[index];
    let own = OwnBytes::of(units, index);
    let imports = unit.parts.iter().filter(|part| part.kind() == "use_statement");
    let imports: Vec<_> = imports.map(|part| part.start_byte()..part.end_byte()).collect();
    let is_own = |start: usize| own.contains(start) && !imports.iter().any(|import| import.contains(&start));
    let words: Vec<_> = words_in(source, own.range.clone()).filter(|(start, _)| is_own(*start)).collect();
    words.into_iter()
}

/// May a declaration of a module hand a procedure over, or say what calls it? A generic name does not: a reference to one is a
/// choice of calls.
fn may_name_procedures(source: &Source<'_>, part: Node<'_>, names: &Names<'_>) -> bool {
    match part.kind() {
        "use_statement" | "import_statement" | "public_statement" | "private_statement" => false,
        "interface" => {
            let text = source.lower(part);
            let first = text.lines().next().unwrap_or_default();
            let name = first.trim().trim_start_matches("abstract").trim_start().trim_start_matches("interface").trim();
            // Operations, assignments, input and output; and what else the line may hold.
            name.contains(|character: char| !character.is_ascii_alphanumeric() && character != '_')
                || names.types.contains(name)
        }
        _ => true,
    }
}

/// Can the procedure be called by further names, whatever the grammar makes of its text?
fn has_entries(source: &Source<'_>, units: &Units<'_>, index: UnitIndex) -> bool {
    let own = OwnBytes::of(units, index);
    let lexed = &source.parsed.lexed;
    let mut statements = lexed.statements_in(&own.range).iter().filter(|statement| own.contains(statement.start));
    statements.any(|statement| {
        let first = lexed.tokens_of(statement).iter().find(|token| token.kind == TokenKind::Word);
        first.is_some_and(|token| source.original[token.start..token.end].eq_ignore_ascii_case(b"entry"))
    })
}

fn words_of<'s>(source: &'s Source<'_>, node: Node<'_>) -> impl Iterator<Item = String> + 's {
    words_in(source, node.start_byte()..node.end_byte()).map(|(_, word)| word)
}

/// The words in their own spelling, which tells macros apart.
fn words_as_written<'s>(source: &'s Source<'_>, range: std::ops::Range<usize>) -> impl Iterator<Item = String> + 's {
    let tokens = &source.parsed.lexed.tokens;
    let first = tokens.partition_point(|token| token.start < range.start);
    let inside = tokens[first..].iter().take_while(move |token| token.start < range.end);
    let words = inside.filter(|token| token.kind == TokenKind::Word);
    words.map(|token| String::from_utf8_lossy(&source.original[token.start..token.end]).into_owned())
}

/// All words of a text that need not be a statement, in lower case.
pub(super) fn words_of_bytes(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
}
