//! Calls of MPI as C.

use super::datatype;
use super::posts::Posts;
use super::statements::{Block, Shape};
use super::style::{Codes, Communicator, Requests, Statuses, Wrapped};
use crate::random_programs::program::{
    ArrayId, Communication, Element, Expression, HandedPart, HandedRequests, Message, RequestHome, RequestId,
    RequestPlace, SendMode, Statement,
};

/// A loop over requests, or places of them, has this counter.
const COUNTER: &str = "at";

impl Block<'_, '_> {
    pub(super) fn communicate(&mut self, communication: &Communication, posts: Option<&Posts>) {
        self.posts_next = posts.is_some();
        match communication {
            Communication::Send { message, request, mode } => self.send(message, request.as_ref(), *mode),
            Communication::Receive { message, request } => self.receive(message, request.as_ref()),
            Communication::SendReceive { sent, received } => {
                let (sent, received) = (self.message(sent), self.message(received));
                let (communicator, status) = (self.communicator(), self.status());
                self.mpi(&format!("MPI_Sendrecv({sent}, {received}, {communicator}, {status})"));
            }
            Communication::Replace { sent, source, source_tag } => {
                let source = self.source(source.as_ref());
                let (message, tag) = (self.message(sent), self.expression(source_tag));
                let (communicator, status) = (self.communicator(), self.status());
                self.mpi(&format!("MPI_Sendrecv_replace({message}, {source}, {tag}, {communicator}, {status})"));
            }
            Communication::AllToAll { sent, received, block } => {
                let count = self.expression(block);
                let block = |array: &ArrayId| {
                    let type_name = datatype(self.writer.program.arrays[*array].element);
                    format!("{}, {count}, {type_name}", self.start(*array, &Vec::new()))
                };
                let (sent, received) = (block(sent), block(received));
                let communicator = self.communicator();
                self.mpi(&format!("MPI_Alltoall({sent}, {received}, {communicator})"));
            }
            Communication::Wait(place) => {
                let (request, status) = (self.request(place), self.status());
                match self.writer.style.wrapped {
                    Wrapped::ByMacros if status == "MPI_STATUS_IGNORE" && self.chance(60) => {
                        self.simple(&format!("AWAIT({request})"));
                    }
                    Wrapped::ByFunctions if status == "MPI_STATUS_IGNORE" && self.chance(60) => {
                        let name = self.writer.helper("await");
                        self.mpi(&format!("{name}({request})"));
                    }
                    _ => self.mpi(&format!("MPI_Wait({request}, {status})")),
                }
            }
            Communication::WaitAll(variable, first, count) => {
                let first = RequestPlace { variable: *variable, element: Some(first.clone()) };
                let requests = self.requests_from(&first);
                let statuses = match count {
                    Expression::Literal(count @ 1..) if self.writer.program.style.has_status && self.chance(50) => {
                        self.needs.all_statuses =
                            self.needs.all_statuses.max(usize::try_from(*count).unwrap_or_default());
                        "all_statuses"
                    }
                    _ => "MPI_STATUSES_IGNORE",
                };
                let count = match posts {
                    Some(posts) => format!("posted{}", posts.requests),
                    None => self.expression(count),
                };
                self.mpi(&format!("MPI_Waitall({count}, {requests}, {statuses})"));
            }
            Communication::Complete(completion) => self.completion(completion),
            Communication::Barrier => {
                let communicator = self.communicator();
                self.mpi(&format!("MPI_Barrier({communicator})"));
            }
            Communication::Clear(variable) => self.clear(*variable),
            Communication::Count(scalar, element) => {
                let (status, scalar) = (self.status(), self.scalar(*scalar));
                self.mpi(&format!("MPI_Get_count({status}, {}, &{scalar})", datatype(*element)));
            }
            Communication::Datatype(call) => self.datatype_call(call),
        }
    }

