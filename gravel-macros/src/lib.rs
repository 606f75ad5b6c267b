//! The macros of Gravel.
//!
//! `#[gravel::overlap]` on a function, or on what holds functions, overlaps messages with loops, as `gravelc transform` does in Fortran and C programs:
//!
//! ```text
//! tokens --syn--> frontend --> ir::Program --transform::plan_program--> Plan --emit--> tokens
//!                                                                           \--report--> warnings | lines
//! ```
//!
//! The middle end is gravelc's library. What it has proven is emitted as one call of `Gravel::scope` per group of messages, so that
//! the borrow checker proves it a second time: there is no `unsafe` in what is emitted.
//! The crate `gravel-rt` re-exports the macros, and its documentation says how they are used. `#[derive(gravel::Element)]` is `element`.

mod arguments;
mod element;
mod emit;
mod frontend;
mod items;
mod moves;
mod orders;
mod regions;
mod report;
mod report_files;
mod splits;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod token_tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gravelc::passes::prepare;
use gravelc::plan::Transformation;
use gravelc::transform::{Selection, plan_program};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Item, ItemFn, Stmt, parse_quote};

use crate::arguments::Arguments;
use crate::report::{Explain, Verdict};

/// Overlaps the messages of a function with its loops: of one function, or of all functions of an `impl` block, a trait or an inline module.
///
/// Where it can't prove that nothing changes, it leaves a call as it is. `GRAVEL_EXPLAIN=1 cargo build` says what was done to each call,
/// and why not more.
///
/// Arguments, in parentheses:
///
/// | argument | meaning |
/// |---|---|
/// | `report` | what was done is said in warnings at the calls |
/// | `strict` | a call that is kept is an error |
/// | `unordered` | nothing outside of messages (a file, say) tells in which order ranks receive and send what is independent |
/// | `only(hoist-receive, ...)`, `skip(...)` | the transformations that may be applied |
/// | `pure(f, g)` | these functions have no effect and depend on their arguments alone |
/// | `crate = path` | where the crate `gravel` is, if it has another name |
///
/// Inside of what has the attribute:
///
/// - `#[gravel(skip)]` before a loop, a call, or a function of a block or module leaves it alone; `#[gravel(skip(sink-wait))]` leaves
///   a transformation out; `#[gravel(tile = 4096)]` before a loop says how many iterations a tile has.
/// - A function that has the attribute itself keeps its own arguments.
/// - Loops and calls of a function may have the attribute, without arguments. Then only these are considered.
///
/// [`overlapped!`] is for a part of a function.
#[proc_macro_attribute]
pub fn overlap(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    said(expand(arguments.into(), item.into()))
}

/// Overlaps the messages of a part of a function with its loops, as [`macro@overlap`] does for all of one.
///
/// The part is a block: what is declared in it ends with it, and its last expression is its value. `#![overlap(...)]` at its
/// beginning has the arguments. Names from outside of the block are taken for variables if they begin with a small letter.
///
/// It can't have the name of the attribute: in a module a name means one macro, be it called as an attribute or with `!`. (The language
/// looks for them apart, but neither two imports, nor an import and a definition, of one name can stand beside each other.) On
/// a block itself an attribute can't stand in stable Rust.
#[proc_macro]
pub fn overlapped(part: proc_macro::TokenStream) -> proc_macro::TokenStream {
    said(expand_part(part.into()))
}

/// Says what `GRAVEL_EXPLAIN` asks for.
fn said(expanded: Expanded) -> proc_macro::TokenStream {
    let explain = Explain::from_environment();
    if explain != Explain::No {
        eprint!("{}", report::lines(&expanded.verdicts));
    }
    if explain == Explain::Code {
        eprintln!("{}", expanded.tokens);
    }
    expanded.tokens.into()
}

