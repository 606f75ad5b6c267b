//! Constant expressions (C11 6.6).
//!
//! A value is computed only where the standard says what it is: a signed overflow, a division by zero or a shift by
//! too much is no constant. Floating values are those of `float` and `double`.

use super::{BinaryOperator, Conversion, ExpressionId, Operation, SymbolKind, UnaryOperator, Unit};
use crate::frontend::c::types::{FloatType, IntegerType, Type, TypeKind, alignment_of, size_of};

/// So deep may a constant be nested.
const DEEPEST: u32 = 300;

/// The value of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// An integer, or a pointer that was made of one.
    Integer(i128),
    /// A floating value.
    Float(f64),
}

impl Value {
    fn is_true(self) -> bool {
        match self {
            Self::Integer(value) => value != 0,
            Self::Float(value) => value != 0.0,
        }
    }
}

/// The value of an integer constant expression.
pub fn integer_value(unit: &Unit, id: ExpressionId) -> Option<i128> {
    match value(unit, id, 0)? {
        Value::Integer(value) if unit.types.as_integer(unit.type_of(id).id).is_some() => Some(value),
        _ => None,
    }
}

/// The value of an expression, if it is constant.
pub fn value_of(unit: &Unit, id: ExpressionId) -> Option<Value> {
    value(unit, id, 0)
}

/// The address of an object that lies behind a constant pointer, as `&((struct s *)0)->f` has it.
pub fn address_of(unit: &Unit, id: ExpressionId) -> Option<i128> {
    address(unit, id, 0)
}

/// The integer if it is a value of the type: what overflows is undefined, or for unsigned types taken modulo 2^n.
fn in_type(unit: &Unit, ty: Type, value: i128) -> Option<Value> {
    let target = &unit.types.target;
    let integer = match unit.types.as_integer(ty.id) {
        Some(integer) => integer,
        None => {
            unit.types.pointee(ty.id)?;
            IntegerType::UnsignedLong
        }
    };
    let wrapped = integer.wrapped(value, target)?;
    (wrapped == value || !integer.is_signed(target)).then_some(Value::Integer(wrapped))
}

/// Is it a constant whose value differs between implementations, such as `MPI_MAX_PROCESSOR_NAME + 1`?
pub fn is_unspecified(unit: &Unit, id: ExpressionId) -> bool {
    has_unspecified(unit, id, 0) == Some(true)
}

/// Does a constant expression depend on such a value? None, if it is no constant.
fn has_unspecified(unit: &Unit, id: ExpressionId, depth: u32) -> Option<bool> {
    if depth > DEEPEST {
        return None;
    }
    let of = |id: &ExpressionId| has_unspecified(unit, *id, depth + 1);
    match &unit.expression(id).operation {
        Operation::Symbol(symbol) => match unit.symbol(*symbol).kind {
            SymbolKind::Enumerator(value) => Some(value.is_none()),
            _ => None,
        },
        Operation::Convert { conversion: Conversion::Read | Conversion::Decay, .. } => None,
        Operation::Convert { operand, .. } | Operation::Unary(_, operand) => of(operand),
        Operation::Binary(_, left, right) => Some(of(left)? | of(right)?),
        Operation::Conditional { condition, then, otherwise } => {
            let then = then.as_ref().map_or(Some(false), of)?;
            Some(of(condition)? | then | of(otherwise)?)
        }
        Operation::SizeOf { of, .. } if unit.types.reason(of.id).is_none() && !unit.types.is_variable(of.id) => {
            Some(size(unit, *of).is_none())
        }
        Operation::Integer(_) | Operation::Float { .. } | Operation::OffsetOf(Some(_)) => Some(false),
        _ => None,
    }
}

