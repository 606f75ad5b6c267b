//! The command line as users meet it: exit codes, what is said, and what is (not) written.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use support::{RING, Sandbox};

#[test]
fn transforms_a_file_into_another_one() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.set_mode("ring.f90", 0o640);
    let run = sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90"]);
    run.has_exit_code(0).says("communication sites transformed");
    let output = sandbox.read("out.f90");
    assert!(output.contains("gravel_init"), "{output}");
    assert_eq!(sandbox.read("ring.f90"), RING, "the input stays as it is");
    assert_eq!(sandbox.mode("out.f90"), 0o640, "the permissions of the input");
    assert_eq!(sandbox.entries(), ["out.f90", "ring.f90"], "no temporary file is left");
}

#[test]
fn writes_into_a_folder_that_it_makes() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.gravelc(&["transform", "ring.f90", "--out-dir", "a/b"]).has_exit_code(0);
    assert!(sandbox.read("a/b/ring.f90").contains("gravel_init"));
}

/// A ring in C, whose message is received while a loop runs.
const RING_IN_C: &str = "\
#include <mpi.h>
#include <stdio.h>
enum { N = 20000 };
static double sbuf[N], rbuf[N], field[N];
int main(int argc, char **argv) {
    int rank, ranks, i;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(rbuf, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &request);
    for (i = 0; i < N; i++)
        sbuf[i] = field[i] + rank;
    MPI_Send(sbuf, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        field[i] += rbuf[i];
    printf(\"%g\\n\", field[0]);
    MPI_Finalize();
    return 0;
}
";

#[test]
fn what_is_transformed_already_is_left_alone() {
    let sandbox = Sandbox::new();
    for (name, text) in [("ring.f90", RING), ("ring.c", RING_IN_C)] {
        sandbox.write(name, text);
        let (once, twice) = (format!("once_{name}"), format!("twice_{name}"));
        let run = sandbox.gravelc(&["transform", name, "-o", &once]);
        run.has_exit_code(0).says("communication sites transformed, 1 of 1 match class");
        sandbox.gravelc(&["transform", &once, "-o", &twice, "--report", "text=report.txt"]).has_exit_code(0);
        assert_eq!(sandbox.read(&twice), sandbox.read(&once), "{name}");
        let report = sandbox.read("report.txt");
        assert!(report.contains("[already-transformed]: the program calls Gravel already"), "{name}: {report}");
    }
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["transform", "ring.f90", "--diff", "--report", "text"]);
    run.has_exit_code(0);
    assert!(run.stdout.starts_with("--- ring.f90\n+++ ring.f90\n@@ "), "{}", run.stdout);
    assert!(run.stdout.contains("\n+  call gravel_init"), "{}", run.stdout);
    assert!(run.stdout.contains("ring.f90:16: call mpi_send: transformed"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colours where there is no terminal");
    assert_eq!(sandbox.entries(), ["ring.f90"]);
}

#[test]
fn a_json_report_goes_to_its_file() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90", "--report", "json=report.json"]);
    run.has_exit_code(0);
    assert_eq!(run.stdout, "");
    let report: serde_json::Value = serde_json::from_str(&sandbox.read("report.json")).expect("the report is JSON");
    let sites = report["sites"].as_array().expect("the sites are an array");
    let send = sites.iter().find(|site| site["call"] == "mpi_send").expect("the send is a site");
    assert_eq!((&send["file"], &send["line"]), (&"ring.f90".into(), &16.into()));
    assert_eq!(send["status"], "transformed");
}

#[test]
fn check_finds_what_is_kept_and_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.write("kept.f90", &RING.replace("call mpi_send(", "call mpi_bsend("));
    sandbox.gravelc(&["transform", "kept.f90", "--check"]).has_exit_code(1).says("report text");
    sandbox.gravelc(&["transform", "kept.f90", "--check", "-o", "out.f90"]).has_exit_code(2);
    assert_eq!(sandbox.entries(), ["kept.f90", "ring.f90"]);
}

#[test]
fn transformations_can_be_chosen() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let all = sandbox.gravelc(&["transform", "ring.f90", "--diff"]);
    assert!(all.stdout.contains("gravel_post_os_put"), "{}", all.stdout);
    for choice in [["--skip", "strip-mine-producer"], ["--only", "hoist-receive,sink-wait"]] {
        let run = sandbox.gravelc(&["transform", "ring.f90", "--diff", choice[0], choice[1]]);
        run.has_exit_code(0);
        assert!(!run.stdout.contains("gravel_post_os_put"), "{choice:?}: {}", run.stdout);
    }
    sandbox
        .gravelc(&["transform", "ring.f90", "--diff", "--only", "loop-fusion"])
        .has_exit_code(2)
        .says("loop-fusion")
        .says("strip-mine-producer");
}

