//! Messages of datatypes that the program makes: rows of fields, and parts of vectors, with others between them that the
//! program goes on using.

use super::*;

/// An array that is seen as lines: element `row + column * pitch`, from 0, lies in this row and this column. Messages are made
/// of some rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) array: ArrayId,
    pub(super) element: Element,
    pub(super) pitch: usize,
    pub(super) columns: usize,
}

/// What one side of a message is made of.
pub(super) struct Side {
    array: ArrayId,
    index: Index,
    count: Expression,
    datatype: Option<DatatypeId>,
    /// What makes the datatype, and what comes before that.
    pub(super) make: Vec<Statement>,
    /// What changes, once it is made, what it was made from.
    pub(super) pass: Vec<Statement>,
    /// What ends it.
    pub(super) free: Vec<Statement>,
    /// A variable that says where it begins, and the row that it says once it has passed.
    start: Option<(ScalarId, usize)>,
    /// How many elements of the field lie before the buffer.
    begin: usize,
    /// Its elements lie before the buffer.
    is_backward: bool,
}

impl Side {
    /// The message, to or from this rank.
    pub(super) fn message(&self, peer: Expression, tag: &Expression) -> Message {
        Message {
            array: self.array,
            index: self.index.clone(),
            count: self.count.clone(),
            datatype: self.datatype,
            peer: Some(peer),
            tag: tag.clone(),
        }
    }
}

/// Blocks of elements in one distance.
#[derive(Clone, Copy)]
struct Blocks {
    /// Where the first one begins.
    begin: usize,
    blocks: usize,
    width: usize,
    stride: i64,
}

/// When datatypes are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Before everything else.
    Once,
    /// Before each exchange, and they end behind it.
    EachTime,
    /// Likewise, and they end as soon as the messages have been posted.
    UntilPosted,
}

impl Generator {
    /// Ranks exchange rows of fields.
    pub(super) fn strided(&mut self) -> Vec<Statement> {
        let element = self.element();
        let columns = if self.chance(60) { self.random.usize(6..24) } else { self.random.usize(130..200) };
        let sent = self.field(element, columns);
        let received = if self.chance(60) { sent } else { self.field(element, columns) };
        let blocks = if self.chance(50) { columns } else { self.random.usize(columns / 3..=columns) };
        let least = sent.pitch.min(received.pitch);
        let width = if least > 4 && self.chance(30) { 2 } else { 1 };
        let (top, bottom) = (0, received.pitch - width);
        let (row_sent, row_received) = if self.chance(50) { (width, bottom) } else { (sent.pitch - 2 * width, top) };
        let pattern = Pattern::choose_of_all(&mut self.random);
        let (to, from) = pattern.peers(NEXT, PREVIOUS);
        let tag = self.tag();
        let sender = self.side(sent, row_sent.min(sent.pitch - width), blocks, width);
        let receiver = self.side(received, row_received, blocks, width);
        let mut body = Vec::new();
        let moment = self.pick(&[Moment::Once, Moment::EachTime, Moment::UntilPosted]);
        let mut before = Vec::new();
        let made: Vec<Statement> = sender.make.iter().chain(&receiver.make).cloned().collect();
        let passes: Vec<Statement> = sender.pass.iter().chain(&receiver.pass).cloned().collect();
        let frees: Vec<Statement> = sender.free.iter().chain(&receiver.free).cloned().collect();
        if moment == Moment::Once { &mut before } else { &mut body }.extend(made);
        if self.chance(50) { &mut before } else { &mut body }.extend(passes.clone());
        let (sent_message, received_message) = (sender.message(to, &tag), receiver.message(from, &tag));
        body.extend(self.rows_at_work(sent, 1));
        body.extend(self.strided_exchange(sent_message, received_message, (sent, received), (moment, &frees)));
        if let Some((variable, row)) = receiver.start
            && self.chance(85)
        {
            body.extend(self.rows_from(received, variable, row));
        } else if self.chance(if receiver.is_backward { 90 } else { 30 }) {
            body.extend(self.elements_before(received, receiver.begin));
        }
        body.extend(self.rows_at_work(received, 2));
        if moment == Moment::EachTime {
            body.extend(frees.clone());
        }
        if self.chance(50) {
            let most = self.random.i64(2..4);
            if moment != Moment::Once && self.chance(40) {
                body.extend(passes);
            }
            body = vec![counted(TIME, 1, most, body)];
        }
        before.extend(body);
        if moment == Moment::Once && self.chance(60) {
            before.extend(frees);
        }
        before
    }

