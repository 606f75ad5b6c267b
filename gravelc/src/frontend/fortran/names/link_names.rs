//! Procedures of the program that have the names of MPI's routines for linkers: the profiling interface (MPI 3.1, 14.2).
//!
//! A program that defines `mpi_send` is called for every `CALL mpi_send` under `mpif.h`. With MPI's modules the name that
//! linkers see is another one (MPI 3.1, 17.1.5: `mpi_send_f08`, `mpi_send_f08ts`, `mpi_send_f`, `mpi_send_fts`), and which one
//! depends on the MPI; behind it are the names of C, `MPI_Send` and `PMPI_Send`, which BIND(C) can give to a procedure. A
//! definition under any of them may be what the call calls, or never be called.

use std::collections::BTreeMap;

use super::super::text::lexer::TokenKind;
use super::language_bindings::{BindingLabel, binding_label};
use super::own_bytes::OwnBytes;
use super::standard_modules;
use super::units::{Source, UnitIndex, UnitKind, Units};

/// What the specific procedures of MPI's modules have behind the name of their routine (MPI 3.1, table 17.1).
const OF_MODULES: [&str; 4] = ["_f08ts", "_f08", "_fts", "_f"];

/// The routine of MPI (in lower case, with its `p` if it has one) that a name stands for to a linker; compilers put
/// underscores behind the names of Fortran.
pub(super) fn routine_of(label: &str) -> Option<String> {
    let label = label.to_ascii_lowercase();
    let name = label.trim_end_matches('_');
    let specific = OF_MODULES.iter().find_map(|ending| name.strip_suffix(ending));
    let is_one = |name: &&str| standard_modules::messaging(name).is_some();
    Some(name).filter(is_one).or(specific.filter(is_one)).map(str::to_owned)
}

/// The routines of MPI for which the program may have procedures.
#[derive(Debug, Clone, Default)]
pub struct LinkNames {
    /// By routine: what is defined for it, other than a procedure of exactly this name.
    by_routine: BTreeMap<String, String>,
    /// A procedure whose name for linkers is not known.
    unknown: Option<String>,
}

impl LinkNames {
    /// Those of all units.
    pub fn of(sources: &[Source<'_>], units: &Units<'_>) -> Self {
        let mut found = Self::default();
        for (index, unit) in units.list.iter().enumerate() {
            if !matches!(unit.kind, UnitKind::Procedure(_)) {
                continue;
            }
            let declaring = unit.header.filter(|_| unit.node.kind() != "module_procedure");
            match declaring.and_then(|header| binding_label(&sources[unit.source], header, &unit.name)) {
                Some(BindingLabel::Known(label)) => found.add(&label, &unit.name),
                Some(BindingLabel::Unknown) => found.unknown = Some(unit.name.clone()),
                None if unit.host.is_none() => {
                    if standard_modules::messaging(&unit.name).is_none() || unit.name.starts_with("pmpi_") {
                        found.add(&unit.name, &unit.name);
                    }
                    entries(&sources[unit.source], units, index).for_each(|name| found.add(&name, &name));
                }
                None => {}
            }
        }
        found
    }

    fn add(&mut self, label: &str, name: &str) {
        let Some(routine) = routine_of(label) else { return };
        // MPI's own routines may call each other by the names with a P.
        if let Some(plain) = routine.strip_prefix('p') {
            self.by_routine.insert(plain.to_owned(), name.to_owned());
        }
        self.by_routine.insert(routine, name.to_owned());
    }

    /// The procedure of the program that a call of the routine may call, though it has another name.
    pub fn defined_for(&self, routine: &str) -> Option<&str> {
        self.by_routine.get(routine).or(self.unknown.as_ref()).map(String::as_str)
    }
}

/// The names of ENTRY statements in a procedure, in lower case.
fn entries<'s>(source: &'s Source<'_>, units: &Units<'_>, index: UnitIndex) -> impl Iterator<Item = String> + use<'s> {
    let own = OwnBytes::of(units, index);
    let lexed = &source.parsed.lexed;
    let word = |start: usize, end: usize| String::from_utf8_lossy(&source.original[start..end]).to_ascii_lowercase();
    let statements = lexed.statements_in(&own.range).iter().filter(|statement| own.contains(statement.start));
    let found: Vec<String> = statements
        .filter_map(|statement| {
            let mut words = lexed.tokens_of(statement).iter().filter(|token| token.kind == TokenKind::Word);
            let (first, second) = (words.next()?, words.next()?);
            (word(first.start, first.end) == "entry").then(|| word(second.start, second.end))
        })
        .collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_linkers_stand_for_routines() {
        for (label, routine) in [
            ("mpi_send_f08", "mpi_send"),
            ("mpi_send_f08ts", "mpi_send"),
            ("MPI_Send", "mpi_send"),
            ("PMPI_Send", "pmpi_send"),
            ("mpi_send__", "mpi_send"),
            ("mpi_isend_fts_", "mpi_isend"),
            ("pmpi_comm_rank_f08_", "pmpi_comm_rank"),
            ("mpi_wtime_", "mpi_wtime"),
            // MPI has a routine of this name.
            ("mpi_type_create_f90_integer", "mpi_type_create_f90_integer"),
            ("mpi_comm_c2f", "mpi_comm_c2f"),
        ] {
            let known = standard_modules::messaging(routine).is_some();
            assert_eq!(routine_of(label).as_deref(), known.then_some(routine), "{label}");
        }
        for label in ["mpi_send_all", "mpi_from_f08", "send_f08", "my_mpi_send_f08", "mpi_exchange_"] {
            assert_eq!(routine_of(label), None, "{label}");
        }
    }
}
