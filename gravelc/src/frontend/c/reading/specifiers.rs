//! Declaration specifiers (C11 6.7): storage class, type, qualifiers, attributes.

use super::attributes::Written;
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Sign, TokenKind};
use crate::frontend::c::types::{FloatType, IntegerType, Qualifiers, Reason, Type, TypeKind, alignment_of};
use crate::frontend::c::unit::{Doubt, HoleCause, SymbolKind, integer_value};

/// A storage-class specifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// What stands in front of declarators.
#[derive(Debug, Clone, Copy)]
pub(super) struct Specifiers {
    /// The type that the declarators build on.
    pub ty: Type,
    pub class: Option<Class>,
    pub is_thread: bool,
    pub is_inline: bool,
    /// Is the type that of the initialiser (`__auto_type`)?
    pub is_deduced: bool,
    pub written: Written,
    /// The first byte.
    pub start: u32,
}

/// The words that name a type, as far as they have been read.
#[derive(Default)]
struct Words {
    base: Option<Base>,
    longs: u8,
    is_short: bool,
    is_signed: bool,
    is_unsigned: bool,
    is_complex: bool,
}

enum Base {
    Void,
    Char,
    Int,
    Bool,
    Int128,
    UnsignedInt128,
    Float(FloatType),
    Other(Type),
}

impl Words {
    /// Has a type been named, so that a name that follows can't be one?
    fn is_given(&self) -> bool {
        self.base.is_some() || self.longs > 0 || self.is_short || self.is_signed || self.is_unsigned || self.is_complex
    }
}

