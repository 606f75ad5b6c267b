//! References to functions, and their actual arguments.

use super::super::names::intrinsics;
use super::super::names::units::UnitIndex;
use super::super::text::syntax_tree::Node;
use super::super::text::tree::named_children;
use super::lowering::Lowering;
use super::mpi_calls::MessagingTarget;
use super::symbols::NameUse;
use crate::ir::called_name::in_library;
use crate::ir::{Callee, Expression, ExpressionKind, Span};
use crate::known_libraries::C_LIBRARY;
use crate::mpi::properties::{Property, is_clock};

impl<'t> Lowering<'_, 't> {
    /// A function that no interface describes: intrinsic, external or MPI's.
    pub(super) fn undeclared_function(&mut self, name: &str, arguments: Node<'t>, span: Span) -> ExpressionKind {
        if self.is_intrinsic_function(name) {
            if name == "loc" || name == "c_loc" {
                self.mark_targets(arguments);
            }
            return self.function_reference(Callee::PureIntrinsic(name.to_string()), arguments, span);
        }
        if intrinsics::is_system_function(name) && !self.scopes.externals.contains_key(name) {
            let callee = Callee::Unknown(in_library(C_LIBRARY, name));
            return self.function_reference(callee, arguments, span);
        }
        match self.external(name) {
            NameUse::Messaging(original) => self.messaging_function(&original, arguments, span),
            NameUse::Procedure(callee) => self.function_reference(callee, arguments, span),
            _ => self.opaque(span, "a function that can't be read"),
        }
    }

    /// A function of MPI in an expression: clocks and address arithmetic have no effect.
    pub fn messaging_function(&mut self, name: &str, arguments: Node<'t>, span: Span) -> ExpressionKind {
        match self.messaging_target(name) {
            MessagingTarget::Mpi => {}
            MessagingTarget::Given(given) => {
                let callee = given.map_or(Callee::Unknown(name.to_string()), Callee::Procedure);
                return self.function_reference(callee, arguments, span);
            }
            MessagingTarget::Either(other) => {
                return self.opaque(span, &format!("a function that may be `{other}` of the program"));
            }
        }
        if is_clock(name) {
            // Its value depends on when it is called, which its name tells whoever asks.
            let callee = Callee::PureIntrinsic(name.to_string());
            return ExpressionKind::Call { callee, arguments: self.argument_values(arguments) };
        }
        if Property::AddsAddresses.holds_of(name) {
            return ExpressionKind::Computed(self.argument_values(arguments));
        }
        self.function_reference(Callee::Unknown(name.to_string()), arguments, span)
    }

    pub(super) fn function_reference(&mut self, callee: Callee, arguments: Node<'t>, span: Span) -> ExpressionKind {
        let nodes = named_children(arguments);
        match self.actual_arguments(&callee, &nodes, span) {
            Some(arguments) => ExpressionKind::Call { callee, arguments },
            None => self.opaque(span, "arguments that can't be read"),
        }
    }

    /// The actual arguments in the order of the dummies. What an optional dummy is not given is a value of nothing.
    /// `None` if keywords do not fit.
    pub fn actual_arguments(&mut self, callee: &Callee, nodes: &[Node<'t>], span: Span) -> Option<Vec<Expression>> {
        let mut arguments: Vec<Option<Expression>> = Vec::new();
        for node in nodes {
            if node.kind() != "keyword_argument" {
                arguments.push(Some(self.expression(*node)));
                continue;
            }
            let value = self.expression(node.child_by_field_name("value")?);
            let keyword = self.source.lower(node.child_by_field_name("name")?);
            let position = match callee {
                Callee::Procedure(id) => {
                    Some(self.dummy_names(self.units.of_procedure[id.0]).iter().position(|dummy| *dummy == keyword)?)
                }
                Callee::PureIntrinsic(name) => intrinsics::position_of(name, &keyword),
                Callee::Unknown(_) => None,
            };
            let Some(position) = position else {
                arguments.push(Some(value));
                continue;
            };
            if arguments.len() <= position {
                arguments.resize(position + 1, None);
            }
            arguments[position] = Some(value);
        }
        let absent = Span { start: span.end, ..span };
        let fill = |argument: Option<Expression>| {
            argument.unwrap_or_else(|| Expression::new(ExpressionKind::Computed(Vec::new()), absent))
        };
        Some(arguments.into_iter().map(fill).collect())
    }

    /// The names of the dummy arguments of `unit` in order.
    pub fn dummy_names(&self, unit: UnitIndex) -> Vec<String> {
        self.units.dummy_names(self.sources, unit)
    }

    /// The values of arguments whose order does not matter.
    pub fn argument_values(&mut self, arguments: Node<'t>) -> Vec<Expression> {
        named_children(arguments).into_iter().map(|node| self.argument_value(node)).collect()
    }

    pub(super) fn argument_value(&mut self, node: Node<'t>) -> Expression {
        let value = if node.kind() == "keyword_argument" { node.child_by_field_name("value") } else { Some(node) };
        self.expression(value.unwrap_or(node))
    }

    /// Variables whose addresses the program takes.
    fn mark_targets(&mut self, arguments: Node<'t>) {
        for value in self.argument_values(arguments) {
            if let Some(symbol) = value.designated() {
                let holder = self.symbols[symbol.0].holder().unwrap_or(symbol);
                self.symbols[holder.0].take_address();
            }
        }
    }
}
