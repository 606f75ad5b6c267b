//! What a launcher's environment says about this process.

use std::fmt::Write as _;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use crate::Rank;
use crate::error::{Error, Result};

/// This process's place in its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// This rank.
    pub rank: Rank,
    /// Number of ranks.
    pub ranks: Rank,
    /// A name that the ranks of this job have in common, and no other job of this host has.
    pub name: String,
    /// The socket of gravel-run that connects the ranks, where they are on several hosts; else they meet under the name.
    pub switchboard: Option<PathBuf>,
}

/// Where a launcher says what.
struct Launcher {
    rank: &'static [&'static str],
    ranks: &'static str,
    /// How many ranks are on this host.
    local_ranks: &'static str,
    /// On how many hosts the ranks are.
    hosts: &'static str,
    /// What tells jobs apart.
    job: &'static [&'static str],
    /// Whether without these the process that started the ranks tells jobs apart.
    knows_starter: bool,
    /// Where it connects ranks on several hosts.
    switchboard: &'static str,
}

const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        rank: &["GRAVEL_RANK"],
        ranks: "GRAVEL_RANKS",
        local_ranks: "",
        hosts: "",
        job: &["GRAVEL_JOB"],
        knows_starter: false,
        switchboard: "GRAVEL_MEETING",
    },
    Launcher {
        rank: &["OMPI_COMM_WORLD_RANK"],
        ranks: "OMPI_COMM_WORLD_SIZE",
        local_ranks: "OMPI_COMM_WORLD_LOCAL_SIZE",
        hosts: "OMPI_MCA_orte_num_nodes",
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"],
        knows_starter: false,
        switchboard: "",
    },
    Launcher {
        rank: &["PMI_RANK", "PMI_ID"],
        ranks: "PMI_SIZE",
        local_ranks: "MPI_LOCALNRANKS",
        hosts: "SLURM_STEP_NUM_NODES",
        job: &["PMI_JOBID"],
        knows_starter: true,
        switchboard: "",
    },
    Launcher {
        rank: &["SLURM_PROCID"],
        // Not SLURM_NTASKS, which a batch script has, too, without any other rank.
        ranks: "SLURM_STEP_NUM_TASKS",
        local_ranks: "",
        hosts: "SLURM_STEP_NUM_NODES",
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
        knows_starter: false,
        switchboard: "",
    },
];

/// What only ranks of a job have, each with what says how many there are. (Batch scripts have `SLURM_PROCID`, too.)
const RANKS_OF_JOBS: [(&str, &str); 4] = [
    ("GRAVEL_RANK", "GRAVEL_RANKS"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "of which PMIx has no variable"),
];

impl Job {
    /// A job of one rank.
    pub fn alone() -> Self {
        Self { rank: 0, ranks: 1, name: String::new(), switchboard: None }
    }

    /// The job that the environment describes; none if no launcher has started this process.
    ///
    /// # Errors
    /// If the description is incomplete, or the ranks are on several hosts. A rank that took itself for the only one would compute
    /// what it should not.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        for launcher in &LAUNCHERS {
            let rank = launcher.rank.iter().find_map(|name| Some((*name, variable(name)?)));
            if let (Some((name, rank)), Some(ranks)) = (rank, variable(launcher.ranks)) {
                let (rank, ranks) = (number(name, &rank)?, number(launcher.ranks, &ranks)?);
                if rank >= ranks {
                    return Err(Error::Launcher(format!("{name} is {rank}, but {} is {ranks}", launcher.ranks)).into());
                }
                launcher.check_hosts(ranks, &variable)?;
                let switchboard = variable(launcher.switchboard).map(PathBuf::from);
                return Ok(Some(Self { rank, ranks, name: launcher.job_name(&variable)?, switchboard }));
            }
        }
        let without_ranks = RANKS_OF_JOBS.iter().find(|(rank, _)| variable(rank).is_some());
        match without_ranks {
            None => Ok(None),
            Some((rank, ranks)) => Err(Error::Launcher(format!(
                "{rank} is set, but not how many ranks there are ({ranks}): start the program with gravel-run, mpirun or srun itself, \
                 or attach through MPI (feature `mpi`)"
            ))
            .into()),
        }
    }
}

impl Launcher {
    fn check_hosts(&self, ranks: Rank, variable: impl Fn(&str) -> Option<String>) -> Result<()> {
        let value = |name| variable(name).map(|value| number(name, &value)).transpose();
        let local = value(self.local_ranks)?.unwrap_or(ranks);
        if local != ranks || value(self.hosts)?.is_some_and(|hosts| hosts > 1 && variable(self.local_ranks).is_none()) {
            return Err(Error::Launcher(format!(
                "the {ranks} ranks of this job are on several hosts, which this launcher does not connect without MPI: \
                 start them with `gravel-run -n {ranks} --hosts ...`, or attach through MPI (feature `mpi`)"
            ))
            .into());
        }
        Ok(())
    }

    fn job_name(&self, variable: impl Fn(&str) -> Option<String>) -> Result<String> {
        let mut job: Vec<String> = self.job.iter().filter_map(|name| variable(name)).collect();
        if job.is_empty() && self.knows_starter {
            job.push(format!("process {}", starter(variable("PMI_FD").as_deref())));
        }
        if job.is_empty() {
            return Err(Error::Launcher(format!(
                "{} is set, but none of {}: start the program with mpirun or srun itself",
                self.ranks,
                self.job.join(", ")
            ))
            .into());
        }
        // Names of sockets are short.
        let mut name = format!("gravel-{}-", user());
        for byte in &Sha256::digest(job.join("\n"))[..16] {
            // Writing to a string does not fail.
            let _ = write!(name, "{byte:02x}");
        }
        Ok(name)
    }
}

