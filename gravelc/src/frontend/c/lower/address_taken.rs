//! Which objects of a unit a pointer may lead to: those of which the address is used for more than to reach an element, or to hand
//! the object to a call of MPI that does not remember it.

use std::collections::{HashMap, HashSet};

use super::communication::{remembers_no_object, routine_called};
use crate::frontend::c::unit::{BinaryOperator, Conversion, ExpressionId, Operation, SymbolId, SymbolKind, Unit};

/// The objects whose addresses go anywhere.
pub fn address_taken(unit: &Unit) -> HashSet<SymbolId> {
    // What could not be read, and what assembler does, may take the address of anything.
    let is_uncertain = !unit.holes.is_empty()
        || !unit.assembler.is_empty()
        || unit.functions.iter().any(|function| function.has_assembler || function.is_nested);
    if is_uncertain {
        return (0..unit.symbols.len()).map(SymbolId::next).collect();
    }
    let mut parents: HashMap<ExpressionId, ExpressionId> = HashMap::new();
    for number in 0..unit.expressions.len() {
        let id = ExpressionId::next(number);
        for operand in unit.expression(id).operation.operands() {
            parents.entry(operand).or_insert(id);
        }
    }
    let uses = Uses { unit, parents };
    let mut taken = HashSet::new();
    for number in 0..unit.expressions.len() {
        let id = ExpressionId::next(number);
        if let Operation::Symbol(symbol) = unit.expression(id).operation
            && matches!(unit.symbol(symbol).kind, SymbolKind::Object | SymbolKind::Parameter)
            && uses.is_taken(id)
        {
            taken.insert(symbol);
        }
    }
    // The bytes of an object that assembler names may go anywhere.
    taken.extend((0..unit.symbols.len()).map(SymbolId::next).filter(|id| unit.symbol(*id).assembler_name.is_some()));
    taken
}

struct Uses<'u> {
    unit: &'u Unit,
    parents: HashMap<ExpressionId, ExpressionId>,
}

impl Uses<'_> {
    /// Is the address of this lvalue, or of one around or inside of it, used as a value?
    fn is_taken(&self, lvalue: ExpressionId) -> bool {
        let mut lvalue = lvalue;
        loop {
            let Some(&around) = self.parents.get(&lvalue) else { return false };
            match &self.unit.expression(around).operation {
                Operation::Convert { conversion: Conversion::Decay, .. } => match self.reached(around) {
                    Some(element) => lvalue = element,
                    None => return !self.is_handed_to_messaging(around),
                },
                Operation::Convert { .. } | Operation::SizeOf { .. } | Operation::AlignOf(_) => return false,
                Operation::Assign { left, .. } | Operation::AssignOperation { left, .. } if *left == lvalue => {
                    return false;
                }
                Operation::Step { .. } => return false,
                Operation::Member { .. } => lvalue = around,
                Operation::AddressOf(_) => match self.reached(around) {
                    Some(object) => lvalue = object,
                    None => return !self.is_handed_to_messaging(around),
                },
                // As an operand whose value is thrown away.
                Operation::Comma(left, _) if *left == lvalue => return false,
                _ => return true,
            }
        }
    }

    /// The lvalue that a pointer leads to at once: `a[i]`, `*(a + i)`, `(&s)->f`.
    fn reached(&self, pointer: ExpressionId) -> Option<ExpressionId> {
        let around = *self.parents.get(&pointer)?;
        match &self.unit.expression(around).operation {
            Operation::Subscript { pointer: base, .. } if *base == pointer => Some(around),
            Operation::Dereference(_) => Some(around),
            Operation::Binary(BinaryOperator::Add | BinaryOperator::Subtract, ..) => {
                let is_pointer = self.unit.types.pointee(self.unit.type_of(around).id).is_some();
                is_pointer.then(|| self.reached(around)).flatten()
            }
            Operation::Convert { conversion: Conversion::Same, .. } => self.reached(around),
            _ => None,
        }
    }

    /// Is the pointer, or what is computed from it, an argument of a call of MPI that does not remember it?
    fn is_handed_to_messaging(&self, pointer: ExpressionId) -> bool {
        let mut id = pointer;
        while let Some(&around) = self.parents.get(&id) {
            match &self.unit.expression(around).operation {
                Operation::Convert { conversion: Conversion::Same | Conversion::Pointer, .. }
                | Operation::Binary(BinaryOperator::Add | BinaryOperator::Subtract, ..) => id = around,
                Operation::Call { callee, .. } => {
                    return *callee != id
                        && routine_called(self.unit, *callee).is_some_and(|name| remembers_no_object(&name));
                }
                _ => return false,
            }
        }
        false
    }
}
