//! `gravel-perf` over an RDMA device, beside a plain loop over libibverbs: on this machine's device, or in a guest that
//! has a software one ([`crate::rdma_guest`]).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::CommandLine;
use crate::gravelc::CARGO_LIMIT;
use crate::mpi_flavour::MpiFlavour;
use crate::overlap::Measured;
use crate::rdma_guest::{self, RdmaGuest, SHARED_IN_GUEST};
use crate::setup::{self, succeed};
use crate::workspace::BuildFolder;

/// Rounds: each measures everything up to ten times.
const ROUNDS: u32 = 3;
/// How long a rank computes while a message is under way, in microseconds: about as long as the longest one takes.
const WORK_ON_DEVICE: u32 = 1_000;
/// In a guest messages take some twenty times as long.
const WORK_IN_GUEST: u32 = 30_000;
/// How long gravel-perf may take. A guest shares its processors with whatever else this machine does.
const LIMIT: Duration = Duration::from_secs(40 * 60);
/// Names of what is left.
const TABLE: &str = "verbs.txt";
const VALUES: &str = "verbs.csv";
const PICTURE: &str = "verbs.svg";

/// Measures, and leaves a table, all values and a picture in the folder. Nothing where there can be no device, and why.
///
/// # Errors
///
/// A message, if gravel-perf can't be built or fails.
pub fn measure(build: &BuildFolder, folder: &Path) -> Result<Result<Measured, String>, String> {
    let perf = build.target.join("release").join("gravel-perf");
    let command = setup::cargo().args(["build", "--release", "--package", "gravel-rt", "--target-dir"]);
    succeed(&command.arg(&build.target), CARGO_LIMIT)?;
    let remark = if rdma_guest::has_device() {
        let script = script(&perf, MpiFlavour::OpenMpi, WORK_ON_DEVICE, folder, MPI_ON_DEVICE);
        let command = CommandLine::new("sh").args(["-c", script.as_str()]);
        succeed(&command, LIMIT)?;
        "On this machine's RDMA device; MPI by UCX on the same device."
    } else {
        let guest = match RdmaGuest::prepare(&build.scratch("rdma-guest")) {
            Ok(guest) => guest,
            Err(reason) => return Ok(Err(format!("no RDMA device, and no guest with one: {reason}"))),
        };
        let commands = script(&perf, MpiFlavour::OpenMpi, WORK_IN_GUEST, Path::new(SHARED_IN_GUEST), "");
        let outcome = guest.run(&(commands + PERFTEST), LIMIT)?;
        for name in [TABLE, VALUES, PICTURE] {
            let left = guest.shared().join(name);
            let failed = |error| format!("the guest has not left {name}: {error}\n{}", outcome.output);
            fs::copy(left, folder.join(name)).map_err(failed)?;
        }
        "On a software device in an emulated machine: only the ratio to bare verbs says something. MPI goes by shared \
         memory there, for it can't use that device: Debian's Open MPI has no connection manager for RoCE (openib), and \
         the datagrams by which UCX connects, for both MPIs, time out."
    };
    let file = |name: &str| -> Result<String, String> {
        let path: PathBuf = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    Ok(Ok(Measured {
        title: "gravel-perf beside bare verbs".to_owned(),
        remark: format!("{remark} All in the same processes, in turns."),
        table: file(TABLE)?,
        picture: file(PICTURE)?,
    }))
}

/// Settings by which MPI uses the device between ranks of one machine, too.
const MPI_ON_DEVICE: &str = "export UCX_TLS=rc_x,ud_x,rc_verbs,ud_verbs,self OMPI_MCA_pml=ucx";

/// What perftest measures there, where it is installed: for orientation, behind the table.
const PERFTEST: &str = r#"
for tool in ib_write_lat ib_read_lat ib_write_bw ib_read_bw; do
    command -v $tool > /dev/null || continue
    case $tool in *_lat) what="-s 8 -n 500";; *) what="-s 65536 -n 500";; esac
    timeout 60 $tool -d rxe0 -x 1 $what > /dev/null 2>&1 &
    sleep 2
    { echo; echo "$tool $what (perftest)"
      timeout 60 $tool -d rxe0 -x 1 $what 10.9.0.1 2> /dev/null | grep -A 1 '#bytes'; } >> /mnt/share/verbs.txt
    wait
done
"#;

/// Runs gravel-perf and leaves everything in a folder.
fn script(perf: &Path, mpi: MpiFlavour, work: u32, folder: &Path, settings: &str) -> String {
    let (perf, folder, wrapper) = (perf.display(), folder.display(), mpi.c_compiler());
    let seconds = LIMIT.as_secs();
    format!(
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n{settings}\n\
         '{perf}' --verbs --rounds {ROUNDS} --overlap-work {work} --mpicc {wrapper} --timeout {seconds} \
         --csv '{folder}/{VALUES}' --plot '{folder}/{PICTURE}' > '{folder}/{TABLE}' || exit 1\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    #[test]
    fn a_benchmark_that_fails_ends_the_script() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = script(Path::new("/bin/false"), MpiFlavour::OpenMpi, 1, folder.path(), "");
        let command = CommandLine::new("sh").args(["-c".to_owned(), format!("{script}echo on")]);
        let finished = process::run(&command, Duration::from_secs(10)).expect("sh runs");
        assert!(!finished.succeeded() && finished.stdout_text().is_empty(), "{}", finished.ending);
    }
}
