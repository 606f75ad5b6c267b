//! Rules of the house that no compiler holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Pat};

/// All Rust files below a folder, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let is_test = path.file_stem().is_some_and(|name| name == "tests" || name == "testing");
        if path.is_dir() && !is_test {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
    found
}

/// The names of fields, variables and questions that give texts for people.
const PROSE: &[&str] =
    &["why", "what", "text", "description", "describe", "message", "reason", "quoted", "explanation"];

/// What looks for words in a text, takes it apart, or looks it up among others.
const SEARCHES: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "find",
    "rfind",
    "matches",
    "split",
    "split_once",
    "rsplit_once",
    "strip_prefix",
    "strip_suffix",
    "eq",
    "eq_ignore_ascii_case",
];

/// The lines on which a decision looks at words that are for people.
#[derive(Default)]
struct Searches {
    lines: Vec<usize>,
}

/// Is it a text for people, in whatever form?
fn is_prose(expression: &Expr) -> bool {
    match expression {
        Expr::Field(field) => {
            matches!(&field.member, syn::Member::Named(name) if PROSE.contains(&name.to_string().as_str()))
        }
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| PROSE.contains(&name.to_string().as_str())),
        // With arguments it may be another text: `program.text(span)` is the source.
        Expr::MethodCall(call) if call.args.is_empty() => {
            PROSE.contains(&call.method.to_string().as_str()) || is_prose(&call.receiver)
        }
        Expr::Reference(part) => is_prose(&part.expr),
        Expr::Paren(part) => is_prose(&part.expr),
        Expr::Unary(part) => is_prose(&part.expr),
        Expr::Index(part) => is_prose(&part.expr),
        _ => false,
    }
}

fn is_words(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
        Expr::Reference(part) => is_words(&part.expr),
        _ => false,
    }
}

fn has_words(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
        Pat::Or(cases) => cases.cases.iter().any(has_words),
        _ => false,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().contains("test"),
        meta => meta.path().is_ident("test"),
    })
}

impl Searches {
    fn in_text(text: &str) -> Vec<usize> {
        let mut found = Self::default();
        found.visit_file(&syn::parse_file(text).expect("it is Rust"));
        found.lines
    }

    fn add(&mut self, place: &impl Spanned) {
        self.lines.push(place.span().start().line);
    }
}

impl<'ast> Visit<'ast> for Searches {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let searches = SEARCHES.contains(&call.method.to_string().as_str());
        let in_prose = is_prose(&call.receiver) && call.args.iter().any(is_words);
        // A text that is looked up among others is a key.
        let for_prose = call.args.iter().any(is_prose);
        if searches && (in_prose || for_prose) {
            self.add(&call.method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, comparison: &'ast syn::ExprBinary) {
        let compares = matches!(comparison.op, BinOp::Eq(_) | BinOp::Ne(_));
        let (left, right) = (&*comparison.left, &*comparison.right);
        if compares && (is_prose(left) && is_words(right) || is_words(left) && is_prose(right)) {
            self.add(&comparison.op);
        }
        visit::visit_expr_binary(self, comparison);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        if is_prose(&choice.expr) && choice.arms.iter().any(|arm| has_words(&arm.pat)) {
            self.add(&choice.expr);
        }
        visit::visit_expr_match(self, choice);
    }
}

#[test]
fn searches_in_prose_are_recognised() {
    let is_one = |expression: &str| !Searches::in_text(&format!("fn f() {{ let _ = {expression}; }}")).is_empty();
    assert!(is_one("why.contains(\"OpenMP\")"));
    assert!(is_one("found.description.as_str().starts_with(\"error\")"));
    assert!(is_one("matches(unread.why.to_ascii_lowercase().contains(\"macro\"))"));
    assert!(is_one("unread\n.describe()\n.split_once(\": \")"));
    assert!(is_one("self.unread.contains(unread.what.as_str())"));
    assert!(is_one("reason.message == \"no main program\""));
    assert!(is_one("match why.as_str() { \"OpenMP\" | \"OpenACC\" => 1, _ => 2 }"));
    assert!(!is_one("routine.contains(\"unpack\")"));
    assert!(!is_one("names.contains(\"why\")"));
    assert!(!is_one("program.text(span).contains(\"kind\")"));
    assert!(!is_one("message.find(site)"));
}

/// What decides is data: a reason that is written in other words must not change what the compiler does.
#[test]
fn nothing_is_decided_by_words() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["analysis", "emit", "ir", "passes", "plan", "transform"] {
        for path in sources(&source.join(folder)) {
            files += 1;
            let text = fs::read_to_string(&path).expect("the file can be read");
            found.extend(Searches::in_text(&text).iter().map(|line| format!("{}:{line}", path.display())));
        }
    }
    assert!(files > 200, "only {files} files were looked at");
    assert!(found.is_empty(), "text for people is searched:\n{}", found.join("\n"));
}

