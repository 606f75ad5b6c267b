//! `gravelc wrap` and what it needs: the module, the library, `gravelc config`.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use support::{RING, Run, Sandbox};

#[test]
fn wrap_passes_on_what_the_compiler_does() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", "#!/bin/sh\necho \"args: $*\"\necho trouble >&2\nexit 7\n");
    for arguments in [["--version", ""], ["-show", ""], ["-E", "ring.F90"]] {
        let run = sandbox.gravelc(&["wrap", "--", &compiler, arguments[0], arguments[1]]);
        run.has_exit_code(7).says("trouble");
        assert!(run.stdout.starts_with(&format!("args: {}", arguments[0])), "{}", run.stdout);
    }
    sandbox.gravelc(&["wrap", "--", "no-such-compiler", "a.f90"]).has_exit_code(2).says("no-such-compiler");
    sandbox.gravelc(&["wrap"]).has_exit_code(2);
}

#[test]
fn wrap_adds_the_module_and_the_library() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.f90", RING);
    sandbox.write("lib/libgravel.a", "");
    let compiler = sandbox.write_program("fake-f90", support::FAKE_COMPILER);
    let wrap = |arguments: &[&str]| {
        let all: Vec<&str> = ["wrap", "--no-transform", "--", &compiler].iter().chain(arguments).copied().collect();
        sandbox.gravelc(&all)
    };

    let run = wrap(&["-c", "ring.f90"]);
    run.has_exit_code(0);
    assert!(run.stdout.starts_with("args: -c ring.f90 -I"), "{}", run.stdout);
    assert!(!run.stdout.contains("libgravel.a"), "{}", run.stdout);

    let run = wrap(&["ring.o", "-o", "ring"]);
    run.has_exit_code(0);
    assert!(run.stdout.starts_with("args: ring.o -o ring "), "{}", run.stdout);
    let end = run.stdout.trim_end();
    assert!(end.contains("/gravel.o ") && end.ends_with("/lib/libgravel.a -lpthread -ldl -lm"), "{end}");

    assert_eq!(sandbox.cached_modules(), 1, "the module is compiled once");
    wrap(&["-c", "-fdefault-integer-8", "ring.f90"]).has_exit_code(0);
    assert_eq!(sandbox.cached_modules(), 2, "other kinds need another module");
}

#[test]
fn wrap_transforms_a_whole_program_and_nothing_less() {
    let sandbox = Sandbox::new();
    sandbox.write("src/ring.f90", RING);
    sandbox.write("lib/libgravel.a", "");
    let compiler = sandbox.write_program("fake-f90", support::FAKE_COMPILER);

    let run = sandbox.gravelc(&["wrap", "--keep-dir", "kept", "--", &compiler, "src/ring.f90", "-o", "ring"]);
    run.has_exit_code(0).says("sites transformed");
    assert!(run.stdout.starts_with("args: -Isrc kept/ring.f90 -o ring "), "{}", run.stdout);
    assert!(sandbox.read("kept/ring.f90").contains("gravel_init"));

    let run = sandbox.gravelc(&["wrap", "--", &compiler, "-c", "src/ring.f90"]);
    run.has_exit_code(0).says("not transformed").says("gravelc plan");
    assert!(run.stdout.starts_with("args: -c src/ring.f90 -I"), "{}", run.stdout);
}

#[test]
fn parallel_builds_share_one_module() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", support::FAKE_COMPILER);
    let runs: Vec<Run> = std::thread::scope(|scope| {
        let start = || sandbox.gravelc(&["wrap", "--no-transform", "--", &compiler, "-c", "a.f90"]);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().expect("the thread ends")).collect()
    });
    for run in &runs {
        run.has_exit_code(0);
        assert_eq!(run.stdout, runs[0].stdout);
    }
    assert_eq!(sandbox.cached_modules(), 1);
}

#[test]
fn a_module_that_does_not_compile_is_explained() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", "#!/bin/sh\necho 'no mpi.mod here' >&2\nexit 1\n");
    sandbox
        .gravelc(&["config", "--fflags", "--compiler", &compiler])
        .has_exit_code(2)
        .says("no mpi.mod here")
        .says("-c gravel.f90")
        .says("mpif90");
}

#[test]
fn config_says_what_it_can_be_asked() {
    let sandbox = Sandbox::new();
    sandbox.gravelc(&["config"]).has_exit_code(2).says("--cflags|--fflags|--libs");
    let run = sandbox.gravelc(&["config", "--cflags"]);
    run.has_exit_code(0);
    let folder = run.stdout.trim_end().strip_prefix("-I").expect("it is a flag for a folder");
    assert!(sandbox.path(folder).join("gravel.h").is_file(), "{folder}");
}

#[test]
fn a_missing_library_is_explained() {
    let sandbox = Sandbox::new();
    let gravelc = sandbox.path("bin/gravelc");
    // Not by this process: another test could start one that has the copy open for writing, which can't be run then.
    sandbox.shell("mkdir bin && cp \"$GRAVELC\" bin/gravelc").has_exit_code(0);
    let run = sandbox.run(&gravelc, &["config", "--libs"]);
    run.has_exit_code(2).says("libgravel.a").says("GRAVEL_LIB_DIR").says("/bin/../lib");

    sandbox.write("lib/libgravel.a", "");
    let run = sandbox.run(&gravelc, &["config", "--libs"]);
    run.has_exit_code(0);
    assert!(run.stdout.ends_with("/lib/libgravel.a -lpthread -ldl -lm\n"), "{}", run.stdout);
}