    /// The calls for one exchange, with work on other rows between them.
    fn strided_exchange(
        &mut self,
        sent: Message,
        received: Message,
        (from, into): (Field, Field),
        (moment, frees): (Moment, &[Statement]),
    ) -> Vec<Statement> {
        let communicate = Statement::Communicate;
        let mut posted = Vec::new();
        let mut waits = Vec::new();
        let mode = self.send_mode();
        match self.random.usize(0..11) {
            0 => posted.push(communicate(Communication::SendReceive { sent, received })),
            1 => {
                let Message { peer: source, tag: source_tag, .. } = received;
                posted.push(communicate(Communication::Replace { sent, source, source_tag }));
            }
            2..6 => {
                let place = RequestPlace { variable: self.request(None), element: None };
                let receive = Communication::Receive { message: received, request: Some(place.clone()) };
                posted.push(communicate(receive));
                posted.extend(self.rows_at_work(from, 1));
                posted.push(communicate(Communication::Send { message: sent, request: None, mode }));
                waits.push(communicate(Communication::Wait(place)));
            }
            6 => {
                let place = RequestPlace { variable: self.request(None), element: None };
                posted.push(communicate(Communication::Send { message: sent, request: Some(place.clone()), mode }));
                posted.extend(self.rows_at_work(from, 1));
                posted.push(communicate(Communication::Receive { message: received, request: None }));
                waits.push(communicate(Communication::Wait(place)));
            }
            _ => {
                let variable = self.request(Some(2));
                let place = |element| Some(RequestPlace { variable, element: Some(Expression::Literal(element)) });
                posted.push(communicate(Communication::Receive { message: received, request: place(1) }));
                posted.push(communicate(Communication::Send { message: sent, request: place(2), mode }));
                if self.chance(20) {
                    posted.reverse();
                }
                if self.chance(50) {
                    waits.extend(self.completions(variable, 2, Vec::new(), true));
                } else {
                    let (first, count) = (Expression::Literal(1), Expression::Literal(2));
                    waits.push(communicate(Communication::WaitAll(variable, first, count)));
                }
            }
        }
        if moment == Moment::UntilPosted {
            posted.extend(frees.iter().cloned());
        }
        posted.extend(self.rows_at_work(into, 1));
        posted.extend(waits);
        posted
    }

    /// An array for rows.
    pub(super) fn field(&mut self, element: Element, columns: usize) -> Field {
        let is_vector = self.chance(25);
        let pitch = if is_vector { self.random.usize(2..6) } else { self.random.usize(4..12) };
        let home = self.pick(&[Home::Main, Home::Main, Home::Saved, Home::Module, Home::Common]);
        let first = self.random.i64(0..2);
        let length = pitch * columns;
        let rows = if is_vector { length } else { pitch };
        self.program.arrays.push(Array { element, home, length, rows, first });
        let field = Field { array: self.program.arrays.len() - 1, element, pitch, columns };
        self.fields.push(field);
        field
    }

    /// Subscripts of an element of a field.
    pub(super) fn in_field(&self, field: Field, position: usize) -> Index {
        self.at(field.array, literal(position), position)
    }

    /// One side of a message: rows of a field, or as many elements that lie behind each other.
    fn side(&mut self, field: Field, row: usize, blocks: usize, width: usize) -> Side {
        let column = if blocks < field.columns { self.random.usize(0..=field.columns - blocks) } else { 0 };
        let begin = row + column * field.pitch;
        let stride = match self.random.usize(0..10) {
            // Diagonals.
            0 | 1 if blocks < field.columns && field.pitch > 2 => field.pitch as i64 + self.pick(&[-1, 1, 1]),
            _ => field.pitch as i64,
        };
        let length = field.pitch * field.columns;
        let fits = |stride: i64| begin as i64 + (blocks as i64 - 1) * stride + width as i64 <= length as i64;
        let mut lines = Blocks { begin, blocks, width, stride: if fits(stride) { stride } else { field.pitch as i64 } };
        if self.chance(18) {
            lines.begin += (blocks - 1) * field.pitch;
            lines.stride = -(field.pitch as i64);
        }
        let part = (row, column);
        let side = match self.random.usize(0..11) {
            0 => self.side_by_vector_of_bytes(field, lines),
            1 if blocks <= 12 => self.side_by_places(field, lines),
            2..=4 if lines.stride > 0 && self.program.arrays[field.array].is_matrix() => {
                self.side_by_subarray(field, part, lines)
            }
            5 | 6 if lines.stride > 0 => self.side_by_extent(field, lines),
            7 => self.side_of_neighbours(field.element, blocks * width),
            _ => self.side_by_vector(field, lines),
        };
        Side { begin: lines.begin, is_backward: lines.stride < 0, ..side }
    }

