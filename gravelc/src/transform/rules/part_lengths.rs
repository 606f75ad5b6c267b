//! May the parts of a loop be of any length, or are they whole vectors (contract, rule 8)?
//!
//! Precondition for any length: the loop is not the one that compilers vectorise ([`crate::analysis::loops::vectorised`]); or the
//! language computes parts of loops alike; or the file's compiler gives each element the bits in a vector that it gives it alone
//! ([`VectorArithmetic::Elementwise`]), and the loop is nothing but operations with one value for each operand, which that is about. What
//! it calls may be compiled with other flags, and have versions for vectors; of zeros with different signs and of NaNs the language lets
//! a compiler take either for the larger one (`crate::ir::Dialect::has_one_value`); and a hint may let it order the operations of a sum.

use crate::analysis::algebra::symbolic::is_integer;
use crate::analysis::facts::Facts;
use crate::analysis::loops::vectorised::may_be_vectorised;
use crate::ir::{
    Block, Callee, Expression, ExpressionKind, Loop, Procedure, ProcedureId, StatementId, StatementKind,
    VectorArithmetic,
};
use crate::mutations::Clause;

/// How long the parts of a loop may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartLengths {
    /// As long as they like.
    Any,
    /// Whole vectors. What is known of the file's vectors may be the only reason.
    WholeVectors(VectorArithmetic),
}

impl PartLengths {
    /// Those of the loop `counted`.
    pub fn of(facts: &Facts, procedure: ProcedureId, counted: &Loop) -> Self {
        let body = facts.procedure(procedure);
        let computes_alike = body.dialect().parts_compute_alike() || Clause::WholeVectors.is_off();
        if computes_alike || !may_be_vectorised(facts, procedure, counted) {
            return Self::Any;
        }
        match facts.program.file(body.span.file).vector_arithmetic {
            _ if !is_elementwise(body, &counted.body) => Self::WholeVectors(VectorArithmetic::Unknown),
            VectorArithmetic::Elementwise => Self::Any,
            found => Self::WholeVectors(found),
        }
    }

    /// Are they of any length?
    pub fn are_any(self) -> bool {
        self == Self::Any
    }

    /// What stands in the way of others than whole vectors, for the end of a message; empty if nothing does that is known.
    pub fn way_out(self) -> &'static str {
        match self {
            Self::WholeVectors(VectorArithmetic::Fused) => {
                "; without fused operations (`-mno-fma`) its parts could be of any length"
            }
            _ => "",
        }
    }
}

/// Does the block consist of operations on elements that have one value each, without calls and without hints to compilers?
fn is_elementwise(procedure: &Procedure, block: &Block) -> bool {
    let is_plain = |id: StatementId| {
        let statement = procedure.statement(id);
        let is_known = matches!(
            statement.kind,
            StatementKind::Assign { .. }
                | StatementKind::Loop(_)
                | StatementKind::If { .. }
                | StatementKind::Select { .. }
                | StatementKind::Scope(_)
                | StatementKind::Exit(_)
                | StatementKind::Cycle(_)
                | StatementKind::Nothing
        );
        let mut parts = statement.kind.expressions().into_iter().flat_map(Expression::walk);
        is_known && statement.hint.is_none() && parts.all(|part| has_one_value(procedure, part))
    };
    block.iter().flat_map(|&statement| procedure.with_descendants(statement)).all(is_plain)
}

/// Has the expression one value for each of those of its operands?
fn has_one_value(procedure: &Procedure, expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Opaque(_) => false,
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
            let is_of_integers = !arguments.is_empty() && arguments.iter().all(|it| is_integer(procedure, it));
            is_of_integers || procedure.dialect().has_one_value(name)
        }
        ExpressionKind::Call { .. } => false,
        _ => true,
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    /// How long the parts of a loop over `i` with these statements may be, whose names are typed by their first letters.
    fn lengths(statements: &str, vector_arithmetic: VectorArithmetic) -> PartLengths {
        let text = format!(
            "subroutine s(a, b, n, f)\nreal :: a(n), b(n)\nexternal f\nreal :: f\ndo i = 1, n\n{statements}\nend do\nend subroutine\n"
        );
        let options = FrontendOptions { vector_arithmetic, ..FrontendOptions::default() };
        let program = parse_text(Path::new("test.f90"), text.into_bytes(), &options).expect("it can be read");
        let (id, body) = program.procedures().next().expect("there is one");
        let found = body.statements_in_order().into_iter().find_map(|id| match &body.statement(id).kind {
            StatementKind::Loop(counted) => Some(counted),
            _ => None,
        });
        PartLengths::of(&Facts::new(&program), id, found.expect("there is a loop"))
    }

    #[test]
    fn elements_may_be_cut_anywhere_where_vectors_compute_alike() {
        for statements in [
            "a(i) = b(i) * 2 + sqrt(a(i))",
            "if (b(i) > 0) then\na(i) = b(i) / a(i)\nelse\na(i) = 0\nend if",
            "x = b(i)\nif (x < 0) cycle\na(i) = sign(x, b(i)) + a(max(i, 3))",
        ] {
            assert_eq!(lengths(statements, VectorArithmetic::Elementwise), PartLengths::Any, "{statements}");
            for other in [VectorArithmetic::Fused, VectorArithmetic::Unknown] {
                assert_eq!(lengths(statements, other), PartLengths::WholeVectors(other), "{statements}");
            }
        }
    }

    #[test]
    fn what_is_called_or_has_several_values_may_be_computed_otherwise() {
        for statements in [
            "a(i) = f(b(i))",
            "call g(a(i), b(i))",
            "a(i) = max(a(i), b(i))",
            "a(i) = sum(b) * a(i)",
            "!dir$ unroll\ndo j = 1, 3\na(i) = a(i) + b(j)\nend do",
        ] {
            let found = lengths(statements, VectorArithmetic::Elementwise);
            assert_eq!(found, PartLengths::WholeVectors(VectorArithmetic::Unknown), "{statements}");
            assert_eq!(found.way_out(), "");
        }
    }

    #[test]
    fn a_loop_that_is_not_vectorised_itself_may_be_cut_anywhere() {
        let found = lengths("x = b(i)", VectorArithmetic::Unknown);
        assert!(found.are_any());
    }
}
