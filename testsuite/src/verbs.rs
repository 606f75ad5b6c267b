//! The runtime over real verbs: on this machine's RDMA device, or in a guest that has a software one ([`crate::rdma_guest`]).
//!
//! Everything runs in one start of the guest, as a list of shell commands; each writes its outcome behind its name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::CommandLine;
use crate::gravelc::{CARGO_LIMIT, Gravelc};
use crate::mpi_flavour::MpiFlavour;
use crate::process;
use crate::rdma_guest::{self, RdmaGuest};
use crate::ring_variants::{RingVariants, Variant};
use crate::setup::{self, succeed};
use crate::tally::Tally;
use crate::workspace::{self, BuildFolder};

/// What the short form takes at most, on a machine that has nothing else to do.
const SHORT: Duration = Duration::from_secs(9 * 60);
/// What the long form takes at most.
const LONG: Duration = Duration::from_secs(3 * 3600);
/// Tests between processes that the short form runs: each kind of traffic, each way to fail.
const SAMPLE: [&str; 13] = [
    "messages::a_short_message_reports_its_length_and_leaves_the_rest",
    "messages::eager_and_late_messages_of_one_tag_keep_their_order",
    "messages::random_traffic_between_all_pairs",
    "messages::segments_in_any_order_make_one_message",
    "announced::an_eager_announcement_that_is_too_long_is_an_error_at_its_receiver",
    "announced::every_length_every_way_early_and_late::over_verbs",
    "soak::two_ranks::over_verbs",
    "rdma::",
    "connections::",
    "deaths::a_rank_is_killed_in_mid_put_over_networks",
    "deaths::a_rank_is_killed_after_the_fin_over_networks",
    "faults::",
    "network::data_lands_while_the_receiver_computes",
];
/// What the long form also runs on the hostile provider around verbs.
const HOSTILE_SAMPLE: [&str; 6] = [
    "messages::",
    "announced::every_length_every_way_early_and_late::over_verbs",
    "ranges::",
    "soak::two_ranks::over_verbs",
    "rdma::",
    "connections::",
];
/// Marks the lines that tell how a command ended.
const MARK: &str = "@outcome";

/// A command that has to succeed.
struct Check {
    name: String,
    command: String,
    limit: Duration,
}

/// Runs the tests of the provider. The long form runs all tests between processes, the short one a sample.
pub fn check(gravelc: &Gravelc, folder: &BuildFolder, is_long: bool, tally: &mut Tally) {
    let scratch = folder.scratch("verbs");
    let has_device = rdma_guest::has_device();
    let guest = if has_device { Ok(None) } else { RdmaGuest::prepare(&folder.scratch("rdma-guest")).map(Some) };
    let guest = match guest {
        Ok(guest) => guest,
        Err(reason) => return tally.skip(format!("verbs: no RDMA device, and no guest with one: {reason}"), 1),
    };
    let checks = match checks(gravelc, &scratch, is_long) {
        Ok(checks) => checks,
        Err(message) => return tally.fail("verbs", message),
    };
    let limit = if is_long { LONG } else { SHORT };
    let script = script(&checks);
    let output = match guest {
        Some(guest) => guest.run(&script, limit).map(|outcome| outcome.output),
        None => run_here(&script, limit),
    };
    match output {
        Ok(output) => judge(&checks, &output, tally),
        Err(message) => tally.fail("verbs", message),
    }
}

/// What is to be run.
fn checks(gravelc: &Gravelc, scratch: &Path, is_long: bool) -> Result<Vec<Check>, String> {
    let tests = cluster_tests(is_long)?;
    let mut checks = Vec::new();
    let settings = "CLUSTER_NETWORKS=verbs";
    let quoted = |path: &Path| format!("'{}'", path.display());
    if is_long {
        // Those of gigabytes take hours there; those of statistics and traces name their networks themselves.
        let command = format!("{settings} {} --test-threads=1 --skip large:: --skip observation::", quoted(&tests));
        checks.push(Check { name: "tests between processes".into(), command, limit: LONG / 2 });
        for (seed, names) in HOSTILE_SAMPLE.iter().enumerate() {
            let command = format!("GRAVEL_HOSTILE={} {settings} {} --test-threads=1 {names}", seed + 1, quoted(&tests));
            let name = format!("at the worst moments: {names}");
            checks.push(Check { name, command, limit: Duration::from_secs(20 * 60) });
        }
    } else {
        for name in SAMPLE {
            let command = format!("{settings} {} --test-threads=1 {name}", quoted(&tests));
            checks.push(Check { name: name.into(), command, limit: Duration::from_secs(150) });
        }
    }
    for mpi in crate::native::installed_flavours() {
        let ring = RingVariants::build(gravelc, mpi, &scratch.join(mpi.suffix()))?;
        let expected = process::run(&mpi.launch(2, ring.program(Variant::Original)), crate::mpi_flavour::RUN_LIMIT)
            .map_err(|error| error.to_string())?;
        let file = scratch.join(mpi.suffix()).join("expected");
        std::fs::write(&file, &expected.stdout).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        checks.push(ring_check(mpi, ring.program(Variant::Transformed), &file));
    }
    Ok(checks)
}

