//! Starts the ranks of a test as processes, and gives the runtime what MPI would: collectives over files.

use std::cell::Cell;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use gravel::host::Host;
use gravel::{Rank, Result};
use tempfile::TempDir;

use crate::world::World;

const RANK: &str = "CLUSTER_RANK";
const DIRECTORY: &str = "CLUSTER_DIRECTORY";
const PROVIDER: &str = "CLUSTER_PROVIDER";
const NETWORKS: &str = "CLUSTER_NETWORKS";
/// Far more than any test takes; a hang fails instead of lasting.
const DEADLINE: Duration = Duration::from_secs(240);
/// How many times longer it is where something makes all slow.
const PATIENCE: &str = "CLUSTER_PATIENCE";

/// Whether this process is a rank of a test, and not its launcher.
pub fn is_rank() -> bool {
    std::env::var_os(RANK).is_some()
}

/// How the ranks of a test reach each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// By shared memory.
    Shm,
    /// By TCP, through the loopback interface.
    Tcp,
    /// By an RDMA device of this machine.
    Verbs,
    /// The last rank reaches and is reached by the others by an RDMA device; these by shared memory.
    MixedVerbs,
    /// The last rank reaches and is reached by the others by TCP; these by an RDMA device.
    VerbsAndTcp,
    /// The last rank reaches and is reached by the others by TCP; these by shared memory.
    Mixed,
}

impl Network {
    const ALL: [Self; 6] = [Self::Shm, Self::Tcp, Self::Mixed, Self::Verbs, Self::MixedVerbs, Self::VerbsAndTcp];

    fn name(self) -> &'static str {
        match self {
            Self::Shm => "shm",
            Self::Tcp => "tcp",
            Self::Mixed => "mixed",
            Self::Verbs => "verbs",
            Self::MixedVerbs => "mixed-verbs",
            Self::VerbsAndTcp => "verbs-and-tcp",
        }
    }

    /// Whether tests are to run over it. RDMA devices are rare: CLUSTER_NETWORKS=verbs asks for the tests over one, and for
    /// no others.
    fn is_asked_for(self) -> bool {
        let asked = std::env::var(NETWORKS).unwrap_or_default();
        (asked == "verbs") == matches!(self, Self::Verbs | Self::MixedVerbs | Self::VerbsAndTcp)
    }

    /// What a rank sets to be part of it: a pair uses what both permit.
    fn setting(self, rank: Rank, ranks: Rank) -> &'static str {
        match self {
            Self::Shm => "shm",
            Self::Tcp => "tcp",
            Self::Mixed if rank + 1 == ranks => "tcp",
            Self::Mixed => "shm,tcp",
            Self::Verbs => "verbs",
            Self::MixedVerbs if rank + 1 == ranks => "verbs",
            Self::MixedVerbs => "shm,verbs",
            Self::VerbsAndTcp if rank + 1 == ranks => "tcp",
            Self::VerbsAndTcp => "verbs,tcp",
        }
    }
}

/// Runs `body` on `ranks` processes, once for each network that makes a difference. `test` is the path of the calling test
/// within the test binary; `settings` are GRAVEL_* variables. Fails unless every rank ends in order.
pub fn cluster(test: &str, ranks: Rank, settings: &[(&str, &str)], body: impl FnOnce(&mut World)) {
    let networks: &[Network] = match ranks {
        // Data paths of shared memory are nothing to other networks.
        _ if settings.iter().any(|(name, _)| *name == "GRAVEL_SHM") => &[Network::Shm],
        0 | 1 => &[Network::Shm],
        2 => &[Network::Shm, Network::Tcp, Network::Verbs],
        _ => &Network::ALL,
    };
    cluster_over(networks, test, ranks, settings, body);
}

/// As [`cluster`], on the given networks only.
pub fn cluster_over(
    networks: &[Network],
    test: &str,
    ranks: Rank,
    settings: &[(&str, &str)],
    body: impl FnOnce(&mut World),
) {
    processes(networks, test, ranks, &[], |meeting, provider| {
        let mut settings = settings.to_vec();
        settings.push(provider);
        let mut world = World::new(meeting, &settings);
        body(&mut world);
        world.finish();
    });
}

/// As [`cluster_over`], before `gravel_init`: `body` gets what the runtime would get of MPI, and the setting that makes it
/// use the network. The ranks in `killed` end by a signal.
pub fn processes(
    networks: &[Network],
    test: &str,
    ranks: Rank,
    killed: &[Rank],
    body: impl FnOnce(Meeting, (&str, &str)),
) {
    if let Ok(rank) = std::env::var(RANK) {
        let variable = |name| std::env::var(name).expect("the launcher sets all variables");
        let rank = rank.parse().expect("a rank");
        let network = variable(PROVIDER);
        let network = Network::ALL.into_iter().find(|candidate| candidate.name() == network).expect("a network");
        let meeting = Meeting::new(variable(DIRECTORY).into(), rank, ranks);
        return body(meeting, ("GRAVEL_PROVIDER", network.setting(rank, ranks)));
    }
    for network in networks.iter().copied().filter(|network| network.is_asked_for()) {
        launch(test, ranks, killed, network);
    }
}

