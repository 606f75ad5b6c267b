//! Calls that complete what happens to be over, in the ways in which programs use them. What is done in between, and for which
//! message, must come to the same in whatever order that is; the interpreter sees to it.

use super::*;

/// What is done when the request of this number is over.
pub(super) type Handler = (usize, Vec<Statement>);

impl Generator {
    /// Completes the first so many requests of an array. `are_active`: none of them may be null.
    pub(super) fn completions(
        &mut self,
        requests: RequestId,
        count: usize,
        handlers: Vec<Handler>,
        are_active: bool,
    ) -> Vec<Statement> {
        let tells_places = are_active && self.program.style.interface != Interface::Module2008;
        let mut found = match self.random.usize(0..12) {
            9..=11 if tells_places && count > 1 => self.all_but_one(requests, count),
            0..=2 if tells_places => return self.one_after_the_other(requests, count, handlers),
            3 | 4 if tells_places => return self.some_at_once(requests, count, handlers),
            0 => self.drained(requests, count, CompletionKind::WaitAny),
            1 => self.drained(requests, count, CompletionKind::WaitSome),
            2 => {
                // Only the first one that is over.
                let any = self.of_all(CompletionKind::WaitAny, requests, count);
                vec![any]
            }
            3..=5 => self.computed_until_over(requests, count),
            _ => self.tested_in_vain(requests, count),
        };
        if self.chance(15) {
            let first = self.random.usize(1..=count);
            let wait = RequestPlace { variable: requests, element: Some(literal(first)) };
            found.push(Statement::Communicate(Communication::Wait(wait)));
        }
        let wait = Communication::WaitAll(requests, Expression::Literal(1), literal(count));
        found.push(Statement::Communicate(wait));
        found.extend(handlers.into_iter().flat_map(|(_, handler)| handler));
        found
    }

    /// A test, now and then, of a request that is waited for afterwards.
    pub(super) fn tests_of(&mut self, place: &RequestPlace) -> Vec<Statement> {
        let answer = self.integer(Home::Main);
        let test = Statement::Communicate(Communication::Complete(Completion {
            kind: CompletionKind::Test,
            first: place.clone(),
            count: Expression::Literal(1),
            answer,
            places: None,
        }));
        if self.chance(30) {
            return vec![test];
        }
        let variable = self.integer(Home::Main);
        let mut body = self.idle_work(None);
        body.push(test);
        if self.chance(50) {
            body.push(Statement::Exit(is_equal(answer, 1)));
        }
        vec![counted(variable, 1, self.random.i64(1..4), body)]
    }

    /// A call for the first so many requests.
    fn of_all(&mut self, kind: CompletionKind, requests: RequestId, count: usize) -> Statement {
        let home = self.pick(&[Home::Main, Home::Main, Home::Module, Home::Common]);
        let answer = self.integer(home);
        self.of_all_into(kind, (requests, count), answer).0
    }

    pub(super) fn of_all_into(
        &mut self,
        kind: CompletionKind,
        (requests, count): (RequestId, usize),
        answer: ScalarId,
    ) -> (Statement, Option<ArrayId>) {
        let places = kind.tells_places().then(|| {
            let (element, home) = (Element::Integer, Home::Main);
            self.program.arrays.push(Array { element, home, length: count, rows: count, first: 1 });
            let places = self.program.arrays.len() - 1;
            // Nothing else uses them, and what they hold at the end depends on the order.
            self.copies.push(places);
            places
        });
        let first = RequestPlace { variable: requests, element: Some(Expression::Literal(1)) };
        let completion = Completion { kind, first, count: literal(count), answer, places };
        (Statement::Communicate(Communication::Complete(completion)), places)
    }

    /// Waits for all but one, and then for any: that is the one that is left.
    fn all_but_one(&mut self, requests: RequestId, count: usize) -> Vec<Statement> {
        let left = self.random.usize(1..=count);
        let mut found: Vec<Statement> = (1..=count)
            .filter(|&element| element != left)
            .map(|element| RequestPlace { variable: requests, element: Some(literal(element)) })
            .map(|place| Statement::Communicate(Communication::Wait(place)))
            .collect();
        self.random.shuffle(&mut found);
        let answer = self.integer(Home::Main);
        let kind = self.pick(&[CompletionKind::WaitAny, CompletionKind::WaitAny, CompletionKind::WaitSome]);
        let (any, places) = self.of_all_into(kind, (requests, count), answer);
        found.push(any);
        let told = match places {
            Some(places) => Expression::Element(places, vec![Expression::Literal(1)]),
            None => Expression::Scalar(answer),
        };
        let sum = Expression::binary(Expression::Scalar(OTHER), Operator::Add, told);
        found.push(Statement::SetInteger(OTHER, sum.modulo(7).plus(1)));
        found.extend(self.idle_work(None));
        found
    }

    /// As many waits for any as there are requests; what has come is used at once.
    fn one_after_the_other(&mut self, requests: RequestId, count: usize, handlers: Vec<Handler>) -> Vec<Statement> {
        let answer = self.integer(Home::Main);
        let (any, _) = self.of_all_into(CompletionKind::WaitAny, (requests, count), answer);
        let mut body = vec![any];
        body.extend(by_place(&Expression::Scalar(answer), handlers));
        let variable = self.integer(Home::Main);
        vec![counted(variable, 1, count as i64, body)]
    }

