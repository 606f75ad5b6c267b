//! Changes of expressions in place, wherever statements hold them.

use super::{
    Communication, Datatype, Expression, ExpressionKind, Loop, MatchedReceive, Message, Operation, Participation,
    Partner, StatementKind, Status, Subscript,
};

impl Expression {
    /// Hands every part of the expression to `change`, inner ones first.
    pub fn rewrite(&mut self, change: &mut dyn FnMut(&mut Expression)) {
        for part in self.children_mut() {
            part.rewrite(change);
        }
        change(self);
    }

    fn children_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            ExpressionKind::Integer(_)
            | ExpressionKind::Logical(_)
            | ExpressionKind::Literal
            | ExpressionKind::Symbol(_)
            | ExpressionKind::Opaque(_) => Vec::new(),
            ExpressionKind::Element { subscripts: parts, .. }
            | ExpressionKind::Part { selectors: parts, .. }
            | ExpressionKind::Call { arguments: parts, .. }
            | ExpressionKind::ArrayConstructor(parts)
            | ExpressionKind::Computed(parts) => parts.iter_mut().collect(),
            ExpressionKind::Section { subscripts, .. } => {
                subscripts.iter_mut().flat_map(Subscript::children_mut).collect()
            }
            ExpressionKind::Unary { operand, .. } => vec![&mut **operand],
            ExpressionKind::Binary { left, right, .. } => vec![&mut **left, &mut **right],
        }
    }
}

impl Subscript {
    fn children_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Subscript::Index(index) | Subscript::Vector(index) => vec![index],
            Subscript::Range { lower, upper, stride } => [lower, upper, stride].into_iter().flatten().collect(),
        }
    }
}

impl StatementKind {
    /// The expressions of the statement itself, not those of statements that it holds; some of them may say the same twice.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            StatementKind::Assign { target, value, .. } => vec![target, value],
            StatementKind::Loop(Loop { lower, upper, step, .. }) => {
                [lower, upper].into_iter().chain(step.as_mut()).collect()
            }
            StatementKind::While { condition, .. } => condition.iter_mut().collect(),
            StatementKind::If { arms, .. } => arms.iter_mut().map(|arm| &mut arm.condition).collect(),
            StatementKind::Select { selectors, .. } => selectors.iter_mut().collect(),
            StatementKind::Scope(scope) => scope.evaluated.iter_mut().collect(),
            StatementKind::Call { arguments, .. } => arguments.iter_mut().collect(),
            StatementKind::Communication(communication) => communication.expressions_mut(),
            StatementKind::InputOutput { reads, writes, .. } => reads.iter_mut().chain(writes).collect(),
            StatementKind::Lifetime { variables, reads, allocations, .. } => {
                let dimensions = allocations.iter_mut().flat_map(|allocation| &mut allocation.dimensions).flatten();
                let bounds = dimensions.flat_map(|it| [&mut it.lower, &mut it.upper]).flatten();
                variables.iter_mut().chain(reads).chain(bounds).collect()
            }
            StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Jump
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Nothing
            | StatementKind::Opaque(_) => Vec::new(),
        }
    }
}

impl Communication {
    fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let mut found: Vec<&mut Expression> = match &mut self.operation {
            Operation::Initialize { accesses } => accesses.iter_mut().collect(),
            Operation::Finalize => Vec::new(),
            Operation::Send { message, request, .. } => message.expressions_mut().into_iter().chain(request).collect(),
            Operation::Receive { message, request, status } => {
                message.expressions_mut().into_iter().chain(request).chain(status.variable_mut()).collect()
            }
            Operation::SendReceive { send, receive, status, .. } => {
                let messages = send.expressions_mut().into_iter().chain(receive.expressions_mut());
                messages.chain(status.variable_mut()).collect()
            }
            Operation::Wait { request, status } => [request].into_iter().chain(status.variable_mut()).collect(),
            Operation::WaitAll { count, requests, statuses } => {
                [count, requests].into_iter().chain(statuses.variable_mut()).collect()
            }
            Operation::Complete { count, requests, completed, indices, flag, statuses, .. } => {
                let stored = completed.iter_mut().chain(indices).chain(flag).chain(statuses.variable_mut());
                count.iter_mut().chain([requests]).chain(stored).collect()
            }
            Operation::Prepare { message, request, .. } => {
                message.expressions_mut().into_iter().chain([request]).collect()
            }
            Operation::Start { count, requests } => count.iter_mut().chain([requests]).collect(),
            Operation::Release { request } => vec![request],
            Operation::Inquiry { reads, writes } => reads.iter_mut().chain(writes).collect(),
            Operation::CreateDatatype { constructor, created } => {
                constructor.arguments.iter_mut().chain([created]).collect()
            }
            Operation::CreateCommunicator { parent, reads, created } => {
                parent.iter_mut().chain(reads).chain([created]).collect()
            }
            Operation::Other { arguments, participation, .. } => {
                let taking_part: Vec<&mut Expression> = match participation {
                    Participation::None
                    | Participation::TouchesAnything
                    | Participation::ConcernsParts
                    | Participation::CallsBack { .. } => Vec::new(),
                    Participation::AllToAll { communicator, .. } => vec![communicator],
                    Participation::May { tags, communicator } => tags.iter_mut().chain(communicator).collect(),
                    Participation::Probes { partner, communicator, takes: _ } => {
                        expressions_of(partner).into_iter().chain([communicator]).collect()
                    }
                    Participation::UsesRequest { request, cancels: _ } => vec![request],
                    Participation::ReceivesMatched(receive) => {
                        let MatchedReceive { buffer, count, datatype, matched, request } = receive.as_mut();
                        [buffer, count, &mut datatype.handle, matched].into_iter().chain(request).collect()
                    }
                };
                arguments.iter_mut().chain(taking_part).collect()
            }
        };
        found.extend(&mut self.error);
        found
    }
}

fn expressions_of(partner: &mut Partner) -> Vec<&mut Expression> {
    match partner {
        Partner::Process { peer, tag } => vec![peer, tag],
        Partner::Everyone => Vec::new(),
        Partner::EveryoneInBlocks { displacements } => vec![displacements],
    }
}

impl Message {
    fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let Message { buffer, count, datatype: Datatype { handle, .. }, partner, communicator, condition } = self;
        let partner = expressions_of(partner);
        [buffer, count, handle, communicator].into_iter().chain(partner).chain(condition).collect()
    }
}

impl Status {
    fn variable_mut(&mut self) -> Option<&mut Expression> {
        match self {
            Status::Ignored => None,
            Status::Stored(variable) => Some(variable),
        }
    }
}
