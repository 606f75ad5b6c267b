//! Which loop of a nest compilers vectorise.
//!
//! A compiler that turns iterations of a loop into vectors leaves the last ones as they are, and may compute the two
//! kinds with different instructions. Cutting such a loop anywhere changes which iterations are the last ones. Cutting a
//! loop around it changes nothing: every execution of the vectorised loop is the same as before. But compilers also
//! vectorise the loop around, or make it the inner one, where its iterations store elements that lie side by side (seen with
//! gfortran -O3 on `do j; do i; s(j) = sin(a(j, i))`). So it has to be certain that they do not.

use crate::ir::{
    Block, Expression, ExpressionKind, Loop, Polynomial, ProcedureId, StatementId, StatementKind, SymbolId,
};

use super::super::algebra::prover::{Assumptions, is_positive};
use super::super::algebra::symbolic::polynomial_of;
use super::super::facts::Facts;
use super::super::memory::arrays::Layouts;

/// Loops of fewer iterations may be unrolled completely, so that the loop around them is the innermost one.
const LEAST_ITERATIONS_OF_A_LOOP: i64 = 64;

/// May a compiler vectorise the loop itself: does an iteration store elements of an array outside of a loop of its own?
/// Integers count as well, for they may have been worked out from something else. Single variables do not count, for a
/// loop that computes one over and over is not vectorised for them. A hint to a compiler inside may have loops unrolled or left
/// alone, so that the loop in question takes their place.
pub fn may_be_vectorised(facts: &Facts, procedure: ProcedureId, counted: &Loop) -> bool {
    let question = Question { facts, procedure, variable: counted.variable };
    let body = facts.procedure(procedure);
    let inside = counted.body.iter().flat_map(|&statement| body.with_descendants(statement));
    inside.into_iter().any(|id| body.statement(id).hint.is_some()) || question.stores_by_itself(&counted.body)
}

struct Question<'a> {
    facts: &'a Facts<'a>,
    procedure: ProcedureId,
    /// The loop's variable.
    variable: SymbolId,
}

