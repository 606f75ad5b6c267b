//! Work on rows of fields: of some that messages are made of, and of others that lie between them.

use super::strided::Field;
use super::*;

impl Generator {
    /// Up to so many nests over rows of a field.
    pub(super) fn rows_at_work(&mut self, field: Field, most: usize) -> Vec<Statement> {
        let wanted = self.random.usize(0..=most);
        (0..wanted).map(|_| self.row_work(field)).collect()
    }

    /// A nest that reads some rows of a field, which are counted from one that a variable says.
    pub(super) fn rows_from(&mut self, field: Field, variable: ScalarId, row: usize) -> Option<Statement> {
        let Field { array, pitch, columns, .. } = field;
        let [inner, outer, _] = LOOP_VARIABLES;
        let first = self.program.arrays[array].first;
        if !self.program.arrays[array].is_matrix() {
            return None;
        }
        // Those behind it or those before it, or whichever.
        let (low, high) = match self.random.usize(0..3) {
            0 if row + 1 < pitch => (row + 1, pitch - 1),
            1 if row > 0 => (0, row - 1),
            _ => (self.random.usize(0..=row), self.random.usize(row..pitch)),
        };
        let from_row = |to: usize| Expression::Scalar(variable).plus(to as i64 - row as i64 + first);
        let read = self.read_into_work(array, vec![Expression::Scalar(inner), Expression::Scalar(outer)]);
        let (lower, upper) = (from_row(low), from_row(high));
        let body = vec![Statement::Loop { variable: inner, lower, upper, step: 1, body: vec![read] }];
        Some(counted(outer, 1, columns as i64, body))
    }

    /// A nest that reads what lies before an element of a field.
    pub(super) fn elements_before(&mut self, field: Field, end: usize) -> Option<Statement> {
        let Field { array, pitch, .. } = field;
        let [inner, outer, _] = LOOP_VARIABLES;
        let first = self.program.arrays[array].first;
        if self.program.arrays[array].is_matrix() {
            // Whole columns.
            let columns = end / pitch;
            let read = self.read_into_work(array, vec![Expression::Scalar(inner), Expression::Scalar(outer)]);
            let body = vec![counted(inner, first, first + pitch as i64 - 1, vec![read])];
            return (columns > 0).then(|| counted(outer, 1, columns as i64, body));
        }
        let read = self.read_into_work(array, vec![Expression::Scalar(inner)]);
        (end > 0).then(|| counted(inner, first, first + end as i64 - 1, vec![read]))
    }

    fn read_into_work(&self, array: ArrayId, index: Index) -> Statement {
        let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
        Statement::SetReal(WORK, Value::binary(half, Operator::Add, Value::Element(array, index)))
    }

    /// A nest over some rows and columns of a field.
    pub(super) fn row_work(&mut self, field: Field) -> Statement {
        let Field { array, pitch, columns, .. } = field;
        let low = self.random.usize(0..pitch);
        let high = if self.chance(50) { low } else { self.random.usize(low..pitch) };
        let (left, right) = match self.chance(70) {
            true => (0, columns - 1),
            false => {
                let left = self.random.usize(0..columns);
                (left, self.random.usize(left..columns))
            }
        };
        let [inner, outer, _] = LOOP_VARIABLES;
        let first = self.program.arrays[array].first;
        if !self.program.arrays[array].is_matrix() {
            // One row: every so-manieth element.
            let variable = Expression::Scalar(inner);
            let at = |column: usize| Expression::Literal(first + (low + column * pitch) as i64);
            let body = vec![self.row_step(field, vec![variable.clone()], &variable)];
            return Statement::Loop { variable: inner, lower: at(left), upper: at(right), step: pitch as i64, body };
        }
        let (row, column) = (Expression::Scalar(inner), Expression::Scalar(outer));
        let position = Expression::binary(
            Expression::binary(column.clone(), Operator::Multiply, Expression::Literal(3)),
            Operator::Add,
            row.clone(),
        );
        let step = self.row_step(field, vec![row, column], &position);
        let (low, high) = (first + low as i64, first + high as i64);
        let (left, right) = (1 + left as i64, 1 + right as i64);
        match self.chance(70) {
            true => counted(outer, left, right, vec![counted(inner, low, high, vec![step])]),
            false => counted(inner, low, high, vec![counted(outer, left, right, vec![step])]),
        }
    }

    /// What is done with an element.
    fn row_step(&mut self, field: Field, index: Index, position: &Expression) -> Statement {
        let Field { array, element, .. } = field;
        let modulus = self.random.i64(5..30);
        if self.chance(55) {
            return self.read_into_work(array, index);
        }
        let number = Expression::binary(position.clone(), Operator::Add, Expression::Rank);
        let is_new = self.chance(40);
        if element == Element::Integer {
            let old = Expression::binary(Expression::Element(array, index.clone()), Operator::Multiply, literal(3));
            let sum = if is_new { number } else { Expression::binary(old, Operator::Add, number) };
            return Statement::Store(array, index, Value::Integer(sum.modulo(modulus)));
        }
        let added = Value::Integer(number.modulo(modulus));
        let old = Value::binary(Value::Element(array, index.clone()), Operator::Multiply, Value::Eighths(4));
        Statement::Store(array, index, if is_new { added } else { Value::binary(old, Operator::Add, added) })
    }
}
