//! Buffers of which a call gets the address, whatever memory that is.

use crate::ir::{
    ComponentName, Expression, ExpressionKind, Message, PartForm, Procedure, Program, Storage, Symbol, SymbolClass,
    TypeCategory,
};

/// Is it `MPI_BOTTOM`? Where a datatype holds addresses, this is the buffer (MPI 4.0, section 5.1.5).
pub fn is_bottom(symbol: &Symbol) -> bool {
    symbol.class == SymbolClass::MessagingConstant && symbol.name == "mpi_bottom"
}

/// An array that a pointer leads to.
#[derive(Debug, Clone, Copy)]
pub enum PointedArray<'a> {
    /// The pointer is a component of some object.
    ByComponent(&'a ComponentName),
    /// It is a variable.
    ByVariable(&'a Symbol),
}

/// Is the buffer handed over by its address, where [`super::message_region`] can't tell its memory? Then a call that takes the
/// place of MPI's, where that stands, gets the same address, and nothing needs to be known of the memory, nor of the datatype.
///
/// Of a variable or an element of an array a call gets the address, also behind a pointer and where the elements of the array may lie
/// apart. So it does of a component in an object that pointers, subscripts or allocated memory lead to: of an element of it, or of all
/// of it, unless it is an array with gaps that a pointer leads to: then a copy is passed. `has_no_gaps` says whether such an array
/// never has any.
pub fn is_handed_by_address(
    program: &Program,
    procedure: &Procedure,
    message: &Message,
    has_no_gaps: &dyn Fn(PointedArray<'_>) -> bool,
) -> bool {
    // Blocks that have places of their own may lie before the beginning of the buffer.
    if message.block_lists().is_some() {
        return false;
    }
    if procedure.dialect().hands_over_addresses() {
        // The text of a string.
        if matches!(message.buffer.kind, ExpressionKind::Literal) {
            return true;
        }
        let base = match &message.buffer.kind {
            ExpressionKind::Part { base, .. } => Some(*base),
            _ => message.buffer.designated(),
        };
        let symbol = base.map(|base| procedure.symbol(base));
        return symbol.is_some_and(|symbol| symbol.class == SymbolClass::Variable || is_bottom(symbol));
    }
    let is_plain = |category: TypeCategory| !matches!(category, TypeCategory::Derived | TypeCategory::Unknown);
    let is_plain_variable =
        |symbol: &Symbol| symbol.class == SymbolClass::Variable && is_plain(symbol.element.category);
    match &message.buffer.kind {
        ExpressionKind::Symbol(variable) => {
            let variable = procedure.symbol(*variable);
            let is_pointer = variable.storage == Storage::Pointer;
            let lies_in_one_piece = variable.rank() == 0
                || !variable.may_be_strided
                || is_pointer && has_no_gaps(PointedArray::ByVariable(variable));
            is_plain_variable(variable) && lies_in_one_piece
        }
        ExpressionKind::Element { array, .. } => is_plain_variable(procedure.symbol(*array)),
        ExpressionKind::Part { base, component: Some(name), form, .. } => {
            let structure = program.structures.get(&name.structure);
            let Some(component) = structure.and_then(|structure| structure.components.get(&name.name)) else {
                return false;
            };
            let lies_in_one_piece =
                component.bounds.is_empty() || !component.is_pointer || has_no_gaps(PointedArray::ByComponent(name));
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
