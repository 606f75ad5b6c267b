//! Calls of MPI as Fortran.

use super::datatype;
use super::statements::Block;
use crate::random_programs::program::{
    ArrayId, Communication, Expression, HandedPart, HandedRequests, Interface, Message, Operator, RequestHome,
    RequestPlace, SendMode, Statement,
};

impl Block<'_, '_> {
    /// The last argument of calls, with a comma.
    pub(super) fn error(&self) -> &'static str {
        if self.writer.program.style.interface == Interface::Module2008 { "" } else { ", ierr" }
    }

    /// The status of calls.
    pub(super) fn status(&self) -> &'static str {
        let program = self.writer.program;
        let counts = |statement: &Statement| matches!(statement, Statement::Communicate(Communication::Count(..)));
        if program.style.has_status || program.any(&counts) { "status" } else { "mpi_status_ignore" }
    }

    pub(super) fn communicate(&mut self, communication: &Communication) {
        let (error, status) = (self.error(), self.status());
        let line = match communication {
            Communication::Send { message, request, mode } => {
                let name = match (request, mode) {
                    (None, SendMode::Standard) => "mpi_send",
                    (None, SendMode::Synchronous) => "mpi_ssend",
                    (None, SendMode::Buffered) => "mpi_bsend",
                    (Some(_), SendMode::Standard) => "mpi_isend",
                    (Some(_), SendMode::Synchronous) => "mpi_issend",
                    (Some(_), SendMode::Buffered) => "mpi_ibsend",
                };
                let request = request.as_ref().map_or(String::new(), |place| format!(", {}", self.request(place)));
                format!("call {name}({}, mpi_comm_world{request}{error})", self.message(message))
            }
            Communication::Receive { message, request } => match request {
                Some(place) => {
                    let request = self.request(place);
                    format!("call mpi_irecv({}, mpi_comm_world, {request}{error})", self.message(message))
                }
                None => format!("call mpi_recv({}, mpi_comm_world, {status}{error})", self.message(message)),
            },
            Communication::SendReceive { sent, received } => format!(
                "call mpi_sendrecv({}, {}, mpi_comm_world, {status}{error})",
                self.message(sent),
                self.message(received)
            ),
            Communication::Replace { sent, source, source_tag } => {
                let source = source.as_ref().map_or("mpi_any_source".to_owned(), |source| self.expression(source));
                let (message, tag) = (self.message(sent), self.expression(source_tag));
                format!("call mpi_sendrecv_replace({message}, {source}, {tag}, mpi_comm_world, {status}{error})")
            }
            Communication::AllToAll { sent, received, block } => {
                let count = self.expression(block);
                let block = |array: &ArrayId| {
                    let type_name = datatype(self.writer.program.arrays[*array].element);
                    format!("{}, {count}, {type_name}", self.array(*array))
                };
                format!("call mpi_alltoall({}, {}, mpi_comm_world{error})", block(sent), block(received))
            }
            Communication::Wait(place) => format!("call mpi_wait({}, {status}{error})", self.request(place)),
            Communication::WaitAll(variable, first, count) => {
                let first = RequestPlace { variable: *variable, element: Some(first.clone()) };
                let (requests, count) = (self.requests_from(&first, count), self.expression(count));
                format!("call mpi_waitall({count}, {requests}, mpi_statuses_ignore{error})")
            }
            Communication::Complete(completion) => return self.completion(completion),
            Communication::Barrier => format!("call mpi_barrier(mpi_comm_world{error})"),
            Communication::Clear(variable) => {
                let name = self.writer.request_name(self.unit, *variable);
                let request = self.writer.program.requests[*variable];
                match (request.home, request.length) {
                    // All of an array that assumes its size has no name.
                    (RequestHome::Argument(..), Some(length)) => format!("{name}(1:{length}) = mpi_request_null"),
                    _ => format!("{name} = mpi_request_null"),
                }
            }
            Communication::Count(scalar, element) => {
                format!("call mpi_get_count(status, {}, {}{error})", datatype(*element), self.scalar(*scalar))
            }
            Communication::Datatype(call) => self.datatype_call(call),
        };
        self.line(&line);
    }

    fn message(&self, message: &Message) -> String {
        let datatype = match message.datatype {
            Some(made) => self.writer.datatype_name(made),
            None => datatype(self.writer.program.arrays[message.array].element).to_owned(),
        };
        let peer = message.peer.as_ref().map_or("mpi_any_source".to_owned(), |peer| self.expression(peer));
        let (count, tag) = (self.expression(&message.count), self.expression(&message.tag));
        format!("{}, {count}, {datatype}, {peer}, {tag}", self.start(message.array, &message.index))
    }

    pub(super) fn request(&self, place: &RequestPlace) -> String {
        let name = self.writer.request_name(self.unit, place.variable);
        match &place.element {
            None => name,
            Some(element) => format!("{name}({})", self.expression(element)),
        }
    }

    /// So many requests from one on. Modules want an array; what is included takes an element for those behind it.
    pub(super) fn requests_from(&self, place: &RequestPlace, count: &Expression) -> String {
        let name = self.writer.request_name(self.unit, place.variable);
        match &place.element {
            None | Some(Expression::Literal(1)) => name,
            Some(_) if self.writer.program.style.interface == Interface::IncludeFile => self.request(place),
            Some(first) => {
                let behind = Expression::binary(first.clone(), Operator::Add, count.clone());
                let last = match (first, count) {
                    (Expression::Literal(first), Expression::Literal(count)) => Expression::Literal(first + count - 1),
                    _ => behind.plus(-1),
                };
                format!("{name}({}:{})", self.expression(first), self.expression(&last))
            }
        }
    }

    /// What is handed to a procedure.
    pub(super) fn handed(&self, handed: &HandedRequests) -> String {
        let name = self.writer.request_name(self.unit, handed.variable);
        match &handed.part {
            HandedPart::Whole => name,
            HandedPart::From(first) => format!("{name}({})", self.expression(first)),
            HandedPart::SectionFrom(first) => format!("{name}({}:)", self.expression(first)),
            HandedPart::Section(first, last) => format!("{name}({}:{})", self.expression(first), self.expression(last)),
        }
    }
}
