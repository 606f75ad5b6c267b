//! Buffers of which a call gets the address, whatever memory that is.

use crate::ir::{
    Expression, ExpressionKind, Message, PartForm, Procedure, Program, Storage, SymbolClass, TypeCategory,
};

/// Is the buffer handed over by its address, where [`super::message_region`] can't tell its memory? Then a call that takes the
/// place of MPI's, where that stands, gets the same address, and nothing needs to be known of the memory.
///
/// Of an element of an array a call gets the address, also behind a pointer and where the elements of the array may lie apart.
/// So it does of a component in an object that pointers, subscripts or allocated memory lead to: of an element of it, or of all
/// of it, unless it is an array that a pointer leads to. That may have gaps: then a copy is passed.
pub fn is_handed_by_address(program: &Program, procedure: &Procedure, message: &Message) -> bool {
    // Blocks that have places of their own may lie before the beginning of the buffer.
    if message.block_lists().is_some() {
        return false;
    }
    if procedure.dialect().hands_over_addresses() {
        let base = match &message.buffer.kind {
            ExpressionKind::Part { base, .. } => Some(*base),
            _ => message.buffer.designated(),
        };
        return base.is_some_and(|base| procedure.symbol(base).class == SymbolClass::Variable);
    }
    let is_plain = |category: TypeCategory| !matches!(category, TypeCategory::Derived | TypeCategory::Unknown);
    match &message.buffer.kind {
        ExpressionKind::Element { array, .. } => {
            let array = procedure.symbol(*array);
            array.class == SymbolClass::Variable
                && (array.storage == Storage::Pointer || array.may_be_strided)
                && is_plain(array.element.category)
        }
        ExpressionKind::Part { base, component: Some(name), form, .. } => {
            let structure = program.structures.get(&name.structure);
            let Some(component) = structure.and_then(|structure| structure.components.get(&name.name)) else {
                return false;
            };
            let lies_in_one_piece = component.bounds.is_empty() || !component.is_pointer;
            procedure.symbol(*base).class == SymbolClass::Variable
                && component.structures.is_empty()
                && is_plain(component.declared.category)
                && (*form == PartForm::Element || *form == PartForm::Whole && lies_in_one_piece)
        }
        _ => false,
    }
}

/// May the memory be any that a pointer can reach? Compilers know that whoever has got its address may use it later on.
pub fn is_behind_pointer(procedure: &Procedure, buffer: &Expression) -> bool {
    match &buffer.kind {
        ExpressionKind::Part { base, through_pointer, .. } => {
            *through_pointer || procedure.symbol(*base).storage == Storage::Pointer
        }
        _ => buffer.designated().is_some_and(|symbol| procedure.symbol(symbol).storage == Storage::Pointer),
    }
}
