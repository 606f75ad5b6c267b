//! Phases whose messages are copied out of a field into buffers that serve nothing else: a program could send them from where
//! they lie, as long as nobody changes the field before they have left.

use super::phase::Exchange;
use super::*;

impl Generator {
    /// Ranks exchange copies of parts of a field, which changes now and then.
    pub(super) fn packing(&mut self) -> Vec<Statement> {
        let field = self.packed_field();
        let messages = self.pick(&[1, 1, 2]);
        let exchanges: Vec<Exchange> = (0..messages).map(|_| self.exchange_of_copies(field)).collect();
        let pattern = Pattern::choose(&mut self.random);
        let form = Form::choose(&mut self.random);
        let mut body = self.in_form(pattern, form, &exchanges);
        let changes = self.pick(&[0, 1, 1, 2]);
        for _ in 0..changes {
            let at = if self.chance(60) { body.len() } else { self.random.usize(0..=body.len()) };
            let change = self.change_of(field);
            body.splice(at..at, change);
        }
        if self.chance(50) {
            body = vec![counted(TIME, 1, self.random.i64(2..4), body)];
        }
        body
    }

    /// The variables with which a copy counts: those of all loops, or some of its own, at which nothing else looks.
    pub(super) fn variables_of_copy(&mut self) -> [ScalarId; 2] {
        let [i, j, _] = LOOP_VARIABLES;
        if self.chance(25) { [i, j] } else { [(); 2].map(|()| self.integer(Home::Main)) }
    }

    /// How many elements a message has, or is copied out of: of a buffer that serves a field, mostly by the same words.
    pub(super) fn counted_of(&mut self, array: ArrayId, count: usize) -> Expression {
        match self.packed_from.contains_key(&array) && self.chance(80) {
            true => literal(count),
            false => self.counted(count),
        }
    }

    /// A vector, or a matrix of which whole columns are sent.
    fn packed_field(&mut self) -> ArrayId {
        if self.chance(35) {
            let (rows, columns) = (self.random.usize(3..20), self.random.usize(3..9));
            return self.matrix(rows, columns);
        }
        let element = self.element();
        let field = self.array(element, self.extent + 4);
        self.program.arrays[field].rows = self.program.arrays[field].length;
        field
    }

    fn exchange_of_copies(&mut self, field: ArrayId) -> Exchange {
        let Array { element, rows, length, .. } = self.program.arrays[field];
        let is_matrix = self.program.arrays[field].is_matrix();
        let count = if is_matrix { rows * self.random.usize(1..3) } else { self.extent };
        let sent = self.array_of_copies(element, count);
        self.packed_from.insert(sent, field);
        // What comes may lie where the next message is copied from, or this one was.
        let is_kept = self.chance(30);
        let received = if is_kept { field } else { self.array(element, count + 4) };
        let received_offset = match is_kept {
            true if is_matrix => rows * self.random.usize(0..=(length - count) / rows),
            true => self.random.usize(0..=length - count),
            false => 0,
        };
        let tag = self.tag();
        Exchange { sent, received, sent_offset: 0, received_offset, count, room: count, tag }
    }

    /// Statements that give all of a field, or one element, another value.
    fn change_of(&mut self, field: ArrayId) -> Vec<Statement> {
        if self.chance(70) {
            let old = |element| Value::binary(element, Operator::Multiply, Value::Eighths(4));
            let is_integer = self.program.arrays[field].element == Element::Integer;
            let added = self.random.i64(1..9);
            return vec![self.whole(field, &|position, index| {
                let added = Value::Integer(position.modulo(added + 2).plus(added));
                let element = Value::Element(field, index.clone());
                let value = if is_integer { added } else { Value::binary(old(element), Operator::Add, added) };
                Statement::Store(field, index, value)
            })];
        }
        let position = self.random.usize(0..self.program.arrays[field].length);
        let index = self.at(field, literal(position), position);
        vec![Statement::Store(field, index, Value::Integer(Expression::Rank.plus(2)))]
    }
}
