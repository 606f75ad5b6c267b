//! Regions as people write them, for pictures: `a(1:n, j)`.

use crate::ir::{Interval, Monomial, Polynomial, Procedure, Region, SymbolId};

/// The region with the names of the procedure; what is not known of it is `?`, and an array without subscripts stands for
/// unknown elements.
pub fn region_text(procedure: &Procedure, region: &Region) -> String {
    let name = &procedure.symbol(region.symbol).name;
    if region.subscripts.iter().all(Option::is_none) {
        return name.clone();
    }
    let subscripts: Vec<String> = region
        .subscripts
        .iter()
        .map(|interval| interval.as_ref().map_or_else(|| "?".to_owned(), |interval| interval_text(procedure, interval)))
        .collect();
    format!("{name}({})", subscripts.join(", "))
}

fn interval_text(procedure: &Procedure, interval: &Interval) -> String {
    let lower = polynomial_text(procedure, &interval.lower);
    if interval.lower == interval.upper {
        return lower;
    }
    format!("{lower}:{}", polynomial_text(procedure, &interval.upper))
}

/// The polynomial with the names of the procedure, constants last.
pub fn polynomial_text(procedure: &Procedure, polynomial: &Polynomial) -> String {
    let mut terms: Vec<(&Monomial, i64)> = polynomial.terms().collect();
    // The constant term comes first in the polynomial's own order.
    terms.reverse();
    let mut text = String::new();
    for (monomial, coefficient) in terms {
        let sign = match (text.is_empty(), coefficient < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => "+",
            (false, true) => "-",
        };
        text.push_str(sign);
        let mut factors = Vec::new();
        if coefficient.unsigned_abs() != 1 || monomial.is_empty() {
            factors.push(coefficient.unsigned_abs().to_string());
        }
        for (&symbol, &exponent) in monomial {
            factors.extend(std::iter::repeat_n(name_of(procedure, symbol), exponent as usize));
        }
        text.push_str(&factors.join("*"));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// A symbol beyond the procedure's own stands for a value of some iteration.
fn name_of(procedure: &Procedure, symbol: SymbolId) -> String {
    procedure.symbols.get(symbol.0).map_or_else(|| "?".to_owned(), |symbol| symbol.name.clone())
}
