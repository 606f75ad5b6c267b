//! Work that nobody asked for, close to the messages.

use super::*;

impl Generator {
    /// Something that was not asked for. `inside`: it stands in a loop over this variable.
    pub(super) fn noise(&mut self, depth: usize, inside: Option<&Expression>) -> Vec<Statement> {
        let [i, ..] = LOOP_VARIABLES;
        let vectors: Vec<ArrayId> = (1..self.program.arrays.len())
            .filter(|&id| self.is_seen(id) && !self.program.arrays[id].is_matrix())
            .collect();
        if vectors.is_empty() {
            return Vec::new();
        }
        let array = self.pick(&vectors);
        let Array { length, first, .. } = self.program.arrays[array];
        let place = first + self.random.usize(0..length) as i64;
        if let Some(variable) = inside {
            return match self.random.usize(0..5) {
                0..=2 => {
                    let value = self.fitting_value(array, variable);
                    vec![Statement::Store(array, vec![variable.clone().plus(first - 1)], value)]
                }
                3 => {
                    let value = self.fitting_value(array, variable);
                    vec![Statement::Store(array, vec![Expression::Literal(place)], value)]
                }
                _ => vec![Statement::SetReal(WORK, self.value(variable, 1))],
            };
        }
        match self.random.usize(0..13) {
            0..=2 => {
                let offset = self.random.usize(0..length);
                let count = if self.chance(60) { length - offset } else { 1 + self.random.usize(0..length - offset) };
                let (offset, count) = if self.chance(50) { (0, length) } else { (offset, count) };
                let variable = Expression::Scalar(i);
                let value = self.fitting_value(array, &variable);
                let from = offset as i64 + first;
                vec![Statement::Loop {
                    variable: i,
                    lower: Expression::Literal(1),
                    upper: literal(count),
                    step: 1,
                    body: vec![Statement::Store(array, vec![variable.plus(from - 1)], value)],
                }]
            }
            3 => {
                let value = self.fitting_value(array, &Expression::Literal(1));
                vec![Statement::Store(array, vec![Expression::Literal(place)], value)]
            }
            4 | 5 => {
                let element = Value::Element(array, vec![Expression::Literal(place)]);
                let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
                vec![Statement::SetReal(WORK, Value::binary(half, Operator::Add, element))]
            }
            6 | 7 => self.using(array, 0, length),
            8 => vec![Statement::Print(Value::Element(array, vec![Expression::Literal(place)]))],
            9 => match self.random.usize(0..4) {
                0 => vec![Statement::SetInteger(EXTENT, Expression::Scalar(EXTENT).plus(-1))],
                1 => vec![Statement::SetInteger(OTHER, Expression::Scalar(OTHER).plus(1).modulo(9))],
                2 => vec![Statement::SetReal(FACTOR, Value::Eighths(self.random.i32(1..12)))],
                _ => vec![Statement::SetInteger(NEXT, Expression::Scalar(PREVIOUS))],
            },
            10 => vec![Statement::Communicate(Communication::Barrier)],
            11 if depth > 0 => {
                let condition = Condition {
                    left: self.pick(&[Expression::Rank, Expression::Scalar(OTHER), Expression::Rank.modulo(2)]),
                    relation: self.pick(&[Relation::Equal, Relation::Different, Relation::Less, Relation::NotLess]),
                    right: Expression::Literal(self.random.i64(0..3)),
                };
                vec![Statement::If { condition, then: self.noise(depth - 1, None), otherwise: Vec::new() }]
            }
            _ => {
                let value = if self.program.arrays[array].element == Element::Integer {
                    Value::Integer(Expression::Literal(2))
                } else {
                    Value::Scalar(FACTOR)
                };
                let upper = place + self.random.i64(0..4);
                vec![Statement::Fill(array, Expression::Literal(place), Expression::Literal(upper), value)]
            }
        }
    }

    /// Puts unasked-for statements into places where the program stays correct.
    pub(super) fn add_noise(&mut self) {
        let wanted = self.random.usize(0..7);
        let attempts = if self.extent > 1000 { wanted } else { 2 * wanted };
        for _ in 0..attempts {
            let before = self.program.clone();
            let is_of_rows = !self.fields.is_empty() && self.chance(60);
            let mut noise = if is_of_rows {
                let field = self.pick(&self.fields.clone());
                vec![self.row_work(field)]
            } else {
                self.noise(1, None)
            };
            if self.chance(25) {
                noise = self.outlined(noise);
            }
            let mut program = std::mem::replace(&mut self.program, before);
            let mut place = self.random.usize(0..program.size().max(1));
            if is_of_rows {
                // Close to a call.
                let calls: Vec<usize> = (0..program.size()).filter(|&number| is_call(&mut program, number)).collect();
                if let Some(&call) = calls.get(place % calls.len().max(1)) {
                    place = call + self.random.usize(0..2);
                }
            }
            program.edit_statement(place, |block, at| {
                block.splice(at..at, noise);
            });
            if seems_correct(&program).is_ok() {
                self.program = program;
            }
        }
    }

    /// A call of a new procedure that does this; where it is not inside the main unit, with a loop variable of its own.
    fn outlined(&mut self, mut body: Vec<Statement>) -> Vec<Statement> {
        let procedure = self.program.procedures.len();
        let kind = self.procedure_kind();
        if kind != ProcedureKind::Internal {
            let own = self.program.scalars.len();
            self.program.scalars.push(Scalar { is_integer: true, home: Home::Procedure(procedure) });
            body.iter_mut().for_each(|statement| {
                statement.visit(&mut |part| {
                    if let Part::Scalar(scalar) = part
                        && LOOP_VARIABLES.contains(scalar)
                    {
                        *scalar = own;
                    }
                });
            });
        }
        self.program.procedures.push(Procedure { kind, body });
        vec![Statement::Call(procedure, Arguments::default())]
    }
}

/// Is this statement a call of MPI, or of a procedure?
fn is_call(program: &mut Program, number: usize) -> bool {
    let is =
        |block: &mut Vec<Statement>, at: usize| matches!(block[at], Statement::Communicate(_) | Statement::Call(..));
    program.edit_statement(number, is) == Some(true)
}
