//! Changes a correct program at random places, and keeps what is still correct: so programs come about that nobody would
//! have thought of.

use fastrand::Rng;

use super::legality::{is_correct, seems_correct};
use super::program::{Communication, Condition, Expression, Part, Program, Relation, Statement};

/// The program with some changes, but none of its last `checks` statements, which show what came of the others.
pub fn vary(original: Program, checks: usize, random: &mut Rng) -> Program {
    let ending = |program: &Program| program.body[program.body.len().saturating_sub(checks)..].to_vec();
    let is_large = original.arrays.iter().any(|array| array.length > 1000);
    let attempts = random.usize(0..if is_large { 8 } else { 28 });
    let mut program = original.clone();
    for _ in 0..attempts {
        let mut changed = program.clone();
        change(&mut changed, random);
        if changed != program && ending(&changed) == ending(&original) && seems_correct(&changed).is_ok() {
            program = changed;
        }
    }
    if is_correct(&program).is_ok() { program } else { original }
}

fn change(program: &mut Program, random: &mut Rng) {
    let size = program.size();
    if size == 0 {
        return;
    }
    let place = random.usize(0..size);
    match random.usize(0..12) {
        // Something moves some places up or down in its block.
        0..4 => {
            let distance = random.usize(1..6);
            let up = random.bool();
            program.edit_statement(place, |block, at| {
                let target = if up { at.saturating_sub(distance) } else { (at + distance).min(block.len() - 1) };
                let statement = block.remove(at);
                block.insert(target, statement);
            });
        }
        4 => {
            program.edit_statement(place, |block, at| block.remove(at));
        }
        // Something that stands elsewhere is done here, too.
        5 => {
            let other = random.usize(0..size);
            let copy = program.edit_statement(other, |block, at| block[at].clone());
            let is_call = |statement: &Statement| matches!(statement, Statement::Communicate(_));
            if let Some(copy) = copy.filter(|copy| !copy.any(&is_call)) {
                program.edit_statement(place, |block, at| block.insert(at, copy));
            }
        }
        6 => {
            let rank = Expression::Literal(random.i64(0..2));
            let relation =
                [Relation::Equal, Relation::Different, Relation::Less, Relation::NotLess][random.usize(0..4)];
            let condition = Condition { left: Expression::Rank, relation, right: rank };
            program.edit_statement(place, |block, at| {
                let then = vec![block.remove(at)];
                block.insert(at, Statement::If { condition, then, otherwise: Vec::new() });
            });
        }
        7 => {
            let condition = Condition {
                left: Expression::Scalar(super::generator::LOOP_VARIABLES[random.usize(0..3)]),
                relation: [Relation::Equal, Relation::NotLess][random.usize(0..2)],
                right: Expression::Literal(random.i64(1..40)),
            };
            let statement = match random.usize(0..4) {
                0 | 1 => Statement::Exit(condition),
                2 => Statement::Cycle(condition),
                _ => Statement::Return(condition),
            };
            program.edit_statement(place, |block, at| block.insert(at, statement));
        }
        8 => {
            program.edit_statement(place, |block, at| {
                block.insert(at, Statement::Communicate(Communication::Barrier));
            });
        }
        // A number, an array or a scalar is another one.
        _ => {
            let count = program.part_count();
            let (arrays, scalars, requests) = (program.arrays.len(), program.scalars.len(), program.requests.len());
            let datatypes = program.datatypes.len();
            if count == 0 {
                return;
            }
            program.edit_part(random.usize(0..count), |part| match part {
                Part::Expression(Expression::Literal(number)) => *number += [-1, 1, 1, 3][random.usize(0..4)],
                Part::Expression(Expression::Tag(number)) => *number = random.i64(1..5),
                Part::Expression(expression) => {
                    let old = expression.clone();
                    *expression = if random.bool() { old.plus(1) } else { old.plus(-1) };
                }
                Part::Array(array) => *array = random.usize(0..arrays),
                Part::Scalar(scalar) => *scalar = random.usize(0..scalars),
                Part::Request(request) => *request = random.usize(0..requests.max(1)),
                Part::Datatype(datatype) => *datatype = random.usize(0..datatypes.max(1)),
                Part::Value(_) => {}
            });
        }
    }
}