    /// A datatype that is made by these calls.
    pub(super) fn side_of(
        &mut self,
        (array, index): (ArrayId, Index),
        count: usize,
        layouts: Vec<(Layout, MadeOf)>,
    ) -> Side {
        let mut make = Vec::new();
        let mut free = Vec::new();
        let mut of: Option<DatatypeId> = None;
        for (layout, parts) in layouts {
            let variable = self.datatype();
            let parts = of.map_or(parts, MadeOf::Datatype);
            make.push(Statement::Communicate(Communication::Datatype(DatatypeCall::Make(
                variable,
                Box::new(layout),
                parts,
            ))));
            free.extend(of.map(|of| Statement::Communicate(Communication::Datatype(DatatypeCall::Free(of)))));
            of = Some(variable);
        }
        if self.chance(50) {
            // What it was made of need not live on.
            make.append(&mut free);
        }
        if let Some(variable) = of {
            make.push(Statement::Communicate(Communication::Datatype(DatatypeCall::Commit(variable))));
            free.push(Statement::Communicate(Communication::Datatype(DatatypeCall::Free(variable))));
        }
        Side {
            array,
            index,
            count: literal(count),
            datatype: of,
            make,
            pass: Vec::new(),
            free,
            start: None,
            begin: 0,
            is_backward: false,
        }
    }

    /// A variable for a datatype.
    pub(super) fn datatype(&mut self) -> DatatypeId {
        let home = self.pick(&[Home::Main, Home::Main, Home::Module]);
        self.program.datatypes.push(DatatypeVariable { home });
        self.program.datatypes.len() - 1
    }

    /// A distance, as a program would write it; what gives a variable this value; and what gives it another one.
    fn distance(&mut self, stride: i64) -> (Expression, Vec<Statement>, Vec<Statement>) {
        if self.chance(55) {
            return (Expression::Literal(stride), Vec::new(), Vec::new());
        }
        let homes = [Home::Main, Home::Main, Home::Main, Home::Main, Home::Main, Home::Module, Home::Common];
        let home = self.pick(&homes);
        let variable = self.integer(home);
        let set = |value| vec![Statement::SetInteger(variable, Expression::Literal(value))];
        let other = stride + self.pick(&[-1, 1, 1, 2]);
        let pass = if self.chance(60) { set(other) } else { Vec::new() };
        (Expression::Scalar(variable), set(stride), pass)
    }

    fn side_by_vector(&mut self, field: Field, lines: Blocks) -> Side {
        let (stride, set, pass) = self.distance(lines.stride);
        let vector = |stride| Layout::Vector { blocks: literal(lines.blocks), length: literal(lines.width), stride };
        let element = MadeOf::Elements(field.element);
        let place = (field.array, self.in_field(field, lines.begin));
        let mut side = self.side_of(place, 1, vec![(vector(stride), element)]);
        if self.chance(15)
            && let Some(variable) = side.datatype
        {
            // Some ranks, or some steps, make it in another way.
            let closer = if lines.stride.abs() > 2 { lines.stride - lines.stride.signum() } else { lines.stride };
            let other = DatatypeCall::Make(variable, Box::new(vector(Expression::Literal(closer))), element);
            let condition = Condition {
                left: self.pick(&[Expression::Rank, Expression::Scalar(OTHER), Expression::Scalar(COUNT)]),
                relation: self.pick(&[Relation::Equal, Relation::Different, Relation::Less]),
                right: Expression::Literal(1),
            };
            let commit = side.make.split_off(1);
            let otherwise = vec![Statement::Communicate(Communication::Datatype(other))];
            let then = std::mem::take(&mut side.make);
            side.make.push(Statement::If { condition, then, otherwise });
            side.make.extend(commit);
        }
        side.make.splice(0..0, set);
        Side { pass, ..side }
    }