fn value(unit: &Unit, id: ExpressionId, depth: u32) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let expression = unit.expression(id);
    let of = |id: &ExpressionId| value(unit, *id, depth + 1);
    match &expression.operation {
        Operation::Integer(value) => Some(Value::Integer(*value)),
        Operation::Float { value, is_imaginary: false } => Some(Value::Float((*value)?)),
        Operation::Symbol(symbol) => match unit.symbol(*symbol).kind {
            SymbolKind::Enumerator(value) => Some(Value::Integer(value?)),
            _ => None,
        },
        Operation::Convert { conversion, operand, .. } => match conversion {
            Conversion::Decay => Some(Value::Integer(address(unit, *operand, depth + 1)?)),
            _ => converted(unit, *conversion, of(operand)?, expression.ty),
        },
        Operation::Unary(operator, operand) => unary(unit, *operator, of(operand)?, expression.ty),
        Operation::Binary(BinaryOperator::And, left, right) => {
            let is_true = of(left)?.is_true() && of(right)?.is_true();
            Some(Value::Integer(i128::from(is_true)))
        }
        Operation::Binary(BinaryOperator::Or, left, right) => {
            let is_true = of(left)?.is_true() || of(right)?.is_true();
            Some(Value::Integer(i128::from(is_true)))
        }
        Operation::Binary(operator, left, right) => {
            let pointee = |id: &ExpressionId| unit.types.pointee(unit.type_of(*id).id);
            match (pointee(left), pointee(right)) {
                (None, None) => binary(unit, *operator, of(left)?, of(right)?, unit.type_of(*left), expression.ty),
                (Some(to), None) => moved(unit, *operator, of(left)?, of(right)?, to),
                (None, Some(to)) => moved(unit, *operator, of(right)?, of(left)?, to),
                (Some(_), Some(_)) => None,
            }
        }
        Operation::AddressOf(operand) => Some(Value::Integer(address(unit, *operand, depth + 1)?)),
        Operation::Conditional { condition, then, otherwise } => {
            let decided = of(condition)?;
            match then {
                _ if !decided.is_true() => of(otherwise),
                Some(then) => of(then),
                None => Some(decided),
            }
        }
        Operation::SizeOf { of, .. } => Some(Value::Integer(i128::from(size(unit, *of)?))),
        Operation::AlignOf(Some(of)) => match unit.types.kind(of.id) {
            TypeKind::Void | TypeKind::Function(_) => Some(Value::Integer(1)),
            _ => Some(Value::Integer(i128::from(alignment_of(&unit.types, *of)?))),
        },
        Operation::OffsetOf(offset) => Some(Value::Integer(i128::from((*offset)?))),
        _ => None,
    }
}

/// The size as GNU C has it: 1 for `void` and functions.
pub(in crate::frontend::c) fn size(unit: &Unit, of: Type) -> Option<u64> {
    match unit.types.kind(of.id) {
        TypeKind::Void | TypeKind::Function(_) => Some(1),
        _ => size_of(&unit.types, of),
    }
}

fn address(unit: &Unit, id: ExpressionId, depth: u32) -> Option<i128> {
    if depth > DEEPEST {
        return None;
    }
    let pointer = |id: &ExpressionId| match value(unit, *id, depth + 1)? {
        Value::Integer(value) => Some(value),
        Value::Float(_) => None,
    };
    match &unit.expression(id).operation {
        Operation::Dereference(operand) => pointer(operand),
        Operation::Subscript { pointer: base, index, .. } => {
            let to = unit.types.pointee(unit.type_of(*base).id)?;
            let size = i128::from(size(unit, to)?);
            pointer(base)?.checked_add(pointer(index)?.checked_mul(size)?)
        }
        Operation::Member { base, path, .. } => {
            let mut at = address(unit, *base, depth + 1)?;
            let mut ty = unit.type_of(*base);
            for step in path {
                let record = unit.types.record(unit.types.as_record(ty.id)?);
                record.layout?;
                let member = record.members.get(*step as usize)?;
                at = at.checked_add(i128::from(member.bit_offset / 8))?;
                ty = member.ty;
            }
            Some(at)
        }
        _ => None,
    }
}

/// A pointer moved by so many elements.
fn moved(unit: &Unit, operator: BinaryOperator, pointer: Value, count: Value, to: Type) -> Option<Value> {
    let (Value::Integer(pointer), Value::Integer(count)) = (pointer, count) else { return None };
    let bytes = count.checked_mul(i128::from(size(unit, to)?))?;
    match operator {
        BinaryOperator::Add => Some(Value::Integer(pointer.checked_add(bytes)?)),
        BinaryOperator::Subtract => Some(Value::Integer(pointer.checked_sub(bytes)?)),
        _ => None,
    }
}

fn converted(unit: &Unit, conversion: Conversion, value: Value, to: Type) -> Option<Value> {
    match (conversion, value) {
        (Conversion::Same | Conversion::Null | Conversion::Pointer, value) => Some(value),
        (Conversion::Truth, value) => Some(Value::Integer(i128::from(value.is_true()))),
        (Conversion::Integer | Conversion::FromPointer, Value::Integer(value)) => {
            let integer = unit.types.as_integer(to.id)?;
            Some(Value::Integer(integer.wrapped(value, &unit.types.target)?))
        }
        (Conversion::ToPointer, Value::Integer(value)) => {
            Some(Value::Integer(IntegerType::UnsignedLong.wrapped(value, &unit.types.target)?))
        }
        #[expect(clippy::cast_precision_loss, reason = "C's conversion rounds to nearest, too")]
        (Conversion::ToFloat, Value::Integer(value)) => match unit.types.kind(to.id) {
            TypeKind::Float(FloatType::Double) => Some(Value::Float(value as f64)),
            TypeKind::Float(FloatType::Float) => Some(Value::Float(f64::from(value as f32))),
            _ => None,
        },
        #[expect(clippy::cast_possible_truncation, reason = "it is C's conversion to float; and it is in range")]
        (Conversion::Float, Value::Float(value)) => match unit.types.kind(to.id) {
            TypeKind::Float(FloatType::Double) => Some(Value::Float(value)),
            TypeKind::Float(FloatType::Float) => Some(Value::Float(f64::from(value as f32))),
            _ => None,
        },
        #[expect(clippy::cast_possible_truncation, reason = "it is C's conversion to float; and it is in range")]
        (Conversion::ToInteger, Value::Float(value)) => {
            // A value that the type does not have is undefined.
            let integer = unit.types.as_integer(to.id)?;
            let truncated = value.trunc();
            let is_small = truncated.abs() < 1e30;
            (is_small && integer.holds(truncated as i128, &unit.types.target))
                .then_some(Value::Integer(truncated as i128))
        }
        _ => None,
    }
}

