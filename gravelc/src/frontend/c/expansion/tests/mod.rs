//! Texts and own text of units in memory.

mod edits;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::frontend::c::preprocess::{Configuration, Folder, Purpose, SourceText, Texts, preprocess};

/// A header of the system that is included as `<sys.h>`, and what it says.
const SYSTEM: &str =
    "#define NULL ((void*)0)\n#define LIMIT 64\n#define assert(x) ((x) ? 0 : fail(#x))\nint dropped(void);\n";

fn expansion_with(text: &str, headers: &[(&str, &str)]) -> Expansion {
    let mut files: HashMap<PathBuf, Vec<u8>> =
        headers.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec())).collect();
    files.insert(PathBuf::from("/system/sys.h"), SYSTEM.as_bytes().to_vec());
    let configuration = Configuration {
        folders: vec![Folder { path: PathBuf::from("/system"), is_system: true }],
        ..Configuration::default()
    };
    let text = text.as_bytes().to_vec();
    Expansion::new(preprocess(Path::new("m.c"), text, &configuration, &Texts(files), Purpose::Reading))
}

fn expansion(text: &str) -> Expansion {
    expansion_with(text, &[])
}

fn shown(expansion: &Expansion) -> String {
    String::from_utf8_lossy(expansion.text()).into_owned()
}

/// What the file has for the first occurrence of a part of the text.
fn own(expansion: &Expansion, part: &str) -> Result<String, NotOwn> {
    own_behind(expansion, part, 0)
}

