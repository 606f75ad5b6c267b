//! The attribute on what holds functions: an `impl` block, a trait, an inline module. It applies to each function in it.
//!
//! Each function is read by itself: calls between them are not followed.

use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, ImplItemFn, Item, ItemFn, ItemImpl, ItemMod, ItemTrait, Signature, TraitItemFn, parse_quote,
};

use crate::arguments::{Arguments, Directive, is_directive, is_overlap};
use crate::emit::strip_item;
use crate::overlap_function;
use crate::report::Verdict;

/// May the attribute stand on it?
pub fn holds_functions(item: &Item) -> bool {
    match item {
        Item::Impl(_) | Item::Trait(_) => true,
        // What is in another file, a macro does not see.
        Item::Mod(module) => module.content.is_some(),
        _ => false,
    }
}

/// Overlaps the messages of all functions in an item, and says what became of their calls.
pub fn overlap(item: &mut Item, arguments: &Arguments) -> Vec<Verdict> {
    let mut functions = Functions { arguments, verdicts: Vec::new() };
    match item {
        Item::Impl(it) => visit_mut::visit_item_impl_mut(&mut functions, it),
        Item::Trait(it) => visit_mut::visit_item_trait_mut(&mut functions, it),
        Item::Mod(it) => visit_mut::visit_item_mod_mut(&mut functions, it),
        _ => {}
    }
    functions.verdicts
}

struct Functions<'a> {
    arguments: &'a Arguments,
    verdicts: Vec<Verdict>,
}

/// Has it the attribute itself? Then it keeps its own arguments; so it is under a condition, which only the compiler knows.
fn has_its_own(attributes: &[Attribute]) -> bool {
    let is_conditional = |attribute: &Attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg_attr") && list.is_ok_and(|list| list.tokens.to_string().contains("overlap"))
    };
    attributes.iter().any(|attribute| is_overlap(attribute) || is_conditional(attribute))
}

impl Functions<'_> {
    /// Takes the directives of a holder of functions out. Is all of it left alone?
    fn is_skipped(attributes: &mut Vec<Attribute>) -> syn::Result<bool> {
        let directive = Directive::of(attributes)?;
        if let Some(other) = attributes.iter().find(|it| is_directive(it)).filter(|_| !directive.skips_all) {
            return Err(syn::Error::new_spanned(
                other,
                "before a module, a trait or an `impl` block stands `skip` alone",
            ));
        }
        attributes.retain(|attribute| !is_directive(attribute));
        Ok(directive.skips_all)
    }

    fn function(&mut self, attributes: &mut Vec<Attribute>, signature: &Signature, block: &mut Block) {
        if has_its_own(attributes) {
            return;
        }
        let directive = Directive::of(attributes).and_then(|directive| match directive.tile {
            Some(_) => Err(syn::Error::new(signature.ident.span(), "`tile` stands before a loop")),
            None => Ok(directive),
        });
        attributes.retain(|attribute| !is_directive(attribute));
        // What stands around the body does not change, and need not be copied.
        let mut function: ItemFn = parse_quote!(#signature {});
        std::mem::swap(&mut *function.block, block);
        match directive {
            Ok(directive) if directive.skips_all => crate::emit::strip(&mut function),
            Ok(directive) => {
                let mut arguments = self.arguments.clone();
                arguments.enabled.retain(|it| !directive.skipped.contains(it));
                self.verdicts.extend(overlap_function(&mut function, false, &arguments));
            }
            Err(error) => {
                crate::emit::strip(&mut function);
                let error = error.into_compile_error();
                function.block.stmts.insert(0, parse_quote!(#error));
            }
        }
        *block = *function.block;
    }
}

impl VisitMut for Functions<'_> {
    fn visit_item_fn_mut(&mut self, it: &mut ItemFn) {
        self.function(&mut it.attrs, &it.sig, &mut it.block);
    }

    fn visit_impl_item_fn_mut(&mut self, it: &mut ImplItemFn) {
        self.function(&mut it.attrs, &it.sig, &mut it.block);
    }

    fn visit_trait_item_fn_mut(&mut self, it: &mut TraitItemFn) {
        if let Some(block) = &mut it.default {
            self.function(&mut it.attrs, &it.sig, block);
        }
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        let attributes = match item {
            Item::Impl(ItemImpl { attrs, .. })
            | Item::Trait(ItemTrait { attrs, .. })
            | Item::Mod(ItemMod { attrs, content: Some(_), .. }) => attrs,
            _ => return visit_mut::visit_item_mut(self, item),
        };
        if has_its_own(attributes) {
            return;
        }
        match Self::is_skipped(attributes) {
            Ok(false) => visit_mut::visit_item_mut(self, item),
            Ok(true) => strip_item(item),
            Err(error) => {
                strip_item(item);
                *item = Item::Verbatim({
                    let error = error.into_compile_error();
                    quote::quote!(#error #item)
                });
            }
        }
    }

    // Functions in values and types are no functions of the item.
    fn visit_expr_mut(&mut self, _: &mut Expr) {}

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
}
