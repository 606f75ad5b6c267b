//! Structures, unions, enumerations (C11 6.7.2.1, 6.7.2.2).

use super::attributes::Written;
use super::scopes::Tag;
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Name, Sign, TokenKind};
use crate::frontend::c::types::{
    ArrayLength, EnumId, IntegerType, Member, Qualifiers, RecordId, RecordKind, Type, TypeKind,
};
use crate::frontend::c::unit::{
    Doubt, HoleCause, Linkage, Storage, Symbol, SymbolId, SymbolKind, integer_value, is_unspecified,
};

impl Reader<'_> {
    /// `struct` or `union`, with or without its members.
    pub(super) fn structure(&mut self) -> Parsed<Type> {
        let start = self.start();
        let kind = if self.is_keyword(Keyword::Struct) { RecordKind::Struct } else { RecordKind::Union };
        self.bump();
        let mut written = Written::default();
        self.attributes(&mut written)?;
        let tag = self.accept_tag();
        if !self.is(Sign::LeftBrace) {
            let Some(tag) = tag else { return Err(self.failure(HoleCause::Syntax)) };
            // `struct s;` alone declares another one than that of a scope around.
            let visible = if self.is(Sign::Semicolon) { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) };
            let id = match visible {
                Some(Tag::Record(id)) if self.unit.types.record(id).kind == kind => id,
                _ => self.new_record(kind, Some(tag), start),
            };
            return Ok(self.unit.types.of(TypeKind::Record(id)));
        }
        let id = match tag.and_then(|tag| self.scopes.tag_here(tag)) {
            Some(Tag::Record(id))
                if self.unit.types.record(id).kind == kind && !self.unit.types.record(id).is_complete =>
            {
                id
            }
            _ => self.new_record(kind, tag, start),
        };
        self.bump();
        let mut members = Vec::new();
        self.nested(|reader| {
            while !reader.is(Sign::RightBrace) {
                reader.member_declaration(&mut members)?;
            }
            Ok(())
        })?;
        // What is in force in front of the closing brace counts.
        let pack = self.current_packing();
        self.bump();
        self.attributes(&mut written)?;
        let range = self.since(start);
        let record = self.unit.types.record_mut(id);
        record.range = range;
        record.pack = pack;
        record.alignment = written.alignment;
        record.may_alias = written.may_alias;
        members.iter_mut().for_each(|member| member.is_packed |= written.is_packed);
        self.unit.types.complete_record(id, members);
        Ok(self.unit.types.of(TypeKind::Record(id)))
    }

    fn accept_tag(&mut self) -> Option<Name> {
        let TokenKind::Name(name) = self.kind() else { return None };
        self.bump();
        Some(name)
    }

    fn new_record(&mut self, kind: RecordKind, tag: Option<Name>, start: u32) -> RecordId {
        let range = self.since(start);
        let id = self.unit.types.new_record(kind, tag, range);
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, Tag::Record(id));
        }
        id
    }

    fn member_declaration(&mut self, members: &mut Vec<Member>) -> Parsed<()> {
        if self.accept(Sign::Semicolon) {
            return Ok(());
        }
        if self.is_keyword(Keyword::StaticAssert) {
            return self.static_assertion();
        }
        let specifiers = self.specifiers(false)?;
        if self.is(Sign::Semicolon) {
            // Anonymous is one that is declared here, without a tag (C11 6.7.2.1p13).
            let record = self.unit.types.as_record(specifiers.ty.id).map(|id| self.unit.types.record(id));
            let is_anonymous = record.is_some_and(|record| {
                record.tag.is_none() && record.is_complete && record.range.start >= specifiers.start
            });
            if is_anonymous {
                let at = self.start();
                members.push(member(None, specifiers.ty, None, &specifiers.written, at..at));
            }
            self.bump();
            return Ok(());
        }
        loop {
            let start = self.start();
            let declarator = self.declarator(true)?;
            let mut written = specifiers.written;
            let width = if self.accept(Sign::Colon) { Some(self.constant_width()?) } else { None };
            let base = self.with_attributes(specifiers.ty, &declarator.written);
            let ty = self.built(base, &declarator);
            written.join(&declarator.written);
            self.attributes(&mut written)?;
            if declarator.name.is_none() && width.is_none() {
                return Err(self.failure(HoleCause::Syntax));
            }
            let range = if declarator.name.is_some() { declarator.range } else { start..start };
            let is_variable =
                matches!(self.unit.types.kind(ty.id), TypeKind::Array { length: ArrayLength::Variable(_), .. });
            if is_variable {
                self.doubt(range.clone(), Doubt::NotConstant);
            }
            members.push(member(declarator.name, ty, width, &written, range));
            if !self.accept(Sign::Comma) {
                return self.expect(Sign::Semicolon);
            }
        }
    }

    fn constant_width(&mut self) -> Parsed<u32> {
        let failure = self.failure(HoleCause::Syntax);
        let id = self.conditional_expression()?;
        integer_value(&self.unit, id)
            .and_then(|width| u32::try_from(width).ok())
            .filter(|width| *width <= 128)
            .ok_or(failure)
    }

    /// `enum`, with or without its enumerators.
    pub(super) fn enumeration(&mut self) -> Parsed<Type> {
        let start = self.start();
        self.bump();
        let mut written = Written::default();
        self.attributes(&mut written)?;
        let tag = self.accept_tag();
        if !self.is(Sign::LeftBrace) {
            let Some(tag) = tag else { return Err(self.failure(HoleCause::Syntax)) };
            let id = match self.scopes.tag(tag) {
                Some(Tag::Enum(id)) => id,
                _ => self.new_enumeration(Some(tag), start),
            };
            return Ok(self.unit.types.of(TypeKind::Enum(id)));
        }
        let id = match tag.and_then(|tag| self.scopes.tag_here(tag)) {
            Some(Tag::Enum(id)) if self.unit.types.enumeration(id).compatible.is_none() => id,
            _ => self.new_enumeration(tag, start),
        };
        self.bump();
        let mut values: Vec<(SymbolId, Option<i128>)> = Vec::new();
        let mut next = Some(0);
        while !self.is(Sign::RightBrace) {
            let range = self.token().start..self.token().end;
            let name = self.expect_name()?;
            self.attributes(&mut Written::default())?;
            if self.accept(Sign::Assign) {
                let id = self.conditional_expression()?;
                next = integer_value(&self.unit, id);
                if next.is_none() && !is_unspecified(&self.unit, id) {
                    self.doubt(range.clone(), Doubt::NotConstant);
                }
            }
            values.push((self.enumerator(name, range, next), next));
            next = next.map(|value| value + 1);
            if !self.accept(Sign::Comma) {
                break;
            }
        }
        self.expect(Sign::RightBrace)?;
        self.attributes(&mut written)?;
        self.complete_enumeration(id, &values, written.is_packed);
        Ok(self.unit.types.of(TypeKind::Enum(id)))
    }

    fn new_enumeration(&mut self, tag: Option<Name>, start: u32) -> EnumId {
        let range = self.since(start);
        let id = self.unit.types.new_enumeration(tag, range);
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, Tag::Enum(id));
        }
        id
    }

    fn enumerator(&mut self, name: Name, range: std::ops::Range<u32>, value: Option<i128>) -> SymbolId {
        let target = self.unit.types.target;
        let kinds = [IntegerType::Int, IntegerType::UnsignedInt, IntegerType::Long, IntegerType::UnsignedLong];
        let fitting = value.and_then(|value| kinds.into_iter().find(|kind| kind.holds(value, &target)));
        let ty = self.unit.types.integer(fitting.unwrap_or(IntegerType::Int));
        let symbol = Symbol::new(Some(name), SymbolKind::Enumerator(value), ty, range, Linkage::None, Storage::Static);
        let id = self.add_symbol(symbol);
        self.scopes.declare(name, id);
        id
    }

    /// Decides the type of the values: GNU C takes the first of `unsigned int`, `int` (if there are negative ones), and the
    /// long ones that holds them all. Enumerators that are no `int` get the enumeration's type.
    fn complete_enumeration(&mut self, id: EnumId, values: &[(SymbolId, Option<i128>)], is_packed: bool) {
        use IntegerType as I;
        let target = self.unit.types.target;
        let known: Option<Vec<i128>> = values.iter().map(|(_, value)| *value).collect();
        let Some(known) = known else { return };
        let is_negative = known.iter().any(|value| *value < 0);
        let small = if is_negative { [I::SignedChar, I::Short] } else { [I::UnsignedChar, I::UnsignedShort] };
        let large = if is_negative { [I::Int, I::Long] } else { [I::UnsignedInt, I::UnsignedLong] };
        let is_small = is_packed || target.has_short_enums;
        let candidates = small.into_iter().filter(|_| is_small).chain(large);
        let fits = |kind: &I| known.iter().all(|value| kind.holds(*value, &target));
        let Some(kind) = candidates.into_iter().find(fits) else { return };
        self.unit.types.complete_enumeration(id, kind);
        let ty = self.unit.types.of(TypeKind::Enum(id));
        for (symbol, value) in values {
            if value.is_some_and(|value| !I::Int.holds(value, &target)) {
                self.unit.symbols[symbol.index()].ty = ty;
            }
        }
    }

    /// `va_list`: a structure, or an array of one.
    pub(super) fn variadic_list(&mut self) -> Type {
        if let Some(ty) = self.variadic_list {
            return ty;
        }
        let target = self.unit.types.target;
        let tag = self.unit.names.intern("__va_list_tag");
        let id = self.unit.types.new_record(RecordKind::Struct, tag, 0..0);
        let mut members = Vec::new();
        for (name, is_pointer) in target.va_list_members {
            let types = &mut self.unit.types;
            let void = types.of(TypeKind::Void);
            let kind = if target.va_list_is_array { IntegerType::UnsignedInt } else { IntegerType::Int };
            let ty = if *is_pointer { types.pointer(void) } else { types.integer(kind) };
            let name = self.unit.names.intern(name);
            members.push(member(name, ty, None, &Written::default(), 0..0));
        }
        self.unit.types.complete_record(id, members);
        let record = self.unit.types.of(TypeKind::Record(id));
        let one = ArrayLength::Constant(1);
        let ty = if target.va_list_is_array { self.unit.types.array(record, one) } else { record };
        self.variadic_list = Some(ty);
        ty
    }
}

fn member(
    name: Option<Name>,
    ty: Type,
    bit_width: Option<u32>,
    written: &Written,
    range: std::ops::Range<u32>,
) -> Member {
    let ty =
        if bit_width.is_some() { Type { qualifiers: ty.qualifiers.without(Qualifiers::ATOMIC), ..ty } } else { ty };
    Member { name, ty, bit_width, is_packed: written.is_packed, alignment: written.alignment, bit_offset: 0, range }
}
