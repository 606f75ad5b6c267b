//! Phases of a program: ranks exchange messages, and work.

use super::*;

/// A message of a phase: what is sent, from where on, and where it is received.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) sent: ArrayId,
    pub(super) received: ArrayId,
    pub(super) sent_offset: usize,
    pub(super) received_offset: usize,
    pub(super) count: usize,
    /// How many elements the receive has room for.
    pub(super) room: usize,
    pub(super) tag: Expression,
}

impl Generator {
    pub(super) fn exchange(&mut self, tag: Expression) -> Exchange {
        let element = self.element();
        let extent = self.extent;
        let mut count = match self.random.usize(0..10) {
            0..6 => extent,
            6..8 => (extent / 2).max(1),
            8 => self.random.usize(1..=extent),
            _ => extent + 2,
        };
        if self.chance(4) {
            count = 0;
        }
        let is_copied = self.chance(20);
        let sent = if is_copied { self.array_of_copies(element, count) } else { self.array(element, count + 4) };
        let received = if !is_copied && self.chance(6) { sent } else { self.array(element, count + 4) };
        let offset = |generator: &mut Self, array: ArrayId| {
            let Array { rows, length, .. } = generator.program.arrays[array];
            if rows != length {
                return 0;
            }
            if generator.chance(30) { generator.random.usize(0..=length - count) } else { 0 }
        };
        let sent_offset = offset(self, sent);
        let received_offset = offset(self, received);
        let room = if self.chance(15) {
            let most = self.program.arrays[received].length - received_offset;
            self.random.usize(count..=most)
        } else {
            count
        };
        Exchange { sent, received, sent_offset, received_offset, count, room, tag }
    }

    pub(super) fn message(
        &mut self,
        (array, offset): (ArrayId, usize),
        count: usize,
        peer: Expression,
        tag: &Expression,
    ) -> Message {
        // Of a copy there is nothing beside the message.
        let is_fixed = self.program.arrays[array].is_matrix() || self.copies.contains(&array);
        let index = match self.random.usize(0..100) {
            // Where a message begins may depend on the rank, or on a variable that changes.
            0..8 if !is_fixed => self.at(array, Expression::Rank.plus(i64::try_from(offset).unwrap_or(0)), offset),
            8..16 if !is_fixed => self.at(array, Expression::Scalar(OTHER).plus(-1), offset),
            16..60 if offset == 0 => Vec::new(),
            _ => self.at(array, literal(offset), offset),
        };
        Message {
            array,
            index,
            count: self.counted_of(array, count),
            datatype: None,
            peer: Some(peer),
            tag: tag.clone(),
        }
    }

    /// Ranks exchange messages.
    pub(super) fn phase(&mut self) -> Vec<Statement> {
        let pattern = Pattern::choose(&mut self.random);
        let messages = self.pick(&[1, 1, 1, 2, 2, 3]);
        let shared_tag = self.tag();
        let shares_tag = self.chance(40);
        let exchanges: Vec<Exchange> = (0..messages)
            .map(|_| {
                let tag = if shares_tag { shared_tag.clone() } else { self.tag() };
                self.exchange(tag)
            })
            .collect();
        let form = Form::choose(&mut self.random);
        let mut body = self.in_form(pattern, form, &exchanges);
        if pattern == Pattern::OpenLine {
            let neighbour = |right: Expression, neighbour: ScalarId, value: Expression| {
                let condition = Condition { left: Expression::Rank, relation: Relation::Equal, right };
                let then = vec![Statement::SetInteger(neighbour, value)];
                Statement::If { condition, then, otherwise: Vec::new() }
            };
            let last = || Expression::Ranks.plus(-1);
            body.insert(0, neighbour(last(), NEXT, Expression::NoProcess));
            body.insert(0, neighbour(Expression::Literal(0), PREVIOUS, Expression::NoProcess));
            body.push(neighbour(last(), NEXT, Expression::Literal(0)));
            body.push(neighbour(Expression::Literal(0), PREVIOUS, last()));
        }
        let noises = self.random.usize(0..5);
        for _ in 0..noises {
            let at = self.random.usize(0..=body.len());
            let noise = self.noise(1, None);
            body.splice(at..at, noise);
        }
        if self.chance(30) {
            body = vec![Statement::Loop {
                variable: TIME,
                lower: Expression::Literal(1),
                upper: Expression::Literal(self.random.i64(2..4)),
                step: 1,
                body,
            }];
        }
        if self.chance(20) {
            let procedure = self.program.procedures.len();
            self.program.procedures.push(Procedure { kind: ProcedureKind::Internal, body });
            body = vec![Statement::Call(procedure, Arguments::default())];
        }
        body
    }

