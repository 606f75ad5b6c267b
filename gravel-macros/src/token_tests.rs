//! Tokens in any order: what is given to the macro may be half of a program, while somebody types, or none. It never panics.

use std::fs;
use std::path::Path;

use proc_macro2::{Group, TokenTree};

use super::*;

/// How many functions are damaged, each in a way of its own. `GRAVEL_TOKENS=COUNT` tries another number.
const COUNT: u64 = 400;

/// The functions of the golden files.
fn functions() -> Vec<TokenStream> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden");
    let entries = fs::read_dir(folder).expect("the folder of the golden files");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let file: syn::File = syn::parse_str(&fs::read_to_string(&path).expect("reading")).expect("it is Rust");
        for mut item in file.items {
            let attributes = match &mut item {
                Item::Fn(it) => &mut it.attrs,
                Item::Impl(it) => &mut it.attrs,
                _ => continue,
            };
            attributes.clear();
            found.push(item.to_token_stream());
        }
    }
    found
}

/// All trees, with those inside of groups.
fn flat(tokens: &TokenStream, into: &mut Vec<TokenTree>) {
    for tree in tokens.clone() {
        if let TokenTree::Group(group) = &tree {
            flat(&group.stream(), into);
        }
        into.push(tree);
    }
}

/// One of the trees is left out, there twice, or another one, on the average once in `rarity`.
fn damaged(tokens: &TokenStream, others: &[TokenTree], random: &mut fastrand::Rng, rarity: usize) -> TokenStream {
    let mut found = Vec::new();
    for tree in tokens.clone() {
        let tree = match tree {
            TokenTree::Group(group) => {
                let inner = damaged(&group.stream(), others, random, rarity);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            other => other,
        };
        if random.usize(0..rarity) > 0 {
            found.push(tree);
            continue;
        }
        match random.usize(0..4) {
            0 => {}
            1 => found.extend([tree.clone(), tree]),
            2 => found.push(others[random.usize(0..others.len())].clone()),
            _ => found.extend([others[random.usize(0..others.len())].clone(), tree]),
        }
    }
    found.into_iter().collect()
}

#[test]
fn damaged_functions_are_no_bug_of_the_macro() {
    let count = std::env::var("GRAVEL_TOKENS").ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT);
    let functions = functions();
    let mut others = Vec::new();
    functions.iter().for_each(|function| flat(function, &mut others));
    let mut understood = 0;
    for number in 0..count {
        let mut random = fastrand::Rng::with_seed(number);
        let function = &functions[random.usize(0..functions.len())];
        let rarity = [15, 60, 200, 500][random.usize(0..4)];
        let tokens = damaged(function, &others, &mut random, rarity);
        let arguments: TokenStream = [quote!(), quote!(report), quote!(strict, unordered), quote!(skip(sink - wait))]
            [random.usize(0..4)]
        .clone();
        let found = expand(arguments, tokens.clone());
        let said = found.tokens.to_string();
        assert!(!said.contains("a bug of gravel"), "{number}: {tokens}");
        understood += usize::from(!found.verdicts.is_empty());
        let part = expand_part(tokens);
        assert!(!part.tokens.to_string().contains("a bug of gravel"), "{number}");
    }
    // Else nothing is tried but the parser.
    assert!(understood * 10 > usize::try_from(count).unwrap_or(0), "{understood} of {count} are understood");
}
