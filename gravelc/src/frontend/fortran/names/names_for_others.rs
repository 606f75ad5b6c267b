//! The names by which the text may mean procedures of other languages: `call tick(n)` where a file of C defines `tick_`.
//!
//! Such a procedure is external, or an interface body gives it a label with BIND(C) (Fortran 2018, 18.10.2). So its name, or its
//! label, stands in the text. Each word counts, but for those that can mean nothing external where they stand: the keyword of an
//! argument, a component, and what the unit declares as a dummy argument, a constant or an array.

use std::collections::BTreeSet;

use super::super::text::lexer::{Token, TokenKind};
use super::association::{Found, Scopes};
use super::mentioned_procedures::{BesideUnits, words_of_bytes};
use super::scope::Meaning;
use super::units::{Source, UnitIndex, Units};
use crate::ir::called_name::for_linkers;
use crate::source_layout::is_for_compilers;

/// The names, as [`for_linkers`] compares them; `None` if there may be others.
pub(super) fn names_for_others(
    sources: &[Source<'_>],
    units: &Units<'_>,
    scopes: &Scopes<'_>,
    beside: &BesideUnits<'_>,
) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (index, source) in sources.iter().enumerate() {
        let of_source: Vec<UnitIndex> =
            (0..units.list.len()).filter(|&unit| units.list[unit].source == index).collect();
        add_names(source, &of_source, units, scopes, &mut names)?;
    }
    let of_compilers = beside.files.iter().flat_map(|file| {
        let lines = file.whole_lines(0..file.text.len()).map(|(_, line)| line);
        lines.filter(|line| is_for_compilers(line, file.layout)).flat_map(words_of_bytes)
    });
    names.extend(of_compilers.map(|word| for_linkers(&word)));
    let included = beside.included.values().flat_map(|text| words_of_bytes(text));
    names.extend(included.map(|word| for_linkers(&word)));
    Some(names)
}

fn add_names(
    source: &Source<'_>,
    of_source: &[UnitIndex],
    units: &Units<'_>,
    scopes: &Scopes<'_>,
    names: &mut BTreeSet<String>,
) -> Option<()> {
    let lexed = &source.parsed.lexed;
    let macros = source.macros();
    let text = |token: &Token| &source.original[token.start..token.end];
    for statement in &lexed.statements {
        let tokens = lexed.tokens_of(statement);
        // From the outside in.
        let is_around = |unit: &&UnitIndex| {
            let node = units.list[**unit].node;
            units.list[**unit].entry_of.is_none()
                && node.start_byte() <= statement.start
                && statement.start < node.end_byte()
        };
        let unit = of_source.iter().rfind(is_around).copied();
        for (number, token) in tokens.iter().enumerate() {
            let is_symbol = |at: Option<&Token>, symbol: &[u8]| at.is_some_and(|token| text(token) == symbol);
            let next = tokens.get(number + 1);
            if token.kind != TokenKind::Word {
                continue;
            }
            let written = String::from_utf8_lossy(text(token));
            if macros.contains(&*written) && scopes.macro_number(source.file, &written).is_none() {
                return None;
            }
            let word = written.to_ascii_lowercase();
            if word == "bind" && is_symbol(next, b"(") {
                names.extend(label_in(source, &tokens[number..])?);
            }
            let before = number.checked_sub(1).and_then(|before| tokens.get(before));
            let is_elsewhere = is_symbol(next, b"=") || is_symbol(before, b"%");
            if !is_elsewhere && !unit.is_some_and(|unit| is_no_external(scopes, unit, &word)) {
                names.insert(for_linkers(&word));
            }
        }
    }
    Some(())
}

/// Can the name mean nothing external in the unit?
fn is_no_external(scopes: &Scopes<'_>, unit: UnitIndex, word: &str) -> bool {
    let Some(scope) = scopes.list[unit].as_ref() else { return false };
    // Constructs give names other meanings, and a BLOCK may declare some.
    let is_clear = scope.incomplete.is_none() && !scope.construct_names.contains(word);
    match scopes.find(unit, word) {
        Found::Entity { unit: owner, entity } if is_clear && owner == unit => {
            let is_array = entity.meaning == Meaning::Variable && !entity.dimensions.is_empty();
            entity.attributes.dummy || is_array || matches!(entity.meaning, Meaning::Constant(_))
        }
        _ => false,
    }
}

/// The label that `bind(c, name='...')` says; `None` where that is no literal.
fn label_in(source: &Source<'_>, tokens: &[Token]) -> Option<Option<String>> {
    let text = |token: &Token| String::from_utf8_lossy(&source.original[token.start..token.end]).to_ascii_lowercase();
    let mut found = None;
    for (number, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Word || text(token) != "name" {
            continue;
        }
        let [equals, value, behind, ..] = tokens.get(number + 1..)? else { return None };
        let is_literal =
            text(equals) == "=" && value.kind == TokenKind::Text && matches!(text(behind).as_str(), ")" | ",");
        if !is_literal || found.is_some() {
            return None;
        }
        found = Some(for_linkers(text(value).trim_matches(['\'', '"']).trim()));
    }
    Some(found)
}
