//! Types of expressions, as far as it must be known whether an operator can be one that the program defines.

use super::lowering::Lowering;
use super::mpi_constants;
use super::operations::{ASSIGNMENT, operator_named};
use crate::ir::{BinaryOperator, Callee, Expression, ExpressionKind, SymbolClass, TypeCategory, UnaryOperator};

impl Lowering<'_, '_> {
    /// May the operator `written` with these operands call a procedure? `expected` is the type for which it is intrinsic:
    /// `Real` stands for all numbers, `Unknown` for any type but both operands of one kind.
    pub fn may_call_operator(&self, written: &str, operands: &[&Expression], expected: TypeCategory) -> bool {
        if !self.operations_may_call {
            return false;
        }
        let ranks: Vec<Option<usize>> = operands.iter().map(|operand| self.rank(operand)).collect();
        let conform = match ranks.as_slice() {
            [Some(left), Some(right)] => Some(left == right || *left == 0 || *right == 0),
            [Some(0), None] | [None, Some(0)] | [_] => Some(true),
            _ => None,
        };
        self.has_other_ranks(&operator_named(written), conform) || self.is_for_other_types(operands, expected)
    }

    /// May operands whose ranks go together, or do not, be those of an operation that the program defines for intrinsic types?
    /// That is permitted where the intrinsic operation is not (Fortran 2018, 15.4.3.4.2), for instance of a matrix and a vector.
    fn has_other_ranks(&self, operation: &str, conform: Option<bool>) -> bool {
        match conform {
            Some(conform) => !conform,
            None => self.may_define_for_intrinsic_types(operation),
        }
    }

    fn is_for_other_types(&self, operands: &[&Expression], expected: TypeCategory) -> bool {
        let categories: Vec<TypeCategory> = operands.iter().map(|operand| self.category(operand)).collect();
        match expected {
            TypeCategory::Unknown => {
                !categories.iter().all(|&category| is_number(category))
                    && !categories.iter().all(|&category| category == TypeCategory::Character)
            }
            TypeCategory::Real => !categories.iter().all(|&category| is_number(category)),
            _ => !categories.iter().all(|&category| category == expected),
        }
    }

    /// May the assignment of `value` to `target` call a procedure?
    pub fn may_call_assignment(&self, target: &Expression, value: &Expression) -> bool {
        if !self.operations_may_call {
            return false;
        }
        let conform = match (self.rank(target), self.rank(value)) {
            (_, Some(0)) => Some(true),
            (Some(target), Some(value)) => Some(target == value),
            _ => None,
        };
        if self.has_other_ranks(ASSIGNMENT, conform) {
            return true;
        }
        let (target, value) = (self.category(target), self.category(value));
        !(is_number(target) && is_number(value)
            || target == value && matches!(target, TypeCategory::Logical | TypeCategory::Character))
    }

    /// The number of dimensions, where it is certain.
    fn rank(&self, value: &Expression) -> Option<usize> {
        match &value.kind {
            ExpressionKind::Binary { left, right, .. } => Some(self.rank(left)?.max(self.rank(right)?)),
            ExpressionKind::Unary { operand, .. } => self.rank(operand),
            _ => self.known_rank(value),
        }
    }

    /// The type category of `expression`; numbers may come out as any kind of number.
    pub fn category(&self, expression: &Expression) -> TypeCategory {
        match &expression.kind {
            ExpressionKind::Integer(_) => TypeCategory::Integer,
            ExpressionKind::Logical(_) => TypeCategory::Logical,
            ExpressionKind::Literal => {
                let quoted = self.source.original[expression.span.start..expression.span.end].last();
                if matches!(quoted, Some(b'\'' | b'"')) { TypeCategory::Character } else { TypeCategory::Real }
            }
            ExpressionKind::Symbol(symbol) if self.symbols[symbol.0].class == SymbolClass::MessagingConstant => {
                // Its symbol has the type that a datatype stands for.
                let names = self.scopes.messaging_names(self.unit);
                let is_integer = mpi_constants::is_integer(&self.symbols[symbol.0].name, &names);
                if is_integer { TypeCategory::Integer } else { TypeCategory::Unknown }
            }
            ExpressionKind::Symbol(symbol)
            | ExpressionKind::Element { array: symbol, .. }
            | ExpressionKind::Section { array: symbol, .. } => self.symbols[symbol.0].element.category,
            ExpressionKind::Part { base, .. } => match self.symbols[base.0].element.category {
                // A component can be anything.
                TypeCategory::Derived => TypeCategory::Unknown,
                // A substring, elements of an array, a part of a complex number.
                category => category,
            },
            ExpressionKind::Unary { operator: UnaryOperator::Not, .. } => TypeCategory::Logical,
            ExpressionKind::Unary { operand, .. } => self.category(operand),
            ExpressionKind::Binary { operator, left, right } => match operator {
                BinaryOperator::Add
                | BinaryOperator::Subtract
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Power => {
                    if is_number(self.category(left)) && is_number(self.category(right)) {
                        TypeCategory::Real
                    } else {
                        TypeCategory::Unknown
                    }
                }
                BinaryOperator::Other => self.category(left),
                _ => TypeCategory::Logical,
            },
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
                match (result_of(name), arguments.first()) {
                    (Some(category), _) => category,
                    (None, Some(argument)) => self.category(argument),
                    (None, None) => TypeCategory::Unknown,
                }
            }
            ExpressionKind::Call { .. }
            | ExpressionKind::ArrayConstructor(_)
            | ExpressionKind::Computed(_)
            | ExpressionKind::Opaque(_) => TypeCategory::Unknown,
        }
    }
}

/// The type of an intrinsic function's value; `None` where it is the type of the first argument.
fn result_of(name: &str) -> Option<TypeCategory> {
    match name {
        "all" | "any" | "allocated" | "associated" | "present" | "btest" | "logical" | "is_iostat_end"
        | "is_iostat_eor" | "lge" | "lgt" | "lle" | "llt" | "bge" | "bgt" | "ble" | "blt" | "is_contiguous"
        | "extends_type_of" | "same_type_as" | "out_of_range" | "isnan" => Some(TypeCategory::Logical),
        "trim" | "adjustl" | "adjustr" | "achar" | "char" | "repeat" | "new_line" => Some(TypeCategory::Character),
        "merge" | "max" | "min" | "maxval" | "minval" | "pack" | "unpack" | "spread" | "reshape" | "transpose"
        | "cshift" | "eoshift" | "transfer" | "reduce" | "null" | "parity" | "sum" | "product" | "abs" | "matmul"
        | "dot_product" => None,
        _ => Some(TypeCategory::Real),
    }
}

fn is_number(category: TypeCategory) -> bool {
    matches!(category, TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex)
}
