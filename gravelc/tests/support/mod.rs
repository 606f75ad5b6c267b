//! A folder of its own for each test, and runs of gravelc in it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A complete program that is transformed in part: the loop fills the message that the send sends.
pub const RING: &str = "program ring
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision, save :: sbuf(n), rbuf(n)
  integer :: rank, ranks, next, prev, i, ierr
  integer :: status(mpi_status_size)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    sbuf(i) = dble(rank) + dble(i)
  end do
  call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, status, ierr)
  print *, rbuf(1)
  call mpi_finalize(ierr)
end program ring
";

/// A compiler that makes the module and otherwise prints its arguments.
pub const FAKE_COMPILER: &str = "#!/bin/sh
case \"$*\" in
  --version) echo 'fake 1.0' ;;
  -show) exit 1 ;;
  *'-c gravel.f90'*) touch gravel.mod gravel.o ;;
  *) echo \"args: $*\" ;;
esac
";

/// A folder for one test, with the environment that gravelc sees there.
pub struct Sandbox {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
}

/// How a program ended.
#[derive(Debug)]
pub struct Run {
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Self {
        let make = || tempfile::tempdir().expect("a temporary folder can be made");
        Self { folder: make(), cache: make() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    pub fn write_bytes(&self, name: &str, text: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it lies in the sandbox")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Writes an executable script and gives its path.
    pub fn write_program(&self, name: &str, text: &str) -> String {
        self.write(name, text);
        self.set_mode(name, 0o755);
        self.path(name).to_str().expect("temporary folders have names in UTF-8").to_owned()
    }

    pub fn make_folder(&self, name: &str) {
        fs::create_dir(self.path(name)).expect("a folder can be made");
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.read_bytes(name)).expect("the file is UTF-8")
    }

    pub fn read_bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).expect("the mode can be set");
    }

    pub fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).expect("the file exists").permissions().mode() & 0o777
    }

    /// The names in the folder, sorted.
    pub fn entries(&self) -> Vec<String> {
        names_in(self.folder.path())
    }

    /// How many Fortran modules the cache holds; anything unfinished in it fails the test.
    pub fn cached_modules(&self) -> usize {
        let names = names_in(self.cache.path());
        assert!(names.iter().all(|name| name.starts_with("module-")), "{names:?}");
        names.len()
    }

    pub fn gravelc(&self, arguments: &[&str]) -> Run {
        self.run(Path::new(env!("CARGO_BIN_EXE_gravelc")), arguments)
    }

    pub fn shell(&self, script: &str) -> Run {
        self.run(Path::new("bash"), &["-c", script])
    }

    pub fn run(&self, program: &Path, arguments: &[&str]) -> Run {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.folder.path())
            .env("GRAVELC", env!("CARGO_BIN_EXE_gravelc"))
            .env("GRAVEL_CACHE_DIR", self.cache.path())
            .env("GRAVEL_LIB_DIR", self.path("lib"))
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap_or_else(|error| panic!("{} can't be run: {error}", program.display()));
        Run {
            exit_code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    pub fn has_exit_code(&self, expected: i32) -> &Self {
        assert_eq!(self.exit_code, Some(expected), "{self:#?}");
        self
    }

    /// Is this in what was written to standard error?
    pub fn says(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "`{text}` is not said: {}", self.stderr);
        self
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("the entry can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
