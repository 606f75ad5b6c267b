//! The memory of this rank that the device may read and write, and what peers know of it.
//!
//! Pages stay registered as they were at that time, whatever the program maps at their addresses later. So memory is
//! registered only as long as its end of life is known: for good, if it is static data of the program and nothing moves
//! its pages; until the kernel tells that other memory lies there ([`crate::memory::unmap_monitor`]), if it is private
//! memory such as the heap; else for the operation that it was posted with, until that is over. Operations at the same
//! time share a registration.
//!
//! Where registering fails (limits on pinned memory, mostly) the bytes go through the staging ring.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::device::{Device, Registered, pinning_limit};
use crate::Rank;
use crate::memory::MemoryRange;
use crate::memory::program_data::{LoaderState, ProgramData, loader_state};
use crate::memory::unmap_monitor::{UnmapMonitor, Watch};
use crate::message::ledger::{Entry, PAYLOAD_WORDS};
use crate::message::matching::KeyHasher;
use crate::message::request::Handle;
use crate::message::wire::pack;
use crate::provider::piece::{ANNOUNCE, RETIRE};
use crate::sys::log;

/// Registrations of static data that are kept.
const LASTING: usize = 1024;

struct Region {
    id: u64,
    range: MemoryRange,
    registered: Registered,
    /// Operations that need it.
    users: usize,
    /// Whether it outlives them.
    lifetime: Lifetime,
    /// Peers that know it.
    announced: BTreeSet<Rank>,
}

/// How long a region may be used.
enum Lifetime {
    /// As long as an operation needs it.
    Operations,
    /// Until its library is unloaded.
    StaticData,
    /// As long as the same memory lies there.
    Watched(Watch),
    /// By operations that have it, and by no other: they are over, and it has not been released yet.
    Gone,
}

/// All registrations of one rank.
pub struct Registrations {
    device: Arc<Device>,
    regions: Vec<Region>,
    /// The region of each operation; none if there could be none.
    by_owner: HashMap<Handle, Option<u64>, BuildHasherDefault<KeyHasher>>,
    /// By rank: regions that are gone, and that the peer still knows.
    retired: Vec<Vec<u64>>,
    last_id: u64,
    /// Whether static data keeps its pages.
    keeps_static: bool,
    program: ProgramData,
    loader: LoaderState,
    /// Watches memory that may vanish unannounced; nothing where the kernel does not tell of that.
    monitor: Option<UnmapMonitor>,
    has_warned: bool,
}

impl Registrations {
    /// Nothing is registered. `keeps_static` says that nothing moves the program's static data to other pages.
    pub fn new(device: &Arc<Device>, ranks: Rank, keeps_static: bool, monitor: Option<UnmapMonitor>) -> Self {
        Self {
            device: Arc::clone(device),
            regions: Vec::new(),
            by_owner: HashMap::default(),
            retired: vec![Vec::new(); ranks],
            last_id: 0,
            keeps_static,
            program: ProgramData::default(),
            loader: loader_state(),
            monitor,
            has_warned: false,
        }
    }

    /// The local key for a range of an operation's memory, which is registered if that has not been done.
    ///
    /// # Safety
    /// The memory must be valid, and stay so until the owner is released.
    pub unsafe fn local_key(&mut self, owner: Handle, range: MemoryRange) -> Option<u32> {
        // SAFETY: passed on.
        let region = unsafe { self.acquire(owner, range) }?;
        Some(self.regions[region].registered.local_key())
    }

    /// Registers a buffer for a peer. Returns what the peer must be told before it hears of the buffer.
    ///
    /// # Safety
    /// As [`Registrations::local_key`].
    pub unsafe fn announce(&mut self, peer: Rank, owner: Handle, range: MemoryRange) -> Vec<Entry> {
        // SAFETY: passed on.
        let region = unsafe { self.acquire(owner, range) };
        // Regions that are gone first: a new one may lie at the same addresses.
        let mut entries = self.retire(peer);
        if let Some(region) = region.map(|place| &mut self.regions[place])
            && region.announced.insert(peer)
        {
            let mut entry: Entry = [0; PAYLOAD_WORDS];
            entry[0] = pack(ANNOUNCE, region.registered.remote_key());
            entry[1..4].copy_from_slice(&[region.id, region.range.start as u64, region.range.bytes() as u64]);
            entries.push(entry);
        }
        entries
    }

