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
mod finalization;
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

use self::finalization::Finalization;
use self::host::{Host, Isolation};
pub use self::network::Link;
pub use self::part::ClusterPart;
pub use self::placement::{Layout, Placement};

/// How long the processes of a run may take to end after its `mpirun` has.
const SETTLING: Duration = Duration::from_secs(3);

/// How often a run of MPICH is tried that stays in MPI_Finalize (see [`finalization`]): on a busy machine it is one of four.
const ATTEMPTS: usize = 10;

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
    /// Where MPICH is installed.
    finalization: Option<Finalization>,
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
        let has_mpich = crate::native::installed_flavours().contains(&MpiFlavour::Mpich);
        let finalization =
            has_mpich.then(|| Finalization::new(folder.path())).transpose().map_err(Unavailable::Failed)?;
        Ok(Self { front, hosts: all, remote_shell, finalization, repeated: Cell::new(0), _folder: folder })
    }

    /// The command that runs `program` on the first hosts; ranks of one host follow one another.
    ///
    /// # Panics
    ///
    /// If the layout has more hosts than this cluster.
    pub fn launch(&self, mpi: MpiFlavour, layout: Layout, program: &Path) -> CommandLine {
        assert!(layout.hosts <= self.hosts.len(), "{layout} on a cluster of {} hosts", self.hosts.len());
        let addresses = (1..=layout.hosts).map(address::of_host);
        let launch = reach::launch(&self.front, &self.remote_shell, addresses, mpi, layout.ranks_per_host);
        match &self.finalization {
            Some(finalization) if mpi == MpiFlavour::Mpich => finalization.noted(launch).arg(program),
            _ => launch.arg(program),
        }
    }

    /// Runs such a command, with this limit for every attempt, and ends what it leaves on the hosts if it ends badly: its
    /// daemons find out late that their `mpirun` is gone, and would be in the way of the next run. A run of MPICH that
    /// stays in MPI_Finalize is tried again, in a folder without the files that it has made.
    ///
    /// # Errors
    ///
    /// If the command can't be started or watched. A command that fails is no error here.
    pub fn run(&self, mpi: MpiFlavour, command: &CommandLine, limit: Duration) -> Result<Finished, RunError> {
        self.run_until(mpi, command, limit, &|_| false).map(|(finished, _)| finished)
    }

    /// As [`Cluster::run`], for a program that measures itself and has printed all that it has to say before MPI_Finalize: a
    /// run of MPICH that stays there has succeeded, if that has come through. Some programs stay in every attempt.
    ///
    /// # Errors
    ///
    /// As [`Cluster::run`].
    pub fn measure(&self, mpi: MpiFlavour, command: &CommandLine, limit: Duration) -> Result<Finished, RunError> {
        let has_said_all = |finished: &Finished| !finished.stdout.is_empty() && !finished.stderr.is_empty();
        let (mut finished, is_stuck) = self.run_until(mpi, command, limit, &has_said_all)?;
        if is_stuck && has_said_all(&finished) {
            finished.ending = Ending::Exit(0);
        }
        Ok(finished)
    }

    /// Runs until an attempt does not stay in MPI_Finalize, or is enough though it does; and says whether it does.
    fn run_until(
        &self,
        mpi: MpiFlavour,
        command: &CommandLine,
        limit: Duration,
        is_enough: &dyn Fn(&Finished) -> bool,
    ) -> Result<(Finished, bool), RunError> {
        let before = command.folder().map(finalization::names_in).unwrap_or_default();
        let mut attempt = 1;
        loop {
            let (finished, is_stuck) = self.run_watched(mpi, command, limit)?;
            if finished.succeeded() || !is_stuck || is_enough(&finished) || attempt == ATTEMPTS {
                return Ok((finished, is_stuck));
            }
            if let Some(folder) = command.folder() {
                finalization::remove_others(folder, &before);
            }
            self.repeated.set(self.repeated.get() + 1);
            attempt += 1;
        }
    }

    /// Runs once, and says whether all ranks have come to MPI_Finalize and did not leave it.
    fn run_watched(
        &self,
        mpi: MpiFlavour,
        command: &CommandLine,
        limit: Duration,
    ) -> Result<(Finished, bool), RunError> {
        let finalization = self.finalization.as_ref().filter(|_| mpi == MpiFlavour::Mpich);
        let Some(finalization) = finalization else { return Ok((self.run_once(command, limit, &mut || true)?, false)) };
        let mut watch = finalization.watch().map_err(|error| RunError::new(command, error))?;
        let mut is_stuck = false;
        let finished = self.run_once(command, limit, &mut || {
            is_stuck = watch.is_stuck();
            !is_stuck
        })?;
        Ok((finished, is_stuck))
    }

    fn run_once(
        &self,
        command: &CommandLine,
        limit: Duration,
        is_hopeful: &mut dyn FnMut() -> bool,
    ) -> Result<Finished, RunError> {
        let finished = process::run_while(command, limit, is_hopeful)?;
        if !finished.succeeded() {
            self.hosts.iter().for_each(|host| host.settle(SETTLING));
        }
        Ok(finished)
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
