//! Makes a program that shows an error smaller, as long as it shows it and is correct.

use std::time::{Duration, Instant};

use super::batch::{Setup, Workshop, Wrong};
use super::legality::is_correct;
use super::program::{ArrayId, Expression, Part, Program, Statement, Value};

/// Candidates that are tried together.
const TOGETHER: usize = 12;

/// The smallest program found within the time that is wrong in the same way: the original, or the transformed one.
pub fn shrink(workshop: &Workshop, program: &Program, setup: &Setup, wrong: &Wrong, limit: Duration) -> Program {
    let began = Instant::now();
    let mut best = program.clone();
    best.style.is_main = false;
    if !still_fails(workshop, &[&best], setup, wrong).contains(&0) {
        best = program.clone();
    }
    loop {
        let candidates: Vec<Program> =
            candidates(&best).into_iter().filter(|candidate| is_correct(candidate).is_ok()).collect();
        let mut found = None;
        for group in candidates.chunks(TOGETHER) {
            if began.elapsed() > limit {
                return best;
            }
            let references: Vec<&Program> = group.iter().collect();
            found = still_fails(workshop, &references, setup, wrong).first().map(|&number| group[number].clone());
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Which of the programs are wrong in this way. One that breaks off hides those behind it, so they are tried again.
fn still_fails(workshop: &Workshop, programs: &[&Program], setup: &Setup, wrong: &Wrong) -> Vec<usize> {
    match workshop.run(programs, setup) {
        Ok(outcome) => outcome
            .findings
            .iter()
            .filter(|finding| finding.wrong.is_of_original() == wrong.is_of_original())
            .map(|finding| finding.program)
            .collect(),
        // Something in it does not compile; alone, the others may.
        Err(_) if programs.len() > 1 => {
            let half = programs.len() / 2;
            let mut found = still_fails(workshop, &programs[..half], setup, wrong);
            if found.is_empty() {
                found = still_fails(workshop, &programs[half..], setup, wrong).iter().map(|at| at + half).collect();
            }
            found
        }
        Err(_) => Vec::new(),
    }
}

/// The program without the statements that use an array: what gives it values goes together with what looks at them.
fn without_array(program: &Program, array: ArrayId) -> Program {
    fn strip(block: &mut Vec<Statement>, uses: &dyn Fn(&Statement) -> bool) {
        block.iter_mut().flat_map(Statement::blocks_mut).for_each(|inner| strip(inner, uses));
        block.retain(|statement| !statement.blocks().is_empty() || !uses(statement));
    }
    let uses = |statement: &Statement| {
        let mut found = false;
        statement.clone().visit(&mut |part| found |= matches!(part, Part::Array(id) if *id == array));
        found
    };
    let mut smaller = program.clone();
    smaller.bodies_mut().for_each(|body| strip(body, &uses));
    smaller.remove_empty_blocks();
    smaller
}

/// Smaller programs, the much smaller ones first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found: Vec<Program> = (1..program.arrays.len()).map(|array| without_array(program, array)).collect();
    let size = program.size();
    let mut width = size / 2;
    while width >= 1 {
        for start in (0..size).step_by(width) {
            let mut smaller = program.clone();
            // From behind, so that the numbers in front stay.
            for number in (start..(start + width).min(size)).rev() {
                smaller.edit_statement(number, |block, at| block.remove(at));
            }
            smaller.remove_empty_blocks();
            found.push(smaller);
        }
        width /= 2;
    }
    for number in 0..size {
        let mut smaller = program.clone();
        smaller.edit_statement(number, |block, at| match &mut block[at] {
            Statement::Loop { body, .. } | Statement::If { then: body, .. } => {
                let body = std::mem::take(body);
                block.splice(at..=at, body);
            }
            _ => {}
        });
        found.push(smaller);
    }
    let mut copy = program.clone();
    for number in 0..copy.part_count() {
        let mut change = |edit: &dyn Fn(Part)| {
            let mut smaller = program.clone();
            smaller.edit_part(number, edit);
            found.push(smaller);
        };
        change(&|part| match part {
            Part::Value(value @ Value::Binary(..)) => {
                if let Value::Binary(left, ..) = value.clone() {
                    *value = *left;
                }
            }
            Part::Value(value @ (Value::Largest(..) | Value::Absolute(_))) => {
                if let Value::Largest(inner, _) | Value::Absolute(inner) = value.clone() {
                    *value = *inner;
                }
            }
            Part::Value(value @ Value::Element(..)) => *value = Value::Eighths(8),
            Part::Expression(expression @ Expression::Binary(..)) => {
                if let Expression::Binary(left, ..) = expression.clone() {
                    *expression = *left;
                }
            }
            Part::Expression(Expression::Literal(number)) => *number /= 2,
            _ => {}
        });
    }
    found.retain(|candidate| candidate != program);
    found.dedup();
    found
}
