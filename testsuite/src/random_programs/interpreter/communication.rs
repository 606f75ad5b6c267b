//! The calls of MPI of an interpreted program.

use super::*;

/// Stands for the tag of exchanges of everyone with everyone.
const EXCHANGE: i64 = -1;

/// The other rank of a message.
enum Peer {
    Rank(usize),
    Anybody,
    Nobody,
}

/// The arguments of a message.
struct Evaluated {
    element: Element,
    root: ArrayId,
    places: Places,
    peer: Peer,
    tag: i64,
    /// What is sent is copied: its place may be used at once.
    is_copied: bool,
}

impl<'p> Process<'p> {
    pub(super) fn communicate(
        &mut self,
        communication: &'p Communication,
        messages: &mut Messages,
    ) -> Result<(), Invalid> {
        match communication {
            Communication::Send { message, request, mode } => {
                let operation = self.send(message, request.as_ref(), *mode, messages)?;
                if request.is_none() {
                    self.waiting.push(operation);
                }
            }
            Communication::Receive { message, request } => {
                let operation = self.receive(message, request.as_ref(), messages)?;
                if request.is_none() {
                    self.waiting.push(operation);
                }
            }
            Communication::SendReceive { sent, received } => {
                let send = self.send(sent, None, SendMode::Standard, messages)?;
                let receive = self.receive(received, None, messages)?;
                self.waiting = vec![send, receive];
            }
            Communication::Replace { sent, source, source_tag } => {
                let received = Message { peer: source.clone(), tag: source_tag.clone(), ..sent.clone() };
                let copied = Evaluated { is_copied: true, ..self.message(sent)? };
                let send = self.send_evaluated(copied, None, SendMode::Standard, messages)?;
                let receive = self.receive(&received, None, messages)?;
                self.waiting = vec![send, receive];
            }
            Communication::AllToAll { sent, received, block } => {
                for peer in 0..self.ranks {
                    let message = |array: ArrayId| self.block(array, block, peer);
                    let (sent, received) = (message(*sent)?, message(*received)?);
                    let send = self.send_evaluated(sent, None, SendMode::Standard, messages)?;
                    let receive = self.receive_evaluated(received, None, messages)?;
                    self.waiting.extend([send, receive]);
                }
            }
            Communication::Wait(request) => self.wait_for(request, &Expression::Literal(1))?,
            Communication::WaitAll(variable, first, count) => {
                let first = RequestPlace { variable: *variable, element: Some(first.clone()) };
                self.wait_for(&first, count)?;
            }
            Communication::Complete(completion) => self.complete_some(completion, messages)?,
            Communication::Barrier => self.in_barrier = true,
            Communication::Clear(variable) => self.clear(*variable)?,
            Communication::Datatype(call) => self.datatype_call(call)?,
            Communication::Count(scalar, element) => match self.received {
                Some((of, count)) if of == *element => self.set(*scalar, count as f64)?,
                _ => return Err("there is no status"),
            },
        }
        Ok(())
    }

    /// The arguments of a message.
    fn message(&mut self, message: &Message) -> Result<Evaluated, Invalid> {
        let (root, from) = self.locate_start(message.array, &message.index)?;
        let count = usize::try_from(self.integer(&message.count)?).map_err(|_| "a negative count")?;
        let places = self.places(message, (root, from), count)?;
        let peer = match &message.peer {
            None => Peer::Anybody,
            Some(peer) => match self.integer_or_name(peer)? {
                NO_PROCESS => Peer::Nobody,
                rank => {
                    let rank = usize::try_from(rank).ok().filter(|rank| *rank < self.ranks);
                    Peer::Rank(rank.ok_or("there is no such rank")?)
                }
            },
        };
        let tag = self.tag(&message.tag)?;
        let element = self.program.arrays[message.array].element;
        Ok(Evaluated { element, root, places, peer, tag, is_copied: false })
    }

    /// The block of an array that goes to a rank, or comes from it.
    fn block(&self, array: ArrayId, block: &Expression, peer: usize) -> Result<Evaluated, Invalid> {
        let (root, start) = self.locate_start(array, &Index::new())?;
        let count = usize::try_from(self.integer(block)?).map_err(|_| "a negative count")?;
        let from = start + peer * count;
        if from + count > self.end_of(array)? {
            return Err("a block lies behind its array");
        }
        let element = self.program.arrays[array].element;
        Ok(Evaluated {
            element,
            root,
            places: Places::range(from..from + count),
            peer: Peer::Rank(peer),
            tag: EXCHANGE,
            is_copied: false,
        })
    }

    fn send(
        &mut self,
        message: &Message,
        request: Option<&RequestPlace>,
        mode: SendMode,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        let message = self.message(message)?;
        self.send_evaluated(message, request, mode, messages)
    }

    fn send_evaluated(
        &mut self,
        Evaluated { element, root, places, peer, tag, is_copied }: Evaluated,
        request: Option<&RequestPlace>,
        mode: SendMode,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        let mut data = Vec::with_capacity(places.len());
        for place in places.iter() {
            data.push(self.load(root, place)?);
        }
        let operation = match peer {
            Peer::Nobody => messages.with_nobody(),
            Peer::Anybody => return Err("a message to anybody"),
            Peer::Rank(peer) => messages.send((self.rank, peer), tag, (element, data), mode)?,
        };
        let places = if is_copied { Places::none() } else { places };
        self.begin(operation, (root, places, element), false, request)?;
        Ok(operation)
    }

    fn receive(
        &mut self,
        message: &Message,
        request: Option<&RequestPlace>,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        let message = self.message(message)?;
        self.receive_evaluated(message, request, messages)
    }

    fn receive_evaluated(
        &mut self,
        Evaluated { element, root, places, peer, tag, .. }: Evaluated,
        request: Option<&RequestPlace>,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        if self.pending.iter().any(|other| other.root == root && other.places.intersects(&places)) {
            return Err("a pending buffer is received into");
        }
        if places.repeats() {
            return Err("an element is received into twice");
        }
        let count = places.len();
        let operation = match peer {
            Peer::Nobody => messages.with_nobody(),
            Peer::Anybody => messages.receive(self.rank, None, tag, (element, count))?,
            Peer::Rank(source) => messages.receive(self.rank, Some(source), tag, (element, count))?,
        };
        self.begin(operation, (root, places, element), true, request)?;
        Ok(operation)
    }

    fn begin(
        &mut self,
        operation: OperationId,
        (root, places, element): (ArrayId, Places, Element),
        is_receive: bool,
        request: Option<&RequestPlace>,
    ) -> Result<(), Invalid> {
        let request = request.map(|place| self.request(place)).transpose()?;
        let unit = request.map_or_else(|| self.unit(), |(_, unit)| unit);
        if let Some((key, _)) = request {
            if self.operation_of(key).is_some() {
                return Err("a request is lost");
            }
            self.requests.insert(key, unit);
        }
        let request = request.map(|(key, _)| key);
        self.pending.push(Pending { operation, root, places, element, is_receive, request, unit });
        Ok(())
    }
}
