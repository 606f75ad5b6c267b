//! `--recorded` and `--build`: the files of a program, and the flags of each, as a build has them.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use support::{Run, Sandbox};

/// A compiler that makes objects and programs that tell where they come from, and says which macros it defines.
const COMPILER: &str = r#"#!/bin/sh
case " $* " in
  *' -dM -E '*)
    echo '#define gravelc_asks_which_macros_are_defined 1729'
    echo '#define __GFORTRAN__ 1'
    echo '#define gravelc_has_seen___GFORTRAN__ 1'
    case " $* " in *' -fopenmp '*) echo '#define _OPENMP 201511'; echo '#define gravelc_has_seen__OPENMP 1' ;; esac
    exit 0 ;;
esac
out= compiles= sources= all="$*" expanded=
for word in "$@"; do case $word in @*) expanded="$expanded $(cat "${word#@}")" ;; *) expanded="$expanded $word" ;; esac; done
set -- $expanded
while [ $# -gt 0 ]; do
  case $1 in
    -c) compiles=yes ;;
    -o) out=$2; shift ;;
    -D|-I|-L|-l) shift ;;
    -*) ;;
    *.f90|*.F90|*.f) [ -f "$1" ] || { echo "no $1" >&2; exit 1; }; grep -q 'does not compile' "$1" && exit 1; sources="$sources $1" ;;
  esac
  shift
