//! Which objects of a program a name may stand for.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The objects in which the memory of a name may lie: variables, and the places where memory is allocated, by their numbers in the
/// program. What is known of pointers in this way holds for the whole program, at any time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryObjects {
    /// Objects of the program.
    pub own: Arc<BTreeSet<u32>>,
    /// It may be memory of which the program's text does not tell, or that code which is not given knows.
    pub may_be_others: bool,
    /// Code that is not given knows one of the objects.
    pub are_known_to_others: bool,
}

impl MemoryObjects {
    /// Stands for memory of which the program's text does not tell, where a number is wanted.
    pub const OTHERS: u32 = 0;

    /// May both be in one object?
    pub fn may_meet(&self, other: &Self) -> bool {
        let is_known = |one: &Self| one.may_be_others || one.are_known_to_others;
        self.may_be_others && is_known(other)
            || other.may_be_others && is_known(self)
            || self.own.intersection(&other.own).next().is_some()
    }

    /// May it be in the object of this number?
    pub fn may_be(&self, object: u32) -> bool {
        match object {
            Self::OTHERS => self.may_be_others || self.are_known_to_others,
            _ => self.own.contains(&object),
        }
    }

    /// The numbers of all of them.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.own.iter().copied().chain(self.may_be_others.then_some(Self::OTHERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(own: &[u32], may_be_others: bool, are_known_to_others: bool) -> MemoryObjects {
        MemoryObjects { own: Arc::new(own.iter().copied().collect()), may_be_others, are_known_to_others }
    }

    #[test]
    fn what_others_know_may_be_what_comes_from_them() {
        let (one, two, known) =
            (objects(&[1], false, false), objects(&[2, 3], false, false), objects(&[4], false, true));
        assert!(!one.may_meet(&two) && !two.may_meet(&known) && one.may_meet(&one));
        assert!(two.may_meet(&objects(&[3, 7], false, false)));
        let outside = objects(&[], true, false);
        assert!(outside.may_meet(&known) && known.may_meet(&outside) && outside.may_meet(&outside));
        assert!(!outside.may_meet(&one) && !one.may_meet(&outside));
        assert!(known.may_be(MemoryObjects::OTHERS) && !one.may_be(MemoryObjects::OTHERS) && two.may_be(3));
        assert_eq!(objects(&[5], true, false).numbers().collect::<Vec<_>>(), [5, MemoryObjects::OTHERS]);
    }
}
