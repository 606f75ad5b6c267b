//! Statuses: arrays of MPI_STATUS_SIZE integers, or objects of MPI's type.

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::program::contents::is_messaging_constant;
use crate::ir::{
    ArrayDimension, BinaryOperator, Expression, ExpressionKind, Procedure, Shape, StatementKind, Status, Storage,
    Subscript, Symbol, SymbolClass, SymbolId, TypeCategory,
};

use super::{Misfit, put_together};

/// How many statuses an argument has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// One.
    One,
    /// One for each of several requests.
    Several,
}

/// The interfaces have an array with as many elements as MPI says, for which compilers take none with fewer: of those that
/// programs write as a number, one with so many is long enough. Open MPI's statuses have 6, MPICH's 5.
const LONGEST_STATUS: i128 = 10;

/// What the first dimension of an array of integers has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstDimension {
    /// MPI_STATUS_SIZE integers.
    OneStatus,
    /// More than that.
    More,
    /// Perhaps fewer, or another number than that.
    Other,
    /// Only known when the program runs.
    Unknown,
}

/// Gives a status a form that fits and means the same, or leaves it out where nobody looks at it. Has it changed?
pub(super) fn fit(body: &Procedure, status: &mut Status, room: Room) -> bool {
    let Status::Stored(variable) = status else { return false };
    if obstacle(body, variable, room).is_none() {
        return false;
    }
    if let Some(other) = same_memory(body, variable, room).filter(|other| obstacle(body, other, room).is_none()) {
        *variable = other;
        return true;
    }
    let is_dropped = variable.designated().is_some_and(|symbol| is_never_looked_at(body, symbol));
    if is_dropped {
        *status = Status::Ignored;
    }
    is_dropped
}

/// Why a status does not fit.
pub(super) fn misfit(body: &Procedure, status: &Status, room: Room) -> Option<Misfit> {
    let Status::Stored(variable) = status else { return None };
    obstacle(body, variable, room).map(|why| Misfit { span: variable.span, why: why.to_string() })
}

/// [`fit`] for a status that is handed over as it stands.
pub(super) fn fit_variable(body: &Procedure, variable: &mut Expression) -> bool {
    if misfit_of_variable(body, variable).is_none() {
        return false;
    }
    let other = same_memory(body, variable, Room::One).filter(|other| obstacle(body, other, Room::One).is_none());
    match other {
        Some(other) => {
            *variable = other;
            true
        }
        None => false,
    }
}

/// [`misfit`] for a status that is handed over as it stands.
pub(super) fn misfit_of_variable(body: &Procedure, variable: &Expression) -> Option<Misfit> {
    if is_messaging_constant(body, variable, "mpi_status_ignore") {
        return None;
    }
    misfit(body, &Status::Stored(variable.clone()), Room::One)
}

/// Why the runtime can't fill this: its interfaces tell a status from an error code by its rank.
fn obstacle(body: &Procedure, variable: &Expression, room: Room) -> Option<&'static str> {
    let part = match room {
        Room::One => "the status is a part of a larger array",
        Room::Several => "the statuses are not a whole array with one status for each request",
    };
    let Some(symbol) = variable.designated().map(|id| body.symbol(id)) else { return Some(part) };
    if symbol.element.category == TypeCategory::Derived {
        let fits = symbol.structure.is_none()
            && match (&variable.kind, room) {
                (ExpressionKind::Symbol(_), Room::One) => symbol.rank() == 0,
                (ExpressionKind::Symbol(_), Room::Several) => symbol.rank() == 1,
                (ExpressionKind::Element { .. }, Room::One) => true,
                _ => false,
            };
        return (!fits).then_some(part);
    }
    if symbol.element.category != TypeCategory::Integer || symbol.element.bytes != Some(body.dialect().integer_bytes())
    {
        return Some("the status is not one of default integers");
    }
    let fits = match &variable.kind {
        ExpressionKind::Symbol(_) if symbol.rank() == 0 => {
            return Some("the status has less than MPI_STATUS_SIZE elements");
        }
        ExpressionKind::Symbol(_) => symbol.rank() == if room == Room::One { 1 } else { 2 },
        ExpressionKind::Section { subscripts, .. } => room == Room::One && is_column(symbol, subscripts),
        _ => false,
    };
    match (room, first_dimension(body, symbol)) {
        _ if !fits => Some(part),
        (_, FirstDimension::OneStatus | FirstDimension::Unknown) | (Room::One, FirstDimension::More) => None,
        (Room::One, FirstDimension::Other) => Some("the status is not known to have MPI_STATUS_SIZE elements"),
        (Room::Several, _) => Some("the first dimension of the statuses is not known to have MPI_STATUS_SIZE elements"),
    }
}

/// Is it `array(:, i, ...)`, which lies in one piece?
fn is_column(array: &Symbol, subscripts: &[Subscript]) -> bool {
    let is_index = |subscript: &Subscript| matches!(subscript, Subscript::Index(_));
    match subscripts {
        [Subscript::Range { lower: None, upper: None, stride: None }, others @ ..] => {
            others.iter().all(is_index) && !array.may_be_strided
        }
        _ => false,
    }
}