impl Reader<'_> {
    /// Does a type name or a declaration begin so many tokens ahead?
    pub(super) fn is_type_at(&self, ahead: usize) -> bool {
        match self.kind_at(ahead) {
            TokenKind::Keyword(keyword) => is_type_word(keyword),
            TokenKind::Name(name) => match self.scopes.symbol(name) {
                Some(symbol) => self.unit.symbol(symbol).kind == SymbolKind::Typedef,
                None => self.is_undeclared_type_at(ahead),
            },
            _ => false,
        }
    }

    /// Stands a name that nothing declares at the place of a type?
    fn is_undeclared_type_at(&self, ahead: usize) -> bool {
        let mut next = ahead + 1;
        if matches!(self.kind_at(next), TokenKind::Name(_)) {
            return true;
        }
        while self.is_at(next, Sign::Star)
            || matches!(self.kind_at(next), TokenKind::Keyword(Keyword::Const | Keyword::Restrict))
        {
            next += 1;
        }
        let has_pointer = next > ahead + 1;
        let is_name = matches!(self.kind_at(next), TokenKind::Name(_));
        let ends = |at: usize| {
            matches!(
                self.kind_at(at),
                TokenKind::Sign(
                    Sign::Semicolon | Sign::Comma | Sign::Assign | Sign::LeftBracket | Sign::RightParenthesis
                )
            )
        };
        // `(T *)` can be nothing else; `T * p;` might be a product that is thrown away.
        has_pointer && (self.is_at(next, Sign::RightParenthesis) || is_name && ends(next + 1))
    }

    /// Reads specifiers. There may be none, if `may_be_absent`: then the type is `int`.
    pub(super) fn specifiers(&mut self, may_be_absent: bool) -> Parsed<Specifiers> {
        let start = self.start();
        let first = self.at;
        let mut words = Words::default();
        let mut qualifiers = Qualifiers::NONE;
        let int = self.unit.types.int();
        let mut found = Specifiers {
            ty: int,
            class: None,
            is_thread: false,
            is_inline: false,
            is_deduced: false,
            written: Written::default(),
            start,
        };
        loop {
            match self.kind() {
                TokenKind::Keyword(keyword) => {
                    if !self.specifier(keyword, &mut words, &mut qualifiers, &mut found)? {
                        break;
                    }
                }
                TokenKind::Name(name) if !words.is_given() && !found.is_deduced => {
                    let symbol = self.scopes.symbol(name).map(|id| self.unit.symbol(id));
                    match symbol {
                        Some(symbol) if symbol.kind == SymbolKind::Typedef => {
                            words.base = Some(Base::Other(symbol.ty));
                            self.bump();
                        }
                        None if self.is_undeclared_type_at(0) || self.is_lone_parameter_type() => {
                            self.bump();
                            self.doubt(self.since(start), Doubt::UndeclaredType);
                            words.base = Some(Base::Other(self.unit.types.unknown(Reason::UndeclaredType)));
                        }
                        _ => break,
                    }
                }
                TokenKind::Sign(Sign::LeftBracket) if self.is_at(1, Sign::LeftBracket) => {
                    self.attributes(&mut found.written)?;
                }
                _ => break,
            }
        }
        if !words.is_given() && !found.is_deduced && !may_be_absent && first == self.at {
            return Err(self.failure(HoleCause::Syntax));
        }
        let ty = self.named_type(&words)?;
        let ty = self.with_attributes(ty, &found.written);
        found.ty = self.unit.types.qualified(ty, qualifiers);
        Ok(found)
    }

    /// Does a name stand alone where a parameter is to be declared?
    fn is_lone_parameter_type(&self) -> bool {
        let before = self.at.checked_sub(1).map(|before| self.tokens[before].kind);
        let opens = matches!(before, Some(TokenKind::Sign(Sign::LeftParenthesis | Sign::Comma)));
        opens && matches!(self.kind_at(1), TokenKind::Sign(Sign::Comma | Sign::RightParenthesis))
    }

    /// Reads one specifier that begins with a keyword, if it is one.
    fn specifier(
        &mut self,
        keyword: Keyword,
        words: &mut Words,
        qualifiers: &mut Qualifiers,
        found: &mut Specifiers,
    ) -> Parsed<bool> {
        use Keyword as K;
        let mut base = None;
        match keyword {
            K::Typedef => found.class = Some(Class::Typedef),
            K::Extern => found.class = Some(Class::Extern),
            K::Static => found.class = Some(Class::Static),
            K::Auto => found.class = found.class.or(Some(Class::Auto)),
            K::Register => found.class = Some(Class::Register),
            K::ThreadLocal => found.is_thread = true,
            K::Inline => found.is_inline = true,
            K::NoReturn => found.written.attributes.is_noreturn = true,
            K::Extension => {}
            K::Const => *qualifiers = *qualifiers | Qualifiers::CONST,
            K::Volatile => *qualifiers = *qualifiers | Qualifiers::VOLATILE,
            K::Restrict => *qualifiers = *qualifiers | Qualifiers::RESTRICT,
            K::Atomic => return self.atomic(words, qualifiers),
            K::Attribute => {
                self.attributes(&mut found.written)?;
                return Ok(true);
            }
            K::Alignas => {
                let alignment = self.alignas()?;
                found.written.alignment = found.written.alignment.max(alignment);
                return Ok(true);
            }
            K::Struct | K::Union => {
                let ty = self.structure()?;
                words.base = Some(Base::Other(ty));
                return Ok(true);
            }
            K::Enum => {
                let ty = self.enumeration()?;
                words.base = Some(Base::Other(ty));
                return Ok(true);
            }
            K::Typeof => {
                let ty = self.typeof_type()?;
                words.base = Some(Base::Other(ty));
                return Ok(true);
            }
            K::AutoType => found.is_deduced = true,
            K::Signed => words.is_signed = true,
            K::Unsigned => words.is_unsigned = true,
            K::Short => words.is_short = true,
            K::Long => words.longs = words.longs.saturating_add(1),
            K::Complex => words.is_complex = true,
            K::BuiltinVaList => base = Some(Base::Other(self.variadic_list())),
            _ => match base_of(keyword) {
                Some(known) => base = Some(known),
                None => return Ok(false),
            },
        }
        if base.is_some() {
            words.base = base;
        }
        self.bump();
        Ok(true)
    }

    /// `_Atomic`, `_Atomic(type)`
    fn atomic(&mut self, words: &mut Words, qualifiers: &mut Qualifiers) -> Parsed<bool> {
        self.bump();
        *qualifiers = *qualifiers | Qualifiers::ATOMIC;
        if self.accept(Sign::LeftParenthesis) {
            words.base = Some(Base::Other(self.type_name()?));
            self.expect(Sign::RightParenthesis)?;
        }
        Ok(true)
    }

    /// `_Alignas(…)`: in bytes, if that is known and not 0.
    fn alignas(&mut self) -> Parsed<Option<u64>> {
        self.bump();
        self.expect(Sign::LeftParenthesis)?;
        let start = self.start();
        let alignment = if self.is_type_at(0) {
            let ty = self.type_name()?;
            alignment_of(&self.unit.types, ty)
        } else {
            let id = self.conditional_expression()?;
            integer_value(&self.unit, id).and_then(|value| u64::try_from(value).ok())
        };
        self.expect(Sign::RightParenthesis)?;
        if alignment.is_none_or(|bytes| bytes != 0 && !bytes.is_power_of_two()) {
            self.doubt(self.since(start), Doubt::BadAttribute);
        }
        Ok(alignment.filter(|bytes| bytes.is_power_of_two()))
    }

    /// `typeof(expression)`, `typeof(type)`
    fn typeof_type(&mut self) -> Parsed<Type> {
        self.bump();
        self.expect(Sign::LeftParenthesis)?;
        let ty = if self.is_type_at(0) {
            self.type_name()?
        } else {
            let id = self.expression()?;
            self.unit.type_of(id)
        };
        self.expect(Sign::RightParenthesis)?;
        Ok(ty)
    }

    /// The type that the words name (C11 6.7.2p2).
    fn named_type(&mut self, words: &Words) -> Parsed<Type> {
        use IntegerType as I;
        let pick = |signed: I| if words.is_unsigned { signed.to_unsigned() } else { signed };
        let integer = match words.base {
            Some(Base::Other(ty)) => return Ok(ty),
            Some(Base::Void) => return Ok(self.unit.types.of(TypeKind::Void)),
            Some(Base::Bool) => I::Bool,
            Some(Base::Char) if words.is_signed => I::SignedChar,
            Some(Base::Char) => pick(I::Char),
            Some(Base::Int128) => pick(I::Int128),
            Some(Base::UnsignedInt128) => I::UnsignedInt128,
            Some(Base::Float(float)) => {
                let float = if float == FloatType::Double && words.longs > 0 { FloatType::LongDouble } else { float };
                let kind = if words.is_complex { TypeKind::Complex(float) } else { TypeKind::Float(float) };
                return Ok(self.unit.types.of(kind));
            }
            // `_Complex` alone is that of double (GNU C).
            None if words.is_complex && !words.is_short && !words.is_unsigned && words.longs == 0 => {
                return Ok(self.unit.types.of(TypeKind::Complex(FloatType::Double)));
            }
            Some(Base::Int) | None if words.is_short => pick(I::Short),
            Some(Base::Int) | None => match words.longs {
                0 => pick(I::Int),
                1 => pick(I::Long),
                _ => pick(I::LongLong),
            },
        };
        if words.is_complex {
            return Ok(self.unit.types.unknown(Reason::ComplexInteger));
        }
        Ok(self.unit.types.integer(integer))
    }

    /// A type name (C11 6.7.7): specifiers and a declarator without a name.
    pub(super) fn type_name(&mut self) -> Parsed<Type> {
        self.nested(|reader| {
            let specifiers = reader.specifiers(false)?;
            let declarator = reader.declarator(false)?;
            let ty = reader.with_attributes(specifiers.ty, &declarator.written);
            Ok(reader.built(ty, &declarator))
        })
    }
}

