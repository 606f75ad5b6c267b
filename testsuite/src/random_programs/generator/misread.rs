//! Datatypes that are easily misread. The loop behind the wait reads elements that have just come. They lie elsewhere for whoever
//! takes it that variables still have the values of which the datatype was made, or that no element lies before the buffer.

use super::strided::{Field, Side};
use super::*;

/// What is received, and the loop that reads it.
struct Received {
    side: Side,
    elements: usize,
    read: Statement,
}

/// What is read: one after the other in this range, of what the variable says and these numbers behind it.
#[derive(Clone, Copy)]
struct Around {
    variable: ScalarId,
    from: i64,
    to: i64,
}

/// Calls for a message and its counterpart.
struct Exchanged {
    posts: Vec<Statement>,
    waits: Vec<Statement>,
    /// Waits that have time.
    late: Vec<Statement>,
}

impl Generator {
    /// Ranks exchange a message of a datatype that is easily misread.
    pub(super) fn misread(&mut self) -> Vec<Statement> {
        let element = self.element();
        let received = match self.random.usize(0..8) {
            0..4 => self.part_that_passes(element),
            4 | 5 => self.run_that_passes(element),
            _ => self.backwards(element),
        };
        let sent = self.side_of_neighbours(element, received.elements);
        let pattern = Pattern::choose_of_all(&mut self.random);
        let (to, from) = pattern.peers(NEXT, PREVIOUS);
        let tag = self.tag();
        let Exchanged { posts, waits, late } =
            self.exchange_of(sent.message(to, &tag), received.side.message(from, &tag));
        let make: Vec<Statement> = sent.make.into_iter().chain(received.side.make).collect();
        let free: Vec<Statement> = sent.free.into_iter().chain(received.side.free).collect();
        let pass = self.out_of_the_way(received.side.pass);
        let read = vec![received.read];
        let (mut before, mut body) = (Vec::new(), Vec::new());
        let mut is_repeated = self.chance(40);
        match self.random.usize(0..5) {
            0 | 1 => {
                before.extend([make, pass].concat());
                body.extend([posts, waits, read, late].concat());
            }
            2 => {
                before.extend(make);
                body.extend([posts, waits, read, late, pass].concat());
                is_repeated = true;
            }
            3 => body.extend([make, pass, posts, waits, read, late, free.clone()].concat()),
            _ => {
                before.extend(make);
                body.extend([posts, pass, waits, read, late].concat());
            }
        }
        if is_repeated {
            body = vec![counted(TIME, 1, self.random.i64(2..4), body)];
        }
        if self.chance(20) {
            self.program.procedures.push(Procedure { kind: ProcedureKind::Internal, body });
            body = vec![Statement::Call(self.program.procedures.len() - 1, Arguments::default())];
        }
        before.extend(body);
        before
    }

    /// What gives a variable another value: now and then under a condition, or in a procedure.
    fn out_of_the_way(&mut self, pass: Vec<Statement>) -> Vec<Statement> {
        if pass.is_empty() {
            return pass;
        }
        match self.random.usize(0..10) {
            0 | 1 => {
                let condition = Condition {
                    left: self.pick(&[Expression::Rank, Expression::Scalar(OTHER), Expression::Ranks]),
                    relation: self.pick(&[Relation::NotLess, Relation::Different]),
                    right: Expression::Literal(self.random.i64(0..2)),
                };
                vec![Statement::If { condition, then: pass, otherwise: Vec::new() }]
            }
            2 => {
                self.program.procedures.push(Procedure { kind: ProcedureKind::Internal, body: pass });
                vec![Statement::Call(self.program.procedures.len() - 1, Arguments::default())]
            }
            _ => pass,
        }
    }

    fn exchange_of(&mut self, sent: Message, received: Message) -> Exchanged {
        let communicate = Statement::Communicate;
        let mode = self.send_mode();
        let mut late = Vec::new();
        let (posts, waits) = match self.random.usize(0..7) {
            0 => (vec![communicate(Communication::SendReceive { sent, received })], Vec::new()),
            1 => {
                let place = RequestPlace { variable: self.request(None), element: None };
                let send = Communication::Send { message: sent, request: Some(place.clone()), mode };
                late.push(communicate(Communication::Wait(place)));
                let receive = Communication::Receive { message: received, request: None };
                (vec![communicate(send)], vec![communicate(receive)])
            }
            2..4 => {
                let place = RequestPlace { variable: self.request(None), element: None };
                let receive = Communication::Receive { message: received, request: Some(place.clone()) };
                let send = Communication::Send { message: sent, request: None, mode };
                ([receive, send].map(communicate).to_vec(), vec![communicate(Communication::Wait(place))])
            }
            _ => {
                let variable = self.request(Some(2));
                let place = |element| RequestPlace { variable, element: Some(Expression::Literal(element)) };
                let receive = Communication::Receive { message: received, request: Some(place(1)) };
                let send = Communication::Send { message: sent, request: Some(place(2)), mode };
                let mut posts = [receive, send].map(communicate).to_vec();
                if self.chance(30) {
                    posts.reverse();
                }
                let waits = match self.random.usize(0..3) {
                    0 => {
                        late.push(communicate(Communication::Wait(place(2))));
                        vec![communicate(Communication::Wait(place(1)))]
                    }
                    1 => [place(2), place(1)].map(|place| communicate(Communication::Wait(place))).to_vec(),
                    _ => {
                        let (first, count) = (Expression::Literal(1), Expression::Literal(2));
                        vec![communicate(Communication::WaitAll(variable, first, count))]
                    }
                };
                (posts, waits)
            }
        };
        Exchanged { posts, waits, late }
    }