#[test]
fn without_a_place_for_the_output_it_says_what_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.gravelc(&["transform", "ring.f90"]).has_exit_code(2).says("-o FILE").says("--diff");
    sandbox.gravelc(&["transform"]).has_exit_code(2).says("FILE");
    sandbox.gravelc(&["transform", "ring.f90", "--report", "xml"]).has_exit_code(2).says("json");
    sandbox.gravelc(&[]).has_exit_code(2).says("transform");
}

#[test]
fn unreadable_input_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.f90", "");
    sandbox.write_bytes("binary.f90", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0");
    sandbox.make_folder("folder.f90");
    for input in ["missing.f90", "empty.f90", "binary.f90", "folder.f90"] {
        let run = sandbox.gravelc(&["transform", input, "-o", "out.f90"]);
        run.has_exit_code(2).says("error").says(input);
        assert!(!sandbox.exists("out.f90"), "{input}");
    }
}

#[test]
fn one_bad_file_of_several_stops_all_output() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.gravelc(&["transform", "ring.f90", "missing.f90", "--out-dir", "out"]).has_exit_code(2);
    assert!(!sandbox.exists("out"));
}

#[test]
fn unwritable_output_is_named_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.write("file", "");
    sandbox.make_folder("folder");
    for output in ["missing/out.f90", "file/out.f90", "folder", "/dev/full"] {
        sandbox.gravelc(&["transform", "ring.f90", "-o", output]).has_exit_code(2).says(output);
    }
    // A report that can't be written keeps the source from being written too.
    sandbox
        .gravelc(&["transform", "ring.f90", "-o", "out.f90", "--report", "json=missing/r.json"])
        .has_exit_code(2)
        .says("missing/r.json");
    assert_eq!(sandbox.entries(), ["file", "folder", "ring.f90"]);
}

#[test]
fn the_input_is_never_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    symlink("ring.f90", sandbox.path("link.f90")).expect("a link can be made");
    fs::hard_link(sandbox.path("ring.f90"), sandbox.path("hard.f90")).expect("a link can be made");
    let attempts: [&[&str]; 6] = [
        &["-o", "ring.f90"],
        &["-o", "./ring.f90"],
        &["-o", "link.f90"],
        &["-o", "hard.f90"],
        &["--out-dir", "."],
        &["-o", "out.f90", "--report", "json=ring.f90"],
    ];
    for attempt in attempts {
        let arguments: Vec<&str> = ["transform", "ring.f90"].iter().chain(attempt).copied().collect();
        sandbox.gravelc(&arguments).has_exit_code(2).says("input").says("nothing was written");
        assert_eq!(sandbox.read("ring.f90"), RING, "{attempt:?}");
    }
    assert_eq!(sandbox.entries(), ["hard.f90", "link.f90", "ring.f90"]);
}

