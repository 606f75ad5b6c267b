//! Sweeps over a field whose first and last columns the neighbours send: the loops that can be split, and those that come
//! close to it.

use super::*;

/// The fields of a sweep: two matrices of the same shape.
struct Fields {
    old: ArrayId,
    new: ArrayId,
    /// The first row.
    first: i64,
    rows: i64,
    columns: i64,
    /// So many columns at either end come from the neighbours.
    layers: i64,
}

impl Fields {
    fn element(array: ArrayId, row: Expression, column: Expression) -> Value {
        Value::Element(array, vec![row, column])
    }
}

impl Generator {
    /// Neighbours exchange columns, and everybody computes what lies between them.
    pub(super) fn sweep(&mut self) -> Vec<Statement> {
        let rows = if self.chance(80) { self.random.usize(66..90) } else { self.random.usize(5..12) };
        let layers = if self.chance(70) { 1 } else { self.random.usize(2..4) };
        let columns = self.random.usize(5..11) + 4 * (layers - 1);
        let old = self.matrix(rows, columns);
        let new = self.matrix(rows, columns);
        let first = self.program.arrays[old].first;
        let fields = Fields { old, new, first, rows: rows as i64, columns: columns as i64, layers: layers as i64 };
        let mut body = self.exchange_of_columns(&fields);
        body.push(self.sweep_loop(&fields));
        if self.chance(70) {
            body.push(self.whole(old, &|_, index| {
                let half = Value::binary(Value::Element(new, index.clone()), Operator::Multiply, Value::Eighths(4));
                Statement::Store(old, index, half)
            }));
        }
        if self.chance(60) {
            body = vec![Statement::Loop {
                variable: TIME,
                lower: Expression::Literal(1),
                upper: Expression::Literal(self.random.i64(2..4)),
                step: 1,
                body,
            }];
        }
        body
    }

    /// A matrix, somewhere.
    pub(super) fn matrix(&mut self, rows: usize, columns: usize) -> ArrayId {
        let home = self.pick(&[Home::Main, Home::Main, Home::Saved, Home::Module, Home::Common]);
        let first = self.random.i64(0..2);
        self.program.arrays.push(Array { element: Element::Double, home, length: rows * columns, rows, first });
        self.program.arrays.len() - 1
    }

    /// The first columns come from the previous rank, the last ones from the next.
    fn exchange_of_columns(&mut self, fields: &Fields) -> Vec<Statement> {
        let Fields { old, first, rows, columns, layers, .. } = *fields;
        // Several columns are one message where they are whole.
        let margin = if layers == 1 { self.random.i64(0..2) } else { 0 };
        let tags = [self.tag(), self.tag()];
        let message = |column: i64, peer: ScalarId, tag: &Expression| Message {
            array: old,
            index: vec![Expression::Literal(first + margin), Expression::Literal(column)],
            count: Expression::Literal(layers * rows - 2 * margin),
            datatype: None,
            peer: Some(Expression::Scalar(peer)),
            tag: tag.clone(),
        };
        let pairs = [
            (message(columns + 1 - 2 * layers, NEXT, &tags[0]), message(1, PREVIOUS, &tags[0])),
            (message(1 + layers, PREVIOUS, &tags[1]), message(columns + 1 - layers, NEXT, &tags[1])),
        ];
        if self.chance(25) {
            let both = |(sent, received)| Statement::Communicate(Communication::SendReceive { sent, received });
            return pairs.into_iter().map(both).collect();
        }
        let array = self.chance(60).then(|| self.request(Some(4)));
        let mut waits = Vec::new();
        let mut place = |generator: &mut Self, number: i64| match array {
            Some(variable) => RequestPlace { variable, element: Some(Expression::Literal(number)) },
            None => {
                let place = RequestPlace { variable: generator.request(None), element: None };
                waits.push(Statement::Communicate(Communication::Wait(place.clone())));
                place
            }
        };
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for (number, (sent, message)) in (1..).zip(pairs) {
            let request = Some(place(self, number));
            receives.push(Statement::Communicate(Communication::Receive { message, request }));
            let request = Some(place(self, number + 2));
            sends.push(Statement::Communicate(Communication::Send {
                message: sent,
                request,
                mode: SendMode::Standard,
            }));
        }
        self.random.shuffle(&mut waits);
        if let Some(array) = array {
            let (first, count) = (Expression::Literal(1), Expression::Literal(4));
            waits.push(Statement::Communicate(Communication::WaitAll(array, first, count)));
        }
        let (before, behind) = if self.chance(75) { (receives, sends) } else { (sends, receives) };
        before.into_iter().chain(behind).chain(waits).collect()
    }

