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
    from: usize,
    count: usize,
    peer: Peer,
    tag: i64,
    /// What is sent is copied: its place may be used at once.
    is_copied: bool,
}

impl Process<'_> {
    pub(super) fn communicate(
        &mut self,
        communication: &Communication,
        messages: &mut Messages,
    ) -> Result<(), Invalid> {
        match communication {
            Communication::Send { message, request, is_synchronous } => {
                let operation = self.send(message, request.as_ref(), *is_synchronous, messages)?;
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
                let send = self.send(sent, None, false, messages)?;
                let receive = self.receive(received, None, messages)?;
                self.waiting = vec![send, receive];
            }
            Communication::Replace { sent, source, source_tag } => {
                let received = Message { peer: source.clone(), tag: source_tag.clone(), ..sent.clone() };
                let copied = Evaluated { is_copied: true, ..self.message(sent)? };
                let send = self.send_evaluated(copied, None, false, messages)?;
                let receive = self.receive(&received, None, messages)?;
                self.waiting = vec![send, receive];
            }
            Communication::AllToAll { sent, received, block } => {
                for peer in 0..self.ranks {
                    let message = |array: ArrayId| self.block(array, block, peer);
                    let (sent, received) = (message(*sent)?, message(*received)?);
                    let send = self.send_evaluated(sent, None, false, messages)?;
                    let receive = self.receive_evaluated(received, None, messages)?;
                    self.waiting.extend([send, receive]);
                }
            }
            Communication::Wait(request) => {
                let key = self.request(request)?;
                self.received = None;
                self.wait_for(key)?;
            }
            Communication::WaitAll(variable, first, count) => {
                let (first, count) = (self.integer(first)?, self.integer(count)?);
                self.check_element(*variable, first)?;
                if count < 0 {
                    return Err("a negative number of requests");
                }
                for element in first..first + count {
                    self.check_element(*variable, element)?;
                    self.wait_for((*variable, element))?;
                }
                // Its statuses are others.
                self.received = None;
            }
            Communication::Barrier => self.in_barrier = true,
            Communication::Clear(variable) => {
                let elements = self.program.requests[*variable].length.map_or(0..=0, |length| 1..=length as i64);
                let unit = self.unit();
                for element in elements {
                    if self.pending.iter().any(|pending| pending.request == Some((*variable, element))) {
                        return Err("a request is lost");
                    }
                    self.requests.insert((*variable, element), unit);
                }
            }
            Communication::Count(scalar, element) => match self.received {
                Some((of, count)) if of == *element => self.set(*scalar, count as f64)?,
                _ => return Err("there is no status"),
            },
        }
        Ok(())
    }

    fn check_element(&self, variable: RequestId, element: i64) -> Result<(), Invalid> {
        let length = self.program.requests[variable].length.unwrap_or(0) as i64;
        (1..=length).contains(&element).then_some(()).ok_or("there is no such request")
    }

    fn request(&self, place: &RequestPlace) -> Result<(RequestId, i64), Invalid> {
        match (&place.element, self.program.requests[place.variable].length) {
            (None, None) => Ok((place.variable, 0)),
            (Some(element), Some(_)) => {
                let element = self.integer(element)?;
                self.check_element(place.variable, element)?;
                Ok((place.variable, element))
            }
            _ => Err("there is no such request"),
        }
    }

    fn wait_for(&mut self, key: (RequestId, i64)) -> Result<(), Invalid> {
        if self.requests.get(&key) != Some(&self.unit()) {
            return Err("a request has no value");
        }
        let found = self.pending.iter().find(|pending| pending.request == Some(key));
        self.waiting.extend(found.map(|pending| pending.operation));
        Ok(())
    }

    /// The arguments of a message.
    fn message(&mut self, message: &Message) -> Result<Evaluated, Invalid> {
        let (root, from) = self.locate_start(message.array, &message.index)?;
        let count = usize::try_from(self.integer(&message.count)?).map_err(|_| "a negative count")?;
        if from + count > self.end_of(message.array)? {
            return Err("a message is longer than its array");
        }
        let peer = match &message.peer {
            None => Peer::Anybody,
            Some(peer) => match self.integer_or_nobody(peer)? {
                NO_PROCESS => Peer::Nobody,
                rank => {
                    let rank = usize::try_from(rank).ok().filter(|rank| *rank < self.ranks);
                    Peer::Rank(rank.ok_or("there is no such rank")?)
                }
            },
        };
        let tag = self.integer(&message.tag)?;
        if tag < 0 {
            return Err("a negative tag");
        }
        let element = self.program.arrays[message.array].element;
        Ok(Evaluated { element, root, from, count, peer, tag, is_copied: false })
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
        Ok(Evaluated { element, root, from, count, peer: Peer::Rank(peer), tag: EXCHANGE, is_copied: false })
    }

    fn send(
        &mut self,
        message: &Message,
        request: Option<&RequestPlace>,
        is_synchronous: bool,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        let message = self.message(message)?;
        self.send_evaluated(message, request, is_synchronous, messages)
    }

    fn send_evaluated(
        &mut self,
        Evaluated { element, root, from, count, peer, tag, is_copied }: Evaluated,
        request: Option<&RequestPlace>,
        is_synchronous: bool,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        let mut data = Vec::with_capacity(count);
        for place in from..from + count {
            data.push(self.load(root, place)?);
        }
        let operation = match peer {
            Peer::Nobody => messages.with_nobody(),
            Peer::Anybody => return Err("a message to anybody"),
            Peer::Rank(peer) => messages.send((self.rank, peer), tag, (element, data), is_synchronous)?,
        };
        let to = if is_copied { from } else { from + count };
        self.begin(operation, (root, from, to, element), false, request)?;
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
        Evaluated { element, root, from, count, peer, tag, .. }: Evaluated,
        request: Option<&RequestPlace>,
        messages: &mut Messages,
    ) -> Result<OperationId, Invalid> {
        if self.pending.iter().any(|other| other.root == root && other.from < from + count && from < other.to) {
            return Err("a pending buffer is received into");
        }
        let operation = match peer {
            Peer::Nobody => messages.with_nobody(),
            Peer::Anybody => messages.receive(self.rank, None, tag, (element, count))?,
            Peer::Rank(source) => messages.receive(self.rank, Some(source), tag, (element, count))?,
        };
        self.begin(operation, (root, from, from + count, element), true, request)?;
        Ok(operation)
    }

    fn begin(
        &mut self,
        operation: OperationId,
        (root, from, to, element): (ArrayId, usize, usize, Element),
        is_receive: bool,
        request: Option<&RequestPlace>,
    ) -> Result<(), Invalid> {
        let unit = self.unit();
        let request = request.map(|place| self.request(place)).transpose()?;
        if let Some(key) = request {
            if self.pending.iter().any(|pending| pending.request == Some(key)) {
                return Err("a request is lost");
            }
            self.requests.insert(key, unit);
        }
        self.pending.push(Pending { operation, root, from, to, element, is_receive, request, unit });
        Ok(())
    }
}
