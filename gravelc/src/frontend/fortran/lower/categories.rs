//! Types of expressions, as far as it must be known whether an operator can be one that the program defines.

use super::super::names::declarations::result_of;
use super::super::names::operation_names::{ASSIGNMENT, operator_named};
use super::super::names::scope::{Component, Entity, Meaning};
use super::super::text::conditions::Macros;
use super::lowering::Lowering;
use crate::ir::{
    BinaryOperator, Callee, ComponentName, Expression, ExpressionKind, PartForm, ProcedureId, SymbolClass,
    TypeCategory, UnaryOperator,
};
use crate::mpi::constants;

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
            // Modules that were not given may define it.
            None => self.sees_unknown_modules || self.may_define_for_intrinsic_types(operation),
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
            ExpressionKind::Symbol(symbol) if matches!(self.symbols[symbol.0].class, SymbolClass::Constant(_)) => {
                Some(self.symbols[symbol.0].rank())
            }
            ExpressionKind::Symbol(_) if self.is_messaging_integer(value) => Some(0),
            ExpressionKind::ArrayConstructor(_) => Some(1),
            ExpressionKind::Part { component: Some(name), form, .. } => match form {
                PartForm::Whole => Some(self.component_of_all(name)?.dimensions.len()),
                PartForm::Element => Some(0),
                PartForm::Elements => Some(1),
                PartForm::Named | PartForm::Unnamed => None,
            },
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } if is_elemental(name) => {
                arguments.iter().try_fold(0, |rank, argument| Some(rank.max(self.rank(argument)?)))
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
                match arguments.as_slice() {
                    _ if is_scalar(name) => Some(0),
                    [_] if is_reduction(name) => Some(0),
                    [_] if ["maxloc", "minloc"].contains(&name.as_str()) => Some(1),
                    // With a dimension; a mask would be logical.
                    [array, second]
                        if ["maxloc", "minloc", "sum", "maxval", "minval", "product"].contains(&name.as_str()) =>
                    {
                        let is_dimension =
                            self.category(second) == TypeCategory::Integer && self.rank(second) == Some(0);
                        self.rank(array).filter(|rank| *rank > 0 && is_dimension).map(|rank| rank - 1)
                    }
                    [_, second] if ["size", "lbound", "ubound"].contains(&name.as_str()) => {
                        (self.rank(second) == Some(0)).then_some(0)
                    }
                    _ => None,
                }
            }
            ExpressionKind::Call { callee: Callee::Procedure(id), .. } => {
                let unit = self.units.of_procedure[id.0];
                let result = self.result_of_function(*id).filter(|_| !self.is_elemental(unit))?;
                (!result.assumed_rank).then_some(result.dimensions.len())
            }
            _ => self.known_rank(value),
        }
    }

    /// Is it a constant of MPI that is an integer?
    fn is_messaging_integer(&self, value: &Expression) -> bool {
        let ExpressionKind::Symbol(symbol) = value.kind else { return false };
        let symbol = &self.symbols[symbol.0];
        symbol.class == SymbolClass::MessagingConstant
            && constants::is_integer(&symbol.name, &self.scopes.messaging_names(self.unit))
    }

    /// What the declarations of the function say of its result, if they are the whole truth.
    fn result_of_function(&self, id: ProcedureId) -> Option<&Entity<'_>> {
        let unit = self.units.of_procedure[id.0];
        let source = &self.sources[self.units.list[unit].source];
        let scope = self.scopes.list[unit].as_ref().filter(|scope| scope.incomplete.is_none())?;
        let result = result_of(source, &self.units.list[unit], self.units.list[unit].header?)?;
        scope.entities.get(&result).filter(|entity| entity.meaning == Meaning::Variable)
    }

    /// The declaration of the component in all types of the name, where these agree on its type and its rank.
    fn component_of_all(&self, name: &ComponentName) -> Option<&Component> {
        let scopes = self.scopes.list.iter().flatten().chain(self.scopes.blocks.values());
        let types =
            scopes.flat_map(|scope| scope.types.values()).filter(|definition| definition.name == name.structure);
        let mut found = types.filter_map(|definition| definition.components.get(&name.name));
        let first = found.next()?;
        let is_alike = |other: &Component| {
            other.declared_type.element.category == first.declared_type.element.category
                && other.dimensions.len() == first.dimensions.len()
        };
        (first.procedure.is_none() && found.all(is_alike)).then_some(first)
    }

    /// The type category of `expression`; numbers may come out as any kind of number.
    pub fn category(&self, expression: &Expression) -> TypeCategory {
        match &expression.kind {
            ExpressionKind::Integer(_) => TypeCategory::Integer,
            ExpressionKind::Logical(_) => TypeCategory::Logical,
            ExpressionKind::Literal => {
                let text = &self.source.original[expression.span.start..expression.span.end];
                let is_text_of_place = std::str::from_utf8(text).is_ok_and(Macros::is_text_of_place);
                let is_text = matches!(text.last(), Some(b'\'' | b'"')) || is_text_of_place;
                if is_text { TypeCategory::Character } else { TypeCategory::Real }
            }
            ExpressionKind::ArrayConstructor(values) => {
                let mut categories = values.iter().map(|value| self.category(value));
                let first = categories.next().unwrap_or(TypeCategory::Unknown);
                if categories.all(|category| category == first) { first } else { TypeCategory::Unknown }
            }
            ExpressionKind::Symbol(symbol) if self.symbols[symbol.0].class == SymbolClass::MessagingConstant => {
                // Its symbol has the type that a datatype stands for.
                if self.is_messaging_integer(expression) { TypeCategory::Integer } else { TypeCategory::Unknown }
            }
            ExpressionKind::Symbol(symbol)
            | ExpressionKind::Element { array: symbol, .. }
            | ExpressionKind::Section { array: symbol, .. } => self.symbols[symbol.0].element.category,
            ExpressionKind::Part { base, component, .. } => match self.symbols[base.0].element.category {
                // A component, or a part of one.
                TypeCategory::Derived => match component.as_ref().and_then(|name| self.component_of_all(name)) {
                    Some(component) => component.declared_type.element.category,
                    None => TypeCategory::Unknown,
                },
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
                match (category_given_by(name), arguments.first()) {
                    (Some(category), _) => category,
                    (None, Some(argument)) => self.category(argument),
                    (None, None) => TypeCategory::Unknown,
                }
            }
            ExpressionKind::Call { callee: Callee::Procedure(id), .. } => {
                let result = self.result_of_function(*id).and_then(|result| result.declared_type.as_ref());
                result.map_or(TypeCategory::Unknown, |declared| declared.element.category)
            }
            ExpressionKind::Call { .. } | ExpressionKind::Computed(_) | ExpressionKind::Opaque(_) => {
                TypeCategory::Unknown
            }
        }
    }
}

