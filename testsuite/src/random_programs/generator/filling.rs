//! How a program fills a message, and uses one: the loops that gravelc must understand, or leave alone.

use super::*;

impl Generator {
    /// Statements that give elements `offset..offset + count` (from 0) of an array values.
    pub(super) fn filling(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [i, j, k] = LOOP_VARIABLES;
        if self.copies.contains(&array) {
            return self.filling_by_copy(array, offset, count);
        }
        if self.program.arrays[array].is_matrix() {
            return self.filling_matrix(array, offset, count);
        }
        let first = self.program.arrays[array].first;
        let variable = Expression::Scalar(i);
        let from = offset as i64 + first;
        let store = |index: Expression, value: Value| Statement::Store(array, vec![index], value);
        let counted = |variable, lower: Expression, upper: Expression, step, body| Statement::Loop {
            variable,
            lower,
            upper,
            step,
            body,
        };
        let one = Expression::Literal(1);
        let value = self.fitting_value(array, &variable);
        let upper = self.counted(count);
        let shape = if count == 0 { 0 } else { self.random.usize(0..21) };
        match shape {
            0..=3 => {
                vec![counted(i, one, upper, 1, vec![store(variable.plus(from - 1), value)])]
            }
            4 => {
                // From the array's own first subscript.
                let upper = self.counted(count).plus(from - 1);
                let value = self.fitting_value(array, &variable);
                vec![counted(i, Expression::Literal(from), upper, 1, vec![store(variable, value)])]
            }
            5 | 6 => {
                // A nest with linearised subscripts; in the order of memory, or not.
                let columns = self.random.usize(2..6).min(count);
                let rows = count / columns;
                let (inner, outer) = if self.chance(70) { (j, k) } else { (k, j) };
                let before = Expression::binary(Expression::Scalar(k).plus(-1), Operator::Multiply, literal(rows));
                let position = Expression::binary(before, Operator::Add, Expression::Scalar(j));
                let value = self.fitting_value(array, &position);
                let body = vec![store(position.plus(from - 1), value)];
                let extent = |variable| literal(if variable == j { rows } else { columns });
                let mut nest = vec![counted(
                    outer,
                    one.clone(),
                    extent(outer),
                    1,
                    vec![counted(inner, one, extent(inner), 1, body)],
                )];
                if rows * columns < count {
                    let lower = literal(rows * columns + 1);
                    let value = self.fitting_value(array, &variable);
                    nest.push(counted(i, lower, upper, 1, vec![store(variable.plus(from - 1), value)]));
                }
                nest
            }
            7 => {
                // A running position.
                let position = Expression::Scalar(POSITION);
                let (start, step) = if self.chance(50) { (from - 1, true) } else { (from, false) };
                let advance = Statement::SetInteger(POSITION, position.clone().plus(1));
                let set = store(position, value);
                let body = if step { vec![advance, set] } else { vec![set, advance] };
                vec![Statement::SetInteger(POSITION, Expression::Literal(start)), counted(i, one, upper, 1, body)]
            }
            8 => vec![counted(i, upper, one, -1, vec![store(variable.plus(from - 1), value)])],
            9 => {
                // Every other element, then the rest.
                let other = self.fitting_value(array, &variable);
                let set = store(variable.clone().plus(from - 1), value);
                let set_other = store(variable.plus(from - 1), other);
                vec![
                    counted(i, Expression::Literal(1), upper.clone(), 2, vec![set]),
                    counted(i, Expression::Literal(2), upper, 2, vec![set_other]),
                ]
            }
            10 => {
                // A condition.
                let other = self.fitting_value(array, &variable);
                let condition = Condition {
                    left: variable.clone().modulo(3),
                    relation: self.pick(&[Relation::Equal, Relation::Different]),
                    right: Expression::Literal(0),
                };
                let then = vec![store(variable.clone().plus(from - 1), value)];
                let otherwise = if self.chance(60) { vec![store(variable.plus(from - 1), other)] } else { Vec::new() };
                vec![counted(i, one, upper, 1, vec![Statement::If { condition, then, otherwise }])]
            }
            11 => {
                let value = if self.program.arrays[array].element == Element::Integer {
                    Value::Integer(Expression::Rank.plus(3))
                } else {
                    Value::binary(Value::Scalar(FACTOR), Operator::Add, Value::Integer(Expression::Rank))
                };
                vec![Statement::Fill(array, Expression::Literal(from), upper.plus(from - 1), value)]
            }
            12 => {
                // Something carried from iteration to iteration.
                let mut body = vec![store(variable.clone().plus(from - 1), value)];
                if self.program.arrays[array].element == Element::Integer || self.chance(50) {
                    let next = Expression::binary(Expression::Scalar(OTHER), Operator::Add, variable).modulo(7);
                    body.push(Statement::SetInteger(OTHER, next));
                } else {
                    let own = Value::Element(array, vec![variable.plus(from - 1)]);
                    let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
                    body.push(Statement::SetReal(WORK, Value::binary(half, Operator::Add, own)));
                }
                vec![counted(i, one, upper, 1, body)]
            }
            13 => {
                // More than the message, or all of it and a correction.
                let set = store(variable.clone().plus(from - 1), value);
                let corrected = self.random.usize(1..=count);
                let again = self.fitting_value(array, &literal(corrected));
                vec![
                    counted(i, one, upper, 1, vec![set]),
                    store(Expression::Literal(corrected as i64).plus(from - 1), again),
                ]
            }
            14 => self.filling_by_call(array, offset, count),
            15 | 16 => {
                // An element that each iteration sets again, or two neighbours of which the next one sets one again.
                let other = self.fitting_value(array, &variable);
                let (again, last) = match self.chance(60) {
                    true => (Expression::Literal(from + self.random.i64(0..count as i64)), upper),
                    false => (variable.clone().plus(from), literal(count / 2)),
                };
                let mut body = vec![store(variable.plus(from - 1), value), store(again, other)];
                if self.chance(30) {
                    body.reverse();
                }
                vec![counted(i, one, last, 1, body)]
            }
            17 | 18 => {
                // It ends early, or leaves something out: what lies there stays what it was.
                let store = store(variable.clone().plus(from - 1), value);
                let number = self.random.usize(1..=count) as i64;
                let is_there = |left, right| Condition { left, relation: Relation::Equal, right };
                let body = match self.random.usize(0..3) {
                    0 => vec![store, Statement::Exit(is_there(variable, Expression::Literal(number)))],
                    1 => vec![Statement::Exit(is_there(variable, Expression::Literal(number))), store],
                    _ => vec![Statement::Cycle(is_there(variable.modulo(number + 1), literal(1))), store],
                };
                vec![counted(i, one, upper, 1, body)]
            }
            _ => {
                // The loop does something else as well.
                let mut body = vec![store(variable.clone().plus(from - 1), value)];
                body.extend(self.noise(1, Some(&variable)));
                if self.chance(30) {
                    body.reverse();
                }
                vec![counted(i, one, upper, 1, body)]
            }
        }
    }