#[test]
fn files_of_one_name_stay_apart() {
    let sandbox = Sandbox::new();
    sandbox.make_folder("a");
    sandbox.make_folder("b");
    sandbox.write("a/x.f90", RING);
    sandbox.write("b/x.f90", &format!("! another ring\n{RING}"));
    sandbox.gravelc(&["transform", "a/x.f90", "b/x.f90", "-o", "y.f90"]).has_exit_code(2).says("--out-dir");
    sandbox.gravelc(&["transform", "a/x.f90", "a/../a/x.f90", "--diff"]).has_exit_code(2).says("same file");
    assert_eq!(sandbox.entries(), ["a", "b"]);
    sandbox.gravelc(&["transform", "a/x.f90", "b/x.f90", "--out-dir", "out"]).has_exit_code(0);
    assert!(!sandbox.read("out/a/x.f90").contains("another"));
    assert!(sandbox.read("out/b/x.f90").contains("another"));
}

#[test]
fn json_is_not_mixed_with_other_output() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["transform", "ring.f90", "--diff", "--report", "json"]);
    run.has_exit_code(2).says("json=FILE");
    assert_eq!(run.stdout, "");
}

#[test]
fn bytes_that_are_not_utf8_survive() {
    let sandbox = Sandbox::new();
    let mut source = b"! Gr\xf6\xdfe, Latin-1\n".to_vec();
    source.extend_from_slice(RING.as_bytes());
    sandbox.write_bytes("ring.f90", &source);
    sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90", "--report", "text"]).has_exit_code(0);
    assert!(sandbox.read_bytes("out.f90").starts_with(b"! Gr\xf6\xdfe, Latin-1\n"));
}

#[test]
fn a_byte_order_mark_stays_in_front() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.write("marked.f90", &format!("\u{feff}{}", RING.replace("  implicit none\n", "  include 'none.h'\n")));
    sandbox.write("none.h", "\u{feff}  implicit none\n");
    sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90"]).has_exit_code(0);
    let run = sandbox.gravelc(&["transform", "marked.f90", "-o", "out_marked.f90", "--strict"]);
    run.has_exit_code(0).says("2 of 2 communication sites transformed");
    let expected = sandbox.read("out.f90").replace("  implicit none\n", "  include 'none.h'\n");
    assert_eq!(sandbox.read("out_marked.f90"), format!("\u{feff}{expected}"));
    let diff = sandbox.gravelc(&["transform", "marked.f90", "--diff"]).has_exit_code(0).stdout.clone();
    assert!(diff.contains("\n \u{feff}program ring\n"), "{diff}");
}

#[test]
fn unread_source_is_a_warning_or_with_strict_an_error() {
    let sandbox = Sandbox::new();
    let broken = format!("{RING}\nsubroutine broken\n  integer :: i\n  i = = 1\nend subroutine broken\n");
    sandbox.write("ring.f90", &broken);
    let line = broken.lines().position(|line| line.contains("= =")).expect("the line is there") + 1;
    let place = format!("ring.f90:{line}");
    sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90"]).has_exit_code(0).says("warning").says(&place);
    sandbox
        .gravelc(&["transform", "ring.f90", "-o", "strict.f90", "--strict"])
        .has_exit_code(2)
        .says("error")
        .says(&place);
    assert_eq!(sandbox.entries(), ["out.f90", "ring.f90"]);
}

