//! The numbers that a call is handed in variables, where statements right before the call put them there.

use std::collections::BTreeMap;

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{
    Expression, ExpressionKind, Polynomial, Procedure, Shape, StatementId, StatementKind, SymbolClass, SymbolId,
};

/// The first `length` numbers of an array that the call at `site` is handed, over the values that variables have there.
pub(super) fn numbers_handed(
    facts: &Facts,
    site: SiteId,
    array: &Expression,
    length: usize,
) -> Option<Vec<Polynomial>> {
    let body = facts.procedure(site.procedure);
    match &array.kind {
        ExpressionKind::ArrayConstructor(elements) => {
            let values = elements.iter().map(|element| polynomial_of(body, element)).collect::<Option<Vec<_>>>()?;
            (values.len() >= length).then(|| values.into_iter().take(length).collect())
        }
        ExpressionKind::Symbol(id) => match body.symbol(*id).class {
            SymbolClass::Constant(_) => constant_numbers(body, *id, length),
            SymbolClass::Variable => assigned_numbers(facts, site, *id, length),
            _ => None,
        },
        _ => None,
    }
}

fn constant_numbers(body: &Procedure, array: SymbolId, length: usize) -> Option<Vec<Polynomial>> {
    let values = body.symbol(array).initial_values.as_ref()?;
    let numbers = values.elements.iter().take(length).map(|value| value.map(Polynomial::constant));
    numbers.collect::<Option<Vec<_>>>().filter(|numbers| numbers.len() == length)
}

/// The value that a scalar has at the call, as the last statement above it in its block that assigns to it says it.
pub(super) fn assigned_value(facts: &Facts, site: SiteId, scalar: SymbolId) -> Option<Polynomial> {
    let symbol = facts.procedure(site.procedure).symbol(scalar);
    if !symbol.is_integer_scalar() || symbol.volatile {
        return None;
    }
    last_assigned(facts, site, scalar, 1, &|target, value| match target.kind {
        ExpressionKind::Symbol(_) => Some(vec![(0, value.clone())]),
        _ => None,
    })?
    .pop()
}

fn assigned_numbers(facts: &Facts, site: SiteId, array: SymbolId, length: usize) -> Option<Vec<Polynomial>> {
    let body = facts.procedure(site.procedure);
    let symbol = body.symbol(array);
    let Shape::Array(dimensions) = &symbol.shape else { return None };
    let [dimension] = dimensions.as_slice() else { return None };
    let first = polynomial_of(body, dimension.lower.as_ref()?)?.as_constant()?;
    if symbol.volatile || symbol.may_be_strided {
        return None;
    }
    last_assigned(facts, site, array, length, &|target, value| match (&target.kind, &value.kind) {
        (ExpressionKind::Element { subscripts, .. }, _) => {
            let subscript = polynomial_of(body, subscripts.first()?)?.as_constant()?;
            Some(vec![(usize::try_from(subscript.checked_sub(first)?).ok()?, value.clone())])
        }
        (ExpressionKind::Symbol(_), ExpressionKind::ArrayConstructor(elements)) => {
            // An array in it stands for as many numbers as it has.
            let first = elements.get(..length)?;
            let are_single = first.iter().all(|element| is_scalar(body, element));
            are_single.then(|| first.iter().cloned().enumerate().collect())
        }
        (ExpressionKind::Symbol(_), _) if is_scalar(body, value) => {
            Some((0..length).map(|position| (position, value.clone())).collect())
        }
        _ => None,
    })
}

/// What an assignment puts into which elements of an array, counted from 0.
type Parts = Vec<(usize, Expression)>;

/// Goes back from the call through its block, over statements that assign to the variable and others that leave it, and what is
/// assigned to it, alone. `parts` takes such an assignment apart: what goes to which of the first `length` elements.
fn last_assigned(
    facts: &Facts,
    site: SiteId,
    variable: SymbolId,
    length: usize,
    parts: &dyn Fn(&Expression, &Expression) -> Option<Parts>,
) -> Option<Vec<Polynomial>> {
    let body = facts.procedure(site.procedure);
    let mut numbers: BTreeMap<usize, Polynomial> = BTreeMap::new();
    let mut passed: Vec<StatementId> = Vec::new();
    let (block, index) = body.siblings(site.statement);
    // Control may come to the call past what stands above it.
    if body.statement(site.statement).jump_target {
        return None;
    }
    let writes = |statement: StatementId, symbol: SymbolId| {
        let effects = facts.effects(site.procedure, statement);
        effects.everything.is_some() || effects.writes_symbol(body, symbol).is_some()
    };
    for &statement in block[..index].iter().rev() {
        match &body.statement(statement).kind {
            StatementKind::Assign { target, value, .. } if target.designated() == Some(variable) => {
                for (position, value) in parts(target, value)? {
                    if position < length && !numbers.contains_key(&position) {
                        let value = polynomial_of(body, &value)?;
                        let is_changed = |symbol: &SymbolId| {
                            passed.iter().chain([&statement]).any(|&passed| writes(passed, *symbol))
                        };
                        if value.variables().iter().any(is_changed) {
                            return None;
                        }
                        numbers.insert(position, value);
                    }
                }
            }
            _ if writes(statement, variable) => return None,
            _ => {}
        }
        if numbers.len() == length {
            return Some(numbers.into_values().collect());
        }
        if body.statement(statement).jump_target {
            return None;
        }
        passed.push(statement);
    }
    None
}

/// Is it certainly one number?
fn is_scalar(body: &Procedure, value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Integer(_) => true,
        ExpressionKind::Symbol(id) => {
            let symbol = body.symbol(*id);
            symbol.rank() == 0 && matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_))
        }
        ExpressionKind::Element { subscripts, .. } => subscripts.iter().all(|subscript| is_scalar(body, subscript)),
        ExpressionKind::Unary { operand, .. } => is_scalar(body, operand),
        ExpressionKind::Binary { left, right, .. } => is_scalar(body, left) && is_scalar(body, right),
        _ => false,
    }
}