    fn send(&mut self, message: &Message, request: Option<&RequestPlace>, mode: SendMode) {
        let name = match (request, mode) {
            (None, SendMode::Standard) => "MPI_Send",
            (None, SendMode::Synchronous) => "MPI_Ssend",
            (None, SendMode::Buffered) => "MPI_Bsend",
            (Some(_), SendMode::Standard) => "MPI_Isend",
            (Some(_), SendMode::Synchronous) => "MPI_Issend",
            (Some(_), SendMode::Buffered) => "MPI_Ibsend",
        };
        if name == "MPI_Send" && self.is_of_doubles(message) && self.chance(70) {
            let (buffer, [count, peer, tag]) = self.parts(message);
            match self.writer.style.wrapped {
                Wrapped::Nothing => {}
                Wrapped::ByMacros => return self.mpi(&format!("SEND({buffer}, {count}, {peer}, {tag})")),
                Wrapped::ByFunctions => {
                    let name = self.writer.helper("send");
                    return self.mpi(&format!("{name}({buffer}, {count}, {peer}, {tag})"));
                }
            }
        }
        let (message, communicator) = (self.message(message), self.communicator());
        let request = request.map_or(String::new(), |place| format!(", {}", self.request(place)));
        self.mpi(&format!("{name}({message}, {communicator}{request})"));
    }

    fn receive(&mut self, message: &Message, request: Option<&RequestPlace>) {
        let Some(place) = request else {
            let (message, communicator, status) = (self.message(message), self.communicator(), self.status());
            return self.mpi(&format!("MPI_Recv({message}, {communicator}, {status})"));
        };
        let request = self.request(place);
        if self.is_of_doubles(message) && self.chance(70) {
            let (buffer, [count, peer, tag]) = self.parts(message);
            match self.writer.style.wrapped {
                Wrapped::Nothing => {}
                Wrapped::ByMacros => return self.mpi(&format!("POST({buffer}, {count}, {peer}, {tag}, {request})")),
                Wrapped::ByFunctions => {
                    let name = self.writer.helper("post");
                    return self.mpi(&format!("{name}({buffer}, {count}, {peer}, {tag}, {request})"));
                }
            }
        }
        let (message, communicator) = (self.message(message), self.communicator());
        self.mpi(&format!("MPI_Irecv({message}, {communicator}, {request})"));
    }

    /// Is it made of numbers of 8 bytes, one behind the other?
    fn is_of_doubles(&self, message: &Message) -> bool {
        message.datatype.is_none() && self.writer.program.arrays[message.array].element == Element::Double
    }

    fn parts(&self, message: &Message) -> (String, [String; 3]) {
        let peer = self.source(message.peer.as_ref());
        let numbers = [self.expression(&message.count), peer, self.expression(&message.tag)];
        (self.start(message.array, &message.index), numbers)
    }

    fn source(&self, source: Option<&Expression>) -> String {
        source.map_or("MPI_ANY_SOURCE".to_owned(), |source| self.expression(source))
    }

    fn message(&self, message: &Message) -> String {
        let datatype = match message.datatype {
            Some(made) => self.writer.datatype_name(made),
            None => datatype(self.writer.program.arrays[message.array].element).to_owned(),
        };
        let (buffer, [count, peer, tag]) = self.parts(message);
        format!("{buffer}, {count}, {datatype}, {peer}, {tag}")
    }