#[test]
fn what_is_believed_of_calls_that_were_not_given_is_listed_and_refused_by_strict() {
    let sandbox = Sandbox::new();
    // A routine of a library is handed the procedure: nobody knows what it calls it with.
    let text = "module m\nuse mpi\ninteger :: ierr\nreal :: outgoing(9), incoming(9)\ncontains\nsubroutine swap(u)\nreal :: u(9)\n\
                integer :: i, st(mpi_status_size)\ndo i = 1, 9\noutgoing(i) = u(i)\nend do\n\
                call mpi_sendrecv(outgoing, 9, mpi_real, 0, 1, incoming, 9, mpi_real, 0, 1, mpi_comm_world, st, ierr)\n\
                end subroutine\nend module\nprogram main\nuse m\nreal :: v(9)\ncall mpi_init(ierr)\nv = 1\ncall swap(v)\n\
                CALLS\ncall mpi_finalize(ierr)\nend program\n";
    sandbox.write("open.f90", &text.replace("CALLS", "call dgemm('n', swap)"));
    sandbox.write("closed.f90", &text.replace("CALLS", "call dgemm('n', 1)"));
    let listed = sandbox.gravelc(&["transform", "open.f90", "-o", "out.f90", "--report", "text"]);
    listed.has_exit_code(0);
    assert!(listed.stdout.contains("open.f90:6: `swap` may be called by code that was not given"), "{}", listed.stdout);
    let run = sandbox.gravelc(&["transform", "open.f90", "-o", "strict.f90", "--strict"]);
    run.has_exit_code(2).says("open.f90:6").says("`swap`").says("`u`").says("nothing was written");
    sandbox.gravelc(&["plan", "open.f90", "-o", "strict.plan", "--strict"]).has_exit_code(2).says("`swap`");
    sandbox.gravelc(&["plan", "open.f90", "-o", "open.plan"]).has_exit_code(0);
    let run = sandbox.gravelc(&["transform", "open.f90", "--plan", "open.plan", "-o", "strict.f90", "--strict"]);
    run.has_exit_code(2).says("`swap`");
    sandbox.gravelc(&["transform", "closed.f90", "-o", "closed_out.f90", "--strict"]).has_exit_code(0);
    assert_eq!(sandbox.entries(), ["closed.f90", "closed_out.f90", "open.f90", "open.plan", "out.f90"]);
}

#[test]
fn calls_of_mpi_that_were_not_understood_are_counted() {
    let sandbox = Sandbox::new();
    let text = "program main\nuse mpi\ninteger :: ierr\ncall mpi_init(ierr)\n#include <body.h>\n\
                if (i > 0 call mpi_send(a, 1, mpi_real, 0, 1, mpi_comm_world, ierr)\ncall mpi_finalize(ierr)\nend program\n";
    sandbox.write("main.F90", text);
    sandbox.write("body.h", "call mpi_barrier(mpi_comm_world, ierr) ! call mpi_recv\ncall MPI_Wait(r, s, ierr)\n");
    let run = sandbox.gravelc(&["transform", "main.F90", "-o", "out.F90", "--report", "json=report.json"]);
    run.has_exit_code(0).says("3 calls of MPI in the text were not understood").says("`mpi_send` at main.F90:6");
    run.says("`mpi_barrier` at body.h:1").says("`mpi_wait` at body.h:2").says("3 calls of MPI not understood");
    let report = sandbox.read("report.json");
    assert!(report.contains("missed_calls") && report.contains("body.h"), "{report}");
    // All of a program that was read is understood.
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["transform", "ring.f90", "-o", "ring_out.f90"]);
    assert!(!run.stderr.contains("not understood"), "{}", run.stderr);
}

#[test]
fn files_that_stand_for_mpi_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let stub = |name: &str| format!("subroutine mpi_{name}(a)\n  integer :: a(*)\nend subroutine\n");
    sandbox.write("serial.f90", &["send", "isend", "recv", "wait", "my_own"].map(stub).concat());
    let run = sandbox.gravelc(&["transform", "ring.f90", "serial.f90", "--out-dir", "out"]);
    run.has_exit_code(0)
        .says("serial.f90:1")
        .says("`mpi_send`, `mpi_isend`, `mpi_recv` and 1 more")
        .says("leave the file out");
    let run = sandbox.gravelc(&["transform", "ring.f90", "--out-dir", "out"]);
    assert!(!run.stderr.contains("leave the file out"), "{}", run.stderr);
}