fn unary(unit: &Unit, operator: UnaryOperator, operand: Value, ty: Type) -> Option<Value> {
    match (operator, operand) {
        (UnaryOperator::Plus, value) => Some(value),
        (UnaryOperator::Minus, Value::Integer(value)) => in_type(unit, ty, value.checked_neg()?),
        (UnaryOperator::Minus, Value::Float(value)) => Some(Value::Float(-value)),
        (UnaryOperator::Complement, Value::Integer(value)) => {
            // Of an unsigned value it is the rest to the largest one.
            in_type(unit, ty, !value)
        }
        (UnaryOperator::Not, value) => Some(Value::Integer(i128::from(!value.is_true()))),
        _ => None,
    }
}

fn binary(unit: &Unit, operator: BinaryOperator, left: Value, right: Value, of: Type, ty: Type) -> Option<Value> {
    use BinaryOperator as B;
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => {
            let truth = |is_true: bool| Some(Value::Integer(i128::from(is_true)));
            let integer = unit.types.as_integer(of.id)?;
            let exact = match operator {
                B::Multiply => product(integer, left, right, unit)?,
                B::Divide => left.checked_div(right)?,
                B::Remainder => {
                    // Where the quotient overflows, the rest is undefined, too.
                    in_type(unit, ty, left.checked_div(right)?)?;
                    left.checked_rem(right)?
                }
                B::Add => left.checked_add(right)?,
                B::Subtract => left.checked_sub(right)?,
                B::ShiftLeft | B::ShiftRight => return shifted(unit, operator, left, right, integer),
                B::BitAnd => left & right,
                B::BitXor => left ^ right,
                B::BitOr => left | right,
                B::Less => return truth(left < right),
                B::Greater => return truth(left > right),
                B::LessEqual => return truth(left <= right),
                B::GreaterEqual => return truth(left >= right),
                B::Equal => return truth(left == right),
                B::NotEqual => return truth(left != right),
                B::And | B::Or => return None,
            };
            in_type(unit, ty, exact)
        }
        (Value::Float(left), Value::Float(right)) => {
            let truth = |is_true: bool| Some(Value::Integer(i128::from(is_true)));
            let exact = match operator {
                B::Multiply => left * right,
                B::Divide => left / right,
                B::Add => left + right,
                B::Subtract => left - right,
                B::Less => return truth(left < right),
                B::Greater => return truth(left > right),
                B::LessEqual => return truth(left <= right),
                B::GreaterEqual => return truth(left >= right),
                B::Equal => return truth(left == right),
                B::NotEqual => return truth(left != right),
                _ => return None,
            };
            // Of two floats the exact result is rounded once to double and once to float: these four operations permit that.
            #[expect(clippy::cast_possible_truncation, reason = "it is C's rounding to float")]
            match unit.types.kind(ty.id) {
                TypeKind::Float(FloatType::Double) => Some(Value::Float(exact)),
                TypeKind::Float(FloatType::Float) => Some(Value::Float(f64::from(exact as f32))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The product; of unsigned 64-bit values it may be up to 2^128.
fn product(integer: IntegerType, left: i128, right: i128, unit: &Unit) -> Option<i128> {
    if integer.size() <= 8 && !integer.is_signed(&unit.types.target) {
        let low = left.cast_unsigned().wrapping_mul(right.cast_unsigned()) & u128::from(u64::MAX);
        return Some(low.cast_signed());
    }
    left.checked_mul(right)
}

/// A shift: the width of the left operand bounds the right one. Bits that a left shift of a signed value moves out of it are lost:
/// C11 leaves that undefined, GNU C defines it so.
fn shifted(unit: &Unit, operator: BinaryOperator, left: i128, by: i128, integer: IntegerType) -> Option<Value> {
    let target = &unit.types.target;
    let by = u32::try_from(by).ok().filter(|by| *by < integer.width())?;
    if operator == BinaryOperator::ShiftRight {
        return Some(Value::Integer(left >> by));
    }
    let exact = if integer.size() <= 8 { left << by } else { left.checked_mul(1_i128.checked_shl(by)?)? };
    Some(Value::Integer(integer.wrapped(exact, target)?))
}
