//! Handles of operations in flight, with generations: a stale handle is an error, never another operation.

use crate::error::{Error, Result};

/// What the application holds: slot number plus one in the low half, generation in the high half. Zero is null, and
/// valid handles are positive, so that they fit a Fortran integer of 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(i64);

/// Generations use the 31 bits below the sign.
const GENERATION_MASK: u32 = 0x7fff_ffff;
/// Marks handles of operations that consist of several others: tables have no slots from [`PERSISTENT`] on.
const COLLECTIVE: u32 = 1 << 31;
/// As [`COLLECTIVE`], for persistent operations.
const PERSISTENT: u32 = 1 << 30;

impl Handle {
    /// The null handle, which every call accepts as a completed no-op.
    pub const NULL: Self = Self(0);

    #[inline(always)]
    fn new(index: u32, generation: u32) -> Self {
        Self((i64::from(generation & GENERATION_MASK) << 32) | (i64::from(index) + 1))
    }

    /// A send that is over and that nobody has waited for: unlike the null handle, it is active, so that a wait for any of
    /// several requests tells of it. No table gives it out.
    pub const OVER: Self = Self(u32::MAX as i64 - 2);

    /// From a value that came from outside; it may name nothing.
    pub fn from_raw(raw: i64) -> Self {
        Self(raw)
    }

    /// The value that crosses the C interface and the wire.
    pub fn into_raw(self) -> i64 {
        self.0
    }

    /// A handle that no table gives out: the slot number is one that tables never reach.
    #[inline(always)]
    pub(crate) fn outside_tables(generation: u32) -> Self {
        Self::new(u32::MAX - 1, generation)
    }

    /// The generation of one of [`Handle::outside_tables`].
    #[inline(always)]
    pub(crate) fn short_generation(self) -> Option<u32> {
        let bits = self.0.cast_unsigned();
        (bits & 0xffff_ffff == u64::from(u32::MAX)).then_some((bits >> 32) as u32)
    }

    /// A request for a send that is over, which GRAVEL_CHECK has waited for all the same: no table gives it out either.
    pub(crate) fn made_up(generation: u32) -> Self {
        Self::new(u32::MAX - 2, generation)
    }

    /// Whether it is one of [`Handle::made_up`].
    pub(crate) fn is_made_up(self) -> bool {
        self.parts().is_some_and(|(index, _)| index == (u32::MAX - 2) as usize)
    }

    /// Whether no table gives it out.
    pub(crate) fn is_outside_tables(self) -> bool {
        self.parts().is_some_and(|(index, _)| index >= (u32::MAX - 3) as usize)
    }

    /// Of the table of collective operations: told apart from those of the engine's table.
    pub(crate) fn collective(self) -> Self {
        Self(self.0 | i64::from(COLLECTIVE))
    }

    /// The handle in the table of collective operations, if it is one of [`Handle::collective`].
    #[inline(always)]
    pub(crate) fn in_collectives(self) -> Option<Self> {
        let marked = self.0 > 0 && self.0 & i64::from(COLLECTIVE) != 0 && !self.is_outside_tables();
        marked.then_some(Self(self.0 & !i64::from(COLLECTIVE)))
    }

    /// Of the table of persistent operations.
    pub(crate) fn persistent(self) -> Self {
        Self(self.0 | i64::from(PERSISTENT))
    }

    /// The handle in the table of persistent operations, if it is one of [`Handle::persistent`].
    #[inline(always)]
    pub(crate) fn in_persistent(self) -> Option<Self> {
        let marks = self.0 & i64::from(COLLECTIVE | PERSISTENT);
        let marked = self.0 > 0 && marks == i64::from(PERSISTENT);
        marked.then_some(Self(self.0 & !i64::from(PERSISTENT)))
    }

    /// Whether its operation consists of others: an exchange of everyone with everyone, or a persistent one.
    #[inline(always)]
    pub(crate) fn consists_of_others(self) -> bool {
        self.in_collectives().is_some() || self.in_persistent().is_some()
    }

    /// Whether this is the null handle.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Whether nothing is left to wait for: the null handle, or [`Handle::OVER`].
    #[inline(always)]
    pub(crate) fn is_settled(self) -> bool {
        self.is_null() || self == Self::OVER
    }

    /// Slot and generation, if the bits can be a handle at all.
    #[inline(always)]
    fn parts(self) -> Option<(usize, u32)> {
        let bits = u64::try_from(self.0).ok()?;
        let index = u32::try_from(bits & 0xffff_ffff).ok()?.checked_sub(1)?;
        Some((usize::try_from(index).ok()?, u32::try_from(bits >> 32).ok()?))
    }
}

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// A table of operations, addressed by [`Handle`]. Slots are reused, generations tell their users apart; a handle
/// could only meet its successor after 2^31 reuses of one slot.
pub struct Table<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    live: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), live: 0 }
    }
}

