//! Calls of MPI as communication operations.

use super::super::text::syntax_tree::Node;

use super::lowering::Lowering;
use crate::frontend::mpi_operations::{Arguments, CallNames, described, undescribed, undetailed};
use crate::ir::{
    Callee, Communication, Expression, MessagingNames, ProcedureId, Span, StatementKind, Symbol, SymbolId,
};
use crate::mpi::arguments::Argument;
use crate::mpi::routines;
use crate::mpi::routines::Action;

/// The arguments of one call.
struct NamedArguments {
    /// All but the error code, by their names.
    by_name: Arguments,
    /// All of them in the order of the routine's, in which those without keywords are: analyses look for some by their places.
    all: Vec<Expression>,
    /// The names of all of them in that order.
    names: Vec<&'static str>,
    /// The error code.
    error: Option<Expression>,
}

/// What a name of MPI calls.
pub(super) enum MessagingTarget {
    /// MPI's routine.
    Mpi,
    /// A procedure of the program that has this name; `None` if there are several.
    Given(Option<ProcedureId>),
    /// MPI's routine, or this procedure of the program, which has the routine's name for linkers, or has it with other
    /// interfaces to MPI.
    Either(String),
}

impl CallNames for Lowering<'_, '_> {
    fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    fn take_address(&mut self, id: SymbolId) {
        self.symbols[id.0].take_address();
    }

    fn procedures_handed_over(&self, argument: &Expression) -> Option<Vec<ProcedureId>> {
        self.handed_over_by(argument)
    }
}

impl<'t> Lowering<'_, 't> {
    /// What a call by MPI's `name` (in lower case) calls. Where the interface of `mpif.h` is certain, a procedure of the
    /// program with that name is it.
    pub fn messaging_target(&self, name: &str) -> MessagingTarget {
        let given = self.scopes.externals.get(name);
        let other = self.scopes.link_names.defined_for(name);
        let is_old = || {
            let names = self.scopes.messaging_names(self.unit);
            names == MessagingNames::Unseen
                || names == MessagingNames::All("mpi")
                || names == MessagingNames::Some("mpi")
        };
        match (given, other) {
            (None, None) => MessagingTarget::Mpi,
            (Some(&given), _) if is_old() => MessagingTarget::Given(given),
            (_, other) => MessagingTarget::Either(other.unwrap_or(name).to_owned()),
        }
    }

    /// A call of MPI's routine `name` (in lower case), unless the program has a procedure of that name.
    pub fn messaging_call(&mut self, name: &str, nodes: &[Node<'t>], span: Span) -> StatementKind {
        match self.messaging_target(name) {
            MessagingTarget::Mpi => {}
            MessagingTarget::Given(given) => {
                let callee = given.map_or(Callee::Unknown(name.to_string()), Callee::Procedure);
                return self.call(callee, nodes, span);
            }
            MessagingTarget::Either(other) => {
                let why = format!("a call that may be one of `{other}`, which this program puts in front of MPI");
                return self.opaque_statement(span, &why);
            }
        }
        let routine = routines::find(name);
        if routine.action == Action::Abort {
            return StatementKind::Stop;
        }
        let named = routine.forms.iter().find_map(|form| Some((form, self.named_arguments(form, nodes)?)));
        let (operation, error) = match named {
            Some((form, NamedArguments { mut by_name, all, names, error })) => {
                match described(self, routine.action, form, &mut by_name, (&all, &names)) {
                    Some(operation) => (operation, error),
                    None => (undescribed(all), None),
                }
            }
            None => {
                let all = nodes.iter().map(|node| self.actual_argument(*node)).collect();
                (undetailed(routine.action, !routine.forms.is_empty(), all), None)
            }
        };
        StatementKind::Communication(Box::new(Communication {
            routine: name.to_string(),
            operation,
            error,
            wrapper: None,
            is_counted_at_callers: false,
        }))
    }

    fn actual_argument(&mut self, node: Node<'t>) -> Expression {
        let is_keyword = node.kind() == "keyword_argument";
        let value = if is_keyword { node.child_by_field_name("value") } else { Some(node) };
        self.expression(value.unwrap_or(node))
    }

    /// The arguments with their names; `None` if they do not fit the names.
    fn named_arguments(&mut self, form: &[Argument], nodes: &[Node<'t>]) -> Option<NamedArguments> {
        let names: Vec<&'static str> = form.iter().map(|argument| argument.name).chain(["ierror"]).collect();
        let mut arguments = Arguments::new();
        let keyword_of = |this: &Self, node: Node<'t>| {
            let keyword = node.child_by_field_name("name").filter(|_| node.kind() == "keyword_argument")?;
            Some(this.source.lower(keyword))
        };
        // Check the fit first: lowering an argument twice would count what it has for twice.
        let mut positions = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let name = match keyword_of(self, *node) {
                Some(keyword) => names.iter().copied().find(|name| *name == keyword)?,
                None => names.get(index).copied()?,
            };
            if positions.contains(&name) {
                return None;
            }
            positions.push(name);
        }
        if names.iter().any(|name| *name != "ierror" && !positions.contains(name)) {
            return None;
        }
        let mut error = None;
        let mut all = Vec::with_capacity(nodes.len());
        for (node, &name) in nodes.iter().zip(&positions) {
            let value = self.actual_argument(*node);
            all.push((name, value.clone()));
            if name == "ierror" {
                error = Some(value);
            } else {
                arguments.insert(name, value);
            }
        }
        all.sort_by_key(|(found, _)| names.iter().position(|name| name == found));
        let (names, all) = all.into_iter().unzip();
        Some(NamedArguments { by_name: arguments, all, names, error })
    }
}
