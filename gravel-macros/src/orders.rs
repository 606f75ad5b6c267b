//! Messages that could be taken for one another keep the order of their calls: that of the posts of receives, and of the beginnings of sends.
//!
//! The middle end keeps it where it moves both. Here one of them may stay because of a directive, or of what a region adds, and then the
//! other one must not pass it.

use gravelc::analysis::algebra::symbolic::polynomial_of;
use gravelc::ir::{Direction, Expression, Partner};
use gravelc::plan::ReasonCode;

use crate::moves::{Half, Why};
use crate::regions::Block;

impl Block<'_> {
    /// No message begins before one that stands above it and has its key.
    pub fn keep_order(&self, all: &mut [Half]) {
        for later in 1..all.len() {
            for earlier in 0..later {
                let (before, behind) = all.split_at_mut(later);
                let (one, other) = (&before[earlier], &mut behind[0]);
                if one.call < other.call && self.may_be_taken_for(one, other) {
                    self.begin_behind(one, other);
                }
            }
        }
    }

    fn begin_behind(&self, one: &Half, other: &mut Half) {
        let line = self.nodes[one.call].span.start().line;
        let why = || {
            Why::new(
                ReasonCode::OrderInBetween,
                format!("the call at line {line} could take or send the same message, and has to begin before"),
            )
        };
        let is_exchange = self.end_of(other).is_exchange();
        match other.direction {
            Direction::Received if other.begin < one.begin => {
                other.stopped.get_or_insert_with(why);
                other.begin = one.begin;
            }
            // Tiles end where blocks do, of one exchange: a loop that fills several is cut for the first one.
            Direction::Sent
                if other.begin < one.begin || is_exchange && other.cut.is_some() && other.begin == one.begin =>
            {
                other.drop_cut(&why());
                other.begin = other.call;
            }
            _ => {}
        }
    }

    /// Could a message be one of the other's? Exchanges are matched by their order alone.
    fn may_be_taken_for(&self, one: &Half, other: &Half) -> bool {
        if one.direction != other.direction || self.end_of(one).is_exchange() != self.end_of(other).is_exchange() {
            return false;
        }
        match (&self.message_of(one).partner, &self.message_of(other).partner) {
            (Partner::Process { peer, tag }, Partner::Process { peer: other_peer, tag: other_tag }) => {
                !self.differ(peer, other_peer) && !self.differ(tag, other_tag)
            }
            _ => true,
        }
    }

    /// Are the numbers certainly not the same? Both are numbers of one place: what is needed in front of a region does not change in it.
    fn differ(&self, one: &Expression, other: &Expression) -> bool {
        let value = |expression| polynomial_of(self.procedure(), expression);
        let difference = value(one).zip(value(other)).and_then(|(one, other)| one.checked_subtract(&other));
        difference.and_then(|difference| difference.as_constant()).is_some_and(|difference| difference != 0)
    }
}
