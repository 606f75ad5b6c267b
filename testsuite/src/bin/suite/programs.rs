//! The parts of the suite that read, transform and run programs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gravelc::mutations::Clause;
use testsuite::case::{self, Case};
use testsuite::cluster::ClusterPart;
use testsuite::configuration::{self, Effort};
use testsuite::damaged_programs::campaign::Campaign as DamagedPrograms;
use testsuite::golden::Golden;
use testsuite::graphs;
use testsuite::hidden_communication;
use testsuite::kernels::suite::KernelSuite;
use testsuite::kernels::{Class, Kernel};
use testsuite::loops_in_c;
use testsuite::mpi_flavour::RUN_LIMIT;
use testsuite::mutations::{self, Campaigns};
use testsuite::preprocessing::Comparison;
use testsuite::random_programs::batch::Workshop;
use testsuite::random_programs::campaign::Campaign;
use testsuite::random_programs::seeds;
use testsuite::report::Status;
use testsuite::rust_examples::RustExamples;
use testsuite::setup;
use testsuite::shared_arguments;
use testsuite::side_by_side::check_each;
use testsuite::tally::{Step, Tally};
use testsuite::trap::Trap;
use testsuite::wandering_requests;
use testsuite::whole_exchanges;

use super::Suite;

/// Random programs of the fixed batch.
const FIXED_RANDOM_PROGRAMS: u64 = 320;
/// So many random programs are certain to meet everything that can happen.
const CERTAIN_RANDOM_PROGRAMS: u64 = 1000;
/// After this time no further batch of random programs begins.
const RANDOM_PROGRAMS_LIMIT: Duration = Duration::from_secs(110);
/// Damaged programs of the fixed batch.
const FIXED_DAMAGED_PROGRAMS: u64 = 1_500;
/// After this time no further damaged program is read.
const DAMAGED_PROGRAMS_LIMIT: Duration = Duration::from_secs(60);
/// Damaged programs that are preprocessed, of the fixed batch.
const FIXED_PREPROCESSED_PROGRAMS: u64 = 600;
/// After this time no further damaged program is preprocessed.
const PREPROCESSED_PROGRAMS_LIMIT: Duration = Duration::from_secs(60);
/// Of so many traps one is transformed with `--in-place`, without --full.
const IN_PLACE_TRAPS: usize = 12;
/// Of so many traps one is run where all parts run; the report of each is read. A part that is asked for runs them all.
const TRAPS_FOR_A_RUN: usize = 4;
/// Programs that hand requests around, with --full.
const MORE_WANDERING_REQUESTS: u64 = 100;
/// Programs in C whose loops fill and read messages, with --full.
const MORE_LOOPS_IN_C: u64 = 300;
/// After this time no further kernel begins.
const KERNELS_LIMIT: Duration = Duration::from_secs(110);
/// After this time no further program is run on a cluster of hosts.
const CLUSTER_LIMIT: Duration = Duration::from_secs(110);

impl Suite {
    pub fn golden(&self, tally: &mut Tally) {
        let _step = Step::begin("golden programs: original and expected output print the same");
        let all = match Golden::all() {
            Ok(all) => all,
            Err(message) => return tally.fail("golden", message),
        };
        let mut cases = Vec::new();
        for golden in all {
            match golden.case() {
                Ok(case) => cases.push(case),
                Err(message) => tally.fail(&format!("golden/{}", golden.name), message),
            }
        }
        let (builds, executions) = if self.is_selected { (2, 3) } else { (1, 2) };
        self.equivalence("golden-runs", builds, executions).check_all(&cases, tally);
        self.check_warnings(&cases, tally);
        let _step = Step::begin("golden programs: Graphviz draws their graphs");
        check_each(&cases, tally, |case, tally| {
            let folder = self.folder.scratch("graphs").join(&case.name);
            tally.check(&format!("{}: graphs", case.name), graphs::draw(&self.gravelc, &case.original, &folder));
        });
    }

    pub fn in_place(&self, tally: &mut Tally) {
        let _step = Step::begin("golden and trap programs with all that can be converted, moved or not");
        let programs = match (Golden::all(), Trap::all()) {
            (Ok(golden), Ok(traps)) => {
                // Each trap is transformed twice to see whether it comes out otherwise.
                let step = if self.full { 1 } else { IN_PLACE_TRAPS };
                let traps = traps.into_iter().step_by(step).map(|trap| (trap.name, trap.file));
                golden.iter().map(|golden| (golden.name.clone(), golden.input())).chain(traps).collect::<Vec<_>>()
            }
            (Err(message), _) | (_, Err(message)) => return tally.fail("programs in place", message),
        };
        let gravelc = self.gravelc.clone().in_place();
        let cases: Mutex<Vec<Case>> = Mutex::default();
        check_each(&programs, tally, |(name, source), tally| {
            let folder = self.folder.scratch("in-place").join(name);
            let name = format!("in-place/{name}");
            let found = self.gravelc.transform(source, &folder.join("moved")).and_then(|moved| {
                let case = Case::transformed_by(&gravelc, name.as_str(), source, &folder.join("in-place"))?;
                Ok((!case.is_transformed_as(&moved.output)?).then_some(case))
            });
            match found {
                Ok(found) => cases.lock().unwrap_or_else(PoisonError::into_inner).extend(found),
                Err(message) => tally.fail(&name, message),
            }
        });
        let mut cases = cases.into_inner().unwrap_or_else(PoisonError::into_inner);
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        println!("    {} of {} programs come out otherwise than without --in-place", cases.len(), programs.len());
        let result = if cases.is_empty() { Err("none comes out otherwise than without it") } else { Ok(()) };
        tally.check("programs in place: some are others", result);
        self.equivalence("in-place-runs", 1, 2).check_all(&cases, tally);
    }