/// Does the line take a name apart at a sign that joins its parts, or look for such a sign, in the text of a name?
fn takes_names_apart(line: &str) -> bool {
    const CALLS: &[&str] = &[
        ".split(",
        ".split_once(",
        ".rsplit(",
        ".rsplit_once(",
        ".find(",
        ".rfind(",
        ".contains(",
        ".starts_with(",
        ".ends_with(",
        ".strip_prefix(",
        ".strip_suffix(",
    ];
    // What stands behind a colon and a blank is prose.
    let is_joint = |text: &str| text == " " || !text.is_empty() && text.chars().all(|sign| "%:@#".contains(sign));
    CALLS.iter().any(|call| {
        line.match_indices(call).any(|(place, _)| {
            let argument = &line[place + call.len()..];
            let quote = argument.chars().next().filter(|first| "'\"".contains(*first));
            let text = quote.and_then(|quote| argument[1..].split(quote).next());
            // A sign, or a word with a sign behind it that says of what kind the rest is.
            text.is_some_and(|text| is_joint(text) || text.ends_with([':', '%', '@']))
        })
    })
}

#[test]
fn names_that_are_taken_apart_are_recognised() {
    assert!(takes_names_apart("let path = name.split_once('%').map(|(_, path)| path);"));
    assert!(takes_names_apart("place.starts_with(\"module:\")"));
    assert!(takes_names_apart("let own = name.rsplit(\"::\").next();"));
    assert!(!takes_names_apart("name.starts_with(\"mpi_\")"));
    assert!(!takes_names_apart("let ((a, b), c) = line.split_once(',')?;"));
}

/// Places, paths to components and the names of outer procedures have types or functions of their own in `ir`: what is written
/// in a name is not read again.
#[test]
fn no_name_is_taken_apart() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for folder in ["analysis", "transform", "passes", "plan"] {
        for path in sources(&source.join(folder)) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let lines = text.lines().enumerate().filter(|(_, line)| takes_names_apart(line));
            found.extend(lines.map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim())));
        }
    }
    assert!(found.is_empty(), "names are taken apart:\n{}", found.join("\n"));
}

/// What a language says of all programs is asked (`ir::Dialect`).
#[test]
fn no_language_is_taken_for_granted() {
    const RULES: &[(&str, &str)] = &[
        ("eq_ignore_ascii_case", "names that differ in case: `is_same_name`"),
        ("bytes == Some(4)", "a plain integer of 4 bytes: `integer_bytes`"),
        ("SourceLayout::", "the columns of a line: `without_comment`"),
        (".room ==", "statements that share a line: `Procedure::has_room_around`"),
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for folder in ["analysis", "transform", "passes", "plan"] {
        for path in sources(&source.join(folder)) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            for (rule, question) in RULES.iter().filter(|(rule, _)| text.contains(rule)) {
                found.push(format!("{} has `{rule}`: {question}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "a rule of one language is taken for granted:\n{}", found.join("\n"));
}

/// The text in front of a file's own tests.
fn without_tests(text: &str) -> &str {
    let tests = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|begin| text.find(begin)).min();
    &text[..tests.unwrap_or(text.len())]
}

/// The routines of MPI that a text names in quotes.
fn routines_named<'t>(text: &'t str, routines: &BTreeSet<&str>) -> Vec<&'t str> {
    let quoted = ["\"mpi_", "\"pmpi_"]
        .into_iter()
        .flat_map(|begin| text.match_indices(begin).filter_map(move |(at, _)| text[at + 1..].split('"').next()));
    let short = |word: &'t str| word.split_once("mpi_").map(|(_, short)| short);
    quoted.filter(|word| short(word).is_some_and(|short| routines.contains(short))).collect()
}

#[test]
fn routines_that_are_named_are_recognised() {
    let routines = BTreeSet::from(["send", "comm_free"]);
    assert_eq!(routines_named("[\"mpi_send\", \"pmpi_comm_free\", \"mpi_comm_world\"]", &routines).len(), 2);
}

/// What a routine does is asked of the table (`mpi/`), by a property of it: the next one of its kind is then known everywhere.
#[test]
fn routines_are_named_in_the_table_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table = fs::read_to_string(source.join("mpi/routines.txt")).expect("the table can be read");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let routines: BTreeSet<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
    assert!(routines.len() > 450, "only {} routines were read", routines.len());
    let mut found = Vec::new();
    for folder in ["analysis", "emit", "frontend", "ir", "passes", "plan", "transform"] {
        for path in sources(&source.join(folder)) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let named = routines_named(without_tests(&text), &routines);
            found.extend(named.iter().map(|routine| format!("{} names {routine}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