/// The same for the first occurrence behind some others.
fn own_behind(expansion: &Expansion, part: &str, others: usize) -> Result<String, NotOwn> {
    let text = shown(expansion);
    let at = text.match_indices(part).nth(others).unwrap_or_else(|| panic!("no {part} in {text}")).0;
    let found = expansion.own_text(at..at + part.len())?;
    let file: &SourceText = expansion.unit().file(found.place.file);
    let bytes = &file.text[found.place.start as usize..found.place.end as usize];
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

#[test]
fn lines_and_blanks_are_those_of_the_source() {
    let text = "#define N 4\nint  a[N];/* x */int b;\n#pragma omp parallel\nf(a,\n  -N);\n";
    let expansion = expansion(text);
    assert_eq!(shown(&expansion), "int a[ 4 ]; int b;\n#pragma omp parallel\nf(a,\n- 4 );\n");
    for (number, token) in expansion.unit().tokens.iter().enumerate() {
        let range = expansion.range_of(number);
        assert_eq!(&expansion.text()[range.clone()], expansion.unit().symbols.spelling(token.symbol));
        assert_eq!(expansion.token_at(range.start), Some(number));
        assert_eq!(expansion.token_at(range.end - 1), Some(number));
    }
    let at = shown(&expansion).find('4').unwrap();
    let origin = expansion.origin(at).unwrap();
    assert_eq!(&text[origin.start as usize..origin.end as usize], "N");
}

#[test]
fn headers_of_the_system_leave_only_their_macros() {
    let expansion = expansion_with(
        "#include <sys.h>\n#include \"own.h\"\nint a[LIMIT]; int *p = NULL; int q = assert(N > 1);\n#if NULL == 3\n#endif\n",
        &[("own.h", "#define N 2\nint kept(void);\n")],
    );
    assert_eq!(shown(&expansion), "int kept(void);\nint a[ 64 ]; int *p = NULL; int q = assert( 2 > 1);\n");
    assert_eq!(own(&expansion, "p = NULL"), Ok("p = NULL".to_string()));
    assert_eq!(own(&expansion, "assert( 2 > 1)"), Ok("assert(N > 1)".to_string()));
    let other = expansion_with("#define NULL 7\nint a = NULL;\n", &[]);
    assert_eq!(shown(&other), "int a = 7 ;\n");
}

#[test]
fn what_a_file_spells_is_own_text() {
    let text = "#define N 10\n#define EMPTY\n#define CHECK(x) do { int e = x; if (e) stop(); } while (0)\n\
        void f(void) {\n  MPI_Send(a, /* all */ N,\n    t EMPTY, to);\n  CHECK(MPI_Recv(b, N, from));\n  a[N];\n}\n";
    let expansion = expansion(text);
    assert_eq!(own(&expansion, "a, 10 ,\nt , to"), Ok("a, /* all */ N,\n    t EMPTY, to".to_string()));
    assert_eq!(own(&expansion, "MPI_Recv(b, 10 , from)"), Ok("MPI_Recv(b, N, from)".to_string()));
    let all = "do { int e = MPI_Recv(b, 10 , from) ; if ( e ) stop ( ) ; } while ( 0 )";
    let text = shown(&expansion);
    let whole = text.find("do {").unwrap()..text.find("while").unwrap() + "while ( 0 )".len();
    let found = expansion.own_text(whole).unwrap_or_else(|reason| panic!("{reason:?} for {all} in {text}"));
    assert!(!found.is_plain && !found.is_in_argument);
    let at = text.find("MPI_Recv").unwrap();
    assert!(expansion.own_text(at..at + 8).unwrap().is_in_argument);
    assert_eq!(own(&expansion, "int e"), Err(NotOwn::MadeByMacro));
    assert_eq!(own(&expansion, "if"), Err(NotOwn::MadeByMacro));
    assert_eq!(expansion.own_text(3..3), Err(NotOwn::Empty));
}

#[test]
fn what_a_macro_does_to_an_argument_is_told() {
    let text = "#define LOUD(x) say(#x); x\n#define TWICE(x) x x\n#define FIRST(x, y) x\n#define VAR(x) x ## _v x\n\
        #define SWAP(x, y) y x\n#define BOTH(x, y) x y\n#define PASS(x) TWICE(x)\n#define CALL(f) f(1);\n#define g(x) h(x)\n\
        LOUD(a(1)); TWICE(b(1)); FIRST(c(1), d(1)); VAR(e); SWAP(p, q); BOTH(r, s); PASS(t(1)); CALL(g)\n";
    let expansion = expansion(text);
    assert_eq!(own_behind(&expansion, "a(1)", 1), Err(NotOwn::Stringified));
    assert_eq!(own(&expansion, "b(1)"), Err(NotOwn::Repeated));
    assert_eq!(own(&expansion, "c(1)"), Ok("c(1)".to_string()));
    assert_eq!(own(&expansion, "e_v"), Err(NotOwn::MadeByMacro));
    assert_eq!(own(&expansion, "q p"), Ok("SWAP(p, q)".to_string()));
    assert_eq!(own(&expansion, "r s"), Ok("BOTH(r, s)".to_string()));
    assert_eq!(own(&expansion, "t(1)"), Err(NotOwn::Repeated));
    // The name alone stands in the file; the parentheses are the other macro's.
    assert_eq!(own(&expansion, "h( 1 )"), Err(NotOwn::MadeByMacro));
    let swapped = "#define SWAP(x, y) y; x;\nSWAP(p, q)\n#define JOIN(x, y) x y;\nJOIN(r, s)\n";
    let expansion = self::expansion(swapped);
    assert_eq!(own(&expansion, "q ; p"), Err(NotOwn::MadeByMacro));
    let joined = self::expansion("#define JOIN(x, y) x y;\nJOIN(r, s)\n#define TURN(x, y) y x;\nTURN(u, v)\n");
    assert_eq!(own(&joined, "r s"), Err(NotOwn::Gap));
    assert_eq!(own(&joined, "v u"), Err(NotOwn::OtherOrder));
}

#[test]
fn directives_and_headers_part_text() {
    let text = "f(1,\n#ifdef A\n2,\n#endif\n3);\n#include \"x.h\"\n#include \"x.h\"\n#include \"y.h\"\n#include \"y.h\"\n#include <sys.h>\n";
    let expansion = expansion_with(text, &[("x.h", "twice();\n"), ("y.h", "#ifndef Y\n#define Y\nonce();\n#endif\n")]);
    assert_eq!(own(&expansion, "f(1,\n3)"), Err(NotOwn::Directive));
    assert_eq!(own(&expansion, "3"), Ok("3".to_string()));
    assert_eq!(own(&expansion, "3);"), Err(NotOwn::Unbalanced));
    assert_eq!(own(&expansion, "twice()"), Err(NotOwn::IncludedTwice));
    assert_eq!(own(&expansion, "once()"), Ok("once()".to_string()));
    assert_eq!(own(&expansion, "once();"), Ok("once();".to_string()));
    assert_eq!(own(&expansion, "twice();\nonce();"), Err(NotOwn::SeveralFiles));
}

#[test]
fn invocations_that_end_elsewhere_are_whole() {
    let text = "#define NAME call\n#define call(x) x + 1\n#define OPEN (\ny = NAME(a) + 2;\nz = NAME OPEN 3);\n";
    let expansion = expansion(text);
    assert_eq!(own(&expansion, "a + 1"), Ok("NAME(a)".to_string()));
    assert_eq!(own(&expansion, "y = a + 1 + 2"), Ok("y = NAME(a) + 2".to_string()));
    assert_eq!(shown(&expansion).lines().last(), Some("z = call ( 3);"));
}
