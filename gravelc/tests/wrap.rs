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
    sandbox.write("ring.f90", &RING.replace("use mpi\n", "use mpi\n  use gravel\n"));
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
    let line = run.stdout.trim_end();
    assert!(
        line.contains("/gravel.o ring.o -o ring ") && line.ends_with("/lib/libgravel.a -lpthread -ldl -lm"),
        "{line}"
    );

    assert!(line.contains(" -lm /"), "functions of mathematics are the system's: {line}");

    // What `-x` says of the user's files is not meant for the runtime's.
    let run = wrap(&["-x", "f95-cpp-input", "ring.f90", "-o", "ring"]);
    run.has_exit_code(0);
    let line = run.stdout.trim_end();
    assert!(line.contains("/gravel.o -x f95-cpp-input ring.f90 -o ring -I"), "{line}");
    assert!(line.contains(" -x none ") && line.ends_with("/lib/libgravel.a -lpthread -ldl -lm"), "{line}");

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
    assert!(run.stdout.contains("/gravel.o -Isrc kept/ring.f90 -o ring -I"), "{}", run.stdout);
    assert!(sandbox.read("kept/ring.f90").contains("gravel_init"));

    let run = sandbox.gravelc(&["wrap", "--", &compiler, "-c", "src/ring.f90"]);
    run.has_exit_code(0).says("not transformed").says("gravelc plan");
    assert_eq!(run.stdout, "args: -c src/ring.f90\n");
}

#[test]
fn sources_and_flags_may_stand_in_files_of_arguments() {
    let sandbox = Sandbox::new();
    sandbox.write("src/my ring.f90", RING);
    sandbox.write("lib/libgravel.a", "");
    sandbox.write("all.rsp", "-O2 '-DTEXT=a b' @inner.rsp\n-o ring");
    sandbox.write("inner.rsp", "\"src/my ring.f90\"\n-DMORE=\\\"x\\\"");
    let compiler = sandbox.write_program("fake-f90", support::FAKE_COMPILER);
    let run = sandbox.gravelc(&["wrap", "--keep-dir", "kept", "--", &compiler, "@all.rsp"]);
    run.has_exit_code(0).says("sites transformed");
    let expected = "/gravel.o -Isrc -O2 -DTEXT=a b kept/my ring.f90 -DMORE=\"x\" -o ring -I";
    assert!(run.stdout.contains(expected), "{}", run.stdout);

    // More than a command line takes.
    let folders: String = (0..200_000).map(|k| format!("-Ifolder{k}\n")).collect();
    sandbox.write("many.rsp", &folders);
    let fake = support::FAKE_COMPILER
        .replace("  *) echo", "  @*) sed -n '/ring.f90/p;/-Ifolder199999$/p' \"${1#@}\" ;;\n  *) echo");
    let compiler = sandbox.write_program("many-f90", &fake);
    let run = sandbox.gravelc(&["wrap", "--keep-dir", "kept", "--", &compiler, "@all.rsp", "@many.rsp"]);
    run.has_exit_code(0);
    assert_eq!(run.stdout, "kept/my\\ ring.f90\n-Ifolder199999\n");
}

/// A compiler that knows no MPI: it prints its arguments, and can't make the module.
const WITHOUT_MPI: &str = "#!/bin/sh
case \"$*\" in
  *gravel.f90*) echo 'no mpi.mod here' >&2; exit 1 ;;
  *) echo \"args: $*\" ;;
esac
";

#[test]
fn wrap_needs_no_mpi_where_nothing_communicates() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", WITHOUT_MPI);
    sandbox.write("plain.f90", "subroutine plain\nend subroutine\n");
    sandbox.write("main.f90", "program main\ninclude 'x.inc'\ncall plain\nend program\n");
    sandbox.write("plain.o", "plain_");
    sandbox.write("libplain.a", "plain_");
    for arguments in [
        &["-c", "plain.f90"][..],
        &["-c", "main.f90"],
        &["main.f90", "plain.f90", "-o", "main"],
        &["main.f90", "plain.o", "-o", "main"],
        &["main.f90", "-L.", "-lplain", "-o", "main"],
        &["plain.o", "libplain.a", "-o", "main"],
    ] {
        for options in [&["wrap", "--"][..], &["wrap", "--no-transform", "--"]] {
            let all: Vec<&str> = options.iter().chain(&[compiler.as_str()]).chain(arguments).copied().collect();
            let run = sandbox.gravelc(&all);
            run.has_exit_code(0);
            assert_eq!(run.stdout, format!("args: {}\n", arguments.join(" ")));
        }
    }
    // Where something is transformed, what is missing is named.
    sandbox.write("ring.f90", RING);
    let run = sandbox.gravelc(&["wrap", "--", &compiler, "ring.f90", "-o", "ring"]);
    run.has_exit_code(2).says("no mpi.mod here").says("with -I");
}

/// As the compilers of those builds that name the folders of an MPI themselves.
const WITH_FLAGS_FOR_MPI: &str = "#!/bin/sh
case \"$*\" in
  --version) echo 'fake 1.0' ;;
  -show) exit 1 ;;
  -I*/mpi\\ *'-c gravel.f90'*) touch gravel.mod gravel.o ;;
  *'-c gravel.f90'*) echo 'no mpi.mod here' >&2; exit 1 ;;
  *) echo \"args: $*\" ;;
esac
";

#[test]
fn wrap_finds_the_module_of_objects_whose_flags_the_link_does_not_have() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", WITH_FLAGS_FOR_MPI);
    sandbox.write("mpi/mpi.mod", "");
    sandbox.write("lib/libgravel.a", "");
    sandbox.write("ring.f90", "use gravel\nend\n");
    let wrap = |arguments: &[&str]| {
        let all: Vec<&str> = ["wrap", "--no-transform", "--", &compiler].iter().chain(arguments).copied().collect();
        sandbox.gravelc(&all)
    };
    let run = wrap(&["-Impi", "-c", "ring.f90"]);
    run.has_exit_code(0);
    let mark = run.stdout.trim_end().split("--defsym,").nth(1).expect("a mark").trim_end_matches("=0").to_owned();
    sandbox.write("ring.o", &format!("__gravel_MOD_gravel_init\0{mark}\0"));
    let run = wrap(&["ring.o", "-o", "ring"]);
    run.has_exit_code(0);
    let folder = mark.replace("gravel_module_", "module-");
    assert!(run.stdout.contains(&format!("/{folder}/gravel.o ring.o -o ring ")), "{}", run.stdout);

    sandbox.write("other.o", "gravel_module_0000000000000000");
    wrap(&["ring.o", "other.o", "-o", "ring"]).has_exit_code(2).says("several modules of the runtime");
    wrap(&["other.o", "-o", "ring"]).has_exit_code(2).says("not in the cache any more");
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
    assert!(
        run.stdout.starts_with("-lm ") && run.stdout.ends_with("/lib/libgravel.a -lpthread -ldl -lm\n"),
        "{}",
        run.stdout
    );
}
