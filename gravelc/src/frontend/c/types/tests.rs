//! Integer types, and types in their table.

use super::*;

#[test]
fn integers_are_promoted_and_balanced() {
    use IntegerType as I;
    let target = Target::X86_64;
    assert_eq!(
        [I::Bool, I::UnsignedShort, I::UnsignedInt, I::Long].map(I::promoted),
        [I::Int, I::Int, I::UnsignedInt, I::Long]
    );
    let common = |one: I, other: I| one.common(other, &target);
    assert_eq!(common(I::UnsignedInt, I::Int), I::UnsignedInt);
    assert_eq!(common(I::UnsignedInt, I::Long), I::Long);
    assert_eq!(common(I::UnsignedLong, I::LongLong), I::UnsignedLongLong);
    assert_eq!(common(I::UnsignedChar, I::Short), I::Int);
    for (one, other) in I::ALL.into_iter().flat_map(|one| I::ALL.map(|other| (one, other))) {
        assert_eq!(common(one, other), common(other, one));
    }
}

#[test]
fn bit_fields_are_promoted_by_their_width() {
    let promoted = |integer: IntegerType, width| integer.promoted_bit_field(width, &Target::X86_64);
    assert_eq!(promoted(IntegerType::UnsignedInt, 31), Some(IntegerType::Int));
    assert_eq!(promoted(IntegerType::UnsignedInt, 32), Some(IntegerType::UnsignedInt));
    assert_eq!(promoted(IntegerType::UnsignedLong, 20), Some(IntegerType::Int));
    assert_eq!(promoted(IntegerType::UnsignedLong, 40), None);
    assert_eq!(promoted(IntegerType::UnsignedLong, 64), Some(IntegerType::UnsignedLong));
}

#[test]
fn values_wrap() {
    let wrapped = |integer: IntegerType, value| integer.wrapped(value, &Target::X86_64);
    assert_eq!(wrapped(IntegerType::SignedChar, 200), Some(-56));
    assert_eq!(wrapped(IntegerType::UnsignedShort, -1), Some(65535));
    assert_eq!(wrapped(IntegerType::Bool, 256), Some(1));
    assert_eq!(wrapped(IntegerType::UnsignedLong, -1), Some(i128::from(u64::MAX)));
    assert_eq!(wrapped(IntegerType::UnsignedInt128, -1), None);
    assert_eq!(IntegerType::Char.wrapped(255, &Target::AARCH64), Some(255));
}

#[test]
fn types_that_are_alike_have_one_number() {
    let mut types = Types::new(Target::X86_64);
    let int = types.int();
    let pointer = types.pointer(int.and(Qualifiers::CONST));
    assert_eq!(types.pointer(int.and(Qualifiers::CONST)), pointer);
    assert_ne!(types.pointer(int), pointer);
    let array = types.array(int, ArrayLength::Constant(3));
    let qualified = types.qualified(array, Qualifiers::CONST);
    assert_eq!(types.array(int.and(Qualifiers::CONST), ArrayLength::Constant(3)), qualified);
}

#[test]
fn what_either_of_two_types_says_is_in_their_composite() {
    let mut types = Types::new(Target::X86_64);
    let int = types.int();
    let (open, three) = (types.array(int, ArrayLength::Incomplete), types.array(int, ArrayLength::Constant(3)));
    let four = types.array(int, ArrayLength::Constant(4));
    assert!(are_compatible(&types, open.id, three.id) && !are_compatible(&types, three.id, four.id));
    assert_eq!(composite(&mut types, open, three), three);
    let function = |types: &mut Types, parameters: Vec<Type>, has_prototype| {
        types.function_type(FunctionType { result: int, parameters, is_variadic: false, has_prototype })
    };
    let float = types.of(TypeKind::Float(FloatType::Float));
    let bare = function(&mut types, Vec::new(), false);
    let (of_int, of_float) = (function(&mut types, vec![int], true), function(&mut types, vec![float], true));
    assert!(are_compatible(&types, bare.id, of_int.id) && !are_compatible(&types, bare.id, of_float.id));
    assert_eq!(composite(&mut types, bare, of_int), of_int);
}

#[test]
fn types_that_are_too_deep_are_unknown() {
    let mut types = Types::new(Target::X86_64);
    let mut ty = types.int();
    for _ in 0..1000 {
        ty = types.pointer(ty);
        if types.reason(ty.id).is_some() {
            break;
        }
    }
    assert_eq!(types.reason(ty.id), Some(Reason::TooDeep));
}