    pub fn traps(&self, tally: &mut Tally) {
        let _step = Step::begin("trap programs: report and runs");
        let equivalence = self.equivalence("trap-runs", 1, 2);
        let traps = match Trap::all() {
            Ok(traps) => traps,
            Err(message) => return tally.fail("traps", message),
        };
        let [kept, transformed] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        check_each(&traps, tally, |trap, tally| {
            let name = format!("traps/{}", trap.name);
            let destination = self.folder.scratch("traps").join(&trap.name);
            match trap.check(&self.gravelc, &destination) {
                Ok(report) => {
                    tally.pass();
                    for site in report.sites.iter().filter(|site| trap.lines.contains(&site.line)) {
                        let sites = if site.status == Status::Transformed { &transformed } else { &kept };
                        sites.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Err(message) => tally.fail(&name, message),
            }
            if !self.full && !self.is_selected && !configuration::fnv1a(&trap.name).is_multiple_of(TRAPS_FOR_A_RUN) {
                return tally
                    .skip(format!("runs of a trap: one in {TRAPS_FOR_A_RUN}, all with --full or --only traps"), 1);
            }
            match Case::transformed_by(&self.gravelc, name.as_str(), &trap.file, &destination) {
                Ok(case) => equivalence.check(&case, tally),
                Err(message) => tally.fail(&name, message),
            }
        });
        println!(
            "    of the trapped calls of {} programs {} are transformed, {} kept",
            traps.len(),
            transformed.into_inner(),
            kept.into_inner()
        );
    }

    pub fn aliases(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that hand memory over by two names");
        let plain = self.equivalence("shared-arguments", 1, 2);
        let mut watched = self.equivalence("shared-arguments", 1, 2);
        watched.environment.push(("GRAVEL_CHECK", "1".to_owned()));
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None => (0, shared_arguments::FIXED_BATCH),
        };
        shared_arguments::check(&self.gravelc, &[watched, plain], batch, tally);
    }

    pub fn exchanges(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that exchange the edges of grids and sweep over them");
        let mut equivalence = self.equivalence("whole-exchanges", 1, 2);
        equivalence.environment.push(("GRAVEL_CHECK", "1".to_owned()));
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None => (0, whole_exchanges::FIXED_BATCH),
        };
        whole_exchanges::check(&self.gravelc, &equivalence, batch, tally);
    }

