//! Texts in memory.

use std::path::Path;

use super::super::*;

fn unit(text: &str) -> Unit {
    let text = text.as_bytes().to_vec();
    preprocess(Path::new("m.c"), text, &Configuration::default(), &Texts::default(), Purpose::Reading)
}

/// The tokens, with a blank between two.
fn shown(unit: &Unit) -> String {
    let spellings: Vec<String> = unit.tokens.iter().map(|token| unit.symbols.text(token.symbol)).collect();
    spellings.join(" ")
}

fn expanded(text: &str) -> String {
    let unit = unit(text);
    assert!(unit.problems.is_empty(), "{text}: {:?}", unit.problems);
    shown(&unit)
}

#[test]
fn the_examples_of_the_standard_come_out_right() {
    // 6.10.3.5 example 3.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
        #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n";
    let wanted = "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
        f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; \
        int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;";
    assert_eq!(expanded(text), wanted);
    // Example 4.
    let text = "#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n\
        x ## s, x ## t)\n#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n\
        #define LOW LOW \", world\"\ndebug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n== 0) str(: @\\n), s);\n\
        xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n";
    let wanted = "printf ( \"x\" \"1\" \"= %d, x\" \"2\" \"= %s\" , x1 , x2 ) ; fputs ( \
        \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" , s ) ; \"vers2.h\" \"hello\" ; \"hello\" \", world\"";
    assert_eq!(expanded(text), wanted);
}

#[test]
fn arguments_may_vary_in_number() {
    let text = "#define e(f, ...) p(f, ## __VA_ARGS__)\n#define g(f, a...) p(f, a)\n#define o(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\n\
        e(1) e(1,2,3) g(1,2,3) o(1) o(1,2) o(1,)\n";
    let wanted = "p ( 1 ) p ( 1 , 2 , 3 ) p ( 1 , 2 , 3 ) p ( 1 ) p ( 1 , 2 ) p ( 1 )";
    assert_eq!(expanded(text), wanted);
}

#[test]
fn conditions_choose() {
    let text = "#if 1 + 1 == 2 && (0 || -1 < 0) && -1 > 0u && !defined(A) && 'a' == 97\nyes\n#else\nno\n#endif\n\
        #define A 0\n#if A\na\n#elif defined A\nb\n#elif 1 / 0\nc\n#else\nd\n#endif\n#ifdef B\nthis isn't text\n#endif\n\
        #if 1 ? 2 : (1/0)\ne\n#endif\n#if 0 && 1/0\nf\n#endif\n";
    assert_eq!(expanded(text), "yes b e");
}

#[test]
fn conditions_are_listed_with_what_nobody_knows() {
    let text = "#ifndef OWN_DEFAULT\n#define OWN_DEFAULT 1\n#endif\n#if defined(HAVE_GPU) || LEVEL > 2 || GIVEN\nskipped 1\n\
        #else\nkept\n#endif\n#ifdef __FILE__\n#elif NEVER_ASKED\nnot seen\n#endif\n";
    let configuration = Configuration { undefined: vec!["GIVEN".to_string()], ..Configuration::default() };
    let text = text.as_bytes().to_vec();
    let unit = preprocess(Path::new("m.c"), text.clone(), &configuration, &Texts::default(), Purpose::Reading);
    let names = |symbols: &[Symbol]| symbols.iter().map(|name| unit.symbols.text(*name)).collect::<Vec<_>>();
    let mut unknown = names(&unit.unknown_names());
    unknown.sort();
    assert_eq!(unknown, ["HAVE_GPU", "LEVEL"]);
    let holds: Vec<bool> = unit.conditions.iter().map(|condition| condition.holds).collect();
    assert_eq!(holds, [true, false, true]);
    let asked: Vec<Symbol> = unit.conditions[1].names.iter().map(|(name, _)| *name).collect();
    let mut asked = names(&asked);
    asked.sort();
    assert_eq!(asked, ["GIVEN", "HAVE_GPU", "LEVEL"]);
    let inactive: Vec<&[u8]> =
        unit.inactive.iter().map(|place| &text[place.start as usize..place.end as usize]).collect();
    assert_eq!(inactive, [b"skipped 1".as_slice(), b"not seen"]);
    assert_eq!(unit.directives.len(), 9);
    assert!(unit.problems.is_empty());
}

#[test]
fn a_header_that_guards_itself_asks_for_nothing() {
    let header = b"#ifndef H\n#define H\nint x;\n#endif\n".to_vec();
    let files = Texts([("d/h.h".into(), header)].into());
    let text = b"#include \"h.h\"\n#include \"h.h\"\n#undef H\n".to_vec();
    let unit = preprocess(Path::new("d/m.c"), text, &Configuration::default(), &files, Purpose::Reading);
    assert_eq!(shown(&unit), "int x ;");
    assert!(unit.unknown_names().is_empty() && unit.conditions[0].is_guard);
    assert_eq!(unit.files.iter().map(|file| file.inclusions).collect::<Vec<_>>(), [1, 0, 1]);
}

