//! Measuring, in interleaved pairs, within a time.

use std::path::Path;
use std::time::{Duration, Instant};

use super::results::{Cell, Pair, Results};
use super::waits::WaitMeter;
use crate::cluster::{Cluster, Link, Placement, Unavailable};
use crate::equivalence::{expect_equal, recipe};
use crate::figure::Fabric;
use crate::gravelc::Gravelc;
use crate::kernels::suite::run_limit;
use crate::kernels::{Class, Kernel, KernelProgram, Place, ProgramPair, expect_verified, printed_seconds};
use crate::mpi_flavour::MpiFlavour;
use crate::overhead::cores;
use crate::process::Finished;

/// How long a run may take that is like one which has taken a certain time: so much, and so many times as long.
const LIMIT: (Duration, u32) = (Duration::from_secs(20), 10);
/// How often waits are measured that come out incomplete: a cluster repeats a run whose MPI does not end, and then more
/// ranks have written their times than there are.
const ATTEMPTS: usize = 3;
/// Pairs beyond which nothing is gained.
const MOST_PAIRS: usize = 50;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// How large their problems are.
    pub class: Class,
    /// What joins the ranks.
    pub fabrics: Vec<Fabric>,
    /// Numbers of ranks; each kernel runs on those of them that it can.
    pub ranks: Vec<usize>,
    /// No run begins after this time.
    pub budget: Duration,
}

/// Programs and hosts, ready to be measured.
pub struct Benchmark {
    plan: Plan,
    /// The programs, each with the place of its kernel in the plan.
    programs: Vec<(usize, ProgramPair)>,
    cluster: Option<Cluster>,
    meter: WaitMeter,
    left_out: Vec<String>,
}

impl Benchmark {
    /// Transforms and builds the kernels, and makes hosts. Where hosts are not permitted, what needs them is left out, which
    /// the results say.
    ///
    /// # Errors
    ///
    /// A message, if a program can't be built.
    pub fn prepare(plan: Plan, gravelc: &Gravelc, folder: &Path) -> Result<Self, String> {
        let mut programs = Vec::new();
        for (index, kernel) in plan.kernels.iter().enumerate() {
            let folder = folder.join(&kernel.name);
            let transformed = kernel.transform(gravelc, plan.class, &folder.join("sources"))?;
            for pair in kernel.build_pairs(gravelc, plan.class, &transformed, &MpiFlavour::ALL, &folder) {
                programs.push((index, pair?));
            }
        }
        let meter = WaitMeter::build(&folder.join("waits"))?;
        let mut benchmark = Self { plan, programs, cluster: None, meter, left_out: Vec::new() };
        if let (Some(link), Some(hosts)) = (benchmark.link(), benchmark.hosts()) {
            match Cluster::new(hosts, link) {
                Ok(cluster) => benchmark.cluster = Some(cluster),
                Err(Unavailable::NotPermitted(reason)) => benchmark.left_out.push(format!("{link} link: {reason}")),
                Err(Unavailable::Failed(message)) => return Err(message),
            }
        }
        Ok(benchmark)
    }

    fn link(&self) -> Option<Link> {
        self.plan.fabrics.iter().find_map(|fabric| match fabric {
            Fabric::Link(link) => Some(*link),
            Fabric::SharedMemory => None,
        })
    }

    /// How many hosts are needed, where any are.
    fn hosts(&self) -> Option<usize> {
        let runs = |ranks: &usize| self.plan.kernels.iter().any(|kernel| kernel.ranks.contains(ranks));
        self.plan.ranks.iter().copied().filter(|&ranks| ranks > 1).filter(runs).max()
    }

    /// What is measured: with which programs, by which fabric, on how many ranks. One rank has nobody to be linked with.
    fn runs(&self) -> Vec<(&Kernel, &ProgramPair, Fabric, usize)> {
        let mut runs = Vec::new();
        for &fabric in &self.plan.fabrics {
            for &ranks in &self.plan.ranks {
                if matches!(fabric, Fabric::Link(_)) && (ranks == 1 || self.cluster.is_none()) {
                    continue;
                }
                for (kernel, programs) in &self.programs {
                    let kernel = &self.plan.kernels[*kernel];
                    if kernel.ranks.contains(&ranks) {
                        runs.push((kernel, programs, fabric, ranks));
                    }
                }
            }
        }
        runs
    }

