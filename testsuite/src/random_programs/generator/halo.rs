//! Exchanges with two neighbours that one procedure begins and another one ends, with work between: requests, buffers and
//! datatypes are arguments of both, or live where both see them.

use super::strided::Field;
use super::*;

/// Requests of an exchange: two receives, then two sends.
const MESSAGES: usize = 4;

/// What the procedures of an exchange get as arguments, and what for.
struct Handing {
    /// The request variable that the main unit knows, and what of it is handed over; nothing: both see it.
    requests: Option<HandedRequests>,
    /// The variable and the first element of the exchange, as the main unit sees them.
    seen: (RequestId, usize),
    kind: ProcedureKind,
    /// The field is an argument, not its lines.
    hands_field: bool,
}

/// Where the lines of a field are known.
#[derive(Clone)]
struct Line {
    array: ArrayId,
    index: Index,
    count: usize,
    datatype: Option<DatatypeId>,
}

impl Generator {
    /// Neighbours exchange columns, or rows, of a field.
    pub(super) fn halo(&mut self) -> Vec<Statement> {
        let is_of_rows = self.chance(35);
        let element = self.pick(&[Element::Double, Element::Double, Element::Single]);
        let field = match is_of_rows {
            true => {
                let columns = if self.chance(60) { self.random.usize(6..24) } else { self.random.usize(130..200) };
                self.field(element, columns)
            }
            false => {
                let pitch = if self.chance(60) { self.random.usize(6..40) } else { self.random.usize(260..300) };
                self.columns(element, pitch)
            }
        };
        let handing = self.handing(is_of_rows);
        let mut before = Vec::new();
        let mut datatype = None;
        if is_of_rows {
            let variable = self.datatype();
            let stride = literal(field.pitch);
            let layout = Layout::Vector { blocks: literal(field.columns), length: literal(1), stride };
            let made = DatatypeCall::Make(variable, Box::new(layout), MadeOf::Elements(element));
            for call in [made, DatatypeCall::Commit(variable)] {
                before.push(Statement::Communicate(Communication::Datatype(call)));
            }
            datatype = Some(variable);
        }
        let (start, start_call) = self.halo_start(field, datatype, &handing);
        let (finish, finish_call) = self.halo_finish(&handing, (start, &start_call));
        let mut body = vec![Statement::Call(start, start_call)];
        body.extend(self.rows_at_work(field, 1));
        body.extend(self.noise(1, None));
        body.push(Statement::Call(finish, finish_call));
        body.extend(self.rows_at_work(field, 2));
        if self.chance(60) {
            body = vec![counted(TIME, 1, self.random.i64(2..4), body)];
        }
        before.extend(body);
        before
    }

    /// A field whose columns are messages.
    fn columns(&mut self, element: Element, pitch: usize) -> Field {
        let columns = self.random.usize(4..9);
        let home = self.pick(&[Home::Main, Home::Main, Home::Saved, Home::Module, Home::Common]);
        let (length, first) = (pitch * columns, self.random.i64(0..2));
        self.program.arrays.push(Array { element, home, length, rows: pitch, first });
        let field = Field { array: self.program.arrays.len() - 1, element, pitch, columns };
        self.fields.push(field);
        field
    }

    fn handing(&mut self, is_of_rows: bool) -> Handing {
        let kind = self.procedure_kind();
        let hands_field = is_of_rows || self.chance(50);
        let slack = if self.chance(40) { self.random.usize(1..3) } else { 0 };
        let variable = self.request(Some(MESSAGES + slack));
        let home = match self.random.usize(0..10) {
            0..4 => RequestHome::Unit,
            4..7 => RequestHome::Module,
            _ => RequestHome::Common,
        };
        self.program.requests[variable].home = home;
        let first = if self.chance(30) { 1 + slack } else { 1 };
        let is_handed = home == RequestHome::Unit || self.chance(20);
        let requests = is_handed.then(|| {
            let last = first + MESSAGES - 1;
            let part = match self.random.usize(0..10) {
                0..7 if first == 1 => HandedPart::Whole,
                0..4 => HandedPart::From(literal(first)),
                4..7 => HandedPart::SectionFrom(literal(first)),
                _ => HandedPart::Section(literal(first), literal(last)),
            };
            HandedRequests { variable, part }
        });
        Handing { requests, seen: (variable, first), kind, hands_field }
    }

    /// The requests, as a procedure knows them, and what a call hands over for that.
    fn requests_in(&mut self, procedure: ProcedureId, handing: &Handing) -> ((RequestId, usize), Vec<HandedRequests>) {
        let Some(handed) = &handing.requests else { return (handing.seen, Vec::new()) };
        // As long as what is needed of it.
        let home = RequestHome::Argument(procedure, 0);
        self.program.requests.push(RequestVariable { length: Some(MESSAGES), home });
        ((self.program.requests.len() - 1, 1), vec![handed.clone()])
    }

    /// The four lines of a field: what comes from the previous and the next rank, and what goes to them.
    fn lines(&self, field: Field, datatype: Option<DatatypeId>) -> [Line; 4] {
        let Field { array, pitch, columns, .. } = field;
        let line = |number: usize| match datatype {
            Some(_) => Line { array, index: self.in_field(field, number), count: 1, datatype },
            None => Line { array, index: self.in_field(field, number * pitch), count: pitch, datatype },
        };
        let last = if datatype.is_some() { pitch } else { columns } - 1;
        // Two lines of a field with two lines only are received and sent at once: that is not correct.
        [line(0), line(last), line(1.min(last)), line(last.saturating_sub(1))]
    }

