//! Whether a program can be written in a language, and is correct there: names are visible where they are used, types fit,
//! and the interpreter finds nothing wrong on any number of ranks.

use std::collections::{BTreeMap, BTreeSet};

use super::interpreter::{Invalid, Printed, interpret};
use super::program::{
    Arguments, Array, ArrayId, Communication, Completion, Element, Expression, HandedPart, Home, Part, ProcedureId,
    ProcedureKind, Program, RequestHome, RequestId, RequestPlace, RequestVariable, ScalarId, Statement, Value,
};

/// The numbers of ranks on which programs run.
pub const RANKS: [usize; 3] = [2, 3, 4];

/// What the program prints on each of the numbers of ranks.
///
/// # Errors
/// Why it is not a correct program.
pub fn is_correct(program: &Program) -> Result<Vec<Printed>, Invalid> {
    check_names(program)?;
    RANKS.iter().map(|&ranks| interpret(program, ranks)).collect()
}

/// As [`is_correct`], for three ranks only: a first, a last and one between.
///
/// # Errors
/// Why it is not a correct program.
pub fn seems_correct(program: &Program) -> Result<(), Invalid> {
    check_names(program)?;
    interpret(program, 3).map(drop)
}

/// Is everything visible where it is used, and of the right type?
fn check_names(program: &Program) -> Result<(), Invalid> {
    for array in &program.arrays {
        if let Home::Over(base, offset) = array.home {
            let base = program.arrays.get(base).ok_or("there is no such array")?;
            if base.home != Home::Main || base.element != array.element || base.length < offset + array.length {
                return Err("an array does not fit over another one");
            }
        }
    }
    let mut owners: BTreeMap<RequestId, Option<ProcedureId>> = BTreeMap::new();
    for (number, body) in program.bodies().enumerate() {
        let unit = number.checked_sub(1);
        let mut copy = body.clone();
        let mut result = Ok(());
        let mut check = |found: Result<(), Invalid>| {
            if result.is_ok() {
                result = found;
            }
        };
        copy.iter_mut().for_each(|statement| {
            statement.visit(&mut |part| {
                check(match part {
                    Part::Array(id) => check_home(program, unit, program.arrays.get(*id).map(|array| array.home)),
                    Part::Scalar(id) => check_home(program, unit, program.scalars.get(*id).map(|scalar| scalar.home)),
                    Part::Request(id) => match program.requests.get(*id).map(|request| request.home) {
                        Some(RequestHome::Unit) if *owners.entry(*id).or_insert(unit) == unit => Ok(()),
                        Some(RequestHome::Unit) => Err("a request is used in two units"),
                        Some(RequestHome::Argument(owner, _)) if unit != Some(owner) => Err("a name is not visible"),
                        Some(_) => Ok(()),
                        None => Err("there is no such request"),
                    },
                    Part::Datatype(id) => check_home(program, unit, program.datatypes.get(*id).map(|found| found.home)),
                    Part::Expression(expression) => check_expression(program, expression),
                    Part::Value(value) => check_value(program, value),
                });
            });
        });
        result?;
        for statement in body {
            check_statement(program, statement, &[])?;
        }
        let hidden =
            (0..program.procedures.len()).filter(|&procedure| !is_callable(program, unit, procedure)).collect();
        if calls_any(body, &hidden) {
            return Err("a procedure is not visible");
        }
    }
    Ok(())
}

/// Does the unit see the procedure?
fn is_callable(program: &Program, unit: Option<ProcedureId>, procedure: ProcedureId) -> bool {
    let kind = |procedure: ProcedureId| program.procedures[procedure].kind;
    match unit.map(kind) {
        None | Some(ProcedureKind::Internal) => true,
        Some(ProcedureKind::Module) => kind(procedure) != ProcedureKind::Internal,
        Some(ProcedureKind::External) => kind(procedure) == ProcedureKind::External,
    }
}

fn check_home(program: &Program, unit: Option<ProcedureId>, home: Option<Home>) -> Result<(), Invalid> {
    if home.is_some_and(|home| is_visible(program, unit, home)) { Ok(()) } else { Err("a name is not visible") }
}