/// The ring must print the same as the original does with MPI, and its messages must have gone by verbs.
fn ring_check(mpi: MpiFlavour, program: &Path, expected: &Path) -> Check {
    let launch = match mpi {
        MpiFlavour::OpenMpi => {
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe"
        }
        MpiFlavour::Mpich => "mpirun.mpich",
    };
    let command = format!(
        "GRAVEL_PROVIDER=verbs GRAVEL_STATS=/tmp/stats.json {launch} -n 2 '{}' > /tmp/ring && cmp /tmp/ring '{}' && \
         grep -q '\"verbs_written\": *{{\"count\": *[1-9]' /tmp/stats.json",
        program.display(),
        expected.display()
    );
    Check { name: format!("ring with {mpi}"), command, limit: Duration::from_secs(120) }
}

/// The binary of the tests between processes, built; where it is wanted, with the hostile provider, which does nothing
/// unless it is asked for.
///
/// It is the one of `cargo test --workspace`: by itself, the runtime has other features of its dependencies, and would be
/// compiled once more with all that it needs.
fn cluster_tests(with_hostile: bool) -> Result<PathBuf, String> {
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    let command: CommandLine = setup::cargo()
        .args(["test", "--workspace"])
        .args(["--test", "cluster", "--no-run", "--message-format", "json"])
        .args(if with_hostile { ["--features", "gravel-rt/hostile"].as_slice() } else { &[] })
        .env("CARGO_TARGET_DIR", folder.target.to_string_lossy());
    let messages = succeed(&command, CARGO_LIMIT)?.stdout_text();
    // Programs of the package are built, too, for the tests to call.
    let executable = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_wanted = message["target"]["name"] == "cluster" && message["target"]["kind"][0] == "test";
        is_wanted.then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executable.ok_or_else(|| "cargo has not said where the tests between processes are".into())
}

/// One script for all of them.
fn script(checks: &[Check]) -> String {
    let mut script = String::new();
    for (number, check) in checks.iter().enumerate() {
        let seconds = check.limit.as_secs();
        let command = check.command.replace('\'', "'\\''");
        // Writing into a string cannot fail.
        let _ = writeln!(
            script,
            "timeout -k 5 {seconds} sh -c '{command}' 2>&1; status=$?; echo; echo \"{MARK} {number} $status\""
        );
    }
    script
}

fn run_here(script: &str, limit: Duration) -> Result<String, String> {
    let command = CommandLine::new("sh").args(["-c", script]).in_folder(workspace::root());
    process::run(&command, limit).map(|finished| finished.stdout_text()).map_err(|error| error.to_string())
}

/// Looks for the outcome of every check. One that has none did not come to its end.
fn judge(checks: &[Check], output: &str, tally: &mut Tally) {
    const LINES: usize = 40;
    let mut rest = output;
    for (number, check) in checks.iter().enumerate() {
        let name = format!("verbs: {}", check.name);
        let mark = format!("{MARK} {number} ");
        let Some((said, after)) = rest.split_once(&mark) else {
            tally.fail(&name, format!("it has not come to its end:\n{}", last_lines(rest, LINES)));
            rest = "";
            continue;
        };
        let status = after.lines().next().unwrap_or_default();
        match status {
            // No test at all is no success.
            "0" if !said.contains("running 0 tests") => tally.pass(),
            "0" => tally.fail(&name, "there is no such test"),
            _ => tally.fail(&name, format!("exit code {status}\n{}", last_lines(said, LINES))),
        }
        rest = after;
    }
}

fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Vec<Check> {
        let check = |name: &str, command: &str| Check {
            name: name.into(),
            command: command.into(),
            limit: Duration::from_secs(20),
        };
        vec![
            check("good", "echo 'running 1 test'"),
            check("bad", "echo 'what went wrong'; exit 3"),
            check("nothing", "echo 'running 0 tests'"),
            check("slow", "sleep 60"),
        ]
    }

    #[test]
    fn every_command_is_judged_by_its_own_outcome() {
        let mut checks = checks();
        checks[3].limit = Duration::from_secs(1);
        let output = run_here(&script(&checks), Duration::from_secs(30)).expect("sh runs");
        let mut tally = Tally::silent();
        judge(&checks, &output, &mut tally);
        assert_eq!(tally.done(), 4);
        assert!(!tally.is_clean());
        let mut tally = Tally::silent();
        judge(&checks[..1], &output, &mut tally);
        assert!(tally.is_clean());
        for wrong in &checks[1..] {
            let mut tally = Tally::silent();
            let alone = std::slice::from_ref(wrong);
            judge(alone, &run_here(&script(alone), Duration::from_secs(30)).expect("sh runs"), &mut tally);
            assert!(!tally.is_clean(), "{}", wrong.name);
        }
    }

    #[test]
    fn what_never_ran_has_failed() {
        let mut tally = Tally::silent();
        judge(&checks()[..1], "the machine stopped", &mut tally);
        assert!(!tally.is_clean());
    }
}
