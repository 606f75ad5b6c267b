//! What is evaluated when a procedure begins: the expressions in its declarations (Fortran 2018, 10.1.11).
//!
//! Bounds of automatic arrays and lengths of strings look at variables of the callers, of modules and of hosts, and call
//! functions, although no statement does. They are looked for by their words: whatever stands in parentheses in a declaration.

use super::super::text::syntax_tree::Node;

use super::super::names::association::Found;
use super::super::names::declarations::is_executable;
use super::super::names::included_declarations::included_declarations;
use super::super::names::scope::Meaning;
use super::super::names::statement_function_parts::is_like_statement_function;
use super::super::names::units::{Source, Unit, UnitIndex};
use super::super::text::lexer::TokenKind;
use super::lowering::Lowering;
use super::symbols::NameUse;
use crate::ir::{Callee, Expression, ExpressionKind, TypeCategory, Unread};

/// The variables and the functions that the declarations of a procedure evaluate. Where the program has finalisers, an
/// object of the procedure may end with a call of one: that is an opaque expression.
pub(super) fn evaluated_at_entry<'t>(
    lowering: &mut Lowering<'_, 't>,
    unit: &Unit<'t>,
    has_finalisers: bool,
) -> Vec<Expression> {
    let mut words: Vec<Word> = Vec::new();
    // Behind the last of them statements begin, which may be like statement functions.
    let parts = unit.parts.iter().copied();
    let end =
        parts.clone().take_while(|part| !is_executable(*part) || is_like_statement_function(lowering.source, *part));
    let declarations = end.filter(|part| !is_executable(*part));
    words_in_parentheses(lowering.source, unit.header.into_iter().chain(declarations), &mut words);
    let own = lowering.unit;
    let interface = Some(lowering.units.declaring(own)).filter(|&declaring| declaring != own);
    let unclear = interface.map(|interface| add_words_of_interface(lowering, unit, interface, &mut words));
    words.sort();
    words.dedup_by(|one, other| one.text == other.text && one.has_arguments == other.has_arguments);
    let mut found = Vec::new();
    for Word { text: word, has_arguments, place } in words {
        let span = lowering.source.span(place..place + word.len());
        let is_own = match lowering.scopes.find(lowering.unit, &word) {
            Found::Entity { unit, entity } => {
                let outlives = entity.attributes.dummy || entity.common.is_some();
                entity.attributes.intrinsic || unit == lowering.unit && entity.meaning == Meaning::Variable && !outlives
            }
            Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) | Found::Nothing => true,
        };
        if is_own {
            continue;
        }
        let kind = match lowering.name_use(&word) {
            NameUse::Object(symbol) => ExpressionKind::Symbol(symbol),
            NameUse::Procedure(callee @ Callee::Procedure(_)) if has_arguments => {
                ExpressionKind::Call { callee, arguments: Vec::new() }
            }
            NameUse::Procedure(_) | NameUse::Indirect | NameUse::Generic if has_arguments => {
                ExpressionKind::Opaque(Box::new(Unread::unknown(word)))
            }
            _ => continue,
        };
        found.push(Expression::new(kind, span));
    }
    for word in unclear.unwrap_or_default() {
        found.push(Expression::new(
            ExpressionKind::Opaque(Box::new(Unread::unknown(word))),
            lowering.source.span_of(unit.node),
        ));
    }
    let is_object = |name: &String| {
        let symbol = lowering.by_name.get(name).map(|id| &lowering.symbols[id.0]);
        symbol.is_some_and(|symbol| matches!(symbol.element.category, TypeCategory::Derived | TypeCategory::Unknown))
    };
    if has_finalisers && lowering.scope.order.iter().any(is_object) {
        let why = "an object that a finaliser may see".to_string();
        found.push(Expression::new(
            ExpressionKind::Opaque(Box::new(Unread::unknown(why))),
            lowering.source.span_of(unit.node),
        ));
    }
    found
}

