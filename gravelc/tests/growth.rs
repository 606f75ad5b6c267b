//! What twice the program takes is about twice the time: processor time, which does not depend on what else the machine does.
//!
//! Large programs of each shape that makes something grow: the time for `2 * n` parts is compared with that for `n`, and time that
//! grows with the square would be four times as much.

use std::fs;
use std::process::{Command, Stdio};

/// More than twice, for caches and what else is not even; less than the square.
const MOST: f64 = 3.1;
/// Where each of many is compared with all others, which takes little time: the square, and less than the cube.
const MOST_IN_PAIRS: f64 = 5.0;
/// What starting takes, in seconds, and how exact times are.
const START: f64 = 0.1;
/// Processor time is not quite independent of others (caches, two threads on one core), so it may be measured again.
const ATTEMPTS: usize = 4;

/// A program: its files, with names and texts.
type Files = Vec<(String, String)>;

/// The seconds of processor time that gravelc takes for the files. All of their communication must be transformed.
fn seconds_for(files: &Files) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    // The shell says how much time its children took (POSIX, `times`): its second line.
    let script = "\"$0\" transform --out-dir out \"$@\" >log 2>&1 && tail -n 1 log && times";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_gravelc")])
        .args(files.iter().map(|(name, _)| name))
        .current_dir(folder.path())
        .env("LC_ALL", "C")
        .stderr(Stdio::inherit())
        .output()
        .expect("a shell starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let log = || fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let &[summary, _, of_children] = lines.as_slice() else { panic!("gravelc fails: {text}{}", log()) };
    let words: Vec<&str> = summary.split_whitespace().collect();
    let is_all = words.windows(3).any(|words| words[1] == "of" && words[0] == words[2] && words[0] != "0");
    assert!(is_all, "not all is transformed: {summary}");
    of_children.split_whitespace().map(seconds).sum()
}

/// The number of seconds in `1m2.3s`.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').expect("minutes and seconds");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    60.0 * number(minutes) + number(seconds)
}

#[track_caller]
fn assert_grows_in_proportion(n: usize, program: impl Fn(usize) -> Files) {
    assert_grows_at_most(MOST, n, program);
}

#[track_caller]
fn assert_grows_at_most(most: f64, n: usize, program: impl Fn(usize) -> Files) {
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let (one, two) = (seconds_for(&program(n)), seconds_for(&program(2 * n)));
        if two <= most * one + START {
            return;
        }
        seen.push((one, two));
    }
    panic!("{n} parts and twice as many take (in seconds) {seen:?}");
}

