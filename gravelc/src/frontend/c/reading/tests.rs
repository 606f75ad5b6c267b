//! What is read from short texts.

use crate::frontend::c::reading::read;
use crate::frontend::c::types::{ArrayLength, IntegerType, Reason, Target, TypeKind, size_of, spell};
use crate::frontend::c::unit::{
    Conversion, Designator, Doubt, Expression, ExpressionId, HoleCause, Linkage, Operation, StatementKind, Storage,
    SymbolKind, Unit,
};

fn unit(text: &str) -> Unit {
    let unit = read(text.as_bytes(), Target::X86_64);
    assert_eq!(unit.holes, [], "{text}");
    unit
}

/// The spelled type of a symbol of file scope.
fn type_of(unit: &Unit, name: &str) -> String {
    let id = unit.global(name).unwrap_or_else(|| panic!("no {name}"));
    spell(&unit.types, &unit.names, unit.symbol(id).ty, "")
}

/// The expressions that are statements of the first function's block, in order.
fn statements(unit: &Unit) -> Vec<&Expression> {
    let StatementKind::Block(items) = &unit.statement(unit.functions[0].body).kind else { panic!("no block") };
    let expression = |id: &crate::frontend::c::unit::StatementId| match unit.statement(*id).kind {
        StatementKind::Expression(id) | StatementKind::Return(Some(id)) => Some(unit.expression(id)),
        _ => None,
    };
    items.iter().filter_map(expression).collect()
}

/// A short form of an expression: its operators and leaves.
fn shape(unit: &Unit, text: &str, id: ExpressionId) -> String {
    let expression = unit.expression(id);
    let of = |id: &ExpressionId| shape(unit, text, *id);
    match &expression.operation {
        Operation::Convert { operand, is_cast: true, .. } => {
            format!("({}){}", spell(&unit.types, &unit.names, expression.ty, ""), of(operand))
        }
        Operation::Convert { operand, .. } => of(operand),
        Operation::Binary(operator, left, right) => format!("{operator:?}({}, {})", of(left), of(right)),
        Operation::Unary(operator, operand) => format!("{operator:?}({})", of(operand)),
        Operation::Dereference(operand) => format!("*{}", of(operand)),
        Operation::AddressOf(operand) => format!("&{}", of(operand)),
        Operation::Call { callee, arguments } => {
            format!("{}({})", of(callee), arguments.iter().map(of).collect::<Vec<_>>().join(", "))
        }
        _ => text[expression.range.start as usize..expression.range.end as usize].to_string(),
    }
}

/// The shapes of the values that the first function returns or computes.
fn shapes(text: &str) -> Vec<String> {
    let unit = unit(text);
    let found = statements(&unit);
    let id = |expression: &&Expression| {
        let index = unit.expressions.iter().position(|other| std::ptr::eq(other, *expression)).unwrap();
        ExpressionId::next(index)
    };
    found.iter().map(|expression| shape(&unit, text, id(expression))).collect()
}

#[test]
fn names_of_types_decide_what_is_a_cast() {
    let body = "return (n) - x * y; return (T) - x * y; return (n) & x == y; return (T) & x == y; return (f)(x); return (T)(x);";
    let text = format!("typedef long T; int n, x, y; int f(int); long g(void) {{ {body} }}");
    let found = shapes(&text);
    assert_eq!(
        found,
        [
            "Subtract((n), Multiply(x, y))",
            "Multiply((long)Minus(x), y)",
            "BitAnd((n), Equal(x, y))",
            "Equal((long)&x, y)",
            "(f)(x)",
            "(long)(x)"
        ]
    );
}

