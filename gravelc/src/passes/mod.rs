//! Passes: what is done to a program before anything is planned. Each is a function from a program to one with the same
//! meaning of which more is known, or in which more can be said.
//!
//! There are two lists, in the order in which they run. [`PREPARATION`] writes into the program what the emitter will need as
//! well ([`prepare`]): whoever plans and emits does that to the program and then works on what comes of it. [`KNOWLEDGE`] is
//! written into a copy that only the planner sees ([`Known`]); its procedures and statements are those of the program.

pub mod argument_aliases;
pub mod argument_forms;
pub mod array_bounds;
pub mod assertions;
pub mod branches_never_taken;
pub mod counted_loops;
pub mod datatypes;
pub mod ending_error_handlers;
pub mod error_checks;
pub mod file_error_handlers;
pub mod given_overrides;
pub mod handed_requests;
pub mod lent_to_functions;
pub mod lent_variables;
pub mod never_called;
pub mod separate_requests;
pub mod wrapper_calls;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::analysis::program::outside::Outside;
use crate::ir::{ProcedureId, Program};

use self::never_called::{WithoutNeverCalled, without_never_called};

/// One of the passes.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it gives, as a sentence.
    pub gives: &'static str,
    /// The passes that have to come before it in its list, or in the one before.
    pub needs: &'static [&'static str],
    run: fn(Outside) -> Option<Program>,
}

impl Pass {
    /// The program behind it; `None` if it is as it was.
    pub fn run(&self, outside: Outside) -> Option<Program> {
        (self.run)(outside)
    }
}

/// What the emitter sees, too.
pub const PREPARATION: &[Pass] = &[
    Pass {
        name: "given-overrides",
        gives: "Calls through objects mean what is given where nothing leads out of the files.",
        needs: &[],
        run: given_overrides::with_given_overrides,
    },
    Pass {
        name: "wrapper-calls",
        gives: "Calls of procedures that only call MPI count as calls of MPI.",
        needs: &["given-overrides"],
        run: |outside| wrapper_calls::with_wrapper_calls(outside.program),
    },
    Pass {
        name: "argument-forms",
        gives: "The arguments of MPI's calls have forms that the runtime's calls take.",
        needs: &["wrapper-calls"],
        run: |outside| argument_forms::with_fitting_arguments(outside.program),
    },
    Pass {
        name: "separate-requests",
        gives: "Operations that share a request variable one after the other have variables of their own.",
        needs: &["argument-forms"],
        run: |outside| separate_requests::with_separate_requests(outside.program),
    },
    Pass {
        name: "lent-variables",
        gives: "Procedures have names for the variables of modules that the receives of those that they call need.",
        needs: &["wrapper-calls"],
        run: |outside| lent_variables::with_lent_variables(outside.program),
    },
    Pass {
        name: "lent-to-functions",
        gives: "Procedures have names for what the functions look at on which their messages depend.",
        needs: &["lent-variables"],
        run: |outside| lent_to_functions::with_names_for_functions(outside.program),
    },
];

/// What only the planner sees. Between [`FIRST_KNOWLEDGE`] and these, procedures that never run lose their statements
/// ([`never_called`]).
pub const KNOWLEDGE: &[Pass] = &[
    Pass {
        name: "ending-error-handlers",
        gives: "Error handlers of the program's own that do nothing but end it are known to.",
        needs: &[],
        run: ending_error_handlers::with_ending_error_handlers,
    },
    Pass {
        name: "file-error-handlers",
        gives: "Operations on files may run the error handlers of files, and nothing else does.",
        needs: &[],
        run: file_error_handlers::with_file_error_handlers,
    },
    Pass {
        name: "known-datatypes",
        gives: "Datatypes in variables are known by their elements.",
        needs: &["argument-forms"],
        run: datatypes::with_known_datatypes,
    },
    Pass {
        name: "argument-aliases",
        gives: "Arguments that some call hands the same memory are known to share it.",
        needs: &[],
        run: |outside| argument_aliases::with_argument_aliases(outside.program),
    },
    Pass {
        name: "idle-error-checks",
        gives: "Checks of error codes that never find an error do nothing.",
        needs: &["ending-error-handlers", "file-error-handlers"],
        run: error_checks::with_idle_error_checks,
    },
    Pass {
        name: "idle-wrappers",
        gives: "Calls of MPI that run only for calls which count themselves are marked.",
        needs: &["wrapper-calls"],
        run: wrapper_calls::with_idle_wrappers,
    },
    Pass {
        name: "handed-requests",
        gives: "Procedures that complete what their callers have posted are known to.",
        needs: &["argument-forms"],
        run: handed_requests::with_handed_requests,
    },
    Pass {
        name: "array-bounds",
        gives: "Arrays have bounds where their declarations do not say them.",
        needs: &["argument-aliases", "known-datatypes"],
        run: array_bounds::with_array_bounds,
    },
    Pass {
        name: "datatype-layouts",
        gives: "Derived datatypes are known by where their elements lie.",
        needs: &["known-datatypes", "array-bounds"],
        run: datatypes::with_datatype_layouts,
    },
];

