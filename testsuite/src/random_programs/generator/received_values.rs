//! What has been received says what is done next: whether, how often, to which elements, with how many and with whom. Such
//! expressions read a buffer where nobody looks for an access: in conditions, bounds, subscripts, and arguments of MPI.

use super::*;

impl Generator {
    /// Makes statements depend on integers that messages bring, as long as the program stays correct.
    pub(super) fn depend_on_received(&mut self) {
        if !self.chance(70) || seems_correct(&self.program).is_err() {
            return;
        }
        let attempts = if self.extent > 1000 { 12 } else { 48 };
        let mut wanted = self.random.usize(1..7);
        for _ in 0..attempts {
            let before = self.program.clone();
            // What shows the results stays as it is.
            let checks = self.program.body.split_off(self.program.body.len() - self.checks);
            let is_changed = self.depend_somewhere().is_some();
            self.program.body.extend(checks);
            if !is_changed || seems_correct(&self.program).is_err() {
                self.program = before;
                continue;
            }
            wanted -= 1;
            if wanted == 0 {
                return;
            }
        }
    }

    fn depend_somewhere(&mut self) -> Option<()> {
        let size = self.program.size();
        let place = self.random.usize(0..size.max(1));
        let unit = self.program.unit_of(place)?;
        let array = match self.received_at(place, unit) {
            Some(own) if self.chance(40) => own,
            _ => self.received_integers(unit)?,
        };
        match self.random.usize(0..10) {
            // Some statements are done only then.
            0..3 => {
                let condition = self.condition_on(array);
                let width = self.random.usize(1..4);
                self.program.edit_statement(place, |block, at| {
                    let then = block.splice(at..(at + width).min(block.len()), []).collect();
                    block.insert(at, Statement::If { condition, then, otherwise: Vec::new() });
                })
            }
            // A loop, or all that is left of a procedure, ends then.
            3 => {
                let condition = self.condition_on(array);
                let ending = match self.random.usize(0..3) {
                    0 => Statement::Exit(condition),
                    1 => Statement::Cycle(condition),
                    _ => Statement::Return(condition),
                };
                self.program.edit_statement(place, |block, at| block.insert(at, ending))
            }
            // It is kept in a variable first.
            4 => {
                let scalar = self.pick(&[OTHER, COUNT, POSITION, EXTENT]);
                let value = self.small(array);
                let lowest = if scalar == EXTENT { self.extent as i64 - 2 } else { 1 };
                let statement = Statement::SetInteger(scalar, value.plus(lowest));
                self.program.edit_statement(place, |block, at| block.insert(at, statement))
            }
            // A number in a statement depends on it: mostly of a call or of a loop, and not far from what it was.
            _ => {
                let literals = self.literals_at(place)?;
                let chosen = self.random.usize(0..literals.max(1));
                let operator = self.pick(&[Operator::Add, Operator::Subtract]);
                let value = self.small(array);
                self.program.edit_statement(place, |block, at| {
                    visit_literals(&mut block[at], &mut |number, literal| {
                        if number == chosen {
                            *literal = Expression::binary(literal.clone(), operator, value.clone());
                        }
                    });
                });
                (literals > 0).then_some(())
            }
        }
    }

    /// How many numbers the statement has, those inside of it counted.
    fn literals_at(&mut self, place: usize) -> Option<usize> {
        self.program.edit_statement(place, |block, at| {
            let mut count = 0;
            visit_literals(&mut block[at].clone(), &mut |_, _| count += 1);
            count
        })
    }

    /// An array of integers that this statement, or one in it, receives a message into: what is already there decides
    /// about the message that changes it.
    fn received_at(&mut self, place: usize, unit: Option<ProcedureId>) -> Option<ArrayId> {
        let mut received = Vec::new();
        self.program.edit_statement(place, |block, at| received_by(&block[at], &mut received))?;
        received.retain(|&id| self.is_vector_of_integers(id, unit));
        (!received.is_empty()).then(|| self.pick(&received))
    }

    /// Is it an array of integers with one dimension that the unit sees?
    fn is_vector_of_integers(&self, id: ArrayId, unit: Option<ProcedureId>) -> bool {
        let array = &self.program.arrays[id];
        array.element == Element::Integer && !array.is_matrix() && is_visible(&self.program, unit, array.home)
    }

