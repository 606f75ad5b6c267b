//! The types of expressions.

use std::fmt::Write;

use super::random::Random;
use super::{cases, read_whole, run};
use crate::frontend::c::types::{TypeKind, spell};
use crate::frontend::c::unit::{Conversion, Operation, StatementKind};

const HEAD: &str = "enum e { E0, E1 = 7, E9 = 0x90000000 };\nenum n { N0 = -1 };\nstruct s { char c; double d[3]; struct { short h, i[5]; }; int b : 3; unsigned u : 5; \
    unsigned w : 32; struct s *next; const int k; int (*call)(struct s *, float); };\nunion q { int i; float f; };\n\
    typedef double row[4]; typedef int function(int, char *); typedef const char *text;\n\
    char c; signed char sc; unsigned char uc; short h; unsigned short us; int i; unsigned u; long l; unsigned long ul; long long ll;\n\
    unsigned long long ull; _Bool t; float f; double d; long double ld; __int128 i128; enum e e; enum n n; double _Complex z; float _Complex zf;\n\
    int *pi; const int *pc; void *pv; const void *pcv; char *pch; double m[3][4]; row *pr; row r; struct s s, *ps, as[5]; union q q; function g, *pg;\n\
    volatile short vh; text tx; int **ppi; double (*matrix)[3][4]; const struct s cs; struct s give(void); int old(); _Float128 f128; _Float64 f64;\n";

const INTEGERS: [&str; 24] = [
    "c", "sc", "uc", "h", "us", "i", "u", "l", "ul", "ll", "ull", "t", "i128", "e", "n", "s.b", "s.u", "s.w", "ps->h",
    "vh", "E9", "'a'", "sizeof i", "cs.k",
];
const FLOATS: [&str; 8] = ["f", "d", "ld", "1.0f", "2.5", "1.0L", "s.d[1]", "f64"];
const POINTERS: [&str; 22] = [
    "pi", "pc", "pv", "pcv", "pch", "m", "m[1]", "pr", "r", "ps", "as", "&s", "ppi", "&m", "matrix", "*matrix", "tx",
    "\"text\"", "&cs", "ps->next", "&r", "s.i",
];
const OTHERS: [&str; 13] = [
    "g",
    "*pg",
    "&give",
    "ps->call",
    "(function *)r",
    "s",
    "q",
    "cs",
    "*ps",
    "as[2]",
    "give()",
    "*ps->next",
    "(struct s){1}",
];

fn integer(random: &mut Random, depth: u64) -> String {
    if depth == 0 || random.one_in(5) {
        return match random.below(6) {
            0 => (*random.pick(&["0", "1u", "2l", "0x80000000", "3ull", "4294967295", "L'x'"])).to_string(),
            _ => (*random.pick(&INTEGERS)).to_string(),
        };
    }
    let below = |random: &mut Random| integer(random, depth - 1);
    match random.below(12) {
        0 => format!(
            "({} {} {})",
            arithmetic(random, depth - 1),
            random.pick(&["==", "!=", "&&", "||"]),
            arithmetic(random, depth - 1)
        ),
        1 => format!("({} {} {})", below(random), random.pick(&["<<", ">>"]), below(random)),
        2 => format!("({} ? {} : {})", below(random), below(random), below(random)),
        3 => format!("{}{}", random.pick(&["-", "~", "!", "+"]), format_args!("({})", below(random))),
        4 => format!(
            "({} {} {})",
            random.pick(&["c", "us", "i", "ul", "e", "s.b", "ps->h", "t"]),
            random.pick(&["=", "+=", "<<=", "&=", "*="]),
            below(random)
        ),
        5 => (*random.pick(&[
            "i++",
            "--us",
            "c--",
            "++ull",
            "t++",
            "*pi++",
            "(pi - pc)",
            "(ps - as)",
            "g(1, pch)",
            "pg(2, 0)",
            "(*pg)(3, pch)",
            "old(1, f)",
            "s.call(ps, d)",
            "sizeof(row)",
        ]))
        .to_string(),
        6 => format!(
            "(({}){})",
            random.pick(&["char", "unsigned short", "int", "unsigned long", "_Bool", "enum n", "__int128"]),
            arithmetic(random, depth - 1)
        ),
        7 => format!("({}, {})", below(random), below(random)),
        8 => format!("({} ?: {})", below(random), below(random)),
        _ => format!(
            "({} {} {})",
            below(random),
            random.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<", ">="]),
            below(random)
        ),
    }
}