    /// What a peer must be told before it hears of any buffer: that regions are gone, where others may lie now.
    pub fn retire(&mut self, peer: Rank) -> Vec<Entry> {
        self.retired[peer].drain(..).map(|id| [pack(RETIRE, 0), id, 0, 0, 0, 0, 0]).collect()
    }

    /// The place of the region that an operation uses for this range.
    ///
    /// # Safety
    /// As [`Registrations::local_key`].
    unsafe fn acquire(&mut self, owner: Handle, range: MemoryRange) -> Option<usize> {
        let covers = |region: &Region| region.range.start <= range.start && range.end <= region.range.end;
        if let Some(&known) = self.by_owner.get(&owner) {
            let place = self.place(known?)?;
            return covers(&self.regions[place]).then_some(place);
        }
        self.drop_unloaded();
        self.drop_changed();
        // What changes from here on is not the range, which is valid by the contract.
        let may_be_used = |region: &Region| match &region.lifetime {
            Lifetime::Operations => region.users > 0,
            Lifetime::StaticData => true,
            // Whether an operation needs it says nothing: one that is over may not have been released yet.
            Lifetime::Watched(watch) => self.monitor.as_ref().is_some_and(|monitor| monitor.is_intact(watch)),
            Lifetime::Gone => false,
        };
        let live = self.regions.iter().position(|region| covers(region) && may_be_used(region));
        let place = match live {
            Some(place) => Some(place),
            // SAFETY: passed on.
            None => unsafe { self.register(range) },
        };
        let id = place.map(|place| {
            self.regions[place].users += 1;
            self.regions[place].id
        });
        self.by_owner.insert(owner, id);
        place
    }

    /// # Safety
    /// As [`Registrations::local_key`].
    unsafe fn register(&mut self, range: MemoryRange) -> Option<usize> {
        if self.regions.len() >= LASTING {
            self.drop_unused();
        }
        let lifetime = if self.keeps_static && self.program.segment_part(range) == range {
            Lifetime::StaticData
        } else {
            // Before the pages are what the device knows.
            let watch = self.monitor.as_mut().and_then(|monitor| monitor.watch(range));
            watch.map_or(Lifetime::Operations, Lifetime::Watched)
        };
        // SAFETY: valid by the contract.
        let mut registered = unsafe { Registered::new(&self.device, range) };
        if registered.is_err() && self.drop_unused() {
            // SAFETY: as above.
            registered = unsafe { Registered::new(&self.device, range) };
        }
        match registered {
            Ok(registered) => {
                self.last_id += 1;
                let announced = BTreeSet::new();
                self.regions.push(Region { id: self.last_id, range, registered, users: 0, lifetime, announced });
                Some(self.regions.len() - 1)
            }
            Err(cause) => {
                self.forget(lifetime);
                if !std::mem::replace(&mut self.has_warned, true) {
                    log::warning!(
                        "{} bytes can't be registered with {} ({cause}; {}): such messages are copied, which is slower",
                        range.bytes(),
                        self.device.name,
                        pinning_limit()
                    );
                }
                None
            }
        }
    }

    /// An operation is over.
    pub fn release(&mut self, owner: Handle) {
        let Some(Some(id)) = self.by_owner.remove(&owner) else { return };
        let Some(place) = self.place(id) else { return };
        let region = &mut self.regions[place];
        region.users -= 1;
        if region.users == 0 && matches!(region.lifetime, Lifetime::Operations | Lifetime::Gone) {
            self.deregister(place);
        }
        self.drop_changed();
    }

