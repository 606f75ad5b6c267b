//! How the messages of an interpreted program meet: as MPI says, and with as little buffering as it permits.

use std::collections::{BTreeMap, BTreeSet};

use super::interpreter::{BUFFERED, Invalid};
use super::program::{Element, SendMode};

/// Bytes that all buffered sends of a rank may have: no program relies on getting memory back from a message that has left.
pub const ATTACHED: usize = 200_000;
/// What MPI may need for a message beside its bytes.
const ENVELOPE: usize = 1024;

/// Index of an operation.
pub type OperationId = usize;

/// A send or a receive that was begun.
#[derive(Debug, Clone, Default)]
struct Operation {
    is_over: bool,
    is_with_nobody: bool,
    received: Option<Vec<f64>>,
}

/// A message that no receive has met.
#[derive(Debug, Clone)]
struct Unexpected {
    source: usize,
    tag: i64,
    element: Element,
    data: Vec<f64>,
    send: OperationId,
}

/// A receive that no message has met.
#[derive(Debug, Clone)]
struct Posted {
    source: Option<usize>,
    tag: i64,
    element: Element,
    count: usize,
    receive: OperationId,
}

/// What is under way between all ranks.
#[derive(Debug)]
pub struct Messages {
    operations: Vec<Operation>,
    unexpected: Vec<Vec<Unexpected>>,
    posted: Vec<Vec<Posted>>,
    /// What each rank has copied into the memory that it has attached.
    attached: Vec<usize>,
    /// Who has sent to a rank with a tag.
    sources: BTreeMap<(usize, i64), BTreeSet<usize>>,
    /// The ranks and tags of receives from any source.
    wild: BTreeSet<(usize, i64)>,
}

impl Messages {
    /// Nothing is under way between so many ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            operations: Vec::new(),
            unexpected: vec![Vec::new(); ranks],
            posted: vec![Vec::new(); ranks],
            attached: vec![0; ranks],
            sources: BTreeMap::new(),
            wild: BTreeSet::new(),
        }
    }

    /// An operation with nobody: it is over.
    pub fn with_nobody(&mut self) -> OperationId {
        self.operations.push(Operation { is_over: true, is_with_nobody: true, received: Some(Vec::new()) });
        self.operations.len() - 1
    }

    /// Sends a message.
    pub fn send(
        &mut self,
        (source, destination): (usize, usize),
        tag: i64,
        (element, data): (Element, Vec<f64>),
        mode: SendMode,
    ) -> Result<OperationId, Invalid> {
        self.sources.entry((destination, tag)).or_default().insert(source);
        let bytes = data.len() * element.bytes();
        let is_buffered = match mode {
            SendMode::Standard => bytes <= BUFFERED,
            SendMode::Synchronous => false,
            SendMode::Buffered => {
                self.attached[source] += bytes + ENVELOPE;
                if self.attached[source] > ATTACHED {
                    return Err("the attached memory is full");
                }
                true
            }
        };
        self.operations.push(Operation { is_over: is_buffered, ..Operation::default() });
        let send = self.operations.len() - 1;
        let message = Unexpected { source, tag, element, data, send };
        let takes = |posted: &Posted| posted.source.is_none_or(|wanted| wanted == source) && posted.tag == tag;
        match self.posted[destination].iter().position(takes) {
            Some(place) => {
                let posted = self.posted[destination].remove(place);
                self.meet(message, &posted)?;
            }
            None => self.unexpected[destination].push(message),
        }
        Ok(send)
    }

    /// Posts a receive.
    pub fn receive(
        &mut self,
        destination: usize,
        source: Option<usize>,
        tag: i64,
        (element, count): (Element, usize),
    ) -> Result<OperationId, Invalid> {
        if source.is_none() {
            self.wild.insert((destination, tag));
        }
        self.operations.push(Operation::default());
        let receive = self.operations.len() - 1;
        let posted = Posted { source, tag, element, count, receive };
        let fits = |message: &Unexpected| source.is_none_or(|wanted| wanted == message.source) && message.tag == tag;
        match self.unexpected[destination].iter().position(fits) {
            Some(place) => {
                let message = self.unexpected[destination].remove(place);
                self.meet(message, &posted)?;
            }
            None => self.posted[destination].push(posted),
        }
        Ok(receive)
    }

    fn meet(&mut self, message: Unexpected, posted: &Posted) -> Result<(), Invalid> {
        if message.element != posted.element {
            return Err("a message has another type than its receive");
        }
        if message.data.len() > posted.count {
            return Err("a message is longer than its receive");
        }
        self.operations[message.send].is_over = true;
        self.operations[posted.receive] =
            Operation { is_over: true, received: Some(message.data), ..Operation::default() };
        Ok(())
    }

    /// Is the operation over?
    pub fn is_over(&self, operation: OperationId) -> bool {
        self.operations[operation].is_over
    }

    /// Is it a message to nobody, or from nobody?
    pub fn is_with_nobody(&self, operation: OperationId) -> bool {
        self.operations[operation].is_with_nobody
    }

    /// What a receive that is over has received.
    pub fn take_received(&mut self, operation: OperationId) -> Option<Vec<f64>> {
        self.operations[operation].received.take()
    }

    /// Checks, when all ranks have ended, that every message was received and no receive from any source had a choice.
    pub fn check_end(&self) -> Result<(), Invalid> {
        if self.unexpected.iter().any(|messages| !messages.is_empty()) {
            return Err("a message is never received");
        }
        if self.wild.iter().any(|key| self.sources.get(key).is_some_and(|sources| sources.len() > 1)) {
            return Err("a receive from any source has a choice");
        }
        Ok(())
    }
}