    fn communicator(&mut self) -> &'static str {
        match self.writer.style.communicator {
            Communicator::World => "MPI_COMM_WORLD",
            Communicator::Macro => "WORLD",
            Communicator::Variable => {
                self.needs.communicator = true;
                "comm"
            }
        }
    }

    /// The status of calls.
    pub(super) fn status(&mut self) -> &'static str {
        let program = self.writer.program;
        let counts = |statement: &Statement| matches!(statement, Statement::Communicate(Communication::Count(..)));
        if !program.style.has_status && !program.any(&counts) {
            return "MPI_STATUS_IGNORE";
        }
        self.needs.status = true;
        match self.writer.style.statuses {
            Statuses::Variable => "&status",
            Statuses::Element => "&statuses[1]",
        }
    }

    /// May a call of MPI be an argument of a macro? That must not have commas outside of parentheses.
    pub(super) fn checks_by_macro(&self) -> bool {
        matches!(self.writer.style.codes, Codes::Macro | Codes::Mixed)
    }

    /// A call of MPI, and what becomes of the code that it returns.
    pub(super) fn mpi(&mut self, call: &str) {
        let codes = match self.writer.style.codes {
            Codes::Mixed => [Codes::Ignored, Codes::Void, Codes::Stored, Codes::Macro, Codes::Compared][self.pick(5)],
            codes => codes,
        };
        match codes {
            Codes::Ignored | Codes::Mixed => self.simple(call),
            Codes::Void => self.simple(&format!("(void){call}")),
            Codes::Stored => {
                self.needs.code = true;
                self.simple(&format!("rc = {call}"));
            }
            Codes::Macro => self.simple(&format!("CHECK({call})")),
            Codes::Compared => {
                self.line(&format!("if ({call} != MPI_SUCCESS)"));
                self.depth += 1;
                self.line("MPI_Abort(MPI_COMM_WORLD, 1);");
                self.depth -= 1;
                self.end_statement(Shape::Compound);
            }
        }
    }

    /// The variable, or the array, without an element.
    fn request_variable(&self, variable: RequestId) -> String {
        let name = self.writer.request_name(variable);
        let request = self.writer.program.requests[variable];
        match (request.home, self.writer.style.requests) {
            (RequestHome::Unit, Requests::Members) => format!("pending.{name}"),
            (RequestHome::Unit, Requests::Elements) if request.length.is_none() => {
                let place = self.writer.single_requests(self.unit).iter().position(|&other| other == variable);
                format!("requests[{}]", place.unwrap_or_default())
            }
            _ => name,
        }
    }

    /// The address of a request.
    pub(super) fn request(&mut self, place: &RequestPlace) -> String {
        let name = self.request_variable(place.variable);
        let is_handed = matches!(self.writer.program.requests[place.variable].home, RequestHome::Argument(..));
        match &place.element {
            None if is_handed => name,
            None => format!("&{name}"),
            Some(_) if self.posts_next => format!("&{name}[posted{}++]", place.variable),
            Some(element) => {
                let element = self.shifted(element, -1);
                if self.chance(20) { format!("{name} + {element}") } else { format!("&{name}[{element}]") }
            }
        }
    }

    /// The address of a request with others behind it.
    pub(super) fn requests_from(&mut self, place: &RequestPlace) -> String {
        self.posts_next = false;
        match &place.element {
            Some(Expression::Literal(1)) => self.request_variable(place.variable),
            _ => self.request(place),
        }
    }

    /// What is handed to a function.
    pub(super) fn handed(&mut self, handed: &HandedRequests) -> String {
        self.posts_next = false;
        let is_array = self.writer.program.requests[handed.variable].length.is_some();
        match &handed.part {
            HandedPart::Whole if is_array => self.request_variable(handed.variable),
            HandedPart::Whole => self.request(&RequestPlace { variable: handed.variable, element: None }),
            HandedPart::From(first) | HandedPart::SectionFrom(first) | HandedPart::Section(first, _) => {
                self.request(&RequestPlace { variable: handed.variable, element: Some(first.clone()) })
            }
        }
    }

    fn clear(&mut self, variable: RequestId) {
        let name = self.request_variable(variable);
        match (self.writer.program.requests[variable].length, self.writer.program.requests[variable].home) {
            (Some(length), _) => {
                self.line(&format!("for (int {COUNTER} = 0; {COUNTER} < {length}; {COUNTER}++)"));
                self.depth += 1;
                self.line(&format!("{name}[{COUNTER}] = MPI_REQUEST_NULL;"));
                self.depth -= 1;
                self.end_statement(Shape::Compound);
            }
            (None, RequestHome::Argument(..)) => self.simple(&format!("*{name} = MPI_REQUEST_NULL")),
            (None, _) => self.simple(&format!("{name} = MPI_REQUEST_NULL")),
        }
    }
}
