//! Calls of MPI's routines as communication operations: what the arguments mean, whatever language hands them over.
//!
//! A front end says what its names are ([`CallNames`]) and hands over the arguments by the names that the table of routines has for
//! them.

use std::collections::HashMap;

use crate::ir::{
    Datatype, DatatypeConstructor, Direction, ErrorHandling, Expression, ExpressionKind, MatchedReceive, Message,
    Operation, Participation, Partner, ProcedureId, SendMode, Shape, Status, Symbol, SymbolClass, SymbolId,
};
use crate::mpi::arguments::Argument;
use crate::mpi::datatypes::predefined;
use crate::mpi::routines::{Action, HandlerAction, Mode};

/// The arguments of one call by their names.
pub(super) type Arguments = HashMap<&'static str, Expression>;

/// What a call's names stand for.
pub(super) trait CallNames {
    /// The symbol of this number.
    fn symbol(&self, id: SymbolId) -> &Symbol;

    /// Pointers may lead to the variable.
    fn take_address(&mut self, id: SymbolId);

    /// The procedures of the program that the argument may hand over; `None` if there may be others.
    fn procedures_handed_over(&self, argument: &Expression) -> Option<Vec<ProcedureId>>;
}

/// What the arguments that describe a message are called.
struct MessageNames {
    buffer: &'static str,
    count: &'static str,
    datatype: &'static str,
    partner: PartnerNames,
}

/// What the arguments that say with whom are called.
#[derive(Clone, Copy)]
enum PartnerNames {
    /// Peer and tag.
    Process(&'static str, &'static str),
    /// Nothing: a collective call.
    Everyone,
    /// The places of its blocks.
    EveryoneInBlocks(&'static str),
}

const SEND: MessageNames =
    MessageNames { buffer: "buf", count: "count", datatype: "datatype", partner: PartnerNames::Process("dest", "tag") };
const RECEIVE: MessageNames = MessageNames { partner: PartnerNames::Process("source", "tag"), ..SEND };
const ALLTOALL_SEND: MessageNames =
    MessageNames { buffer: "sendbuf", count: "sendcount", datatype: "sendtype", partner: PartnerNames::Everyone };
const ALLTOALL_RECEIVE: MessageNames =
    MessageNames { buffer: "recvbuf", count: "recvcount", datatype: "recvtype", partner: PartnerNames::Everyone };
const ALLTOALLV_SEND: MessageNames =
    MessageNames { count: "sendcounts", partner: PartnerNames::EveryoneInBlocks("sdispls"), ..ALLTOALL_SEND };
const ALLTOALLV_RECEIVE: MessageNames =
    MessageNames { count: "recvcounts", partner: PartnerNames::EveryoneInBlocks("rdispls"), ..ALLTOALL_RECEIVE };
const SENDRECV_SEND: MessageNames = MessageNames { partner: PartnerNames::Process("dest", "sendtag"), ..ALLTOALL_SEND };
const SENDRECV_RECEIVE: MessageNames =
    MessageNames { partner: PartnerNames::Process("source", "recvtag"), ..ALLTOALL_RECEIVE };
const REPLACE_SEND: MessageNames = MessageNames { partner: PartnerNames::Process("dest", "sendtag"), ..SEND };
const REPLACE_RECEIVE: MessageNames = MessageNames { partner: PartnerNames::Process("source", "recvtag"), ..SEND };

/// Describes one call.
struct Described<'n> {
    names: &'n mut dyn CallNames,
}

