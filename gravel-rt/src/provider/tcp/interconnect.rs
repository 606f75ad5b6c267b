//! TCP as an interconnect: its name, what can be set about it, and how it is set up.

use std::sync::Arc;

use super::connection::Peer;
use super::{SENT, setup, survey};
use crate::Rank;
use crate::error::Result;
use crate::host::Host;
use crate::provider::counters::Path;
use crate::provider::interconnect::{Connected, Interconnect, NOT_NAMED, Options, Pairs, Ranks, SetUp, Start};
use crate::provider::interfaces::Wanted;
use crate::provider::probe::Probe;
use crate::provider::routed::Joinable;
use crate::sys::setting::Setting;

/// TCP connections.
pub struct Tcp;

impl Interconnect for Tcp {
    const NAME: &'static str = "tcp";
    const TITLE: &'static str = "TCP";
    const REACH: &'static str = "ranks of any hosts that shared memory does not join";
    const PATHS: &'static [&'static Path] = &[&SENT];
    type Options = Wanted;

    fn survey(wanted: &Wanted) -> Vec<Probe> {
        survey::probes(wanted)
    }

    fn begin(start: &Start, wanted: &Wanted) -> Result<Box<dyn SetUp>> {
        Ok(Box::new(Starting { is_permitted: start.is_permitted, wanted: wanted.clone() }))
    }
}

impl Options for Wanted {
    const SETTINGS: &'static [Setting] = &[Setting {
        name: "GRAVEL_TCP_INTERFACE",
        values: "comma list of interface names or networks such as `10.1.0.0/16`",
        default: "all that are up",
        meaning: "where this rank can be reached by tcp from other hosts",
        example: "eth0,10.0.0.0/8",
    }];

    fn set(&mut self, _: &str, value: &str) -> std::result::Result<(), &'static str> {
        let wanted = Self::parse(value);
        *self = wanted.ok_or("a comma list of interface names or networks such as 10.1.0.0/16")?;
        Ok(())
    }

    fn value(&self, _: &str) -> Option<String> {
        Some(self.to_string()).filter(|list| !list.is_empty())
    }
}

/// Nothing is opened before a peer needs it.
struct Starting {
    is_permitted: bool,
    wanted: Wanted,
}

impl SetUp for Starting {
    /// Whether it works is found out when it is needed, and must: nothing comes behind it.
    fn finding(&self, _: Rank) -> std::result::Result<bool, String> {
        if self.is_permitted { Ok(false) } else { Err(NOT_NAMED.into()) }
    }

    fn connect(self: Box<Self>, host: &dyn Host, ranks: &Ranks, pairs: &Pairs, _: &[bool]) -> Result<Connected> {
        let own = ranks.own();
        let peers = pairs.with(ranks.rank).map(|rank| {
            let peer = &ranks.identities[rank];
            let shares_loopback = peer.shares_loopback(own);
            Peer { rank, pid: peer.process.pid, host: peer.host.clone(), shares_loopback }
        });
        let provider = setup::connect(host, &peers.collect::<Vec<_>>(), &self.wanted)?;
        Ok(Connected {
            arrivals: provider.as_ref().map(|provider| Arc::clone(&provider.poller) as _),
            provider: provider.map(|provider| Box::new(provider) as Box<dyn Joinable>),
            doorbell: None,
            peers_ring: false,
            pairs: pairs.clone(),
            reasons: Vec::new(),
        })
    }
}