/// The type of an intrinsic function's value; `None` where it is the type of the first argument.
fn category_given_by(name: &str) -> Option<TypeCategory> {
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

/// Does the intrinsic function give a value for each element of its arguments? Not all that do are among them.
fn is_elemental(name: &str) -> bool {
    const NAMES: &str = "abs acos aimag aint alog alog10 amax0 amax1 amin0 amin1 amod anint asin atan atan2 cabs ccos ceiling cexp
        cmplx conjg cos cosh csin csqrt dabs dacos dasin datan datan2 dble dcmplx dcos dcosh dexp dim dint dlog dlog10 dmax1 dmin1
        dmod dnint dsign dsin dsinh dsqrt dtan dtanh exp float floor iabs iand ichar achar char iachar ieor ifix int ior isnan log
        log10 logical max max0 max1 min min0 min1 mod modulo nint not real sign sin sinh sngl sqrt tan tanh btest ibset ibclr ishft
        len_trim";
    NAMES.split_whitespace().any(|known| known == name)
}

/// Is its value always a scalar?
fn is_scalar(name: &str) -> bool {
    const NAMES: &str = "allocated associated present len kind epsilon tiny huge precision digits bit_size
        selected_int_kind selected_real_kind command_argument_count mpi_wtime mpi_wtick
        trim repeat line_number_of_source";
    NAMES.split_whitespace().any(|known| known == name)
}

/// Is its value a scalar where it has one argument alone?
fn is_reduction(name: &str) -> bool {
    ["sum", "product", "maxval", "minval", "all", "any", "count", "norm2", "size"].contains(&name)
}

fn is_number(category: TypeCategory) -> bool {
    matches!(category, TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex)
}