    /// Measures: first all waits, then pair after pair of every cell in turns, until the time is over. A program that fails
    /// is not run any more; the results name it.
    pub fn measure(&self, mut progress: impl FnMut(&str)) -> Results {
        let deadline = Instant::now().checked_add(self.plan.budget);
        let is_over = || deadline.is_some_and(|deadline| Instant::now() > deadline);
        let mut results = Results { class: self.plan.class, cells: Vec::new(), left_out: self.left_out.clone() };
        let mut runners = Vec::new();
        for (kernel, programs, fabric, ranks) in self.runs() {
            let name = format!("{} ({}, {fabric}, {ranks} ranks)", kernel.name, programs.mpi);
            if is_over() {
                results.left_out.push(format!("{name}: the time was over"));
                continue;
            }
            progress(&format!("waits: {name}"));
            let place = match (fabric, &self.cluster) {
                (Fabric::Link(_), Some(cluster)) => Place::Cluster(Placement::spread(cluster, ranks)),
                _ => Place::ThisMachine(ranks),
            };
            let mut runner = Runner { programs, place, name, limit: run_limit(self.plan.class), expected: None };
            let mut cell = Cell {
                kernel: kernel.name.clone(),
                mpi: programs.mpi,
                fabric,
                ranks,
                is_judged: ranks <= cores(),
                is_changed: programs.transformed.is_some(),
                waits: [None; 2],
                pairs: Vec::new(),
                failure: None,
            };
            if let Err(message) = runner.waits(&self.meter, &mut cell, &mut results.left_out) {
                cell.failure = Some(format!("{}: {message}", runner.name));
            }
            results.cells.push(cell);
            runners.push(runner);
        }
        for round in 0..MOST_PAIRS {
            for (cell, runner) in results.cells.iter_mut().zip(&mut runners) {
                if is_over() {
                    return results;
                }
                if cell.failure.is_some() || !cell.is_changed {
                    continue;
                }
                progress(&format!("pair {}: {}", round + 1, runner.name));
                match runner.pair(round) {
                    Ok(pair) => cell.pairs.push(pair),
                    Err(message) => cell.failure = Some(format!("{}: {message}", runner.name)),
                }
            }
        }
        results
    }
}

/// Runs the programs of one cell.
struct Runner<'a> {
    programs: &'a ProgramPair,
    place: Place<'a>,
    name: String,
    /// How long a run may take.
    limit: Duration,
    /// What the original has printed.
    expected: Option<Finished>,
}

impl Runner<'_> {
    /// Runs both programs with their waits measured, and compares what they print.
    fn waits(&mut self, meter: &WaitMeter, cell: &mut Cell, left_out: &mut Vec<String>) -> Result<(), String> {
        let programs = [Some(&self.programs.original), self.programs.transformed.as_ref()];
        for (program, waits) in programs.into_iter().zip(&mut cell.waits) {
            let Some(program) = program else { continue };
            let mut problem = None;
            for _ in 0..ATTEMPTS {
                let began = Instant::now();
                let watched = meter.attach(program)?;
                self.run(&watched)?;
                self.limit = self.limit.min(LIMIT.0 + began.elapsed() * LIMIT.1);
                match meter.read(self.place.ranks()) {
                    Ok(measured) => *waits = Some(measured),
                    Err(reason) => problem = Some(reason),
                }
                if waits.is_some() {
                    break;
                }
            }
            if let (None, Some(reason)) = (waits, problem) {
                left_out.push(format!("waits of {}: {reason}", self.name));
            }
        }
        Ok(())
    }

    /// Runs both programs, one right after the other: the original first, in every other round the transformed one.
    fn pair(&mut self, round: usize) -> Result<Pair, String> {
        let original = &self.programs.original;
        let transformed = self.programs.transformed.as_ref().unwrap_or(original);
        if round.is_multiple_of(2) {
            let original = self.run(original)?;
            Ok(Pair { original, transformed: self.run(transformed)? })
        } else {
            let transformed = self.run(transformed)?;
            Ok(Pair { original: self.run(original)?, transformed })
        }
    }

    /// Runs a program, which must print what the original does; gives the seconds that it says it took.
    fn run(&mut self, program: &KernelProgram) -> Result<f64, String> {
        let mpi = self.programs.mpi;
        let command = self.place.launch(mpi, program)?;
        let finished = self.place.run(mpi, &command, self.limit)?;
        let result = expect_verified(&finished).and_then(|()| match &self.expected {
            Some(expected) => expect_equal(expected, &finished),
            None => Ok(()),
        });
        result.map_err(|problem| format!("{problem}\n{}", recipe(&[&program.compilation, &command])))?;
        let seconds = printed_seconds(&finished).ok_or("it printed no time")?;
        if seconds <= 0.0 {
            return Err("it takes too little time to be measured: take a larger class".to_owned());
        }
        self.expected.get_or_insert(finished);
        Ok(seconds)
    }
}