    /// Copies what lies in another array: mostly in one piece, in its order.
    fn filling_by_copy(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [i, _] = self.variables_of_copy();
        let element = self.program.arrays[array].element;
        let source = match self.packed_from.get(&array) {
            Some(&field) => field,
            None => self.array_to_copy(element, count),
        };
        if self.program.arrays[source].is_matrix() {
            return vec![self.copy_of_columns(source, array, offset, count)];
        }
        let (from, other) = (self.program.arrays[array].first, self.program.arrays[source].clone());
        let shift = self.random.usize(0..=other.length - count) as i64;
        let variable = Expression::Scalar(i);
        let target = variable.clone().plus(offset as i64 + from - 1);
        let place = match self.random.usize(0..10) {
            // The other way round.
            0 => Expression::binary(literal(count), Operator::Subtract, variable).plus(shift + other.first),
            _ => variable.plus(shift + other.first - 1),
        };
        let copy = Statement::Store(array, vec![target], Value::Element(source, vec![place]));
        let upper = self.counted_of(array, count);
        vec![Statement::Loop { variable: i, lower: Expression::Literal(1), upper, step: 1, body: vec![copy] }]
    }

    /// A vector with so many elements or more that may be copied.
    fn array_to_copy(&mut self, element: Element, count: usize) -> ArrayId {
        let fits = |&id: &ArrayId| {
            let other = &self.program.arrays[id];
            self.is_seen(id) && !other.is_matrix() && other.element == element && other.length >= count
        };
        let candidates: Vec<ArrayId> = (1..self.program.arrays.len()).filter(fits).collect();
        if !candidates.is_empty() {
            return self.pick(&candidates);
        }
        let added = self.array(element, count);
        self.program.arrays[added].rows = self.program.arrays[added].length;
        added
    }

    /// Copies columns of a matrix that have so many elements together.
    fn copy_of_columns(&mut self, matrix: ArrayId, array: ArrayId, offset: usize, count: usize) -> Statement {
        let [j, k] = self.variables_of_copy();
        let Array { rows, length, first, .. } = self.program.arrays[matrix];
        let columns = count / rows;
        let left = self.random.usize(0..=length / rows - columns) as i64;
        let (row, column) = (Expression::Scalar(j), Expression::Scalar(k));
        let before = Expression::binary(column.clone().plus(-1), Operator::Multiply, literal(rows));
        let position = Expression::binary(before, Operator::Add, row.clone());
        let target = position.plus(offset as i64 + self.program.arrays[array].first - 1);
        let element = Value::Element(matrix, vec![row.plus(first - 1), column.plus(left)]);
        let copy = Statement::Store(array, vec![target], element);
        let (along_rows, along_columns) =
            (|body| counted(j, 1, rows as i64, body), |body| counted(k, 1, columns as i64, body));
        match self.chance(85) {
            true => along_columns(vec![along_rows(vec![copy])]),
            false => along_rows(vec![along_columns(vec![copy])]),
        }
    }

