//! The compiler's table of MPI's routines has all that the libraries of the MPIs at hand export.

use std::collections::BTreeSet;
use std::fs;
use std::iter::successors;

use testsuite::command::CommandLine;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use testsuite::native::with_each_mpi;
use testsuite::setup::succeed;
use testsuite::workspace;

const PROGRAM: &str = "program main\n use mpi_f08\n call mpi_init()\n call mpi_finalize()\nend program\n";

/// What the Fortran interfaces have behind the names of their procedures, longest first.
const ENDINGS: &[&str] =
    &["_f08ts_large", "_f08_large", "_f08ts", "_f08", "_fts", "_cptr", "_f90", "_cdesc", "_large", "_f", "_c"];

/// More names than this belong to any MPI: with fewer the libraries were not found.
const FEWEST_NAMES: usize = 400;

#[test]
fn every_routine_of_the_libraries_is_in_the_table() {
    let table = table();
    with_each_mpi(|flavour| {
        let exported = exported(flavour)?;
        if exported.len() < FEWEST_NAMES {
            return Err(format!("its libraries export only {} names of MPI", exported.len()));
        }
        let missing: Vec<&String> = exported.iter().filter(|name| !is_in(&table, name)).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(format!("routines.txt has no line for {missing:?}")),
        }
    });
}

/// The names of routines and constants that the compiler knows, without `mpi_`.
fn table() -> BTreeSet<String> {
    let folder = workspace::root().join("gravelc/src/mpi");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("the compiler's tables are there");
    let routines = read("routines.txt");
    let lines = routines.lines().filter(|line| !line.starts_with('#'));
    let mut found: BTreeSet<String> = lines.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    let others = read("names.txt");
    found.extend(others.split_whitespace().filter_map(|name| name.strip_prefix("mpi_")).map(str::to_owned));
    found
}

/// Is the name of a library that of a routine, whatever its interface has put behind it?
fn is_in(table: &BTreeSet<String>, name: &str) -> bool {
    // One specific procedure for each type and rank.
    let name = if name.starts_with("sizeof_") { "sizeof" } else { name };
    successors(Some(name), |&name| ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)))
        .any(|name| table.contains(name))
}

/// The names that begin with `mpi_` or `pmpi_`, in whatever case, of the functions in the libraries that a program of
/// Fortran is linked with; without that beginning, in lower case.
fn exported(flavour: MpiFlavour) -> Result<BTreeSet<String>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for a program: {error}"))?;
    let (source, program) = (folder.path().join("main.f90"), folder.path().join("main"));
    fs::write(&source, PROGRAM).map_err(|error| format!("{}: {error}", source.display()))?;
    let compiler = CommandLine::new(flavour.fortran_compiler());
    let compile = compiler.arg("-Wl,--no-as-needed").arg(&source).arg("-o").arg(&program);
    succeed(&compile.in_folder(folder.path()), COMPILE_LIMIT)?;
    let linked = succeed(&CommandLine::new("ldd").arg(&program), COMPILE_LIMIT)?.stdout_text();
    let libraries = linked.lines().filter_map(|line| line.split_once("=> ")?.1.split(' ').next());
    let mut names = BTreeSet::new();
    for library in libraries.filter(|path| path.contains("libmpi")) {
        let symbols = CommandLine::new("nm").arg("-D").arg("--defined-only").arg(library);
        let symbols = succeed(&symbols, COMPILE_LIMIT)?.stdout_text();
        // Address, kind and name, which may have a version.
        let functions = symbols.lines().filter_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            words.next().filter(|kind| ["T", "W"].contains(kind))?;
            words.next()?.split('@').next()
        });
        names.extend(functions.filter_map(|name| {
            let name = name.to_lowercase();
            let plain = name.strip_prefix("pmpi_").or_else(|| name.strip_prefix("mpi_"))?;
            Some(plain.trim_end_matches('_').to_owned())
        }));
    }
    Ok(names)
}