#[test]
fn explain_prints_pages_and_suggests() {
    let sandbox = Sandbox::new();
    let page = sandbox.gravelc(&["explain", "wildcard"]);
    page.has_exit_code(0);
    assert!(page.stdout.starts_with("# wildcard\n"), "{}", page.stdout);
    let list = sandbox.gravelc(&["explain", "--list"]);
    list.has_exit_code(0);
    assert!(list.stdout.lines().any(|line| line.starts_with("wildcard ")), "{}", list.stdout);
    sandbox.gravelc(&["explain", "wildcart"]).has_exit_code(2).says("wildcard");
    sandbox.gravelc(&["explain"]).has_exit_code(2);
}

#[test]
fn help_has_examples_for_every_command() {
    let sandbox = Sandbox::new();
    let commands: [&[&str]; 6] = [&[], &["transform"], &["explain"], &["config"], &["install"], &["wrap"]];
    for command in commands {
        let arguments: Vec<&str> = command.iter().chain(&["--help"]).copied().collect();
        let run = sandbox.gravelc(&arguments);
        run.has_exit_code(0);
        assert!(run.stdout.contains("Examples:"), "{command:?}: {}", run.stdout);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    let run = sandbox.shell("\"$GRAVELC\" explain --list | true; echo \"${PIPESTATUS[0]}\"");
    assert_eq!(run.stdout, "0\n", "{}", run.stderr);
}

#[test]
fn the_permissions_of_new_reports_follow_the_umask() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let run = sandbox.shell("umask 027; \"$GRAVELC\" transform ring.f90 --report json=report.json");
    run.has_exit_code(0);
    let mode = fs::metadata(sandbox.path("report.json")).expect("it was written").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn closed_files_are_named_as_an_assumption() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", &RING.replace("  print *", "  call library(rbuf)\n  print *"));
    let open = sandbox.gravelc(&["transform", "ring.f90", "--report", "text"]);
    open.has_exit_code(0).says("0 of 2 communication sites transformed");
    let closed = sandbox.gravelc(&["transform", "ring.f90", "--report", "text", "--closed"]);
    closed.has_exit_code(0).says("2 of 2 communication sites transformed").says("`library`");
}

/// So it is in Fortran, where C's name is known.
#[test]
fn threads_are_no_closed_library_in_fortran() {
    let sandbox = Sandbox::new();
    for (name, sites) in [("pthread_create", "0 of 2"), ("some_library", "2 of 2")] {
        let interface = format!(
            "interface\ninteger(c_int) function {name}(id, rest, run, it) bind(c)\nimport\n\
            type(c_ptr), value :: id, rest, it\ntype(c_funptr), value :: run\nend function\nend interface\n"
        );
        let start = format!("k = {name}(c_null_ptr, c_null_ptr, c_null_funptr, c_null_ptr)\ncall mpi_init(ierr)\n");
        let declared = "implicit none\n";
        assert!(RING.contains(declared));
        let text = RING.replacen("use mpi\n", "use mpi\nuse, intrinsic :: iso_c_binding\n", 1);
        let text = text.replacen(declared, &format!("{declared}{interface}integer(c_int) :: k\n"), 1);
        let text = text.replacen("call mpi_init(ierr)\n", &start, 1);
        assert!(text.contains(&start), "{text}");
        sandbox.write("own.f90", &text);
        let run = sandbox.gravelc(&["transform", "own.f90", "--closed", "-o", "out.f90"]);
        run.has_exit_code(0).says(&format!("{sites} communication sites transformed"));
    }
}

