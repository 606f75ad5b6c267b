//! Several "hosts" on one machine, joined by links of limited speed.
//!
//! A host is a set of Linux namespaces (network, processes, mounts, names, shared memory) in which its first process waits
//! for the end of its standard input. All hosts are plugged into the bridge of one more network namespace, the front
//! node, in which `mpirun` runs; a token bucket at both ends of a host's cable limits its speed. Two hosts share neither
//! processes nor shared memory, so that a runtime finds what it finds on two machines.
//!
//! Nothing has a name outside of its namespaces, and nobody but the first process of a host keeps these alive. It ends
//! when this program does, in whatever way, for its input comes through a pipe from here; and with the first process of
//! a namespace of processes the kernel ends all others. So there is nothing that could be left over, not even by a program
//! that is killed, and nothing to be cleaned up the next time.
//!
//! [`Cluster::launch`] gives the command that runs a program on it, in some [`Layout`] of ranks over hosts. A [`Placement`]
//! is that with the interconnects that Gravel may use; [`crate::equivalence`] and [`crate::random_programs`] take one.

mod address;
mod host;
mod network;
mod part;
mod placement;
mod reach;
mod wire;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;
use crate::process::{self, Ending, Finished, RunError};

use self::host::{Host, Isolation};
pub use self::network::Link;
pub use self::part::ClusterPart;
pub use self::placement::{Layout, Placement};

/// How long the processes of a run may take to end after its `mpirun` has.
const SETTLING: Duration = Duration::from_secs(3);

/// How often a run of MPICH is tried that does not end though it has printed its results: now and then one of its ranks
/// stays in MPI_Finalize for ever, with or without Gravel (MPICH 4.0.2 with UCX over TCP between hosts; the other rank
/// waits in the barrier behind it, and does not answer any more).
const ATTEMPTS: usize = 4;

/// Why there is no cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// This machine, or its owner, does not permit it: what it would have tested is skipped.
    #[error("{0}")]
    NotPermitted(String),
    /// It went wrong, which it should not have.
    #[error("{0}")]
    Failed(String),
}

/// Hosts, joined by a bridge.
#[derive(Debug)]
pub struct Cluster {
    front: Host,
    hosts: Vec<Host>,
    /// The program that starts another one on a host, as `ssh` would.
    remote_shell: PathBuf,
    /// Runs of MPICH that were repeated.
    repeated: Cell<usize>,
    /// Holds that program.
    _folder: tempfile::TempDir,
}

impl Cluster {
    /// Makes hosts, each with a link of this kind to the bridge.
    ///
    /// # Errors
    ///
    /// Why this machine does not permit it, or what went wrong.
    pub fn new(hosts: usize, link: Link) -> Result<Self, Unavailable> {
        host::permitted().map_err(Unavailable::NotPermitted)?;
        let failed = |error| Unavailable::Failed(format!("cannot make a temporary folder: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let front = Host::start("gravel-front", Isolation::Network).map_err(Unavailable::NotPermitted)?;
        network::make_bridge(&front)?;
        let mut all = Vec::new();
        for number in 1..=hosts {
            let name = format!("gravel-{}-{number}", std::process::id());
            let host = Host::start(&name, Isolation::Everything).map_err(Unavailable::NotPermitted)?;
            network::plug_in(&front, &host, number, link)?;
            all.push(host);
        }
        let remote_shell = reach::write_remote_shell(folder.path(), &all).map_err(Unavailable::Failed)?;
        Ok(Self { front, hosts: all, remote_shell, repeated: Cell::new(0), _folder: folder })
    }

    /// The command that runs `program` on the first hosts; ranks of one host follow one another.
    ///
    /// # Panics
    ///
    /// If the layout has more hosts than this cluster.
    pub fn launch(&self, mpi: MpiFlavour, layout: Layout, program: &Path) -> CommandLine {
        assert!(layout.hosts <= self.hosts.len(), "{layout} on a cluster of {} hosts", self.hosts.len());
        let addresses = (1..=layout.hosts).map(address::of_host);
        reach::launch(&self.front, &self.remote_shell, addresses, mpi, layout.ranks_per_host).arg(program)
    }

    /// Runs such a command, with this limit for every attempt, and ends what it leaves on the hosts if it ends badly: its
    /// daemons find out late that their `mpirun` is gone, and would be in the way of the next run. A run of MPICH that has
    /// printed something and does not end is tried again (see [`Self::repeated`]).
    ///
    /// # Errors
    ///
    /// If the command can't be started or watched. A command that fails is no error here.
    pub fn run(&self, mpi: MpiFlavour, command: &CommandLine, limit: Duration) -> Result<Finished, RunError> {
        let mut attempt = 1;
        loop {
            let finished = process::run(command, limit)?;
            if finished.succeeded() {
                return Ok(finished);
            }
            self.hosts.iter().for_each(|host| host.settle(SETTLING));
            let is_in_finalize = matches!(finished.ending, Ending::TimeLimit(_)) && !finished.stdout.is_empty();
            if mpi != MpiFlavour::Mpich || !is_in_finalize || attempt == ATTEMPTS {
                return Ok(finished);
            }
            self.repeated.set(self.repeated.get() + 1);
            attempt += 1;
        }
    }

    /// How many runs were repeated because MPICH had not left MPI_Finalize.
    pub fn repeated(&self) -> usize {
        self.repeated.get()
    }

    /// The median of the seconds that a message of so many bytes takes between two hosts, by a socket, and an answer back.
    ///
    /// # Errors
    ///
    /// What the system said, or that there are not two hosts.
    pub fn seconds_per_message(&self, bytes: usize, times: usize) -> Result<f64, String> {
        let [first, second, ..] = &self.hosts[..] else { return Err("a cluster of one host has no wire".to_owned()) };
        wire::seconds_per_message([first, second], bytes, times).map_err(|error| format!("between two hosts: {error}"))
    }

    /// The command that runs `program` alone on one host, counted from 0.
    pub fn on_host(&self, host: usize, program: impl Into<std::ffi::OsString>) -> CommandLine {
        self.hosts[host].enter(program)
    }
}

#[cfg(test)]
mod tests;
