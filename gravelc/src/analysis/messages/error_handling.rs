//! What becomes of an error of MPI: it ends the program, or the call returns its code (MPI 4.0, section 9.3).
//!
//! One answer for the whole program, whatever communicators handlers are set for: a communicator that is made of another one has
//! its handler, and procedures are called from anywhere.
//!
//! A handler of the program's own that ends it is like MPI's (`ending`). A program that makes no others has MPI's own ones alone: `MPI_ERRORS_ARE_FATAL`, `MPI_ERRORS_ABORT` and
//! `MPI_ERRORS_RETURN`. So a variable whose value is not known (such as one from `MPI_Comm_get_errhandler`) holds one of these,
//! if nothing leads out of the given files.

mod ending;

pub use ending::{Obstacle, obstacle_to_ending};

use crate::analysis::facts::{Fact, Facts, SiteId};
use crate::analysis::values::{ErrorHandler, Value};
use crate::ir::{ErrorHandling, Operation, Procedure, ProcedureId, Program, Span, StatementKind, SymbolClass};
use crate::mutations::Clause;

/// What becomes of errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errors {
    /// Each of them ends the program.
    EndTheProgram,
    /// Calls may return their codes, because of the handler that is set here.
    MayBeReturned(Span),
    /// A procedure of the program may be called, because of this call.
    AreHandled {
        /// Where the call is.
        span: Span,
        /// What it does.
        why: String,
    },
}

impl Fact for Errors {
    fn of(facts: &Facts<'_>) -> Self {
        if Clause::ErrorHandlers.is_off() {
            return Self::EndTheProgram;
        }
        let concerned = || facts.program.procedures().flat_map(|(id, body)| concerned(id, body));
        if let Some(it) = concerned().find(Concerned::may_run_the_program) {
            return it.handled(facts);
        }
        let mut errors = Self::EndTheProgram;
        for it in concerned().filter(|it| matches!(it.handling, ErrorHandling::Sets { .. })) {
            match it.handler(facts) {
                Handler::Fatal => {}
                Handler::Unknown if !facts.is_closed_world() => {
                    let why = format!("{} sets an error handler that is not known", it.routine);
                    return Self::AreHandled { span: it.span, why };
                }
                Handler::Returns | Handler::Unknown if errors == Self::EndTheProgram => {
                    errors = Self::MayBeReturned(it.span);
                }
                Handler::Returns | Handler::Unknown => {}
            }
        }
        errors
    }
}

impl Facts<'_> {
    /// What becomes of errors of MPI.
    pub fn errors(&self) -> &Errors {
        self.get()
    }
}

/// May calls return errors, as far as can be told before values are followed? A handler that is not named as a constant may be
/// any.
pub fn may_be_returned(program: &Program) -> bool {
    let is_fatal = |body: &Procedure, it: &Concerned<'_>| {
        it.argument.and_then(|argument| argument.designated()).is_some_and(|symbol| {
            let symbol = body.symbol(symbol);
            symbol.class == SymbolClass::MessagingConstant
                && ErrorHandler::predefined(&symbol.name).is_some_and(ErrorHandler::is_fatal)
        })
    };
    // Of handlers for files all messages know, or none (`passes/file_error_handlers.rs`).
    let is_of_files = |it: &Concerned<'_>| matches!(it.handling, ErrorHandling::MakesForFiles { .. });
    let may_return = |body, it: &Concerned<'_>| !is_of_files(it) && !is_fatal(body, it);
    !Clause::ErrorHandlers.is_off()
        && program.procedures().any(|(id, body)| concerned(id, body).any(|it| may_return(body, &it)))
}

/// A call that has to do with error handlers.
struct Concerned<'p> {
    site: SiteId,
    span: Span,
    routine: &'p str,
    handling: &'p ErrorHandling,
    /// The handler that it sets.
    argument: Option<&'p crate::ir::Expression>,
}

/// What is known of a handler.
enum Handler {
    Fatal,
    Returns,
    Unknown,
}

impl Concerned<'_> {
    /// May the program's own procedures run for an error, and then go on?
    fn may_run_the_program(&self) -> bool {
        !matches!(self.handling, ErrorHandling::Sets { .. } | ErrorHandling::MakesEnding { .. })
    }

    /// What becomes of errors because of this call, which makes or calls a handler.
    fn handled(&self, facts: &Facts) -> Errors {
        let (span, routine) = (self.span, self.routine);
        let why = match self.handling {
            ErrorHandling::Calls => format!("{routine} calls an error handler"),
            ErrorHandling::Makes { procedures: Some(procedures), .. } => {
                let found = procedures.iter().find_map(|&id| Some((id, obstacle_to_ending(facts, id)?)));
                if let Some((id, Obstacle { span: place, why })) = found {
                    let (name, line) = (&facts.procedure(id).name, facts.program.line_named(span));
                    let why = format!("the error handler `{name}`, of which {routine} makes one at line {line}, {why}");
                    return Errors::AreHandled { span: place, why };
                }
                format!("{routine} makes an error handler")
            }
            _ => format!("{routine} makes an error handler"),
        };
        Errors::AreHandled { span, why }
    }

    fn handler(&self, facts: &Facts) -> Handler {
        let value = self.argument.map(|argument| facts.value(self.site.procedure, argument));
        match value {
            Some(Value::ErrorHandlers(handlers)) if handlers.iter().all(|it| it.is_fatal()) => Handler::Fatal,
            Some(Value::ErrorHandlers(_)) => Handler::Returns,
            _ => Handler::Unknown,
        }
    }
}

fn concerned(procedure: ProcedureId, body: &Procedure) -> impl Iterator<Item = Concerned<'_>> {
    body.statements_in_order().into_iter().filter_map(move |statement| {
        let found = body.statement(statement);
        let StatementKind::Communication(call) = &found.kind else { return None };
        let Operation::Other { arguments, error_handling, .. } = &call.operation else { return None };
        let argument = match error_handling {
            ErrorHandling::Unconcerned => return None,
            ErrorHandling::Sets { handler } => handler.and_then(|position| arguments.get(position)),
            ErrorHandling::Makes { .. }
            | ErrorHandling::MakesEnding { .. }
            | ErrorHandling::MakesForFiles { .. }
            | ErrorHandling::Calls => None,
        };
        let site = SiteId { procedure, statement };
        Some(Concerned { site, span: found.span, routine: &call.routine, handling: error_handling, argument })
    })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
