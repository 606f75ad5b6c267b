//! Names of emitted variables: a macro's own, so that no name of the program means them.

use proc_macro2::{Ident, Span};

/// The variable of this name, numbered.
pub fn numbered(name: &str, number: usize) -> Ident {
    Ident::new(&format!("gravel_{name}{number}"), Span::mixed_site())
}

/// The variable of this name.
pub fn named(name: &str) -> Ident {
    Ident::new(&format!("gravel_{name}"), Span::mixed_site())
}
