//! What is outside of the given files: procedures that they call but that were not given.
//!
//! Such a procedure may communicate, call given procedures and use variables of modules, unless it belongs to a library
//! that is known ([`crate::known_libraries`]) or the user says that the files are closed:
//! that whatever they call besides belongs to libraries that do none of this. A name that may stand for a given
//! procedure after all (a dummy procedure, a generic interface, a binding of a type) is never taken for one of a
//! library's.

use std::collections::BTreeSet;

use super::super::facts::Facts;
use super::other_languages::defined_elsewhere;
use crate::ir::called_name::{is_through_object, library_procedure, without_library};
use crate::ir::{Callee, Expression, ExpressionKind, Program, StatementKind, Unread};
use crate::known_libraries::procedures::is_known_not_to_communicate;
pub use crate::known_libraries::runs_the_program;
use crate::known_libraries::scalapack::{is_of_scalapack, leaves_handles};
use crate::known_libraries::{is_known_function, is_known_module, may_do_more, uses_files};
use crate::mutations::Clause;

/// The outside of a program.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'p> {
    /// The program.
    pub program: &'p Program,
    /// The user says that what was not given keeps to itself.
    pub is_closed: bool,
}

impl Outside<'_> {
    /// Does the procedure `name` (lower case), which was not given, certainly keep out of communication, and away from
    /// the program's procedures and variables?
    pub fn keeps_to_itself(&self, name: &str) -> bool {
        let is_known = match self.keeps_to_itself_elsewhere(name) {
            // Whatever a library has under that name: the program has its own.
            Some(keeps) => keeps,
            None => is_known_not_to_communicate(name) || is_of_known_library(name),
        };
        is_known && self.program.is_external_name(name) || self.is_assumed(name)
    }

    /// Does the procedure keep to itself that another language of the program defines under the name? Nothing, if none does.
    fn keeps_to_itself_elsewhere(&self, name: &str) -> Option<bool> {
        let defined = self.program.defined_elsewhere.get_or_init(|| defined_elsewhere(self.program));
        defined.get(name).copied()
    }

    /// Does the procedure, which keeps to itself, belong to a library that has nothing to do with communicators, or does the user
    /// say so?
    pub fn leaves_communicators(&self, name: &str) -> bool {
        // What the program defines in another language may well store handles.
        let is_library = || self.is_assumed(name) && self.keeps_to_itself_elsewhere(name).is_none();
        let is_known = || is_of_known_library(name) && self.keeps_to_itself_elsewhere(name).is_none();
        is_known() && self.program.is_external_name(name) && leaves_handles(name) || is_library()
    }

    /// Does the procedure keep to itself only because the user says so?
    pub fn is_assumed(&self, name: &str) -> bool {
        self.is_closed
            && !is_through_object(name)
            && !is_messaging_name(name)
            && !is_known_not_to_communicate(name)
            && !is_of_known_library(name)
            && !runs_the_program(name)
            && !self.program.indirect_names.contains(name)
            && !self.program.has_procedure_named(name)
            && self.keeps_to_itself_elsewhere(name) != Some(true)
    }

    /// Does the statement itself call a procedure that was not given and that may communicate?
    pub fn may_be_called_by(&self, kind: &StatementKind) -> bool {
        let is_unknown_call = match kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } => !self.keeps_to_itself(name),
            _ => false,
        };
        is_unknown_call || kind.expressions().into_iter().any(|expression| self.may_be_called_in(expression))
    }

    /// The procedures that were not given, and that may communicate, of those that the statement itself calls.
    pub fn procedures_called_by(self, kind: &StatementKind) -> impl Iterator<Item = &str> {
        let callee = match kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } => Some(name),
            _ => None,
        };
        let functions = kind.expressions().into_iter().flat_map(Expression::walk).filter_map(|part| match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => Some(name),
            _ => None,
        });
        callee.into_iter().chain(functions).map(String::as_str).filter(move |name| !self.keeps_to_itself(name))
    }

    /// May source that was not understood call a procedure that was not given and that may communicate, or MPI?
    pub fn may_be_called_by_unread(&self, unread: &Unread) -> bool {
        let is_one = unread.calls.as_ref().is_none_or(|calls| {
            calls.unnamed && !self.is_closed || calls.names.iter().any(|name| !self.keeps_to_itself(name))
        });
        is_one && !Clause::UnreadCalls.is_off()
    }

    /// May the statement itself call such a procedure, as a call of its own or somewhere in source that was not understood?
    pub fn may_communicate(&self, kind: &StatementKind) -> bool {
        let is_unknown_call = match kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } => !self.keeps_to_itself(name),
            StatementKind::Opaque(unread) => self.may_be_called_by_unread(unread),
            _ => false,
        };
        is_unknown_call || kind.expressions().into_iter().any(|expression| self.may_communicate_in(expression))
    }

    /// May the expression call such a procedure?
    pub fn may_communicate_in(&self, expression: &Expression) -> bool {
        expression.any(&|part| match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => !self.keeps_to_itself(name),
            ExpressionKind::Opaque(unread) => self.may_be_called_by_unread(unread),
            _ => false,
        })
    }

    /// Does the expression call such a procedure, or something that is not understood?
    pub fn may_be_called_in(&self, expression: &Expression) -> bool {
        expression.any(&|part| match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => !self.keeps_to_itself(name),
            ExpressionKind::Opaque(_) => true,
            _ => false,
        })
    }

    /// May the statement itself call a known library that reads and writes files? Where it does so by MPI, it may run the
    /// program's handler for errors of files.
    pub fn may_use_files(&self, kind: &StatementKind) -> bool {
        let callee = match kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } => Some(name),
            _ => None,
        };
        let in_expressions = |part: &Expression| match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => is_of_files(name),
            _ => false,
        };
        let unread =
            |unread: &Unread| unread.calls.as_ref().is_none_or(|it| it.names.iter().any(|name| is_of_files(name)));
        callee.is_some_and(|name| is_of_files(name))
            || kind.expressions().into_iter().any(|expression| expression.any(&in_expressions))
            || kind.unread().into_iter().any(unread)
    }

    /// The procedures and modules that keep to themselves only because the user says so, each in alphabetical order.
    pub fn assumed(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for statement in self.program.procedures.iter().flat_map(|procedure| &procedure.statements) {
            if let StatementKind::Call { callee: Callee::Unknown(name), .. } = &statement.kind {
                names.insert(name);
            }
            for part in statement.kind.expressions().into_iter().flat_map(Expression::walk) {
                if let ExpressionKind::Call { callee: Callee::Unknown(name), .. } = &part.kind {
                    names.insert(name);
                }
            }
        }
        let procedures = names.into_iter().filter(|name| self.is_assumed(name)).map(|name| format!("`{name}`"));
        let modules = self.program.library_modules.iter().filter(|module| !is_known_module(module));
        let modules = modules.map(|module| format!("module `{module}`"));
        procedures.chain(modules).collect()
    }
}

/// Does the procedure belong to a library that is known to keep to itself, by its name or by that of its module?
pub(super) fn is_of_known_library(name: &str) -> bool {
    is_known_function(name)
        || is_of_scalapack(name)
        || !is_messaging_name(name)
            && library_procedure(name)
                .is_some_and(|(module, procedure)| is_known_module(module) && !may_do_more(procedure))
}

/// Is it the name of a procedure of a known library that reads and writes files?
fn is_of_files(name: &str) -> bool {
    is_known_function(name) || library_procedure(name).is_some_and(|(module, _)| uses_files(module))
}

/// Is it a name of MPI or of the runtime, in whatever module?
fn is_messaging_name(name: &str) -> bool {
    let own = without_library(name);
    ["mpi_", "pmpi_", "gravel_"].iter().any(|prefix| own.starts_with(prefix))
}

impl<'program> Facts<'program> {
    /// Nothing is worked out yet; what was not given may keep to itself.
    pub fn with_outside(outside: Outside<'program>) -> Self {
        Self::of_world(outside.program, outside.is_closed)
    }

    /// What is outside of the given files.
    pub fn outside(&self) -> Outside<'program> {
        Outside { program: self.program, is_closed: self.is_closed }
    }
}
