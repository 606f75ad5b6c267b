//! A loop that is split: the iterations that need no message run inside of the scope, on the part of the array that is lent to none; the
//! first and the last ones behind it, as they are written. That is done where no iteration can end the program, which is looked at with
//! numbers: else it might end before the first one has run.

use std::collections::{BTreeMap, BTreeSet};

use gravelc::ir::{Depth, Direction, Polynomial, SymbolId};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt};

use super::names::numbered;
use super::region::{Numbered, Writer};
use super::rewrite::{MethodChecks, Replacement, Rewriter};
use crate::frontend::expressions::bare;
use crate::frontend::forms::ForEach;
use crate::splits::Inside;

/// An array of which messages have parts while the loop reads another one.
pub struct Shared {
    /// From 1.
    number: usize,
    /// The array.
    array: SymbolId,
    /// The first subscript of what the loop reads and calls send, and the one behind the last.
    ends: (Ident, Ident),
}

/// The variables of loops, each with what holds its least and its greatest value.
type Counters = BTreeMap<SymbolId, (Ident, Ident)>;

/// The depth of a loop's ends, as numbers in the text.
struct Ends {
    first: Literal,
    last: Literal,
    /// One more than `last`.
    past_last: Literal,
}

impl Ends {
    fn of(depth: Depth) -> Self {
        Self {
            first: Literal::u8_unsuffixed(depth.first),
            last: Literal::u8_unsuffixed(depth.last),
            past_last: Literal::i64_unsuffixed(i64::from(depth.last) + 1),
        }
    }
}

/// The least and the greatest value of a number.
struct Range {
    least: TokenStream,
    most: TokenStream,
}

impl Writer<'_, '_> {
    /// The arrays that are shared by messages and the loop that is split.
    pub(super) fn shared(&self) -> Vec<Shared> {
        let arrays: BTreeSet<SymbolId> = self.block.split_arrays(&self.region.halves).into_keys().collect();
        let shared = |(index, array)| Shared {
            number: index + 1,
            array,
            ends: (numbered("own_first", index + 1), numbered("own_behind", index + 1)),
        };
        arrays.into_iter().enumerate().map(shared).collect()
    }