    pub(super) fn filling_matrix(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [_, j, k] = LOOP_VARIABLES;
        let Array { rows, first, .. } = self.program.arrays[array];
        let columns = count.div_ceil(rows);
        let before = Expression::binary(Expression::Scalar(k), Operator::Multiply, literal(rows));
        let position = Expression::binary(before, Operator::Add, Expression::Scalar(j));
        let value = self.fitting_value(array, &position);
        let column = offset / rows;
        let (first_column, last_column) = (column + 1, column + columns);
        let store = Statement::Store(array, vec![Expression::Scalar(j), Expression::Scalar(k)], value);
        let along_rows = |body| Statement::Loop {
            variable: j,
            lower: Expression::Literal(first),
            upper: Expression::Literal(first + rows as i64 - 1),
            step: 1,
            body,
        };
        let along_columns = |body| Statement::Loop {
            variable: k,
            lower: literal(first_column),
            upper: literal(last_column),
            step: 1,
            body,
        };
        if self.chance(75) {
            vec![along_columns(vec![along_rows(vec![store])])]
        } else {
            vec![along_rows(vec![along_columns(vec![store])])]
        }
    }

    /// A procedure fills the memory.
    pub(super) fn filling_by_call(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let procedure = self.program.procedures.len();
        let found = self.program.arrays[array].clone();
        let kind = self.procedure_kind();
        let dummy = self.program.arrays.len();
        self.program.arrays.push(Array {
            element: found.element,
            home: Home::Argument(procedure, 0),
            length: count,
            rows: count,
            first: 1,
        });
        let scalars = self.program.scalars.len();
        let (variable, extent) = (scalars, scalars + 1);
        self.program.scalars.push(Scalar { is_integer: true, home: Home::Procedure(procedure) });
        self.program.scalars.push(Scalar { is_integer: true, home: Home::Argument(procedure, 0) });
        let position = Expression::Scalar(variable);
        let factor = Expression::Literal(self.random.i64(1..7));
        let product = Expression::binary(position.clone(), Operator::Multiply, factor).modulo(11);
        let body = vec![Statement::Loop {
            variable,
            lower: Expression::Literal(1),
            upper: Expression::Scalar(extent),
            step: 1,
            body: vec![Statement::Store(dummy, vec![position], Value::Integer(product))],
        }];
        self.program.procedures.push(Procedure { kind, body });
        let index = self.at(array, literal(offset), offset);
        let actual = if offset == 0 && self.chance(50) { Vec::new() } else { index };
        vec![Statement::Call(procedure, Arguments::of(vec![(array, actual)], vec![self.counted(count)]))]
    }

    /// Takes elements of an array into another one, which nothing else sets.
    pub(super) fn unpacking(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        if count == 0 {
            return Vec::new();
        }
        let (element, home) = (Element::Double, Home::Main);
        self.program.arrays.push(Array { element, home, length: count, rows: count, first: 1 });
        let target = self.program.arrays.len() - 1;
        if self.program.arrays[array].is_matrix() || self.chance(15) {
            let taken = [0, count - 1].map(|position| {
                let element = Value::Element(array, self.at(array, literal(offset + position), offset + position));
                Statement::Store(target, vec![literal(position + 1)], element)
            });
            return taken.to_vec();
        }
        let [i, ..] = LOOP_VARIABLES;
        let variable = Expression::Scalar(i);
        let from = offset as i64 + self.program.arrays[array].first - 1;
        let element = Value::Element(array, vec![variable.clone().plus(from)]);
        let taken = Value::binary(element, Operator::Multiply, Value::Eighths(self.random.i32(1..9)));
        vec![counted(i, 1, count as i64, vec![Statement::Store(target, vec![variable], taken)])]
    }

    /// Statements that look at elements of an array.
    pub(super) fn using(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [i, ..] = LOOP_VARIABLES;
        if self.program.arrays[array].is_matrix() {
            let half = Value::Eighths(4);
            return vec![self.whole_use(array, &|_, element| {
                let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, half.clone());
                Statement::SetReal(WORK, Value::binary(half, Operator::Add, element))
            })];
        }
        let from = offset as i64 + self.program.arrays[array].first;
        let variable = Expression::Scalar(i);
        let element = Value::Element(array, vec![variable.clone().plus(from - 1)]);
        let quarter = Value::binary(element, Operator::Multiply, Value::Eighths(2));
        let targets: Vec<ArrayId> = (1..self.program.arrays.len())
            .filter(|&id| {
                let other = &self.program.arrays[id];
                !other.is_matrix() && other.element != Element::Integer && other.length >= count && self.is_seen(id)
            })
            .collect();
        let body = if targets.is_empty() || self.chance(30) {
            let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
            Statement::SetReal(WORK, Value::binary(half, Operator::Add, quarter))
        } else {
            let target = self.pick(&targets);
            let index = vec![variable.plus(self.program.arrays[target].first - 1)];
            let old = Value::binary(Value::Element(target, index.clone()), Operator::Multiply, Value::Eighths(4));
            Statement::Store(target, index, Value::binary(old, Operator::Add, quarter))
        };
        let upper = self.counted(count);
        vec![Statement::Loop { variable: i, lower: Expression::Literal(1), upper, step: 1, body: vec![body] }]
    }
}