fn joined(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

/// The statements of an exchange with a tag of its own: of module variables `sent`, `coming` and `work`.
fn exchange(tag: usize) -> String {
    format!(
        "call mpi_irecv(coming, 64, mpi_double_precision, left, {tag}, mpi_comm_world, request, code)\n\
         do j = 1, 64\nsent(j) = work(j) + {tag}\nend do\n\
         call mpi_send(sent, 64, mpi_double_precision, right, {tag}, mpi_comm_world, code)\n\
         call mpi_wait(request, mpi_status_ignore, code)\n\
         do j = 1, 64\nwork(j) = work(j) + coming(j)\nend do\n"
    )
}

const DECLARATIONS: &str =
    "use mpi\nimplicit none\nreal(8) :: sent(64), coming(64), work(64)\ninteger :: left, right\n";
const LOCALS: &str = "integer :: j, request, code\n";

/// A main program that calls what `imports` give it.
fn main_program(imports: &str, declarations: &str, statements: &str) -> (String, String) {
    let text = format!(
        "program whole\nuse mpi\n{imports}implicit none\ninteger :: error\n{declarations}call mpi_init(error)\n\
         {statements}call mpi_finalize(error)\nend program\n"
    );
    ("whole.f90".to_owned(), text)
}

/// A module `grid` with these procedures, in a file of its own.
fn grid(declarations: &str, procedures: &str) -> (String, String) {
    ("grid.f90".to_owned(), format!("module grid\n{DECLARATIONS}{declarations}contains\n{procedures}end module\n"))
}

#[test]
fn many_procedures_that_communicate() {
    assert_grows_in_proportion(60, |n| {
        let one = |k: usize| format!("subroutine swap{k}\n{LOCALS}{}end subroutine\n", exchange(k));
        let calls = joined(n, |k| format!("call swap{k}\n"));
        vec![grid("", &joined(n, one)), main_program("use grid\n", "", &calls)]
    });
}

#[test]
fn many_posts_on_one_array_of_requests() {
    assert_grows_at_most(MOST_IN_PAIRS, 60, |n| {
        let declarations = format!("integer :: r({}), j\nreal(8) :: a(8, {n}), b(8, {n}), c(64)\n", 2 * n);
        let post = |k: usize| {
            let (column, receive, send) = (k + 1, 2 * k + 1, 2 * k + 2);
            format!(
                "call mpi_irecv(b(1, {column}), 8, mpi_double_precision, 0, {k}, mpi_comm_world, r({receive}), error)\n\
                 call mpi_isend(a(1, {column}), 8, mpi_double_precision, 0, {k}, mpi_comm_world, r({send}), error)\n"
            )
        };
        let wait = |k: usize| format!("call mpi_wait(r({}), mpi_status_ignore, error)\n", k + 1);
        let work = "do j = 1, 64\nc(j) = j\nend do\n";
        let statements = format!("{}{work}{}", joined(n, post), joined(2 * n, wait));
        vec![main_program("", &declarations, &statements)]
    });
}

#[test]
fn many_lines() {
    assert_grows_in_proportion(1500, |n| {
        let line =
            |k: usize| format!("if (work({}) > {k}) work({}) = 2 * work({})\n", k % 60 + 1, k % 50 + 2, k % 40 + 3);
        let procedure = format!("subroutine swap\n{LOCALS}{}{}end subroutine\n", exchange(1), joined(n, line));
        vec![grid("", &procedure), main_program("use grid\n", "", "call swap\n")]
    });
}

#[test]
fn deep_nesting() {
    assert_grows_in_proportion(20, |n| {
        // As deep as is read; more of them.
        let nest = |k: usize| {
            let begin = joined(40, |level| format!("if (left > {}) then\n", level + k));
            format!("{begin}work(1) = work(2) + {k}\n{}", "end if\n".repeat(40))
        };
        let procedure = format!("subroutine swap\n{LOCALS}{}{}end subroutine\n", exchange(1), joined(n, nest));
        vec![grid("", &procedure), main_program("use grid\n", "", "call swap\n")]
    });
}

#[test]
fn many_files() {
    assert_grows_in_proportion(100, |n| {
        let one = |k: usize| {
            let text = format!("subroutine swap{k}\nuse grid\n{LOCALS}{}end subroutine\n", exchange(k));
            (format!("swap{k}.f90"), text)
        };
        let calls = joined(n, |k| format!("call swap{k}\n"));
        [grid("", ""), main_program("", "", &calls)].into_iter().chain((0..n).map(one)).collect()
    });
}

#[test]
fn many_modules_that_import_one_another() {
    assert_grows_in_proportion(60, |n| {
        // Each sees the two before it, and all that these see; chains of imports are followed for some way only.
        let one = |k: usize| {
            let imports = joined((k % 16).min(2), |back| format!("use step{}\n", k - back - 1));
            let text = format!(
                "module step{k}\nuse grid\n{imports}implicit none\nreal(8) :: field{k}(64)\ncontains\nsubroutine swap{k}\n\
                 {LOCALS}{}field{k} = work\nend subroutine\nend module\n",
                exchange(k)
            );
            (format!("step{k}.f90"), text)
        };
        let calls = joined(n, |k| format!("call swap{k}\n"));
        let ends_chain = |k: &usize| k % 16 == 15 || k + 1 == n;
        let all: String = (0..n).filter(ends_chain).map(|k| format!("use step{k}\n")).collect();
        [grid("", ""), main_program(&all, "", &calls)].into_iter().chain((0..n).map(one)).collect()
    });
}

#[test]
fn long_chains_of_calls() {
    assert_grows_in_proportion(250, |n| {
        let one = |k: usize| {
            let next = k + 1;
            format!(
                "subroutine step{k}(x)\nreal(8) :: x(64)\nx({}) = {k}\ncall step{next}(x)\nend subroutine\n",
                k % 60 + 1
            )
        };
        let last =
            format!("subroutine step{n}(x)\nreal(8) :: x(64)\n{LOCALS}{}x(1) = work(1)\nend subroutine\n", exchange(1));
        let procedures = format!("{}{last}", joined(n, one));
        vec![grid("", &procedures), main_program("use grid\n", "real(8) :: y(64)\n", "y = 0\ncall step0(y)\n")]
    });
}

#[test]
fn many_symbols_in_one_module() {
    assert_grows_in_proportion(600, |n| {
        let declared = joined(n, |k| format!("real(8) :: field{k}(64)\ninteger :: count{k}\n"));
        let set = |k: usize| format!("field{k}(1) = count{k}\n");
        let procedure = format!("subroutine swap\n{LOCALS}{}{}end subroutine\n", exchange(1), joined(n, set));
        vec![grid(&declared, &procedure), main_program("use grid\n", "", "call swap\n")]
    });
}