    pub fn hidden(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that receive messages where no call of MPI can be seen");
        let equivalence = self.equivalence("hidden-communication", 1, 1);
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None => (0, hidden_communication::FIXED_BATCH),
        };
        hidden_communication::check(&self.gravelc, &equivalence, batch, tally);
    }

    pub fn requests(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that copy requests, store them and hand them around");
        // Both MPIs, each on two and three ranks.
        let mut equivalence = self.equivalence("wandering-requests", 2, 2);
        equivalence.effort = Effort::Sample { builds: 2, executions: 2 };
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None if self.full => (0, MORE_WANDERING_REQUESTS),
            None => (0, wandering_requests::FIXED_BATCH),
        };
        wandering_requests::check(&self.gravelc, &equivalence, batch, tally);
    }

    pub fn loops(&self, tally: &mut Tally) {
        let _step = Step::begin("programs in C whose loops fill and read messages");
        let equivalence = self.equivalence("loops-in-c", 1, 3);
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None if self.full => (0, MORE_LOOPS_IN_C),
            None => (0, loops_in_c::FIXED_BATCH),
        };
        loops_in_c::check(&self.gravelc, &equivalence, batch, tally);
    }

    pub fn random(&self, tally: &mut Tally) {
        let is_long = self.programs.is_some();
        let step =
            if is_long { "random programs" } else { "random programs: a fixed list, and more for at most 2 minutes" };
        let _step = Step::begin(step);
        let fixed = match seeds::read() {
            Ok(fixed) => fixed,
            Err(message) => return tally.fail("random programs", message),
        };
        let campaign = Campaign {
            fixed: if is_long { seeds::Reached::new() } else { fixed },
            seed: self.seed,
            programs: self.programs.unwrap_or(FIXED_RANDOM_PROGRAMS),
            limit: if is_long { Duration::MAX } else { RANDOM_PROGRAMS_LIMIT },
            shrinking: Duration::from_secs(if is_long { 300 } else { 60 }),
            reaches_everything: self.programs.is_some_and(|programs| programs >= CERTAIN_RANDOM_PROGRAMS),
            has_hostile: self.hostile,
            language: self.language,
        };
        campaign
            .run(&Workshop { gravelc: &self.gravelc, folder: self.folder.scratch("random"), limit: RUN_LIMIT }, tally);
    }

    pub fn damaged(&self, tally: &mut Tally) {
        let _step = Step::begin("programs damaged at random: gravelc transforms them or says why not");
        let limit = if self.programs.is_some() { Duration::MAX } else { DAMAGED_PROGRAMS_LIMIT };
        let programs = self.programs.unwrap_or(FIXED_DAMAGED_PROGRAMS);
        let campaign = DamagedPrograms { seed: self.seed, programs, limit };
        campaign.run(&self.gravelc, &self.folder.scratch("damaged"), tally);
    }

    pub fn preprocessing(&self, tally: &mut Tally) {
        let _step = Step::begin("preprocessed programs: gravelc sees the statements that gfortran sees");
        let limit = if self.programs.is_some() { Duration::MAX } else { PREPROCESSED_PROGRAMS_LIMIT };
        let programs = self.programs.unwrap_or(FIXED_PREPROCESSED_PROGRAMS);
        let comparison = Comparison { seed: self.seed, programs, limit };
        comparison.run(&self.folder.scratch("preprocessing"), tally);
    }

    pub fn mutations(&self, tally: &mut Tally) {
        let _step = Step::begin("clauses of the safety contract, switched off");
        let asked = |clause: &&str| self.clauses.is_empty() || self.clauses.iter().any(|asked| asked == clause);
        let clauses: Vec<&str> = Clause::all().map(Clause::name).filter(asked).collect();
        let scratch = self.folder.scratch("mutations");
        let mutated = match setup::build_mutated(&self.folder) {
            Ok(mutated) => mutated,
            Err(message) => return tally.fail("mutations", message),
        };
        match self.programs {
            Some(programs) => Campaigns { seed: self.seed, programs }.run(&mutated, &clauses, &scratch, tally),
            None => mutations::check(&mutated, &clauses, &scratch, tally),
        }
    }

    pub fn kernels(&self, tally: &mut Tally) {
        // The hostile provider is asked for: it shall meet every kernel.
        let is_long = self.full || self.hostile || self.class != Class::Tiny;
        let step = if is_long { "kernels" } else { "kernels: a sample of runs, at most 2 minutes" };
        let _step = Step::begin(format!("{step}, class {}", self.class));
        let kernels = match Kernel::all() {
            Ok(kernels) => kernels,
            Err(message) => return tally.fail("kernels", message),
        };
        let suite = KernelSuite {
            gravelc: &self.gravelc,
            scratch: self.folder.scratch("kernels"),
            class: self.class,
            placements: None,
            is_sample: !self.full,
            limit: if is_long { Duration::MAX } else { KERNELS_LIMIT },
            environment: self.hostile_environment(),
        };
        suite.run(&kernels, tally);
    }

    pub fn examples(&self, tally: &mut Tally) {
        let _step = Step::begin("examples: original and transformed print the same");
        let examples = match case::examples() {
            Ok(examples) => examples,
            Err(message) => return tally.fail("examples", message),
        };
        let mut cases = Vec::new();
        for (name, source) in examples {
            let destination = self.folder.scratch("examples").join(&name);
            match Case::transformed_by(&self.gravelc, name.as_str(), &source, &destination) {
                Ok(case) => cases.push(case),
                Err(message) => tally.fail(&name, message),
            }
        }
        let (builds, executions) = if self.is_selected { (6, 4) } else { (2, 3) };
        self.equivalence("example-runs", builds, executions).check_all(&cases, tally);
        self.check_warnings(&cases, tally);
        let in_rust = match RustExamples::build(&self.gravelc, &self.folder.scratch("examples-in-rust")) {
            Ok(examples) => examples,
            Err(message) => return tally.fail("examples in Rust", message),
        };
        for name in in_rust.names() {
            for ranks in 1..=4 {
                tally.check(&format!("examples/{name} on {ranks} ranks"), in_rust.check(name, ranks));
            }
        }
    }

    pub fn cluster(&self, tally: &mut Tally) {
        let limit = (!self.full).then_some(CLUSTER_LIMIT);
        let length = if limit.is_some() { ", at most 2 minutes" } else { "" };
        let _step = Step::begin(format!("a cluster of hosts: original and transformed print the same{length}"));
        let scratch = self.folder.scratch("cluster");
        ClusterPart { gravelc: &self.gravelc, scratch, limit }.run(tally);
    }
}
