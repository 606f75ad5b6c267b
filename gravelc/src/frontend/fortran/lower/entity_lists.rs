//! Which names the declarations of a procedure or a module introduce, and where else its text could name them.
//!
//! The transformed program may have no use for some of them. To know that, the text is what counts, not the statements
//! that could be read: whatever could be the name, in any case, counts as one.

use std::collections::HashMap;
use std::ops::Range;

use super::super::text::syntax_tree::Node;

use super::super::names::units::{Source, Unit};
use super::super::names::variable_declarations::{declarator_name, declarators_of};
use super::super::text::directives::directive;
use super::super::text::fixed_form::beginnings_of_names;
use super::super::text::tree::{child_of_kind, constructs_of_kinds, named_children};
use super::lowering::Lowering;
use crate::ir::{Callee, DeclarationStatement, DeclaredEntity, Span, StatementKind, SymbolClass};

/// The longest name (Fortran 2018, 6.2.2).
const LONGEST_NAME: usize = 63;

/// The type declaration statements of the procedure `unit`, which lies in `range` of its file. None where nothing will be
/// asked about them (a procedure without calls, or one that stays as it is).
pub(super) fn declarations_of_procedure(
    lowering: &Lowering<'_, '_>,
    unit: &Unit<'_>,
    range: Range<usize>,
) -> Vec<DeclarationStatement> {
    // A procedure that it calls may do nothing but call MPI.
    let communicates = lowering.statements.iter().any(|statement| {
        matches!(&statement.kind, StatementKind::Communication(_))
            || matches!(&statement.kind, StatementKind::Call { callee: Callee::Procedure(_), .. })
    });
    if !communicates || lowering.untouchable.is_some() {
        return Vec::new();
    }
    // Compilers warn of variables alone that are imported by their names and not used.
    let is_variable = |name: &str| {
        let symbol = lowering.by_name.get(name).and_then(|id| lowering.symbols.get(id.0));
        symbol.is_some_and(|symbol| symbol.class == SymbolClass::Variable)
    };
    let dummies = lowering.units.all_dummy_names(lowering.sources, lowering.unit);
    declarations_in((lowering.source, &is_variable), unit, range, &dummies)
}

/// The type declaration statements of a module that declare what nobody outside can name: `is_hidden` says so.
pub fn declarations_of_module(
    source: &Source<'_>,
    unit: &Unit<'_>,
    is_hidden: &dyn Fn(&str) -> bool,
) -> Vec<DeclarationStatement> {
    // What a module imports it may hand on.
    let imports_none = |_: &str| false;
    let mut statements = declarations_in((source, &imports_none), unit, unit.node.byte_range(), &[]);
    for entity in statements.iter_mut().flat_map(|statement| &mut statement.entities) {
        if !is_hidden(&entity.name) {
            entity.mentions.clear();
        }
    }
    statements.retain(|statement| statement.entities.iter().any(|entity| !entity.mentions.is_empty()));
    statements
}

