//! The program's own text with elements of lent arrays named by what holds them.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, Stmt, parse_quote};

use crate::arguments::{is_directive, is_overlap};
use crate::frontend::expressions::{bare, guarded};

/// What stands for an array.
pub struct Replacement {
    /// The array as it is written.
    pub place: String,
    /// What holds its elements, and from which of the array's on; nothing where they stay.
    pub elements: Option<(TokenStream, TokenStream)>,
    /// Its number of elements.
    pub length: TokenStream,
}

/// Replaces elements and lengths of arrays.
pub struct Rewriter<'r>(pub &'r [Replacement]);

impl Rewriter<'_> {
    fn of(&self, place: &Expr) -> Option<&Replacement> {
        let text = bare(place).to_token_stream().to_string();
        self.0.iter().find(|replacement| replacement.place == text)
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let replaced = match &*expression {
            Expr::Index(index) => {
                self.of(&index.expr).and_then(|found| found.elements.as_ref()).map(|(holder, first)| {
                    let subscript = &index.index;
                    match first.is_empty() {
                        true => quote!(#holder[#subscript]),
                        false => quote!(#holder[(#subscript) - #first]),
                    }
                })
            }
            Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => {
                self.of(&call.receiver).map(|found| found.length.clone())
            }
            Expr::MethodCall(call) if call.method == "is_empty" && call.args.is_empty() => {
                self.of(&call.receiver).map(|found| {
                    let length = &found.length;
                    quote!((#length == 0))
                })
            }
            _ => None,
        };
        if let Some(tokens) = replaced {
            *expression = Expr::Verbatim(tokens);
        }
    }
}

/// Takes the directives out, and the attribute itself on statements.
pub struct Stripper;

impl VisitMut for Stripper {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|attribute| !is_directive(attribute) && !is_overlap(attribute));
    }

    // An item inside of a function is not read with it. What has the attribute takes its directives out itself.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let attributes = match item {
            syn::Item::Fn(it) => &it.attrs,
            syn::Item::Impl(it) => &it.attrs,
            syn::Item::Mod(it) => &it.attrs,
            syn::Item::Trait(it) => &it.attrs,
            _ => return visit_mut::visit_item_mut(self, item),
        };
        if !attributes.iter().any(is_overlap) {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        if !function.attrs.iter().any(is_overlap) {
            visit_mut::visit_impl_item_fn_mut(self, function);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut syn::TraitItemFn) {
        if !function.attrs.iter().any(is_overlap) {
            visit_mut::visit_trait_item_fn_mut(self, function);
        }
    }
}

/// The methods of numbers that a statement itself calls, outside of the statements that it holds.
fn methods_of(statement: &Stmt, known: &BTreeSet<String>) -> Vec<ExprMethodCall> {
    struct Found<'k>(Vec<ExprMethodCall>, &'k BTreeSet<String>);
    impl<'a> syn::visit::Visit<'a> for Found<'_> {
        fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
            if self.1.contains(&call.to_token_stream().to_string()) {
                self.0.push(call.clone());
            }
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut found = Found(Vec::new(), known);
    match statement {
        Stmt::Expr(expression, _) => {
            own_values(expression).into_iter().for_each(|value| syn::visit::Visit::visit_expr(&mut found, value));
        }
        other => syn::visit::Visit::visit_stmt(&mut found, other),
    }
    found.0
}

/// The values of a statement, without those of the statements in its blocks. Blocks inside of values are values.
fn own_values(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::ForLoop(it) => vec![&it.expr],
        Expr::Block(_) => Vec::new(),
        Expr::If(it) => {
            let otherwise = it.else_branch.iter().flat_map(|(_, otherwise)| own_values(otherwise));
            [&*it.cond].into_iter().chain(otherwise).collect()
        }
        Expr::Match(it) => {
            let of_arms = it.arms.iter().flat_map(|arm| guarded(&arm.pat).1.into_iter().chain(own_values(&arm.body)));
            [&*it.expr].into_iter().chain(of_arms).collect()
        }
        other => vec![other],
    }
}

/// Puts a check of types before each statement that calls methods of numbers: none of them may be another trait's.
#[derive(Clone)]
pub struct MethodChecks<'c> {
    /// The path of the runtime's crate.
    pub runtime: &'c TokenStream,
    /// The calls, as they are written.
    pub known: &'c BTreeSet<String>,
}

impl MethodChecks<'_> {
    /// The checks for a statement.
    pub fn of(&self, statement: &Stmt) -> Vec<Stmt> {
        let runtime = self.runtime;
        let checks = methods_of(statement, self.known).into_iter().flat_map(|call| {
            let ExprMethodCall { receiver, method, args, .. } = &call;
            // By value, and where the search looks next: by reference to a reference.
            let beside = [
                quote!(FloatMethods as _, NumberMethods as _),
                quote!(SharedNumberMethods as _),
                quote!(MutableNumberMethods as _),
            ];
            let checks: Vec<Stmt> = beside
                .into_iter()
                .map(|traits| {
                    parse_quote! {
                        let _ = || {
                            #[allow(unused_imports, reason = "only some methods are a trait's")]
                            use #runtime::plain::methods::{#traits, receiver};
                            let _ = receiver(&(#receiver)).#method(#args);
                        };
                    }
                })
                .collect();
            checks
        });
        checks.collect()
    }
}

impl MethodChecks<'_> {
    /// Puts checks into the blocks that a statement holds. Those inside of values are values, whose methods are the statement's own.
    fn blocks_of(&mut self, expression: &mut Expr) {
        match expression {
            Expr::ForLoop(it) => self.visit_block_mut(&mut it.body),
            Expr::Block(it) => self.visit_block_mut(&mut it.block),
            Expr::If(it) => {
                self.visit_block_mut(&mut it.then_branch);
                if let Some((_, otherwise)) = &mut it.else_branch {
                    self.blocks_of(otherwise);
                }
            }
            Expr::Match(it) => it.arms.iter_mut().for_each(|arm| self.blocks_of(&mut arm.body)),
            _ => {}
        }
    }
}

impl VisitMut for MethodChecks<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let old = std::mem::take(&mut block.stmts);
        for mut statement in old {
            if let Stmt::Expr(expression, _) = &mut statement {
                self.blocks_of(expression);
            }
            block.stmts.extend(self.of(&statement));
            block.stmts.push(statement);
        }
    }
}
