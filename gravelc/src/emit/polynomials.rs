//! Polynomials over the program's variables as text: the same signs in all languages.

use crate::ir::{Monomial, Polynomial, SymbolId};

/// A polynomial, in parentheses where it is more than a product, with these names for its variables.
pub fn text(polynomial: &Polynomial, name: &dyn Fn(SymbolId) -> String) -> String {
    let terms: Vec<(&Monomial, i64)> = polynomial.terms().collect();
    match terms.as_slice() {
        [] => "0".to_string(),
        [(monomial, coefficient)] if *coefficient > 0 => term(monomial, *coefficient, name),
        _ => {
            let mut text = String::new();
            // The constant term comes first in the polynomial's own order and reads better at the end.
            for (monomial, coefficient) in terms.iter().rev() {
                let term = term(monomial, coefficient.abs(), name);
                match (text.is_empty(), *coefficient < 0) {
                    (true, true) => text = format!("-{term}"),
                    (true, false) => text = term,
                    (false, true) => text = format!("{text} - {term}"),
                    (false, false) => text = format!("{text} + {term}"),
                }
            }
            format!("({text})")
        }
    }
}

/// A polynomial that stands by itself.
pub fn text_alone(polynomial: &Polynomial, name: &dyn Fn(SymbolId) -> String) -> String {
    let text = text(polynomial, name);
    text.strip_prefix('(').and_then(|open| open.strip_suffix(')')).map_or(text.clone(), str::to_owned)
}

fn term(monomial: &Monomial, coefficient: i64, name: &dyn Fn(SymbolId) -> String) -> String {
    let mut factors: Vec<String> = Vec::new();
    if coefficient != 1 || monomial.is_empty() {
        factors.push(coefficient.to_string());
    }
    for (&symbol, &exponent) in monomial {
        factors.extend(std::iter::repeat_n(name(symbol), exponent as usize));
    }
    factors.join("*")
}
