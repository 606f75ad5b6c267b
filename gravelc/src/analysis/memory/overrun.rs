//! Accesses that run beyond a member of a COMMON block into the members behind it.
//!
//! The members of a block lie one behind the other (Fortran 2018, 8.10.2.3), and programs that are older than the rules for
//! array arguments (15.5.2.11) make use of it: they clear, save or broadcast a whole block by its first member,
//! `call clear(first, 1000)`, or by its subscripts in a loop. Where the language's rules are seen to be broken, other
//! members count as touched, too; where it can't be seen whether they are (an array with a length that is not known), the
//! declared bounds are believed, as [`super::overlap`] believes them.

use super::arrays::Layouts;
use crate::ir::{Extent, Lmad, Polynomial, Procedure, Region, Storage, SymbolClass, SymbolId};

/// The other variables of the COMMON block that holds `symbol`, and others at its place.
pub fn beside(procedure: &Procedure, symbol: SymbolId) -> Vec<SymbolId> {
    let storage = &procedure.symbol(symbol).storage;
    let Storage::Global(place) = storage else { return Vec::new() };
    let block = storage.common_block();
    let others = procedure.symbols.iter().enumerate().map(|(index, other)| (SymbolId(index), other));
    others
        .filter(|(id, other)| {
            *id != symbol
                && other.class == SymbolClass::Variable
                && (matches!(&other.storage, Storage::Global(own) if own == place)
                    || block.is_some() && other.storage.common_block() == block)
        })
        .map(|(id, _)| id)
        .collect()
}

/// Is the variable a member of a COMMON block?
pub fn is_member(procedure: &Procedure, symbol: SymbolId) -> bool {
    procedure.symbol(symbol).storage.common_block().is_some()
}

/// Is it a member of a COMMON block that is a single element? Nobody believes that of one that is handed over as an array.
pub(super) fn is_single_member(layouts: &Layouts, symbol: SymbolId) -> bool {
    is_member(layouts.procedure, symbol) && length(layouts, symbol).is_some_and(|length| length <= 1)
}

/// Do the region's elements lie beyond the member of a COMMON block that it belongs to? Of a member of one element that is
/// assumed unless the region is seen to be that element.
pub fn runs_beyond(layouts: &Layouts, region: &Region) -> bool {
    if !is_member(layouts.procedure, region.symbol) {
        return false;
    }
    let Some(length) = length(layouts, region.symbol) else { return true };
    let range = match &region.extent {
        Extent::Elements(lmad) => range(lmad),
        Extent::From(first) => first.as_constant().map(|first| (first, first)).filter(|_| length > 1),
        Extent::Whole => return false,
    };
    match range {
        Some((first, last)) => first <= last && (first < 0 || last >= length),
        None => length <= 1,
    }
}

/// The number of elements of a variable with constant bounds.
fn length(layouts: &Layouts, symbol: SymbolId) -> Option<i64> {
    let (all, _) = layouts.whole(symbol);
    let mut counts = all.lmad()?.dimensions.iter().map(|dimension| dimension.count.as_constant());
    counts.try_fold(1, |product: i64, count| product.checked_mul(count?))
}

/// The smallest and the largest position, where they are constant.
fn range(lmad: &Lmad) -> Option<(i64, i64)> {
    let (mut first, mut last) = (lmad.offset.clone(), lmad.offset.clone());
    for dimension in &lmad.dimensions {
        let way = dimension.count.checked_subtract(&Polynomial::constant(1))?.checked_multiply(&dimension.stride)?;
        let is_backwards = dimension.stride.as_constant().is_some_and(|stride| stride < 0);
        let end = if is_backwards { &mut first } else { &mut last };
        *end = end.checked_add(&way)?;
    }
    Some((first.as_constant()?, last.as_constant()?))
}

#[cfg(test)]
mod tests;