fn arithmetic(random: &mut Random, depth: u64) -> String {
    if random.one_in(2) {
        return integer(random, depth);
    }
    if depth == 0 || random.one_in(4) {
        return match random.below(8) {
            0 => (*random.pick(&["z", "zf", "1.0i", "__real__ z", "__imag__ zf", "~z"])).to_string(),
            _ => (*random.pick(&FLOATS)).to_string(),
        };
    }
    let below = |random: &mut Random| arithmetic(random, depth - 1);
    match random.below(6) {
        0 => format!("({} ? {} : {})", integer(random, depth - 1), below(random), below(random)),
        1 => format!("-({})", below(random)),
        2 => format!(
            "({} {} {})",
            random.pick(&["f", "d", "i", "s.d[0]", "z"]),
            random.pick(&["=", "+=", "/="]),
            below(random)
        ),
        3 => format!("(({}){})", random.pick(&["float", "double", "long double", "double _Complex"]), below(random)),
        _ => format!("({} {} {})", below(random), random.pick(&["+", "-", "*", "/"]), below(random)),
    }
}

fn pointer(random: &mut Random, depth: u64) -> String {
    if depth == 0 || random.one_in(4) {
        return (*random.pick(&POINTERS)).to_string();
    }
    let below = |random: &mut Random| pointer(random, depth - 1);
    match random.below(9) {
        0 => format!("({} + {})", below(random), integer(random, 1)),
        1 => format!("({} - {})", below(random), integer(random, 1)),
        2 => {
            format!("({} ? {} : {})", integer(random, 1), below(random), random.pick(&["0", "(void *)0", "pv", "pcv"]))
        }
        3 => {
            let same = below(random);
            format!("({} ? {same} : {same})", integer(random, 1))
        }
        4 => format!(
            "(({})({}))",
            random.pick(&["void *", "const char *", "row *", "int (*)[2]", "struct s *", "volatile int *const *"]),
            below(random)
        ),
        5 => format!("&({})[{}]", below(random), integer(random, 1)),
        6 => (*random.pick(&[
            "pi++",
            "--pch",
            "(pi += i)",
            "(ps = as)",
            "&as[i].next",
            "&ps->d",
            "&s.i[2]",
            "&*pi",
            "&q.f",
            "&cs.k",
            "&cs.d",
            "(c ? pi : pc)",
            "(t ? m : pr)",
            "(0 ? 0 : ps)",
            "give().i",
        ]))
        .to_string(),
        7 => format!("({}, {})", integer(random, 1), below(random)),
        _ => below(random),
    }
}

#[test]
fn expressions_have_the_types_that_the_compiler_gives_them() {
    let count = cases(500);
    let mut text = format!("{HEAD}void test(void) {{\n");
    let mut written = Vec::new();
    for seed in 0..count {
        let mut random = Random::new(seed + 77);
        let depth = random.below(4);
        let choice = random.below(8);
        let own = match choice {
            0..=2 => integer(&mut random, depth),
            3 | 4 => arithmetic(&mut random, depth),
            5 => (*random.pick(&OTHERS)).to_string(),
            _ => pointer(&mut random, depth),
        };
        // A bit-field has no type that could be written.
        let own = if choice < 5 && ["s.b", "s.u", "s.w"].iter().any(|field| own.contains(field)) {
            format!("+({own})")
        } else {
            own
        };
        writeln!(text, "(void)({own});").unwrap();
        written.push(own);
    }
    text += "}\n";
    let unit = read_whole(&text);
    let StatementKind::Block(statements) = &unit.statement(unit.functions[0].body).kind else { panic!("no block") };
    assert_eq!(statements.len(), written.len());
    let mut program = text.clone();
    let mut known = 0;
    let mut unknown = Vec::new();
    for (statement, own) in statements.iter().zip(&written) {
        let StatementKind::Expression(id) = unit.statement(*statement).kind else { panic!("no expression") };
        let Operation::Convert { operand, .. } = unit.expression(id).operation else { panic!("no cast in {own}") };
        use Conversion::{Decay, FunctionAddress};
        let ty = match unit.expression(operand).operation {
            Operation::Convert { conversion: Decay | FunctionAddress, operand, is_cast: false } => {
                unit.type_of(operand)
            }
            _ => unit.type_of(operand),
        };
        if unit.types.reason(ty.id).is_some() {
            unknown.push((own, unit.types.kind(ty.id)));
            continue;
        }
        // Pointers as arguments have their qualifiers below the first level compared, too.
        let spelled = spell(&unit.types, &unit.names, ty.unqualified(), "");
        writeln!(program, "_Static_assert(__builtin_types_compatible_p(__typeof__({own}), {spelled}), \"{spelled}\");")
            .unwrap();
        if let TypeKind::Enum(_) | TypeKind::Integer(_) = unit.types.kind(ty.id) {
            writeln!(
                program,
                "_Static_assert(sizeof({spelled}) == {}, \"\");",
                unit.types.as_integer(ty.id).unwrap().size()
            )
            .unwrap();
        }
        known += 1;
    }
    assert!(known * 20 > count * 19, "{known} of {count} are known: {:?}", &unknown[..unknown.len().min(10)]);
    run(&program, "expressions");
}