/// What is known first: it decides which procedures never run.
pub const FIRST_KNOWLEDGE: &[Pass] = &[
    Pass {
        name: "counted-loops",
        gives: "Loops have no count where their last value is computed again and may change.",
        needs: &[],
        run: |outside| counted_loops::with_counted_loops(outside.program),
    },
    Pass {
        name: "branches-never-taken",
        gives: "What stands in branches that are never taken does nothing.",
        needs: &[],
        run: branches_never_taken::without_branches_never_taken,
    },
    Pass {
        name: "assertions",
        gives: "Loops and variables have what directives assert of them.",
        needs: &[],
        run: |outside| assertions::with_assertions(outside.program),
    },
    Pass {
        name: "given-overrides-once-more",
        gives: "The same as in the first list, where the user vouches for what was not given.",
        needs: &["given-overrides"],
        run: given_overrides::with_given_overrides,
    },
];

/// Runs [`PREPARATION`]. Whether the user vouches for what was not given does not matter yet: a plan says nothing of it.
pub fn prepare(program: Program) -> Program {
    let run =
        |program: Program, pass: &Pass| pass.run(Outside { program: &program, is_closed: false }).unwrap_or(program);
    PREPARATION.iter().fold(program, run)
}

/// A program as the planner looks at it.
pub struct Known<'a> {
    /// With all that is known of it.
    pub program: Cow<'a, Program>,
    /// What is left out of it, if anything is.
    pub never_called: Option<NeverCalled<'a>>,
}

/// What is left out of a program.
pub struct NeverCalled<'a> {
    /// The program with it.
    pub whole: Cow<'a, Program>,
    /// The procedures that never run.
    pub procedures: BTreeSet<ProcedureId>,
}

impl<'a> Known<'a> {
    /// Runs [`FIRST_KNOWLEDGE`] and [`KNOWLEDGE`]. In a closed world what was not given keeps to itself.
    pub fn of(program: &'a Program, is_closed: bool) -> Self {
        let run = |program: Cow<'a, Program>, pass: &Pass| {
            pass.run(Outside { program: &program, is_closed }).map_or(program, Cow::Owned)
        };
        let whole = FIRST_KNOWLEDGE.iter().fold(Cow::Borrowed(program), run);
        let (program, never_called) = match without_never_called(Outside { program: &whole, is_closed }) {
            Some(WithoutNeverCalled { program, procedures }) => {
                (Cow::Owned(program), Some(NeverCalled { whole, procedures }))
            }
            None => (whole, None),
        };
        Self { program: KNOWLEDGE.iter().fold(program, run), never_called }
    }

    /// With the statements of what never runs: nothing is planned there, and they are the program's all the same.
    pub fn into_whole(self) -> Program {
        let mut planned = self.program.into_owned();
        if let Some(NeverCalled { whole, procedures }) = self.never_called {
            for id in procedures {
                planned.procedure_mut(id).clone_from(whole.procedure(id));
            }
        }
        planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_stand_behind_those_that_they_need() {
        let mut known = BTreeSet::new();
        for pass in PREPARATION.iter().chain(FIRST_KNOWLEDGE).chain(KNOWLEDGE) {
            let missing = pass.needs.iter().find(|needed| !known.contains(*needed));
            assert_eq!(missing, None, "{} comes before it", pass.name);
            assert!(known.insert(pass.name), "two passes are called {}", pass.name);
        }
    }
}
