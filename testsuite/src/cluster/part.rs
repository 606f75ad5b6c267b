//! The part of the suite that runs on a cluster: programs and their transformations must print the same there, too.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Cluster, Link, Placement, Unavailable};
use crate::case::{self, Case};
use crate::configuration::{Build, Optimisation, fnv1a};
use crate::equivalence::Equivalence;
use crate::golden::Golden;
use crate::gravelc::Gravelc;
use crate::kernels::suite::KernelSuite;
use crate::kernels::{Class, Kernel};
use crate::mpi_flavour::{MpiFlavour, RUN_LIMIT};
use crate::random_programs::batch::{Run, Setup, Workshop};
use crate::random_programs::generator::generate;
use crate::random_programs::program::Program;
use crate::tally::Tally;
use crate::trap::Trap;

/// The most hosts of a layout.
const HOSTS: usize = 4;

/// Random programs in a file.
const TOGETHER: u64 = 16;
/// The number of the first random program.
const FIRST_RANDOM_PROGRAM: u64 = 3_000_000;
/// Batches of random programs in the long form.
const BATCHES: u64 = 24;

/// Runs the examples, golden, trap and random programs, and the kernels on a cluster.
#[derive(Debug)]
pub struct ClusterPart<'a> {
    /// What transforms the programs.
    pub gravelc: &'a Gravelc,
    /// A folder for sources and programs.
    pub scratch: PathBuf,
    /// No program is begun after this time; `None` runs every program in every placement.
    pub limit: Option<Duration>,
}