#[test]
fn names_of_types_decide_what_is_a_declaration() {
    let unit =
        unit("typedef int T; int a, b; void f(void) { a * b; T * b; { int T = 2; T * a; } T(c); sizeof(T) * a; }");
    let StatementKind::Block(items) = &unit.statement(unit.functions[0].body).kind else { panic!("no block") };
    let is_declaration = |id| matches!(unit.statement(id).kind, StatementKind::Declaration { .. });
    assert_eq!(items.iter().map(|id| is_declaration(*id)).collect::<Vec<_>>(), [false, true, false, true, false]);
    let StatementKind::Block(inner) = &unit.statement(items[2]).kind else { panic!("no block") };
    assert_eq!(inner.iter().map(|id| is_declaration(*id)).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn parameters_may_be_named_as_types() {
    let unit = unit("typedef int T; int f(T); int g(int (T)); void k(T T) { T * 2; }");
    assert_eq!(type_of(&unit, "f"), "int (int)");
    assert_eq!(type_of(&unit, "g"), "int (int (*)(int))");
    assert_eq!(statements(&unit).len(), 1);
}

#[test]
fn declarators_nest() {
    let unit = unit(
        "char *(*(*a)[3])(int, ...); int (*b(void))(double); const char *const c[2]; int (*d)[4][5]; \
         void (*signal(int, void (*)(int)))(int); unsigned long int long e; int f[][3] = {1, 2, 3, 4}; char s[] = \"ab\" \"c\";",
    );
    assert_eq!(type_of(&unit, "a"), "char *(*(*)[3])(int, ...)");
    assert_eq!(type_of(&unit, "b"), "int (*(void))(double)");
    assert_eq!(type_of(&unit, "c"), "const char *const [2]");
    assert_eq!(type_of(&unit, "d"), "int (*)[4][5]");
    assert_eq!(type_of(&unit, "signal"), "void (*(int, void (*)(int)))(int)");
    assert_eq!(type_of(&unit, "e"), "unsigned long long");
    assert_eq!(type_of(&unit, "f"), "int [2][3]");
    assert_eq!(type_of(&unit, "s"), "char [4]");
}

#[test]
fn conversions_are_written() {
    let unit = unit(
        "short s; double d; char buf[4]; void g(double, ...); void f(void) { g(s, s, 1.0f, buf, f); s = d; s += d; }",
    );
    let found = statements(&unit);
    let Operation::Call { callee, arguments } = &found[0].operation else { panic!("no call") };
    let conversions = |mut id: ExpressionId| {
        let mut found = Vec::new();
        while let Operation::Convert { conversion, operand, .. } = unit.expression(id).operation {
            found.push(conversion);
            id = operand;
        }
        found
    };
    assert_eq!(conversions(*callee), [Conversion::FunctionAddress]);
    let given: Vec<_> = arguments.iter().map(|id| conversions(*id)).collect();
    use Conversion as C;
    assert_eq!(
        given,
        [
            vec![C::ToFloat, C::Read],
            vec![C::Integer, C::Read],
            vec![C::Float],
            vec![C::Decay],
            vec![C::FunctionAddress]
        ]
    );
    let Operation::Assign { right, .. } = found[1].operation else { panic!("no assignment") };
    assert_eq!(conversions(right), [C::ToInteger, C::Read]);
    let Operation::AssignOperation { computation, .. } = found[2].operation else { panic!("no assignment") };
    assert_eq!(spell(&unit.types, &unit.names, computation, ""), "double");
}

#[test]
fn initialisers_say_what_goes_where() {
    use Designator::{Elements as E, Member as M};
    let unit = unit(
        "struct p { int x, y; }; struct q { struct p a[2]; struct { int u; union { int v; float w; }; }; char t[4]; };\n\
         struct q one = { 1, 2, { 3 }, 4, 5, \"abc\" }; struct q two = { .a[1].y = 6, 7, .w = 8, .t = { \"x\" } }; int three[] = { [2] = 1, 2, [0 ... 1] = 9 };",
    );
    let paths = |name: &str| {
        let symbol = unit.symbol(unit.global(name).unwrap());
        symbol.initialiser.as_ref().unwrap().items.iter().map(|item| item.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        paths("one"),
        [
            vec![M(0), E(0, 0), M(0)],
            vec![M(0), E(0, 0), M(1)],
            vec![M(0), E(1, 1), M(0)],
            vec![M(1), M(0)],
            vec![M(1), M(1), M(0)],
            vec![M(2)]
        ]
    );
    assert_eq!(paths("two"), [vec![M(0), E(1, 1), M(1)], vec![M(1), M(0)], vec![M(1), M(1), M(1)], vec![M(2)]]);
    assert_eq!(paths("three"), [vec![E(2, 2)], vec![E(3, 3)], vec![E(0, 1)]]);
    assert_eq!(type_of(&unit, "three"), "int [4]");
    assert_eq!(unit.doubts, []);
}

#[test]
fn vectors_are_given_as_a_whole_or_by_elements() {
    let unit = unit(
        "typedef int v __attribute__((vector_size(8))); void f(v a) { v b = a; v c = { 1, 2 }; v d = b + 1; b[1] = c[0] < 2; }",
    );
    let counts: Vec<usize> = unit.symbols.iter().filter_map(|it| Some(it.initialiser.as_ref()?.items.len())).collect();
    assert_eq!(counts, [1, 2, 1]);
    let wrong = |it: &&Expression| matches!(it.operation, Operation::Convert { conversion: Conversion::Wrong, .. });
    assert_eq!(unit.expressions.iter().filter(wrong).count(), 0);
}

#[test]
fn declarations_of_one_thing_are_one_symbol() {
    let unit = unit(
        "extern int a[]; int a[3]; static int f(); static int f(int x) { extern int a[]; int g(double); return x + a[0] + g(1); }\n\
         int t; int t; int u = 1; void k(void) { static int t; int u; { extern int u; } } int f(int);",
    );
    assert_eq!(type_of(&unit, "a"), "int [3]");
    assert_eq!(type_of(&unit, "f"), "int (int)");
    let symbol = |name: &str| unit.symbol(unit.global(name).unwrap());
    assert_eq!((symbol("f").linkage, symbol("g").linkage), (Linkage::Internal, Linkage::External));
    assert!(symbol("t").is_tentative && symbol("u").is_defined && !symbol("u").is_tentative && !symbol("g").is_defined);
    let named = |name: &str| {
        let name = unit.names.find(name);
        unit.symbols
            .iter()
            .filter(|symbol| symbol.name == name && symbol.kind == SymbolKind::Object)
            .map(|it| (it.linkage, it.storage))
            .collect::<Vec<_>>()
    };
    assert_eq!(named("a").len(), 1);
    assert_eq!(named("t"), [(Linkage::External, Storage::Static), (Linkage::None, Storage::Static)]);
    assert_eq!(named("u"), [(Linkage::External, Storage::Static), (Linkage::None, Storage::Automatic)]);
    assert_eq!(unit.doubts, []);
}

#[test]
fn declarations_that_do_not_fit_are_doubtful() {
    let unit = unit(
        "int a; double a; int f(int); int f(double); int g(void) { return 0; } int g(void) { return 1; } int x = 1; int x = 2;",
    );
    let kinds: Vec<Doubt> = unit.doubts.iter().map(|(_, doubt)| *doubt).collect();
    assert_eq!(kinds, [Doubt::DifferentTypes, Doubt::DifferentTypes, Doubt::DefinedTwice, Doubt::DefinedTwice]);
}

#[test]
fn functions_of_old_style() {
    let unit = unit("f(a, b, c) double b; char *c; { return a; } int g() { return f(1, 2.0, 0) + h(3); }");
    assert!(unit.functions[0].is_old_style);
    let types: Vec<String> = unit.functions[0]
        .parameters
        .iter()
        .map(|id| spell(&unit.types, &unit.names, unit.symbol(*id).ty, ""))
        .collect();
    assert_eq!(types, ["int", "double", "char *"]);
    assert_eq!(type_of(&unit, "f"), "int ()");
    let implicit = unit.symbol(unit.global("h").unwrap());
    assert!(implicit.is_implicit && implicit.linkage == Linkage::External);
}

#[test]
fn variable_lengths_are_evaluated_where_they_stand() {
    let unit =
        unit("void f(int n, double a[n][n + 1]) { int m = n; double b[m][3], c[2]; sizeof b; a[1][2] = b[1][2]; }");
    assert_eq!(unit.functions[0].parameter_bounds.len(), 2);
    let StatementKind::Block(items) = &unit.statement(unit.functions[0].body).kind else { panic!("no block") };
    let StatementKind::Declaration { symbols, bounds, .. } = &unit.statement(items[1]).kind else {
        panic!("no declaration")
    };
    assert_eq!((symbols.len(), bounds.len()), (2, 1));
    let ty = unit.symbol(symbols[0]).ty;
    assert!(unit.types.is_variable(ty.id) && size_of(&unit.types, ty).is_none());
    let TypeKind::Array { length: ArrayLength::Variable(number), .. } = unit.types.kind(ty.id) else {
        panic!("no length")
    };
    assert_eq!(bounds[0].index(), number as usize);
    assert_eq!(size_of(&unit.types, unit.symbol(symbols[1]).ty), Some(16));
}

#[test]
fn forms_of_gnu_c() {
    let text = "int f(int n) { __label__ out; static void *to[] = { &&out, &&in }; int k = ({ int y = n; y + 1; }); \
        switch (n) { case 1 ... 3: case 'a': k++; __attribute__((fallthrough)); default: ; } goto *to[k]; in: __asm__ volatile (\"nop\" : : \"r\"(k)); \
        out: ; int inner(int x) { return x + n; } __typeof__(n) z = inner(2) ?: 3; __auto_type q = (struct { int a; }){ .a = 1 }.a; \
        _Static_assert(sizeof(z) == 4, \"\"); return _Generic(z, int: q, default: 0) + __builtin_popcount(3) + (__extension__ z); }";
    let unit = unit(text);
    let function = &unit.functions[1];
    assert!(function.has_assembler && function.has_computed_goto && unit.functions[0].is_nested);
    let unknown = unit.expressions.iter().filter(|it| unit.types.reason(it.ty.id).is_some()).count();
    assert_eq!((unknown, unit.doubts.len()), (0, 0));
    let cases = unit.statements.iter().filter_map(|it| match it.kind {
        StatementKind::Case { low, high, .. } => Some((low, high)),
        _ => None,
    });
    assert_eq!(cases.collect::<Vec<_>>(), [(Some(97), Some(97)), (Some(1), Some(3))]);
}

#[test]
fn attributes_are_looked_at() {
    let unit = unit(
        "void stop(void) __attribute__((noreturn, cold)); int w(void) __attribute__((weak, alias(\"x\"))); \
         static void __attribute__((constructor)) early(void) {} void *m(unsigned long) __attribute__((malloc, alloc_size(1))); \
         _Noreturn void quit(int); int odd(void) __attribute__((interrupt)); extern int name __asm__(\"other\"); \
         typedef int wide __attribute__((mode(DI))); typedef float v __attribute__((vector_size(16))); int a __attribute__((aligned(64)));",
    );
    let symbol = |name: &str| unit.symbol(unit.global(name).unwrap());
    assert!(
        symbol("stop").attributes.is_noreturn
            && !symbol("stop").attributes.has_others
            && symbol("quit").attributes.is_noreturn
    );
    assert!(symbol("w").attributes.is_weak && symbol("w").attributes.is_alias);
    assert!(symbol("early").attributes.runs_by_itself && symbol("m").attributes.is_malloc);
    assert!(symbol("odd").attributes.has_others);
    assert!(symbol("name").assembler_name.is_some() && symbol("a").alignment == Some(64));
    assert_eq!(unit.types.as_integer(symbol("wide").ty.id), Some(IntegerType::Long));
    assert_eq!(size_of(&unit.types, symbol("v").ty), Some(16));
}

#[test]
fn what_is_unknown_has_a_reason() {
    let unit = unit(
        "struct s { unsigned long w : 40; } s; struct t *p; int f(foo_t x, foo_t *y) { bar_t z; z = x; s.w + 1; p->m; missing; 1 + (other_t)2; return 3(4); }",
    );
    let reasons: Vec<Option<Reason>> = statements(&unit).iter().map(|it| unit.types.reason(it.ty.id)).collect();
    use Reason as R;
    let expected =
        [R::UndeclaredType, R::BitField, R::NoSuchMember, R::UndeclaredName, R::UndeclaredType, R::NotCallable];
    assert_eq!(reasons, expected.map(Some));
    assert_eq!(unit.doubts.len(), 4);
}

#[test]
fn what_cannot_be_read_is_a_hole() {
    let text = "int a; int b = = 1; int c; void f(int n) { int x; x = @ 1; if (n) { x = 2; x +* ; } x = 3; for (;;) { ] } x = 4; }\n\
        struct { int x; int ; y } bad; int d; void g(void) { f(1; } int e;";
    let unit = read(text.as_bytes(), Target::X86_64);
    let holes: Vec<_> =
        unit.holes.iter().map(|hole| &text[hole.range.start as usize..hole.range.end as usize]).collect();
    assert_eq!(
        holes,
        ["int b = = 1;", "x = @ 1;", "x +* ;", "]", "struct { int x; int ; y } bad;", "f(1; "].map(str::trim_end)
    );
    assert!(unit.holes.iter().all(|hole| hole.cause == HoleCause::Syntax));
    for name in ["a", "c", "d", "e", "f", "g"] {
        assert!(unit.global(name).is_some(), "{name}");
    }
    assert_eq!(statements(&unit).len(), 2);
}

#[test]
fn what_is_nested_too_deeply_is_a_hole() {
    let deep = |count: usize| format!("int a; int x = {}1{}; int b;", "(".repeat(count), ")".repeat(count));
    let cause = |count: usize| {
        let text = deep(count);
        let read =
            std::thread::Builder::new().stack_size(64 << 20).spawn(move || read(text.as_bytes(), Target::X86_64));
        let unit = read.unwrap().join().unwrap();
        assert!(unit.global("b").is_some());
        unit.holes.iter().map(|hole| hole.cause).collect::<Vec<_>>()
    };
    assert_eq!(cause(50), []);
    assert_eq!(cause(100_000), [HoleCause::TooDeep]);
}

#[test]
fn structures_in_structures_without_names() {
    let unit = unit(
        "struct a { struct a; struct b { int x; }; struct { int y; }; union { int z; }; } a; int f(void) { a.y; a.z; a.x; }",
    );
    let known: Vec<bool> = statements(&unit).iter().map(|it| unit.types.reason(it.ty.id).is_none()).collect();
    assert_eq!(known, [true, true, false]);
}

#[test]
fn pragmas_pack_what_ends_behind_them() {
    let unit = unit(
        "struct a { char c; int i; };\n#pragma pack(push, 1)\nstruct b { char c; int i; };\n#pragma pack(pop)\nstruct c { char c; int i; };\n\
         struct d { char c;\n#pragma pack(2)\nint i; };\n",
    );
    let sizes: Vec<_> = unit.types.records().iter().map(|record| record.layout).collect();
    assert_eq!(sizes, [Some((8, 4)), Some((5, 1)), Some((8, 4)), Some((6, 2))]);
    assert_eq!(unit.pragmas.len(), 3);
}
