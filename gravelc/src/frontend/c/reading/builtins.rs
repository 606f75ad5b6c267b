//! Builtin functions of GNU C.

use super::{Parsed, Reader};
use crate::frontend::c::tokens::Name;
use crate::frontend::c::types::{FloatType, FunctionType, IntegerType, Qualifiers, Reason, Type, TypeKind};
use crate::frontend::c::unit::{ExpressionId, Linkage, Operation, Span, Storage, Symbol, SymbolId, SymbolKind};

/// Builtins with fixed types, without `__builtin_`, and their signatures: the result, then the parameters. `v` void, `b` _Bool, `i` int,
/// `u` unsigned, `l` long, `m` unsigned long, `L` long long, `U` unsigned long long, `f` float, `d` double, `D` long double, `p` void
/// pointer, `P` pointer to const void, `s` char pointer, `S` pointer to const char, `.` more arguments.
const SIGNATURES: &[(&str, &str)] = &[
    ("__clear_cache", "vpp"),
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "pm"),
    ("alloca_with_align", "pmm"),
    ("assume_aligned", "pPm."),
    ("bcmp", "iPPm"),
    ("bswap32", "uu"),
    ("bswap64", "mm"),
    ("bzero", "vpm"),
    ("calloc", "pmm"),
    ("clz", "iu"),
    ("clzl", "im"),
    ("clzll", "iU"),
    ("ctz", "iu"),
    ("ctzl", "im"),
    ("ctzll", "iU"),
    ("exit", "vi"),
    ("expect", "lll"),
    ("expect_with_probability", "llld"),
    ("extract_return_addr", "pp"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("frame_address", "pu"),
    ("free", "vp"),
    ("inf", "d"),
    ("inff", "f"),
    ("infl", "D"),
    ("huge_val", "d"),
    ("huge_valf", "f"),
    ("huge_vall", "D"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pm"),
    ("memchr", "pPim"),
    ("memcmp", "iPPm"),
    ("memcpy", "ppPm"),
    ("memmove", "ppPm"),
    ("mempcpy", "ppPm"),
    ("memset", "ppim"),
    ("__memcpy_chk", "ppPmm"),
    ("__memmove_chk", "ppPmm"),
    ("__mempcpy_chk", "ppPmm"),
    ("__memset_chk", "ppimm"),
    ("__strcpy_chk", "ssSm"),
    ("__stpcpy_chk", "ssSm"),
    ("__strncpy_chk", "ssSmm"),
    ("__strcat_chk", "ssSm"),
    ("__strncat_chk", "ssSmm"),
    ("__sprintf_chk", "isimS."),
    ("__snprintf_chk", "ismimS."),
    ("nan", "dS"),
    ("nanf", "fS"),
    ("nanl", "DS"),
    ("nans", "dS"),
    ("nansf", "fS"),
    ("object_size", "mPi"),
    ("dynamic_object_size", "mPi"),
    ("parity", "iu"),
    ("popcount", "iu"),
    ("popcountl", "im"),
    ("popcountll", "iU"),
    ("prefetch", "vP."),
    ("printf", "iS."),
    ("puts", "iS"),
    ("putchar", "ii"),
    ("realloc", "ppm"),
    ("return_address", "pu"),
    ("snprintf", "ismS."),
    ("sprintf", "isS."),
    ("stpcpy", "ssS"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strdup", "sS"),
    ("strlen", "mS"),
    ("strncat", "ssSm"),
    ("strncmp", "iSSm"),
    ("strncpy", "ssSm"),
    ("strrchr", "sSi"),
    ("strstr", "sSS"),
    ("trap", "v"),
    ("unreachable", "v"),
];

/// Functions of mathematics: their parameters have the type of the result; a suffix says which it is.
const MATHEMATICS: &[(&str, usize)] = &[
    ("acos", 1),
    ("asin", 1),
    ("atan", 1),
    ("atan2", 2),
    ("cbrt", 1),
    ("ceil", 1),
    ("copysign", 2),
    ("cos", 1),
    ("cosh", 1),
    ("erf", 1),
    ("erfc", 1),
    ("exp", 1),
    ("exp2", 1),
    ("fabs", 1),
    ("fdim", 2),
    ("floor", 1),
    ("fma", 3),
    ("fmax", 2),
    ("fmin", 2),
    ("fmod", 2),
    ("hypot", 2),
    ("log", 1),
    ("log10", 1),
    ("log1p", 1),
    ("log2", 1),
    ("nearbyint", 1),
    ("pow", 2),
    ("remainder", 2),
    ("rint", 1),
    ("round", 1),
    ("sin", 1),
    ("sinh", 1),
    ("sqrt", 1),
    ("tan", 1),
    ("tanh", 1),
    ("trunc", 1),
];

/// Builtins that compute an `int` from arguments of any type.
const TESTS: [&str; 15] = [
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isinf_sign",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isunordered",
    "signbit",
    "signbitf",
    "signbitl",
    "fpclassify",
];

/// Builtins that give an `int` that depends on more than the values of their arguments, which they don't evaluate.
const UNEVALUATED: [&str; 2] = ["constant_p", "classify_type"];

/// Builtins that take arguments of any type and give nothing.
const ACTIONS: [&str; 3] = ["va_start", "va_end", "va_copy"];

/// Builtins that compute with overflow checked, and give a `_Bool`.
const OVERFLOWS: [&str; 3] = ["add_overflow", "sub_overflow", "mul_overflow"];

/// What follows `__atomic_` or `__sync_` in the names of what gives back a value of the pointed-to type.
const FETCHES: [&str; 6] = ["load_n", "exchange_n", "fetch", "val_compare", "lock_test", "add_and"];

impl Reader<'_> {
    /// A type of a function that the text does not declare.
    pub(super) fn undeclared_function(
        &mut self,
        result: Type,
        parameters: Vec<Type>,
        is_variadic: bool,
        has_prototype: bool,
    ) -> Type {
        self.unit.types.function_type(FunctionType { result, parameters, is_variadic, has_prototype })
    }

    /// The type that a letter of a signature stands for.
    fn signature_type(&mut self, letter: char) -> Type {
        use IntegerType as I;
        let types = &mut self.unit.types;
        let pointee = match letter {
            'p' => types.of(TypeKind::Void),
            'P' => types.of(TypeKind::Void).and(Qualifiers::CONST),
            's' => types.integer(I::Char),
            'S' => types.integer(I::Char).and(Qualifiers::CONST),
            'f' => return types.of(TypeKind::Float(FloatType::Float)),
            'd' => return types.of(TypeKind::Float(FloatType::Double)),
            'D' => return types.of(TypeKind::Float(FloatType::LongDouble)),
            'b' => return types.integer(I::Bool),
            'i' => return types.int(),
            'u' => return types.integer(I::UnsignedInt),
            'l' => return types.integer(I::Long),
            'm' => return types.integer(I::UnsignedLong),
            'L' => return types.integer(I::LongLong),
            'U' => return types.integer(I::UnsignedLongLong),
            _ => return types.of(TypeKind::Void),
        };
        types.pointer(pointee)
    }

    /// The function that a builtin with fixed types is.
    pub(super) fn builtin_symbol(&mut self, name: Name, spelled: &str) -> Option<SymbolId> {
        let plain = spelled.strip_prefix("__builtin_")?;
        if let Some(known) = self.linked.get(&name) {
            return Some(*known);
        }
        let signature = match SIGNATURES.iter().find(|(known, _)| *known == plain) {
            Some((_, signature)) => (*signature).to_string(),
            None => {
                let find = |plain: &str| MATHEMATICS.iter().find(|(known, _)| *known == plain).map(|(_, count)| *count);
                let (count, letter) = match (find(plain), plain.strip_suffix('f'), plain.strip_suffix('l')) {
                    (Some(count), ..) => (count, "d"),
                    (_, Some(stem), _) => (find(stem)?, "f"),
                    (_, _, Some(stem)) => (find(stem)?, "D"),
                    _ => return None,
                };
                letter.repeat(count + 1)
            }
        };
        let mut types: Vec<Type> = Vec::new();
        for letter in signature.chars().filter(|letter| *letter != '.') {
            types.push(self.signature_type(letter));
        }
        let result = types.remove(0);
        let ty = self.undeclared_function(result, types, signature.ends_with('.'), true);
        let mut symbol = Symbol::new(Some(name), SymbolKind::Function, ty, 0..0, Linkage::External, Storage::Static);
        symbol.attributes.is_noreturn = matches!(plain, "abort" | "exit" | "trap" | "unreachable");
        let id = self.add_symbol(symbol);
        self.linked.insert(name, id);
        Some(id)
    }

    /// The call of a builtin whose type depends on its arguments; its brackets follow.
    pub(super) fn builtin_call(&mut self, spelled: &str, range: &Span) -> Parsed<Option<ExpressionId>> {
        let is_memory = spelled.starts_with("__atomic_") || spelled.starts_with("__sync_");
        let plain = match spelled.strip_prefix("__builtin_") {
            Some(plain) => plain,
            None if is_memory => spelled,
            None => return Ok(None),
        };
        enum Gives {
            Int,
            Nothing,
            Truth,
            Pointee,
            Unknown,
        }
        let has_signature = SIGNATURES.iter().any(|(known, _)| *known == plain)
            || MATHEMATICS.iter().any(|(known, _)| plain == *known || plain.strip_suffix(['f', 'l']) == Some(*known));
        let gives = match plain {
            _ if TESTS.contains(&plain) || UNEVALUATED.contains(&plain) => Gives::Int,
            _ if ACTIONS.contains(&plain) => Gives::Nothing,
            _ if OVERFLOWS.contains(&plain) => Gives::Truth,
            _ if has_signature => return Ok(None),
            _ if is_memory => {
                let rest = spelled.trim_start_matches("__atomic_").trim_start_matches("__sync_");
                let is_fetch = FETCHES.iter().any(|start| rest.starts_with(start));
                let is_fetch = is_fetch || rest.ends_with("_and_fetch") || rest.ends_with("_fetch");
                match rest {
                    _ if is_fetch => Gives::Pointee,
                    "test_and_set" | "bool_compare_and_swap" | "compare_exchange_n" | "compare_exchange" => {
                        Gives::Truth
                    }
                    "store_n" | "store" | "load" | "exchange" | "clear" | "synchronize" | "thread_fence"
                    | "signal_fence" | "lock_release" => Gives::Nothing,
                    _ => Gives::Unknown,
                }
            }
            _ => Gives::Unknown,
        };
        let arguments = self.arguments()?;
        let range = range.start..self.end();
        let arguments: Vec<ExpressionId> = arguments.into_iter().map(|id| self.unit.value(id)).collect();
        let ty = match gives {
            Gives::Int => self.unit.types.int(),
            Gives::Nothing => self.unit.types.of(TypeKind::Void),
            Gives::Truth => self.unit.types.integer(IntegerType::Bool),
            Gives::Pointee => {
                let to = arguments.first().and_then(|first| self.unit.types.pointee(self.unit.type_of(*first).id));
                match to {
                    Some(to) => self.unit.types.plain(to.id).into(),
                    None => return Ok(Some(self.unit.add_unknown(Reason::UnknownBuiltin, arguments, range))),
                }
            }
            Gives::Unknown => return Ok(Some(self.unit.add_unknown(Reason::UnknownBuiltin, arguments, range))),
        };
        let operation = match TESTS.contains(&plain) {
            true => Operation::Test(arguments),
            false => Operation::Builtin(arguments),
        };
        Ok(Some(self.unit.add_value(operation, ty, range)))
    }
}