fn number(name: &str, value: &str) -> Result<Rank> {
    value.trim().parse().map_err(|_| Error::Launcher(format!("{name} is {value:?}, which is no number")).into())
}

/// The user that this process belongs to.
pub(super) fn user() -> u32 {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() }
}

/// The process that has started all ranks on this host: it holds the other end of their PMI socket. A rank's parent may
/// be a shell of its own.
fn starter(descriptor: Option<&str>) -> i32 {
    let descriptor = descriptor.and_then(|descriptor| descriptor.parse().ok());
    let process = descriptor.and_then(super::rendezvous::peer_of).map(|peer| peer.process);
    process.filter(|&process| process > 0).unwrap_or_else(|| std::os::unix::process::parent_id().cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(variables: &[(&str, &str)]) -> Result<Option<Job>> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        Job::from_variables(|wanted| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone()))
    }

    const OPEN_MPI: [(&str, &str); 4] = [
        ("OMPI_COMM_WORLD_RANK", "3"),
        ("OMPI_COMM_WORLD_SIZE", "4"),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
        ("PMIX_NAMESPACE", "135528449"),
    ];

    #[test]
    fn every_launcher_is_understood() {
        let open_mpi = job(&OPEN_MPI).unwrap().unwrap();
        assert_eq!((open_mpi.rank, open_mpi.ranks), (3, 4));
        let mpich = job(&[("PMI_ID", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "2")]).unwrap().unwrap();
        assert_eq!((mpich.rank, mpich.ranks), (0, 2));
        let slurm = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_STEP_NUM_NODES", "1")];
        let slurm = job(&[&slurm[..], &[("SLURM_JOB_ID", "77"), ("SLURM_STEP_ID", "0")]].concat()).unwrap().unwrap();
        assert_eq!((slurm.rank, slurm.ranks), (1, 2));
        assert!(open_mpi.name != mpich.name && mpich.name != slurm.name);
        assert!(slurm.name.len() < 100, "fits the name of a socket");
    }

    #[test]
    fn gravel_run_connects_several_hosts() {
        let variables = [("GRAVEL_RANK", "1"), ("GRAVEL_RANKS", "3"), ("GRAVEL_JOB", "x")];
        assert_eq!(job(&variables).unwrap().unwrap().switchboard, None);
        let connected = job(&[&variables[..], &[("GRAVEL_MEETING", "/run/x")]].concat()).unwrap().unwrap();
        assert_eq!(connected.switchboard, Some(PathBuf::from("/run/x")));
        let others = job(&[&OPEN_MPI[..], &[("GRAVEL_MEETING", "/run/x")]].concat()).unwrap().unwrap();
        assert_eq!(others.switchboard, None, "it is another launcher's");
    }

    #[test]
    fn no_launcher_is_no_job() {
        assert_eq!(job(&[]), Ok(None));
        // A batch script outside of any step.
        assert_eq!(job(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8"), ("SLURM_JOB_ID", "77")]), Ok(None));
    }

    #[test]
    fn a_rank_of_many_is_never_alone() {
        for variables in [
            &[("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "prterun-1@1")][..],
            &[("PMI_RANK", "2")],
            &[("OMPI_COMM_WORLD_RANK", "1")],
            &[("GRAVEL_RANK", "1"), ("GRAVEL_JOB", "x")],
        ] {
            let text = job(variables).unwrap_err().to_string();
            assert!(text.contains(variables[0].0) && text.contains("how many ranks"), "{text}");
        }
    }

    #[test]
    fn steps_of_slurm_are_understood_whatever_they_speak() {
        let step = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_STEP_NUM_NODES", "1")];
        let ids = [("SLURM_JOB_ID", "77"), ("SLURM_STEP_ID", "0")];
        // `--mpi=pmix` gives a rank and a name, `--mpi=pmi2` all that MPICH's own launcher gives.
        let pmix = [&step[..], &ids, &[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "slurm.pmix.77.0")]].concat();
        let pmi2 = [&step[..], &ids, &[("PMI_RANK", "1"), ("PMI_SIZE", "2"), ("PMI_JOBID", "77.0")]].concat();
        for variables in [pmix, pmi2] {
            let found = job(&variables).unwrap().unwrap();
            assert_eq!((found.rank, found.ranks), (1, 2));
        }
        let several = [&[("SLURM_STEP_NUM_NODES", "2")][..], &[("PMI_RANK", "1"), ("PMI_SIZE", "2")]].concat();
        assert!(job(&several).unwrap_err().to_string().contains("several hosts"));
    }

    #[test]
    fn jobs_of_one_launcher_have_different_names() {
        let mut other = OPEN_MPI;
        other[3].1 = "135528450";
        assert_ne!(job(&OPEN_MPI).unwrap().unwrap().name, job(&other).unwrap().unwrap().name);
    }

    #[test]
    fn several_hosts_are_refused() {
        let mut variables = OPEN_MPI;
        variables[2].1 = "2";
        assert!(job(&variables).unwrap_err().to_string().contains("several hosts"));
        let slurm = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_STEP_NUM_NODES", "2")];
        assert!(job(&slurm).unwrap_err().to_string().contains("several hosts"));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (index, value, expected) in [(0, "4", "is 4"), (1, "many", "OMPI_COMM_WORLD_SIZE")] {
            let mut variables = OPEN_MPI;
            variables[index].1 = value;
            assert!(job(&variables).unwrap_err().to_string().contains(expected));
        }
        assert!(job(&OPEN_MPI[..3]).unwrap_err().to_string().contains("PMIX_NAMESPACE"));
    }
}
