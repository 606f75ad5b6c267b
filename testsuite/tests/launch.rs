//! `gravel-run -n`: a program without MPI on this host, and on others. What stands for ssh runs its command on this host.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use testsuite::gravelc::build_as_for_tests;
use testsuite::workspace::BuildFolder;

/// The last argument is the command. `-R THERE:HERE` makes a socket of that host lead here. `lost` is a host that can't be reached.
const SSH: &str = r#"#!/bin/sh
while [ $# -gt 1 ]; do
    case "$1" in
        -R) shift; ln -s "${1#*:}" "${1%%:*}" ;;
        lost) echo "no route to lost" >&2; exit 255 ;;
    esac
    shift
done
exec sh -c "$1"
"#;

/// Where gravel-run and the program are.
fn programs() -> &'static Path {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build_as_for_tests(&["--bin", "gravel-run", "--bin", "ring-rust"]));
    built.as_ref().expect("they can be built")
}

/// What stands for ssh.
fn ssh() -> PathBuf {
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let folder = BuildFolder::of_this_program().expect("the build folder").scratch("launch");
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("ssh");
        fs::write(&path, SSH).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it may be run");
        path
    };
    WRITTEN.get_or_init(write).clone()
}

fn gravel_run(options: &[&str], program: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.arg("60").arg(programs().join("gravel-run")).args(options);
    if options.contains(&"--hosts") {
        command.arg("--ssh").arg(ssh());
    }
    command.args(program).env("GRAVEL_PROVIDER", "tcp");
    command
}

fn output(options: &[&str], program: &[&str]) -> Output {
    gravel_run(options, program).output().expect("gravel-run runs")
}

/// Standard output, in the order of ranks.
fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}\n{}", output.status, errors(output));
    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn ranks_of_several_hosts_meet() {
    let ring = programs().join("ring-rust").display().to_string();
    let program = [ring.as_str(), "5000", "3"];
    let expected = lines(&output(&["-n", "4"], &program));
    assert_eq!(expected.len(), 4);
    for hosts in ["localhost:1,a:1,b:2", "a,b", "a:1,localhost:3"] {
        let found = output(&["-n", "4", "--hosts", hosts], &program);
        assert_eq!(lines(&found), expected, "{hosts}");
        assert!(!errors(&found).contains("unknown settings"), "{}", errors(&found));
    }
}

#[test]
fn variables_and_the_folder_go_along() {
    let script = "echo $(pwd) $GRAVEL_PROVIDER $WANTED $GIVEN $GRAVEL_RANKS";
    let mut command =
        gravel_run(&["-n", "2", "--hosts", "a,b", "-x", "WANTED", "-x", "GIVEN=a b"], &["sh", "-c", script]);
    let found = command.env("WANTED", "it's").output().expect("gravel-run runs");
    let folder = std::env::current_dir().expect("a folder");
    let expected = format!("{} tcp it's a b 2", folder.display());
    assert_eq!(lines(&found), [expected.clone(), expected]);
    let missing = output(&["-n", "1", "--hosts", "a", "-x", "NO_SUCH_VARIABLE"], &["true"]);
    assert!(errors(&missing).contains("-x NO_SUCH_VARIABLE"), "{}", errors(&missing));
}

#[test]
fn a_failure_on_another_host_ends_the_job_and_says_where() {
    programs();
    let started = Instant::now();
    let script = "test $GRAVEL_RANK = 2 && kill -9 $$; exec sleep 50";
    let killed = output(&["-n", "3", "--hosts", "localhost:1,a:2"], &["sh", "-c", script]);
    assert_eq!(killed.status.code(), Some(137));
    assert!(errors(&killed).contains("rank 2 has ended with signal: 9"), "{}", errors(&killed));
    for (hosts, remote, program, expected) in [
        ("localhost:1,lost:1", "", "true", "lost can't be reached by ssh"),
        ("a", "/nowhere/gravel-run", "true", "no gravel-run on a where it is here"),
        ("a", "", "no-such-program", "cannot start no-such-program"),
    ] {
        let mut options = vec!["-n", "2", "--hosts", hosts];
        if !remote.is_empty() {
            options.extend(["--remote", remote]);
        }
        let failed = output(&options, &[program]);
        assert!(!failed.status.success() && errors(&failed).contains(expected), "{}", errors(&failed));
    }
    assert!(started.elapsed() < Duration::from_secs(40), "nobody waits for who can't come");
}

/// A program that says its process number, and then nothing.
fn endless() -> (Child, String) {
    use std::io::BufRead as _;
    let mut launcher = Command::new(programs().join("gravel-run"))
        .args(["-n", "1", "--hosts", "a", "--ssh"])
        .arg(ssh())
        .args(["sh", "-c", "echo $$; exec sleep 50"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("gravel-run runs");
    let mut number = String::new();
    let said = launcher.stdout.as_mut().expect("it is piped");
    std::io::BufReader::new(said).read_line(&mut number).expect("it says something");
    (launcher, number.trim().to_owned())
}

#[test]
fn ranks_of_other_hosts_end_with_gravel_run() {
    let (mut launcher, process) = endless();
    assert!(Path::new("/proc").join(&process).exists());
    launcher.kill().expect("it runs");
    launcher.wait().expect("it ends");
    let started = Instant::now();
    while Path::new("/proc").join(&process).exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "process {process} runs on");
        std::thread::sleep(Duration::from_millis(20));
    }
}