impl Question<'_> {
    fn stores_by_itself(&self, block: &Block) -> bool {
        block.iter().any(|&statement| self.statement_stores(statement))
    }

    fn statement_stores(&self, statement: StatementId) -> bool {
        let kind = &self.facts.procedure(self.procedure).statement(statement).kind;
        match kind {
            StatementKind::Assign { target, .. } => {
                self.is_short_store(target) || self.may_lie_side_by_side(target, &Assumptions::new())
            }
            StatementKind::Loop(counted) if self.is_short(counted) => self.stores_by_itself(&counted.body),
            StatementKind::Loop(counted) => {
                self.stores_side_by_side(&counted.body, &self.inside(statement, counted, &Assumptions::new()))
            }
            StatementKind::If { .. } | StatementKind::Select { .. } | StatementKind::Scope(_) => {
                kind.blocks().into_iter().any(|block| self.stores_by_itself(block))
            }
            StatementKind::While { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Jump
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Nothing => false,
            StatementKind::Call { .. }
            | StatementKind::Communication(_)
            | StatementKind::InputOutput { .. }
            | StatementKind::Lifetime { .. }
            | StatementKind::Opaque(_) => true,
        }
    }

    /// Does a loop inside store elements that may lie side by side for neighbouring iterations of the loop in question?
    fn stores_side_by_side(&self, block: &Block, assumptions: &Assumptions) -> bool {
        block.iter().any(|&statement| {
            let kind = &self.facts.procedure(self.procedure).statement(statement).kind;
            match kind {
                StatementKind::Assign { target, .. } => self.may_lie_side_by_side(target, assumptions),
                StatementKind::Loop(counted) => {
                    self.stores_side_by_side(&counted.body, &self.inside(statement, counted, assumptions))
                }
                _ if kind.blocks().is_empty() => self.statement_stores(statement),
                _ => kind.blocks().into_iter().any(|block| self.stores_side_by_side(block, assumptions)),
            }
        })
    }

    /// What holds in an iteration of a loop inside: there is one.
    fn inside(&self, id: StatementId, counted: &Loop, assumptions: &Assumptions) -> Assumptions {
        let mut inside = assumptions.clone();
        let body = self.facts.procedure(self.procedure);
        let bound = |expression: &Expression| {
            let value = polynomial_of(body, expression)?;
            let effects = self.facts.effects(self.procedure, id);
            let changes = |symbol| effects.everything.is_some() || effects.writes_symbol(body, symbol).is_some();
            (!value.variables().into_iter().any(changes)).then_some(value)
        };
        if counted.step.is_none()
            && let (Some(lower), Some(upper)) = (bound(&counted.lower), bound(&counted.upper))
            && let Some(count) = upper.checked_subtract(&lower).and_then(|it| it.checked_add(&Polynomial::constant(1)))
        {
            inside.assume_positive(&count);
        }
        inside
    }

    /// May neighbouring iterations of the loop store elements that are no further apart than one?
    fn may_lie_side_by_side(&self, target: &Expression, assumptions: &Assumptions) -> bool {
        let body = self.facts.procedure(self.procedure);
        if target.designated().is_some_and(|id| body.symbol(id).rank() == 0) {
            return false;
        }
        let offset_at = |value: Polynomial| {
            let value_of =
                |symbol| Some(if symbol == self.variable { value.clone() } else { Polynomial::variable(symbol) });
            let (region, _) = Layouts::new(body).region_of(target, &value_of)?;
            Some(region.lmad()?.offset.clone())
        };
        let variable = Polynomial::variable(self.variable);
        let distance = || {
            let next = offset_at(variable.checked_add(&Polynomial::constant(1))?)?;
            next.checked_subtract(&offset_at(variable.clone())?)
        };
        let is_more_than_one = |distance: Polynomial| {
            distance.checked_subtract(&Polynomial::constant(1)).is_some_and(|rest| is_positive(assumptions, &rest))
        };
        let is_apart = |distance: Polynomial| {
            is_more_than_one(distance.clone()) || distance.checked_negate().is_some_and(is_more_than_one)
        };
        !distance().is_some_and(is_apart)
    }

    /// Is the number of iterations known, and small?
    fn is_short(&self, counted: &Loop) -> bool {
        let value = |expression: &Expression| self.facts.constant_value(self.procedure, expression);
        let iterations = || value(&counted.upper)?.checked_sub(value(&counted.lower)?)?.checked_abs()?.checked_add(1);
        iterations().is_some_and(|iterations| iterations < LEAST_ITERATIONS_OF_A_LOOP)
    }

    /// Is something stored that a loop around the statement could be vectorised for: elements, and not so many
    /// that they take a loop of their own?
    fn is_short_store(&self, target: &Expression) -> bool {
        let body = self.facts.procedure(self.procedure);
        let Some(symbol) = target.designated().map(|id| body.symbol(id)) else {
            return true;
        };
        match &target.kind {
            ExpressionKind::Symbol(_) if symbol.rank() == 0 => false,
            ExpressionKind::Symbol(_) | ExpressionKind::Section { .. } => {
                let value_of = |symbol| Some(Polynomial::variable(symbol));
                let region = Layouts::new(body).region_of(target, &value_of);
                let elements = region.and_then(|(region, _)| {
                    let mut counts = region.lmad()?.dimensions.iter().map(|dimension| dimension.count.as_constant());
                    counts.try_fold(1_i64, |product, count| product.checked_mul(count?))
                });
                elements.is_some_and(|elements| elements < LEAST_ITERATIONS_OF_A_LOOP)
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Builder, ONLY, element, expression, int, var};
    use crate::ir::SymbolId;

    struct Names {
        n: SymbolId,
        i: SymbolId,
        j: SymbolId,
        position: SymbolId,
        field: SymbolId,
        table: SymbolId,
        scalar: SymbolId,
    }

    /// Asks about a loop over `j`.
    fn ask(fill: impl FnOnce(&mut Builder, &Names)) -> bool {
        let mut builder = Builder::new();
        let [n, i, j, position] = ["n", "i", "j", "position"].map(|name| builder.integer(name));
        let field = builder.array("field", vec![(int(1), int(100)), (int(1), int(100))]);
        let table = builder.array("table", vec![(int(1), int(100))]);
        let scalar = builder.real("scalar");
        let names = Names { n, i, j, position, field, table, scalar };
        let found = builder.do_loop(j, (int(1), var(n)), None, |builder, _| fill(builder, &names));
        let program = builder.program();
        let StatementKind::Loop(counted) = &program.procedure(ONLY).statement(found).kind else { panic!("a loop") };
        may_be_vectorised(&Facts::new(&program), ONLY, counted)
    }

    fn store(builder: &mut Builder, names: &Names) {
        let value = expression(ExpressionKind::Literal);
        builder.assign(element(names.field, vec![var(names.i), var(names.j)]), value);
    }

    fn inner_loop(builder: &mut Builder, names: &Names, upper: Expression) {
        builder.do_loop(names.i, (int(1), upper), None, |builder, _| store(builder, names));
    }

    #[test]
    fn the_innermost_loop_may_be() {
        assert!(ask(store));
    }

    #[test]
    fn a_loop_around_a_long_one_is_not() {
        assert!(!ask(|builder, names| inner_loop(builder, names, var(names.n))));
        assert!(!ask(|builder, names| inner_loop(builder, names, int(64))));
        assert!(!ask(|builder, names| {
            builder.assign(var(names.scalar), expression(ExpressionKind::Literal));
            inner_loop(builder, names, var(names.n));
        }));
    }

    #[test]
    fn a_loop_around_one_that_may_be_unrolled_may_be() {
        assert!(ask(|builder, names| inner_loop(builder, names, int(63))));
        let nested_twice = |upper: fn(&Names) -> Expression| {
            ask(|builder, names| {
                builder.do_loop(names.position, (int(1), int(3)), None, |builder, _| {
                    inner_loop(builder, names, upper(names))
                });
            })
        };
        assert!(nested_twice(|_| int(4)));
        assert!(!nested_twice(|_| int(400)));
    }

    #[test]
    fn a_loop_around_that_stores_side_by_side_may_be() {
        // gfortran -O3 computes several `table(j)` at once.
        let side_by_side = |target: fn(&Names) -> Expression| {
            ask(|builder, names| {
                builder.do_loop(names.i, (int(1), int(70)), None, |builder, _| {
                    builder.assign(target(names), expression(ExpressionKind::Literal));
                });
            })
        };
        assert!(side_by_side(|names| element(names.table, vec![var(names.j)])));
        assert!(side_by_side(|names| element(names.field, vec![var(names.j), var(names.i)])));
        assert!(side_by_side(|names| element(names.table, vec![var(names.position)])));
        assert!(!side_by_side(|names| element(names.field, vec![var(names.i), var(names.j)])));
    }

    #[test]
    fn columns_of_unknown_length_are_apart_where_there_are_elements_between() {
        let columns = |lower: Expression, upper: fn(&Names) -> Expression| {
            let mut builder = Builder::new();
            let [n, i, j, position] = ["n", "i", "j", "position"].map(|name| builder.integer(name));
            let shape = vec![(lower, var(n)), (int(1), int(100))];
            let field = builder.array("field", shape);
            let (table, scalar) = (field, n);
            let names = Names { n, i, j, position, field, table, scalar };
            let found = builder.do_loop(j, (int(1), var(n)), None, |builder, _| {
                inner_loop(builder, &names, upper(&names));
            });
            let program = builder.program();
            let StatementKind::Loop(counted) = &program.procedure(ONLY).statement(found).kind else { panic!("a loop") };
            may_be_vectorised(&Facts::new(&program), ONLY, counted)
        };
        assert!(!columns(int(0), |names| var(names.n)));
        // One column could be one element.
        assert!(columns(int(1), |names| var(names.n)));
        assert!(columns(int(0), |names| var(names.position)));
    }

    #[test]
    fn a_loop_that_also_stores_elements_by_itself_may_be() {
        assert!(ask(|builder, names| {
            inner_loop(builder, names, var(names.n));
            builder.assign(element(names.table, vec![var(names.j)]), expression(ExpressionKind::Literal));
        }));
    }
}