impl ClusterPart<'_> {
    /// Runs them, and says what was left out.
    pub fn run(&self, tally: &mut Tally) {
        let cluster = match Cluster::new(HOSTS, Link::default()) {
            Ok(cluster) => cluster,
            Err(Unavailable::Failed(message)) => return tally.fail("cluster", message),
            Err(Unavailable::NotPermitted(reason)) => {
                println!("    SKIPPED: {reason}");
                return tally.skip(format!("a cluster on this machine: {reason}"), 1);
            }
        };
        let placements = Placement::all(&cluster);
        let began = Instant::now();
        // What has begun takes its time: the first of five parts is for kernels, the last one for random programs.
        let end_of = |share: u32| self.limit.map(|limit| limit * share / 5);
        let is_over = |share: u32| end_of(share).is_some_and(|end| began.elapsed() > end);
        self.kernels(&placements, end_of(1).unwrap_or(Duration::MAX), tally);
        let cases = match self.cases(tally) {
            Ok(cases) => cases,
            Err(message) => return tally.fail("cluster", message),
        };
        let mut left = 0;
        let equivalence = Equivalence {
            gravelc: self.gravelc,
            scratch: self.scratch.join("runs"),
            effort: crate::configuration::Effort::Full,
            environment: Vec::new(),
        };
        for case in &cases {
            if is_over(4) {
                left += 1;
                continue;
            }
            for (build, places) in self.choice(case, &placements) {
                equivalence.check_placed(case, build, &places, tally);
            }
        }
        tally.skip("cluster: programs for which there was no time (--only cluster --full)", left);
        let mut batches = 0;
        while batches < BATCHES && !is_over(5) {
            self.random_programs(batches, &placements, tally);
            batches += 1;
        }
        let left = (BATCHES - batches) * TOGETHER;
        tally.skip("cluster: random programs for which there was no time", usize::try_from(left).unwrap_or(usize::MAX));
        if cluster.repeated() > 0 {
            println!("    {} runs of MPICH were repeated: they had not left MPI_Finalize", cluster.repeated());
        }
        println!("    {} programs and {batches} batches of random programs on up to {HOSTS} hosts", cases.len());
    }

    /// The kernels, in an order that has nothing to do with their names.
    fn kernels(&self, placements: &[Placement], limit: Duration, tally: &mut Tally) {
        let mut kernels = match Kernel::all() {
            Ok(kernels) => kernels,
            Err(message) => return tally.fail("kernels on a cluster", message),
        };
        kernels.sort_by_key(|kernel| fnv1a(&kernel.name));
        let suite = KernelSuite {
            gravelc: self.gravelc,
            scratch: self.scratch.join("kernels"),
            class: Class::Tiny,
            placements: Some(placements),
            is_sample: self.limit.is_some(),
            limit,
            environment: Vec::new(),
        };
        suite.run(&kernels, tally);
    }

    /// The programs: the examples first, the others in an order that has nothing to do with their names.
    fn cases(&self, tally: &mut Tally) -> Result<Vec<Case>, String> {
        let mut cases = Vec::new();
        for (name, source) in case::examples()? {
            cases.push(self.transformed(&name, &source)?);
        }
        let mut others = Vec::new();
        for golden in Golden::all()? {
            match golden.case() {
                Ok(case) => others.push(case),
                Err(message) => tally.fail(&format!("golden/{}", golden.name), message),
            }
        }
        for trap in Trap::all()? {
            let name = format!("traps/{}", trap.name);
            match self.transformed(&name, &trap.file) {
                Ok(case) => others.push(case),
                Err(message) => tally.fail(&name, message),
            }
        }
        others.sort_by_key(|case| fnv1a(&case.name));
        cases.extend(others);
        Ok(cases)
    }

    fn transformed(&self, name: &str, source: &std::path::Path) -> Result<Case, String> {
        Case::transformed_by(self.gravelc, name, source, &self.scratch.join("sources").join(name))
    }

    /// How a program is built, and where it runs: everything, or one build in two places, which its name decides.
    fn choice<'c>(&self, case: &Case, placements: &[Placement<'c>]) -> Vec<(Build, Vec<Placement<'c>>)> {
        let optimisation = Optimisation::Usual;
        let place = |mpi: MpiFlavour| {
            let fits = |placement: &&Placement| {
                case.directives.ranks.contains(&placement.ranks()) && (self.limit.is_none() || placement.is_quick(mpi))
            };
            placements.iter().filter(fits).copied().collect::<Vec<_>>()
        };
        let all = MpiFlavour::ALL.map(|mpi| (Build { mpi, optimisation }, place(mpi)));
        if self.limit.is_none() {
            return all.into();
        }
        let number = fnv1a(&case.name);
        let [first, second] = all;
        let (build, places) = if number.is_multiple_of(2) { first } else { second };
        let chosen = places.len().min(2);
        let places = (0..chosen).map(|place| places[(number / 2 + place) % places.len()]).collect();
        vec![(build, places)]
    }

    /// A batch of random programs, in a place that its number decides.
    fn random_programs(&self, number: u64, placements: &[Placement], tally: &mut Tally) {
        let mpi = MpiFlavour::ALL[usize::from(number % 2 == 1)];
        let places: Vec<&Placement> = placements.iter().filter(|placement| placement.is_quick(mpi)).collect();
        let Some(placement) = usize::try_from(number / 2).ok().and_then(|turn| places.get(turn % places.len())) else {
            return;
        };
        let seeds = FIRST_RANDOM_PROGRAM + number * TOGETHER..FIRST_RANDOM_PROGRAM + (number + 1) * TOGETHER;
        let programs: Vec<Program> = seeds.clone().map(generate).collect();
        let numbered = Setup::numbered(number, false);
        let runs: Vec<Run> = numbered.runs;
        let build = Build { mpi, optimisation: Optimisation::None };
        let setup = Setup { language: numbered.language, build, ranks: placement.ranks(), runs };
        let folder = self.scratch.join("random").join(number.to_string());
        let workshop = Workshop { gravelc: self.gravelc, folder: folder.clone(), limit: RUN_LIMIT };
        let name = format!("random programs {} to {} ({build}, {placement})", seeds.start, seeds.end - 1);
        match workshop.run_placed(&programs.iter().collect::<Vec<_>>(), &setup, Some(placement)) {
            Ok(outcome) => {
                (outcome.findings.len()..programs.len()).for_each(|_| tally.pass());
                for finding in outcome.findings {
                    let program = seeds.start + finding.program as u64;
                    let text = format!("{:?}\n{}\nsee {}", finding.wrong, finding.message, folder.display());
                    tally.fail(&format!("random program {program} of {name}"), text);
                }
            }
            Err(message) => tally.fail(&name, message),
        }
    }
}