/// Implements `gravel::Element` for a structure of elements, so that its values can be messages.
///
/// ```ignore
/// #[derive(Clone, Copy, gravel::Element)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     charge: i32,
///     kind: u32,
/// }
/// ```
///
/// The structure needs `#[repr(C)]` or `#[repr(transparent)]`, is `Copy`, and has no padding and no parameters; what it lacks is an
/// error at the field. `#[gravel(crate = path)]` says where the crate `gravel` is, if it has another name. The implementation is
/// `unsafe`, which `#![forbid(unsafe_code)]` refuses, but not `deny`.
#[proc_macro_derive(Element, attributes(gravel))]
pub fn derive_element(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    element::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// What became of an item or a part.
struct Expanded {
    tokens: TokenStream,
    verdicts: Vec<Verdict>,
}

impl Expanded {
    fn unchanged(tokens: TokenStream) -> Self {
        Self { tokens, verdicts: Vec::new() }
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Expanded {
    let refused = |error: syn::Error| {
        let error = error.into_compile_error();
        Expanded::unchanged(quote!(#error #item))
    };
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return refused(error),
    };
    if let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) {
        let verdicts = overlap_function(&mut function, false, &arguments);
        return Expanded { tokens: function.to_token_stream(), verdicts };
    }
    match syn::parse2::<Item>(item.clone()) {
        Ok(mut holder) if items::holds_functions(&holder) => {
            let verdicts = items::overlap(&mut holder, &arguments);
            Expanded { tokens: holder.to_token_stream(), verdicts }
        }
        Ok(other) if !matches!(other, Item::Verbatim(_) | Item::Fn(_)) => {
            let message = "`#[gravel::overlap]` stands on a function or a method: on the one that holds the loops and the calls; \
                           or on an `impl` block, a trait or a module with its functions";
            refused(syn::Error::new_spanned(&item, message))
        }
        // What is wrong with it the compiler says best.
        _ => Expanded::unchanged(item),
    }
}

/// A part of a function, with its arguments in front.
struct Part {
    arguments: Vec<Attribute>,
    statements: Vec<Stmt>,
}

impl Parse for Part {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Ok(Self { arguments: input.call(Attribute::parse_inner)?, statements: input.call(syn::Block::parse_within)? })
    }
}

fn expand_part(tokens: TokenStream) -> Expanded {
    let Ok(Part { arguments: attributes, statements }) = syn::parse2(tokens.clone()) else {
        // What is wrong with it the compiler says best.
        return Expanded::unchanged(quote!({ #tokens }));
    };
    let arguments = match arguments::of_part(&attributes) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = error.into_compile_error();
            return Expanded::unchanged(quote!({ #error }));
        }
    };
    // It is read as a function is.
    let mut function: ItemFn = parse_quote!(
        fn part() {
            #(#statements)*
        }
    );
    let verdicts = overlap_function(&mut function, true, &arguments);
    let block = &function.block;
    Expanded { tokens: quote!(#block), verdicts }
}

/// Overlaps the messages of a function, or of a part of one, and says what became of its calls. Whatever fails, the function stays as it is.
fn overlap_function(function: &mut ItemFn, is_part: bool, arguments: &Arguments) -> Vec<Verdict> {
    let attempt = catch_unwind(AssertUnwindSafe(|| overlapped_function(function.clone(), is_part, arguments)));
    match attempt {
        Ok(Ok((found, verdicts))) => {
            *function = found;
            verdicts
        }
        Ok(Err(error)) => {
            emit::strip(function);
            let error = error.into_compile_error();
            function.block.stmts.insert(0, parse_quote!(#error));
            Vec::new()
        }
        Err(_) => {
            emit::strip(function);
            let name = function.sig.ident.span();
            let warning =
                report::warning("a bug of gravel: the macro has failed, and the function is left as it is", name);
            function.block.stmts.insert(0, parse_quote!(#warning));
            Vec::new()
        }
    }
}

/// The function with its messages overlapped, and what is to be said of it.
///
/// # Errors
/// A directive that is not understood.
fn overlapped_function(
    mut function: ItemFn,
    is_part: bool,
    arguments: &Arguments,
) -> syn::Result<(ItemFn, Vec<Verdict>)> {
    let lowered = frontend::lower(&function, is_part, arguments)?;
    let is_left = function.sig.asyncness.is_some() || function.sig.constness.is_some();
    let Some(lowered) = lowered.filter(|_| !is_left) else {
        emit::strip(&mut function);
        let verdicts = report::left_alone(&function);
        say(&mut function, &verdicts, arguments);
        return Ok((function, verdicts));
    };
    // A message that left early would be there although the program panics before it sends it; a copy that is left out would be missing.
    let is_written = |it: &Transformation| !matches!(it, Transformation::HoistSend | Transformation::DropPack);
    let selection = Selection {
        enabled: arguments.enabled.iter().copied().filter(is_written).collect(),
        is_closed: true,
        ..Selection::default()
    };
    let mut program = lowered.program.clone();
    program.is_unordered = arguments.unordered;
    let program = prepare(program);
    let plan = plan_program(&program, &selection);
    let moved = emit::emit(&mut function, &lowered, &plan, arguments);
    let verdicts = report::verdicts(&lowered, &plan, &moved);
    if let Some(folder) = report_files::folder() {
        report_files::write(&folder, &function, &lowered, &plan, &moved);
    }
    say(&mut function, &verdicts, arguments);
    Ok((function, verdicts))
}

/// Puts into the function what is said of its calls.
fn say(function: &mut ItemFn, verdicts: &[Verdict], arguments: &Arguments) {
    if verdicts.is_empty() {
        return;
    }
    let warnings = if arguments.report { report::warnings(verdicts) } else { TokenStream::new() };
    let errors = if arguments.strict { report::errors(verdicts) } else { TokenStream::new() };
    // Cargo builds again when a variable changes.
    let said: syn::Block = parse_quote!({
        #errors
        const _: [::core::option::Option<&str>; 2] =
            [::core::option_env!("GRAVEL_EXPLAIN"), ::core::option_env!("GRAVEL_REPORT")];
        #warnings
    });
    function.block.stmts.splice(0..0, said.stmts);
}
