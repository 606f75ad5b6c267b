//! Golden files: functions, what becomes of them, and what is said of it. `GRAVEL_WRITE=1 cargo test -p gravel-macros golden` writes
//! them anew: read the difference before it is committed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// The items of a file that have the attribute, each with its arguments.
fn items_in(text: &str) -> Vec<(TokenStream, Item)> {
    let file: syn::File = syn::parse_str(text).expect("the file is Rust");
    let mut found = Vec::new();
    for mut item in file.items {
        let attributes = match &mut item {
            Item::Fn(it) => &mut it.attrs,
            Item::Impl(it) => &mut it.attrs,
            Item::Mod(it) => &mut it.attrs,
            Item::Trait(it) => &mut it.attrs,
            _ => continue,
        };
        let position = attributes.iter().position(|attribute| attribute.path().segments.len() == 2);
        let Some(position) = position else { continue };
        let attribute = attributes.remove(position);
        let arguments = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        found.push((arguments, item));
    }
    found
}

/// The parts of functions that are marked in a function: what stands in `overlapped!`.
fn with_parts(item: Item, said: &mut Vec<Verdict>) -> TokenStream {
    struct Parts<'s>(&'s mut Vec<Verdict>);
    impl syn::visit_mut::VisitMut for Parts<'_> {
        fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
            if let Stmt::Macro(call) = statement
                && call.mac.path.segments.last().is_some_and(|last| last.ident == "overlapped")
            {
                let found = expand_part(call.mac.tokens.clone());
                self.0.extend(found.verdicts);
                let tokens = found.tokens;
                *statement = parse_quote!(#tokens);
            }
            syn::visit_mut::visit_stmt_mut(self, statement);
        }
    }
    let mut item = item;
    syn::visit_mut::VisitMut::visit_item_mut(&mut Parts(said), &mut item);
    item.to_token_stream()
}

/// The lints that emitted statements allow are the same everywhere.
fn without_lints(text: &str) -> String {
    let mut kept = String::new();
    let mut is_inside = false;
    for line in text.lines() {
        if line.trim() == "#[allow(" {
            is_inside = true;
        }
        if !is_inside {
            kept.push_str(line);
            kept.push('\n');
        }
        if line.trim() == ")]" {
            is_inside = false;
        }
    }
    kept
}

fn expanded(text: &str) -> String {
    let mut tokens = TokenStream::new();
    let mut said = String::new();
    for (arguments, item) in items_in(text) {
        let mut found = expand(arguments, item.to_token_stream());
        let item: Item = syn::parse2(found.tokens).expect("what is emitted is an item");
        found.tokens = with_parts(item, &mut found.verdicts);
        for verdict in &found.verdicts {
            let line = verdict.span.start().line;
            writeln!(said, "// {line}: {}", verdict.text()).expect("writing to a string");
            if let Some(missed) = verdict.missed_text() {
                writeln!(said, "// {line}: {missed}").expect("writing to a string");
            }
        }
        tokens.extend(found.tokens);
    }
    let file: syn::File = syn::parse2(tokens).expect("what is emitted is Rust");
    format!("{said}\n{}", without_lints(&prettyplease::unparse(&file)))
}

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden");
    let entries = fs::read_dir(folder).expect("the folder of the golden files");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    found
}

#[test]
fn golden_files_agree() {
    let inputs = inputs();
    assert!(!inputs.is_empty());
    let mut different = Vec::new();
    for path in inputs {
        let found = expanded(&fs::read_to_string(&path).expect("reading an input"));
        let golden = path.with_extension("expanded");
        if std::env::var_os("GRAVEL_WRITE").is_some() {
            fs::write(&golden, &found).expect("writing a golden file");
        }
        if fs::read_to_string(&golden).ok().as_ref() != Some(&found) {
            different.push(format!("{}:\n{found}", golden.display()));
        }
    }
    assert!(different.is_empty(), "`GRAVEL_WRITE=1` writes these anew:\n{}", different.join("\n"));
}

#[test]
fn what_is_emitted_depends_on_no_lines() {
    // An editor's server answers 1 for every line.
    for path in inputs() {
        let text = fs::read_to_string(&path).expect("reading an input");
        for (arguments, item) in items_in(&text) {
            let with_lines = expand(arguments.clone(), item.to_token_stream()).tokens.to_string();
            let flat: TokenStream = without_places(item.to_token_stream());
            let without = expand(arguments, flat).tokens.to_string();
            let is_said = |text: &str| text.contains("gravel: ");
            if !is_said(&with_lines) {
                assert_eq!(with_lines, without, "{}", path.display());
            }
        }
    }
}

/// The tokens, all at one place.
fn without_places(tokens: TokenStream) -> TokenStream {
    let flat = tokens.into_iter().map(|mut tree| {
        if let proc_macro2::TokenTree::Group(group) = &tree {
            let inner = without_places(group.stream());
            tree = proc_macro2::Group::new(group.delimiter(), inner).into();
        }
        tree.set_span(proc_macro2::Span::call_site());
        tree
    });
    flat.collect()
}

#[test]
fn what_is_no_function_says_where_the_attribute_belongs() {
    let found = expand(
        TokenStream::new(),
        quote!(
            struct Field {
                values: Vec<f64>,
            }
        ),
    );
    assert!(found.tokens.to_string().contains("stands on a function or a method"));
}

#[test]
fn what_is_unfinished_is_handed_on_as_it_is() {
    let unfinished = quote!(fn step(comm: &Gravel) { comm.send(&out[..], 1 + , 7)?; });
    assert_eq!(expand(TokenStream::new(), unfinished.clone()).tokens.to_string(), unfinished.to_string());
}

/// Seconds of processor time that this thread has used.
fn processor_time() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// A function of about so many lines: some of its loops fill and read messages.
fn long_function(lines: usize) -> TokenStream {
    // Each of these has 25 lines.
    let steps = (0..lines / 25).map(|step| {
        let tag = i32::try_from(step).unwrap_or(0);
        quote! {
            for i in 0..out.len() {
                out[i] = field[i] * 0.5;
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, #tag)?;
            for i in 0..inc.len() {
                field[i] = 0.5 * field[i] + inc[i];
            }
            let weight = sum * 0.25;
            let rows = field.len() / columns;
            for i in 1..rows {
                for j in 1..columns - 1 {
                    work[i * columns + j] = weight * (field[i * columns + j] + field[(i - 1) * columns + j]);
                }
            }
            for i in 0..work.len() {
                if work[i] > limit {
                    work[i] = limit;
                } else {
                    work[i] *= 0.5;
                }
            }
            sum = 0.0;
            for i in 0..work.len() {
                sum += work[i] * work[i];
            }
            sum = sum.sqrt() + weight;
        }
    });
    quote! {
        fn step(comm: &Gravel, field: &mut [f64], work: &mut [f64], out: &mut [f64], inc: &mut [f64], columns: usize, limit: f64, next: usize, prev: usize) -> gravel::Result<f64> {
            let mut sum = 0.0;
            #(#steps)*
            Ok(sum)
        }
    }
}

#[test]
fn long_functions_are_planned_at_once() {
    let lines = std::env::var("GRAVEL_LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(2000);
    let item = long_function(lines);
    let begin = processor_time();
    let found = expand(TokenStream::new(), item);
    let seconds = processor_time() - begin;
    assert_eq!(found.verdicts.len(), lines / 25);
    eprintln!("{lines} lines in {seconds} s");
    // It is a debug build, and other machines are slower: one that takes several times as long is a mistake.
    assert!(seconds < 4.0, "{lines} lines take {seconds} s");
}
