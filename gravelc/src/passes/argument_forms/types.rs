//! Type, kind and rank of what is handed over as a value.

use crate::ir::{
    BinaryOperator, Callee, ElementType, Expression, ExpressionKind, Language, PartForm, Procedure, Program, Shape,
    Subscript, Symbol, SymbolClass, TypeCategory,
};

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value {
    pub category: TypeCategory,
    /// Of one element, when no compiler flag changes default kinds; `None` where it is not known.
    pub bytes: Option<u32>,
    /// The number of its dimensions.
    pub rank: usize,
    /// It is of a type with components that the program defines.
    pub is_of_program: bool,
}

impl Value {
    fn of(element: ElementType, rank: usize) -> Self {
        Self { category: element.category, bytes: element.bytes, rank, is_of_program: false }
    }

    fn default_integer(language: Language) -> Self {
        let bytes = Some(language.dialect().integer_bytes());
        Self { category: TypeCategory::Integer, bytes, rank: 0, is_of_program: false }
    }
}

/// Type, kind and rank of an expression; `None` where they are not known.
pub(super) fn value_of(program: &Program, body: &Procedure, expression: &Expression) -> Option<Value> {
    let of = |operand: &Expression| value_of(program, body, operand);
    let found = match &expression.kind {
        // A number with a kind of its own says so behind an underscore; names stand for numbers of the default kind.
        ExpressionKind::Integer(_) if has_own_kind(&program.text(expression.span)) => return None,
        ExpressionKind::Integer(_) => Value::default_integer(body.language),
        ExpressionKind::Logical(_) => {
            Value { category: TypeCategory::Logical, ..Value::default_integer(body.language) }
        }
        ExpressionKind::Symbol(symbol) => of_symbol(body, body.symbol(*symbol))?,
        ExpressionKind::Element { array, .. } => Value { rank: 0, ..of_symbol(body, body.symbol(*array))? },
        ExpressionKind::Section { array, subscripts } => {
            let is_single = |subscript: &&Subscript| matches!(subscript, Subscript::Index(_));
            let rank = subscripts.len() - subscripts.iter().filter(is_single).count();
            Value { rank, ..of_symbol(body, body.symbol(*array))? }
        }
        ExpressionKind::Part { component: Some(name), form, .. } => {
            let component = program.structures.get(&name.structure)?.components.get(&name.name)?;
            let rank = match form {
                PartForm::Whole => component.bounds.len(),
                PartForm::Element => 0,
                PartForm::Elements => 1,
                PartForm::Named | PartForm::Unnamed => return None,
            };
            let is_of_program = !component.structures.is_empty();
            Value { is_of_program, ..Value::of(component.declared, rank) }
        }
        ExpressionKind::Unary { operand, .. } => of(operand)?,
        ExpressionKind::Binary {
            operator:
                BinaryOperator::Add
                | BinaryOperator::Subtract
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Power,
            left,
            right,
        } => combined([of(left)?, of(right)?])?,
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
            match (name.as_str(), arguments.as_slice()) {
                ("mod" | "modulo" | "max" | "min" | "dim" | "sign" | "abs" | "iabs" | "ieor" | "ior" | "iand", all) => {
                    all.iter().map(of).reduce(|one, other| combined([one?, other?])).flatten()?
                }
                ("merge", [yes, no, which]) => {
                    Value { rank: combined([of(yes)?, of(no)?])?.rank.max(of(which)?.rank), ..of(yes)? }
                }
                ("size" | "lbound" | "ubound", [_, _]) | ("size", [_]) => Value::default_integer(body.language),
                ("int" | "nint" | "floor" | "ceiling" | "ifix" | "idint", [operand]) => {
                    Value { rank: of(operand)?.rank, ..Value::default_integer(body.language) }
                }
                ("len" | "len_trim" | "ichar" | "iachar" | "kind", [_]) => Value::default_integer(body.language),
                ("sum" | "product" | "maxval" | "minval", [array]) => Value { rank: 0, ..of(array)? },
                _ => return None,
            }
        }
        ExpressionKind::Call { callee: Callee::Procedure(function), .. } => {
            let function = program.procedure(*function);
            // The caller's declaration is what its compiler goes by, where it has one.
            let declared = |body: &Procedure| body.find_symbol(&function.name).map(|id| body.symbol(id).clone());
            let is_declared =
                |own: &Symbol| own.element.category != TypeCategory::Unknown && own.class != SymbolClass::Variable;
            let own = declared(body).filter(is_declared);
            let result = function.result.map(|result| function.symbol(result).clone());
            let symbol = own.or(result).or_else(|| declared(function))?;
            let is_known = !matches!(symbol.element.category, TypeCategory::Unknown | TypeCategory::Derived);
            is_known.then(|| Value::of(symbol.element, symbol.rank()))?
        }
        _ => return None,
    };
    (found.category != TypeCategory::Unknown).then_some(found)
}

fn has_own_kind(text: &str) -> bool {
    text.split_once('_').is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn of_symbol(body: &Procedure, symbol: &Symbol) -> Option<Value> {
    match symbol.class {
        // Those of MPI are handles, counts and ranks of its own kind or its own types.
        SymbolClass::MessagingConstant => Some(Value::default_integer(body.language)),
        SymbolClass::Variable | SymbolClass::Constant(_) => {
            let rank = match &symbol.shape {
                Shape::Scalar => 0,
                Shape::Array(dimensions) => dimensions.len(),
            };
            Some(Value { is_of_program: symbol.structure.is_some(), ..Value::of(symbol.element, rank) })
        }
        SymbolClass::Procedure | SymbolClass::Unknown => None,
    }
}

/// The result of an operation with two numbers of one type.
fn combined([one, other]: [Value; 2]) -> Option<Value> {
    let is_same = one.category == other.category && one.bytes == other.bytes;
    is_same.then(|| Value { rank: one.rank.max(other.rank), ..one })
}