/// What is known to run code of the program at other places is no library that keeps to itself, whatever the user says.
#[test]
fn threads_and_jumps_are_no_closed_library() {
    let sandbox = Sandbox::new();
    let program = |headers: &str, beside: &str, before: &str| {
        format!(
            "#include <mpi.h>\n#include <stdio.h>\n{headers}\nstatic double in[1000], out[1000], total;\n\
             static volatile int done;\n{beside}\nint main(int argc, char **argv) {{\n    MPI_Request r;\n\
             MPI_Init(&argc, &argv);\n    {before}\n    for (int i = 0; i < 1000; i++) out[i] = i;\n\
             while (!done);\n    MPI_Irecv(in, 1000, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &r);\n\
             MPI_Send(out, 1000, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);\n    MPI_Wait(&r, MPI_STATUS_IGNORE);\n\
             printf(\"%g %g\\n\", in[5], total);\n    MPI_Finalize();\n    return 0;\n}}\n"
        )
    };
    let sum = "static void *sum(void *rest) { for (int i = 0; i < 1000; i++) total += in[i]; done = 1; return rest; }";
    let visit = "static void visit(const void *node, VISIT which, int depth) { total += in[depth]; done = 1; }";
    let leave = "static jmp_buf place;\nvoid leave(void) { if (done) longjmp(place, 1); done = 1; }";
    for (name, text) in [
        ("library", program("void library(void);", "", "library();")),
        ("pthread_create", program("#include <pthread.h>", sum, "pthread_t id; pthread_create(&id, NULL, sum, NULL);")),
        ("twalk", program("#include <search.h>", visit, "static void *root; twalk(root, visit);")),
        ("longjmp", program("#include <setjmp.h>", leave, "leave();")),
    ] {
        sandbox.write("own.c", &text);
        let run = sandbox.gravelc(&["transform", "own.c", "--closed", "-o", "out.c", "--report", "text"]);
        run.has_exit_code(0);
        if name == "library" {
            run.says("3 of 3 communication sites transformed").says("`library`");
        } else {
            run.says("0 of 3 communication sites transformed");
            assert!(run.stdout.contains(&format!("{name} at own.c:")), "{}", run.stdout);
        }
    }
}

#[test]
fn modules_of_libraries_are_named_as_an_assumption() {
    let sandbox = Sandbox::new();
    let using = RING.replace("  use mpi\n", "  use mpi\n  use weather\n");
    sandbox.write("ring.f90", &using.replace("  print *", "  call check(forecast(n))\n  print *"));
    let open = sandbox.gravelc(&["transform", "ring.f90", "--report", "text"]);
    open.has_exit_code(0).says("0 of 2 communication sites transformed");
    let closed = sandbox.gravelc(&["transform", "ring.f90", "--report", "text", "--closed"]);
    closed.has_exit_code(0).says("2 of 2 communication sites transformed").says("module `weather`");
    // What was said is in the plan.
    sandbox.gravelc(&["plan", "ring.f90", "--closed", "-o", "program.plan"]).has_exit_code(0);
    let executed = sandbox.gravelc(&["transform", "--plan", "program.plan", "ring.f90", "--out-dir", "out"]);
    executed.has_exit_code(0).says("2 of 2 communication sites transformed");
}

#[test]
fn a_directive_that_is_misspelt_is_an_error() {
    let sandbox = Sandbox::new();
    let source = RING.replace("  do i = 1, n\n", "  !$gravel tiel(64)\n  do i = 1, n\n");
    sandbox.write("ring.f90", &source.replace("  call mpi_recv", "  !$gravel skip(sink-wiat)\n  call mpi_recv"));
    let run = sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90"]);
    run.has_exit_code(2)
        .says("error: there is no directive `tiel`\n")
        .says("--> ring.f90:13:12\n")
        .says("13 |   !$gravel tiel(64)\n   |            ^^^^\n")
        .says("help: did you mean `tile`?")
        .says("there is no transformation `sink-wiat`")
        .says("did you mean `sink-wait`?")
        .says("gravelc explain directives");
    assert_eq!(sandbox.entries(), ["ring.f90"], "nothing is written");
    let run = sandbox.gravelc(&["explain", "directives"]);
    run.has_exit_code(0);
    assert!(run.stdout.contains("## skip") && run.stdout.contains("## tile"), "{}", run.stdout);
}