    pub(super) fn in_form(&mut self, pattern: Pattern, form: Form, exchanges: &[Exchange]) -> Vec<Statement> {
        let (to, from) = pattern.peers(NEXT, PREVIOUS);
        let (can_send, can_receive) = pattern.conditions();
        let mut fills = Vec::new();
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        let mut waits = Vec::new();
        let mut uses = Vec::new();
        let mut both = Vec::new();
        let guarded = |condition: &Option<Condition>, statement: Statement| match condition {
            Some(condition) => {
                Statement::If { condition: condition.clone(), then: vec![statement], otherwise: Vec::new() }
            }
            None => statement,
        };
        let array = (form.waits_for_all() && !exchanges.is_empty()).then(|| self.request(Some(2 * exchanges.len())));
        if let Some(array) = array
            && (can_send.is_some() || can_receive.is_some())
        {
            fills.push(vec![Statement::Communicate(Communication::Clear(array))]);
        }
        let mut posted: usize = 0;
        let from_anybody = self.chance(6);
        let mut handlers = Vec::new();
        for exchange in exchanges {
            let posted_before = posted;
            fills.push(self.filling(exchange.sent, exchange.sent_offset, exchange.count));
            let sent = self.message((exchange.sent, exchange.sent_offset), exchange.count, to.clone(), &exchange.tag);
            let mut received =
                self.message((exchange.received, exchange.received_offset), exchange.room, from.clone(), &exchange.tag);
            if from_anybody {
                received.peer = None;
            }
            let is_replaced = form.is_both() && self.chance(50);
            if is_replaced {
                let Message { peer: source, tag: source_tag, .. } = received;
                both.push(Statement::Communicate(Communication::Replace { sent, source, source_tag }));
            } else if form.is_both() {
                both.push(Statement::Communicate(Communication::SendReceive { sent, received }));
            } else {
                let mut place =
                    |generator: &mut Self, blocks: bool, condition: &Option<Condition>, waits: &mut Vec<Statement>| {
                        if blocks {
                            return None;
                        }
                        if let Some(variable) = array {
                            posted += 1;
                            return Some(RequestPlace { variable, element: Some(literal(posted)) });
                        }
                        let place = RequestPlace { variable: generator.request(None), element: None };
                        if generator.chance(12) && condition.is_none() {
                            waits.extend(generator.tests_of(&place));
                        }
                        waits.push(guarded(condition, Statement::Communicate(Communication::Wait(place.clone()))));
                        Some(place)
                    };
                let request = place(self, form.receive_blocks(), &can_receive, &mut waits);
                let receive = Statement::Communicate(Communication::Receive { message: received, request });
                receives.push(guarded(&can_receive, receive));
                let request = place(self, form.send_blocks(), &can_send, &mut waits);
                let mode = self.send_mode();
                let send = Communication::Send { message: sent, request, mode };
                sends.push(guarded(&can_send, Statement::Communicate(send)));
            }
            let (comes_into, at) = match is_replaced {
                true => (exchange.sent, exchange.sent_offset),
                false => (exchange.received, exchange.received_offset),
            };
            if array.is_some() {
                handlers.push((posted_before + 1, self.unpacking(comes_into, at, exchange.count)));
            }
            uses.push(self.using(comes_into, at, exchange.count));
            if self.chance(8) && exchanges.len() == 1 && form.receive_blocks() && can_receive.is_none() {
                let element = self.program.arrays[exchange.received].element;
                uses.push(vec![Statement::Communicate(Communication::Count(COUNT, element))]);
            }
        }
        if let Some(array) = array {
            if self.chance(45) {
                let are_active = can_send.is_none() && can_receive.is_none() && pattern != Pattern::OpenLine;
                waits.extend(self.completions(array, posted, handlers, are_active));
            } else {
                let count = literal(posted);
                waits.push(Statement::Communicate(Communication::WaitAll(array, Expression::Literal(1), count)));
            }
        }
        if self.chance(30) && array.is_none() {
            self.random.shuffle(&mut waits);
        }
        if self.chance(15) {
            self.random.shuffle(&mut sends);
        }
        let fills_and_sends = if self.chance(40) && !form.is_both() {
            // Each message is sent as soon as it is filled.
            let mut sends = sends.into_iter();
            let mut merged: Vec<Statement> = Vec::new();
            let skip = fills.len() - exchanges.len();
            for (number, fill) in fills.into_iter().enumerate() {
                merged.extend(fill);
                if number >= skip {
                    merged.extend(sends.next());
                }
            }
            merged
        } else {
            fills.into_iter().flatten().chain(sends).collect()
        };
        let uses = uses.into_iter().flatten();
        if form.receives_first() {
            receives.into_iter().chain(fills_and_sends).chain(waits).chain(uses).collect()
        } else {
            fills_and_sends.into_iter().chain(both).chain(receives).chain(waits).chain(uses).collect()
        }
    }
}
