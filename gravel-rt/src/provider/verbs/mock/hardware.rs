//! What the devices of the mock are like, and what exists of each: tests choose the one and look at the other.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::net::Ipv6Addr;

use super::{World, with};
use crate::provider::verbs::abi::{self, AhAttr, GidEntry};

/// A device with one port.
#[derive(Debug, Clone)]
pub struct Hardware {
    pub link_layer: u8,
    pub lid: u16,
    /// Its GID table.
    pub gids: Vec<GidEntry>,
    /// `IBV_PORT_*`.
    pub state: u32,
    /// `IBV_MTU_*`.
    pub mtu: u32,
    /// Most bytes that a request takes along.
    pub inline: u32,
    /// Most requests of a queue, most entries of a completion queue, most bytes of a message.
    pub requests: c_int,
    pub completions: c_int,
    pub message: u32,
    /// Reads that it has outstanding, and that it answers, at once.
    pub reads: [c_int; 2],
    /// What can't be made once so many of it have been.
    pub lacks: Option<(Thing, usize)>,
}

/// Something of a device that is made and destroyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Thing {
    Context,
    ProtectionDomain,
    Memory,
    Channel,
    CompletionQueue,
    QueuePair,
    Route,
    /// An event that was taken and has not been acknowledged.
    Event,
}

/// Everything that may exist.
const THINGS: [Thing; 8] = [
    Thing::Context,
    Thing::ProtectionDomain,
    Thing::Memory,
    Thing::Channel,
    Thing::CompletionQueue,
    Thing::QueuePair,
    Thing::Route,
    Thing::Event,
];

/// A device that has been opened.
pub struct Opened {
    pub hardware: Hardware,
    /// How many of each exist, and how many were ever made.
    alive: HashMap<Thing, usize>,
    made: HashMap<Thing, usize>,
}

thread_local! {
    /// What this thread finds when it opens a device.
    static PLUGGED_IN: RefCell<Option<Hardware>> = const { RefCell::new(None) };
    /// The context that it has opened last.
    static OPENED: Cell<usize> = const { Cell::new(0) };
}

/// This thread's devices are like that from now on.
pub fn plug_in(hardware: Hardware) {
    PLUGGED_IN.with(|plugged_in| plugged_in.replace(Some(hardware)));
}

/// The device that this thread has opened last, for [`left_of`].
pub fn opened_last() -> usize {
    OPENED.with(Cell::get)
}

/// An Ethernet device with an address of its own, as most tests have it.
pub fn roce() -> Hardware {
    let number = with(World::next);
    let [.., high, low] = number.to_be_bytes();
    Hardware {
        link_layer: abi::LINK_LAYER_ETHERNET,
        lid: 0,
        gids: vec![gid(0, abi::GID_TYPE_ROCE_V2, &format!("::ffff:10.9.{high}.{low}"))],
        state: abi::PORT_ACTIVE,
        mtu: 5,
        inline: 256,
        requests: 4096,
        completions: 1 << 20,
        message: 1 << 16,
        reads: [2, 2],
        lacks: None,
    }
}

/// An InfiniBand device with an address of its own.
pub fn infiniband() -> Hardware {
    let number = with(World::next);
    let gids = vec![gid(0, 0, &format!("fe80::2:c903:{:x}:{:x}", number >> 16, number & 0xffff))];
    Hardware { link_layer: abi::LINK_LAYER_INFINIBAND, lid: (number % 0xbfff) as u16 + 1, gids, ..roce() }
}

/// An entry of a GID table.
pub fn gid(gid_index: u32, gid_type: u32, address: &str) -> GidEntry {
    let bytes = address.parse::<Ipv6Addr>().expect("an address").octets();
    let (words, _) = bytes.as_chunks::<8>();
    let gid = [u64::from_ne_bytes(words[0]), u64::from_ne_bytes(words[1])];
    GidEntry { gid, gid_index, gid_type, port_num: 1, ndev_ifindex: 0 }
}

/// What still exists of a device, by [`opened_last`].
pub fn left_of(device: usize) -> Vec<(Thing, usize)> {
    with(|world| {
        let alive = |thing| world.devices.get(&device).and_then(|opened| opened.alive.get(&thing)).copied();
        THINGS.into_iter().filter_map(|thing| Some((thing, alive(thing).filter(|&count| count > 0)?))).collect()
    })
}

impl Hardware {
    /// Whether packets that are sent so reach another device.
    pub fn reaches(&self, route: &AhAttr, other: &Self) -> bool {
        let is_there = |gid: &GidEntry, kind| gid.gid == route.dgid && gid.gid_type == kind;
        if self.link_layer != other.link_layer || route.port_num != 1 {
            return false;
        }
        if self.link_layer == abi::LINK_LAYER_INFINIBAND {
            return route.dlid == other.lid && (route.is_global == 0 || other.gids.iter().any(|gid| is_there(gid, 0)));
        }
        let from = self.gids.iter().find(|gid| gid.gid_index == u32::from(route.sgid_index));
        route.is_global == 1
            && route.hop_limit > 0
            && from.is_some_and(|from| other.gids.iter().any(|gid| is_there(gid, from.gid_type)))
    }
}

impl World {
    /// Opens what this thread has plugged in. Nothing if that can't be opened.
    pub fn open(&mut self, context: usize, hardware: Hardware) -> bool {
        OPENED.with(|opened| opened.set(context));
        let opened = Opened { hardware, alive: HashMap::new(), made: HashMap::new() };
        self.devices.insert(context, opened);
        self.make(context, Thing::Context)
    }

    pub fn hardware(&self, context: usize) -> &Hardware {
        &self.devices[&context].hardware
    }

    /// Something is made, if the device has one left.
    pub fn make(&mut self, context: usize, thing: Thing) -> bool {
        let opened = self.devices.get_mut(&context).expect("an open device");
        let made = opened.made.entry(thing).or_default();
        if opened.hardware.lacks.is_some_and(|(lacking, after)| lacking == thing && *made >= after) {
            return false;
        }
        *made += 1;
        *opened.alive.entry(thing).or_default() += 1;
        true
    }

    /// Something is destroyed. False, and nothing has happened, where something else needs it, as a driver would say.
    pub fn unmake(&mut self, context: usize, thing: Thing) -> bool {
        let needed_by: &[Thing] = match thing {
            Thing::Context => &[Thing::ProtectionDomain, Thing::Channel, Thing::CompletionQueue],
            Thing::ProtectionDomain => &[Thing::Memory, Thing::QueuePair, Thing::Route],
            Thing::Channel => &[Thing::CompletionQueue],
            Thing::CompletionQueue => &[Thing::QueuePair, Thing::Event],
            _ => &[],
        };
        let opened = self.devices.get_mut(&context).expect("an open device");
        if needed_by.iter().any(|other| opened.alive.get(other).is_some_and(|&count| count > 0)) {
            return false;
        }
        let count = opened.alive.get_mut(&thing).expect("it was made");
        *count -= 1;
        true
    }
}

/// What this thread has plugged in, or an Ethernet device.
pub fn plugged_in() -> Hardware {
    PLUGGED_IN.with(|plugged_in| plugged_in.borrow().clone()).unwrap_or_else(roce)
}