    /// Drops what lies at the addresses of other memory by now, if there is any: its pages are pinned, though nobody
    /// can reach them. Costs nothing otherwise.
    #[inline(always)]
    pub fn drop_changed(&mut self) {
        if self.monitor.as_ref().is_some_and(UnmapMonitor::take_change) {
            self.drop_gone();
        }
    }

    #[cold]
    fn drop_gone(&mut self) {
        let Some(monitor) = &self.monitor else { return };
        let is_gone = |region: &Region| match &region.lifetime {
            Lifetime::Watched(watch) => !monitor.is_intact(watch),
            _ => false,
        };
        let gone: Vec<u64> = self.regions.iter().filter(|region| is_gone(region)).map(|region| region.id).collect();
        for id in gone {
            let Some(place) = self.place(id) else { continue };
            if self.regions[place].users == 0 {
                self.deregister(place);
            } else {
                let lifetime = std::mem::replace(&mut self.regions[place].lifetime, Lifetime::Gone);
                self.forget(lifetime);
            }
        }
    }

    fn forget(&mut self, lifetime: Lifetime) {
        if let (Lifetime::Watched(watch), Some(monitor)) = (lifetime, &mut self.monitor) {
            monitor.forget(watch);
        }
    }

    fn place(&self, id: u64) -> Option<usize> {
        self.regions.iter().position(|region| region.id == id)
    }

    fn deregister(&mut self, place: usize) {
        let region = self.regions.swap_remove(place);
        self.forget(region.lifetime);
        for peer in region.announced {
            self.retired[peer].push(region.id);
        }
    }

    /// Drops all that no operation needs. True if there were any.
    fn drop_unused(&mut self) -> bool {
        let before = self.regions.len();
        for place in (0..before).rev() {
            if self.regions[place].users == 0 {
                self.deregister(place);
            }
        }
        self.regions.len() < before
    }

    /// Static data of a library goes with it.
    fn drop_unloaded(&mut self) {
        let state = loader_state();
        if state.unloaded_since(self.loader) {
            self.drop_unused();
        }
        self.loader = state;
    }
}

/// The regions of a peer that this rank may write and read.
#[derive(Debug, Default)]
pub struct RemoteRegions {
    regions: Vec<RemoteRegion>,
}

#[derive(Debug)]
struct RemoteRegion {
    id: u64,
    start: u64,
    end: u64,
    key: u32,
}

impl RemoteRegions {
    /// The peer has registered a region. Damaged announcements are dropped: the bytes then travel another way.
    pub fn announce(&mut self, id: u64, start: u64, bytes: u64, key: u32) {
        if let Some(end) = start.checked_add(bytes) {
            self.regions.push(RemoteRegion { id, start, end, key });
        }
    }

    /// The peer has withdrawn a region.
    pub fn retire(&mut self, id: u64) {
        self.regions.retain(|region| region.id != id);
    }

    /// The key for so many bytes at an address there, if one region has them all.
    pub fn key(&self, address: u64, bytes: u64) -> Option<u32> {
        let end = address.checked_add(bytes)?;
        // The newest first: it is the one that the peer has just told of.
        let region = self.regions.iter().rev().find(|region| region.start <= address && end <= region.end)?;
        Some(region.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_one_region_has_whole_is_reached() {
        let mut regions = RemoteRegions::default();
        regions.announce(1, 0x1000, 0x1000, 11);
        regions.announce(2, 0x2000, 0x1000, 22);
        regions.announce(3, u64::MAX - 4, 100, 33);
        assert_eq!(regions.key(0x1000, 0x1000), Some(11));
        assert_eq!(regions.key(0x1fff, 2), None, "in two of them");
        assert_eq!(regions.key(u64::MAX - 4, 2), None, "it would wrap around");
        assert_eq!(regions.key(u64::MAX, 2), None);
        regions.announce(4, 0x1800, 0x100, 44);
        assert_eq!(regions.key(0x1800, 0x80), Some(44), "the newest");
        regions.retire(4);
        regions.retire(1);
        assert_eq!(regions.key(0x1800, 0x80), None);
    }
}
