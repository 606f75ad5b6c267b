//! `gravelc install`: programs in C and Fortran are built against the prefix, through its pkg-config file and through its
//! `gravelc config`, and run with every MPI that is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::MpiFlavour;
use testsuite::workspace::{self, BuildFolder};
use testsuite::{native, runtime_library, setup};

const LIMIT: Duration = Duration::from_secs(60);

/// The prefix that all tests of this file use.
fn prefix() -> PathBuf {
    static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    INSTALLED.get_or_init(install).clone().expect("it can be installed")
}

fn install() -> Result<PathBuf, String> {
    // gravelc finds the library beside itself.
    let gravelc = Gravelc::for_tests()?;
    runtime_library::static_library()?;
    let scratch = BuildFolder::of_this_program().map_err(|error| error.to_string())?.scratch("install");
    let (first, moved) = (scratch.join("first prefix"), scratch.join("prefix"));
    for folder in [&first, &moved] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
        }
    }
    setup::succeed(&gravelc.command().arg("install").arg("--prefix").arg(&first), LIMIT)?;
    // As a packager does, who installs in one place what is used in another.
    fs::rename(&first, &moved).map_err(|error| format!("cannot move {}: {error}", first.display()))?;
    Ok(moved)
}

/// The words that a command prints.
fn words(command: &CommandLine) -> Result<Vec<String>, String> {
    let finished = setup::succeed(command, LIMIT)?;
    Ok(finished.stdout_text().split_whitespace().map(str::to_owned).collect())
}

fn pkg_config(prefix: &Path, arguments: &[&str]) -> Result<Vec<String>, String> {
    let path = prefix.join("lib/pkgconfig").display().to_string();
    words(&CommandLine::new("pkg-config").env("PKG_CONFIG_PATH", path).args(arguments).arg("gravel"))
}

/// gravelc of the prefix, with a cache of its own for what it compiles.
fn gravelc_config(prefix: &Path, arguments: &[&str]) -> Result<Vec<String>, String> {
    let cache = prefix.join("cache").display().to_string();
    words(&CommandLine::new(prefix.join("bin/gravelc")).env("GRAVEL_CACHE_DIR", cache).arg("config").args(arguments))
}

fn source(name: &str) -> PathBuf {
    workspace::package().join("shim").join(name)
}

fn with_each_mpi(check: impl Fn(MpiFlavour, &Path) -> Result<(), String>) {
    let prefix = prefix();
    native::with_each_mpi(|flavour| check(flavour, &prefix));
}

/// The Fortran program of the shim's tests through all three interfaces.
fn fortran_passes(
    flavour: MpiFlavour,
    purpose: &str,
    arguments: impl Fn(CommandLine) -> CommandLine,
) -> Result<(), String> {
    for interface in ["-DWITH_MPIF_H", "-DWITH_MPI", "-DWITH_F08"] {
        let folder = native::scratch("install", flavour)?.join(format!("{purpose}{interface}"));
        let program = folder.join("attach");
        let compile = CommandLine::new(flavour.fortran_compiler()).arg(interface).args(flavour.fortran_flags());
        native::compile(arguments(compile).arg("-o").arg(&program), &folder)?;
        native::run_to_pass(flavour, 4, &program, &[])?;
    }
    Ok(())
}

#[test]
fn everything_is_there() {
    let prefix = prefix();
    for name in [
        "bin/gravelc",
        "lib/libgravel.a",
        "lib/libgravel.so",
        "lib/libgravel.so.0",
        "lib/pkgconfig/gravel.pc",
        "include/gravel.h",
        "share/gravel/gravel.f90",
    ] {
        assert!(prefix.join(name).is_file(), "{name} is missing");
    }
    let link = fs::read_link(prefix.join("lib/libgravel.so")).expect("it is a link");
    assert_eq!(link, Path::new("libgravel.so.0"));
    let same = |name: &str, path: PathBuf| {
        assert_eq!(fs::read(prefix.join(name)).expect("it is there"), fs::read(path).expect("it is there"), "{name}");
    };
    same("include/gravel.h", runtime_library::header_folder().join("gravel.h"));
    same("share/gravel/gravel.f90", runtime_library::fortran_module());
}

