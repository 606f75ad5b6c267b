//! What users write in the attribute and in `#[gravel(...)]` on statements.

use gravelc::plan::Transformation;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Path, Token};

/// The arguments of the attribute.
#[derive(Clone)]
pub struct Arguments {
    /// What was done is said in warnings at the calls.
    pub report: bool,
    /// A call that is kept is an error.
    pub strict: bool,
    /// The transformations that may be applied.
    pub enabled: Vec<Transformation>,
    /// Nothing outside of messages tells in which order ranks receive and send what is independent, as the user says.
    pub unordered: bool,
    /// Functions that have no effect and depend on their arguments alone, as the user says.
    pub pure: Vec<Path>,
    /// The path of the runtime's crate.
    pub runtime: TokenStream,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            report: false,
            strict: false,
            unordered: false,
            enabled: Transformation::ALL.to_vec(),
            pure: Vec::new(),
            runtime: quote!(::gravel),
        }
    }
}

/// A directive on a statement.
#[derive(Debug, Clone, Default)]
pub struct Directive {
    /// Nothing is done to the statement.
    pub skips_all: bool,
    /// These transformations leave the statement alone.
    pub skipped: Vec<Transformation>,
    /// Iterations per tile.
    pub tile: Option<u32>,
    /// The user has chosen it, or what holds it, with the attribute itself.
    pub is_chosen: bool,
}

const ARGUMENTS: &str = "`report`, `strict`, `unordered`, `only(...)`, `skip(...)`, `pure(...)` and `crate = path`";
const DIRECTIVES: &str = "`skip`, `skip(...)`, `tile = N` and `independent(...)`";

/// One word with what follows it.
struct Item {
    name: Ident,
    listed: Option<Vec<Path>>,
    value: Option<Expr>,
}

/// Words of transformations hold hyphens, which are no part of Rust's names.
fn word(input: ParseStream) -> syn::Result<Path> {
    use syn::ext::IdentExt;
    let first = Ident::parse_any(input)?;
    if !input.peek(Token![-]) {
        let mut path = Path::from(first);
        while input.peek(Token![::]) {
            input.parse::<Token![::]>()?;
            path.segments.push(Ident::parse_any(input)?.into());
        }
        return Ok(path);
    }
    let mut text = first.to_string();
    while input.peek(Token![-]) {
        input.parse::<Token![-]>()?;
        text.push('_');
        text.push_str(&Ident::parse_any(input)?.to_string());
    }
    Ok(Path::from(Ident::new(&text, first.span())))
}

impl Parse for Item {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        use syn::ext::IdentExt;
        let name = Ident::parse_any(input)?;
        if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            let listed = Punctuated::<Path, Token![,]>::parse_terminated_with(&inner, word)?;
            return Ok(Self { name, listed: Some(listed.into_iter().collect()), value: None });
        }
        let value = match input.peek(Token![=]) {
            true => {
                input.parse::<Token![=]>()?;
                Some(input.parse()?)
            }
            false => None,
        };
        Ok(Self { name, listed: None, value })
    }
}

fn transformation(path: &Path) -> syn::Result<Transformation> {
    let text = path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::");
    let found = Transformation::ALL.into_iter().find(|it| it.name() == text.replace('_', "-"));
    found.ok_or_else(|| {
        let names = Transformation::ALL.map(|it| format!("`{}`", it.name())).join(", ");
        let span = path.segments.first().map_or_else(Span::call_site, |segment| segment.ident.span());
        syn::Error::new(span, format!("there is no transformation of this name; there are {names}"))
    })
}

fn transformations(item: &Item) -> syn::Result<Vec<Transformation>> {
    let listed = item.listed.as_deref().unwrap_or_default();
    if listed.is_empty() {
        return Err(syn::Error::new(item.name.span(), "name the transformations in parentheses"));
    }
    listed.iter().map(transformation).collect()
}

fn without_value(item: &Item) -> syn::Result<()> {
    match item.listed.is_some() || item.value.is_some() {
        true => Err(syn::Error::new(item.name.span(), format!("`{}` stands alone", item.name))),
        false => Ok(()),
    }
}