#[test]
fn headers_are_searched_as_compilers_do() {
    let folder = |path: &str| Folder { path: path.into(), is_system: path == "sys" };
    let configuration = Configuration {
        folders: ["quote", "own", "sys"].map(folder).to_vec(),
        quote_folders: 1,
        forced: vec![b"forced.h".to_vec()],
        ..Configuration::default()
    };
    let texts = [
        ("forced.h", "forced\n"),
        ("quote/a.h", "quoted\n"),
        ("own/a.h", "own\n#include_next <a.h>\n"),
        ("sys/a.h", "system\n#define A __FILE__ __INCLUDE_LEVEL__\n"),
        ("src/b.h", "#pragma once\nbeside A\n"),
    ];
    let files = Texts(texts.map(|(name, text)| (name.into(), text.as_bytes().to_vec())).into());
    let text = b"#include \"a.h\"\n#include <a.h>\n#define B \"b.h\"\n#include B\n#include B\n#include <none.h>\n\
        #if __has_include(<a.h>) && !__has_include(<b.h>) && __has_include(\"b.h\")\nA __LINE__\n#line 7 \"n.c\"\n__FILE__ __LINE__\n#endif\n";
    let configuration = Configuration { questions: vec!["__has_include".to_string()], ..configuration };
    let unit = preprocess(Path::new("src/m.c"), text.to_vec(), &configuration, &files, Purpose::Comparison);
    let wanted = "forced quoted own system beside \"src/b.h\" 1 \"src/m.c\" 0 8 \"n.c\" 7";
    assert_eq!(shown(&unit), wanted);
    assert_eq!(unit.problems.iter().map(|problem| problem.kind).collect::<Vec<_>>(), [ProblemKind::NoSuchFile]);
}

#[test]
fn what_does_not_end_is_given_up() {
    let doubling: String = (1..40).map(|n| format!("#define A{n} A{} A{}\n", n - 1, n - 1)).collect();
    let nested = format!("#define f(x) x\n{}1{}\n", "f(".repeat(5000), ")".repeat(5000));
    let strings = format!("#define s(x) #x\n#define t(x) s(x)\n{}\\{}\n", "t(".repeat(150), ")".repeat(150));
    let growing = "#define B(x) x x\n#define C(x) B(B(B(B(B(B(B(B(x))))))))\nC(C(C(C(C(1)))))\n".to_string();
    let conditions = "#if 1\n".repeat(5000);
    let parentheses = format!("#if {}1{}\n#endif\n", "(".repeat(5000), ")".repeat(5000));
    for (text, kind) in [
        (format!("#define A0 x x\n{doubling}A39\n"), Some(ProblemKind::TooLarge)),
        (nested, Some(ProblemKind::NestedTooDeep)),
        (strings, None),
        (growing, Some(ProblemKind::TooLarge)),
        (conditions, Some(ProblemKind::NestedTooDeep)),
        (parentheses, Some(ProblemKind::InvalidCondition)),
    ] {
        let configuration = Configuration { most_tokens: 100_000, ..Configuration::default() };
        let read = text.clone().into_bytes();
        let unit = preprocess(Path::new("m.c"), read, &configuration, &Texts::default(), Purpose::Reading);
        let kinds: Vec<ProblemKind> = unit.problems.iter().map(|problem| problem.kind).collect();
        assert!(kind.is_none_or(|kind| kinds.contains(&kind)), "{kinds:?} for {:.60}", text);
    }
    let files = Texts([("m.c".into(), b"#include \"m.c\"\n".to_vec())].into());
    let text = b"#include \"m.c\"\n".to_vec();
    let unit = preprocess(Path::new("m.c"), text, &Configuration::default(), &files, Purpose::Reading);
    assert!(unit.problems.iter().any(|problem| problem.kind == ProblemKind::IncludesTooDeep), "{:?}", unit.problems);
}

#[test]
fn wrong_texts_are_told() {
    for (text, kind) in [
        ("/* open", ProblemKind::OpenComment),
        ("#include <", ProblemKind::NoFileName),
        ("#define", ProblemKind::InvalidDefinition),
        ("#define f(a, a) 1", ProblemKind::InvalidDefinition),
        ("#define f(a) # b", ProblemKind::InvalidDefinition),
        ("#define f ## a", ProblemKind::InvalidDefinition),
        ("#if\n#endif", ProblemKind::InvalidCondition),
        ("#if 1 +\n#endif", ProblemKind::InvalidCondition),
        ("#if 1.5\n#endif", ProblemKind::InvalidCondition),
        ("#if 1", ProblemKind::UnbalancedCondition),
        ("#endif", ProblemKind::UnbalancedCondition),
        ("#if 0\n#else\n#else\n#endif", ProblemKind::UnbalancedCondition),
        ("#define f(a) a\nf(1, 2)", ProblemKind::WrongArguments),
        ("#define f(a) a\nf(1", ProblemKind::OpenArguments),
        ("#define f(a) + ## a\nf(b)", ProblemKind::InvalidPaste),
        ("#error no", ProblemKind::ErrorDirective),
        ("#nothing", ProblemKind::InvalidDirective),
        ("_Pragma(1)", ProblemKind::InvalidPragma),
    ] {
        let kinds: Vec<ProblemKind> = unit(text).problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(kinds, [kind], "{text}");
    }
}
