//! Keywords of C11 and of GNU C.

/// Declares the keywords with their spellings.
macro_rules! keywords {
    ($($keyword:ident $($text:literal)+,)*) => {
        /// A keyword; its GNU spellings (`__const`, `__const__`) are the same one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each is the keyword that its name says")]
        pub enum Keyword {
            $($keyword,)*
        }

        /// All spellings of all keywords.
        pub(super) const SPELLINGS: &[(&str, Keyword)] = &[$($(($text, Keyword::$keyword),)+)*];
    };
}

keywords! {
    Alignas "_Alignas",
    Alignof "_Alignof" "__alignof__" "__alignof",
    Asm "asm" "__asm__" "__asm",
    Atomic "_Atomic",
    Attribute "__attribute__" "__attribute",
    Auto "auto",
    AutoType "__auto_type",
    Bool "_Bool",
    Break "break",
    BuiltinChooseExpression "__builtin_choose_expr",
    BuiltinOffsetof "__builtin_offsetof",
    BuiltinTypesCompatible "__builtin_types_compatible_p",
    BuiltinVaArgument "__builtin_va_arg",
    BuiltinVaList "__builtin_va_list",
    Case "case",
    Char "char",
    Complex "_Complex" "__complex__" "__complex",
    Const "const" "__const" "__const__",
    Continue "continue",
    Default "default",
    Do "do",
    Double "double",
    Else "else",
    Enum "enum",
    Extension "__extension__",
    Extern "extern",
    Float "float",
    Float128 "_Float128" "__float128",
    Float16 "_Float16",
    Float32 "_Float32",
    Float32x "_Float32x",
    Float64 "_Float64",
    Float64x "_Float64x",
    Float80 "__float80",
    For "for",
    Generic "_Generic",
    Goto "goto",
    If "if",
    Imaginary "__imag__" "__imag",
    Inline "inline" "__inline" "__inline__",
    Int "int",
    Int128 "__int128" "__int128_t",
    Label "__label__",
    Long "long",
    NoReturn "_Noreturn",
    Real "__real__" "__real",
    Register "register",
    Restrict "restrict" "__restrict" "__restrict__",
    Return "return",
    Short "short",
    Signed "signed" "__signed" "__signed__",
    Sizeof "sizeof",
    Static "static",
    StaticAssert "_Static_assert",
    Struct "struct",
    Switch "switch",
    ThreadLocal "_Thread_local" "__thread",
    Typedef "typedef",
    Typeof "typeof" "__typeof__" "__typeof",
    Union "union",
    Unsigned "unsigned",
    UnsignedInt128 "__uint128_t",
    Void "void",
    Volatile "volatile" "__volatile" "__volatile__",
    While "while",
}