impl Arguments {
    /// Reads what stands in the parentheses of the attribute.
    ///
    /// # Errors
    /// What is not understood, at its place.
    pub fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let items = Punctuated::<Item, Token![,]>::parse_terminated.parse2(tokens)?;
        let mut found = Self::default();
        let mut skipped = Vec::new();
        for item in &items {
            match item.name.to_string().as_str() {
                "report" => {
                    without_value(item)?;
                    found.report = true;
                }
                "strict" => {
                    without_value(item)?;
                    found.strict = true;
                }
                "unordered" => {
                    without_value(item)?;
                    found.unordered = true;
                }
                "only" => found.enabled = transformations(item)?,
                "skip" => skipped.extend(transformations(item)?),
                "pure" => match &item.listed {
                    Some(listed) => found.pure.extend(listed.iter().cloned()),
                    None => return Err(syn::Error::new(item.name.span(), "name the functions in parentheses")),
                },
                "crate" => match &item.value {
                    Some(Expr::Path(path)) => {
                        let path = &path.path;
                        found.runtime = quote!(#path);
                    }
                    _ => return Err(syn::Error::new(item.name.span(), "write `crate = path::of::gravel`")),
                },
                other => {
                    let message = format!("`{other}` is no argument of `overlap`; there are {ARGUMENTS}");
                    return Err(syn::Error::new(item.name.span(), message));
                }
            }
        }
        found.enabled.retain(|it| !skipped.contains(it));
        Ok(found)
    }
}

/// The arguments of a part of a function: `#![overlap(...)]` at its beginning.
///
/// # Errors
/// What is not understood, at its place.
pub fn of_part(attributes: &[Attribute]) -> syn::Result<Arguments> {
    let [attribute] = attributes else {
        return match attributes.get(1) {
            Some(second) => Err(syn::Error::new_spanned(second, "the arguments stand in one `#![overlap(...)]`")),
            None => Ok(Arguments::default()),
        };
    };
    match &attribute.meta {
        syn::Meta::Path(_) if is_overlap(attribute) => Ok(Arguments::default()),
        syn::Meta::List(list) if is_overlap(attribute) => Arguments::parse(list.tokens.clone()),
        _ => Err(syn::Error::new_spanned(attribute, "here stands `#![overlap(...)]`, with the arguments of the macro")),
    }
}

/// Is it an attribute for this macro, on a statement?
pub fn is_directive(attribute: &Attribute) -> bool {
    attribute.path().is_ident("gravel")
}

/// Is it the attribute of this macro itself, by whatever path?
pub fn is_overlap(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "overlap")
}

impl Directive {
    /// What the attributes of a statement ask for.
    ///
    /// # Errors
    /// What is not understood, at its place.
    pub fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut found = Self::default();
        for attribute in attributes.iter().filter(|attribute| is_overlap(attribute)) {
            if attribute.meta.require_path_only().is_err() {
                let message = "its arguments stand on the function; before a loop or a call `#[gravel(...)]` has words of its own";
                return Err(syn::Error::new_spanned(attribute, message));
            }
            found.is_chosen = true;
        }
        for attribute in attributes.iter().filter(|attribute| is_directive(attribute)) {
            let items = attribute.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated)?;
            for item in &items {
                match item.name.to_string().as_str() {
                    "skip" if item.listed.is_none() && item.value.is_none() => found.skips_all = true,
                    "skip" => found.skipped.extend(transformations(item)?),
                    "tile" => found.tile = Some(tile_of(item)?),
                    // Parts of a loop compute what the loop computes, so that there is nothing to assert.
                    "independent" => {}
                    other => {
                        let message = format!("`{other}` is no directive of Gravel; there are {DIRECTIVES}");
                        return Err(syn::Error::new(item.name.span(), message));
                    }
                }
            }
        }
        Ok(found)
    }
}

fn tile_of(item: &Item) -> syn::Result<u32> {
    let number = match &item.value {
        Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => number.base10_parse::<u32>().ok(),
        _ => None,
    };
    let message = "write `tile = N` with the number of iterations of a tile, at least 1";
    number.filter(|&number| number > 0).ok_or_else(|| syn::Error::new(item.name.span(), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tokens: TokenStream) -> String {
        Arguments::parse(tokens).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn arguments_are_read() {
        let found = Arguments::parse(quote!(report, skip(sink - wait), crate = my::gravel)).unwrap();
        assert!(found.report && !found.strict && !found.enabled.contains(&Transformation::SinkWait));
        assert_eq!(found.runtime.to_string(), "my :: gravel");
        let only = Arguments::parse(quote!(only(hoist_receive))).unwrap();
        assert_eq!(only.enabled, [Transformation::HoistReceive]);
    }

    #[test]
    fn what_is_misspelt_is_named() {
        assert!(message(quote!(reprot)).contains("`reprot` is no argument"));
        assert!(message(quote!(only(hoist))).contains("no transformation of this name"));
        assert!(message(quote!(strict = 1)).contains("stands alone"));
        let directive: Attribute = syn::parse_quote!(#[gravel(tile = 0)]);
        assert!(Directive::of(&[directive]).unwrap_err().to_string().contains("at least 1"));
    }
}