/// Does the unit see variables that live there?
pub fn is_visible(program: &Program, unit: Option<ProcedureId>, home: Home) -> bool {
    match home {
        Home::Main | Home::Saved | Home::Over(..) => {
            unit.is_none_or(|procedure| program.procedures[procedure].kind == ProcedureKind::Internal)
        }
        Home::Module | Home::Common => true,
        Home::Procedure(owner) | Home::Argument(owner, _) => unit == Some(owner),
    }
}

fn is_integer(program: &Program, scalar: ScalarId) -> bool {
    program.scalars[scalar].is_integer
}

fn has_dimensions(program: &Program, array: ArrayId, count: usize) -> Result<(), Invalid> {
    let dimensions = if program.arrays[array].is_matrix() { 2 } else { 1 };
    if count == dimensions { Ok(()) } else { Err("another number of dimensions") }
}

fn check_expression(program: &Program, expression: &Expression) -> Result<(), Invalid> {
    match expression {
        Expression::Scalar(id) if !is_integer(program, *id) => Err("a real scalar in an integer expression"),
        Expression::Element(array, index) => {
            has_dimensions(program, *array, index.len())?;
            match program.arrays[*array].element {
                Element::Integer => Ok(()),
                Element::Double | Element::Single => Err("a real element in an integer expression"),
            }
        }
        Expression::Binary(left, _, right) => {
            let is_nobody = |part: &Expression| *part == Expression::NoProcess;
            if is_nobody(left) || is_nobody(right) { Err("arithmetic with nobody") } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

fn check_value(program: &Program, value: &Value) -> Result<(), Invalid> {
    match value {
        Value::Scalar(id) if is_integer(program, *id) => Err("an integer scalar is no value"),
        Value::Element(array, index) => has_dimensions(program, *array, index.len()),
        Value::Integer(Expression::NoProcess) => Err("nobody is no value"),
        _ => Ok(()),
    }
}

fn check_target(program: &Program, scalar: ScalarId, integer: bool) -> Result<(), Invalid> {
    let found = program.scalars[scalar];
    if found.is_integer != integer {
        return Err("a scalar of another type is set");
    }
    if matches!(found.home, Home::Argument(..)) { Err("an argument is set") } else { Ok(()) }
}

/// Do arguments fit, as far as compilers look? They do so where a call is never made, too.
fn check_arguments(program: &Program, procedure: ProcedureId, arguments: &Arguments) -> Result<(), Invalid> {
    for (position, (handed, index)) in arguments.arrays.iter().enumerate() {
        let is_dummy = |array: &&Array| array.home == Home::Argument(procedure, position);
        let (Some(dummy), handed) = (program.arrays.iter().find(is_dummy), &program.arrays[*handed]) else { continue };
        let skipped = match index[..] {
            [] => 0,
            [Expression::Literal(row)] => row - handed.first,
            [Expression::Literal(row), Expression::Literal(column)] => {
                row - handed.first + (column - 1) * handed.rows as i64
            }
            // What is not constant only those see who run the program.
            _ => continue,
        };
        if dummy.element != handed.element || dummy.length as i64 > handed.length as i64 - skipped {
            return Err("an array does not fit an argument");
        }
    }
    for (position, handed) in arguments.requests.iter().enumerate() {
        let is_dummy = |request: &&RequestVariable| request.home == RequestHome::Argument(procedure, position);
        let found = program.requests.get(handed.variable).map(|request| request.length);
        let is_fitting = match (program.requests.iter().find(is_dummy).map(|dummy| dummy.length), found) {
            (_, None) => false,
            (Some(dummy), Some(length)) if handed.part == HandedPart::Whole => {
                dummy.is_some() == length.is_some() && dummy <= length
            }
            (_, Some(length)) => handed.part == HandedPart::Whole || length.is_some(),
        };
        if !is_fitting {
            return Err("requests do not fit an argument");
        }
    }
    Ok(())
}

/// Do the requests that a call names have elements where it names one, and else none?
fn check_requests(program: &Program, communication: &Communication) -> Result<(), Invalid> {
    let has_elements = |id: RequestId| program.requests.get(id).is_some_and(|request| request.length.is_some());
    let is_right = |place: &RequestPlace| place.element.is_some() == has_elements(place.variable);
    let are_right = match communication {
        Communication::Send { request, .. } | Communication::Receive { request, .. } => {
            request.as_ref().is_none_or(is_right)
        }
        Communication::Wait(request) => is_right(request),
        Communication::WaitAll(variable, ..) => has_elements(*variable),
        Communication::Complete(completion) => is_right(&completion.first),
        _ => true,
    };
    if are_right { Ok(()) } else { Err("there is no such request") }
}

/// The procedures that a call reaches.
fn reach(program: &Program, procedure: ProcedureId, reached: &mut BTreeSet<ProcedureId>) -> Result<(), Invalid> {
    let body = &program.procedures.get(procedure).ok_or("there is no such procedure")?.body;
    if reached.insert(procedure) {
        for next in 0..program.procedures.len() {
            if calls_any(body, &BTreeSet::from([next])) {
                reach(program, next, reached)?;
            }
        }
    }
    Ok(())
}

fn calls_any(body: &[Statement], procedures: &BTreeSet<ProcedureId>) -> bool {
    let calls = |found: &Statement| matches!(found, Statement::Call(id, ..) if procedures.contains(id));
    body.iter().any(|statement| statement.any(&calls))
}

/// Does the statement itself set one of the scalars?
fn sets_any(statement: &Statement, scalars: &[ScalarId]) -> bool {
    match statement {
        Statement::Loop { variable: set, .. }
        | Statement::SetInteger(set, _)
        | Statement::Communicate(
            Communication::Count(set, _) | Communication::Complete(Completion { answer: set, .. }),
        ) => scalars.contains(set),
        _ => false,
    }
}

/// `loops`: the variables of the loops around it.
fn check_statement(program: &Program, statement: &Statement, loops: &[ScalarId]) -> Result<(), Invalid> {
    let fits = |array: ArrayId, value: &Value| match (program.arrays[array].element, value) {
        (Element::Integer, Value::Integer(_)) | (Element::Double | Element::Single, _) => Ok(()),
        (Element::Integer, _) => Err("an integer element is set to a real value"),
    };
    if let Statement::Communicate(communication) = statement {
        check_requests(program, communication)?;
    }
    match statement {
        Statement::Loop { variable, step, .. } => {
            check_target(program, *variable, true)?;
            if *step == 0 {
                return Err("a loop without a step");
            }
        }
        Statement::SetInteger(scalar, _) | Statement::Communicate(Communication::Count(scalar, _)) => {
            check_target(program, *scalar, true)?;
        }
        Statement::Communicate(Communication::Complete(completion)) => {
            check_target(program, completion.answer, true)?;
            if let Some(places) = completion.places {
                has_dimensions(program, places, 1)?;
            }
            if completion.kind.tells_places() != completion.places.is_some() {
                return Err("places of requests that nobody tells");
            }
        }
        Statement::SetReal(scalar, _) => check_target(program, *scalar, false)?,
        Statement::Store(array, index, value) => {
            has_dimensions(program, *array, index.len())?;
            fits(*array, value)?;
        }
        Statement::Fill(array, _, _, value) => {
            has_dimensions(program, *array, 1)?;
            fits(*array, value)?;
        }
        Statement::Exit(_) | Statement::Cycle(_) if loops.is_empty() => return Err("there is no loop to leave"),
        Statement::Call(procedure, arguments) => {
            check_arguments(program, *procedure, arguments)?;
            // Compilers look through calls, even where they are never made.
            let mut reached = BTreeSet::new();
            reach(program, *procedure, &mut reached)?;
            let sets = |body: &Vec<Statement>| body.iter().any(|inner| inner.any(&|found| sets_any(found, loops)));
            if reached.iter().any(|&id| sets(&program.procedures[id].body)) {
                return Err("the variable of a loop is set in it");
            }
            if reached.iter().any(|&id| calls_any(&program.procedures[id].body, &BTreeSet::from([*procedure]))) {
                return Err("a procedure calls itself");
            }
        }
        _ => {}
    }
    let mut loops = loops.to_vec();
    if sets_any(statement, &loops) {
        return Err("the variable of a loop is set in it");
    }
    if let Statement::Loop { variable, .. } = statement {
        loops.push(*variable);
    }
    statement.blocks().into_iter().flatten().try_for_each(|inner| check_statement(program, inner, &loops))
}
