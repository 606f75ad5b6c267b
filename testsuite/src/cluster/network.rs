//! The bridge, and the links of hosts to it.

use std::time::Duration;

use super::Unavailable;
use super::address::{self, FRONT_WITH_PREFIX, MOST_HOSTS};
use super::host::Host;
use crate::command::CommandLine;
use crate::setup::succeed;

/// How long a command that changes a namespace may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The bridge of the front node.
pub const BRIDGE: &str = "bridge";
/// The interface of every host.
pub const INTERFACE: &str = "cable";

/// The longest packet that TCP hands to an interface, in bytes: an interface cuts it into frames, which costs nobody's
/// processor. The token bucket would do so in software for packets that it cannot let through at once, which costs as
/// much as the computation that is to be hidden behind.
const LONGEST_PACKET: u32 = 32 * 1024;
/// What may leave at once, in kilobytes: such a packet, with the heads of all its frames. More would let the beginning of
/// every message pass at the speed of memory.
const BURST: u32 = 48;

/// How hosts do congestion control: the first of these that the kernel has and lets other network namespaces use. BBR, some
/// machines' default, measures the link by leaving it almost idle for 200 ms every ten seconds.
const CONGESTION_CONTROLS: &str = "cubic reno";

/// A kind of link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its speed in each direction, in Mbit/s.
    pub megabits: u32,
}

impl Default for Link {
    /// Gigabit Ethernet.
    fn default() -> Self {
        Self { megabits: 1000 }
    }
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.megabits {
            megabits if megabits % 1000 == 0 => write!(f, "{} Gbit/s", megabits / 1000),
            megabits => write!(f, "{megabits} Mbit/s"),
        }
    }
}

/// Makes the front node's bridge.
pub fn make_bridge(front: &Host) -> Result<(), Unavailable> {
    run(ip(front).args(["link", "add", BRIDGE, "type", "bridge"]))?;
    run(ip(front).args(["address", "add", FRONT_WITH_PREFIX, "dev", BRIDGE]))?;
    run(ip(front).args(["link", "set", BRIDGE, "up"]))
}

/// Joins a host to the bridge.
pub fn plug_in(front: &Host, host: &Host, number: usize, link: Link) -> Result<(), Unavailable> {
    if number > MOST_HOSTS {
        return Err(Unavailable::Failed(format!("there are addresses for {MOST_HOSTS} hosts only")));
    }
    let port = format!("port{number}");
    let add = ip(front).args(["link", "add", &port, "type", "veth", "peer", "name", INTERFACE, "netns"]);
    run(add.arg(host.first_process().to_string()))?;
    run(ip(front).args(["link", "set", &port, "master", BRIDGE, "up"]))?;
    run(ip(host).args(["address", "add", &format!("{}/24", address::of_host(number)), "dev", INTERFACE]))?;
    run(ip(host).args(["link", "set", INTERFACE, "up"]))?;
    limit(front, &port, link)?;
    limit(host, INTERFACE, link)?;
    let path = "/proc/sys/net/ipv4/tcp_congestion_control";
    // A kernel without them keeps its own.
    let script =
        format!("for control in {CONGESTION_CONTROLS}; do echo $control > {path} && break; done 2> /dev/null; true");
    run(host.enter("sh").args(["-c", &script]))
}

/// Limits what leaves through an interface.
fn limit(host: &Host, interface: &str, link: Link) -> Result<(), Unavailable> {
    let (rate, burst) = (format!("{}mbit", link.megabits), format!("{BURST}kb"));
    run(ip(host).args(["link", "set", "dev", interface, "gso_max_size", &LONGEST_PACKET.to_string()]))?;
    let command = host.enter("tc").args(["qdisc", "add", "dev", interface, "root", "tbf"]);
    run(command.args(["rate", &rate, "burst", &burst, "latency", "50ms"]))
}

fn ip(host: &Host) -> CommandLine {
    host.enter("ip")
}

/// What commands say where the kernel has no such device or queue, or its owner does not let this user have them.
const REFUSALS: [&str; 4] =
    ["Operation not permitted", "not supported", "Unknown device type", "qdisc kind is unknown"];

fn run(command: CommandLine) -> Result<(), Unavailable> {
    succeed(&command, LIMIT).map(drop).map_err(|text| {
        let is_refusal = REFUSALS.iter().any(|refusal| text.contains(refusal));
        if is_refusal { Unavailable::NotPermitted(text) } else { Unavailable::Failed(text) }
    })
}
