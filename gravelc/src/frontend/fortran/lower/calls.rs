//! CALL statements.

use super::super::text::syntax_tree::Node;

use super::super::names::intrinsics;
use super::super::names::intrinsics::IntrinsicSubroutine;
use super::super::text::tree::{child_of_kind, named_children};
use super::lowering::Lowering;
use super::operations::evaluated_already;
use super::symbols::NameUse;
use crate::ir::{Callee, Expression, ExpressionKind, Span, StatementId, StatementKind};

impl<'t> Lowering<'_, 't> {
    /// `call name(arguments)`
    pub fn call_statement(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let Some(subroutine) = node.child_by_field_name("subroutine") else {
            return self.opaque_statement(span, "a CALL that can't be read");
        };
        if child_of_kind(node, "cuda_kernel_argument_list").is_some() {
            return self.opaque_statement(span, "the launch of a device kernel");
        }
        // The grammar can take the arguments for a part of the name.
        let (name_node, list) = match subroutine.kind() {
            "call_expression" => {
                let parts = named_children(subroutine);
                (parts.first().copied().unwrap_or(subroutine), parts.get(1).copied())
            }
            _ => (subroutine, child_of_kind(node, "argument_list")),
        };
        let arguments = list.map(named_children).unwrap_or_default();
        if name_node.kind() != "identifier" {
            return self.bound_call(name_node, &arguments, id, span);
        }
        let name = self.source.lower(name_node);
        if self.construct_name(&name).is_some() {
            return self.opaque_statement(span, "a CALL of something that a construct has a name for");
        }
        match self.name_use(&name) {
            NameUse::Procedure(callee) => self.call(callee, &arguments, span),
            NameUse::Generic => self.generic_call(&name, &arguments, id, span),
            // An object here is a dummy procedure that nothing declares as one.
            NameUse::Indirect | NameUse::Object(_) => self.indirect_call(&name, &arguments, id, span),
            NameUse::Messaging(original) => self.messaging_call(&original, &arguments, span),
            NameUse::Library(name) => self.call(Callee::Unknown(name), &arguments, span),
            NameUse::OwnOrLibrary(own, library) => match self.call(Callee::Procedure(own), &arguments, span) {
                StatementKind::Call { callee, arguments } => {
                    let again = arguments.iter().map(evaluated_already).collect();
                    let by_library = StatementKind::Call { callee: Callee::Unknown(library), arguments: again };
                    self.one_of(vec![StatementKind::Call { callee, arguments }, by_library], id, span)
                }
                other => other,
            },
            NameUse::Unknown(_) => {
                self.doubtful_names.insert(name.clone());
                self.call(Callee::Unknown(name), &arguments, span)
            }
            NameUse::PureFunction | NameUse::Structure => self.call(Callee::Unknown(name), &arguments, span),
            NameUse::Undeclared => self.undeclared_call(&name, &arguments, span),
        }
    }

    /// A procedure that nothing declares: intrinsic, external or MPI's.
    fn undeclared_call(&mut self, name: &str, arguments: &[Node<'t>], span: Span) -> StatementKind {
        if let Some(intrinsic) = intrinsics::subroutine(name) {
            if self.scopes.externals.contains_key(name) {
                return self.call(Callee::Unknown(name.to_string()), arguments, span);
            }
            return self.intrinsic_call(intrinsic, arguments, span);
        }
        self.external_call(name, arguments, span)
    }

    /// A call of an external procedure or of MPI.
    pub fn external_call(&mut self, name: &str, arguments: &[Node<'t>], span: Span) -> StatementKind {
        match self.external(name) {
            NameUse::Messaging(original) => self.messaging_call(&original, arguments, span),
            NameUse::Procedure(callee) => self.call(callee, arguments, span),
            _ => self.opaque_statement(span, "a CALL that can't be read"),
        }
    }

    /// A call of an ordinary procedure.
    pub fn call(&mut self, callee: Callee, nodes: &[Node<'t>], span: Span) -> StatementKind {
        // `call s(*10)`: the procedure may return to a label.
        if nodes.iter().any(|node| node.kind() == "assumed_size") {
            return self.opaque_statement(span, "a CALL with alternate returns");
        }
        match self.actual_arguments(&callee, nodes, span) {
            Some(arguments) => StatementKind::Call { callee, arguments },
            None => self.opaque_statement(span, "a CALL whose keywords do not fit"),
        }
    }

    fn intrinsic_call(&mut self, intrinsic: IntrinsicSubroutine, nodes: &[Node<'t>], span: Span) -> StatementKind {
        let mut arguments = Vec::with_capacity(nodes.len());
        for node in nodes {
            let is_keyword = node.kind() == "keyword_argument";
            let value = if is_keyword { node.child_by_field_name("value") } else { Some(*node) };
            arguments.push(self.expression(value.unwrap_or(*node)));
        }
        match intrinsic {
            IntrinsicSubroutine::External(read_only) | IntrinsicSubroutine::ExternalMayLeave(read_only) => {
                let may_leave = matches!(intrinsic, IntrinsicSubroutine::ExternalMayLeave(_));
                // Keywords can name the arguments in any order.
                let in_order = nodes.iter().all(|node| node.kind() != "keyword_argument");
                let read_only = if in_order { read_only } else { 0 };
                let written = arguments.iter().skip(read_only).filter(|argument| argument.designated().is_some());
                StatementKind::InputOutput { writes: written.cloned().collect(), reads: arguments, may_leave }
            }
            IntrinsicSubroutine::Stop => {
                let calls = |argument: &Expression| {
                    argument.walk().iter().any(|part| {
                        matches!(&part.kind, ExpressionKind::Call { callee, .. } if !matches!(callee, Callee::PureIntrinsic(_)))
                    })
                };
                if arguments.iter().any(calls) {
                    return self.opaque_statement(span, "the end of the program with a code that is computed");
                }
                StatementKind::Stop
            }
            IntrinsicSubroutine::MoveAllocation => {
                let allocations = arguments.iter().filter_map(|argument| self.allocation(argument, None)).collect();
                // What one array holds is looked at by the name of the other one from now on.
                let reads = arguments.clone();
                StatementKind::Lifetime { variables: arguments, reads, associates: false, allocations }
            }
            IntrinsicSubroutine::CopyBits => {
                let target = arguments.get(3).cloned();
                match target {
                    Some(target) => {
                        let value = Expression::new(ExpressionKind::Computed(arguments), span);
                        self.assign(target, value, span)
                    }
                    None => self.opaque_statement(span, "a CALL whose arguments do not fit"),
                }
            }
        }
    }
}
