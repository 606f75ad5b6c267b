use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::*;
use crate::native;
use crate::process;

const AMPLE: Duration = Duration::from_secs(30);

/// A cluster, or nothing where none is permitted, which is said past the capture of test output.
fn cluster(hosts: usize) -> Option<Cluster> {
    match Cluster::new(hosts, Link::default()) {
        Ok(cluster) => Some(cluster),
        Err(Unavailable::Failed(message)) => panic!("{message}"),
        Err(Unavailable::NotPermitted(reason)) => {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "SKIPPED: clusters of hosts: {reason}");
            None
        }
    }
}

#[test]
fn hosts_share_a_network_and_nothing_else() {
    let Some(cluster) = cluster(2) else { return };
    let on = |host: usize, script: &str| {
        let command = cluster.on_host(host, "sh").args(["-c", script]);
        process::run(&command, AMPLE).expect("a shell can be run").stdout_text()
    };
    assert_ne!(on(0, "hostname"), on(1, "hostname"));
    on(0, "echo here > /dev/shm/gravel-cluster-test");
    assert_eq!(on(1, "cat /dev/shm/gravel-cluster-test 2>&1 | tail -c 27").trim(), "No such file or directory");
    assert_eq!(on(0, "cat /dev/shm/gravel-cluster-test").trim(), "here");
    assert_eq!(on(1, "cat /proc/1/comm").trim(), "cat", "the first process of a host is its own");
    assert!(on(1, "tc qdisc show dev cable").contains("rate 1Gbit"));
}

#[test]
fn a_link_is_not_faster_than_it_should_be() {
    let Some(cluster) = cluster(2) else { return };
    let bytes = 1 << 20;
    let seconds = cluster.seconds_per_message(bytes, 5).expect("hosts reach one another");
    // What the token bucket lets through at once, and the answer, are a few percent; that it may take longer says nothing.
    let least = (bytes * 8) as f64 / 1e9;
    assert!(seconds > least * 0.9, "{seconds} s, at 1 Gbit/s it must be {least} s at least");
}

#[test]
fn nothing_survives_a_cluster() {
    let Some(cluster) = cluster(1) else { return };
    let first = cluster.hosts[0].first_process();
    // In a session of its own, as daemons are.
    let command = cluster.on_host(0, "sh").args(["-c", "setsid sleep 1000 > /dev/null 2>&1 & sleep 0.5"]);
    process::run(&command, AMPLE).expect("a shell can be run");
    let sleeping: Vec<u32> = cluster.hosts[0].processes();
    assert!(!sleeping.is_empty(), "it sleeps");
    drop(cluster);
    for process in sleeping.into_iter().chain([first]) {
        assert!(!Path::new("/proc").join(process.to_string()).exists(), "{process} is still there");
    }
}

#[test]
fn what_a_run_has_left_is_ended() {
    let Some(cluster) = cluster(1) else { return };
    let command = cluster.on_host(0, "sh").args(["-c", "setsid sleep 1000 > /dev/null 2>&1 & sleep 0.5"]);
    process::run(&command, AMPLE).expect("a shell can be run");
    cluster.hosts[0].settle(Duration::from_millis(1));
    assert_eq!(cluster.hosts[0].processes(), Vec::<u32>::new());
    assert!(process::run(&cluster.on_host(0, "true"), AMPLE).expect("it can be run").succeeded(), "the host lives");
}

/// The part of the next test that is killed.
#[test]
fn a_cluster_whose_program_is_killed() {
    if std::env::var_os("CLUSTER_TO_BE_KILLED").is_none() {
        return;
    }
    let cluster = cluster(1).expect("the other test has made one");
    println!("first process {}", cluster.hosts[0].first_process());
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn nothing_survives_a_program_that_is_killed() {
    if cluster(1).is_none() {
        return;
    }
    let mut child = Command::new(std::env::current_exe().expect("the path of this test"))
        .args(["--exact", "cluster::tests::a_cluster_whose_program_is_killed", "--nocapture"])
        .env("CLUSTER_TO_BE_KILLED", "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("this test can be run");
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("it is piped")));
    let first = lines
        .map_while(Result::ok)
        .find_map(|line| line.split_once("first process ").map(|(_, number)| number.trim().to_owned()))
        .expect("it says which process is its host's first");
    let first = Path::new("/proc").join(first);
    assert!(first.exists());
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    let deadline = Instant::now() + AMPLE;
    while first.exists() {
        assert!(Instant::now() < deadline, "its host is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_program_runs_on_every_host() {
    let Some(cluster) = cluster(2) else { return };
    for flavour in native::installed_flavours() {
        let command = cluster
            .launch(flavour, Layout { hosts: 2, ranks_per_host: 2 }, Path::new("sh"))
            .args(["-c", "echo $GRAVEL_TILE $(hostname)"]);
        let finished = cluster.run(flavour, &command.env("GRAVEL_TILE", "37"), AMPLE).expect("mpirun can be run");
        let text = finished.stdout_text();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let name = |number: usize| format!("37 gravel-{}-{number}", std::process::id());
        let expected = [name(1), name(1), name(2), name(2)];
        assert_eq!(lines, expected, "{flavour}: {}", finished.stderr_excerpt());
    }
}
