//! What stands for the headers of the system: declarations of `<mpi.h>`, of the C library, of POSIX, of `<omp.h>` and of `<gravel.h>`.
//!
//! The tokens of such headers are not read: they are many, they are made for one compiler, and the constants of MPI have to stay
//! names. The files of this folder declare the same, as C text with these lines:
//!
//! ```text
//! #header a.h b.h      what follows is there if one of these has been included; `*`: if any header of the system has
//! #opaque NAME…        scalar types of which no more is known (handles of MPI, and members that a structure has besides)
//! #unspecified NAME…   constants of type `int` whose values are not known
//! #define NAME BUILTIN a macro that stays a name, and the builtin that it stands for
//! ```
//!
//! A header may declare less, since macros decide: a declaration of the program's own takes the place of a stand-in that it does
//! not fit.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::reading::{Bound, Declared};
use super::types::Target;

/// The declarations of `<mpi.h>`.
const MPI: &str = include_str!("mpi.h");

/// Those of `<gravel.h>`.
const RUNTIME: &str = include_str!("runtime.h");

/// All files, in the order in which they build on one another.
const FILES: [&str; 6] = [
    include_str!("c_library.h"),
    include_str!("mathematics.h"),
    include_str!("system.h"),
    include_str!("openmp.h"),
    MPI,
    RUNTIME,
];

/// The routines of MPI and their namesakes of the profiling interface.
const ROUTINES: &str = "MPI_";
const PROFILING: &str = "P";

/// A part of a file: declarations that the same headers have.
#[derive(Debug, Default)]
struct Section {
    headers: Vec<&'static str>,
    opaque: Vec<&'static str>,
    unspecified: Vec<&'static str>,
    builtins: Vec<(&'static str, &'static str)>,
    text: String,
}

/// The sections of a file.
fn sections(file: &'static str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in file.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "#header" {
            sections.push(Section { headers: words.collect(), ..Section::default() });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match first {
            "#opaque" => section.opaque.extend(words),
            "#unspecified" => section.unspecified.extend(words),
            "#define" => section.builtins.extend(words.next().zip(words.next())),
            _ => {
                section.text.push_str(line);
                section.text.push('\n');
            }
        }
    }
    sections
}

/// Is there something that stands for a header, as `#include` names it?
pub fn stands_for(header: &str) -> bool {
    let lines = FILES.iter().flat_map(|file| file.lines());
    lines
        .filter_map(|line| line.strip_prefix("#header"))
        .any(|headers| headers.split_whitespace().any(|it| it == header))
}

/// All stand-ins, read for a target.
pub struct StandIns {
    declared: Declared,
    /// The headers of which each name is.
    headers: HashMap<(Bound, usize), Arc<[&'static str]>>,
    known: HashSet<&'static str>,
}

/// Those that have been read.
type ByTarget = Vec<(Target, Arc<StandIns>)>;

/// A header that a unit includes.
#[derive(Debug, Clone, Copy)]
pub struct Included<'n> {
    /// Its name as `#include` has it.
    pub name: &'n str,
    /// Does a file of the program name it, or does only a header of the system?
    pub is_asked_by_program: bool,
}

impl StandIns {
    /// Those for a target; they are read once.
    pub fn of(target: Target) -> Arc<Self> {
        static KNOWN: OnceLock<Mutex<ByTarget>> = OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(other, _)| *other == target) {
            return Arc::clone(found);
        }
        let read = Arc::new(Self::read(target));
        known.push((target, Arc::clone(&read)));
        read
    }

    fn read(target: Target) -> Self {
        let mut declared = Declared::nothing(target);
        let mut headers: HashMap<(Bound, usize), Arc<[&'static str]>> = HashMap::new();
        let mut known = HashSet::new();
        for file in FILES {
            for section in sections(file) {
                section.opaque.iter().for_each(|name| declared.add_opaque(name));
                section.unspecified.iter().for_each(|name| declared.add_constant(name));
                section.builtins.iter().for_each(|(name, builtin)| declared.add_builtin(name, builtin));
                declared.add(section.text.as_bytes());
                if file == MPI {
                    declared.add_namesakes(ROUTINES, PROFILING);
                }
                known.extend(section.headers.iter().copied());
                let of: Arc<[&'static str]> = section.headers.into();
                for bound in declared.bound() {
                    headers.entry(bound).or_insert_with(|| Arc::clone(&of));
                }
            }
        }
        Self { declared: declared.finished(), headers, known }
    }

    /// What a unit has that includes these headers.
    pub fn for_headers(&self, included: &[Included]) -> Declared {
        let names: HashSet<&str> = included.iter().map(|header| header.name).collect();
        let is_visible = |bound: Bound, name: usize| {
            let headers = self.headers.get(&(bound, name));
            headers.is_some_and(|headers| headers.iter().any(|header| *header == "*" || names.contains(header)))
        };
        let is_unknown = |header: &Included| header.is_asked_by_program && !self.known.contains(header.name);
        let lacks_declarations = included.iter().any(is_unknown);
        let has_any = !included.is_empty();
        self.declared.with_names(|bound, name| has_any && is_visible(bound, name), lacks_declarations)
    }
}