/// The operation of a routine whose arguments are known by name: `all` of them in order with their `names`, and those that are no
/// error code. `None` if one is missing.
pub(super) fn described(
    call_names: &mut dyn CallNames,
    action: Action,
    form: &[Argument],
    arguments: &mut Arguments,
    (all, names): (&[Expression], &[&'static str]),
) -> Option<Operation> {
    Described { names: call_names }.described(action, form, arguments, all, names)
}

impl Described<'_> {
    /// The operation of a routine whose arguments are known by name.
    fn described(
        &mut self,
        action: Action,
        form: &[Argument],
        arguments: &mut Arguments,
        all: &[Expression],
        names: &[&'static str],
    ) -> Option<Operation> {
        Some(match action {
            Action::Send(mode) => Operation::Send {
                message: self.message(arguments, &SEND)?,
                mode: send_mode(mode),
                request: arguments.remove("request"),
            },
            Action::Receive => Operation::Receive {
                message: self.message(arguments, &RECEIVE)?,
                request: arguments.remove("request"),
                status: self.status(arguments.remove("status")),
            },
            Action::SendReceive => Operation::SendReceive {
                send: self.message(arguments, &SENDRECV_SEND)?,
                receive: Box::new(self.message(arguments, &SENDRECV_RECEIVE)?),
                in_one_buffer: false,
                status: self.status(arguments.remove("status")),
            },
            Action::Replace => Operation::SendReceive {
                // Buffer, count and datatype are those of both messages.
                send: self.message(&mut arguments.clone(), &REPLACE_SEND)?,
                receive: Box::new(self.message(arguments, &REPLACE_RECEIVE)?),
                in_one_buffer: true,
                status: self.status(arguments.remove("status")),
            },
            Action::AllToAll => self.exchange(arguments, all, names, [&ALLTOALL_SEND, &ALLTOALL_RECEIVE])?,
            Action::AllToAllInBlocks => self.exchange(arguments, all, names, [&ALLTOALLV_SEND, &ALLTOALLV_RECEIVE])?,
            Action::WaitAll => Operation::WaitAll {
                count: arguments.remove("count")?,
                requests: arguments.remove("array_of_requests")?,
                statuses: self.status(arguments.remove("array_of_statuses")),
            },
            Action::Wait => Operation::Wait {
                request: arguments.remove("request")?,
                status: self.status(arguments.remove("status")),
            },
            Action::Complete(kind) => Operation::Complete {
                kind,
                count: arguments.remove("count").or_else(|| arguments.remove("incount")),
                requests: arguments.remove("request").or_else(|| arguments.remove("array_of_requests"))?,
                completed: arguments.remove("outcount"),
                indices: arguments.remove("index").or_else(|| arguments.remove("array_of_indices")),
                flag: arguments.remove("flag"),
                statuses: self.status(arguments.remove("status").or_else(|| arguments.remove("array_of_statuses"))),
            },
            Action::PrepareSend(mode) => Operation::Prepare {
                message: self.message(arguments, &SEND)?,
                direction: Direction::Sent,
                mode: send_mode(mode),
                request: arguments.remove("request")?,
            },
            Action::PrepareReceive => {
                let message = self.message(arguments, &RECEIVE)?;
                if let Some(buffer) = message.buffer.designated()
                    && self.names.symbol(buffer).shape == Shape::Scalar
                {
                    // Starts and waits in other procedures can store a value there without naming it.
                    self.names.take_address(buffer);
                }
                let request = arguments.remove("request")?;
                Operation::Prepare { message, direction: Direction::Received, mode: SendMode::Standard, request }
            }
            Action::Start => Operation::Start {
                requests: arguments.remove("array_of_requests").or_else(|| arguments.remove("request"))?,
                count: arguments.remove("count"),
            },
            Action::Release => Operation::Release { request: arguments.remove("request")? },
            Action::Initialize => Operation::Initialize { accesses: in_order(arguments) },
            Action::Finalize => Operation::Finalize,
            Action::Local => {
                if let Some(location) = arguments.get("location").and_then(Expression::designated) {
                    // Its address can reach a transfer that does not name it.
                    self.names.take_address(location);
                }
                let outputs = form.iter().filter(|argument| argument.is_written);
                let writes = outputs.map(|argument| arguments.get(argument.name).cloned()).collect::<Option<_>>()?;
                // Some outputs say before the call what to do.
                arguments.retain(|name, _| form.iter().any(|argument| argument.name == *name && argument.is_read));
                Operation::Inquiry { reads: in_order(arguments), writes }
            }
            Action::CreateDatatype(kind) => {
                let created = arguments.remove("newtype")?;
                let others = form.iter().filter(|argument| !argument.is_written);
                let others = others.map(|argument| arguments.remove(argument.name));
                let constructor = DatatypeConstructor { kind, arguments: others.collect::<Option<Vec<_>>>()? };
                Operation::CreateDatatype { constructor, created }
            }
            Action::CreateCommunicator(parent) => {
                let created = form.iter().find(|argument| argument.is_written)?;
                let created = arguments.remove(created.name)?;
                let parent = parent.and_then(|parent| arguments.get(parent)).cloned();
                Operation::CreateCommunicator { parent, reads: in_order(arguments), created }
            }
            Action::CallsBack(purpose) => {
                let functions = form.iter().filter(|argument| argument.is_function());
                let called = functions.map(|argument| self.called_back(arguments.get(argument.name)?));
                let called = called.collect::<Option<Vec<_>>>().map(|called| called.concat());
                let (participation, description) = match called {
                    Some(procedures) => (Participation::CallsBack { procedures }, purpose.description()),
                    None => (Participation::May { tags: Vec::new(), communicator: None }, purpose.unknown()),
                };
                other(form, all, names, participation, description)
            }
            Action::Collective => other(form, all, names, Participation::None, "a collective operation"),
            Action::EndsCommunicator => other(form, all, names, Participation::None, "the end of a communicator"),
            Action::AttachBuffer | Action::DetachBuffer => {
                other(form, all, names, Participation::None, "the buffer of buffered sends")
            }
            Action::Apart(description) => other(form, all, names, Participation::None, description),
            Action::ApartAnywhere(description) => other(form, all, names, Participation::TouchesAnything, description),
            Action::ConcernsParts => {
                other(form, all, names, Participation::ConcernsParts, "a part of a partitioned operation")
            }
            Action::Matches(description) => {
                let tags = form.iter().filter(|argument| argument.is_tag());
                let tags = tags.map(|argument| arguments.get(argument.name).cloned()).collect::<Option<Vec<_>>>()?;
                let communicator = arguments.get("comm").cloned();
                other(form, all, names, Participation::May { tags, communicator }, description)
            }
            Action::Probe => {
                let (peer, tag) = (arguments.get("source")?.clone(), arguments.get("tag")?.clone());
                let partner = Box::new(Partner::Process { peer, tag });
                let communicator = arguments.get("comm")?.clone();
                let takes = arguments.contains_key("message");
                other(form, all, names, Participation::Probes { partner, communicator, takes }, "a probe")
            }
            Action::Cancel => {
                let participation =
                    Participation::UsesRequest { request: arguments.get("request")?.clone(), cancels: true };
                other(form, all, names, participation, "a cancellation")
            }
            Action::Look => {
                let participation =
                    Participation::UsesRequest { request: arguments.get("request")?.clone(), cancels: false };
                other(form, all, names, participation, "a look at a request")
            }
            Action::ReceiveMatched => {
                let receive = MatchedReceive {
                    buffer: arguments.get("buf")?.clone(),
                    count: arguments.get("count")?.clone(),
                    datatype: self.datatype(arguments.remove("datatype")?),
                    matched: arguments.get("message")?.clone(),
                    request: arguments.get("request").cloned(),
                };
                let participation = Participation::ReceivesMatched(Box::new(receive));
                other(form, all, names, participation, "a receive of a probed message")
            }
            Action::MayAnything(description) => {
                let participation = Participation::May { tags: Vec::new(), communicator: None };
                other(form, all, names, participation, description)
            }
            Action::ErrorHandler(action) => {
                let handler = names.iter().position(|&name| name == "errhandler");
                let function = form.iter().find(|argument| argument.is_function());
                let called = function.and_then(|function| self.called_back(arguments.get(function.name)?));
                error_handler(action, all.to_vec(), handler, called)
            }
            Action::Abort => return None,
        })
    }

    /// The procedures of the program that MPI calls for an argument; `None` if there may be others.
    fn called_back(&self, argument: &Expression) -> Option<Vec<ProcedureId>> {
        match argument.kind {
            // MPI's own functions, such as MPI_COMM_NULL_COPY_FN.
            ExpressionKind::Symbol(symbol) if self.names.symbol(symbol).class == SymbolClass::MessagingConstant => {
                Some(Vec::new())
            }
            _ => self.names.procedures_handed_over(argument),
        }
    }

    fn datatype(&self, handle: Expression) -> Datatype {
        let predefined = match &handle.kind {
            ExpressionKind::Symbol(symbol) if self.names.symbol(*symbol).class == SymbolClass::MessagingConstant => {
                predefined(&self.names.symbol(*symbol).name)
            }
            _ => None,
        };
        Datatype::new(handle, predefined)
    }

    fn message(&self, arguments: &mut Arguments, names: &MessageNames) -> Option<Message> {
        let datatype = self.datatype(arguments.remove(names.datatype)?);
        Some(Message {
            condition: None,
            buffer: arguments.remove(names.buffer)?,
            count: arguments.remove(names.count)?,
            datatype,
            partner: match names.partner {
                PartnerNames::Process(peer, tag) => {
                    Partner::Process { peer: arguments.remove(peer)?, tag: arguments.remove(tag)? }
                }
                PartnerNames::Everyone => Partner::Everyone,
                PartnerNames::EveryoneInBlocks(displacements) => {
                    Partner::EveryoneInBlocks { displacements: arguments.remove(displacements)? }
                }
            },
            // Both messages of MPI_SENDRECV have it.
            communicator: arguments.get("comm")?.clone(),
        })
    }

    /// MPI_ALLTOALL and MPI_ALLTOALLV. In place, its send arguments do not count (MPI 4.0, section 6.8), and what is sent is
    /// overwritten.
    fn exchange(
        &self,
        arguments: &mut Arguments,
        all: &[Expression],
        names: &[&'static str],
        [sent, received]: [&MessageNames; 2],
    ) -> Option<Operation> {
        let is_in_place = match &arguments.get("sendbuf")?.kind {
            ExpressionKind::Symbol(symbol) => {
                let symbol = self.names.symbol(*symbol);
                symbol.class == SymbolClass::MessagingConstant && symbol.name == "mpi_in_place"
            }
            _ => false,
        };
        if is_in_place {
            let is_read = |name: &str| !["ierror", "recvbuf"].contains(&name);
            return Some(Operation::Other {
                arguments: all.to_vec(),
                only_read: (0..names.len()).filter(|&position| is_read(names[position])).collect(),
                counts: counts_among(names),
                participation: Participation::AllToAll {
                    communicator: arguments.remove("comm")?,
                    in_blocks: matches!(sent.partner, PartnerNames::EveryoneInBlocks(_)),
                },
                error_handling: ErrorHandling::Unconcerned,
                description: "an exchange in place".to_string(),
            });
        }
        Some(Operation::SendReceive {
            send: self.message(arguments, sent)?,
            receive: Box::new(self.message(arguments, received)?),
            in_one_buffer: false,
            status: Status::Ignored,
        })
    }

    fn status(&self, argument: Option<Expression>) -> Status {
        let Some(argument) = argument else { return Status::Ignored };
        match &argument.kind {
            ExpressionKind::Symbol(symbol)
                if self.names.symbol(*symbol).class == SymbolClass::MessagingConstant
                    && self.names.symbol(*symbol).name.ends_with("_ignore") =>
            {
                Status::Ignored
            }
            _ => Status::Stored(argument),
        }
    }
}

fn send_mode(mode: Mode) -> SendMode {
    match mode {
        Mode::Standard => SendMode::Standard,
        Mode::Synchronous => SendMode::Synchronous,
        Mode::Ready => SendMode::Ready,
        Mode::Buffered => SendMode::Buffered,
    }
}

/// The operation of a routine without a description of its arguments. `expected` says that it has one, which the
/// arguments of the call do not fit.
pub(super) fn undetailed(action: Action, expected: bool, all: Vec<Expression>) -> Operation {
    match action {
        // Whatever the arguments are.
        Action::ErrorHandler(action) => error_handler(action, all, None, None),
        Action::MayAnything(description) if !expected => may_anything(all, description),
        _ => undescribed(all),
    }
}

/// An operation that is not described further.
fn other(
    form: &[Argument],
    all: &[Expression],
    names: &[&str],
    participation: Participation,
    description: &str,
) -> Operation {
    let is_read = |name: &str| form.iter().any(|argument| argument.name == name && !argument.is_written);
    Operation::Other {
        arguments: all.to_vec(),
        only_read: (0..names.len()).filter(|&position| is_read(names[position])).collect(),
        counts: counts_among(names),
        participation,
        error_handling: ErrorHandling::Unconcerned,
        description: description.to_string(),
    }
}

/// The positions of the arguments that say of how many elements buffers are.
fn counts_among(names: &[&str]) -> Vec<usize> {
    (0..names.len()).filter(|&position| names[position].contains("count")).collect()
}

/// The remaining arguments in the order of the source.
fn in_order(arguments: &mut Arguments) -> Vec<Expression> {
    let mut values: Vec<Expression> = arguments.drain().map(|(_, value)| value).collect();
    values.sort_by_key(|value| value.span.start);
    values
}

/// A call with arguments that the routine does not have.
pub(super) fn undescribed(arguments: Vec<Expression>) -> Operation {
    may_anything(arguments, "a call of MPI whose arguments do not fit")
}

/// A call that makes, sets or calls an error handler; `called` are the procedures that a new one is made of, if they are known. What
/// sets one takes no part in communication, but each call of MPI may do something else from then on, so that nothing moves past it.
fn error_handler(
    action: HandlerAction,
    arguments: Vec<Expression>,
    handler: Option<usize>,
    called: Option<Vec<ProcedureId>>,
) -> Operation {
    let (error_handling, participation) = match action {
        HandlerAction::Sets => (ErrorHandling::Sets { handler }, Participation::TouchesAnything),
        HandlerAction::Makes => (ErrorHandling::Makes { procedures: called, handler }, ANY_PART),
        HandlerAction::MakesForFiles => {
            let any = ErrorHandling::Makes { procedures: None, handler };
            (called.map_or(any, |procedures| ErrorHandling::MakesForFiles { procedures }), ANY_PART)
        }
        HandlerAction::Calls => (ErrorHandling::Calls, ANY_PART),
    };
    // What sets a handler reads it; what makes one stores it.
    let only_read = handler.into_iter().filter(|_| action == HandlerAction::Sets).collect();
    let description = "an error handler".to_owned();
    Operation::Other { arguments, only_read, counts: Vec::new(), participation, error_handling, description }
}

/// Any message may be matched, any request completed.
const ANY_PART: Participation = Participation::May { tags: Vec::new(), communicator: None };

/// A call that may do anything, to its arguments, too.
fn may_anything(arguments: Vec<Expression>, description: &str) -> Operation {
    Operation::Other {
        arguments,
        only_read: Vec::new(),
        counts: Vec::new(),
        participation: ANY_PART,
        error_handling: ErrorHandling::Unconcerned,
        description: description.to_owned(),
    }
}
