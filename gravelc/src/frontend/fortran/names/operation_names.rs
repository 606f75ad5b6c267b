//! Names of operations: one for each operator that OPERATOR can give a meaning to, and one for defined assignment
//! (Fortran 2018, 10.1.5).

/// The name of defined assignment among the operations.
pub const ASSIGNMENT: &str = "assignment(=)";

/// What `OPERATOR(…)` or `ASSIGNMENT(=)` (in lower case) names: without blanks, and one name for both spellings of a comparison.
pub fn operation_named(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    match text.strip_prefix("operator(").and_then(|rest| rest.strip_suffix(')')) {
        Some(operator) => operator_named(operator),
        None => text,
    }
}

/// The name of an operator as an operation.
pub fn operator_named(operator: &str) -> String {
    let operator = match operator {
        ".eq." => "==",
        ".ne." => "/=",
        ".lt." => "<",
        ".le." => "<=",
        ".gt." => ">",
        ".ge." => ">=",
        other => other,
    };
    format!("operator({operator})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_operation_has_one_name() {
        assert_eq!(operation_named("operator ( .eq. )"), operation_named("operator(==)"));
        assert_eq!(operation_named("assignment( = )"), ASSIGNMENT);
        assert_eq!(operation_named("operator(.dot.)"), "operator(.dot.)");
        assert_ne!(operation_named("operator(<)"), operation_named("operator(<=)"));
    }
}
