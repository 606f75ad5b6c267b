//! The macros of Gravel.
//!
//! `#[gravel::overlap]` on a function overlaps its messages with its loops, as `gravelc transform` does in Fortran and C programs:
//!
//! ```text
//! tokens --syn--> frontend --> ir::Program --transform::plan_program--> Plan --emit--> tokens
//!                                                                           \--report--> warnings | lines
//! ```
//!
//! The middle end is gravelc's library. What it has proven is emitted as one call of `Gravel::scope` per group of messages, so that
//! the borrow checker proves it a second time: there is no `unsafe` in what is emitted.
//! The crate `gravel-rt` re-exports the macros, and its documentation says how they are used. `#[derive(gravel::Element)]` is [`element`].

mod arguments;
mod element;
mod emit;
mod frontend;
mod moves;
mod regions;
mod report;

#[cfg(test)]
mod golden_tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use gravelc::passes::prepare;
use gravelc::plan::Transformation;
use gravelc::transform::{Selection, plan_program};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, ItemFn, parse_quote};

use crate::arguments::Arguments;
use crate::report::{Explain, Verdict};

/// Overlaps the messages of a function with its loops.
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
/// | `only(hoist-receive, ...)`, `skip(...)` | the transformations that may be applied |
/// | `pure(f, g)` | these functions have no effect and depend on their arguments alone |
/// | `crate = path` | where the crate `gravel` is, if it has another name |
///
/// Inside of the function `#[gravel(skip)]` before a loop or a call leaves it alone, `#[gravel(skip(sink-wait))]` leaves a transformation
/// out, `#[gravel(tile = 4096)]` before a loop says how many iterations a tile has.
#[proc_macro_attribute]
pub fn overlap(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let explain = Explain::from_environment();
    let expanded = expand(arguments.into(), item.into());
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

/// What became of an item.
struct Expanded {
    tokens: TokenStream,
    verdicts: Vec<Verdict>,
}

fn expand(arguments: TokenStream, item: TokenStream) -> Expanded {
    let unchanged = |tokens: TokenStream| Expanded { tokens, verdicts: Vec::new() };
    let refused = |error: syn::Error| {
        let error = error.into_compile_error();
        unchanged(quote!(#error #item))
    };
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return refused(error),
    };
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            return match syn::parse2::<Item>(item.clone()) {
                Ok(other) if !matches!(other, Item::Verbatim(_) | Item::Fn(_)) => {
                    let message = "`#[gravel::overlap]` stands on a function or a method: on the one that holds the loops and the calls";
                    refused(syn::Error::new_spanned(&item, message))
                }
                // What is wrong with it the compiler says best.
                _ => unchanged(item),
            };
        }
    };
    let attempt = catch_unwind(AssertUnwindSafe(|| overlapped(function.clone(), &arguments)));
    match attempt {
        Ok(Ok(expanded)) => expanded,
        Ok(Err(error)) => {
            let mut stripped = function;
            emit::strip(&mut stripped);
            let error = error.into_compile_error();
            unchanged(quote!(#error #stripped))
        }
        Err(_) => {
            let mut left = function;
            emit::strip(&mut left);
            let name = left.sig.ident.span();
            let warning =
                report::warning("a bug of gravel: the macro has failed, and the function is left as it is", name);
            left.block.stmts.insert(0, parse_quote!(#warning));
            unchanged(left.to_token_stream())
        }
    }
}

/// The function with its messages overlapped.
///
/// # Errors
/// A directive that is not understood.
fn overlapped(mut function: ItemFn, arguments: &Arguments) -> syn::Result<Expanded> {
    let lowered = frontend::lower(&function, arguments)?;
    let is_left = function.sig.asyncness.is_some() || function.sig.constness.is_some();
    let Some(lowered) = lowered.filter(|_| !is_left) else {
        emit::strip(&mut function);
        let verdicts = report::left_alone(&function);
        return Ok(finished(function, verdicts, arguments));
    };
    // A message that left early would be there although the program panics before it sends it; a copy that is left out would be missing.
    let is_written = |it: &Transformation| !matches!(it, Transformation::HoistSend | Transformation::DropPack);
    let selection = Selection {
        enabled: arguments.enabled.iter().copied().filter(is_written).collect(),
        is_closed: true,
        ..Selection::default()
    };
    let program = prepare(lowered.program.clone());
    let plan = plan_program(&program, &selection);
    let moved = emit::emit(&mut function, &lowered, &plan, arguments);
    let verdicts = report::verdicts(&lowered, &plan, &moved);
    Ok(finished(function, verdicts, arguments))
}

/// The function with what is said of it.
fn finished(mut function: ItemFn, verdicts: Vec<Verdict>, arguments: &Arguments) -> Expanded {
    if arguments.report && !verdicts.is_empty() {
        let warnings = report::warnings(&verdicts);
        let warnings: syn::Block = parse_quote!({ #warnings });
        function.block.stmts.splice(0..0, warnings.stmts);
    }
    // Cargo builds again when the variable changes.
    let asked: syn::Stmt = parse_quote!(
        const _: ::core::option::Option<&str> = ::core::option_env!("GRAVEL_EXPLAIN");
    );
    function.block.stmts.insert(0, asked);
    let errors = if arguments.strict { report::errors(&verdicts) } else { TokenStream::new() };
    let function = if errors.is_empty() { quote!(#function) } else { quote!(#errors #function) };
    Expanded { tokens: function, verdicts }
}