done
if [ -n "$compiles" ]; then
  for source in $sources; do
    base=${source##*/}
    { cat "$source"; echo "$all"; } > "${out:-${base%.*}.o}"
  done
else
  echo "$all" > "${out:-a.out}"
fi
"#;

const WORK: &str = "module work
contains
  pure double precision function next(value)
    double precision, intent(in) :: value
    next = value * 0.5d0 + 1
  end function next
end module work
";

/// Without `GO` nothing communicates, and without `size.inc` the length is not known.
const SWAP: &str = "module swap
  use mpi
  implicit none
#include \"size.inc\"
  double precision :: sbuf(n), rbuf(n)
  integer :: rank, ranks, ierr
contains
  subroutine exchange()
    integer :: request
#ifdef GO
    call mpi_irecv(rbuf, n, mpi_double_precision, modulo(rank - 1, ranks), 7, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, modulo(rank + 1, ranks), 7, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
#endif
  end subroutine exchange
end module swap
";

const SIZE: &str = "integer, parameter :: n = LENGTH\n";

const MAIN: &str = "program p
  use swap
  use work
  implicit none
  integer :: i, it
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do it = 1, 5
    do i = 1, n
      sbuf(i) = next(dble(rank)) + i
    end do
    call exchange()
    do i = 1, n
      sbuf(i) = sbuf(i) + next(rbuf(i))
    end do
  end do
  print *, sum(sbuf), sum(rbuf)
  call mpi_finalize(ierr)
end program p
";

/// All of it is seen and transformed.
const WHOLE: &str = "3 of 3 communication sites transformed";

const MAKEFILE: &str = "all:
\t$(MAKE) -C lib FC='$(FC)' AR='$(AR)'
\t$(MAKE) -C app FC='$(FC)' AR='$(AR)'
";

const MAKEFILE_OF_LIBRARY: &str = "libw.a: work.o swap.o
\t$(AR) rcs libw.a work.o swap.o
work.o: work.f90
\t$(FC) -O2 -c work.f90
swap.o: swap.F90
\t$(FC) -O2 -I../inc -DLENGTH=3000 -DGO -c swap.F90
";

const MAKEFILE_OF_PROGRAM: &str = "../prog: main.f90 ../lib/libw.a
\t$(FC) -O2 -I../lib -c main.f90 -o main.o
\t$(FC) main.o -L../lib -lw -o ../prog
";

/// A program in three folders, which a recursive make builds through a library.
fn project() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.write("src/Makefile", MAKEFILE);
    sandbox.write("src/lib/Makefile", MAKEFILE_OF_LIBRARY);
    sandbox.write("src/lib/work.f90", WORK);
    sandbox.write("src/lib/swap.F90", SWAP);
    sandbox.write("src/inc/size.inc", SIZE);
    sandbox.write("src/app/Makefile", MAKEFILE_OF_PROGRAM);
    sandbox.write("src/app/main.f90", MAIN);
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    (sandbox, compiler)
}

/// The sources of a plan, in its order.
fn planned(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let all: Vec<&str> = ["plan", "-o", "p.plan"].iter().chain(arguments).copied().collect();
    sandbox.gravelc(&all).has_exit_code(0);
    let plan: serde_json::Value = serde_json::from_str(&sandbox.read("p.plan")).expect("a plan is JSON");
    let files = plan["document"]["files"].as_array().expect("it has files");
    files.iter().map(|file| file["path"].as_str().expect("it has a path").to_owned()).collect()
}

fn shell(sandbox: &Sandbox, script: &str) -> Run {
    let run = sandbox.shell(&format!("unset MAKEFLAGS MAKELEVEL; set -e; {script}"));
    run.has_exit_code(0);
    run
}

#[test]
fn a_recursive_make_is_recorded() {
    let (sandbox, compiler) = project();
    shell(&sandbox, &format!("make -j4 -C src FC=\"$GRAVELC wrap --record $PWD/record -- {compiler}\""));
    assert!(sandbox.exists("src/prog"), "it is built as ever");
    assert_eq!(sandbox.read("src/prog"), "main.o -L../lib -lw -o ../prog\n");
    sandbox.gravelc(&["transform", "--recorded", "record", "--out-dir", "out"]).has_exit_code(0).says(WHOLE);
    assert!(sandbox.read("out/lib/swap.F90").contains("gravel_post_send"));
    assert!(sandbox.read("out/app/main.f90").contains("gravel_init"));
    // With other commands in front, and from another folder.
    shell(&sandbox, "mkdir deep && cd deep && $GRAVELC plan --recorded ../record --program prog -o p.plan");
    // The plan holds for the flags of each file.
    shell(
        &sandbox,
        &format!(
            "rm src/*/*.o src/*/*.a; touch src/lib/*.f90; mkdir lib; touch lib/libgravel.a
        make -C src FC=\"$GRAVELC wrap --plan $PWD/deep/p.plan -- {compiler}\" -k || true"
        ),
    );
    let changed = MAKEFILE_OF_LIBRARY.replace("-DGO ", "");
    sandbox.write("src/lib/Makefile", &changed);
    let run = sandbox.shell(&format!(
        "rm -f src/lib/swap.o; make -C src/lib FC=\"$GRAVELC wrap --plan $PWD/deep/p.plan -- {compiler}\""
    ));
    run.says("`GO`");
    // One file, with the flags that it has there.
    sandbox.gravelc(&["transform", "--recorded", "record", "--report", "text", "src/app/main.f90"]).has_exit_code(0);
    sandbox
        .gravelc(&["transform", "--recorded", "record", "--check", "fake-f90"])
        .has_exit_code(2)
        .says("the build compiles no fake-f90");
}

#[test]
fn the_commands_of_make_are_read() {
    let (sandbox, compiler) = project();
    let expected = ["src/lib/work.f90", "src/lib/swap.F90", "src/app/main.f90"];
    for flags in ["-w", "--no-print-directory", "-j2 -Oline -w"] {
        shell(
            &sandbox,
            &format!("rm -f src/*/*.o src/*/*.a src/prog; make {flags} -C src FC='{compiler}' > src/build.log"),
        );
        sandbox.gravelc(&["transform", "--build", "src/build.log", "--check"]).says(WHOLE);
        let mut files = planned(&sandbox, &["--build", "src/build.log"]);
        if flags.starts_with("-j") {
            files.sort_by_key(|file| expected.iter().position(|known| known == file));
        }
        assert_eq!(files, expected, "{flags}");
        shell(&sandbox, "cp src/build.log elsewhere.log");
        sandbox.gravelc(&["transform", "--build", "elsewhere.log", "--build-dir", "src", "--check"]).says(WHOLE);
    }
    // Nothing says in which folder a command runs, and two have its source.
    let silent: String = sandbox
        .read("src/build.log")
        .lines()
        .filter(|line| !line.contains("make"))
        .map(|line| format!("{line}\n"))
        .collect();
    sandbox.write("src/silent.log", &silent);
    sandbox.gravelc(&["transform", "--build", "src/silent.log", "--check"]).says(WHOLE);
    sandbox.write("src/old/work.f90", WORK);
    sandbox
        .gravelc(&["transform", "--build", "src/silent.log", "--check"])
        .has_exit_code(2)
        .says("make -w")
        .says("src/old");
}

#[test]
fn lines_are_followed_as_shells_do() {
    let (sandbox, compiler) = project();
    let log = format!(
        "checking for gfortran... yes
gcc version 12.2.0 (Debian)
[ 10%] Building Fortran object lib/work.o
/usr/bin/cmake -E cmake_echo_color hello
cd src/lib && OMPI_FC=x nice -n 10 time {compiler} -O2 \\
  -c `test -f 'work.f90' || echo './'`work.f90 2>&1 | tee out
libtool: compile:  {compiler} -I ../inc -D LENGTH=3000 -DGO -c src/lib/swap.F90 -Isrc/inc  -fPIC -o .libs/swap.o
(cd src/lib; ar cru libw.a work.o); ar r src/lib/libw.a .libs/swap.o
if true; then {compiler} -c src/app/main.f90 -o x/main.o; fi
{compiler} $(cat flags) -c src/more.f90
libtool: link: {compiler} -o prog x/main.o src/lib/libw.a -lm
"
    );
    sandbox.write("build.log", &log);
    assert_eq!(
        planned(&sandbox, &["--build", "build.log"]),
        ["src/lib/work.f90", "src/lib/swap.F90", "src/app/main.f90"]
    );
    sandbox.gravelc(&["transform", "--build", "build.log", "--check"]).says(WHOLE).says("$(cat flags)");
    sandbox.write("quiet.log", "  FC       main.o\n  FCLD     prog\n");
    sandbox.gravelc(&["plan", "--build", "quiet.log", "-o", "p"]).has_exit_code(2).says("make V=1");
}

#[test]
fn programs_of_one_build_are_told_apart() {
    let (sandbox, compiler) = project();
    sandbox.write("src/other.f90", "program other\nuse work\nprint *, next(1d0)\nend program\n");
    sandbox.write("objects.rsp", "src/main.o\nsrc/lib/libw.a -o bin/prog");
    let record = format!("$GRAVELC wrap --record {} --", sandbox.path("record").display());
    // The objects move, the library is made by an `ar` that nobody sees, and a generated source is in the build.
    shell(
        &sandbox,
        &format!(
            "mkdir bin obj
            {record} {compiler} -c src/lib/work.f90 -o obj/work.o
            (cd src/lib && {record} {compiler} -I ../inc -DLENGTH=3000 -DGO -c swap.F90) && mv src/lib/swap.o obj/s.o
            (cd obj && ar rcs ../src/lib/libw.a work.o s.o)
            cp src/app/main.f90 src/generated.f90
            cd src; {record} {compiler} -c generated.f90 -o main.o; cd ..
            {record} {compiler} @objects.rsp
            {record} {compiler} src/other.f90 obj/work.o -o bin/other
            {record} {compiler} --version"
        ),
    );
    let run = sandbox.gravelc(&["plan", "--recorded", "record", "-o", "p"]);
    run.has_exit_code(2).says("links 2 programs").says("bin/other").says("--program");
    let files = |name: &str| planned(&sandbox, &["--recorded", "record", "--program", name]);
    assert_eq!(files("prog"), ["src/lib/work.f90", "src/lib/swap.F90", "src/generated.f90"]);
    assert_eq!(files("bin/other"), ["src/lib/work.f90", "src/other.f90"]);
    let run = sandbox.gravelc(&["plan", "--recorded", "record", "--program", "none", "-o", "p"]);
    run.has_exit_code(2).says("no program `none`").says("bin/prog");
    // What has changed is read as it is; what is gone can't be.
    sandbox.write("src/inc/size.inc", &format!("{SIZE}! changed\n"));
    let plan = ["plan", "--recorded", "record", "--program", "prog", "-o", "p"];
    sandbox.gravelc(&plan).has_exit_code(0).says("size.inc has changed since the build was recorded");
    shell(&sandbox, "rm src/generated.f90");
    sandbox.gravelc(&plan).has_exit_code(2).says("generated.f90, which is not there any more").says(".SECONDARY");
}

#[test]
fn what_configure_tries_is_no_program() {
    let (sandbox, compiler) = project();
    sandbox.write(
        "src/configure",
        "#!/bin/sh
for text in 'end' 'does not compile' 'call mpi_init(i); end'; do
  echo \"$text\" > conftest.f90
  $FC -o conftest conftest.f90 && ./conftest
  rm -f conftest conftest.f90
done
echo 'end' > conftest.f90; $FC -c conftest.f90; rm -f conftest.*; true
",
    );
    shell(
        &sandbox,
        &format!(
            "export FC=\"$GRAVELC wrap --record $PWD/record -- {compiler}\" AR=\"$GRAVELC wrap --record $PWD/record -- ar\"
            cd src; sh configure; make -e"
        ),
    );
    sandbox.gravelc(&["transform", "--recorded", "record", "--check"]).says(WHOLE);
    // The compiler's exit code is the command's.
    sandbox.write("bad.f90", "does not compile\n");
    sandbox.shell(&format!("$GRAVELC wrap --record $PWD/record -- {compiler} -c bad.f90")).has_exit_code(1);
}

#[test]
fn a_source_may_be_compiled_several_times() {
    let (sandbox, compiler) = project();
    sandbox.write("src/inc/size.inc", "integer, parameter :: n = 3000\n");
    let compile = |flags: &str, object: &str| format!("{compiler} -Isrc/inc {flags} -c src/lib/swap.F90 -o {object}\n");
    let rest = format!("{compiler} -c src/lib/work.f90 -o work.o\n{compiler} -c src/app/main.f90 -o main.o\n");
    let check = |log: String| {
        sandbox.write("build.log", &log);
        sandbox.gravelc(&["transform", "--build", "build.log", "--check"])
    };
    // Each program has it in one way.
    let two = format!(
        "{}{}{rest}{compiler} main.o work.o a.o -o one\n{compiler} main.o work.o b.o -o two\n",
        compile("-DGO", "a.o"),
        compile("", "b.o")
    );
    check(two).has_exit_code(2).says("links 2 programs");
    sandbox.gravelc(&["transform", "--build", "build.log", "--check", "--program", "one"]).says(WHOLE);
    sandbox
        .gravelc(&["transform", "--build", "build.log", "--check", "--program", "two"])
        .says("no communication sites found");
    // The object was made again: the last one counts.
    let again = format!("{}{}{rest}{compiler} main.o work.o a.o -o prog\n", compile("", "a.o"), compile("-DGO", "a.o"));
    check(again).says(WHOLE);
    // Both are in one program: where they differ nothing is known.
    let link = format!("{rest}{compiler} main.o work.o a.o b.o -o prog\n");
    let both = check(format!("{}{}{link}", compile("-DGO", "a.o"), compile("", "b.o")));
    both.says("compiled several times");
    planned(&sandbox, &["--build", "build.log"]);
    let plan: serde_json::Value = serde_json::from_str(&sandbox.read("p.plan")).expect("a plan is JSON");
    let ways = plan["document"]["options"]["of_files"]["ways"].as_array().expect("files have ways of their own");
    assert!(ways.iter().any(|way| way["macros"]["known"]["GO"] == "Unknown"), "{ways:?}");
    check(format!("{}{}{link}", compile("-DGO -DA=1", "a.o"), compile("-DGO -DA=2", "b.o"))).says(WHOLE);
    check(format!("{}{}{link}", compile("-DGO -ffixed-form", "a.o"), compile("-DGO", "b.o")))
        .has_exit_code(2)
        .says("compiled in two ways")
        .says("-ffixed-form");
}

#[test]
fn a_compilation_database_is_read() {
    let (sandbox, compiler) = project();
    let folder = sandbox.path("src").display().to_string();
    let entry = |name: &str, command: serde_json::Value| {
        let mut entry = serde_json::json!({ "directory": folder, "file": name });
        let key = if command.is_array() { "arguments" } else { "command" };
        entry[key] = command;
        entry
    };
    sandbox.write("src/more.rsp", "-DLENGTH=3000");
    let entries = serde_json::json!([
        entry("lib/work.f90", serde_json::json!([compiler, "-c", "lib/work.f90", "-o", "CMakeFiles/w.dir/work.o"])),
        entry(
            "lib/swap.F90",
            format!("{compiler} -DGO @more.rsp -Iinc -o CMakeFiles/w.dir/swap.o -c lib/swap.F90").into()
        ),
        entry("app/main.f90", format!("ccache {compiler} -o CMakeFiles/p.dir/main.o -c {folder}/app/main.f90").into()),
        entry("app/other.f90", format!("{compiler} -o CMakeFiles/q.dir/other.o -c {folder}/app/other.f90").into()),
        entry("picture.c", "cc -o CMakeFiles/p.dir/picture.o -c picture.c".into()),
    ]);
    sandbox.write("src/app/other.f90", "subroutine other\nend subroutine\n");
    sandbox.write("src/picture.c", "void picture(void) {}\n");
    sandbox.write("src/compile_commands.json", &entries.to_string());
    let database = ["--build", "src/compile_commands.json"];
    assert_eq!(planned(&sandbox, &database).len(), 5, "all that is compiled");
    sandbox.write("src/CMakeFiles/w.dir/link.txt", "ar qc libw.a @CMakeFiles/w.dir/objects.rsp\nranlib libw.a\n");
    sandbox.write("src/CMakeFiles/w.dir/objects.rsp", "CMakeFiles/w.dir/work.o CMakeFiles/w.dir/swap.o");
    let link = format!("{compiler} CMakeFiles/p.dir/main.o CMakeFiles/p.dir/picture.o -o prog libw.a\n");
    sandbox.write("src/CMakeFiles/p.dir/link.txt", &link);
    let program = ["src/lib/work.f90", "src/lib/swap.F90", "src/app/main.f90", "src/picture.c"];
    assert_eq!(planned(&sandbox, &database), program);
    sandbox.gravelc(&["transform", database[0], database[1], "--check"]).says(WHOLE);
    // A build that is yet to generate it.
    std::fs::remove_file(sandbox.path("src/lib/work.f90")).expect("it was there");
    sandbox
        .gravelc(&["plan", database[0], database[1], "-o", "p"])
        .has_exit_code(2)
        .says("src/lib/work.f90 is not there, from which ")
        .says("build it once");

    sandbox.write("bad.json", "[{\"directory\": 1}]");
    sandbox.gravelc(&["plan", "--build", "bad.json", "-o", "p"]).has_exit_code(2).says("no compilation database");
    sandbox.write("empty.json", "[]");
    sandbox
        .gravelc(&["plan", "--build", "empty.json", "-o", "p"])
        .has_exit_code(2)
        .says("no command compiles anything");
}

#[test]
fn each_file_has_its_own_flags() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    // The same name in two folders, one in fixed form under a name of free form, and reals of two lengths.
    sandbox.write("a/part.f90", "      subroutine one\nc     a comment\n      end\n");
    sandbox.write("b/part.f90", "subroutine two\n  !$omp parallel\n  !$omp end parallel\nend subroutine\n");
    sandbox.write("main.f90", "program p\n  call one\n  call two\nend program\n");
    sandbox.write(
        "build.log",
        &format!(
            "{compiler} -ffixed-form -c a/part.f90 -o a.o\n{compiler} -fopenmp -r8 -c b/part.f90 -o b.o\n\
             {compiler} -Ofast main.f90 a.o b.o -o prog\n"
        ),
    );
    let run = sandbox.gravelc(&["transform", "--build", "build.log", "--strict", "--report", "text", "--diff"]);
    run.has_exit_code(0);
    assert_eq!(planned(&sandbox, &["--build", "build.log"]), ["a/part.f90", "b/part.f90", "main.f90"]);
    let plan: serde_json::Value = serde_json::from_str(&sandbox.read("p.plan")).expect("a plan is JSON");
    let of_files = &plan["document"]["options"]["of_files"];
    let way = |name: &str| {
        let path = sandbox.path(name).canonicalize().expect("it is there");
        let index = of_files["files"][path.to_str().expect("UTF-8")].as_u64().expect("it has a way");
        &of_files["ways"][usize::try_from(index).expect("few ways")]
    };
    assert_eq!(plan["document"]["plan"]["rounding"], "-Ofast");
    assert_eq!(way("a/part.f90")["form"], "Fixed");
    assert_eq!(way("b/part.f90")["form"], "Auto");
    assert_eq!(way("b/part.f90")["default_kinds"]["real"], 8);
    assert_eq!(way("main.f90")["default_kinds"]["real"], 4);
    let without = |name: &str| way(name)["macros"]["without_openmp"].as_bool();
    assert_eq!(
        [without("a/part.f90"), without("b/part.f90"), without("main.f90")],
        [Some(true), Some(false), Some(true)]
    );
}

