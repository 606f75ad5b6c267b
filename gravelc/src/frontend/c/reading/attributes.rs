//! Attributes of GNU C and of C23.

use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Sign, TokenKind};
use crate::frontend::c::types::{FloatType, IntegerType, Type, TypeKind};
use crate::frontend::c::unit::{Attributes, Doubt, HoleCause, integer_value};

/// What the attributes of a declaration say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    /// Of symbols.
    pub attributes: Attributes,
    /// `packed`
    pub is_packed: bool,
    /// `aligned`, `_Alignas`: in bytes.
    pub alignment: Option<u64>,
    /// `may_alias`
    pub may_alias: bool,
    /// `vector_size`: in bytes.
    pub vector: Option<u64>,
    /// `mode`: the size in bytes, and whether it is a floating one.
    pub mode: Option<(u64, bool)>,
}

impl Written {
    /// It and what others say.
    pub fn join(&mut self, other: &Self) {
        let (one, two) = (&mut self.attributes, &other.attributes);
        one.is_noreturn |= two.is_noreturn;
        one.is_weak |= two.is_weak;
        one.is_alias |= two.is_alias;
        one.has_cleanup |= two.has_cleanup;
        one.runs_by_itself |= two.runs_by_itself;
        one.is_malloc |= two.is_malloc;
        one.is_const |= two.is_const;
        one.is_pure |= two.is_pure;
        one.returns_twice |= two.returns_twice;
        one.is_gnu_inline |= two.is_gnu_inline;
        one.has_others |= two.has_others;
        self.is_packed |= other.is_packed;
        self.may_alias |= other.may_alias;
        self.alignment = self.alignment.max(other.alignment);
        self.vector = other.vector.or(self.vector);
        self.mode = other.mode.or(self.mode);
    }
}

/// Attributes that change nothing of what a program does.
const HARMLESS: [&str; 52] = [
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "deprecated",
    "diagnose_if",
    "error",
    "externally_visible",
    "fallthrough",
    "fd_arg",
    "flatten",
    "format",
    "format_arg",
    "hot",
    "leaf",
    "maybe_unused",
    "no_icf",
    "no_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_protector",
    "no_type_check",
    "noclone",
    "nodiscard",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "nothrow",
    "optimize",
    "overloadable",
    "returns_nonnull",
    "scalar_storage_order_default",
    "section",
    "sentinel",
    "simd",
    "symver",
    "target",
    "tls_model",
    "unavailable",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
    "warning",
];

