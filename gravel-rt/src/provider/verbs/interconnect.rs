//! RDMA as an interconnect: its name, what can be set about it, and how it is set up.

use std::sync::Arc;

use super::connect::{self, Peer};
use super::{Options, READ, WRITTEN, survey};
use crate::Rank;
use crate::error::Result;
use crate::host::Host;
use crate::provider::Arrivals;
use crate::provider::counters::{Path, STAGED};
use crate::provider::interconnect::{self, Connected, Interconnect, NOT_NAMED, Pairs, Ranks, SetUp, Start};
use crate::provider::probe::Probe;
use crate::provider::routed::Joinable;
use crate::sys::setting::{Setting, switch};

/// RDMA devices.
pub struct Verbs;

impl Interconnect for Verbs {
    const NAME: &'static str = "verbs";
    const TITLE: &'static str = "RDMA";
    const REACH: &'static str = "ranks of hosts that have RDMA devices, InfiniBand or RoCE";
    const PATHS: &'static [&'static Path] = &[&STAGED, &WRITTEN, &READ];
    type Options = Tuning;

    fn survey(_: &Tuning) -> Vec<Probe> {
        survey::probes()
    }

    fn begin(start: &Start, tuning: &Tuning) -> Result<Box<dyn SetUp>> {
        let options = Options {
            keeps_static: !start.moves_static_data,
            keeps_private: true,
            fences_reads: tuning.fences_reads,
            connect_all: tuning.connect_all,
        };
        Ok(Box::new(Starting { is_permitted: start.is_permitted, options }))
    }
}

/// What the user has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// See [`Options::fences_reads`].
    pub fences_reads: bool,
    /// See [`Options::connect_all`].
    pub connect_all: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { fences_reads: false, connect_all: 64 }
    }
}

const CONNECT_ALL: &str = "GRAVEL_VERBS_CONNECT_ALL";
const FENCE: &str = "GRAVEL_VERBS_FENCE";

impl interconnect::Options for Tuning {
    const SETTINGS: &'static [Setting] = &[
        Setting {
            name: CONNECT_ALL,
            values: "number of peers",
            default: "`64`",
            meaning: "with up to so many peers that are reached by verbs, a rank connects to all of them at the start; if \
                      any rank has more, every connection is made when something is first sent over it",
            example: "0",
        },
        Setting {
            name: FENCE,
            values: "`0`, `1`",
            default: "`0`",
            meaning: "the producer of a message that was read over verbs is told by an entry that the device holds back \
                      until the read is complete (a fence), not by this process once it has seen that: sooner where this \
                      process is busy, but what is sent behind it waits, too",
            example: "1",
        },
    ];

    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), &'static str> {
        match name {
            CONNECT_ALL => self.connect_all = value.parse().map_err(|_| "a number of peers")?,
            _ => self.fences_reads = switch(value)?,
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Option<String> {
        Some(match name {
            CONNECT_ALL => self.connect_all.to_string(),
            _ => u8::from(self.fences_reads).to_string(),
        })
    }
}

/// Whether there is a device is found out where one is needed: nobody looks for one where shared memory does.
struct Starting {
    is_permitted: bool,
    options: Options,
}

impl SetUp for Starting {
    fn finding(&self, _: Rank) -> std::result::Result<bool, String> {
        if self.is_permitted { Ok(false) } else { Err(NOT_NAMED.into()) }
    }

    fn connect(self: Box<Self>, host: &dyn Host, ranks: &Ranks, pairs: &Pairs, _: &[bool]) -> Result<Connected> {
        let own = ranks.own();
        let peers = pairs.with(ranks.rank).map(|rank| {
            let peer = &ranks.identities[rank];
            let process = (peer.shares_kernel(own) && peer.process.is_known()).then_some(peer.process);
            Peer { rank, pid: peer.process.pid, host: peer.host.clone(), process }
        });
        let peers: Vec<Peer> = peers.collect();
        let device = if peers.is_empty() { None } else { Some(connect::probe()) };
        let made = connect::connect(host, device, peers, |one, other| pairs.contains(one, other), self.options)?;
        let joined = Pairs::of(ranks.identities.len(), |one, other| made.works_between(one, other));
        Ok(Connected {
            arrivals: made.provider.as_ref().map(|provider| provider.arrivals() as Arc<dyn Arrivals>),
            provider: made.provider.map(|provider| Box::new(provider) as Box<dyn Joinable>),
            doorbell: None,
            peers_ring: false,
            pairs: joined,
            reasons: made.reasons,
        })
    }
}
