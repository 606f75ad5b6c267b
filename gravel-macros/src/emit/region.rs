//! A region: statements of a block in one call of `Gravel::scope`.
//!
//! ```text
//! if <what the tiles rest on holds> {
//!     <memory is lent, ranks and tags are evaluated>
//!     comm.scope(|gravel_scope| { <posts, the statements, waits> })?;
//! } else {
//!     <the statements as they were>
//! }
//! ```
//!
//! What can't be known before the program runs is looked at there: that sections lie in their arrays, and that what a loop touches lies in
//! its message. Else the program's own statements run, and panic where they did.

use std::collections::{BTreeMap, BTreeSet};

use gravelc::ir::{Direction, StatementId, SymbolId};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Pat, Stmt, parse_quote};

use super::names::{named, numbered};
use super::rewrite::{MethodChecks, Replacement, Rewriter};
use super::sequences;
use super::tiles::{self, Tiled};
use crate::arguments::Arguments;
use crate::frontend::calls::Partner;
use crate::frontend::expressions::bare;
use crate::frontend::forms::ForEach;
use crate::frontend::tree::NodeKind;
use crate::moves::Half;
use crate::regions::{Block, Region};

/// A half with its number in the region.
pub struct Numbered<'r> {
    /// From 1.
    pub number: usize,
    /// The half.
    pub half: &'r Half,
}

/// What is written of a region.
pub struct Writer<'a, 'r> {
    /// The block.
    pub block: &'r Block<'a>,
    /// The region.
    pub region: &'r Region,
    /// The halves that do not stay in place.
    pub halves: Vec<Numbered<'r>>,
    /// The path of the runtime's crate.
    pub runtime: &'r TokenStream,
    /// Evaluated in front.
    pub(super) front: Vec<TokenStream>,
    /// What has to hold.
    pub(super) conditions: Vec<TokenStream>,
}

/// Lints about what is emitted, which is no matter of who wrote the function.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            unused_mut, unused_variables, unused_assignments, unused_parens,
            clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::cast_lossless,
            clippy::unnecessary_cast, clippy::let_unit_value, clippy::needless_range_loop, clippy::manual_memcpy,
            clippy::redundant_slicing, clippy::identity_op, clippy::borrow_deref_ref, clippy::needless_borrow,
            clippy::items_after_statements, clippy::explicit_counter_loop, clippy::no_effect_underscore_binding,
            clippy::question_mark, clippy::too_many_lines, clippy::cognitive_complexity, clippy::shadow_unrelated,
            clippy::diverging_sub_expression, clippy::double_parens, clippy::int_plus_one,
            reason = "gravel has written these statements"
        )]
    }
}

/// The names in a statement.
pub type Words = BTreeSet<String>;

