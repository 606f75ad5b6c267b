//! `gravelc install`: gravelc and the runtime in a folder of their own, as other packages of a system have it.
//!
//! This is a command of gravelc, and not a program of the runtime's package, because all that is installed is here
//! already: the header and the source of the Fortran module are part of gravelc, it finds the library for `gravelc
//! config` in any case, and it has to come along itself for that command to work from the new place.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::runtime::{self, FORTRAN_MODULE_SOURCE, HEADER, SYSTEM_LIBRARIES};
use super::{Exit, Failure, diagnostics};

const EXAMPLES: &str = "\
What is in the folder afterwards, which can be moved as a whole:
  bin/gravelc, and the tools of the runtime that lie beside the gravelc that runs
  lib/libgravel.a, lib/libgravel.so with its versioned names, lib/pkgconfig/gravel.pc
  include/gravel.h
  share/gravel/gravel.f90, to be compiled with the MPI of the program

Examples:
  gravelc install --prefix ~/.local
  export PKG_CONFIG_PATH=~/.local/lib/pkgconfig
  mpicc ring.c $(pkg-config --cflags --libs gravel)
  mpif90 $(pkg-config --variable=fortran_module gravel) ring.f90 $(pkg-config --libs gravel)";

/// Programs of the runtime that are installed if they lie beside this one.
const TOOLS: [&str; 3] = ["gravel-run", "gravel-info", "gravel-perf"];

/// Install gravelc and the runtime, with a pkg-config file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The folder to install into; it is made if there is none
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::input(format!("cannot find the gravelc that runs: {error}")))?;
    let static_library = runtime::find_library()?;
    let shared_library = static_library.with_extension("so");
    if !shared_library.is_file() {
        return Err(Failure::input(format!(
            "{} is not there, but {} is",
            shared_library.display(),
            static_library.display()
        ))
        .help("build both with `cargo build --release`"));
    }
    let mut installation = Installation { prefix: &arguments.prefix, files: Vec::new() };
    installation.copy(&program, "bin/gravelc", 0o755)?;
    for tool in TOOLS {
        let path = program.with_file_name(tool);
        if path.is_file() {
            installation.copy(&path, &format!("bin/{tool}"), 0o755)?;
        }
    }
    let names = SharedLibraryNames::of(env!("CARGO_PKG_VERSION"));
    installation.copy(&static_library, "lib/libgravel.a", 0o644)?;
    installation.copy(&shared_library, &format!("lib/{}", names.file), 0o644)?;
    installation.link(&format!("lib/{}", names.soname), &names.file)?;
    installation.link("lib/libgravel.so", &names.soname)?;
    installation.write(HEADER, "include/gravel.h")?;
    installation.write(FORTRAN_MODULE_SOURCE, "share/gravel/gravel.f90")?;
    installation.write(&pkg_config_file(), "lib/pkgconfig/gravel.pc")?;

    let list: String = installation.files.iter().map(|file| format!("{}\n", file.display())).collect();
    diagnostics::write_to_stdout(list.as_bytes())?;
    Ok(Exit::Done)
}

/// The file of the shared library, and the name by which programs look for it, which the library holds (build.rs of the
/// runtime).
#[derive(Debug, PartialEq, Eq)]
struct SharedLibraryNames {
    file: String,
    soname: String,
}

impl SharedLibraryNames {
    fn of(version: &str) -> Self {
        let major = version.split('.').next().unwrap_or(version);
        Self { file: format!("libgravel.so.{version}"), soname: format!("libgravel.so.{major}") }
    }
}

/// Without absolute paths: what was installed may be moved, or staged by a packager.
fn pkg_config_file() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let system_libraries = SYSTEM_LIBRARIES.join(" ");
    format!(
        "prefix=${{pcfiledir}}/../..
libdir=${{prefix}}/lib
includedir=${{prefix}}/include
# The source of the Fortran module: compile it with the MPI, and the flags for kinds, of the program.
fortran_module=${{prefix}}/share/gravel/gravel.f90

Name: Gravel
Description: Split-phase RDMA runtime that works beside MPI
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -lgravel
Libs.private: {system_libraries}
"
    )
}

/// What is put into a prefix. Files appear there complete: a program that runs from an older one keeps that.
struct Installation<'a> {
    prefix: &'a Path,
    files: Vec<PathBuf>,
}

impl Installation<'_> {
    fn copy(&mut self, source: &Path, name: &str, mode: u32) -> Result<(), Failure> {
        self.add(name, mode, |file| {
            io::copy(&mut File::open(source)?, file)
                .map(drop)
                .map_err(|error| io::Error::new(error.kind(), format!("while copying {}: {error}", source.display())))
        })
    }

    fn write(&mut self, text: &str, name: &str) -> Result<(), Failure> {
        self.add(name, 0o644, |file| file.write_all(text.as_bytes()))
    }

    fn add(&mut self, name: &str, mode: u32, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        self.replace(name, |folder, path| {
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            fill(new.as_file_mut())?;
            new.as_file().set_permissions(Permissions::from_mode(mode))?;
            new.persist(path).map(drop).map_err(|error| error.error)
        })
    }

    /// A symbolic link to a file beside it.
    fn link(&mut self, name: &str, target: &str) -> Result<(), Failure> {
        self.replace(name, |folder, path| {
            let new = tempfile::Builder::new().make_in(folder, |new| symlink(target, new))?;
            new.persist(path).map(drop).map_err(|error| error.error)
        })
    }

    fn replace(&mut self, name: &str, make: impl FnOnce(&Path, &Path) -> io::Result<()>) -> Result<(), Failure> {
        let path = self.prefix.join(name);
        let folder = path.parent().unwrap_or(self.prefix);
        fs::create_dir_all(folder).and_then(|()| make(folder, &path)).map_err(|error| {
            Failure::input(format!("cannot install {}: {error}", path.display()))
                .help("give a --prefix in which you may write, such as ~/.local")
        })?;
        self.files.push(path);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_library_has_a_name_for_each_purpose() {
        let names = SharedLibraryNames::of("3.1.4");
        assert_eq!(names, SharedLibraryNames { file: "libgravel.so.3.1.4".into(), soname: "libgravel.so.3".into() });
    }

    #[test]
    fn an_older_installation_is_replaced() {
        let prefix = tempfile::tempdir().expect("a temporary folder can be made");
        for text in ["old", "new"] {
            let mut installation = Installation { prefix: prefix.path(), files: Vec::new() };
            installation.write(text, "lib/file").expect("it can be written");
            installation.link("lib/link", text).expect("it can be made");
        }
        let lib = prefix.path().join("lib");
        assert_eq!(fs::read_to_string(lib.join("file")).expect("it was written"), "new");
        assert_eq!(fs::read_link(lib.join("link")).expect("it was made"), Path::new("new"));
        assert_eq!(fs::read_dir(lib).expect("it was made").count(), 2, "nothing is left behind");
    }

    #[test]
    fn a_prefix_that_cannot_be_written_is_named() {
        let mut installation = Installation { prefix: Path::new("/proc/no/such"), files: Vec::new() };
        let failure = installation.write("text", "lib/file").expect_err("nobody can write there");
        assert!(failure.message().contains("/proc/no/such/lib/file"), "{}", failure.message());
    }
}