    /// An array of integers that the unit sees: mostly one that messages come into.
    fn received_integers(&mut self, unit: Option<ProcedureId>) -> Option<ArrayId> {
        let mut received = Vec::new();
        for statement in self.program.bodies().flatten() {
            received_by(statement, &mut received);
        }
        let is_possible = |id: &ArrayId| self.is_vector_of_integers(*id, unit);
        let received: Vec<ArrayId> = received.into_iter().filter(is_possible).collect();
        let any: Vec<ArrayId> = (0..self.program.arrays.len()).filter(is_possible).collect();
        let candidates = if received.is_empty() || self.chance(10) { any } else { received };
        (!candidates.is_empty()).then(|| self.pick(&candidates))
    }

    /// An element of the array: mostly a certain one, else one that a variable says.
    fn element_of(&mut self, array: ArrayId) -> Expression {
        let Array { first, length, .. } = self.program.arrays[array];
        let subscript = match self.random.usize(0..10) {
            0 => Expression::Rank.plus(first),
            1 => Expression::Scalar(self.pick(&LOOP_VARIABLES)).plus(first - 1),
            2 => Expression::Scalar(OTHER).plus(first - 1),
            3 | 4 => Expression::Literal(first + self.random.usize(0..length) as i64),
            5 => Expression::Literal(first + length as i64 - 1),
            _ => Expression::Literal(first),
        };
        Expression::Element(array, vec![subscript])
    }

    /// A small number that the array says.
    fn small(&mut self, array: ArrayId) -> Expression {
        let limit = self.random.i64(2..5);
        self.element_of(array).modulo(limit)
    }

    fn condition_on(&mut self, array: ArrayId) -> Condition {
        let left = if self.chance(50) { self.small(array) } else { self.element_of(array) };
        let relation = self.pick(&[Relation::Equal, Relation::Different, Relation::Less, Relation::NotLess]);
        Condition { left, relation, right: Expression::Literal(self.random.i64(0..6)) }
    }
}

/// Calls `see` with each number in the statement, counted from 0.
fn visit_literals(statement: &mut Statement, see: &mut dyn FnMut(usize, &mut Expression)) {
    let mut count = 0;
    statement.visit(&mut |part| {
        if let Part::Expression(expression) = part
            && matches!(expression, Expression::Literal(_))
        {
            see(count, expression);
            count += 1;
        }
    });
}

/// The arrays that messages come into by the statement, and by those in it.
fn received_by(statement: &Statement, received: &mut Vec<ArrayId>) {
    if let Statement::Communicate(communication) = statement {
        received.extend(match communication {
            Communication::Receive { message, .. } | Communication::SendReceive { received: message, .. } => {
                Some(message.array)
            }
            Communication::Replace { sent, .. } => Some(sent.array),
            Communication::AllToAll { received, .. } => Some(*received),
            _ => None,
        });
    }
    statement.blocks().into_iter().flatten().for_each(|inner| received_by(inner, received));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_programs::tests::some_programs;

    #[test]
    fn many_programs_depend_on_elements() {
        let [mut conditions, mut bounds, mut calls] = [0, 0, 0];
        for program in some_programs() {
            let reads = |expression: &Expression| {
                let mut is_read = false;
                expression.visit(&mut |part| {
                    is_read |= matches!(part, Expression::Element(..));
                });
                is_read
            };
            let in_call = |statement: &Statement| {
                let mut is_read = false;
                statement.clone().visit(&mut |part| {
                    if let Part::Expression(expression) = part {
                        is_read |= reads(expression);
                    }
                });
                matches!(statement, Statement::Communicate(_)) && is_read
            };
            let in_condition = |statement: &Statement| match statement {
                Statement::If { condition, .. } | Statement::Exit(condition) | Statement::Cycle(condition) => {
                    reads(&condition.left)
                }
                _ => false,
            };
            let in_bounds = |statement: &Statement| matches!(statement, Statement::Loop { lower, upper, .. } if reads(lower) || reads(upper));
            conditions += usize::from(program.any(&in_condition));
            bounds += usize::from(program.any(&in_bounds));
            calls += usize::from(program.any(&in_call));
        }
        assert!(conditions > 8 && bounds > 3 && calls > 1, "{conditions} {bounds} {calls}");
    }
}
