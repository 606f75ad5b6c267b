//! Tests of the macros of Gravel: programs that run with and without `#[gravel::overlap]` (`runs`, and functions made at random:
//! `random`), what the compiler says of misuse (`ui`), and what the feature costs (`features`). Here is what starts the ranks.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seconds after which a rank is ended.
const LIMIT: &str = "300";

/// Runs a program as the ranks of one job, with variables of the environment; gives what each rank prints.
///
/// # Panics
/// If a rank can't be started, fails, or takes too long.
pub fn outputs(program: &Path, arguments: &[&str], ranks: usize, settings: &[(&str, &str)]) -> Vec<String> {
    static JOBS: AtomicUsize = AtomicUsize::new(0);
    let job = format!("macros-{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    let start = |rank: usize| {
        let mut command = Command::new("timeout");
        command.arg(LIMIT).arg(program).args(arguments).envs(settings.iter().copied());
        command.env("GRAVEL_RANK", rank.to_string()).env("GRAVEL_RANKS", ranks.to_string()).env("GRAVEL_JOB", &job);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starting a rank")
    };
    let processes: Vec<_> = (0..ranks).map(start).collect();
    let outputs = processes.into_iter().enumerate().map(|(rank, process)| {
        let output = process.wait_with_output().expect("waiting for a rank");
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let status = output.status;
        assert!(status.success(), "{arguments:?}, rank {rank} of {ranks}, {settings:?}: {status}\n{text}{errors}");
        text.into_owned()
    });
    outputs.collect()
}
