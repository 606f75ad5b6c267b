//! Measuring, in interleaved rounds, within a time.

use std::path::Path;
use std::time::{Duration, Instant};

use super::programs::Programs;
use super::results::{Cell, Fabric, Results, length};
use super::variant::{Pattern, Variant};
use crate::cluster::{Cluster, Layout, Link, Unavailable};
use crate::gravelc::Gravelc;
use crate::mpi_flavour::{MpiFlavour, RUN_LIMIT};
use crate::process;
use crate::ring_variants::printed_seconds;

/// How long the iterations of a run should take together.
const RUN: Duration = Duration::from_millis(500);
/// Iterations of a run: at least, so that one that is disturbed does not decide; at most.
const ITERATIONS: (f64, f64) = (12.0, 5000.0);
/// How long a run on a cluster may take before it is tried again.
const LIMIT: Duration = Duration::from_secs(20);
/// Steps of computation per element, by which the length of a step is found.
const PROBES: [usize; 2] = [8, 40];
/// Iterations of a run that is no measurement.
const PROBE_ITERATIONS: usize = 30;
/// Rounds beyond which nothing is gained.
const MOST_ROUNDS: usize = 15;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The patterns, with their ranks.
    pub patterns: Vec<(Pattern, usize)>,
    /// What joins the ranks.
    pub fabrics: Vec<Fabric>,
    /// Lengths of messages in bytes.
    pub lengths: Vec<usize>,
    /// No round begins after this time.
    pub budget: Duration,
}

/// Programs and hosts, ready to be measured.
pub struct Experiment {
    plan: Plan,
    programs: Vec<Programs>,
    cluster: Option<(Cluster, Link)>,
    left_out: Vec<String>,
}

impl Experiment {
    /// Builds programs and hosts. Where hosts are not permitted, what needs them is left out, which the results say.
    ///
    /// # Errors
    ///
    /// A message, if a program can't be built.
    pub fn prepare(plan: Plan, gravelc: &Gravelc, folder: &Path) -> Result<Self, String> {
        let build = |&(pattern, _): &(Pattern, usize)| Programs::build(gravelc, pattern, folder);
        let programs = plan.patterns.iter().map(build).collect::<Result<_, _>>()?;
        let mut experiment = Self { plan, programs, cluster: None, left_out: Vec::new() };
        let link = experiment.plan.fabrics.iter().find_map(|fabric| match fabric {
            Fabric::Link(link) => Some(*link),
            Fabric::SharedMemory => None,
        });
        if let Some(link) = link {
            let hosts = experiment.plan.patterns.iter().map(|&(_, ranks)| ranks).max().unwrap_or(0);
            match Cluster::new(hosts, link) {
                Ok(cluster) => experiment.cluster = Some((cluster, link)),
                Err(Unavailable::NotPermitted(reason)) => experiment.left_out.push(format!("{link} link: {reason}")),
                Err(Unavailable::Failed(message)) => return Err(message),
            }
        }
        Ok(experiment)
    }

    /// The hosts, if there are any.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref().map(|(cluster, _)| cluster)
    }

    /// Measures. Each round takes every cell once, so that every cell has some when the time is over; the first round is
    /// finished in any case.
    ///
    /// # Errors
    ///
    /// A message, if a run fails or a program computes something else than the others.
    pub fn measure(&self, mut progress: impl FnMut(&str)) -> Result<Results, String> {
        let began = Instant::now();
        let mut results = Results { cells: Vec::new(), left_out: self.left_out.clone() };
        for (index, &(pattern, ranks)) in self.plan.patterns.iter().enumerate() {
            for &fabric in &self.plan.fabrics {
                if matches!(fabric, Fabric::Link(_)) && self.cluster.is_none() {
                    continue;
                }
                for &bytes in &self.plan.lengths {
                    let runner = Runner { experiment: self, index, fabric, ranks, bytes };
                    let work = runner.calibrate()?;
                    results.cells.push(Cell { pattern, fabric, ranks, bytes, work, rounds: Vec::new() });
                }
            }
        }
        for round in 0..MOST_ROUNDS {
            let done = u32::try_from(round).unwrap_or(u32::MAX);
            // A round that would end after the time is not begun.
            if round > 0 && began.elapsed() + began.elapsed() / done > self.plan.budget {
                break;
            }
            for cell in &mut results.cells {
                progress(&format!("round {}: {}, {}, {}", round + 1, cell.pattern, cell.fabric, length(cell.bytes)));
                let index = self.plan.patterns.iter().position(|&(pattern, _)| pattern == cell.pattern).unwrap_or(0);
                let (fabric, ranks, bytes) = (cell.fabric, cell.ranks, cell.bytes);
                let runner = Runner { experiment: self, index, fabric, ranks, bytes };
                let times = runner.round(cell.work, round)?;
                cell.rounds.push(times);
            }
        }
        Ok(results)
    }
}