    /// The nest that computes the columns between the first and the last ones.
    fn sweep_loop(&mut self, fields: &Fields) -> Statement {
        let [inner, outer, _] = LOOP_VARIABLES;
        let Fields { first, rows, columns, layers, .. } = *fields;
        let (row, column) = (Expression::Scalar(inner), Expression::Scalar(outer));
        let mut inside = self.computed(fields, &row, &column);
        let mut beside = Vec::new();
        for _ in 0..self.random.usize(0..3) {
            if self.chance(75) {
                inside.extend(self.accumulation(fields, &row, &column));
            } else {
                beside.extend(self.accumulation(fields, &Expression::Literal(first + 1), &column));
            }
        }
        if self.chance(20) {
            self.random.shuffle(&mut inside);
        }
        let counted = |variable, lower, upper, body| Statement::Loop {
            variable,
            lower: Expression::Literal(lower),
            upper: Expression::Literal(upper),
            step: 1,
            body,
        };
        let mut body = vec![counted(inner, first + 1, first + rows - 2, inside)];
        let at = self.random.usize(0..=1);
        body.splice(at..at, beside);
        if self.chance(6) {
            let left = column.modulo(4);
            let condition = Condition { left, relation: Relation::Equal, right: Expression::Literal(3) };
            let early = if self.chance(50) { Statement::Exit(condition) } else { Statement::Cycle(condition) };
            let at = self.random.usize(0..=body.len());
            body.insert(at, early);
        }
        let lower = if self.chance(85) { layers + 1 } else { layers + 2 };
        counted(outer, lower, columns - layers, body)
    }

    /// What an iteration stores: mostly an element that is made of its neighbours.
    fn computed(&mut self, fields: &Fields, row: &Expression, column: &Expression) -> Vec<Statement> {
        let Fields { old, new, layers, .. } = *fields;
        let target = if self.chance(88) { new } else { old };
        let neighbour = |generator: &mut Self| {
            let from = if generator.chance(93) { old } else { new };
            let reach = if generator.chance(97) { layers } else { layers + 1 };
            let shift = generator.random.i64(-reach..reach + 1);
            let element = Fields::element(from, row.clone(), column.clone().plus(shift));
            Value::binary(element, Operator::Multiply, Value::Eighths(generator.random.i32(1..6)))
        };
        let sum = Value::binary(neighbour(self), Operator::Add, neighbour(self));
        let set = |column, value| Statement::Store(target, vec![row.clone(), column], value);
        let mut found = Vec::new();
        if self.chance(25) {
            // By way of a variable.
            found.push(Statement::SetReal(FACTOR, sum.clone()));
            found.push(set(column.clone(), Value::Scalar(FACTOR)));
            if self.chance(20) {
                found.swap(0, 1);
            }
        } else {
            let shift = if self.chance(94) { 0 } else { self.random.i64(-1..2) };
            found.push(set(column.clone().plus(shift), sum));
        }
        if self.chance(12) {
            let left = if self.chance(50) { row.clone() } else { column.clone() };
            let condition = Condition { left, relation: Relation::Less, right: Expression::Literal(6) };
            found = vec![Statement::If { condition, then: found, otherwise: Vec::new() }];
        }
        found
    }

    /// What an iteration adds to what the others have found.
    fn accumulation(&mut self, fields: &Fields, row: &Expression, column: &Expression) -> Vec<Statement> {
        let Fields { old, new, .. } = *fields;
        let element = |array| Fields::element(array, row.clone(), column.clone());
        let change = Value::binary(element(new), Operator::Subtract, element(old));
        let times = |left: Value, right: Value| Value::binary(left, Operator::Multiply, right);
        let work = || Value::Scalar(WORK);
        let largest = |value| Statement::SetReal(WORK, Value::Largest(Box::new(work()), Box::new(value)));
        let factor = self.random.i64(2..9);
        let position = Expression::binary(row.clone(), Operator::Multiply, column.clone());
        let number = Expression::binary(position, Operator::Add, Expression::Literal(factor)).modulo(23);
        let other = Expression::Scalar(OTHER);
        let added = Expression::binary(other.clone(), Operator::Add, number.clone());
        let kept = |relation| {
            let condition = Condition { left: other.clone(), relation, right: number.clone() };
            Statement::If { condition, then: vec![Statement::SetInteger(OTHER, number.clone())], otherwise: Vec::new() }
        };
        match self.random.usize(0..11) {
            0 | 1 => vec![largest(Value::Absolute(Box::new(change)))],
            2 => vec![largest(times(change.clone(), change))],
            3 => vec![largest(change)],
            4 => {
                // So many digits that the order of the sum shows.
                let square = times(change.clone(), change);
                let fourth = times(square.clone(), square);
                vec![Statement::SetReal(WORK, Value::binary(work(), Operator::Add, fourth))]
            }
            5 | 6 => vec![Statement::SetInteger(OTHER, added)],
            7 => vec![kept(Relation::Less)],
            8 => vec![kept(Relation::NotLess)],
            9 => vec![Statement::SetInteger(OTHER, added.modulo(7))],
            _ => vec![Statement::SetInteger(COUNT, number)],
        }
    }
}
