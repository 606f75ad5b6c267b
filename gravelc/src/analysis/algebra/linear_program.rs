//! Small linear programs in exact arithmetic: the engine of the prover.
//!
//! The two-phase simplex method with Bland's rule, which can't cycle (Bland, "New finite pivoting rules for the simplex
//! method", Mathematics of Operations Research 1977), over fractions of 128-bit integers. Work is bounded, and every
//! overflow ends the search: both give `Outcome::GaveUp`.

/// Pivots after which the search is given up.
const MAX_PIVOTS: usize = 200;

/// A fraction with a positive denominator, in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// The whole number `value`.
    pub fn whole(value: i64) -> Self {
        Self { numerator: i128::from(value), denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator.checked_abs()?, denominator.checked_abs()?);
        let sign = if denominator < 0 { -1 } else { 1 };
        let divisor = sign * divisor;
        Some(Self { numerator: numerator.checked_div(divisor)?, denominator: denominator.checked_div(divisor)? })
    }

    /// Is it greater than the whole number `value`?
    pub fn exceeds(self, value: i64) -> Option<bool> {
        Some(self.numerator > i128::from(value).checked_mul(self.denominator)?)
    }

    fn is_zero(self) -> bool {
        self.numerator == 0
    }

    fn is_positive(self) -> bool {
        self.numerator > 0
    }

    fn is_negative(self) -> bool {
        self.numerator < 0
    }

    fn negated(self) -> Option<Self> {
        Some(Self { numerator: self.numerator.checked_neg()?, ..self })
    }

    fn times(self, other: Self) -> Option<Self> {
        Self::new(self.numerator.checked_mul(other.numerator)?, self.denominator.checked_mul(other.denominator)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        Self::new(self.numerator.checked_mul(other.denominator)?, self.denominator.checked_mul(other.numerator)?)
    }

    fn minus(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return Some(self);
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_sub(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    fn is_less_than(self, other: Self) -> Option<bool> {
        Some(self.minus(other)?.is_negative())
    }
}

fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// What became of a linear program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No point satisfies the equations.
    Infeasible,
    /// The objective has no greatest value.
    Unbounded,
    /// The greatest value of the objective.
    Optimum(Fraction),
    /// Too much work, or numbers too large.
    GaveUp,
}

/// Maximises `objective . x` over `x >= 0` with `equations[r] . x = right_sides[r]` for every row `r`.
pub(super) fn maximise(equations: &[Vec<i64>], right_sides: &[i64], objective: &[i64]) -> Outcome {
    Tableau::new(equations, right_sides, objective.len())
        .and_then(|mut tableau| tableau.solve(objective))
        .unwrap_or(Outcome::GaveUp)
}

/// Rows `B^-1 A | B^-1 b`, one artificial variable per row behind the real ones.
struct Tableau {
    rows: Vec<Vec<Fraction>>,
    /// The basic variable of each row.
    basis: Vec<usize>,
    /// Number of variables that are not artificial.
    variables: usize,
    pivots: usize,
}

/// How an optimisation over the current basis ended.
enum Phase {
    Optimal,
    Unbounded,
}

impl Tableau {
    fn new(equations: &[Vec<i64>], right_sides: &[i64], variables: usize) -> Option<Self> {
        let count = equations.len();
        let mut rows = Vec::with_capacity(count);
        for (index, (equation, &right_side)) in equations.iter().zip(right_sides).enumerate() {
            let mut row: Vec<Fraction> = equation.iter().map(|&value| Fraction::whole(value)).collect();
            row.extend((0..count).map(|column| Fraction::whole(i64::from(column == index))));
            row.push(Fraction::whole(right_side));
            if right_side < 0 {
                for (column, entry) in row.iter_mut().enumerate() {
                    if column < variables || column == variables + count {
                        *entry = entry.negated()?;
                    }
                }
            }
            rows.push(row);
        }
        Some(Self { rows, basis: (variables..variables + count).collect(), variables, pivots: 0 })
    }

    fn solve(&mut self, objective: &[i64]) -> Option<Outcome> {
        let columns = self.variables + self.rows.len();
        // First phase: the sum of the artificial variables, negated, as far up as it goes.
        let mut first = vec![Fraction::ZERO; columns];
        first[self.variables..].fill(Fraction::whole(-1));
        self.optimise(&first, columns)?;
        let right = columns;
        let is_feasible =
            self.basis.iter().zip(&self.rows).all(|(&variable, row)| variable < self.variables || row[right].is_zero());
        if !is_feasible {
            return Some(Outcome::Infeasible);
        }
        self.remove_artificial_variables()?;
        let mut second: Vec<Fraction> = objective.iter().map(|&value| Fraction::whole(value)).collect();
        second.resize(columns, Fraction::ZERO);
        match self.optimise(&second, self.variables)? {
            Phase::Unbounded => Some(Outcome::Unbounded),
            Phase::Optimal => {
                let mut value = Fraction::ZERO;
                for (&variable, row) in self.basis.iter().zip(&self.rows) {
                    value = value.minus(second[variable].times(row[right])?.negated()?)?;
                }
                Some(Outcome::Optimum(value))
            }
        }
    }

    /// Takes artificial variables (all zero now) out of the basis; rows that have nothing else say nothing and go.
    fn remove_artificial_variables(&mut self) -> Option<()> {
        let mut row = 0;
        while row < self.rows.len() {
            if self.basis[row] >= self.variables {
                match (0..self.variables).find(|&column| !self.rows[row][column].is_zero()) {
                    Some(column) => self.pivot(row, column)?,
                    None => {
                        self.rows.remove(row);
                        self.basis.remove(row);
                        continue;
                    }
                }
            }
            row += 1;
        }
        Some(())
    }

    /// Pivots until no column below `columns` improves `objective`; `None` when given up.
    fn optimise(&mut self, objective: &[Fraction], columns: usize) -> Option<Phase> {
        loop {
            let mut entering = None;
            for column in 0..columns {
                if !self.basis.contains(&column) && self.reduced_cost(objective, column)?.is_positive() {
                    entering = Some(column);
                    break;
                }
            }
            let Some(column) = entering else { return Some(Phase::Optimal) };
            let mut leaving: Option<(Fraction, usize)> = None;
            for (index, row) in self.rows.iter().enumerate() {
                if !row[column].is_positive() {
                    continue;
                }
                let ratio = row.last()?.over(row[column])?;
                let is_better = match leaving {
                    None => true,
                    Some((best, best_row)) => {
                        ratio.is_less_than(best)? || (ratio == best && self.basis[index] < self.basis[best_row])
                    }
                };
                if is_better {
                    leaving = Some((ratio, index));
                }
            }
            let Some((_, row)) = leaving else { return Some(Phase::Unbounded) };
            self.pivot(row, column)?;
        }
    }

    fn reduced_cost(&self, objective: &[Fraction], column: usize) -> Option<Fraction> {
        let mut cost = objective[column];
        for (&variable, row) in self.basis.iter().zip(&self.rows) {
            if !objective[variable].is_zero() && !row[column].is_zero() {
                cost = cost.minus(objective[variable].times(row[column])?)?;
            }
        }
        Some(cost)
    }

    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        self.pivots += 1;
        if self.pivots > MAX_PIVOTS {
            return None;
        }
        let pivot = self.rows[row][column];
        for entry in &mut self.rows[row] {
            *entry = entry.over(pivot)?;
        }
        let pivot_row = self.rows[row].clone();
        for (index, other) in self.rows.iter_mut().enumerate() {
            let factor = other[column];
            if index == row || factor.is_zero() {
                continue;
            }
            for (entry, &in_pivot_row) in other.iter_mut().zip(&pivot_row) {
                if !in_pivot_row.is_zero() {
                    *entry = entry.minus(factor.times(in_pivot_row)?)?;
                }
            }
        }
        self.basis[row] = column;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_optimum_of_a_bounded_program() {
        // Maximise x + 2y with x + y + s = 4, y + t = 3: x = 1, y = 3.
        let outcome = maximise(&[vec![1, 1, 1, 0], vec![0, 1, 0, 1]], &[4, 3], &[1, 2, 0, 0]);
        assert_eq!(outcome, Outcome::Optimum(Fraction::whole(7)));
    }

    #[test]
    fn sees_that_nothing_is_feasible() {
        assert_eq!(maximise(&[vec![1, 1]], &[-1], &[0, 0]), Outcome::Infeasible);
        assert_eq!(maximise(&[vec![1], vec![1]], &[1, 2], &[0]), Outcome::Infeasible);
    }

    #[test]
    fn sees_that_the_objective_is_unbounded() {
        assert_eq!(maximise(&[vec![1, -1]], &[0], &[1, 0]), Outcome::Unbounded);
    }

    #[test]
    fn copes_with_redundant_rows_and_fractions() {
        let outcome = maximise(&[vec![2, 3], vec![4, 6]], &[1, 2], &[1, 1]);
        assert_eq!(outcome, Outcome::Optimum(Fraction::new(1, 2).expect("a small fraction")));
    }
}