impl Reader<'_> {
    /// Reads attributes, if some stand here.
    pub(super) fn attributes(&mut self, written: &mut Written) -> Parsed<()> {
        loop {
            if self.accept_keyword(Keyword::Attribute) {
                self.expect(Sign::LeftParenthesis)?;
                self.expect(Sign::LeftParenthesis)?;
                while !self.accept(Sign::RightParenthesis) {
                    self.attribute(written)?;
                    if !self.is(Sign::RightParenthesis) {
                        self.expect(Sign::Comma)?;
                    }
                }
                self.expect(Sign::RightParenthesis)?;
            } else if self.is(Sign::LeftBracket) && self.is_at(1, Sign::LeftBracket) {
                self.skip_brackets()?;
            } else {
                return Ok(());
            }
        }
    }

    fn attribute(&mut self, written: &mut Written) -> Parsed<()> {
        let token = self.token();
        match token.kind {
            TokenKind::Sign(Sign::Comma) => return Ok(()),
            TokenKind::Keyword(Keyword::Const) => {
                written.attributes.is_const = true;
                self.bump();
                return Ok(());
            }
            TokenKind::Name(_) | TokenKind::Keyword(_) => self.bump(),
            _ => return Err(self.failure(HoleCause::Syntax)),
        }
        let spelled = String::from_utf8_lossy(&self.text[token.range()]).into_owned();
        let plain = spelled.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")).unwrap_or(&spelled);
        let attributes = &mut written.attributes;
        match plain {
            "packed" => written.is_packed = true,
            "may_alias" => written.may_alias = true,
            "noreturn" => attributes.is_noreturn = true,
            "weak" | "weak_import" => attributes.is_weak = true,
            "weakref" => (attributes.is_weak, attributes.is_alias) = (true, true),
            "alias" | "ifunc" => attributes.is_alias = true,
            "cleanup" => attributes.has_cleanup = true,
            "constructor" | "destructor" => attributes.runs_by_itself = true,
            "malloc" => attributes.is_malloc = true,
            "pure" => attributes.is_pure = true,
            "returns_twice" => attributes.returns_twice = true,
            "gnu_inline" => attributes.is_gnu_inline = true,
            "aligned" => {
                let alignment = if self.is(Sign::LeftParenthesis) {
                    self.attribute_number()?.filter(|bytes| bytes.is_power_of_two())
                } else {
                    Some(self.unit.types.target.largest_alignment)
                };
                written.alignment = written.alignment.max(alignment);
                self.doubt_unless(alignment.is_some(), token.start);
            }
            "vector_size" => {
                written.vector = self.attribute_number()?.filter(|bytes| bytes.is_power_of_two());
                self.doubt_unless(written.vector.is_some(), token.start);
            }
            "mode" => {
                written.mode = self.mode()?;
                self.doubt_unless(written.mode.is_some(), token.start);
            }
            _ => attributes.has_others |= HARMLESS.binary_search(&plain).is_err(),
        }
        if self.is(Sign::LeftParenthesis) { self.skip_brackets() } else { Ok(()) }
    }

    fn doubt_unless(&mut self, is_understood: bool, start: u32) {
        if !is_understood {
            self.doubt(self.since(start), Doubt::BadAttribute);
        }
    }

    /// `(constant)`
    fn attribute_number(&mut self) -> Parsed<Option<u64>> {
        self.expect(Sign::LeftParenthesis)?;
        let id = self.conditional_expression()?;
        self.expect(Sign::RightParenthesis)?;
        Ok(integer_value(&self.unit, id).and_then(|value| u64::try_from(value).ok()))
    }

    /// `(DI)`: a machine mode.
    fn mode(&mut self) -> Parsed<Option<(u64, bool)>> {
        self.expect(Sign::LeftParenthesis)?;
        let spelled = String::from_utf8_lossy(&self.text[self.token().range()]).into_owned();
        self.expect_name()?;
        self.expect(Sign::RightParenthesis)?;
        Ok(match spelled.trim_matches('_') {
            "QI" | "byte" => Some((1, false)),
            "HI" => Some((2, false)),
            "SI" => Some((4, false)),
            "DI" | "word" | "pointer" => Some((8, false)),
            "TI" => Some((16, false)),
            "SF" => Some((4, true)),
            "DF" => Some((8, true)),
            "XF" => Some((16, true)),
            _ => None,
        })
    }

    /// The type with what `mode` and `vector_size` make of it.
    pub(super) fn with_attributes(&mut self, ty: Type, written: &Written) -> Type {
        let types = &mut self.unit.types;
        let mut id = ty.id;
        if let (Some((bytes, is_float)), Some(integer)) = (written.mode, types.as_integer(id)) {
            let is_signed = integer.is_signed(&types.target);
            let signed =
                [IntegerType::SignedChar, IntegerType::Short, IntegerType::Int, IntegerType::Long, IntegerType::Int128];
            let found = signed.into_iter().find(|integer| integer.size() == bytes && !is_float);
            if let Some(found) = found {
                id = types.integer(if is_signed { found } else { found.to_unsigned() }).id;
            }
        } else if let (Some((bytes, true)), TypeKind::Float(_)) = (written.mode, types.kind(id)) {
            let float = [FloatType::Float, FloatType::Double, FloatType::LongDouble]
                .into_iter()
                .find(|float| float.size() == bytes);
            id = float.map_or(id, |float| types.of(TypeKind::Float(float)).id);
        }
        let is_element = matches!(types.kind(id), TypeKind::Integer(_) | TypeKind::Float(_));
        if let (Some(bytes), true) = (written.vector, is_element) {
            let element = types.plain(id);
            id = types.id(TypeKind::Vector { element, bytes });
        }
        Type { id, ..ty }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_harmless_ones_are_sorted() {
        assert!(super::HARMLESS.is_sorted());
    }
}
