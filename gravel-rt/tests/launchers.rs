//! Ranks without MPI under the launchers of this machine. Every test is started again by its launcher, once per rank.

use std::process::Command;

use gravel::{Gravel, Result};

/// Set where a launcher has started this test.
const STARTED: &str = "LAUNCHERS_STARTED";

/// Sends around a ring, below and above all limits, and says that it worked.
fn ring() -> Result<()> {
    let gravel = Gravel::from_environment()?;
    let (rank, ranks) = (gravel.rank(), gravel.ranks());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for length in [1, 1000, 100_000] {
        let receive = gravel.post_receive(vec![0; length], previous, 1)?;
        let mut transfer = gravel.open_transfer(vec![rank; length], next, 1)?;
        for tile in transfer.tiles(30_000) {
            tile.put()?;
        }
        let send = transfer.finish()?;
        assert_eq!(receive.wait()?.buffer, vec![previous; length]);
        send.wait()?;
    }
    gravel.finalize()?;
    // In one piece: the ranks' lines share a pipe.
    let line = format!("rank {rank} of {ranks} is done\n");
    std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes()).expect("writing to the launcher");
    Ok(())
}

/// Runs the ring on `ranks` processes. `test` is the name of the calling test.
fn run(test: &str, launcher: &str, options: &[&str], ranks: usize) {
    if std::env::var_os(STARTED).is_some() {
        return ring().expect("the ring");
    }
    if Command::new(launcher).arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no {launcher} here");
        return;
    }
    let output = Command::new("timeout")
        .args(["60", launcher])
        .args(options)
        .arg(std::env::current_exe().expect("the test's own path"))
        .args(["--exact", test, "--nocapture", "--test-threads=1", "--quiet"])
        .env(STARTED, "")
        // Open MPI refuses to be started by the super-user otherwise, as in a container.
        .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
        .output()
        .expect("running the launcher");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{launcher}: {}\n{text}{errors}", output.status);
    for rank in 0..ranks {
        assert!(text.contains(&format!("rank {rank} of {ranks} is done")), "{launcher}:\n{text}{errors}");
    }
}

#[test]
fn open_mpi() {
    run("open_mpi", "mpirun.openmpi", &["--oversubscribe", "-n", "3"], 3);
}

#[test]
fn mpich() {
    run("mpich", "mpirun.mpich", &["-n", "3"], 3);
}

#[test]
fn no_launcher() {
    run("no_launcher", "env", &[], 1);
}