/// The statements of a region as one statement. `words` are those of all statements of the block, as they were written.
pub fn emit(block: &Block, region: &Region, inside: &[Stmt], words: &[Words], arguments: &Arguments) -> Stmt {
    let moved = region.halves.iter().filter(|half| !region.stays(half.call));
    let halves = moved.enumerate().map(|(index, half)| Numbered { number: index + 1, half }).collect();
    let runtime = &arguments.runtime;
    let mut writer = Writer { block, region, halves, runtime, front: Vec::new(), conditions: Vec::new() };
    writer.look_in_front(inside);
    let checks = writer.checks(runtime, inside);
    let (lent, replacements) = writer.lend();
    let methods = MethodChecks { runtime, known: &block.lowered.methods };
    let body = writer.body(inside, &methods, &replacements);
    let (communicator, ending) = writer.call();
    // The first and the last iterations of a loop that is split stand behind the scope.
    let last = writer.iterations_behind(inside);
    let first_behind = if last.is_some() { region.last } else { region.last + 1 };
    let exported = exports(inside, words.get(first_behind..).unwrap_or_default());
    let (names, patterns): (Vec<&Ident>, Vec<TokenStream>) =
        exported.iter().map(|(name, it)| (name, it.clone())).unzip();
    let scope = named("scope");
    let span = writer.span();
    let body = quote! {
        |#scope| {
            #(#body)*
            ::core::result::Result::Ok((#(#names,)*))
        }
    };
    let call = quote_spanned!(span=> #communicator.scope(#body));
    let in_scope = quote! {
        #(#lent)*
        #call #ending
    };
    let Writer { front, conditions, .. } = writer;
    // The last statement of a block may have no semicolon.
    let inside = inside.iter().map(|statement| match statement {
        Stmt::Expr(expression, None) => quote!(#expression;),
        other => quote!(#other),
    });
    let (in_scope, last) = match (&last, exported.is_empty()) {
        (None, _) => (in_scope, TokenStream::new()),
        (Some(last), true) => (quote!(#in_scope;), last.clone()),
        (Some(last), false) => {
            let lent = &lent;
            let in_scope = quote! {
                #(#lent)*
                let (#(#patterns,)*) = #call #ending;
            };
            (in_scope, quote!(#last (#(#names,)*)))
        }
    };
    let values = if exported.is_empty() { TokenStream::new() } else { quote!((#(#names,)*)) };
    let in_scope = match (last.is_empty(), exported.is_empty()) {
        (true, true) => quote!(#in_scope;),
        (true, false) => in_scope,
        (false, _) => quote!(#in_scope #last),
    };
    let value = match conditions.is_empty() {
        true => in_scope,
        false => quote! {
            if #(#conditions)&&* {
                #in_scope
            } else {
                #(#inside)*
                #values
            }
        },
    };
    let allowed = allowed();
    match exported.is_empty() {
        true => parse_quote! {
            #allowed
            {
                #(#checks)*
                #(#front)*
                #value
            }
        },
        false => parse_quote! {
            #allowed
            let (#(#patterns,)*) = {
                #(#checks)*
                #(#front)*
                #value
            };
        },
    }
}

impl Writer<'_, '_> {
    pub(super) fn place(&self, half: &Half) -> &syn::Expr {
        bare(&self.block.end_of(half).buffer.place)
    }

    /// All variables of the region have to be plain.
    fn checks(&self, runtime: &TokenStream, inside: &[Stmt]) -> Vec<TokenStream> {
        let region = self.region.first..=self.region.last;
        let mut symbols: BTreeSet<SymbolId> = BTreeSet::new();
        let mut all: BTreeSet<StatementId> = BTreeSet::new();
        for index in region {
            symbols.extend(self.block.accesses(index).into_iter().map(|access| access.symbol));
            let ids = self.block.nodes[index].block.iter().flat_map(|&id| self.block.procedure().with_descendants(id));
            all.extend(ids);
        }
        let lowered = self.block.lowered;
        // Of what only the length is named, that is a method's value.
        let lengths: BTreeSet<Vec<String>> = symbols
            .iter()
            .map(|symbol| &lowered.places[symbol.0].key)
            .filter(|key| key.is_length())
            .map(|key| key.0[..key.0.len() - 1].to_vec())
            .collect();
        let is_measured = |symbol: &SymbolId| lengths.contains(&lowered.places[symbol.0].key.0);
        symbols.extend((0..lowered.places.len()).map(SymbolId).filter(is_measured));
        let declared: BTreeSet<SymbolId> =
            all.iter().flat_map(|id| lowered.declared.get(id)).flatten().copied().collect();
        // Each text once: a name that is declared again means something else only inside.
        let mut texts: BTreeMap<String, &syn::Expr> = BTreeMap::new();
        for symbol in symbols.into_iter().filter(|symbol| !declared.contains(symbol)) {
            let place = &lowered.places[symbol.0];
            if !place.is_variable() {
                continue;
            }
            texts.insert(place.expression.to_token_stream().to_string(), &place.expression);
        }
        let (communicator, _) = self.call();
        // What is wrong with one is said where it stands.
        let span = communicator.span();
        let of_communicator = quote_spanned!(span=> #runtime::plain::check_communicator(&#communicator););
        let of_variables = texts.values().map(|place| {
            let span = place.span();
            quote_spanned!(span=> #runtime::plain::check(&#place);)
        });
        let of_methods = sequences::checks(inside, &texts, runtime);
        [of_communicator].into_iter().chain(of_variables).chain(of_methods).chain(self.checks_of_names()).collect()
    }

    /// What is lent is no constant, of which each use is a copy of its own. A name from outside of the block that is read shows that here: no
    /// constant can be hidden by a variable.
    fn checks_of_names(&self) -> Vec<TokenStream> {
        let buffers: BTreeSet<SymbolId> = self.region.halves.iter().map(|half| self.block.buffer_of(half)).collect();
        let places = buffers.into_iter().map(|symbol| &self.block.lowered.places[symbol.0]);
        let names: BTreeMap<String, Ident> = places
            .filter(|place| place.key.is_outside())
            .filter_map(|place| first_name(&place.expression))
            .map(|name| (name.to_string(), name))
            .collect();
        names.into_values().map(|name| quote!({ let #name = (); })).collect()
    }

    /// Where the first call stands.
    fn span(&self) -> proc_macro2::Span {
        match &self.block.nodes[self.region.halves[0].call].kind {
            NodeKind::Call(taken) => taken.call.method.span(),
            _ => unreachable!("halves are of calls"),
        }
    }

    /// The communicator, and how errors leave.
    pub(super) fn call(&self) -> (TokenStream, TokenStream) {
        let NodeKind::Call(taken) = &self.block.nodes[self.region.halves[0].call].kind else {
            unreachable!("halves are of calls")
        };
        let receiver = bare(&taken.call.receiver);
        (quote!(#receiver), taken.ending.tokens.clone())
    }

    /// Lends memory to messages, and says what stands for it.
    fn lend(&self) -> (Vec<TokenStream>, Vec<(usize, Replacement)>) {
        // What is evaluated may name lengths of what is lent.
        let mut evaluated = Vec::new();
        let mut lines = Vec::new();
        let mut replacements = Vec::new();
        lines.extend(self.lend_parts());
        for it in &self.halves {
            let Numbered { number, half } = it;
            let end = self.block.end_of(half);
            let place = self.place(half);
            let (first, behind, length) =
                (numbered("first", *number), numbered("behind", *number), numbered("length", *number));
            let range = match end.buffer.lower.is_none() && end.buffer.upper.is_none() {
                true => quote!(..),
                false => quote!(#first as usize..#behind as usize),
            };
            let memory = numbered("memory", *number);
            let is_shared = self.is_shared(it);
            let is_written = Block::is_lent_to_write(half);
            let reference = if is_written { quote!(&mut) } else { quote!(&) };
            if !is_shared {
                lines.push(quote!(let #memory = #reference #place[#range];));
            }
            let (rank, tag) = (numbered("rank", *number), numbered("tag", *number));
            if let Partner::Process { peer, tag: number_of_tag } = &end.partner {
                evaluated.push(quote!(let #rank = #peer;));
                evaluated.push(quote!(let #tag = #number_of_tag;));
            }
            if is_written {
                let replacement =
                    Replacement { place: place.to_token_stream().to_string(), elements: None, length: quote!(#length) };
                replacements.push((*number, replacement));
            }
        }
        evaluated.extend(lines);
        (evaluated, replacements)
    }

    /// The statements, with posts and waits around them.
    fn body(&self, inside: &[Stmt], methods: &MethodChecks, replacements: &[(usize, Replacement)]) -> Vec<TokenStream> {
        let mut lines = Vec::new();
        let lengths: Vec<Replacement> = replacements
            .iter()
            .map(|(_, it)| Replacement { place: it.place.clone(), elements: None, length: it.length.clone() })
            .collect();
        for (statement, index) in inside.iter().zip(self.region.first..) {
            for &direction in &[Direction::Received, Direction::Sent] {
                let begun = self.halves.iter().filter(|it| it.half.begin == index && it.half.direction == direction);
                lines.extend(begun.map(|it| self.post(it)));
            }
            let cuts: Vec<Tiled> = self
                .halves
                .iter()
                .filter(|it| it.half.cut.as_ref().is_some_and(|cut| cut.index == index))
                .map(|it| Tiled {
                    number: it.number,
                    is_in_step: it.half.cut.as_ref().is_some_and(|cut| cut.is_in_step()),
                    has_head: it.half.cut.as_ref().is_some_and(|cut| cut.has_head()),
                    is_aligned: self.is_aligned(it.half),
                    place: self.place(it.half).to_token_stream().to_string(),
                    fills: it.half.direction == Direction::Sent,
                    is_exchange: self.block.end_of(it.half).is_exchange(),
                    is_from_beginning: self.block.end_of(it.half).buffer.lower.is_none(),
                })
                .collect();
            match &self.block.nodes[index].kind {
                NodeKind::Call(taken) if self.region.stays(index) => {
                    let mut call = taken.call.clone();
                    Rewriter(&lengths).visit_expr_method_call_mut(&mut call);
                    lines.push(match &taken.status {
                        Some(status) => quote!(let #status = #call?;),
                        None => quote!(#call?;),
                    });
                }
                NodeKind::Call(_) => {}
                _ if self.region.split() == Some(index) => {
                    lines.push(self.iterations_inside(index, statement, methods, &lengths));
                }
                _ if !cuts.is_empty() => {
                    lines.push(tiles::emit(self, index, statement, &cuts, methods, &lengths));
                }
                _ => {
                    let mut block: syn::Block = parse_quote!({ #statement });
                    ForEach.visit_block_mut(&mut block);
                    methods.clone().visit_block_mut(&mut block);
                    Rewriter(&lengths).visit_block_mut(&mut block);
                    let statements = &block.stmts;
                    lines.push(quote!(#(#statements)*));
                }
            }
            for it in self.halves.iter().filter(|it| it.half.call == index) {
                if it.half.direction == Direction::Sent && it.half.cut.is_some() {
                    let (transfer, send) = (numbered("transfer", it.number), numbered("send", it.number));
                    lines.push(quote!(let #send = #transfer.finish()?;));
                }
            }
            for &direction in &[Direction::Received, Direction::Sent] {
                let ended = self.halves.iter().filter(|it| it.half.end == index && it.half.direction == direction);
                lines.extend(ended.map(|it| {
                    let request = match direction {
                        Direction::Received => numbered("receive", it.number),
                        Direction::Sent => numbered("send", it.number),
                    };
                    match (direction, self.status_of(it.half)) {
                        (Direction::Received, Some(status)) => {
                            quote!(let #status = #request.wait()?.outcome.message();)
                        }
                        _ => quote!(let _ = #request.wait()?;),
                    }
                }));
            }
        }
        lines
    }

    fn status_of(&self, half: &Half) -> Option<&Pat> {
        match &self.block.nodes[half.call].kind {
            NodeKind::Call(taken) => taken.status.as_ref(),
            _ => None,
        }
    }

    fn post(&self, Numbered { number, half }: &Numbered) -> TokenStream {
        let scope = named("scope");
        let (memory, rank, tag) = (numbered("memory", *number), numbered("rank", *number), numbered("tag", *number));
        let (is_received, is_cut) = (half.direction == Direction::Received, half.cut.is_some());
        let name = match (is_received, is_cut) {
            (true, _) => "receive",
            (false, true) => "transfer",
            (false, false) => "send",
        };
        let variable = numbered(name, *number);
        let mutability = (is_cut && (!is_received || self.block.end_of(half).is_exchange())).then(|| quote!(mut));
        let call = match (&self.block.end_of(half).partner, is_received, is_cut) {
            (Partner::Process { .. }, true, false) => quote!(post_receive(#memory, #rank, #tag)),
            (Partner::Process { .. }, true, true) => quote!(post_segmented_receive(#memory, #rank, #tag)),
            (Partner::Process { .. }, false, false) => quote!(post_send(#memory, #rank, #tag)),
            (Partner::Process { .. }, false, true) => quote!(open_transfer(#memory, #rank, #tag)),
            (Partner::Everyone { counts: None }, true, _) => quote!(post_alltoall(#memory)),
            (Partner::Everyone { counts: None }, false, false) => quote!(send_alltoall(#memory)),
            (Partner::Everyone { counts: None }, false, true) => quote!(open_alltoall(#memory)),
            (Partner::Everyone { counts: Some(counts) }, true, _) => quote!(post_alltoallv(#memory, &#counts[..])),
            (Partner::Everyone { counts: Some(counts) }, false, false) => quote!(send_alltoallv(#memory, &#counts[..])),
            (Partner::Everyone { counts: Some(counts) }, false, true) => quote!(open_alltoallv(#memory, &#counts[..])),
        };
        quote!(let #mutability #variable = #scope.#call?;)
    }
}

/// The names in a statement.
pub fn words_of(statement: &Stmt) -> Words {
    let mut words = Words::new();
    add_words(&statement.to_token_stream(), &mut words);
    words
}

/// The variables that the statements declare and that are named behind them: each with the pattern that takes it.
fn exports(inside: &[Stmt], behind: &[Words]) -> Vec<(Ident, TokenStream)> {
    let mut found: Vec<(Ident, TokenStream)> = Vec::new();
    for statement in inside {
        let Stmt::Local(local) = statement else { continue };
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        let Pat::Ident(pattern) = pattern else { continue };
        let name = pattern.ident.to_string();
        if !behind.iter().any(|words| words.contains(&name)) {
            continue;
        }
        found.retain(|(name, _)| *name != pattern.ident);
        let (mutability, ident) = (&pattern.mutability, &pattern.ident);
        found.push((pattern.ident.clone(), quote!(#mutability #ident)));
    }
    found
}

/// The variable that a place is, or is a field of.
fn first_name(place: &syn::Expr) -> Option<Ident> {
    match bare(place) {
        syn::Expr::Field(field) => first_name(&field.base),
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

fn add_words(tokens: &TokenStream, words: &mut Words) {
    for tree in tokens.clone() {
        match tree {
            proc_macro2::TokenTree::Ident(ident) => {
                words.insert(ident.to_string());
            }
            proc_macro2::TokenTree::Group(group) => add_words(&group.stream(), words),
            // `println!("{sum}")` names a variable inside of a literal.
            proc_macro2::TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let parts = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
                words.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
            }
            proc_macro2::TokenTree::Punct(_) => {}
        }
    }
}
