//! `gravel-perf` on one host and on a cluster: latency, bandwidth, and which share of its time a rank can compute while a
//! message is under way.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use crate::cluster::{Cluster, Layout, Link};
use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;
use crate::setup::{self, succeed};
use crate::workspace::BuildFolder;

/// Rounds on one host, and on a cluster, where messages take a hundred times as long.
const ROUNDS: [u32; 2] = [15, 2];
/// How long a rank computes while a message is under way, in microseconds: about as long as the longest one takes.
const WORK: [u32; 2] = [400, 10_000];
/// How long gravel-perf may take.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// What came of it with one MPI.
#[derive(Debug)]
pub struct Measured {
    /// Where and with which MPI.
    pub title: String,
    /// What is measured.
    pub remark: String,
    /// What gravel-perf printed.
    pub table: String,
    /// What it drew, as SVG.
    pub picture: String,
}

/// Measures on one host, and on the cluster if there is one. Leaves every measurement in files of the folder.
///
/// # Errors
///
/// A message, if gravel-perf can't be built or fails.
pub fn measure(cluster: Option<&Cluster>, link: Link, folder: &Path) -> Result<Vec<Measured>, String> {
    let target = BuildFolder::of_this_program().map_err(|error| error.to_string())?.target;
    let perf = target.join("release").join("gravel-perf");
    let build = setup::cargo().args(["build", "--release", "--package", "gravel-rt", "--target-dir"]).arg(&target);
    succeed(&build, LIMIT)?;
    let mut all = Vec::new();
    for mpi in MpiFlavour::ALL {
        let launcher = Path::new(&mpi.launcher()).to_owned();
        all.push(measure_one(&perf, mpi, &launcher, ("shared memory", "memory"), 0, folder)?);
    }
    if let Some(cluster) = cluster {
        let place = format!("{link} link");
        for mpi in MpiFlavour::ALL {
            let launcher = folder.join(format!("mpirun-on-cluster.{}", mpi.suffix()));
            write_launcher(&launcher, cluster, mpi)?;
            all.push(measure_one(&perf, mpi, &launcher, (&place, "link"), 1, folder)?);
            // It works as long as the cluster only.
            fs::remove_file(&launcher).map_err(|error| format!("cannot remove {}: {error}", launcher.display()))?;
        }
    }
    Ok(all)
}

fn measure_one(
    perf: &Path,
    mpi: MpiFlavour,
    launcher: &Path,
    (place, name): (&str, &str),
    kind: usize,
    folder: &Path,
) -> Result<Measured, String> {
    let file = |ending: &str| folder.join(format!("overlap-{name}-{}.{ending}", mpi.suffix()));
    let command = CommandLine::new(perf)
        .args(["--rounds", &ROUNDS[kind].to_string(), "--overlap-work", &WORK[kind].to_string()])
        .args(["--mpicc", &mpi.c_compiler(), "--mpirun"])
        .arg(launcher)
        .arg("--csv")
        .arg(file("csv"))
        .arg("--plot")
        .arg(file("svg"))
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let table = succeed(&command, LIMIT)?.stdout_text();
    let picture = fs::read_to_string(file("svg")).map_err(|error| format!("{}: {error}", file("svg").display()))?;
    let remark = format!(
        "Both in the same processes, in turns. Overlap: the share of its time that a rank computes, where it computes for \
         {} microseconds while a message is under way.",
        WORK[kind]
    );
    Ok(Measured { title: format!("gravel-perf, {mpi}, {place}"), remark, table, picture })
}

/// Writes what gravel-perf takes for an `mpirun`: it is called as `PROGRAM -n RANKS COMMAND...` and runs the command on
/// the first hosts of the cluster, one rank each.
fn write_launcher(path: &Path, cluster: &Cluster, mpi: MpiFlavour) -> Result<(), String> {
    let command = cluster.launch(mpi, Layout { hosts: 2, ranks_per_host: 1 }, Path::new("env"));
    let text = format!("#!/bin/sh\nshift 2\nexec env {command} \"$@\"\n");
    let failed = |error| format!("cannot write {}: {error}", path.display());
    fs::write(path, text).map_err(failed)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(failed)
}