    /// A variable that says something of a datatype: with what gives it the value that it has then, and the one that it has later.
    fn passing(&mut self, then: usize, later: usize) -> (ScalarId, Statement, Statement) {
        let home = self.pick(&[Home::Main, Home::Main, Home::Main, Home::Main, Home::Module]);
        let variable = self.integer(home);
        let set = |value| Statement::SetInteger(variable, literal(value));
        (variable, set(then), set(later))
    }

    /// Where a number has passed to, from another one: both so many at most. And the neighbours of what begins there, in so many
    /// units, that reach to the other one.
    fn beside(&mut self, variable: ScalarId, (then, later): (usize, usize), length: usize) -> Around {
        let [then, later, length] = [then, later, length].map(|number| number as i64);
        let slack = |generator: &mut Self, most: i64| generator.random.i64(0..=most.max(0));
        match then > later {
            true => Around { variable, from: length, to: then - later + length - 1 },
            false => Around { variable, from: then - later - slack(self, then), to: -1 },
        }
    }

    /// A part of a matrix: where it begins, or how wide it is, stands in a variable that has another value later.
    fn part_that_passes(&mut self, element: Element) -> Received {
        let (pitch, columns) = (self.random.usize(5..13), self.random.usize(6..24));
        let field = self.field_of(element, (pitch, columns), false);
        let (height, width) = (self.random.usize(1..3), self.random.usize(2..=columns - 2));
        let (row, column) = (self.random.usize(0..=pitch - height), self.random.usize(0..=columns - width));
        let other = |generator: &mut Self, value: usize, most: usize| {
            let other = generator.random.usize(0..most);
            if other < value { other } else { other + 1 }
        };
        let mut parts = [literal(height), literal(width)];
        let mut starts = [literal(row), literal(column)];
        let all_rows = (Expression::Literal(0), literal(pitch - 1));
        let all_columns = (literal(column), literal(column + width - 1));
        let which = self.random.usize(0..4);
        let (then, later) = match which {
            0 | 1 => (row, other(self, row, pitch - height)),
            2 => (column, other(self, column, columns - width)),
            _ => (width, self.random.usize(1..width)),
        };
        let (variable, set, pass) = self.passing(then, later);
        let range = |around: Around| {
            let from = |number: i64| Expression::Scalar(around.variable).plus(number);
            (from(around.from), from(around.to))
        };
        let (rows, read_columns) = match which {
            0 | 1 => {
                starts[0] = Expression::Scalar(variable);
                (range(self.beside(variable, (then, later), height)), all_columns)
            }
            2 => {
                starts[1] = Expression::Scalar(variable);
                (all_rows, range(self.beside(variable, (then, later), width)))
            }
            _ => {
                parts[1] = Expression::Scalar(variable);
                let from = column as i64;
                let around = Around { variable, from, to: from + (then - later) as i64 - 1 };
                (all_rows, range(around))
            }
        };
        let layout = Layout::Subarray { sizes: [literal(pitch), literal(columns)], parts, starts };
        let index = if self.chance(50) { Index::new() } else { self.in_field(field, 0) };
        let mut side = self.side_of((field.array, index), 1, vec![(layout, MadeOf::Elements(element))]);
        side.make.insert(0, set);
        side.pass.push(pass);
        let first = self.program.arrays[field.array].first;
        let from_first = |(lower, upper): (Expression, Expression), first: i64| (lower.plus(first), upper.plus(first));
        let read = self.read_of_matrix(field.array, from_first(rows, first), from_first(read_columns, 1));
        Received { side, elements: height * width, read }
    }

    /// Elements of a vector, neighbours or in one distance: how many stands in a variable that has a smaller value later.
    fn run_that_passes(&mut self, element: Element) -> Received {
        let blocks = self.random.usize(4..40);
        let stride = self.random.usize(1..5);
        let length = if stride > 1 { self.random.usize(1..stride) } else { 1 };
        let field = self.field_of(element, (stride, blocks + 1), true);
        let begin = self.random.usize(0..=stride);
        let later = self.random.usize(1..blocks);
        let (variable, set, pass) = self.passing(blocks, later);
        let blocks_of = MadeOf::Elements(element);
        let layout = match stride {
            1 => Layout::Contiguous(Expression::Scalar(variable)),
            _ => Layout::Vector {
                blocks: Expression::Scalar(variable),
                length: literal(length),
                stride: literal(stride),
            },
        };
        let place = (field.array, self.in_field(field, begin));
        let mut side = self.side_of(place, 1, vec![(layout, blocks_of)]);
        side.make.insert(0, set);
        side.pass.push(pass);
        let first = self.program.arrays[field.array].first + begin as i64;
        let behind = match stride {
            1 => Expression::Scalar(variable),
            _ => Expression::binary(Expression::Scalar(variable), Operator::Multiply, literal(stride)),
        };
        let left = ((blocks - 1 - later) * stride + length) as i64;
        let (lower, upper) = (behind.clone().plus(first), behind.plus(first + left - 1));
        let read = self.read_of_vector(field.array, lower, upper);
        Received { side, elements: blocks * length, read }
    }