#[test]
fn mistakes_are_named() {
    let (sandbox, compiler) = project();
    let run = sandbox.gravelc(&["wrap", "--record", "record", "--", &compiler, "-c", "src/lib/work.f90"]);
    run.has_exit_code(2).says("builds run commands in many folders").says("$PWD/record");
    assert!(!sandbox.exists("work.o"), "nothing was compiled");
    sandbox.make_folder("empty");
    for (arguments, says) in [
        (&["--recorded", "missing"][..], "cannot read the record missing"),
        (&["--recorded", "empty"], "nothing was recorded in empty"),
        (&["--build", "missing.log"], "cannot read missing.log"),
        (&["--program", "x", "src/lib/work.f90"], "add --recorded or --build"),
        (&[], "FILE"),
    ] {
        let all: Vec<&str> = ["plan", "-o", "p"].iter().chain(arguments).copied().collect();
        sandbox.gravelc(&all).has_exit_code(2).says(says);
    }
    sandbox.write("empty/x.json", "{}");
    sandbox
        .gravelc(&["plan", "--recorded", "empty", "-o", "p"])
        .has_exit_code(2)
        .says("was not recorded by this gravelc");
    // A compiler that is not on this machine.
    sandbox.write(
        "build.log",
        "no-such-f90 -DGO -DLENGTH=9 -Isrc/inc src/lib/swap.F90 src/lib/work.f90 src/app/main.f90 -o p\n",
    );
    sandbox.gravelc(&["transform", "--build", "build.log", "--check"]).says("no-such-f90").says(WHOLE);
}

