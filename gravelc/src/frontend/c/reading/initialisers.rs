//! Initialisers (C11 6.7.9): which expression goes to which part of an object.

use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Sign, TokenKind};
use crate::frontend::c::types::{ArrayLength, IntegerType, RecordKind, Type, TypeKind};
use crate::frontend::c::unit::{
    Designator, Doubt, ExpressionId, HoleCause, Initialiser, InitialiserItem, Operation, integer_value,
};

/// The state of one initialiser.
struct Filling {
    items: Vec<InitialiserItem>,
    /// An expression that has been read, and whose place has not been found yet.
    pending: Option<ExpressionId>,
}

/// What an object has inside.
enum Inside {
    /// Members: their numbers, in order.
    Members(Vec<u32>, RecordKind),
    /// Elements: how many, if that is known.
    Elements(Option<u64>),
    /// Nothing: it is a scalar, or not known.
    Nothing,
}

impl Reader<'_> {
    /// Reads an initialiser for an object of the type: it, and the type with its length.
    pub(super) fn initialiser(&mut self, ty: Type) -> Parsed<(Initialiser, Type)> {
        let start = self.start();
        let is_list = self.is(Sign::LeftBrace);
        let mut filling = Filling { items: Vec::new(), pending: None };
        let mut path = Vec::new();
        let count = self.nested(|reader| reader.fill(ty, &mut path, &mut filling))?;
        let complete = match (self.unit.types.kind(ty.id), count) {
            (TypeKind::Array { element, length: ArrayLength::Incomplete }, Some(count)) => {
                self.unit.types.array(element, ArrayLength::Constant(count))
            }
            _ => ty,
        };
        Ok((Initialiser { items: filling.items, is_list, range: self.since(start) }, complete))
    }

    /// Reads what is given to an object, with or without braces: of an array, how many elements that makes.
    fn fill(&mut self, ty: Type, path: &mut Vec<Designator>, filling: &mut Filling) -> Parsed<Option<u64>> {
        if filling.pending.is_none() && self.is(Sign::LeftBrace) {
            return self.nested(|reader| reader.fill_braced(ty, path, filling));
        }
        let value = match filling.pending.take() {
            Some(value) => value,
            None => self.assignment_expression()?,
        };
        if let Some(count) = self.string_length(value, ty) {
            filling.items.push(InitialiserItem { path: path.clone(), ty, value });
            return Ok(Some(count));
        }
        let is_whole = match self.inside(ty) {
            Inside::Nothing => true,
            Inside::Members(..) => {
                let given = self.unit.types.plain(self.unit.type_of(value).id);
                given == self.unit.types.plain(ty.id) || self.unit.types.reason(given).is_some()
            }
            // Of another vector; of another array, as GNU C permits it for compound literals.
            Inside::Elements(..) => match self.unit.kind_of(value) {
                TypeKind::Vector { .. } => matches!(self.unit.types.kind(ty.id), TypeKind::Vector { .. }),
                TypeKind::Array { .. } => path.is_empty(),
                _ => false,
            },
        };
        if is_whole {
            let count = match self.unit.length_of(self.unit.type_of(value)) {
                Some(ArrayLength::Constant(count)) => Some(count),
                _ => None,
            };
            let is_array = matches!(self.unit.types.kind(ty.id), TypeKind::Array { .. });
            let value = if is_array { value } else { self.unit.convert(value, ty.unqualified()) };
            filling.items.push(InitialiserItem { path: path.clone(), ty, value });
            return Ok(count);
        }
        filling.pending = Some(value);
        self.nested(|reader| reader.fill_parts(ty, path, filling, false))
    }

    /// `{ … }`
    fn fill_braced(&mut self, ty: Type, path: &mut Vec<Designator>, filling: &mut Filling) -> Parsed<Option<u64>> {
        self.bump();
        if self.accept(Sign::RightBrace) {
            return Ok(Some(0));
        }
        let count = match self.inside(ty) {
            Inside::Nothing if self.unit.types.reason(ty.id).is_some() => {
                self.fill_unknown(filling)?;
                None
            }
            Inside::Nothing => {
                self.fill(ty, path, filling)?;
                None
            }
            _ => {
                // A string in braces is the array as a whole.
                if self.kind() == TokenKind::String && matches!(self.inside(ty), Inside::Elements(..)) {
                    let value = self.assignment_expression()?;
                    if let Some(count) = self.string_length(value, ty) {
                        filling.items.push(InitialiserItem { path: path.clone(), ty, value });
                        self.accept(Sign::Comma);
                        self.expect(Sign::RightBrace)?;
                        return Ok(Some(count));
                    }
                    filling.pending = Some(value);
                }
                self.fill_parts(ty, path, filling, true)?
            }
        };
        self.accept(Sign::Comma);
        while !self.is(Sign::RightBrace) {
            // More than there is room for: evaluated, and thrown away.
            let start = self.start();
            self.fill_excess(filling)?;
            self.doubt(self.since(start), Doubt::BadInitialiser);
            if !self.accept(Sign::Comma) {
                break;
            }
        }
        self.expect(Sign::RightBrace)?;
        Ok(count)
    }

    fn fill_excess(&mut self, filling: &mut Filling) -> Parsed<()> {
        if self.accept(Sign::LeftBrace) {
            self.nested(|reader| reader.fill_unknown(filling))?;
            self.accept(Sign::Comma);
            return self.expect(Sign::RightBrace);
        }
        self.assignment_expression().map(|_| ())
    }

    /// The list for an object of a type that is not known.
    fn fill_unknown(&mut self, filling: &mut Filling) -> Parsed<()> {
        loop {
            while self.is(Sign::Dot) || self.is(Sign::LeftBracket) {
                if self.accept(Sign::Dot) { self.expect_name().map(|_| ())? } else { self.skip_brackets()? }
            }
            self.accept(Sign::Assign);
            self.fill_excess(filling)?;
            if !self.is(Sign::Comma) || self.is_at(1, Sign::RightBrace) {
                return Ok(());
            }
            self.bump();
        }
    }

    /// Gives the parts of an object their values, in order and where designators say. Without braces it ends where the object
    /// does, or where a designator of the list around stands.
    fn fill_parts(
        &mut self,
        ty: Type,
        path: &mut Vec<Designator>,
        filling: &mut Filling,
        braced: bool,
    ) -> Parsed<Option<u64>> {
        let inside = self.inside(ty);
        let mut place = 0_u64;
        let mut count = 0;
        loop {
            let mut last = place;
            let mut step = None;
            if filling.pending.is_none() && self.is_designator() {
                if !braced {
                    return Ok(Some(count));
                }
                let designators = self.designators(ty)?;
                self.accept(Sign::Assign);
                let Some((first, rest)) = designators.split_first() else {
                    return Err(self.failure(HoleCause::Syntax));
                };
                (place, last) = match first {
                    Designator::Elements(first, last) => (*first, *last),
                    Designator::Member(number) => (position(&inside, *number), position(&inside, *number)),
                };
                step = Some((*first, rest.to_vec()));
            }
            let (first, part, rest) = match step {
                Some((first, rest)) => (first, self.part(ty, first), rest),
                None => match self.nth(ty, &inside, place) {
                    Some((step, part)) => (step, Some(part), Vec::new()),
                    None => return Ok(Some(count)),
                },
            };
            let Some(part) = part else { return Err(self.failure(HoleCause::Syntax)) };
            path.push(first);
            self.fill_designated(part, &rest, path, filling)?;
            path.pop();
            count = count.max(last.saturating_add(1));
            place =
                if matches!(inside, Inside::Members(_, RecordKind::Union)) { u64::MAX } else { last.saturating_add(1) };
            // Is there room for more, and does more follow?
            let has_room = self.nth(ty, &inside, place).is_some();
            let follows = self.is(Sign::Comma) && !self.is_at(1, Sign::RightBrace);
            let is_designated = follows && matches!(self.kind_at(1), TokenKind::Sign(Sign::Dot | Sign::LeftBracket));
            let is_for_here = if is_designated { braced } else { has_room };
            if !follows || !is_for_here {
                return Ok(Some(count));
            }
            self.bump();
        }
    }

    /// The part to which the rest of a designation leads, and what follows it in the objects on the way.
    fn fill_designated(
        &mut self,
        ty: Type,
        rest: &[Designator],
        path: &mut Vec<Designator>,
        filling: &mut Filling,
    ) -> Parsed<()> {
        let Some((first, rest)) = rest.split_first() else { return self.fill(ty, path, filling).map(|_| ()) };
        let inside = self.inside(ty);
        let Some(part) = self.part(ty, *first) else { return Err(self.failure(HoleCause::Syntax)) };
        path.push(*first);
        self.nested(|reader| reader.fill_designated(part, rest, path, filling))?;
        path.pop();
        let mut place = match first {
            Designator::Elements(_, last) => last.saturating_add(1),
            Designator::Member(_) if matches!(inside, Inside::Members(_, RecordKind::Union)) => u64::MAX,
            Designator::Member(number) => position(&inside, *number).saturating_add(1),
        };
        // What follows without a designator goes on behind it.
        while let Some((step, part)) = self.nth(ty, &inside, place) {
            let ends = matches!(self.kind_at(1), TokenKind::Sign(Sign::Dot | Sign::LeftBracket | Sign::RightBrace));
            if !self.is(Sign::Comma) || ends {
                break;
            }
            self.bump();
            path.push(step);
            self.fill(part, path, filling)?;
            path.pop();
            place = place.saturating_add(1);
        }
        Ok(())
    }

    fn is_designator(&self) -> bool {
        let is_old = matches!(self.kind(), TokenKind::Name(_)) && self.is_at(1, Sign::Colon);
        self.is(Sign::Dot) || self.is(Sign::LeftBracket) || is_old
    }

    /// `.a[1 ... 2]`, or `a:` of old GNU C.
    fn designators(&mut self, mut ty: Type) -> Parsed<Vec<Designator>> {
        let mut found = Vec::new();
        let is_old = matches!(self.kind(), TokenKind::Name(_));
        loop {
            let failure = self.failure(HoleCause::Syntax);
            if self.accept(Sign::LeftBracket) {
                let first = self.designator_index()?;
                let last = if self.accept(Sign::Ellipsis) { self.designator_index()? } else { first };
                self.expect(Sign::RightBracket)?;
                found.push(Designator::Elements(first, last.max(first)));
            } else if is_old && found.is_empty() || self.accept(Sign::Dot) {
                let name = self.expect_name()?;
                if is_old {
                    self.expect(Sign::Colon)?;
                }
                let record = self.unit.types.as_record(ty.id).ok_or(failure)?;
                let member = self.unit.types.find_member(record, name).ok_or(failure)?;
                found.extend(member.path.iter().map(|number| Designator::Member(*number)));
                for number in &member.path[..member.path.len() - 1] {
                    ty = self.part(ty, Designator::Member(*number)).ok_or(failure)?;
                }
            } else {
                return Ok(found);
            }
            ty = found.last().and_then(|last| self.part(ty, *last)).ok_or(failure)?;
            if is_old {
                return Ok(found);
            }
        }
    }

    fn designator_index(&mut self) -> Parsed<u64> {
        let failure = self.failure(HoleCause::Syntax);
        let id = self.conditional_expression()?;
        integer_value(&self.unit, id).and_then(|index| u64::try_from(index).ok()).ok_or(failure)
    }

    fn inside(&self, ty: Type) -> Inside {
        match self.unit.types.kind(ty.id) {
            TypeKind::Record(id) => {
                let record = self.unit.types.record(id);
                // Unnamed bit-fields get no value.
                let members = record.members.iter().enumerate();
                let named = members.filter(|(_, member)| member.name.is_some() || member.bit_width.is_none());
                Inside::Members(
                    named.map(|(number, _)| u32::try_from(number).unwrap_or(u32::MAX)).collect(),
                    record.kind,
                )
            }
            TypeKind::Array { length: ArrayLength::Constant(length), .. } => Inside::Elements(Some(length)),
            TypeKind::Array { .. } => Inside::Elements(None),
            TypeKind::Vector { element, bytes } => {
                let size = crate::frontend::c::types::size_of(&self.unit.types, element.into());
                Inside::Elements(size.and_then(|size| bytes.checked_div(size)))
            }
            _ => Inside::Nothing,
        }
    }

    /// The type of a part.
    fn part(&mut self, ty: Type, step: Designator) -> Option<Type> {
        let part = match (self.unit.types.kind(ty.id), step) {
            (TypeKind::Record(id), Designator::Member(number)) => {
                self.unit.types.record(id).members.get(number as usize)?.ty
            }
            (TypeKind::Array { element, .. }, Designator::Elements(..)) => element,
            (TypeKind::Vector { element, .. }, Designator::Elements(..)) => element.into(),
            _ => return None,
        };
        Some(part)
    }

    /// The part at a place in the order of the object.
    fn nth(&mut self, ty: Type, inside: &Inside, place: u64) -> Option<(Designator, Type)> {
        let step = match inside {
            Inside::Members(members, _) => Designator::Member(*members.get(usize::try_from(place).ok()?)?),
            Inside::Elements(length) => {
                (place < length.unwrap_or(u64::MAX)).then_some(Designator::Elements(place, place))?
            }
            Inside::Nothing => return None,
        };
        Some((step, self.part(ty, step)?))
    }

    /// If a string literal is the value of an array of characters: how many elements it has.
    fn string_length(&self, value: ExpressionId, ty: Type) -> Option<u64> {
        let TypeKind::Array { element, .. } = self.unit.types.kind(ty.id) else { return None };
        let Operation::String { length } = self.unit.expression(value).operation else { return None };
        let TypeKind::Array { element: given, .. } = self.unit.kind_of(value) else { return None };
        let is_character = |integer: IntegerType| integer.size() == 1;
        let (one, other) = (self.unit.types.as_integer(element.id)?, self.unit.types.as_integer(given.id)?);
        (one == other || is_character(one) && is_character(other)).then_some(length)
    }
}

/// The place of a member in the order of the values.
fn position(inside: &Inside, number: u32) -> u64 {
    match inside {
        Inside::Members(members, _) => members.iter().position(|member| *member == number).unwrap_or(0) as u64,
        _ => 0,
    }
}