    /// Waits for some until there are none; what has come is used at once.
    fn some_at_once(&mut self, requests: RequestId, count: usize, handlers: Vec<Handler>) -> Vec<Statement> {
        let (answer, done) = (self.integer(Home::Main), self.integer(Home::Main));
        let (some, places) = self.of_all_into(CompletionKind::WaitSome, (requests, count), answer);
        let number = self.integer(Home::Main);
        let mut body = vec![some];
        if let Some(places) = places {
            let place = Expression::Element(places, vec![Expression::Scalar(number)]);
            body.push(Statement::Loop {
                variable: number,
                lower: Expression::Literal(1),
                upper: Expression::Scalar(answer),
                step: 1,
                body: by_place(&place, handlers),
            });
        }
        let sum = Expression::binary(Expression::Scalar(done), Operator::Add, Expression::Scalar(answer));
        body.push(Statement::SetInteger(done, sum));
        body.push(Statement::Exit(is_equal(done, count as i64)));
        let variable = self.integer(Home::Main);
        vec![Statement::SetInteger(done, Expression::Literal(0)), counted(variable, 1, count as i64, body)]
    }

    /// Waits that nobody asks what they have completed.
    fn drained(&mut self, requests: RequestId, count: usize, kind: CompletionKind) -> Vec<Statement> {
        let call = self.of_all(kind, requests, count);
        let variable = self.integer(Home::Main);
        let mut body = vec![call];
        if self.chance(50) {
            body.extend(self.idle_work(Some(&Expression::Scalar(variable))));
        }
        let most = self.random.i64(1..=count as i64);
        vec![counted(variable, 1, most, body)]
    }

    /// Work that goes on until a test says that all are over, and is done to its end in any case.
    fn computed_until_over(&mut self, requests: RequestId, count: usize) -> Vec<Statement> {
        let length = self.random.usize(4..20);
        self.program.arrays.push(Array { element: Element::Double, home: Home::Main, length, rows: length, first: 1 });
        let array = self.program.arrays.len() - 1;
        let (answer, done, variable) = (self.integer(Home::Main), self.integer(Home::Main), self.integer(Home::Main));
        let value = |position: Expression| {
            Value::binary(Value::Integer(position.modulo(7)), Operator::Multiply, Value::Scalar(FACTOR))
        };
        let next = Expression::Scalar(done).plus(1);
        let (test, _) = self.of_all_into(CompletionKind::TestAll, (requests, count), answer);
        let body = vec![
            test,
            Statement::Exit(is_equal(answer, 1)),
            Statement::SetInteger(done, next),
            Statement::Store(array, vec![Expression::Scalar(done)], value(Expression::Scalar(done))),
        ];
        let [i, ..] = LOOP_VARIABLES;
        let rest = Statement::Loop {
            variable: i,
            lower: Expression::Scalar(done).plus(1),
            upper: literal(length),
            step: 1,
            body: vec![Statement::Store(array, vec![Expression::Scalar(i)], value(Expression::Scalar(i)))],
        };
        let rounds = self.random.i64(1..=4);
        vec![Statement::SetInteger(done, Expression::Literal(0)), counted(variable, 1, rounds, body), rest]
    }

    /// Work with tests in it whose answers nobody looks at.
    fn tested_in_vain(&mut self, requests: RequestId, count: usize) -> Vec<Statement> {
        let kind = self.pick(&[CompletionKind::TestAll, CompletionKind::TestAny, CompletionKind::TestSome]);
        if self.chance(40) {
            let place = RequestPlace { variable: requests, element: Some(literal(self.random.usize(1..=count))) };
            return self.tests_of(&place);
        }
        let test = self.of_all(kind, requests, count);
        let variable = self.integer(Home::Main);
        let mut body = self.idle_work(Some(&Expression::Scalar(variable)));
        body.push(test);
        vec![counted(variable, 1, self.random.i64(1..4), body)]
    }

    /// Work that comes to the same however often it is done.
    pub(super) fn idle_work(&mut self, position: Option<&Expression>) -> Vec<Statement> {
        let length = self.random.usize(4..40);
        self.program.arrays.push(Array { element: Element::Double, home: Home::Main, length, rows: length, first: 1 });
        let array = self.program.arrays.len() - 1;
        let [i, ..] = LOOP_VARIABLES;
        let number = match position {
            Some(position) if self.chance(50) => {
                Expression::binary(Expression::Scalar(i), Operator::Add, position.clone())
            }
            _ => Expression::Scalar(i),
        };
        let value = Value::binary(Value::Integer(number.modulo(9)), Operator::Multiply, Value::Scalar(FACTOR));
        vec![counted(i, 1, length as i64, vec![Statement::Store(array, vec![Expression::Scalar(i)], value)])]
    }
}

fn is_equal(scalar: ScalarId, number: i64) -> Condition {
    Condition { left: Expression::Scalar(scalar), relation: Relation::Equal, right: Expression::Literal(number) }
}

/// What is done for the request at this place.
fn by_place(place: &Expression, handlers: Vec<Handler>) -> Vec<Statement> {
    let choice = |(number, then): Handler| Statement::If {
        condition: Condition { left: place.clone(), relation: Relation::Equal, right: literal(number) },
        then,
        otherwise: Vec::new(),
    };
    handlers.into_iter().map(choice).collect()
}
