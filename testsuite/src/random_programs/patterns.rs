//! Who exchanges messages with whom, and with which calls.

use fastrand::Rng;

use super::program::{Condition, Expression, Operator, Relation, ScalarId};

/// Who exchanges messages with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Everybody sends to the next rank; the last one to the first.
    Ring,
    /// The other way round.
    RingBackwards,
    /// As a ring, without variables for the neighbours.
    RingInline,
    /// Everybody but the last rank sends to the next one.
    Line,
    /// Everybody but the first rank sends to the one before.
    LineBackwards,
    /// As a ring that is cut open: the neighbour of the first rank before it, and of the last one behind it, is nobody.
    OpenLine,
    /// Ranks 0 and 1 exchange messages.
    Pair,
    /// Rank 1 sends to rank 0.
    OneWay,
}

impl Pattern {
    /// Any of them.
    pub fn choose(random: &mut Rng) -> Self {
        use Pattern::{Line, LineBackwards, OneWay, OpenLine, Pair, Ring, RingBackwards, RingInline};
        let all = [Ring, Ring, Ring, RingBackwards, RingInline, Line, Line, LineBackwards, OpenLine, Pair, OneWay];
        all[random.usize(0..all.len())]
    }

    /// Any of those in which every rank sends and receives.
    pub fn choose_of_all(random: &mut Rng) -> Self {
        let all = [Self::Ring, Self::Ring, Self::RingBackwards, Self::RingInline];
        all[random.usize(0..all.len())]
    }

    /// To whom and from whom.
    pub fn peers(self, next: ScalarId, previous: ScalarId) -> (Expression, Expression) {
        use Expression::{Rank, Ranks, Scalar};
        let modulo = |expression: Expression| Expression::binary(expression, Operator::Modulo, Ranks);
        match self {
            Self::Ring | Self::OpenLine => (Scalar(next), Scalar(previous)),
            Self::RingBackwards => (Scalar(previous), Scalar(next)),
            Self::RingInline => {
                let before = Expression::binary(Rank, Operator::Add, Ranks.plus(-1));
                (modulo(Rank.plus(1)), modulo(before))
            }
            Self::Line => (Rank.plus(1), Rank.plus(-1)),
            Self::LineBackwards => (Rank.plus(-1), Rank.plus(1)),
            Self::Pair => {
                let other = Expression::binary(Expression::Literal(1), Operator::Subtract, Rank);
                (other.clone(), other)
            }
            Self::OneWay => (Expression::Literal(0), Expression::Literal(1)),
        }
    }

    /// Who sends and who receives; nothing: everybody.
    pub fn conditions(self) -> (Option<Condition>, Option<Condition>) {
        let rank_is = |relation, right| Some(Condition { left: Expression::Rank, relation, right });
        let is_not_last = || rank_is(Relation::Less, Expression::Ranks.plus(-1));
        let is_not_first = || rank_is(Relation::NotLess, Expression::Literal(1));
        match self {
            Self::Ring | Self::RingBackwards | Self::RingInline | Self::OpenLine => (None, None),
            Self::Line => (is_not_last(), is_not_first()),
            Self::LineBackwards => (is_not_first(), is_not_last()),
            Self::Pair => {
                let is_one_of_two = || rank_is(Relation::Less, Expression::Literal(2));
                (is_one_of_two(), is_one_of_two())
            }
            Self::OneWay => {
                (rank_is(Relation::Equal, Expression::Literal(1)), rank_is(Relation::Equal, Expression::Literal(0)))
            }
        }
    }
}

/// With which calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The receive is posted, the message filled and sent, the receive waited for.
    PostedFirst,
    /// Sends, then receives.
    Blocking,
    /// Receives, then sends: a pipeline.
    ReceiveThenSend,
    /// The send does not block, the receive does.
    SendInBackground,
    /// Nothing blocks, each request has a variable.
    Background,
    /// As that, and the receives are posted first.
    BackgroundPostedFirst,
    /// Nothing blocks, the requests are in an array.
    All,
    /// As that, and the receives are posted first.
    AllPostedFirst,
    /// One call for both.
    Both,
}

impl Form {
    /// Any of them.
    pub fn choose(random: &mut Rng) -> Self {
        let all = [
            Self::PostedFirst,
            Self::PostedFirst,
            Self::Blocking,
            Self::Blocking,
            Self::ReceiveThenSend,
            Self::SendInBackground,
            Self::SendInBackground,
            Self::Background,
            Self::BackgroundPostedFirst,
            Self::All,
            Self::AllPostedFirst,
            Self::Both,
        ];
        all[random.usize(0..all.len())]
    }

    /// Are the requests in an array that one call waits for?
    pub fn waits_for_all(self) -> bool {
        matches!(self, Self::All | Self::AllPostedFirst)
    }

    /// Does one call send and receive?
    pub fn is_both(self) -> bool {
        self == Self::Both
    }

    /// Does the receive block?
    pub fn receive_blocks(self) -> bool {
        matches!(self, Self::Blocking | Self::ReceiveThenSend | Self::SendInBackground)
    }

    /// Does the send block?
    pub fn send_blocks(self) -> bool {
        matches!(self, Self::PostedFirst | Self::Blocking | Self::ReceiveThenSend)
    }

    /// Do the receives come first?
    pub fn receives_first(self) -> bool {
        matches!(self, Self::PostedFirst | Self::ReceiveThenSend | Self::BackgroundPostedFirst | Self::AllPostedFirst)
    }
}