    fn side_by_vector_of_bytes(&mut self, field: Field, lines: Blocks) -> Side {
        let (stride, set, pass) = self.distance(lines.stride);
        let (blocks, length) = (literal(lines.blocks), literal(lines.width));
        let layout = Layout::VectorOfBytes { blocks, length, stride, element: field.element };
        let place = (field.array, self.in_field(field, lines.begin));
        let mut side = self.side_of(place, 1, vec![(layout, MadeOf::Elements(field.element))]);
        side.make.splice(0..0, set);
        Side { pass, ..side }
    }

    fn side_by_places(&mut self, field: Field, lines: Blocks) -> Side {
        let (stride, set, pass) = self.distance(lines.stride);
        let places = (0..lines.blocks).map(|block| match block {
            0 => Expression::Literal(0),
            1 => stride.clone(),
            _ => Expression::binary(literal(block), Operator::Multiply, stride.clone()),
        });
        let layout = if self.chance(50) {
            Layout::IndexedBlocks(literal(lines.width), places.collect())
        } else {
            Layout::Indexed(places.map(|place| (literal(lines.width), place)).collect())
        };
        let place = (field.array, self.in_field(field, lines.begin));
        let mut side = self.side_of(place, 1, vec![(layout, MadeOf::Elements(field.element))]);
        side.make.splice(0..0, set);
        Side { pass, ..side }
    }

    fn side_by_subarray(&mut self, field: Field, (row, column): (usize, usize), lines: Blocks) -> Side {
        let start = self.chance(60).then(|| self.integer(Home::Main));
        let layout = Layout::Subarray {
            sizes: [literal(field.pitch), literal(field.columns)],
            parts: [literal(lines.width), literal(lines.blocks)],
            starts: [start.map_or(literal(row), Expression::Scalar), literal(column)],
        };
        let index = if self.chance(50) { Index::new() } else { self.in_field(field, 0) };
        let mut side = self.side_of((field.array, index), 1, vec![(layout, MadeOf::Elements(field.element))]);
        if let Some(variable) = start {
            let passed = if self.chance(75) { self.random.usize(0..=field.pitch - lines.width) } else { row };
            let set = |value: usize| Statement::SetInteger(variable, literal(value));
            side.make.insert(0, set(row));
            side.pass.push(set(passed));
            side.start = Some((variable, passed));
        }
        side
    }

    /// Several of a datatype that reaches to where the next one begins.
    fn side_by_extent(&mut self, field: Field, lines: Blocks) -> Side {
        let (stride, set, pass) = self.distance(lines.stride);
        let element = MadeOf::Elements(field.element);
        let mut layouts = vec![(Layout::Resized(stride, field.element), element)];
        if lines.width > 1 || self.chance(30) {
            layouts.insert(0, (Layout::Contiguous(literal(lines.width)), element));
        }
        let mut count = lines.blocks;
        if self.chance(30) {
            layouts.push((Layout::Contiguous(literal(lines.blocks)), element));
            count = 1;
        }
        let place = (field.array, self.in_field(field, lines.begin));
        let mut side = self.side_of(place, count, layouts);
        side.make.splice(0..0, set);
        Side { pass, ..side }
    }

    /// Elements of a vector, one behind the other; by a datatype or without.
    pub(super) fn side_of_neighbours(&mut self, element: Element, count: usize) -> Side {
        let length = count + self.random.usize(0..4);
        let home = self.pick(&[Home::Main, Home::Saved, Home::Module, Home::Common]);
        self.program.arrays.push(Array { element, home, length, rows: length, first: 1 });
        let place = (self.program.arrays.len() - 1, vec![literal(1 + self.random.usize(0..=length - count))]);
        let layouts = match self.chance(50) {
            true => vec![(Layout::Contiguous(literal(count)), MadeOf::Elements(element))],
            false => Vec::new(),
        };
        let count = if layouts.is_empty() { count } else { 1 };
        self.side_of(place, count, layouts)
    }
}
