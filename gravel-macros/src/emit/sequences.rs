//! Whose `iter_mut` is it? A second look at the methods of slices, as `gravel::plain::methods` describes it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Stmt};

use crate::frontend::expressions::bare;

/// The methods, each with the number of its arguments.
const METHODS: [(&str, usize); 10] = [
    ("len", 0),
    ("is_empty", 0),
    ("iter", 0),
    ("iter_mut", 0),
    ("fill", 1),
    ("copy_from_slice", 1),
    ("chunks", 1),
    ("chunks_mut", 1),
    ("chunks_exact", 1),
    ("chunks_exact_mut", 1),
];

/// Checks for the calls in statements on variables that are known in front of them. They stand in front of what lends the variables.
pub fn checks(inside: &[Stmt], variables: &BTreeMap<String, &Expr>, runtime: &TokenStream) -> Vec<TokenStream> {
    #[derive(Default)]
    struct Calls<'a>(BTreeMap<(String, String), &'a ExprMethodCall>);
    impl<'a> Visit<'a> for Calls<'a> {
        fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
            let name = call.method.to_string();
            if METHODS.contains(&(name.as_str(), call.args.len())) {
                let place = bare(&call.receiver).to_token_stream().to_string();
                self.0.entry((place, name)).or_insert(call);
            }
            visit::visit_expr_method_call(self, call);
        }
    }
    let mut calls = Calls::default();
    inside.iter().for_each(|statement| calls.visit_stmt(statement));
    let known: BTreeSet<&String> = variables.keys().collect();
    let of_call = |((place, _), call): (&(String, String), &&ExprMethodCall)| {
        let (receiver, method) = (bare(&call.receiver), &call.method);
        let arguments = call.args.iter().map(|_| quote!(#runtime::plain::methods::any()));
        known.contains(place).then(|| quote!(#runtime::check_sequence!(#receiver, #method(#(#arguments),*));))
    };
    calls.0.iter().filter_map(of_call).collect()
}