fn base_of(keyword: Keyword) -> Option<Base> {
    Some(match keyword {
        Keyword::Void => Base::Void,
        Keyword::Char => Base::Char,
        Keyword::Int => Base::Int,
        Keyword::Bool => Base::Bool,
        Keyword::Int128 => Base::Int128,
        Keyword::UnsignedInt128 => Base::UnsignedInt128,
        Keyword::Float => Base::Float(FloatType::Float),
        Keyword::Double => Base::Float(FloatType::Double),
        Keyword::Float16 => Base::Float(FloatType::Float16),
        Keyword::Float32 => Base::Float(FloatType::Float32),
        Keyword::Float32x => Base::Float(FloatType::Float32x),
        Keyword::Float64 => Base::Float(FloatType::Float64),
        Keyword::Float64x => Base::Float(FloatType::Float64x),
        Keyword::Float80 => Base::Float(FloatType::LongDouble),
        Keyword::Float128 => Base::Float(FloatType::Float128),
        _ => return None,
    })
}

/// Does a declaration or a type name begin with it?
fn is_type_word(keyword: Keyword) -> bool {
    use Keyword as K;
    let others = matches!(
        keyword,
        K::Typedef
            | K::Extern
            | K::Static
            | K::Auto
            | K::Register
            | K::ThreadLocal
            | K::Inline
            | K::NoReturn
            | K::Const
            | K::Volatile
            | K::Restrict
            | K::Atomic
            | K::Attribute
            | K::Alignas
            | K::Struct
            | K::Union
            | K::Enum
            | K::Typeof
            | K::AutoType
            | K::Signed
            | K::Unsigned
            | K::Short
            | K::Long
            | K::Complex
            | K::BuiltinVaList
    );
    others || base_of(keyword).is_some()
}
