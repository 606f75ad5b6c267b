//! Punctuators (C11 6.4.6).

/// Declares the punctuators with their spellings, the longer ones first.
macro_rules! signs {
    ($($(#[$doc:meta])* $sign:ident $($text:literal)+,)*) => {
        /// A punctuator; digraphs are the signs that they stand for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Sign {
            $($(#[$doc])* $sign,)*
        }

        /// All spellings, with how long each is.
        const SPELLINGS: &[(&[u8], Sign)] = &[$($(($text, Sign::$sign),)+)*];
    };
}

signs! {
    /// `...`
    Ellipsis b"...",
    /// `<<=`
    ShiftLeftAssign b"<<=",
    /// `>>=`
    ShiftRightAssign b">>=",
    /// `->`
    Arrow b"->",
    /// `++`
    Increment b"++",
    /// `--`
    Decrement b"--",
    /// `<<`
    ShiftLeft b"<<",
    /// `>>`
    ShiftRight b">>",
    /// `<=`
    LessEqual b"<=",
    /// `>=`
    GreaterEqual b">=",
    /// `==`
    Equal b"==",
    /// `!=`
    NotEqual b"!=",
    /// `&&`
    And b"&&",
    /// `||`
    Or b"||",
    /// `*=`
    MultiplyAssign b"*=",
    /// `/=`
    DivideAssign b"/=",
    /// `%=`
    RemainderAssign b"%=",
    /// `+=`
    AddAssign b"+=",
    /// `-=`
    SubtractAssign b"-=",
    /// `&=`
    BitAndAssign b"&=",
    /// `^=`
    BitXorAssign b"^=",
    /// `|=`
    BitOrAssign b"|=",
    /// `{`
    LeftBrace b"<%" b"{",
    /// `}`
    RightBrace b"%>" b"}",
    /// `[`
    LeftBracket b"<:" b"[",
    /// `]`
    RightBracket b":>" b"]",
    /// `(`
    LeftParenthesis b"(",
    /// `)`
    RightParenthesis b")",
    /// `.`
    Dot b".",
    /// `&`
    BitAnd b"&",
    /// `*`
    Star b"*",
    /// `+`
    Plus b"+",
    /// `-`
    Minus b"-",
    /// `~`
    Complement b"~",
    /// `!`
    Not b"!",
    /// `/`
    Slash b"/",
    /// `%`
    Percent b"%",
    /// `<`
    Less b"<",
    /// `>`
    Greater b">",
    /// `^`
    BitXor b"^",
    /// `|`
    BitOr b"|",
    /// `?`
    Question b"?",
    /// `:`
    Colon b":",
    /// `;`
    Semicolon b";",
    /// `=`
    Assign b"=",
    /// `,`
    Comma b",",
}

/// The longest punctuator with which the text begins, and its length.
pub(super) fn sign_at(text: &[u8]) -> Option<(Sign, usize)> {
    let first = text.first()?;
    let found = SPELLINGS.iter().filter(|(spelling, _)| spelling.first() == Some(first) && text.starts_with(spelling));
    found.max_by_key(|(spelling, _)| spelling.len()).map(|(spelling, sign)| (*sign, spelling.len()))
}