/// Adds the words of the interface body that declares the arguments of `module procedure s`. What means something else here is
/// given back.
fn add_words_of_interface<'t>(
    lowering: &Lowering<'_, 't>,
    unit: &Unit<'t>,
    interface: UnitIndex,
    words: &mut Vec<Word>,
) -> Vec<String> {
    let declaring = &lowering.units.list[interface];
    let source = &lowering.sources[declaring.source];
    let mut found = Vec::new();
    let statements = declaring.header.into_iter().chain(declaring.parts.iter().copied());
    words_in_parentheses(source, statements, &mut found);
    let is_alike = |word: &Word| lowering.is_alike_in(interface, &word.text);
    let (alike, others): (Vec<Word>, Vec<Word>) = found.into_iter().partition(is_alike);
    let place = unit.header.map_or(unit.node.start_byte(), |header| header.start_byte());
    words.extend(alike.into_iter().map(|word| Word { place, ..word }));
    // Attributes and kinds are words, too, which mean nothing in either place.
    let is_entity = |word: &Word| matches!(lowering.scopes.find(interface, &word.text), Found::Entity { .. });
    others.into_iter().filter(is_entity).map(|word| word.text).collect()
}

/// A word in parentheses.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    text: String,
    /// A parenthesis follows it.
    has_arguments: bool,
    /// Where it stands in the file.
    place: usize,
}

/// Functions that look at their first argument's type and shape alone.
const INQUIRIES: [&str; 9] = ["size", "shape", "lbound", "ubound", "kind", "len", "bit_size", "rank", "storage_size"];

/// Declarations without expressions that are evaluated.
const WITHOUT: [&str; 7] = [
    "use_statement",
    "interface",
    "derived_type_definition",
    "implicit_statement",
    "data_statement",
    "equivalence_statement",
    "enum",
];

/// The words in parentheses of the declarations (of the first statement: in front of the procedure's name), but for those
/// behind INTENT and those whose value is not looked at.
fn words_in_parentheses<'t>(source: &Source<'t>, declarations: impl Iterator<Item = Node<'t>>, words: &mut Vec<Word>) {
    for part in declarations.filter(|part| !WITHOUT.contains(&part.kind())) {
        if source.included_by(part).is_some() {
            let Ok((included, inner)) = included_declarations(source, part) else { continue };
            let mut found = Vec::new();
            words_in_parentheses(included, inner.into_iter(), &mut found);
            // What is included stands where it is included.
            words.extend(found.into_iter().map(|word| Word { place: part.start_byte(), ..word }));
            continue;
        }
        let tokens = &source.parsed.lexed.tokens;
        let first = tokens.partition_point(|token| token.start < part.start_byte());
        let text = |index: usize| {
            let token = tokens.get(index).map_or(0..0, |token| token.start..token.end);
            String::from_utf8_lossy(&source.original[token]).to_ascii_lowercase()
        };
        let mut depth = 0_usize;
        let mut in_intent = false;
        for (index, token) in tokens.iter().enumerate().skip(first).take_while(|(_, it)| it.start < part.end_byte()) {
            let before = |count: usize| index.checked_sub(count).map(text).unwrap_or_default();
            match (token.kind, text(index).as_str()) {
                (TokenKind::Word, "function" | "subroutine" | "program") if depth == 0 => break,
                (TokenKind::Symbol, "(" | "[") => {
                    in_intent |= depth == 0 && before(1) == "intent";
                    depth += 1;
                }
                (TokenKind::Symbol, ")" | "]") => {
                    depth = depth.saturating_sub(1);
                    in_intent &= depth > 0;
                }
                (TokenKind::Word, word) if depth > 0 && !in_intent && before(1) != "%" => {
                    let is_inquired = before(1) == "(" && INQUIRIES.contains(&before(2).as_str());
                    let has_arguments = text(index + 1) == "(";
                    if !is_inquired || has_arguments {
                        words.push(Word { text: word.to_owned(), has_arguments, place: token.start });
                    }
                }
                _ => {}
            }
        }
    }
}