impl<T> Table<T> {
    /// Stores a value under a new handle.
    #[inline(always)]
    pub fn insert(&mut self, value: T) -> Result<Handle> {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let index = u32::try_from(self.slots.len())
                    .ok()
                    .filter(|&index| index < PERSISTENT - 1)
                    .ok_or_else(|| Error::Internal("more than 2^30 operations in flight".into()))?;
                self.slots.push(Slot { generation: 0, value: None });
                index
            }
        };
        let slot = &mut self.slots[index as usize];
        slot.value = Some(value);
        self.live += 1;
        Ok(Handle::new(index, slot.generation))
    }

    /// The value of a live handle.
    #[inline(always)]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        let (index, generation) = handle.parts()?;
        self.slots.get(index).filter(|slot| slot.generation == generation)?.value.as_ref()
    }

    /// The value of a live handle, to change.
    #[inline(always)]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let (index, generation) = handle.parts()?;
        self.slots.get_mut(index).filter(|slot| slot.generation == generation)?.value.as_mut()
    }

    /// Takes the value out; its handle is stale from now on.
    #[inline(always)]
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let (index, generation) = handle.parts()?;
        let slot = self.slots.get_mut(index).filter(|slot| slot.generation == generation)?;
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) & GENERATION_MASK;
        self.free.push(u32::try_from(index).ok()?);
        self.live -= 1;
        Some(value)
    }

    /// As [`Table::remove`], where nobody wants the value.
    #[inline(always)]
    pub fn discard(&mut self, handle: Handle) {
        let Some((index, generation)) = handle.parts() else { return };
        let Some(slot) = self.slots.get_mut(index) else { return };
        if slot.generation != generation || slot.value.is_none() {
            return;
        }
        slot.value = None;
        slot.generation = (generation + 1) & GENERATION_MASK;
        // A place in the table is a number of 32 bits.
        self.free.push(index as u32);
        self.live -= 1;
    }

    /// Number of live handles.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// All live handles.
    pub fn handles(&self) -> impl Iterator<Item = Handle> {
        let live = self.slots.iter().zip(0..).filter(|(slot, _)| slot.value.is_some());
        live.map(|(slot, index)| Handle::new(index, slot.generation))
    }

    /// All live values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn a_completed_handle_stays_stale_when_its_slot_is_reused() {
        let mut table = Table::default();
        let first = table.insert("first").unwrap();
        assert_eq!(table.remove(first), Some("first"));
        let second = table.insert("second").unwrap();
        assert_ne!(first, second);
        assert_eq!(table.get(first), None);
        assert_eq!(table.remove(first), None);
        assert_eq!(table.get(second), Some(&"second"));
    }

    #[test]
    fn null_and_garbage_name_nothing() {
        let mut table = Table::default();
        table.insert(1).unwrap();
        for raw in [0, -1, i64::MIN, i64::MAX, 2, 1 << 32, 0x1_0000_0001] {
            assert_eq!(table.get(Handle::from_raw(raw)), None, "{raw:#x}");
        }
        assert!(Handle::NULL.is_null());
    }

    #[test]
    fn collective_and_persistent_operations_have_handles_of_their_own() {
        for handle in [Handle::new(0, 0), Handle::new(PERSISTENT - 2, GENERATION_MASK), Handle::new(7, 3)] {
            assert_eq!((handle.in_collectives(), handle.in_persistent()), (None, None));
            assert_eq!(handle.collective().in_collectives(), Some(handle));
            assert_eq!(handle.collective().in_persistent(), None);
            assert_eq!(handle.persistent().in_persistent(), Some(handle));
            assert_eq!(handle.persistent().in_collectives(), None);
            assert!(handle.collective().into_raw() > 0 && handle.persistent().into_raw() > 0);
        }
        for other in [Handle::NULL, Handle::from_raw(-3), Handle::outside_tables(5), Handle::made_up(GENERATION_MASK)] {
            assert_eq!((other.in_collectives(), other.in_persistent()), (None, None));
        }
    }

    #[test]
    fn handles_are_positive_in_every_generation() {
        assert!(Handle::new(u32::MAX - 1, GENERATION_MASK).into_raw() > 0);
    }

    proptest! {
        /// Against a map that never reuses anything.
        #[test]
        fn behaves_as_a_map_of_unique_keys(steps in proptest::collection::vec((any::<bool>(), any::<usize>()), 1..200)) {
            let mut table = Table::default();
            let mut model = HashMap::new();
            let mut ever = Vec::new();
            for (number, (insert, pick)) in steps.into_iter().enumerate() {
                if insert || ever.is_empty() {
                    let handle = table.insert(number).unwrap();
                    prop_assert!(model.insert(handle, number).is_none());
                    ever.push(handle);
                } else {
                    let handle = ever[pick % ever.len()];
                    prop_assert_eq!(table.remove(handle), model.remove(&handle));
                }
                for handle in &ever {
                    prop_assert_eq!(table.get(*handle), model.get(handle));
                }
                prop_assert_eq!(table.len(), model.len());
                prop_assert_eq!(table.handles().collect::<HashSet<_>>(), model.keys().copied().collect());
            }
        }
    }
}
