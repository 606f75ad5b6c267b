//! Calls of MPI as data.

use super::*;

/// A call of MPI.
#[derive(Debug, Clone, PartialEq)]
pub enum Communication {
    /// A send.
    Send {
        /// What is sent to whom.
        message: Message,
        /// Takes the request, if it does not block.
        request: Option<RequestPlace>,
        /// When it ends.
        mode: SendMode,
    },
    /// A receive.
    Receive {
        /// What is received from whom; nobody: from anybody.
        message: Message,
        /// Takes the request, if it does not block.
        request: Option<RequestPlace>,
    },
    /// Both at once.
    SendReceive {
        /// What is sent.
        sent: Message,
        /// What is received.
        received: Message,
    },
    /// Both at once in one buffer: what comes takes the place of what is sent.
    Replace {
        /// What is sent, and how many elements of which array may come.
        sent: Message,
        /// From whom; nothing: from any rank.
        source: Option<Expression>,
        /// The tag of what comes.
        source_tag: Expression,
    },
    /// Every rank sends a block of so many elements to every rank: the first one of an array to rank 0, and so on. The
    /// blocks that come stand in another array likewise.
    AllToAll {
        /// What is sent.
        sent: ArrayId,
        /// Takes what comes.
        received: ArrayId,
        /// Elements of a block.
        block: Expression,
    },
    /// Waits for a request.
    Wait(RequestPlace),
    /// Waits for neighbouring elements of an array of requests: from the so-manieth on (from 1), so many.
    WaitAll(RequestId, Expression, Expression),
    /// Completes what happens to be over.
    Complete(Completion),
    /// Waits for all ranks.
    Barrier,
    /// Makes a request, or all of an array, the null request.
    Clear(RequestId),
    /// How many elements the last receive or wait for one request has received, into a scalar.
    Count(ScalarId, Element),
    /// Something happens to a datatype.
    Datatype(DatatypeCall),
}

/// When a send ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendMode {
    /// When its memory may be used again.
    Standard,
    /// Only when the message is being received.
    Synchronous,
    /// At once: the message is copied into memory that the program has attached.
    Buffered,
}

/// A message: elements of an array, neighbouring ones or those of a datatype.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The array.
    pub array: ArrayId,
    /// Its first element; the array's first one if there are no subscripts.
    pub index: Index,
    /// How many, of the datatype if there is one.
    pub count: Expression,
    /// What it is made of, if not of the array's elements.
    pub datatype: Option<DatatypeId>,
    /// The other rank; nothing: any rank.
    pub peer: Option<Expression>,
    /// Its tag.
    pub tag: Expression,
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestPlace {
    /// The variable.
    pub variable: RequestId,
    /// Which element, from 1, of an array.
    pub element: Option<Expression>,
}

/// A call that completes what happens to be over.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Which one.
    pub kind: CompletionKind,
    /// The first request, or the only one.
    pub first: RequestPlace,
    /// How many requests; one for [`CompletionKind::Test`].
    pub count: Expression,
    /// Takes the answer: 1 or 0 of [`CompletionKind::Test`] and [`CompletionKind::TestAll`]; of those for any the place
    /// among the requests, from 1, or 0 if none is over; of those for some how many are over. Where no request was
    /// active, it has no value, and nothing but 1 or 0 has one in the interface `mpi_f08`, on which MPIs do not agree.
    pub answer: ScalarId,
    /// Takes, of those for some, the places.
    pub places: Option<ArrayId>,
}

/// Which call completes what happens to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// Is the one request over?
    Test,
    /// Are all of them?
    TestAll,
    /// Waits for one of them.
    WaitAny,
    /// Is one of them over?
    TestAny,
    /// Waits until some of them are over.
    WaitSome,
    /// Are some of them over?
    TestSome,
}

impl CompletionKind {
    /// Does it wait?
    pub fn waits(self) -> bool {
        matches!(self, Self::WaitAny | Self::WaitSome)
    }

    /// Does it tell places?
    pub fn tells_places(self) -> bool {
        matches!(self, Self::WaitSome | Self::TestSome)
    }
}

impl Communication {
    /// The messages in it.
    pub fn messages(&self) -> Vec<&Message> {
        match self {
            Self::Send { message, .. } | Self::Receive { message, .. } | Self::Replace { sent: message, .. } => {
                vec![message]
            }
            Self::SendReceive { sent, received } => vec![sent, received],
            _ => Vec::new(),
        }
    }
}
