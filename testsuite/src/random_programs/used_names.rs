//! Which names of a program its units use: only these are declared.

use std::collections::BTreeSet;

use super::program::{ArrayId, DatatypeId, Expression, Home, Part, Program, RequestId, Scalar, ScalarId, Statement};

/// The names that a unit uses.
#[derive(Debug, Default)]
pub(super) struct Used {
    pub arrays: BTreeSet<ArrayId>,
    pub scalars: BTreeSet<ScalarId>,
    pub requests: BTreeSet<RequestId>,
    pub datatypes: BTreeSet<DatatypeId>,
    pub numbers: BTreeSet<i64>,
    pub tags: BTreeSet<i64>,
}

impl Used {
    /// Everything that statements name.
    pub(super) fn of(body: &[Statement]) -> Self {
        let mut used = Self::default();
        let mut copy = body.to_vec();
        copy.iter_mut().for_each(|statement| {
            statement.visit(&mut |part| match part {
                Part::Array(id) => {
                    used.arrays.insert(*id);
                }
                Part::Scalar(id) => {
                    used.scalars.insert(*id);
                }
                Part::Request(id) => {
                    used.requests.insert(*id);
                }
                Part::Datatype(id) => {
                    used.datatypes.insert(*id);
                }
                Part::Expression(Expression::Literal(number)) if *number >= 10 => {
                    used.numbers.insert(*number);
                }
                Part::Expression(Expression::Tag(tag)) => {
                    used.tags.insert(*tag);
                }
                _ => {}
            });
        });
        used
    }

    /// The arrays and scalars that any statement names, and those that declarations need besides.
    pub(super) fn anywhere(program: &Program) -> Self {
        let mut used = Self::default();
        for body in program.bodies() {
            let more = Self::of(body);
            used.arrays.extend(more.arrays);
            used.scalars.extend(more.scalars);
        }
        for (id, array) in program.arrays.iter().enumerate() {
            match array.home {
                Home::Over(base, _) if used.arrays.contains(&id) => {
                    used.arrays.insert(base);
                }
                Home::Argument(..) => {
                    used.arrays.insert(id);
                }
                _ => {}
            }
        }
        let is_argument = |scalar: &Scalar| matches!(scalar.home, Home::Argument(..));
        let scalars = program.scalars.iter().enumerate();
        used.scalars.extend(scalars.filter(|(_, scalar)| is_argument(scalar)).map(|(id, _)| id));
        used
    }
}
