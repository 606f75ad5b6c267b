//! Which elements of an array a message is made of.

use std::collections::BTreeSet;
use std::ops::Range;

/// Elements, in the order in which they are sent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Places {
    /// All of them lie in here.
    around: Range<usize>,
    /// Those that are not all that lies there in its order: as they are sent, and sorted.
    listed: Option<(Vec<usize>, Vec<usize>)>,
}

impl Places {
    pub(super) fn range(range: Range<usize>) -> Self {
        Self { around: range, listed: None }
    }

    pub(super) fn list(order: Vec<usize>) -> Self {
        let first = order.first().copied().unwrap_or(0);
        if order.iter().zip(first..).all(|(&place, expected)| place == expected) {
            return Self::range(first..first + order.len());
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let around = sorted[0]..sorted[sorted.len() - 1] + 1;
        Self { around, listed: Some((order, sorted)) }
    }

    pub(super) fn none() -> Self {
        Self::range(0..0)
    }

    pub(super) fn len(&self) -> usize {
        self.listed.as_ref().map_or(self.around.len(), |(order, _)| order.len())
    }

    pub(super) fn contains(&self, place: usize) -> bool {
        let is_listed = |(_, sorted): &(Vec<usize>, Vec<usize>)| sorted.binary_search(&place).is_ok();
        self.around.contains(&place) && self.listed.as_ref().is_none_or(is_listed)
    }

    pub(super) fn intersects(&self, other: &Self) -> bool {
        self.around.start < other.around.end
            && other.around.start < self.around.end
            && self.iter().any(|place| other.contains(place))
    }

    /// Is one element there twice?
    pub(super) fn repeats(&self) -> bool {
        self.listed.as_ref().is_some_and(|(order, _)| order.iter().collect::<BTreeSet<_>>().len() < order.len())
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match &self.listed {
            Some((order, _)) => Box::new(order.iter().copied()),
            None => Box::new(self.around.clone()),
        }
    }
}
