//! The requests of an interpreted program, and what completes them.

use super::*;

/// In which order what is over is completed, where MPI leaves that open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    /// Tests find nothing that is over, and waits for any wait for as long as something can still come.
    is_patient: bool,
    /// The last one that is over comes first.
    from_behind: bool,
    /// All that are over are completed at once, where a call can do that.
    together: bool,
    /// Tests find something every other time only.
    every_other_time: bool,
}

impl Order {
    /// Orders in which of each two operations each is completed first now and then, late and early, whichever rank waits.
    pub(super) const ALL: [Self; 6] = [
        Self { is_patient: false, from_behind: false, together: false, every_other_time: false },
        Self { is_patient: false, from_behind: true, together: true, every_other_time: false },
        Self { is_patient: true, from_behind: false, together: false, every_other_time: false },
        Self { is_patient: true, from_behind: false, together: true, every_other_time: false },
        Self { is_patient: true, from_behind: true, together: true, every_other_time: false },
        Self { is_patient: false, from_behind: true, together: true, every_other_time: true },
    ];

    /// Do ranks take turns at each test, instead of going on for as long as they can?
    pub(super) fn takes_turns(self) -> bool {
        self.every_other_time
    }

    /// The ranks in the order in which they go on.
    pub(super) fn of_ranks(self, ranks: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..ranks).collect();
        if self.from_behind && !self.every_other_time {
            order.reverse();
        }
        order
    }
}

/// A request, as the program's memory knows it: the variable, and the element, from 1; of a scalar 0.
pub(super) type RequestKey = (RequestId, i64);

/// What a name for requests stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestBinding {
    pub(super) variable: RequestId,
    /// Elements in front of an array; of a scalar the element that it is.
    pub(super) base: i64,
    /// The unit in which the variable lives; nothing: in the main unit, or for as long as the program runs.
    pub(super) unit: Option<ProcedureId>,
    pub(super) length: Option<usize>,
}

impl RequestBinding {
    /// Have the two names an element in common?
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let elements = |binding: &Self| match binding.length {
            Some(length) => (binding.base + 1)..(binding.base + 1 + length as i64),
            None => binding.base..binding.base + 1,
        };
        let (one, two) = (elements(self), elements(other));
        self.variable == other.variable && one.start < two.end && two.start < one.end
    }
}

impl<'p> Process<'p> {
    /// What a name for requests stands for here.
    pub(super) fn request_root(&self, variable: RequestId) -> Result<RequestBinding, Invalid> {
        let found = self.program.requests[variable];
        let unit = match found.home {
            RequestHome::Argument(..) => return self.request_bindings[variable].ok_or("an argument is not bound"),
            RequestHome::Unit => self.unit(),
            RequestHome::Module | RequestHome::Common => None,
        };
        if self.request_bindings.iter().flatten().any(|binding| binding.variable == variable) {
            return Err("an argument is used by another name");
        }
        Ok(RequestBinding { variable, base: 0, unit, length: found.length })
    }

    /// What a call hands over.
    pub(super) fn handed_requests(&self, handed: &HandedRequests) -> Result<RequestBinding, Invalid> {
        let whole = self.request_root(handed.variable)?;
        let last = whole.length.map(|length| length as i64);
        let (first, last) = match (&handed.part, last) {
            (HandedPart::Whole, _) => return Ok(whole),
            (_, None) => return Err("a part of a scalar"),
            (HandedPart::From(first) | HandedPart::SectionFrom(first), Some(last)) => (self.integer(first)?, last),
            (HandedPart::Section(first, end), Some(last)) => {
                let end = self.integer(end)?;
                if end > last {
                    return Err("there is no such request");
                }
                (self.integer(first)?, end)
            }
        };
        let length = usize::try_from(last - first + 1).ok().filter(|&length| first >= 1 && length >= 1);
        let length = length.ok_or("there is no such request")?;
        Ok(RequestBinding { base: whole.base + first - 1, length: Some(length), ..whole })
    }

    /// The element of a name that a place means, and the unit in which its variable lives.
    pub(super) fn request(&self, place: &RequestPlace) -> Result<(RequestKey, Option<ProcedureId>), Invalid> {
        let root = self.request_root(place.variable)?;
        match (&place.element, root.length) {
            (None, None) => Ok(((root.variable, root.base), root.unit)),
            (Some(element), Some(length)) => {
                let element = self.integer(element)?;
                let exists = (1..=length as i64).contains(&element);
                let key = (root.variable, root.base + element);
                exists.then_some((key, root.unit)).ok_or("there is no such request")
            }
            _ => Err("there is no such request"),
        }
    }

    /// Neighbouring requests, which must have values.
    pub(super) fn requests(&self, first: &RequestPlace, count: &Expression) -> Result<Vec<RequestKey>, Invalid> {
        let ((variable, from), unit) = self.request(first)?;
        let count = usize::try_from(self.integer(count)?).map_err(|_| "a negative number of requests")?;
        let root = self.request_root(first.variable)?;
        let end = root.length.map_or(root.base + 1, |length| root.base + 1 + length as i64);
        if count > 0 && from + count as i64 > end {
            return Err("there is no such request");
        }
        let keys: Vec<RequestKey> = (from..).take(count).map(|element| (variable, element)).collect();
        match keys.iter().all(|key| self.requests.get(key) == Some(&unit)) {
            true => Ok(keys),
            false => Err("a request has no value"),
        }
    }

    pub(super) fn wait_for(&mut self, first: &RequestPlace, count: &Expression) -> Result<(), Invalid> {
        for key in self.requests(first, count)? {
            self.waiting.extend(self.operation_of(key));
        }
        self.received = None;
        Ok(())
    }

