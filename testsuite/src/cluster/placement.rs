//! Where on a cluster the ranks of a program run, and by what Gravel joins them.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::Cluster;
use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;
use crate::process::{Finished, RunError};

/// So many hosts with so many ranks each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Hosts.
    pub hosts: usize,
    /// Ranks on each of them.
    pub ranks_per_host: usize,
}

impl Layout {
    /// Those in which programs are tried.
    pub const ALL: [Self; 3] = [
        Self { hosts: 2, ranks_per_host: 1 },
        Self { hosts: 2, ranks_per_host: 2 },
        Self { hosts: 4, ranks_per_host: 1 },
    ];

    /// All ranks.
    pub fn ranks(self) -> usize {
        self.hosts * self.ranks_per_host
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} hosts x {} rank{}",
            self.hosts,
            self.ranks_per_host,
            if self.ranks_per_host == 1 { "" } else { "s" }
        )
    }
}

/// By what Gravel may join ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interconnects {
    /// By TCP alone, also on one host.
    Tcp,
    /// By the best that there is between two ranks: shared memory on one host, TCP between hosts.
    Mixed,
}

/// A layout on a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    cluster: &'a Cluster,
    layout: Layout,
    interconnects: Interconnects,
}

impl<'a> Placement<'a> {
    /// Every layout with all that can join its ranks.
    pub fn all(cluster: &'a Cluster) -> Vec<Self> {
        let mut all = Vec::new();
        for layout in Layout::ALL {
            all.push(Self { cluster, layout, interconnects: Interconnects::Tcp });
            if layout.ranks_per_host > 1 {
                all.push(Self { cluster, layout, interconnects: Interconnects::Mixed });
            }
        }
        all
    }

    /// So many hosts with one rank each, joined by the best that there is.
    pub fn spread(cluster: &'a Cluster, hosts: usize) -> Self {
        Self { cluster, layout: Layout { hosts, ranks_per_host: 1 }, interconnects: Interconnects::Mixed }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.layout.ranks()
    }

    /// Whether runs take seconds: ranks of MPICH spin, which takes for ever where there are more of them than processors.
    pub fn is_quick(&self, mpi: MpiFlavour) -> bool {
        mpi == MpiFlavour::OpenMpi || self.ranks() <= crate::overhead::cores()
    }

    /// The command that runs a program there.
    pub fn launch(&self, mpi: MpiFlavour, program: &Path) -> CommandLine {
        let command = self.cluster.launch(mpi, self.layout, program);
        match self.interconnects {
            Interconnects::Tcp => command.env("GRAVEL_PROVIDER", "tcp"),
            Interconnects::Mixed => command,
        }
    }

    /// Runs such a command: see [`Cluster::run`].
    ///
    /// # Errors
    ///
    /// If the command can't be started or watched.
    pub fn run(&self, mpi: MpiFlavour, command: &CommandLine, limit: Duration) -> Result<Finished, RunError> {
        self.cluster.run(mpi, command, limit)
    }
}

impl fmt::Display for Placement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interconnects = match self.interconnects {
            Interconnects::Tcp => "tcp",
            Interconnects::Mixed => "shm and tcp",
        };
        write!(f, "{}, {interconnects}", self.layout)
    }
}