/// Runs the programs of one cell.
struct Runner<'a> {
    experiment: &'a Experiment,
    /// Which pattern.
    index: usize,
    fabric: Fabric,
    ranks: usize,
    bytes: usize,
}

impl Runner<'_> {
    /// The steps of computation that take as long as the wire.
    fn calibrate(&self) -> Result<usize, String> {
        let [first, second] =
            MpiFlavour::ALL.map(|mpi| self.run(Variant::Wire(mpi), PROBE_ITERATIONS, 0).map(|run| run.seconds));
        // Passes over what is not a number.
        let wire = first?.min(second?).min(self.socket()?);
        let [few, many] =
            PROBES.map(|work| self.run(Variant::Computation, PROBE_ITERATIONS, work).map(|run| run.seconds));
        let (few, many) = (few?, many?);
        let per_step = (many - few).max(1e-12) / (PROBES[1] - PROBES[0]) as f64;
        let steps = (PROBES[0] as f64 + (wire - few) / per_step).round();
        Ok(steps.clamp(1.0, 100_000.0) as usize)
    }

    /// Every variant once, beginning with another one in every round.
    fn round(&self, work: usize, round: usize) -> Result<[f64; Variant::ALL.len()], String> {
        let mut times = [f64::NAN; Variant::ALL.len()];
        let estimate = self.run(Variant::Computation, PROBE_ITERATIONS, work)?.seconds * 2.0;
        let (fewest, most) = ITERATIONS;
        let iterations = (RUN.as_secs_f64() / estimate).clamp(fewest, most) as usize;
        let mut checksums: Option<(Variant, String)> = None;
        for turn in 0..Variant::ALL.len() {
            let place = (turn + round * 5) % Variant::ALL.len();
            let variant = Variant::ALL[place];
            if variant == Variant::Socket {
                times[place] = self.socket()?;
                continue;
            }
            let run = self.run(variant, iterations, work)?;
            times[place] = run.seconds;
            if !variant.computes_the_result() {
                continue;
            }
            match &checksums {
                None => checksums = Some((variant, run.checksums)),
                Some((_, expected)) if *expected == run.checksums => {}
                Some((other, expected)) => {
                    let found = run.checksums;
                    return Err(format!("{variant} computes\n{found}but {other} computes\n{expected}"));
                }
            }
        }
        Ok(times)
    }

    /// Seconds that the messages of an iteration take by a socket; not a number where there are no hosts.
    fn socket(&self) -> Result<f64, String> {
        let (Fabric::Link(_), Some((cluster, _))) = (self.fabric, &self.experiment.cluster) else {
            return Ok(f64::NAN);
        };
        let pattern = self.experiment.plan.patterns[self.index].0;
        cluster.seconds_per_message(self.bytes * pattern.messages_per_link(self.ranks), PROBE_ITERATIONS)
    }

    fn run(&self, variant: Variant, iterations: usize, work: usize) -> Result<Run, String> {
        let (program, arguments) = self.experiment.programs[self.index].of(variant, self.bytes, iterations, work);
        let mpi = variant.mpi();
        let cluster = self.experiment.cluster().filter(|_| self.fabric != Fabric::SharedMemory);
        let launched = match cluster {
            Some(cluster) => cluster.launch(mpi, Layout { hosts: self.ranks, ranks_per_host: 1 }, &program),
            None => mpi.launch(self.ranks, &program),
        };
        let command = launched.args(arguments);
        let finished = match cluster {
            Some(cluster) => cluster.measure(mpi, &command, LIMIT),
            None => process::run(&command, RUN_LIMIT),
        };
        let finished = finished.map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
        }
        let seconds = printed_seconds(&finished.stderr_text()).ok_or_else(|| format!("`{command}` printed no time"))?;
        Ok(Run { seconds, checksums: finished.stdout_text() })
    }
}

/// What a run has printed.
struct Run {
    seconds: f64,
    checksums: String,
}