#[test]
fn directives_stay_comments_beside_a_source_in_c() {
    let sandbox = Sandbox::new();
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    sandbox.write(
        "main.f90",
        "program p
  use mpi
  implicit none
  integer :: n, ierr, values(10), status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  n = 3
  !$ call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  !$omp parallel
  values = n
  !$omp end parallel
  call MPI_Sendrecv(values, 5, MPI_INTEGER, 0, 1, values(6), 5, MPI_INTEGER, 0, 1, MPI_COMM_SELF, status, ierr)
  print *, values
  call picture()
  call MPI_Finalize(ierr)
end program
",
    );
    sandbox.write("picture.c", "void picture_(void) {}\n");
    let check = |flags_of_c: &str| {
        let log = format!(
            "{compiler} -c main.f90 -o main.o\ncc {flags_of_c} -c picture.c -o picture.o\n{compiler} main.o picture.o -o prog\n"
        );
        sandbox.write("build.log", &log);
        sandbox.gravelc(&["transform", "--build", "build.log", "--closed", "--in-place", "--check", "--report", "text"])
    };
    check("-O2").says("1 of 1 communication site transformed, 1 of 1 match class\n");
    // What a directive makes parallel in C may call this.
    check("-fopenmp").says("0 of 1 communication site transformed");
}
