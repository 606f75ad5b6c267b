//! Elementary functions (sine, exponential, powers, …), which compilers compute in two ways: for one value, or for a vector of
//! values with other last bits.
//!
//! Which functions these are the language says ([`crate::ir::Dialect::has_vector_version`]). Which iterations of a loop are
//! computed as vectors depends on how the compiler sees the loop and those around it.
//! gfortran, whose C library brings vector versions, computes the first iteration of a nest that begins at constants
//! apart from the others, but not where the nest has been cut (seen with 12.2 -O2 on `do j = 0, n; do i = 1, 500; a(i, j) =
//! sin(dble(i * (j + 2)))`). What rounds in one way only, as addition does (IEEE 754), is the same in whatever loop.

use std::collections::BTreeSet;

use crate::ir::{
    BinaryOperator, Block, Callee, Expression, ExpressionKind, Procedure, ProcedureId, Program, Span, StatementKind,
};

use super::super::algebra::symbolic::is_integer;

/// How the power of two numbers is called.
const POWER: &str = "**";

/// An elementary function that is computed somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementaryFunction {
    /// Its name, or the operator.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// An elementary function that the statements of a block, or the procedures of the program that they call, may compute.
pub fn elementary_function_in(program: &Program, procedure: ProcedureId, block: &Block) -> Option<ElementaryFunction> {
    let mut entered = BTreeSet::new();
    let mut pending = vec![(procedure, block)];
    while let Some((owner, block)) = pending.pop() {
        let body = program.procedure(owner);
        for statement in block.iter().flat_map(|&statement| body.with_descendants(statement)) {
            let kind = &body.statement(statement).kind;
            let mut called = BTreeSet::new();
            if let StatementKind::Call { callee: Callee::Procedure(id), .. } = kind {
                called.insert(*id);
            }
            for part in kind.expressions().into_iter().flat_map(Expression::walk) {
                if let Some(name) = function_of(body, part) {
                    return Some(ElementaryFunction { name: name.to_owned(), span: part.span });
                }
                if let ExpressionKind::Call { callee: Callee::Procedure(id), .. } = &part.kind {
                    called.insert(*id);
                }
            }
            let new = called.into_iter().filter(|&id| entered.insert(id));
            pending.extend(new.map(|id| (id, &program.procedure(id).body)));
        }
    }
    None
}

/// The elementary function that the expression itself computes from its operands.
fn function_of<'e>(procedure: &Procedure, expression: &'e Expression) -> Option<&'e str> {
    match &expression.kind {
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => {
            procedure.dialect().has_vector_version(name).then_some(name)
        }
        // A power with an integer exponent is a product.
        ExpressionKind::Binary { operator: BinaryOperator::Power, right, .. } => {
            (!is_integer(procedure, right) && procedure.dialect().has_vector_version(POWER)).then_some(POWER)
        }
        _ => None,
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    /// The function found in a main program with these statements, whose names are typed by their first letters.
    fn found(statements: &str, more: &str) -> Option<String> {
        let text = format!("program p\nreal :: a(9)\n{statements}\nend program\n{more}");
        let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
        let (id, main) = program.procedures().find(|(_, procedure)| procedure.name == "p").unwrap();
        elementary_function_in(&program, id, &main.body).map(|function| function.name)
    }

    #[test]
    fn functions_and_powers_are_found_wherever_they_are() {
        assert_eq!(found("do i = 1, 9\na(i) = 1 + 2*sin(x)\nend do", "").as_deref(), Some("sin"));
        assert_eq!(found("if (dexp(y) > 1) a = 1", "").as_deref(), Some("dexp"));
        assert_eq!(found("a = x**y", "").as_deref(), Some("**"));
        assert_eq!(found("a = x**0.5", "").as_deref(), Some("**"));
        let one = "subroutine one(x)\ncall two(x)\nend subroutine\n";
        let two =
            "subroutine two(x)\nx = f(x)\nend subroutine\nreal function f(x)\nf = log(x)\ncall one(f)\nend function\n";
        assert_eq!(found("call one(a(1))", &format!("{one}{two}")).as_deref(), Some("log"));
    }

    #[test]
    fn the_language_says_which_functions_these_are() {
        let text = b"program p\nx = sin(y)**z\nend program\n".to_vec();
        let mut program = parse_text(Path::new("test.f90"), text, &FrontendOptions::default()).unwrap();
        let only = ProcedureId(0);
        let found = |program: &Program| elementary_function_in(program, only, &program.procedure(only).body);
        assert!(found(&program).is_some());
        program.procedure_mut(only).language = crate::ir::Language::Opposite;
        assert_eq!(found(&program), None);
    }

    #[test]
    fn a_long_sum_hides_none() {
        let sum = |first: &str| format!("a = {first}{}", " + &\n y".repeat(1000));
        assert_eq!(found(&sum("x**y"), "").as_deref(), Some("**"));
        assert_eq!(found(&sum("sin(x)"), "").as_deref(), Some("sin"));
        assert_eq!(found(&sum("x**2"), ""), None);
    }

    #[test]
    fn what_rounds_in_one_way_is_none() {
        assert_eq!(found("a = sqrt(x) + x**2 + x**n - abs(x)/max(x, y) + x**(-mod(n, 3)) + 2**(n + 1)", ""), None);
    }
}
