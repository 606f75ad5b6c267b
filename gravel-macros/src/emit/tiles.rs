//! A loop over tiles: each waits for the parts of messages that it reads, and puts those that it fills.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt};

use super::names::{named, numbered};
use super::region::Writer;
use super::rewrite::{MethodChecks, Replacement, Rewriter};
use crate::frontend::forms::{ForEach, as_loop};
use crate::frontend::iterators::Iterated;

/// A message that the loop fills or reads.
pub struct Tiled {
    /// Its number in the region.
    pub number: usize,
    /// Its array.
    pub place: String,
    /// The loop fills it.
    pub fills: bool,
    /// It is one side of an exchange, and has a block for every rank.
    pub is_exchange: bool,
    /// It begins with the array's first element.
    pub is_from_beginning: bool,
    /// An iteration goes with one element.
    pub is_in_step: bool,
    /// Elements before those of the first iteration have their values already.
    pub has_head: bool,
    /// The number of an iteration is that of its element.
    pub is_aligned: bool,
}

/// Tiles are multiples of so many elements: loops over them vectorise as one over all would.
const VECTOR_MULTIPLE: usize = 64;

/// The loop at an index of the block, cut for these messages.
pub fn emit(
    writer: &Writer,
    index: usize,
    statement: &Stmt,
    cuts: &[Tiled],
    methods: &MethodChecks,
    lengths: &[Replacement],
) -> TokenStream {
    let Stmt::Expr(expression, _) = statement else { unreachable!("only loops are cut") };
    let other_words = as_loop(expression);
    let repeated = match (expression, &other_words) {
        (Expr::ForLoop(repeated), _) | (_, Some(repeated)) => repeated,
        _ => unreachable!("only loops are cut"),
    };
    let (low, high) = Writer::bounds(index);
    let (next, end, stop, step) = (named("next"), named("end"), named("stop"), named("step"));
    let mut before = Vec::new();
    let mut of_block = Vec::new();
    let mut in_front = Vec::new();
    let mut arrived = Vec::new();
    let mut behind = Vec::new();
    let mut replacements = Vec::new();
    let asked = writer.block.nodes[index].directive.tile;
    let block = cuts.iter().find(|cut| cut.fills && cut.is_exchange);
    for Tiled { number, place, fills, is_exchange, is_from_beginning, is_in_step, has_head, is_aligned } in cuts {
        let per_iteration = numbered("per_iteration", *number);
        let (start, first, length) =
            (numbered("start", *number), numbered("first", *number), numbered("length", *number));
        let source = match (fills, is_exchange) {
            (true, true) => numbered("block", *number),
            (true, false) => numbered("transfer", *number),
            (false, _) => numbered("receive", *number),
        };
        let lines = if *fills && *is_exchange { &mut of_block } else { &mut before };
        lines.push(match (asked, is_in_step) {
            (Some(_), _) => TokenStream::new(),
            // It is read block by block.
            _ if *is_exchange && !fills => TokenStream::new(),
            (None, true) => quote!(let #step = #step.min(#source.tile_length(#VECTOR_MULTIPLE)?);),
            (None, false) => quote! {
                let #step = #step.min((#source.tile_length(#per_iteration as usize)? / #per_iteration as usize).max(1));
            },
        });
        let elements = match is_in_step {
            true => quote!(#stop - #next),
            false => quote!((#stop - #next) * #per_iteration as usize),
        };
        let replacement =
            |elements| Replacement { place: place.clone(), elements: Some(elements), length: quote!(#length) };
        if *fills {
            let (tile, origin) = (numbered("tile", *number), numbered("origin", *number));
            let inside = numbered("elements", *number);
            let head = quote! {
                if #start > 0 {
                    if let ::core::option::Option::Some(#tile) = #source.next_tile(#start as usize) {
                        #tile.put()?;
                    }
                }
            };
            if !is_exchange {
                before.extend(has_head.then_some(head));
            }
            let base = numbered("base", *number);
            let of_block = is_exchange.then(|| quote!(+ #base));
            in_front.push(quote! {
                let ::core::option::Option::Some(mut #tile) = #source.next_tile(#elements) else { break };
            });
            in_front.push(match (is_aligned, is_from_beginning) {
                (true, _) => quote!(let #origin: usize = #next;),
                (false, true) => quote!(let #origin: usize = #tile.offset() #of_block;),
                (false, false) => quote!(let #origin: usize = #tile.offset() #of_block + #first as usize;),
            });
            in_front.push(quote!(let #inside = &mut #tile[..#elements];));
            behind.push(quote!(#tile.put()?;));
            replacements.push(replacement((quote!(#inside), quote!(#origin))));
        } else {
            let (part, origin) = (numbered("part", *number), numbered("origin", *number));
            let needed = numbered("needed", *number);
            in_front.push(match is_aligned {
                true => quote!(let #needed: usize = #stop;),
                false => quote!(let #needed: usize = (#start + (#stop as i128 - 1) * #per_iteration) as usize;),
            });
            in_front.push(match is_exchange {
                true => quote!(let #part = &#source.wait_for(#needed)?[..#needed];),
                false => quote!(let #part = &#source.wait_range(0..#needed)?[..#needed];),
            });
            // A tile ends with the last iteration that the blocks are enough for which the first one needs.
            if *is_exchange {
                let there = numbered("there", *number);
                arrived.push(quote! {
                    let #there = #source.wait_for((#start + #next as i128 * #per_iteration) as usize)?.len() as i128;
                    let #stop: usize = #stop.min(((#there - #start) / #per_iteration) as usize + 1).max(#next + 1);
                });
            }
            let origin = match is_from_beginning {
                true => TokenStream::new(),
                false => {
                    in_front.push(quote!(let #origin: usize = #first as usize;));
                    quote!(#origin)
                }
            };
            replacements.push(replacement((quote!(#part), origin)));
        }
    }
    for known in lengths {
        if !replacements.iter().any(|it| it.place == known.place) {
            replacements.push(Replacement { place: known.place.clone(), elements: None, length: known.length.clone() });
        }
    }
    let mut body = repeated.body.clone();
    ForEach.visit_block_mut(&mut body);
    methods.clone().visit_block_mut(&mut body);
    Rewriter(&replacements).visit_block_mut(&mut body);
    let pattern = &repeated.pat;
    let over = match Iterated::of(&repeated.expr) {
        Some(iterated) => elements_of(&iterated, cuts),
        None => quote!(#next..#stop),
    };
    let longest = match asked {
        Some(iterations) => quote!(#iterations as usize),
        None => quote!(usize::MAX),
    };
    let tiles = |end: &Ident| {
        quote! {
            while #next < #end {
                let #stop: usize = #next + #step.min(#end - #next);
                #(#arrived)*
                #(#in_front)*
                for #pattern in #over #body
                #(#behind)*
                #next = #stop;
            }
        }
    };
    let tiles = match block {
        Some(cut) => in_blocks(cut, &of_block, &tiles),
        None => tiles(&end),
    };
    quote! {
        {
            let #step: usize = #longest;
            #(#before)*
            let (mut #next, #end) = (#low as usize, #high as usize);
            #tiles
        }
    }
}

/// Tiles of an exchange that the loop fills: those of one block after the other. A tile goes to one rank, so none lies in two blocks.
/// What lies behind the last iteration leaves with its block, and blocks that no iteration fills with the end of the transfer.
fn in_blocks(cut: &Tiled, of_block: &[TokenStream], tiles: &dyn Fn(&Ident) -> TokenStream) -> TokenStream {
    let number = cut.number;
    let (next, end, limit, head) = (named("next"), named("end"), named("limit"), named("head"));
    let (block, transfer, tile) = (numbered("block", number), numbered("transfer", number), numbered("tile", number));
    let (start, per_iteration) = (numbered("start", number), numbered("per_iteration", number));
    let base = (!cut.is_aligned).then(|| {
        let base = numbered("base", number);
        quote!(let #base: usize = #block.offset();)
    });
    let iterations = match cut.is_in_step {
        true => quote!(#block.len()),
        false => quote!(#block.len() / #per_iteration as usize),
    };
    let tiles = tiles(&limit);
    let (before, head) = match cut.has_head {
        false => (None, None),
        true => {
            let before = quote!(let mut #head = #start as usize;);
            let put = quote! {
                let #limit: usize = #head.min(#block.len());
                if #limit > 0 {
                    if let ::core::option::Option::Some(#tile) = #block.next_tile(#limit) {
                        #tile.put()?;
                    }
                    #head -= #limit;
                }
            };
            (Some(before), Some(put))
        }
    };
    quote! {
        #before
        while #next < #end {
            let ::core::option::Option::Some(mut #block) = #transfer.next_block()? else { break };
            #base
            #head
            #(#of_block)*
            let #limit: usize = #next + (#iterations).min(#end - #next);
            #tiles
            #block.put()?;
        }
    }
}

/// The elements of a tile, as the loop runs over them.
fn elements_of(iterated: &Iterated, cuts: &[Tiled]) -> TokenStream {
    let (next, stop) = (named("next"), named("stop"));
    match iterated {
        Iterated::Elements { place, is_mutable } => {
            let text = place.to_token_stream().to_string();
            let cut = cuts.iter().find(|cut| cut.place == text);
            let elements = match cut {
                // What is lent of a message that is filled are the elements of the tile.
                Some(cut) if cut.fills => {
                    let elements = numbered("elements", cut.number);
                    quote!(#elements)
                }
                Some(cut) => {
                    let part = numbered("part", cut.number);
                    quote!(#part[#next..#stop])
                }
                None => quote!(#place[#next..#stop]),
            };
            if *is_mutable { quote!(#elements.iter_mut()) } else { quote!(#elements.iter()) }
        }
        Iterated::Rows { place, size, method } => {
            let text = place.to_token_stream().to_string();
            let rows = |holder: TokenStream| quote!(#holder[usize::saturating_mul(#next, #size)..usize::saturating_mul(#stop, #size)].#method(#size));
            match cuts.iter().find(|cut| cut.place == text) {
                Some(cut) if cut.fills => {
                    let elements = numbered("elements", cut.number);
                    quote!(#elements.#method(#size))
                }
                Some(cut) => {
                    let part = numbered("part", cut.number);
                    rows(quote!(#part))
                }
                None => rows(quote!(#place)),
            }
        }
        Iterated::Zipped(one, other) => {
            let (one, other) = (elements_of(one, cuts), elements_of(other, cuts));
            quote!(#one.zip(#other))
        }
        Iterated::Numbered(inner) => {
            let inner = elements_of(inner, cuts);
            quote!((#next..#stop).zip(#inner))
        }
    }
}