fn first_dimension(body: &Procedure, array: &Symbol) -> FirstDimension {
    let Shape::Array(dimensions) = &array.shape else { return FirstDimension::Other };
    let Some(ArrayDimension { lower: Some(lower), upper: Some(upper) }) = dimensions.first() else {
        return FirstDimension::Unknown;
    };
    let is_size = |part: &Expression| match part.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = body.symbol(id);
            symbol.class == SymbolClass::MessagingConstant && symbol.name == "mpi_status_size"
        }
        _ => false,
    };
    let number = |bound| polynomial_of(body, bound).and_then(|bound| bound.as_constant());
    match (number(lower), number(upper)) {
        (Some(1), _) if is_size(upper) => FirstDimension::OneStatus,
        (Some(lower), Some(upper)) if i128::from(upper) - i128::from(lower) + 1 >= LONGEST_STATUS => {
            FirstDimension::More
        }
        (Some(_), Some(_)) => FirstDimension::Other,
        // Of several statuses, or of one and what goes with it.
        (Some(1), None) if matches!(upper.kind, ExpressionKind::Binary { .. }) && upper.any(&is_size) => {
            let is_product = matches!(upper.kind, ExpressionKind::Binary { operator: BinaryOperator::Multiply, .. });
            if is_product { FirstDimension::More } else { FirstDimension::Other }
        }
        _ => FirstDimension::Unknown,
    }
}

/// What has the same memory in a form that fits: `status(:, i)` for `status(1, i)`, `status(:, 1)` for `status`.
fn same_memory(body: &Procedure, variable: &Expression, room: Room) -> Option<Expression> {
    let id = variable.designated()?;
    let array = body.symbol(id);
    let Shape::Array(dimensions) = &array.shape else { return None };
    let number = |bound: &Expression| polynomial_of(body, bound).and_then(|bound| bound.as_constant());
    let first: Option<Vec<i64>> = dimensions.iter().map(|dimension| number(dimension.lower.as_ref()?)).collect();
    let first = first.filter(|_| !array.may_be_strided)?;
    // Where the column is shorter, what follows it is filled, too.
    let holds_one = matches!(first_dimension(body, array), FirstDimension::OneStatus | FirstDimension::More);
    let is_first = |(subscript, &first): (&Expression, &i64)| number(subscript) == Some(first);
    let subscripts: Vec<Expression> = match &variable.kind {
        ExpressionKind::Symbol(_) => {
            first.iter().map(|&lower| put_together(ExpressionKind::Integer(lower), variable)).collect()
        }
        ExpressionKind::Element { subscripts, .. } if subscripts.len() == first.len() => subscripts.clone(),
        _ => return None,
    };
    let begins_column = is_first((subscripts.first()?, first.first()?));
    let kind = match room {
        Room::One if begins_column && first.len() == 1 => ExpressionKind::Symbol(id),
        Room::One if begins_column && holds_one => {
            let others = subscripts.into_iter().skip(1).map(Subscript::Index);
            let all = Subscript::Range { lower: None, upper: None, stride: None };
            ExpressionKind::Section { array: id, subscripts: [all].into_iter().chain(others).collect() }
        }
        Room::Several if subscripts.iter().zip(&first).all(is_first) => ExpressionKind::Symbol(id),
        _ => return None,
    };
    Some(put_together(kind, variable))
}

/// Does nothing name the variable but calls of MPI that fill it as a status, and what allocates and frees it?
fn is_never_looked_at(body: &Procedure, variable: SymbolId) -> bool {
    let symbol = body.symbol(variable);
    let is_own = matches!(symbol.storage, Storage::Local | Storage::Static | Storage::Allocatable)
        && !body.dummies.contains(&variable)
        && body.result != Some(variable)
        && symbol.class == SymbolClass::Variable
        && symbol.overlay.is_none()
        && symbol.place.is_none()
        && symbol.place_inside.is_none()
        && !symbol.target
        && !symbol.volatile;
    let is_named = |part: &Expression| part.designated() == Some(variable);
    let may_look = |part: &Expression| is_named(part) || matches!(part.kind, ExpressionKind::Opaque(_));
    is_own
        && !body.evaluated_at_entry.iter().any(|value| value.any(&may_look))
        && body.statements.iter().all(|statement| {
            let without_look = match &statement.kind {
                StatementKind::Opaque(_) => return false,
                StatementKind::Communication(found) => usize::from(found.status().variable().is_some_and(is_named)),
                // Its bounds may be looked at, or its elements be copied, by what is evaluated there.
                StatementKind::Lifetime { variables, associates: false, .. } => {
                    let is_whole = |part: &&Expression| part.kind == ExpressionKind::Symbol(variable);
                    variables.iter().filter(is_whole).count()
                }
                _ => 0,
            };
            let expressions = statement.kind.expressions().into_iter();
            expressions.flat_map(Expression::walk).filter(|part| may_look(part)).count() == without_look
        })
}
