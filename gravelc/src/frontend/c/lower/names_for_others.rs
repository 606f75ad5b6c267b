//! The names by which the text of C may mean procedures of other languages: `tick_(&n)` where a file of Fortran defines `tick`.
//!
//! Whatever a unit calls, or takes the address of, it declares. What only a linker or a loader sees is not looked at: names that are
//! given in assembler, by pragmas or attributes, and those that compilers make of the procedures of modules, may be any.

use std::collections::BTreeSet;

use crate::frontend::c::unit::{self, Linkage, Unit};
use crate::ir::called_name::{for_linkers, may_be_of_module};

/// The names, as [`for_linkers`] compares them; `None` if there may be others. `text` is that of the unit.
pub(super) fn names_for_others(unit: &Unit, text: &[u8]) -> Option<BTreeSet<String>> {
    let names_by_pragma = unit.pragmas.iter().any(|pragma| {
        let text = String::from_utf8_lossy(&text[pragma.range.clone()]);
        text.split(|it: char| !it.is_alphanumeric() && it != '_')
            .any(|word| ["weak", "redefine_extname"].contains(&word))
    });
    if names_by_pragma || !unit.holes.is_empty() || !unit.assembler.is_empty() {
        return None;
    }
    let mut names = BTreeSet::new();
    for id in (0..unit.symbols.len()).map(unit::SymbolId::next).filter(|id| !unit.is_stand_in(*id)) {
        let symbol = unit.symbol(id);
        if symbol.assembler_name.is_some() || symbol.attributes.is_alias {
            return None;
        }
        let name = symbol.name.map_or("", |name| unit.names.text(name));
        if symbol.linkage == Linkage::External && !name.is_empty() {
            if may_be_of_module(name) {
                return None;
            }
            names.insert(for_linkers(name));
        }
    }
    Some(names)
}