    fn halo_start(
        &mut self,
        field: Field,
        datatype: Option<DatatypeId>,
        handing: &Handing,
    ) -> (ProcedureId, Arguments) {
        let procedure = self.new_procedure(handing.kind);
        let ((requests, first), handed) = self.requests_in(procedure, handing);
        let mut arguments = Arguments { requests: handed, ..Arguments::default() };
        // Neighbours are integers that are handed over: the variables are the main unit's.
        let mut neighbours = Vec::new();
        for (position, actual) in [PREVIOUS, NEXT].into_iter().enumerate() {
            self.program.scalars.push(Scalar { is_integer: true, home: Home::Argument(procedure, position) });
            neighbours.push(self.program.scalars.len() - 1);
            arguments.integers.push(Expression::Scalar(actual));
        }
        let mut seen = field;
        let mut datatype_seen = datatype;
        if let Some(datatype) = datatype {
            let is_seen = self.program.datatypes[datatype].home == Home::Module;
            if !is_seen || self.chance(50) {
                self.program.datatypes.push(DatatypeVariable { home: Home::Argument(procedure, 0) });
                datatype_seen = Some(self.program.datatypes.len() - 1);
                arguments.datatypes.push(datatype);
            }
        }
        let mut lines = self.lines(field, datatype_seen);
        let is_seen = matches!(self.program.arrays[field.array].home, Home::Module | Home::Common);
        if handing.hands_field && !(is_seen && self.chance(30)) {
            let Array { element, length, rows, .. } = self.program.arrays[field.array];
            let first = self.pick(&[1, 1, 0]);
            let home = Home::Argument(procedure, 0);
            self.program.arrays.push(Array { element, home, length, rows, first });
            seen.array = self.program.arrays.len() - 1;
            lines = self.lines(seen, datatype_seen);
            let whole = if self.chance(60) { Index::new() } else { self.in_field(field, 0) };
            arguments.arrays.push((field.array, whole));
        } else if datatype.is_none() {
            // Each line is an argument of its own.
            for (position, line) in lines.iter_mut().enumerate() {
                let home = Home::Argument(procedure, position);
                let length = line.count;
                self.program.arrays.push(Array { element: field.element, home, length, rows: length, first: 1 });
                arguments.arrays.push((line.array, line.index.clone()));
                *line = Line { array: self.program.arrays.len() - 1, index: Index::new(), ..line.clone() };
            }
        }
        let tags = [self.tag(), self.tag()];
        let mode = self.send_mode();
        let mut body: Vec<Statement> = (0..MESSAGES)
            .map(|number| {
                let line = &lines[number];
                let message = Message {
                    array: line.array,
                    index: line.index.clone(),
                    count: literal(line.count),
                    datatype: line.datatype,
                    peer: Some(Expression::Scalar(neighbours[number % 2])),
                    // What the next rank sends to its previous one comes from the next one here.
                    tag: tags[usize::from((number < 2) == (number % 2 == 1))].clone(),
                };
                let request = Some(RequestPlace { variable: requests, element: Some(literal(first + number)) });
                Statement::Communicate(match number < 2 {
                    true => Communication::Receive { message, request },
                    false => Communication::Send { message, request, mode },
                })
            })
            .collect();
        if self.chance(25) {
            self.random.shuffle(&mut body);
        }
        self.program.procedures[procedure].body = body;
        (procedure, arguments)
    }

    /// `started`: the procedure that begins the exchange, and what it is handed.
    fn halo_finish(
        &mut self,
        handing: &Handing,
        (start, started): (ProcedureId, &Arguments),
    ) -> (ProcedureId, Arguments) {
        let procedure = self.new_procedure(handing.kind);
        let ((requests, first), handed) = self.requests_in(procedure, handing);
        let mut arguments = Arguments { requests: handed, ..Arguments::default() };
        if self.chance(75) {
            // What comes has names here, too.
            let same: Vec<Array> = (0..started.arrays.len())
                .filter_map(|position| {
                    let home = Home::Argument(start, position);
                    let dummy = self.program.arrays.iter().find(|array| array.home == home)?;
                    Some(Array { home: Home::Argument(procedure, position), ..dummy.clone() })
                })
                .collect();
            self.program.arrays.extend(same);
            arguments.arrays.clone_from(&started.arrays);
        }
        let wait = |number: usize| {
            let place = RequestPlace { variable: requests, element: Some(literal(first + number)) };
            Statement::Communicate(Communication::Wait(place))
        };
        let all = |number: usize, count: usize| {
            Statement::Communicate(Communication::WaitAll(requests, literal(first + number), literal(count)))
        };
        let body = match self.random.usize(0..8) {
            0 | 1 => (0..MESSAGES).map(wait).collect(),
            2 => vec![all(0, 2), all(2, 2)],
            3 => {
                self.program.scalars.push(Scalar { is_integer: true, home: Home::Procedure(procedure) });
                let variable = self.program.scalars.len() - 1;
                let element = Expression::Scalar(variable).plus(first as i64 - 1);
                let place = RequestPlace { variable: requests, element: Some(element) };
                let body = vec![Statement::Communicate(Communication::Wait(place))];
                vec![counted(variable, 1, MESSAGES as i64, body)]
            }
            4 => {
                let (answer, variable) = (self.program.scalars.len(), self.program.scalars.len() + 1);
                for _ in 0..2 {
                    self.program.scalars.push(Scalar { is_integer: true, home: Home::Procedure(procedure) });
                }
                let first = RequestPlace { variable: requests, element: Some(literal(first)) };
                let (kind, count) = (CompletionKind::WaitAny, literal(MESSAGES));
                let any = Completion { kind, first, count, answer, places: None };
                let body = vec![Statement::Communicate(Communication::Complete(any))];
                vec![counted(variable, 1, MESSAGES as i64, body)]
            }
            _ => vec![all(0, MESSAGES)],
        };
        self.program.procedures[procedure].body = body;
        (procedure, arguments)
    }
}