    /// Blocks that lie before the one that is named. Of several such datatypes the next one's first block lies behind that of the
    /// one before, as the extent is not negative even though the stride is.
    fn backwards(&mut self, element: Element) -> Received {
        let copies = if self.chance(75) { self.random.usize(2..12) } else { 1 };
        let blocks = if copies > 1 { self.random.usize(2..5) } else { self.random.usize(3..30) };
        let pitch = self.random.usize(1..6);
        let width = self.random.usize(1..=pitch.min(2));
        let before = (blocks - 1) * pitch;
        let length = copies * (before + width) + self.random.usize(0..4);
        let field = self.field_of(element, (length, 1), true);
        let distance = -(pitch as i64);
        let mut set = Vec::new();
        let stride = if self.chance(75) {
            Expression::Literal(distance)
        } else {
            let home = self.pick(&[Home::Main, Home::Main, Home::Module]);
            let variable = self.integer(home);
            set.push(Statement::SetInteger(variable, Expression::Literal(distance)));
            Expression::Scalar(variable)
        };
        let (count, block) = (literal(blocks), literal(width));
        let layout = match self.chance(25) {
            true => Layout::VectorOfBytes { blocks: count, length: block, stride, element },
            false => Layout::Vector { blocks: count, length: block, stride },
        };
        let mut layouts = vec![(layout, MadeOf::Elements(element))];
        let mut count = copies;
        if copies > 1 && self.chance(40) {
            layouts.push((Layout::Contiguous(literal(copies)), MadeOf::Elements(element)));
            count = 1;
        }
        let mut side = self.side_of((field.array, self.in_field(field, before)), count, layouts);
        side.make.splice(0..0, set);
        let first = self.program.arrays[field.array].first;
        let (from, to) = match copies {
            1 => (self.random.usize(0..blocks - 1) * pitch, before),
            _ => (before + width, length),
        };
        let (lower, upper) = (literal(from).plus(first), literal(to).plus(first - 1));
        let read = self.read_of_vector(field.array, lower, upper);
        Received { side, elements: copies * blocks * width, read }
    }

    /// A new field, as a vector or as a matrix.
    fn field_of(&mut self, element: Element, (pitch, columns): (usize, usize), is_vector: bool) -> Field {
        let homes = [Home::Main, Home::Main, Home::Main, Home::Saved, Home::Module];
        let (home, first) = (self.pick(&homes), self.random.i64(0..2));
        let length = pitch * columns;
        let rows = if is_vector { length } else { pitch };
        self.program.arrays.push(Array { element, home, length, rows, first });
        let field = Field { array: self.program.arrays.len() - 1, element, pitch, columns };
        self.fields.push(field);
        field
    }

    fn read_of_vector(&mut self, array: ArrayId, lower: Expression, upper: Expression) -> Statement {
        let [inner, ..] = LOOP_VARIABLES;
        let position = Expression::Scalar(inner);
        let read = self.added_up(Value::Element(array, vec![position.clone()]), &position);
        Statement::Loop { variable: inner, lower, upper, step: 1, body: vec![read] }
    }

    fn read_of_matrix(
        &mut self,
        array: ArrayId,
        (low, high): (Expression, Expression),
        (left, right): (Expression, Expression),
    ) -> Statement {
        let [inner, outer, _] = LOOP_VARIABLES;
        let (row, column) = (Expression::Scalar(inner), Expression::Scalar(outer));
        let position = Expression::binary(
            Expression::binary(column.clone(), Operator::Multiply, Expression::Literal(3)),
            Operator::Add,
            row.clone(),
        );
        let read = self.added_up(Value::Element(array, vec![row, column]), &position);
        let body = vec![Statement::Loop { variable: inner, lower: low, upper: high, step: 1, body: vec![read] }];
        Statement::Loop { variable: outer, lower: left, upper: right, step: 1, body }
    }

    /// Adds a value, by its position, to one of some sums that nothing else sets.
    pub(super) fn added_up(&mut self, value: Value, position: &Expression) -> Statement {
        const SUMS: usize = 4;
        let (element, home) = (Element::Double, Home::Main);
        self.program.arrays.push(Array { element, home, length: SUMS, rows: SUMS, first: 1 });
        let sums = self.program.arrays.len() - 1;
        let index = vec![position.clone().modulo(SUMS as i64).plus(1)];
        let weight = Value::Integer(position.clone().modulo(13).plus(1));
        let product = Value::binary(value, Operator::Multiply, weight);
        Statement::Store(sums, index.clone(), Value::binary(Value::Element(sums, index), Operator::Add, product))
    }
}