    pub(super) fn clear(&mut self, variable: RequestId) -> Result<(), Invalid> {
        let root = self.request_root(variable)?;
        let elements = root.length.map_or(root.base..=root.base, |length| root.base + 1..=root.base + length as i64);
        for element in elements {
            let key = (root.variable, element);
            if self.operation_of(key).is_some() {
                return Err("a request is lost");
            }
            self.requests.insert(key, root.unit);
        }
        Ok(())
    }

    /// What a request stands for; nothing: it is null.
    pub(super) fn operation_of(&self, key: RequestKey) -> Option<OperationId> {
        self.pending.iter().find(|pending| pending.request == Some(key)).map(|pending| pending.operation)
    }

    /// Carries out a call that completes what is over; those that wait may have to wait first.
    pub(super) fn complete_some(&mut self, completion: &'p Completion, messages: &mut Messages) -> Result<(), Invalid> {
        let keys = self.keys_of(completion)?;
        let operations: Vec<OperationId> = keys.iter().filter_map(|&key| self.operation_of(key)).collect();
        let asks_for_all = matches!(completion.kind, CompletionKind::Test | CompletionKind::TestAll);
        if !asks_for_all && operations.iter().any(|&operation| messages.is_with_nobody(operation)) {
            // To Open MPI it is a null request, so that others come first.
            return Err("a message to nobody is waited for among others");
        }
        if completion.kind.waits() {
            self.choosing = Some(completion);
            return Ok(());
        }
        let is_over = |operation: &OperationId| messages.is_over(*operation);
        self.tests += 1;
        let finds = !(self.order.is_patient || self.order.every_other_time && self.tests.is_multiple_of(2));
        let is_answered = match completion.kind {
            CompletionKind::Test | CompletionKind::TestAll => {
                let is_true = operations.is_empty() || finds && operations.iter().all(is_over);
                if is_true {
                    operations.iter().try_for_each(|&operation| self.end(operation, messages))?;
                }
                return self.answer(completion, Some(i64::from(is_true)));
            }
            _ => operations.is_empty() || finds && operations.iter().any(is_over),
        };
        match is_answered {
            true => self.choose(completion, messages),
            false => self.answer(completion, Some(0)),
        }
    }

    /// Does the process wait for any or some of several operations, and may it go on? `is_idle`: nobody else can.
    pub(super) fn can_choose(&self, messages: &Messages, is_idle: bool) -> Result<bool, Invalid> {
        let Some(completion) = self.choosing else { return Ok(false) };
        let keys = self.keys_of(completion)?;
        let mut operations = keys.iter().filter_map(|&key| self.operation_of(key)).peekable();
        if operations.peek().is_none() {
            return Ok(true);
        }
        let mut is_over = operations.map(|operation| messages.is_over(operation));
        Ok(match self.order.is_patient && !is_idle {
            true => is_over.all(|is_over| is_over),
            false => is_over.any(|is_over| is_over),
        })
    }

    /// Completes what is over, one operation or several.
    pub(super) fn choose(&mut self, completion: &Completion, messages: &mut Messages) -> Result<(), Invalid> {
        self.choosing = None;
        let keys = self.keys_of(completion)?;
        let active: Vec<(i64, OperationId)> =
            (1..).zip(&keys).filter_map(|(place, &key)| Some((place, self.operation_of(key)?))).collect();
        if active.is_empty() {
            return self.answer(completion, None);
        }
        let mut over: Vec<(i64, OperationId)> =
            active.into_iter().filter(|&(_, operation)| messages.is_over(operation)).collect();
        if self.order.from_behind {
            over.reverse();
        }
        if !completion.kind.tells_places() || !self.order.together {
            over.truncate(1);
        }
        for &(_, operation) in &over {
            self.end(operation, messages)?;
        }
        let places: Vec<i64> = over.iter().map(|&(place, _)| place).collect();
        if !completion.kind.tells_places() {
            return self.answer(completion, places.first().copied());
        }
        if let Some(array) = completion.places {
            let (root, from) = self.locate_start(array, &Index::new())?;
            if self.program.arrays[array].element != Element::Integer || from + keys.len() > self.end_of(array)? {
                return Err("the places of requests do not fit");
            }
            // What MPI leaves behind those that it tells, nobody knows.
            for (number, place) in (from..from + keys.len()).enumerate() {
                self.store(array, root, place, 0.0)?;
                let told = places.get(number).filter(|_| self.tells_indices());
                self.memory[root][place] = told.map(|&told| told as f64);
            }
        }
        self.answer(completion, Some(places.len() as i64))
    }

    fn keys_of(&self, completion: &Completion) -> Result<Vec<RequestKey>, Invalid> {
        self.requests(&completion.first, &completion.count)
    }

    /// Do all MPIs agree on the places that are told?
    fn tells_indices(&self) -> bool {
        self.program.style.interface != Interface::Module2008
    }

    /// Stores what a call answers; nothing: no request was active.
    fn answer(&mut self, completion: &Completion, answer: Option<i64>) -> Result<(), Invalid> {
        self.received = None;
        self.set(completion.answer, 0.0)?;
        let is_known = match completion.kind {
            CompletionKind::Test | CompletionKind::TestAll => true,
            CompletionKind::WaitAny | CompletionKind::TestAny => answer == Some(0) || self.tells_indices(),
            CompletionKind::WaitSome | CompletionKind::TestSome => true,
        };
        self.scalars[completion.answer] = answer.filter(|_| is_known).map(|answer| answer as f64);
        Ok(())
    }
}
