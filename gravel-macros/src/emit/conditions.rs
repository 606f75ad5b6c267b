//! What is known only when the program runs: numbers in front of a region, and what has to hold of them.

use std::collections::BTreeSet;

use gravelc::analysis::algebra::symbolic::polynomial_of;
use gravelc::ir::{Expression, Polynomial, StatementKind, SymbolId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Stmt;

use super::names::numbered;
use super::region::{Numbered, Writer};
use crate::frontend::calls::Partner;
use crate::frontend::forms::copied_arrays;
use crate::frontend::iterators::saturated;
use crate::frontend::tree::NodeKind;
use crate::moves::{CutLoop, Half, Shape};

impl Writer<'_, '_> {
    /// A polynomial over variables of the program. Numbers beyond all lengths stay beyond all lengths.
    pub fn number(&self, polynomial: &Polynomial) -> TokenStream {
        self.number_of(polynomial, &|symbol, _| self.value_of(symbol))
    }

    /// The value of a variable.
    pub(super) fn value_of(&self, symbol: SymbolId) -> TokenStream {
        let value = &self.block.lowered.places[symbol.0].expression;
        quote!(#value as i128)
    }

    /// A polynomial over numbers that `value` gives for each variable, in a term that is added, or in one that is subtracted.
    pub(super) fn number_of(
        &self,
        polynomial: &Polynomial,
        value: &dyn Fn(SymbolId, bool) -> TokenStream,
    ) -> TokenStream {
        let mut sum: Option<TokenStream> = None;
        // The constant comes last, as people write it.
        let (constant, others): (Vec<_>, Vec<_>) = polynomial.terms().partition(|(monomial, _)| monomial.is_empty());
        for (monomial, coefficient) in others.into_iter().chain(constant) {
            let variable = |symbol| value(symbol, coefficient >= 0);
            let coefficient = i128::from(coefficient);
            let factors = monomial.iter().flat_map(|(symbol, &power)| (0..power).map(move |_| *symbol)).map(variable);
            let mut factors: Vec<TokenStream> = factors.collect();
            if coefficient != 1 || factors.is_empty() {
                factors.push(quote!(#coefficient));
            }
            let product = factors.into_iter().reduce(|one, other| quote!(i128::saturating_mul(#one, #other)));
            let product = product.unwrap_or_else(|| quote!(1i128));
            sum = Some(match sum {
                None => product,
                Some(sum) => quote!(i128::saturating_add(#sum, #product)),
            });
        }
        sum.unwrap_or_else(|| quote!(0i128))
    }

    /// The first and the last value of a loop that is cut, computed without overflow: where the program's own arithmetic overflows, the
    /// numbers are no lengths, and its own statements run.
    pub(super) fn ends(&self, index: usize) -> (Polynomial, Polynomial) {
        let StatementKind::Loop(counted) = &self.block.procedure().statement(self.block.nodes[index].id).kind else {
            unreachable!("only loops are cut")
        };
        let value =
            |bound| polynomial_of(self.block.procedure(), bound).expect("bounds of loops that are cut are polynomials");
        (value(&counted.lower), value(&counted.upper))
    }

    /// Is the element of an iteration the one with the number of the iteration, or are so many elements needed as iterations are over? Then
    /// compilers see that subscripts are inside of what is lent.
    pub(super) fn is_aligned(&self, half: &Half) -> bool {
        let Some(cut) = half.cut.as_ref().filter(|cut| cut.is_in_step()) else { return false };
        match &cut.shape {
            Shape::Fills { start, .. } => {
                let bound = self.block.message_of(half).buffer.children().first().copied();
                let first = match bound {
                    Some(bound) => polynomial_of(self.block.procedure(), bound),
                    None => Some(Polynomial::default()),
                };
                let (lower, _) = self.ends(cut.index);
                first.and_then(|first| first.checked_add(start)).is_some_and(|first| first == lower)
            }
            Shape::Reads { variable, needed } => {
                let rest = needed.linear_in(*variable).map(|(_, rest)| rest);
                rest.and_then(|rest| rest.as_constant()) == Some(1)
            }
        }
    }

    /// A bound of a section: without overflow, where it is arithmetic on lengths.
    pub(super) fn bound(&self, bound: &Expression, written: &syn::Expr) -> TokenStream {
        match polynomial_of(self.block.procedure(), bound) {
            Some(polynomial) => self.number(&polynomial),
            None => quote!((#written) as i128),
        }
    }

    /// The first value of a cut loop, and the one behind its last.
    pub fn bounds(index: usize) -> (Ident, Ident) {
        (numbered("low", index), numbered("high", index))
    }

    pub(super) fn look_in_front(&mut self, inside: &[Stmt]) {
        let mut loops = BTreeSet::new();
        let mut lines = Vec::new();
        let mut conditions = Vec::new();
        for Numbered { number, half } in &self.halves {
            let (number, place) = (*number, self.place(half));
            let buffer = &self.block.end_of(half).buffer;
            let (first, behind, length) =
                (numbered("first", number), numbered("behind", number), numbered("length", number));
            lines.push(quote!(let #length: usize = #place[..].len();));
            let message = self.block.message_of(half);
            let first_element = message.buffer.children().first().copied();
            let lower = match (&buffer.lower, first_element) {
                (Some(written), Some(bound)) => self.bound(bound, written),
                _ => quote!(0i128),
            };
            let upper = match &buffer.upper {
                Some(written) => {
                    let one = if buffer.is_inclusive { quote!(1) } else { quote!(0) };
                    let upper = match polynomial_of(self.block.procedure(), &message.count) {
                        Some(count) => {
                            let count = self.number(&count);
                            quote!(i128::saturating_add(#first, #count))
                        }
                        None => quote!(i128::saturating_add((#written) as i128, #one)),
                    };
                    quote!(#upper)
                }
                None => quote!(#length as i128),
            };
            lines.push(quote!(let #first: i128 = #lower;));
            lines.push(quote!(let #behind: i128 = #upper;));
            if buffer.lower.is_some() || buffer.upper.is_some() {
                conditions.push(quote!(0i128 <= #first && #first <= #behind && #behind <= #length as i128));
            }
            let Some(cut) = &half.cut else {
                conditions.extend(self.has_blocks(number, half));
                continue;
            };
            let (low, high) = Self::bounds(cut.index);
            if loops.insert(cut.index) {
                let (lower, last) = self.ends(cut.index);
                let behind_last = last.checked_add(&Polynomial::constant(1)).unwrap_or_default();
                let (first_value, behind_value) = (self.number(&lower), self.number(&behind_last));
                lines.push(quote!(let #low: i128 = #first_value;));
                lines.push(quote!(let #high: i128 = #behind_value;));
                // The numbers of the iterations are numbers of elements.
                if lower.as_constant().is_none_or(|lower| lower < 0) {
                    conditions.push(quote!(0i128 <= #low));
                }
                conditions.push(quote!(#low < #high && #high <= usize::MAX as i128));
                // A copy of arrays that are not of one length panics before it copies.
                if let Stmt::Expr(expression, _) = &inside[cut.index - self.region.first]
                    && let Some((one, other)) = copied_arrays(expression)
                {
                    conditions.push(quote!(#one.len() == #other.len()));
                }
                conditions.extend(self.rows_are_whole(cut.index));
            }
            let (one, other) = match &cut.shape {
                Shape::Fills { start, length } => (start.clone(), length.clone()),
                Shape::Reads { variable, needed } => {
                    let (slope, rest) = needed.linear_in(*variable).expect("what is needed is linear");
                    (rest, slope)
                }
            };
            let (start, step) = (numbered("start", number), numbered("per_iteration", number));
            let (start_value, step_value) = (self.number(&one), self.number(&other));
            lines.push(quote!(let #start: i128 = #start_value;));
            lines.push(quote!(let #step: i128 = #step_value;));
            if other.as_constant() != Some(1) {
                conditions.push(quote!(1i128 <= #step));
            }
            match &cut.shape {
                Shape::Fills { .. } => {
                    if !one.is_zero() {
                        conditions.push(quote!(0i128 <= #start));
                    }
                    conditions.push(quote! {
                        i128::saturating_add(#start, i128::saturating_mul(#high - #low, #step)) <= #behind - #first
                    });
                }
                Shape::Reads { .. } => {
                    conditions.push(quote!(0i128 <= i128::saturating_add(#start, i128::saturating_mul(#low, #step))));
                    conditions.push(quote! {
                        i128::saturating_add(#start, i128::saturating_mul(#high - 1, #step)) <= #behind - #first
                    });
                }
            }
            conditions.extend(self.beginning(half, &first, (&low, &high)));
            conditions.extend(self.has_blocks(number, half));
        }
        self.front.extend(lines);
        self.conditions.extend(conditions);
        self.look_at_split();
    }

    /// The memory of an exchange has the blocks that the call asks for, and iterations that fill it end where blocks do. Where it has not,
    /// the call fails where it stands.
    fn has_blocks(&self, number: usize, half: &Half) -> Option<TokenStream> {
        let Partner::Everyone { counts } = &self.block.end_of(half).partner else { return None };
        let (runtime, communicator) = (self.runtime, self.call().0);
        let (first, behind) = (numbered("first", number), numbered("behind", number));
        let (part, beginning, filled) = match &half.cut {
            Some(CutLoop { index, shape: Shape::Fills { .. } }) => {
                let (low, high) = Self::bounds(*index);
                let (start, step) = (numbered("start", number), numbered("per_iteration", number));
                let filled = quote!(i128::saturating_add(#start, i128::saturating_mul(#high - #low, #step)));
                (quote!(#step), quote!(#start), filled)
            }
            _ => (quote!(1), quote!(0), quote!(0)),
        };
        Some(match counts {
            None => {
                quote!(#runtime::plain::has_equal_blocks(&#communicator, #behind - #first, #part, #beginning))
            }
            Some(counts) => {
                let room = quote!(#behind - #first);
                quote!(#runtime::plain::has_blocks(&#communicator, &#counts[..], #room, (#filled, #part, #beginning)))
            }
        })
    }

    /// The last row of `chunks` is as long as the others.
    fn rows_are_whole(&self, index: usize) -> Vec<TokenStream> {
        let NodeKind::Counted { over: Some(over), .. } = &self.block.nodes[index].kind else { return Vec::new() };
        let with_rest = over.leaves().into_iter().filter(|leaf| leaf.has_rest);
        let sizes = with_rest.filter_map(|leaf| Some((leaf.place, saturated(leaf.size?))));
        let none = quote!(::core::option::Option::Some(0));
        sizes.map(|(place, size)| quote!(usize::checked_rem(#place.len(), #size) == #none)).collect()
    }

    /// What a loop reads lies behind the beginning of its message.
    pub(super) fn beginning(&self, half: &Half, first: &Ident, (low, high): (&Ident, &Ident)) -> Vec<TokenStream> {
        let Some(cut) = half.cut.as_ref().filter(|_| self.block.end_of(half).buffer.lower.is_some()) else {
            return Vec::new();
        };
        let Shape::Reads { variable, .. } = &cut.shape else { return Vec::new() };
        let buffer = self.block.buffer_of(half);
        let accesses = self.block.accesses(cut.index);
        let read: BTreeSet<Polynomial> = accesses
            .iter()
            .filter(|access| access.symbol == buffer)
            .filter_map(|access| polynomial_of(self.block.procedure(), access.subscript?))
            .collect();
        let condition = |subscript: &Polynomial| {
            let (slope, rest) = subscript.linear_in(*variable)?;
            let (slope, rest) = (self.number(&slope), self.number(&rest));
            let at = |value: TokenStream| quote!(i128::saturating_add(#rest, i128::saturating_mul(#slope, #value)));
            let (one, other) = (at(quote!(#low)), at(quote!(#high - 1)));
            Some(quote!(#first <= #one && #first <= #other))
        };
        read.iter().map(|subscript| condition(subscript).unwrap_or_else(|| quote!(false))).collect()
    }
}