    fn of_array(&self, shared: &Shared) -> impl Iterator<Item = &Numbered<'_>> {
        self.halves.iter().filter(|it| self.block.buffer_of(it.half) == shared.array)
    }

    fn place_of(&self, array: SymbolId) -> &Expr {
        bare(&self.block.lowered.places[array.0].expression)
    }

    /// What the loop rests on: its iterations stay in arrays, and off the parts that are lent.
    pub(super) fn look_at_split(&mut self) {
        let Some(index) = self.region.split() else { return };
        let Ok(inside) = self.block.inside(index) else {
            self.conditions.push(quote!(false));
            return;
        };
        let (low, high) = Self::bounds(index);
        let (lower, last) = self.ends(index);
        let behind_last = last.checked_add(&Polynomial::constant(1)).unwrap_or_default();
        let (first_value, behind_value) = (self.number(&lower), self.number(&behind_last));
        let mut lines = vec![quote!(let #low: i128 = #first_value;), quote!(let #high: i128 = #behind_value;)];
        let (depth, ends) = (self.region.depth(), Ends::of(self.region.depth()));
        let outside = Literal::i64_unsuffixed(depth.iterations());
        let mut conditions = vec![quote!(0i128 <= #low && #low + #outside < #high && #high <= usize::MAX as i128)];
        // Of all iterations, and of those that run in front of the wait.
        let all = self.ranges(&inside, ("least", "most"), (quote!(#low), quote!(#high - 1)), &mut lines);
        let Ends { first, past_last, .. } = &ends;
        let early = (quote!(#low + #first), quote!(#high - #past_last));
        let early = self.ranges(&inside, ("early_least", "early_most"), early, &mut lines);
        let runtime = self.runtime;
        let shared = self.shared();
        for shared in &shared {
            let sent = self.of_array(shared).filter(|it| it.half.direction == Direction::Sent);
            let sent = sent.map(|it| {
                let (first, behind) = (numbered("first", it.number), numbered("behind", it.number));
                Range { least: quote!(#first), most: quote!(#behind - 1) }
            });
            let read = inside.subscripts.get(&shared.array).into_iter().flatten();
            let ranges: Vec<Range> = read.map(|it| self.range(it, &early)).chain(sent).collect();
            let joined = |of: &dyn Fn(&Range) -> TokenStream, one: TokenStream| {
                ranges.iter().map(of).reduce(|left, right| quote!(#one(#left, #right))).unwrap_or_default()
            };
            let least = joined(&|it| it.least.clone(), quote!(i128::min));
            let most = joined(&|it| it.most.clone(), quote!(i128::max));
            let (first, behind) = &shared.ends;
            lines.push(quote!(let #first: i128 = #least;));
            lines.push(quote!(let #behind: i128 = i128::saturating_add(#most, 1);));
            let place = self.place_of(shared.array);
            let sections = self.sections(shared);
            conditions.push(quote!(#runtime::plain::are_apart(#place[..].len(), &[#(#sections),*])));
        }
        conditions.extend(self.stays_inside(&inside, &all));
        self.front.extend(lines);
        self.conditions.extend(conditions);
    }

    /// The first and the last values of the loops' variables, where the loop that is split has these.
    fn ranges(
        &self,
        inside: &Inside,
        (first, last): (&str, &str),
        outermost: (TokenStream, TokenStream),
        lines: &mut Vec<TokenStream>,
    ) -> Counters {
        let mut found = Counters::new();
        for (index, counter) in inside.counters.iter().enumerate() {
            let (least, most) = (numbered(first, index + 1), numbered(last, index + 1));
            let (from, to) = match index {
                0 => outermost.clone(),
                _ => (self.range(&counter.lower, &found).least, self.range(&counter.upper, &found).most),
            };
            lines.push(quote!(let #least: i128 = #from;));
            lines.push(quote!(let #most: i128 = #to;));
            found.insert(counter.variable, (least, most));
        }
        found
    }

    /// No iteration ends the program.
    fn stays_inside(&self, inside: &Inside, counters: &Counters) -> Vec<TokenStream> {
        let runtime = self.runtime;
        let mut found = Vec::new();
        for &symbol in &inside.floats {
            let place = self.place_of(symbol);
            found.push(quote!(#runtime::plain::is_of_floats(&#place)));
        }
        for (array, subscripts) in &inside.subscripts {
            let place = self.place_of(*array);
            let within = subscripts.iter().map(|subscript| {
                let Range { least, most } = self.range(subscript, counters);
                quote!(0i128 <= #least && #most < #place[..].len() as i128)
            });
            found.extend(within);
        }
        // Subscripts are looked at with their arrays.
        let subscripts: BTreeSet<&Polynomial> = inside.subscripts.values().flatten().collect();
        for count in inside.counts.iter().filter(|count| !subscripts.contains(count)) {
            let Range { least, most } = self.range(count, counters);
            found.push(match count.terms().all(|(_, coefficient)| coefficient >= 0) {
                true => quote!(#most <= isize::MAX as i128),
                false => quote!(0i128 <= #least && #most <= isize::MAX as i128),
            });
        }
        found
    }

    /// The range of a number, by those of counters.
    fn range(&self, polynomial: &Polynomial, counters: &Counters) -> Range {
        let value = |symbol: SymbolId, is_least: bool| match counters.get(&symbol) {
            Some((least, most)) => {
                let end = if is_least { least } else { most };
                quote!(#end)
            }
            None => self.value_of(symbol),
        };
        Range {
            least: self.number_of(polynomial, &|symbol, is_added| value(symbol, is_added)),
            most: self.number_of(polynomial, &|symbol, is_added| value(symbol, !is_added)),
        }
    }

    /// The parts that messages receive, and the loop's own.
    fn sections(&self, shared: &Shared) -> Vec<TokenStream> {
        let received = self.of_array(shared).filter(|it| it.half.direction == Direction::Received);
        let (first, behind) = &shared.ends;
        let of_messages = received.map(|it| {
            let (first, behind) = (numbered("first", it.number), numbered("behind", it.number));
            quote!((#first, #behind))
        });
        of_messages.chain([quote!((#first, #behind))]).collect()
    }

    fn own(shared: &Shared) -> Ident {
        numbered("own", shared.number)
    }

    /// Lends the parts.
    pub(super) fn lend_parts(&self) -> Vec<TokenStream> {
        let runtime = self.runtime;
        let mut lines = Vec::new();
        for shared in self.shared() {
            let (place, own, sections) = (self.place_of(shared.array), Self::own(&shared), self.sections(&shared));
            let received = self.of_array(&shared).filter(|it| it.half.direction == Direction::Received);
            let memory: Vec<Ident> = received.map(|it| numbered("memory", it.number)).collect();
            lines.push(quote! {
                let [#(#memory,)* #own] = #runtime::plain::parts(&mut #place[..], [#(#sections),*]);
            });
            lines.push(quote!(let #own: &[_] = #own;));
            let beginning = &shared.ends.0;
            for it in self.of_array(&shared).filter(|it| it.half.direction == Direction::Sent) {
                let memory = numbered("memory", it.number);
                let (first, behind) = (numbered("first", it.number), numbered("behind", it.number));
                lines.push(quote! {
                    let #memory = &#own[(#first - #beginning) as usize..(#behind - #beginning) as usize];
                });
            }
        }
        lines
    }

    /// Is the memory of the half lent with the parts of an array?
    pub(super) fn is_shared(&self, it: &Numbered) -> bool {
        self.shared().iter().any(|shared| shared.array == self.block.buffer_of(it.half))
    }

    /// The iterations that need no message.
    pub(super) fn iterations_inside(
        &self,
        index: usize,
        statement: &Stmt,
        methods: &MethodChecks,
        lengths: &[Replacement],
    ) -> TokenStream {
        let Stmt::Expr(Expr::ForLoop(repeated), _) = statement else { unreachable!("loops over ranges are split") };
        let (low, high) = Self::bounds(index);
        let Ends { first, last, .. } = Ends::of(self.region.depth());
        let mut replacements = Vec::new();
        let mut origins = Vec::new();
        for shared in self.shared() {
            let (own, origin, begin) = (Self::own(&shared), numbered("own_origin", shared.number), &shared.ends.0);
            let place = self.place_of(shared.array).to_token_stream().to_string();
            let length = lengths.iter().find(|it| it.place == place).map(|it| it.length.clone()).unwrap_or_default();
            origins.push(quote!(let (#own, #origin): (&[_], usize) = (#own, #begin as usize);));
            replacements.push(Replacement { place, elements: Some((quote!(#own), quote!(#origin))), length });
        }
        let (others, slices) = self.slices(index, &replacements);
        replacements.extend(others);
        for known in lengths {
            if !replacements.iter().any(|it| it.place == known.place) {
                let length = known.length.clone();
                replacements.push(Replacement { place: known.place.clone(), elements: None, length });
            }
        }
        let mut body = repeated.body.clone();
        ForEach.visit_block_mut(&mut body);
        methods.clone().visit_block_mut(&mut body);
        Rewriter(&replacements).visit_block_mut(&mut body);
        let pattern = &repeated.pat;
        quote! {
            #(#origins)*
            #(#slices)*
            for #pattern in #low as usize + #first..#high as usize - #last #body
        }
    }

    /// The other arrays as variables of their own. Behind the closure's references a compiler would look for where they lie, and how long
    /// they are, in each iteration.
    fn slices(&self, index: usize, known: &[Replacement]) -> (Vec<Replacement>, Vec<TokenStream>) {
        let mut arrays: BTreeMap<SymbolId, bool> = BTreeMap::new();
        for access in self.block.accesses(index).into_iter().filter(|access| access.subscript.is_some()) {
            *arrays.entry(access.symbol).or_default() |= access.is_write;
        }
        let mut replacements = Vec::new();
        let mut lines = Vec::new();
        for (number, (symbol, is_written)) in arrays.into_iter().enumerate() {
            let place = self.place_of(symbol);
            let text = place.to_token_stream().to_string();
            if known.iter().any(|it| it.place == text) {
                continue;
            }
            let slice = numbered("array", number + 1);
            lines.push(match is_written {
                true => quote!(let #slice = &mut #place[..];),
                false => quote!(let #slice = &#place[..];),
            });
            let length = quote!(#slice.len());
            replacements.push(Replacement {
                place: text,
                elements: Some((quote!(#slice), TokenStream::new())),
                length,
            });
        }
        (replacements, lines)
    }

    /// The first and the last iterations.
    pub(super) fn iterations_behind(&self, inside: &[Stmt]) -> Option<TokenStream> {
        let index = self.region.split()?;
        let Stmt::Expr(Expr::ForLoop(repeated), _) = inside.get(index - self.region.first)? else { return None };
        let (low, high) = Self::bounds(index);
        let (pattern, body) = (&repeated.pat, &repeated.body);
        let Ends { first, last, .. } = Ends::of(self.region.depth());
        Some(match self.region.depth() {
            Depth::ONE => quote!(for #pattern in [#low as usize, #high as usize - 1] #body),
            _ => quote! {
                for #pattern in ::core::iter::Iterator::chain(
                    #low as usize..#low as usize + #first,
                    #high as usize - #last..#high as usize,
                ) #body
            },
        })
    }
}
