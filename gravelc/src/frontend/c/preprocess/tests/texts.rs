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