/// None where names can't be found in the text. Of the names that are imported one by one those count for which the function holds.
fn declarations_in(
    (source, counts_imported): (&Source<'_>, &dyn Fn(&str) -> bool),
    unit: &Unit<'_>,
    range: Range<usize>,
    dummies: &[String],
) -> Vec<DeclarationStatement> {
    let lexed = &source.parsed.lexed;
    let first = lexed.statements.partition_point(|statement| statement.end <= range.start);
    let mut inside = lexed.statements[first..].iter().take_while(|statement| statement.start < range.end);
    if inside.any(|statement| statement.split_token) {
        return Vec::new();
    }
    let sought = (source, counts_imported);
    let mut statements = declarations_among(sought, &unit.parts, range, dummies, unit.header);
    // What a BLOCK declares is named nowhere else.
    for block in unit.parts.iter().flat_map(|part| constructs_of_kinds(*part, &["block_construct"])) {
        statements.extend(declarations_among(sought, &named_children(block), block.byte_range(), &[], None));
    }
    statements
}

/// The statements among `parts` that declare variables, whose names are looked for in this range: type declarations, DIMENSION
/// and SAVE statements, without which a name would stay that the other one gives its type, and lists of what is imported.
fn declarations_among(
    (source, counts_imported): (&Source<'_>, &dyn Fn(&str) -> bool),
    parts: &[Node<'_>],
    range: Range<usize>,
    dummies: &[String],
    header: Option<Node<'_>>,
) -> Vec<DeclarationStatement> {
    let gives_dimensions = |part: &Node<'_>| {
        let qualifier = child_of_kind(*part, "type_qualifier").filter(|_| part.kind() == "variable_modification");
        qualifier.is_some_and(|qualifier| source.lower(qualifier) == "dimension")
    };
    let declarations = || {
        let declares = |part: &&Node<'_>| {
            part.kind() == "variable_declaration" || gives_dimensions(part) || saves(**part) || imports(**part)
        };
        parts.iter().filter(declares)
    };
    let mut declared: HashMap<String, Vec<Span>> = HashMap::new();
    for node in declarations().flat_map(|part| names_given_by(*part)) {
        if let Some(name) = name_given_by(source, node) {
            declared.entry(name).or_default().push(source.span_of(node));
        }
    }
    let words = Words::of(source, range, declared.keys().cloned());
    let entity = |node, gives_dimensions: bool, is_imported: bool| {
        // `operator(+)` is no name.
        let name = name_given_by(source, node).or_else(|| is_imported.then(|| source.lower(node)))?;
        let span = source.span_of(node);
        let is_dummy = dummies.contains(&name);
        let header = header.filter(|_| is_dummy).map(|header| source.span_of(header));
        let mut mentions = words.mentions(&name, declared.get(&name).map_or(&[], Vec::as_slice));
        // A dummy argument stays: it is enough that the other statement says so.
        mentions.retain(|mention| !header.is_some_and(|header| gives_dimensions || mention.is_within(header)));
        if is_imported && !counts_imported(&name) {
            mentions.clear();
        }
        Some(DeclaredEntity { name, span, is_dummy, mentions })
    };
    declarations()
        .filter_map(|part| {
            let entity = |node| entity(node, gives_dimensions(part), imports(*part));
            let entities: Option<Vec<DeclaredEntity>> = names_given_by(*part).into_iter().map(entity).collect();
            // `procedure(p) :: f` declares procedures.
            let is_of_variables = child_of_kind(*part, "procedure").is_none();
            let entities = entities.filter(|entities| !entities.is_empty() && is_of_variables)?;
            Some(DeclarationStatement { span: source.span_of(*part), entities })
        })
        .collect()
}

/// Is it a SAVE statement of variables alone?
fn saves(part: Node<'_>) -> bool {
    let names = named_children(part);
    part.kind() == "save_statement" && !names.is_empty() && names.iter().all(|name| name.kind() == "identifier")
}

/// Is it a USE statement with a list of all that it imports?
fn imports(part: Node<'_>) -> bool {
    part.kind() == "use_statement" && child_of_kind(part, "included_items").is_some()
}

/// What a statement declares.
fn names_given_by(part: Node<'_>) -> Vec<Node<'_>> {
    match child_of_kind(part, "included_items") {
        Some(list) if imports(part) => named_children(list),
        _ if saves(part) => named_children(part),
        _ => declarators_of(part),
    }
}

/// The name that one of them has here.
fn name_given_by(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "use_alias" => named_children(node).first().map(|local| source.lower(*local)),
        _ => declarator_name(source, node),
    }
}

/// Where some words stand in a piece of source.
struct Words {
    places: HashMap<Vec<u8>, Vec<Span>>,
}

impl Words {
    /// These `names` in `range`, and in the files that it includes. Ordinary comments do not count.
    fn of(source: &Source<'_>, range: Range<usize>, names: impl Iterator<Item = String>) -> Self {
        let mut words = Self { places: names.map(|name| (name.into_bytes(), Vec::new())).collect() };
        if !words.places.is_empty() {
            words.add(source, range);
        }
        words
    }

    fn add(&mut self, source: &Source<'_>, range: Range<usize>) {
        let has_moved = source.parsed.free_form.is_some();
        let lexed = &source.parsed.lexed;
        let first = lexed.comments.partition_point(|comment| comment.end <= range.start);
        let mut comments = lexed.comments[first..].iter().peekable();
        let mut offset = range.start;
        while offset < range.end {
            while comments.next_if(|comment| comment.end <= offset).is_some() {}
            if let Some(comment) = comments.peek().filter(|comment| comment.contains(&offset))
                && directive(&source.original[(*comment).clone()]).is_none()
            {
                offset = comment.end;
                continue;
            }
            let length = source.original[offset..range.end].iter().take_while(|byte| is_word_byte(**byte)).count();
            if length > 0 {
                self.add_word(source, offset..offset + length, has_moved);
            }
            offset += length.max(1);
        }
        for (statement, included) in &source.included {
            if statement.start < range.end && statement.end > range.start {
                self.add(included, 0..included.original.len());
            }
        }
    }

    /// In fixed form, where tokens were moved, a keyword, a label or a number may stand in front of a name without a blank.
    fn add_word(&mut self, source: &Source<'_>, range: Range<usize>, has_moved: bool) {
        let whole = source.original[range.clone()].to_ascii_lowercase();
        let beginnings = match has_moved {
            // Too long to find out.
            true if whole.len() > 2 * LONGEST_NAME => (whole.len() - LONGEST_NAME..whole.len()).collect(),
            true => beginnings_of_names(&whole),
            false => vec![0],
        };
        for start in beginnings.into_iter().filter(|start| whole.len() - start <= LONGEST_NAME) {
            if let Some(places) = self.places.get_mut(&whole[start..]) {
                places.push(source.span(range.start + start..range.end));
            }
        }
    }

    /// The places of the name but for those within its declarations.
    fn mentions(&self, name: &str, declarations: &[Span]) -> Vec<Span> {
        let is_declaration = |place: &Span| declarations.iter().any(|declaration| place.is_within(*declaration));
        let places = self.places.get(name.as_bytes()).into_iter().flatten();
        places.filter(|place| !is_declaration(place)).copied().collect()
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
