//! `#[derive(gravel::Element)]`: structures that are sent as their bytes.
//!
//! What the trait promises is looked at by the compiler, field by field: each is an `Element`, and their lengths add up to that of the
//! structure, so there is no padding between or behind them. `#[repr(C)]` keeps them in one order in all programs.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Path, Type};

/// The implementation for a structure.
///
/// # Errors
/// Why it can't be sent as its bytes.
pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let refused = |at: &dyn Fn() -> proc_macro2::Span, message: &str| Err(syn::Error::new(at(), message));
    let Data::Struct(structure) = &input.data else {
        let message = "only structures can be sent as their bytes: not all bytes are a value of an enum, and a union does not say which of \
                       its bytes are set";
        return refused(&|| name.span(), message);
    };
    if let Some(parameter) = input.generics.params.first() {
        let message = "a structure with parameters can't be derived: whether it has padding depends on them";
        return refused(&|| parameter.span(), message);
    }
    if !has_fixed_order(&input.attrs)? {
        let message = "`#[repr(C)]` is missing: the order of the fields would be the compiler's choice, and another one in another program";
        return refused(&|| name.span(), message);
    }
    let gravel = crate_path(&input.attrs)?;
    let types: Vec<&Type> = structure.fields.iter().map(|field| &field.ty).collect();
    let checks = types.iter().map(|ty| quote_spanned!(ty.span()=> is_element::<#ty>();));
    let padding =
        format!("`{name}` has padding, or no bytes at all: fill the gaps with fields, such as `unused: [u8; 4]`");
    let assertion = quote_spanned! {name.span()=>
        ::core::assert!(
            ::core::mem::size_of::<#name>() > 0
                && ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#types>())*,
            #padding
        );
    };
    // SAFETY: of what is emitted. Every field is an `Element`, whose bytes are all set and of which all bytes are values, and the lengths of
    // the fields are that of the structure: the first statement does not compile otherwise.
    Ok(quote! {
        #[allow(clippy::identity_op, reason = "a sum of one")]
        const _: () = {
            const fn is_element<T: #gravel::Element>() {}
            #(#checks)*
            #assertion
        };
        #[automatically_derived]
        #[allow(unsafe_code, reason = "its fields are elements, and there is nothing between them")]
        unsafe impl #gravel::Element for #name {}
    })
}

/// Do the attributes keep the fields in the order in which they are written?
fn has_fixed_order(attributes: &[Attribute]) -> syn::Result<bool> {
    let mut is_fixed = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            is_fixed |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            if meta.input.peek(syn::token::Paren) {
                let _: proc_macro2::Group = meta.input.parse()?;
            }
            Ok(())
        })?;
    }
    Ok(is_fixed)
}

/// Where the crate is: `#[gravel(crate = path)]`.
fn crate_path(attributes: &[Attribute]) -> syn::Result<TokenStream> {
    let mut path = quote!(::gravel);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("gravel")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("`#[gravel(crate = path)]` is all that a structure may have"));
            }
            let given: Path = meta.value()?.parse()?;
            path = quote!(#given);
            Ok(())
        })?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(text: &str) -> Result<String, String> {
        let input: DeriveInput = syn::parse_str(text).expect("a type");
        derive(&input).map(|tokens| tokens.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn structures_of_a_fixed_order_are_elements() {
        for text in [
            "#[repr(C)] struct A { x: f64, y: [i32; 2] }",
            "#[repr(C, packed(2))] struct A(f64, i16);",
            "#[repr(transparent)] struct A(f64);",
            "#[repr(align(8), C)] struct A(f64);",
        ] {
            assert!(derived(text).expect(text).contains("unsafe impl :: gravel :: Element for A"));
        }
        let renamed = derived("#[repr(C)] #[gravel(crate = other::name)] struct A(f64);").expect("a structure");
        assert!(renamed.contains("other :: name :: Element for A") && !renamed.contains(":: gravel"), "{renamed}");
    }

    #[test]
    fn other_types_are_refused_with_a_reason() {
        for (text, expected) in [
            ("#[repr(C)] enum A { B }", "only structures"),
            ("#[repr(C)] union A { b: f64 }", "only structures"),
            ("struct A(f64);", "#[repr(C)]"),
            ("#[repr(align(8))] struct A(f64);", "#[repr(C)]"),
            ("#[repr(C)] struct A<T>(T);", "parameters"),
            ("#[repr(C)] struct A<'a>(&'a f64);", "parameters"),
            ("#[repr(C)] #[gravel(skip)] struct A(f64);", "crate = path"),
        ] {
            let error = derived(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
