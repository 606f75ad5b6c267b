//! Where the ranks of a kernel run.

use std::fmt;
use std::time::Duration;

use super::KernelProgram;
use crate::cluster::Placement;
use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;
use crate::process::{self, Finished};

/// Where the ranks of a kernel run.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// So many of them on this machine.
    ThisMachine(usize),
    /// On a cluster of hosts.
    Cluster(Placement<'a>),
}

impl Place<'_> {
    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        match self {
            Self::ThisMachine(ranks) => *ranks,
            Self::Cluster(placement) => placement.ranks(),
        }
    }

    /// The command that runs a kernel there, in a new working folder.
    ///
    /// # Errors
    ///
    /// A message, if the folder can't be made.
    pub fn launch(&self, mpi: MpiFlavour, program: &KernelProgram) -> Result<CommandLine, String> {
        let command = match self {
            Self::ThisMachine(ranks) => mpi.launch(*ranks, &program.path),
            Self::Cluster(placement) => placement.launch(mpi, &program.path),
        };
        Ok(command.args(&program.arguments).in_folder(program.working_folder()?))
    }

    /// Runs such a command.
    ///
    /// # Errors
    ///
    /// A message, if the command can't be started or watched. A command that fails is no error here.
    pub fn run(&self, mpi: MpiFlavour, command: &CommandLine, limit: Duration) -> Result<Finished, String> {
        match self {
            Self::ThisMachine(_) => process::run(command, limit),
            Self::Cluster(placement) => placement.run(mpi, command, limit),
        }
        .map_err(|error| error.to_string())
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisMachine(ranks) => write!(f, "{ranks} ranks"),
            Self::Cluster(placement) => placement.fmt(f),
        }
    }
}