fn launch(test: &str, ranks: Rank, killed: &[Rank], network: Network) {
    let directory = new_directory();
    let mut processes: Vec<Child> = (0..ranks).map(|rank| start(test, rank, network, directory.path())).collect();
    let patience = std::env::var(PATIENCE).map_or(1, |value| value.parse().expect("a number"));
    let deadline = Instant::now() + DEADLINE * crate::soak::length() * patience;
    let (mut failed, mut hangs) = (Vec::new(), Vec::new());
    for (rank, process) in processes.iter_mut().enumerate() {
        let status = loop {
            if let Some(status) = process.try_wait().expect("waiting for a rank") {
                break Some(status);
            }
            if Instant::now() > deadline {
                hangs.push(format!("rank {rank}: {}", threads(process.id())));
                process.kill().expect("ending a rank that hangs");
                process.wait().expect("waiting for a rank");
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        match status {
            Some(status) if status.success() && !killed.contains(&rank) => {}
            Some(status) if status.signal().is_some() && killed.contains(&rank) => {}
            Some(status) => failed.push(format!("rank {rank}: {status}")),
            None => failed.push(format!("rank {rank}: hung")),
        }
    }
    if !hangs.is_empty() {
        hangs.push(format!("meetings: {}", meetings(directory.path())));
    }
    directory.close().expect("removing the meeting directory");
    let (failed, hangs) = (failed.join(", "), hangs.join("\n"));
    assert!(failed.is_empty(), "{test} over {}: {failed}\n{hangs}", network.name());
}

/// Where the threads of a process are: what each is called, and what it waits for in the system, if it does.
fn threads(process: u32) -> String {
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let thread = |task: fs::DirEntry| {
        let of = |name: &str| read(task.path().join(name));
        format!("{} in {} (system call {})", of("comm"), of("wchan"), of("syscall"))
    };
    tasks.map(thread).collect::<Vec<_>>().join("; ")
}

/// The collectives that ranks have entered, by the place where they meet: who is missing from the last ones is behind.
fn meetings(directory: &Path) -> String {
    let mut entered = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            entered.push(format!("{name} [{}]", meetings(&entry.path())));
        } else {
            entered.push(name);
        }
    }
    entered.sort();
    entered.join(" ")
}

fn start(test: &str, rank: Rank, network: Network, directory: &Path) -> Child {
    Command::new(std::env::current_exe().expect("the test's own path"))
        .args(["--exact", test, "--nocapture", "--test-threads=1", "--quiet"])
        .env(RANK, rank.to_string())
        .env(DIRECTORY, directory)
        .env(PROVIDER, network.name())
        .spawn()
        .expect("starting a rank")
}

/// Nobody else's, whatever tests that were killed have left.
fn new_directory() -> TempDir {
    tempfile::Builder::new().prefix("gravel-cluster-").tempdir().expect("creating the meeting directory")
}

/// Where the ranks of a test meet outside of Gravel: one file per rank and collective.
#[derive(Clone)]
pub struct Meeting {
    directory: PathBuf,
    rank: Rank,
    ranks: Rank,
    /// Number of collectives entered so far.
    entered: Cell<u32>,
}

impl Meeting {
    fn new(directory: PathBuf, rank: Rank, ranks: Rank) -> Self {
        Self { directory, rank, ranks, entered: Cell::new(0) }
    }

    pub fn rank(&self) -> Rank {
        self.rank
    }

    pub fn ranks(&self) -> Rank {
        self.ranks
    }

    /// A meeting of its own for another purpose.
    pub fn named(&self, name: &str) -> Self {
        let directory = self.directory.join(name);
        fs::create_dir_all(&directory).expect("creating a meeting directory");
        Self { directory, entered: Cell::new(0), ..self.clone() }
    }

    /// A meeting of some of the ranks, this one among them.
    pub fn of_members(&self, name: &str, members: &[Rank]) -> Self {
        let rank = members.iter().position(|&member| member == self.rank).expect("this rank is a member");
        Self { rank, ranks: members.len(), ..self.named(name) }
    }

    fn path(&self, number: u32, rank: Rank) -> PathBuf {
        self.directory.join(format!("{number}.{rank}"))
    }

    /// Enters the next collective with some bytes.
    pub fn enter(&self, bytes: &[u8]) {
        let number = self.entered.get() + 1;
        self.entered.set(number);
        let partial = self.directory.join(format!("{number}.{}.partial", self.rank));
        fs::write(&partial, bytes).expect("writing to the meeting directory");
        fs::rename(&partial, self.path(number, self.rank)).expect("writing to the meeting directory");
    }

    /// Whether all ranks have entered the collective that this one entered last.
    pub fn is_complete(&self) -> bool {
        (0..self.ranks).all(|rank| self.path(self.entered.get(), rank).exists())
    }

    /// Leaves a mark that every rank can see, at once.
    pub fn mark(&self, name: &str) {
        fs::write(self.directory.join(name), []).expect("writing to the meeting directory");
    }

    /// Whether some rank has left this mark.
    pub fn is_marked(&self, name: &str) -> bool {
        self.directory.join(name).exists()
    }

    /// Whether a rank's runtime has let MPI progress.
    pub fn has_progressed(&self, rank: Rank) -> bool {
        self.directory.join(format!("progressed.{rank}")).exists()
    }

    /// Waits outside of Gravel until all ranks are here.
    pub fn barrier(&self) {
        self.enter(&[]);
        while !self.is_complete() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Host for Meeting {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> Rank {
        self.ranks
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        self.enter(mine);
        while !self.is_complete() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let read = |rank| fs::read(self.path(self.entered.get(), rank)).expect("reading the meeting directory");
        Ok((0..self.ranks).flat_map(read).collect())
    }

    /// Leaves a mark that other ranks can see. A test that has used up its descriptors leaves none; who waits for one hangs.
    fn progress(&self) {
        let _ = fs::write(self.directory.join(format!("progressed.{}", self.rank)), []);
    }

    fn begin_barrier(&self) -> Result<()> {
        self.enter(&[]);
        Ok(())
    }

    fn test_barrier(&self) -> Result<bool> {
        Ok(self.is_complete())
    }
}