#[test]
fn the_shared_library_has_its_versioned_name() {
    let readelf = CommandLine::new("readelf").arg("-d").arg(prefix().join("lib/libgravel.so"));
    let entries = setup::succeed(&readelf, LIMIT).expect("readelf comes with the compiler").stdout_text();
    let soname = entries.lines().find(|line| line.contains("SONAME")).expect("it has a name");
    assert!(soname.contains("[libgravel.so.0]"), "{soname}");
}

/// It is loaded where a device is looked for (feature `verbs`), and needed by no program.
#[test]
fn the_libraries_use_rdma_devices_and_do_not_need_their_library() {
    for name in ["lib/libgravel.so", "lib/libgravel.a"] {
        let bytes = fs::read(prefix().join(name)).expect("it is there");
        let wanted = b"libibverbs.so.1";
        assert!(bytes.windows(wanted.len()).any(|window| window == wanted), "{name} was built without verbs");
    }
    let readelf = CommandLine::new("readelf").arg("-d").arg(prefix().join("lib/libgravel.so"));
    let entries = setup::succeed(&readelf, LIMIT).expect("readelf comes with the compiler").stdout_text();
    assert!(!entries.contains("libibverbs"), "{entries}");
}

#[test]
fn a_c_program_with_pkg_config() {
    with_each_mpi(|flavour, prefix| {
        let folder = native::scratch("install", flavour)?;
        let program = folder.join("shared");
        let compile = CommandLine::new(flavour.c_compiler())
            .arg(source("communicators.c"))
            .args(pkg_config(prefix, &["--cflags", "--libs"])?)
            .arg(format!("-Wl,-rpath,{}/lib", prefix.display()))
            .arg("-o")
            .arg(&program);
        native::compile(compile, &folder)?;
        let entries = setup::succeed(&CommandLine::new("readelf").arg("-d").arg(&program), LIMIT)?.stdout_text();
        if !entries.lines().any(|line| line.contains("NEEDED") && line.contains("[libgravel.so.0]")) {
            return Err(format!("the program does not look for libgravel.so.0:\n{entries}"));
        }
        native::run_to_pass(flavour, 4, &program, &[])
    });
}

#[test]
fn a_c_program_with_gravelc_config() {
    with_each_mpi(|flavour, prefix| {
        let folder = native::scratch("install", flavour)?;
        let program = folder.join("static");
        let compile = CommandLine::new(flavour.c_compiler())
            .args(gravelc_config(prefix, &["--cflags"])?)
            .arg(source("datatypes.c"))
            .args(gravelc_config(prefix, &["--libs"])?)
            .arg("-o")
            .arg(&program);
        native::compile(compile, &folder)?;
        native::run_to_pass(flavour, 2, &program, &[])
    });
}

#[test]
fn a_fortran_program_with_pkg_config() {
    with_each_mpi(|flavour, prefix| {
        let module = pkg_config(prefix, &["--variable=fortran_module"])?;
        let libraries = pkg_config(prefix, &["--libs"])?;
        fortran_passes(flavour, "pkg-config", |compile| {
            compile
                .args(&module)
                .arg(source("attach.F90"))
                .args(&libraries)
                .arg(format!("-Wl,-rpath,{}/lib", prefix.display()))
        })
    });
}

#[test]
fn a_fortran_program_with_gravelc_config() {
    with_each_mpi(|flavour, prefix| {
        let compiler = flavour.fortran_compiler();
        let flags = gravelc_config(prefix, &["--fflags", "--compiler", &compiler])?;
        let libraries = gravelc_config(prefix, &["--libs", "--compiler", &compiler])?;
        fortran_passes(flavour, "config", |compile| compile.args(&flags).arg(source("attach.F90")).args(&libraries))
    });
}