#[test]
fn reports_for_editors_and_browsers_go_to_their_files() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let reports = ["--report", "sarif=report.sarif", "--report", "html=report.html"];
    let run = sandbox.gravelc(&[&["transform", "ring.f90", "-o", "out.f90"], reports.as_slice()].concat());
    run.has_exit_code(0);
    assert_eq!(run.stdout, "");
    let sarif: serde_json::Value = serde_json::from_str(&sandbox.read("report.sarif")).expect("it is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sandbox.read("report.html").starts_with("<!DOCTYPE html>"));
    let run = sandbox.gravelc(&["transform", "ring.f90", "--diff", "--report", "html"]);
    run.has_exit_code(2).says("--report html=FILE");
}

#[test]
fn graphs_go_to_standard_output_or_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["graph", "ring.f90"]);
    run.has_exit_code(0);
    assert!(run.stdout.starts_with("digraph \"matches\" {\n"), "{}", run.stdout);
    assert!(run.stdout.contains("class 1: MPI_COMM_WORLD, tag 7"), "{}", run.stdout);
    let run = sandbox.gravelc(&["graph", "ring.f90", "--kind", "dependence", "-o", "ring.dot"]);
    run.has_exit_code(0);
    assert!(run.stdout.is_empty() && sandbox.read("ring.dot").contains("flow sbuf(1:1000)"));
    sandbox.gravelc(&["graph", "ring.f90", "-o", "ring.f90"]).has_exit_code(2).says("also an input");
    sandbox.gravelc(&["graph", "ring.f90", "--kind", "cake"]).has_exit_code(2).says("match, call, dependence");
}

/// The code and the line of the reason why the first receive of the file stays.
fn reason_of_receive(text: &str) -> (String, u64) {
    let sandbox = Sandbox::new();
    sandbox.write("own.f90", text);
    sandbox.gravelc(&["transform", "own.f90", "-o", "out.f90", "--report", "json=report.json"]).has_exit_code(0);
    let report: serde_json::Value = serde_json::from_str(&sandbox.read("report.json")).expect("the report is JSON");
    let sites = report["sites"].as_array().expect("the sites are an array");
    let receive = sites.iter().find(|site| site["call"] == "mpi_irecv").expect("the receive is a site");
    let (code, line) = (&receive["reason"]["code"], &receive["reason"]["line"]);
    (code.as_str().expect("a code").to_owned(), line.as_u64().expect("a line"))
}

/// A program whose procedure `exchange` begins so and is called so.
fn exchanging(call: &str, head: &str) -> String {
    format!(
        "program own\nuse mpi\nimplicit none\ninteger :: ierr\nreal :: a(1000), b(1000)\ncall mpi_init(ierr)\n{call}\n\
         call mpi_finalize(ierr)\ncontains\n{head}\n\
         call mpi_irecv(y, 1000, mpi_real, 0, 1, mpi_comm_world, request, ierr)\nx = x + 1\n\
         call mpi_send(x, 1000, mpi_real, 0, 1, mpi_comm_world, ierr)\ncall mpi_wait(request, mpi_status_ignore, ierr)\n\
         end subroutine\nend program\n"
    )
}

/// Causes are kinds: these once were `unread-declarations` at line 1, for words were looked for in sentences.
#[test]
fn what_keeps_a_procedure_has_its_own_code_at_its_own_line() {
    let head = "subroutine exchange(x, y)\nreal :: x(1000), y(1000)\ninteger :: request";
    let threads = exchanging("!$omp parallel\ncall exchange(a, b)\n!$omp end parallel", head);
    assert_eq!(reason_of_receive(&threads), ("threads".to_owned(), 7), "the region");
    let shared = exchanging("call exchange(a, b)", &head.replace('\n', "; "));
    assert_eq!(reason_of_receive(&shared), ("shared-line".to_owned(), 10), "the declarations");
}
