//! Calls that complete what happens to be over, between others for the same requests: waits in front of them, which say what is
//! left to be told of, and posts behind them, which use requests again that are null by then.

use super::*;

/// A message of a group: what is received where, with which requests.
struct Pair {
    received: ArrayId,
    receive: RequestPlace,
    send: RequestPlace,
    count: usize,
}

impl Generator {
    /// Ranks exchange messages and are told of them.
    pub(super) fn told(&mut self) -> Vec<Statement> {
        let pairs = self.pick(&[1, 1, 2]);
        let requests = self.request(Some(2 * pairs));
        let mut places: Vec<RequestPlace> = (1..=2 * pairs)
            .map(|element| RequestPlace { variable: requests, element: Some(literal(element)) })
            .collect();
        self.random.shuffle(&mut places);
        let pattern = Pattern::choose_of_all(&mut self.random);
        let (mut body, group) = self.posted_group(pattern, &places);
        if self.chance(75) {
            body.extend(self.idle_work(None));
        }
        let is_repeated = match self.random.usize(0..10) {
            0..5 => {
                body.extend(self.left_to_tell(requests, &group));
                body.extend(self.read_of_group(&group));
                self.chance(40)
            }
            _ => {
                body.extend(self.used_again(pattern, requests, &group));
                self.chance(30)
            }
        };
        if is_repeated {
            body = vec![counted(TIME, 1, self.random.i64(2..4), body)];
        }
        if self.chance(20) {
            self.program.procedures.push(Procedure { kind: ProcedureKind::Internal, body });
            body = vec![Statement::Call(self.program.procedures.len() - 1, Arguments::default())];
        }
        body
    }

    /// Posts of receives and sends, each with another one of these requests.
    fn posted_group(&mut self, pattern: Pattern, places: &[RequestPlace]) -> (Vec<Statement>, Vec<Pair>) {
        let (to, from) = pattern.peers(NEXT, PREVIOUS);
        let (mut receives, mut sends, mut group) = (Vec::new(), Vec::new(), Vec::new());
        for pair in places.chunks_exact(2) {
            let (receive, send) = (pair[0].clone(), pair[1].clone());
            let element = self.element();
            // Those that end at once, mostly.
            let count = if self.chance(80) { self.random.usize(1..100) } else { self.extent };
            let (sent, received) = (self.vector(element, count), self.vector(element, count));
            let tag = self.tag();
            let message = |array: ArrayId, peer: &Expression| Message {
                array,
                index: Index::new(),
                count: literal(count),
                datatype: None,
                peer: Some(peer.clone()),
                tag: tag.clone(),
            };
            let mode = SendMode::Standard;
            let (coming, going) = (message(received, &from), message(sent, &to));
            let communicate = Statement::Communicate;
            receives.push(communicate(Communication::Receive { message: coming, request: Some(receive.clone()) }));
            sends.push(communicate(Communication::Send { message: going, request: Some(send.clone()), mode }));
            group.push(Pair { received, receive, send, count });
        }
        let posts = if self.chance(70) { [receives, sends] } else { [sends, receives] };
        (posts.concat(), group)
    }

    /// A vector that has values from the beginning.
    fn vector(&mut self, element: Element, length: usize) -> ArrayId {
        let home = self.pick(&[Home::Main, Home::Main, Home::Saved, Home::Module, Home::Common]);
        self.program.arrays.push(Array { element, home, length, rows: length, first: 1 });
        self.program.arrays.len() - 1
    }

    /// Waits for all sends, or all but the last receive. What is told then is kept, and is the same in any order.
    fn left_to_tell(&mut self, requests: RequestId, group: &[Pair]) -> Vec<Statement> {
        let communicate = Statement::Communicate;
        let mut waits: Vec<Statement> =
            group.iter().map(|pair| communicate(Communication::Wait(pair.send.clone()))).collect();
        let mut left = group.len();
        if left > 1 && self.chance(50) {
            left -= 1;
            waits.insert(0, communicate(Communication::Wait(group[left].receive.clone())));
        }
        let tells_places = self.program.style.interface != Interface::Module2008;
        let count = 2 * group.len();
        let kind = self.pick(&[CompletionKind::WaitAny, CompletionKind::WaitAny, CompletionKind::WaitSome]);
        if left == 1 && tells_places {
            let answer = self.integer(Home::Main);
            let (call, places) = self.of_all_into(kind, (requests, count), answer);
            waits.push(call);
            let told = match places {
                Some(places) => Expression::Element(places, vec![Expression::Literal(1)]),
                None => Expression::Scalar(answer),
            };
            waits.push(self.added_up(Value::Integer(told), &Expression::Literal(1)));
        } else {
            // In whatever order: each of them once.
            let answer = self.integer(Home::Main);
            let (call, _) = self.of_all_into(CompletionKind::WaitAny, (requests, count), answer);
            let mut body = vec![call];
            if tells_places {
                body.push(self.added_up(Value::Integer(Expression::Scalar(answer)), &Expression::Literal(1)));
            }
            let variable = self.integer(Home::Main);
            waits.push(counted(variable, 1, left as i64, body));
        }
        waits.extend(self.idle_work(None));
        waits
    }

    /// What has come is read.
    fn read_of_group(&mut self, group: &[Pair]) -> Vec<Statement> {
        let [i, ..] = LOOP_VARIABLES;
        let reads = group.iter().map(|pair| {
            let position = Expression::Scalar(i);
            let read = self.added_up(Value::Element(pair.received, vec![position.clone()]), &position);
            counted(i, 1, pair.count as i64, vec![read])
        });
        reads.collect()
    }

    /// Once all are over, in whatever order, their requests are used for other messages.
    fn used_again(&mut self, pattern: Pattern, requests: RequestId, group: &[Pair]) -> Vec<Statement> {
        let count = 2 * group.len();
        let mut places: Vec<RequestPlace> =
            group.iter().flat_map(|pair| [pair.receive.clone(), pair.send.clone()]).collect();
        self.random.shuffle(&mut places);
        let (answer, variable) = (self.integer(Home::Main), self.integer(Home::Main));
        let mut body = Vec::new();
        match self.random.usize(0..6) {
            0..3 => {
                let (any, _) = self.of_all_into(CompletionKind::WaitAny, (requests, count), answer);
                body.push(counted(variable, 1, count as i64, vec![any]));
            }
            3 | 4 => {
                for _ in 0..count {
                    body.push(self.of_all_into(CompletionKind::WaitAny, (requests, count), answer).0);
                }
            }
            _ => {
                let done = self.integer(Home::Main);
                let (some, _) = self.of_all_into(CompletionKind::WaitSome, (requests, count), answer);
                let sum = Expression::binary(Expression::Scalar(done), Operator::Add, Expression::Scalar(answer));
                let exit = Statement::Exit(Condition {
                    left: Expression::Scalar(done),
                    relation: Relation::Equal,
                    right: literal(count),
                });
                body.push(Statement::SetInteger(done, Expression::Literal(0)));
                body.push(counted(variable, 1, count as i64, vec![some, Statement::SetInteger(done, sum), exit]));
            }
        }
        if self.chance(70) {
            body.extend(self.read_of_group(group));
        }
        if self.chance(50) {
            body.extend(self.idle_work(None));
        }
        let (posts, again) = self.posted_group(pattern, &places);
        body.extend(posts);
        body.extend(self.idle_work(None));
        let wait = Communication::WaitAll(requests, Expression::Literal(1), literal(count));
        body.push(Statement::Communicate(wait));
        body.extend(self.read_of_group(&again));
        body
    }
}
