//! Which names of a program its units use: only these are declared.

use std::collections::BTreeSet;

use super::Writer;
use crate::random_programs::program::{ArrayId, Expression, Home, Part, Scalar, ScalarId, Statement};

/// The names that a unit uses.
#[derive(Default)]
pub(super) struct Used {
    pub arrays: BTreeSet<ArrayId>,
    pub scalars: BTreeSet<ScalarId>,
    pub requests: BTreeSet<usize>,
    pub numbers: BTreeSet<i64>,
    pub tags: BTreeSet<i64>,
}

impl Writer<'_> {
    /// Everything that statements name.
    pub(super) fn used(&self, body: &[Statement]) -> Used {
        let mut used = Used::default();
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

    /// Everything that any statement names, and what declarations need besides.
    pub(super) fn used_anywhere(&self) -> Used {
        let mut used = Used::default();
        for body in self.program.bodies() {
            let more = self.used(body);
            used.arrays.extend(more.arrays);
            used.scalars.extend(more.scalars);
        }
        for (id, array) in self.program.arrays.iter().enumerate() {
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
        let scalars = self.program.scalars.iter().enumerate();
        used.scalars.extend(scalars.filter(|(_, scalar)| is_argument(scalar)).map(|(id, _)| id));
        used
    }
}
