//! Runs of MPICH that never leave MPI_Finalize.
//!
//! Between hosts, one rank of MPICH 4.0.2 with UCX over TCP often waits in MPI_Finalize until its connection to another one
//! has ended, while the other waits in the barrier behind that and answers no more: with or without Gravel. All ranks have
//! done their work by then. To tell that from a program that hangs, a library that is loaded before MPICH's notes who
//! begins MPI_Finalize; a run in which everybody has, and which does not end, is repeated.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;

/// How long a run may take to end after all of its ranks have begun MPI_Finalize.
const PATIENCE: Duration = Duration::from_secs(4);
/// How often it is looked whether they have.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time for the compiler.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);

/// Watches runs, one at a time.
#[derive(Debug)]
pub struct Finalization {
    library: PathBuf,
    record: PathBuf,
}

impl Finalization {
    /// Compiles the library into a folder.
    ///
    /// # Errors
    ///
    /// What the compiler says.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let (source, library) = (folder.join("finalization.c"), folder.join("finalization.so"));
        fs::write(&source, include_str!("finalization.c"))
            .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
        let compile = CommandLine::new(MpiFlavour::Mpich.c_compiler())
            .args(["-shared", "-fPIC", "-O1"])
            .arg(&source)
            .arg("-o")
            .arg(&library);
        crate::setup::succeed(&compile, COMPILE_LIMIT)?;
        Ok(Self { library, record: folder.join("finalization") })
    }

    /// The command, with the library loaded into the ranks that it launches.
    pub fn noted(&self, command: CommandLine) -> CommandLine {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let library = text(&self.library);
        command.args(["-genv", "LD_PRELOAD", library.as_str()]).env("GRAVEL_TESTSUITE_FINALIZATION", text(&self.record))
    }

    /// Watches the next run.
    ///
    /// # Errors
    ///
    /// If what an earlier run has noted can't be removed.
    pub fn watch(&self) -> Result<Watch<'_>, std::io::Error> {
        match fs::remove_file(&self.record) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(Watch { record: &self.record, next_look: Instant::now(), all_since: None }),
        }
    }
}

/// A run that is watched.
#[derive(Debug)]
pub struct Watch<'f> {
    record: &'f Path,
    next_look: Instant,
    all_since: Option<Instant>,
}

impl Watch<'_> {
    /// Have all ranks been in MPI_Finalize for longer than it takes?
    pub fn is_stuck(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next_look {
            return false;
        }
        self.next_look = now + INTERVAL;
        if self.all_since.is_none() && self.are_all_there() {
            self.all_since = Some(now);
        }
        self.all_since.is_some_and(|since| now - since > PATIENCE)
    }

    fn are_all_there(&self) -> bool {
        let Ok(record) = fs::read_to_string(self.record) else { return false };
        let ranks = record.lines().next().and_then(|line| line.parse().ok());
        ranks.is_some_and(|ranks: usize| record.lines().count() >= ranks)
    }
}

/// The names in a folder, so that what a run has left there can be removed before it is repeated.
pub fn names_in(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect()
}

/// Removes the files that were not in the folder before.
pub fn remove_others(folder: &Path, before: &BTreeSet<OsString>) {
    for name in names_in(folder).difference(before) {
        // What can't be removed is a folder, which no test program makes.
        let _ = fs::remove_file(folder.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stuck_when_all_have_begun_and_none_ends() {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let record = folder.path().join("record");
        let watch = || Watch { record: &record, next_look: Instant::now(), all_since: None };
        assert!(!watch().are_all_there());
        fs::write(&record, "2\n").expect("it can be written");
        assert!(!watch().are_all_there(), "one of two");
        fs::write(&record, "2\n2\n").expect("it can be written");
        assert!(watch().are_all_there());
        let mut watch = watch();
        assert!(!watch.is_stuck(), "they may still end");
        watch.all_since = Instant::now().checked_sub(2 * PATIENCE);
        watch.next_look = Instant::now();
        assert!(watch.is_stuck());
    }

    #[test]
    fn what_a_run_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("input"), "").expect("it can be written");
        let before = names_in(folder.path());
        fs::write(at("output"), "").expect("it can be written");
        remove_others(folder.path(), &before);
        assert_eq!(names_in(folder.path()), before);
    }

    #[test]
    fn ranks_that_begin_mpi_finalize_are_noted() {
        if !crate::native::installed_flavours().contains(&MpiFlavour::Mpich) {
            return;
        }
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let finalization = Finalization::new(folder.path()).expect("it compiles");
        let program = folder.path().join("program");
        let source = folder.path().join("program.c");
        let text = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 0; }\n";
        fs::write(&source, text).expect("it can be written");
        let compile = CommandLine::new(MpiFlavour::Mpich.c_compiler()).arg(&source).arg("-o").arg(&program);
        crate::setup::succeed(&compile, COMPILE_LIMIT).expect("it compiles");
        let command =
            finalization.noted(CommandLine::new(MpiFlavour::Mpich.launcher()).args(["-n", "2"])).arg(&program);
        let watch = finalization.watch().expect("nothing is in the way");
        let finished = crate::process::run(&command, COMPILE_LIMIT).expect("it can be run");
        assert!(finished.succeeded(), "{}", finished.stderr_excerpt());
        assert!(watch.are_all_there());
    }
}
