//! Values of constant expressions: integer and logical ones.

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{all_children, child_of_kind, lower_text, named_children};
use super::default_kinds::DefaultKinds;
use crate::ir::InitialValues;

/// Deeper expressions are not evaluated.
const MAX_DEPTH: usize = 64;

/// What the evaluation needs to know about names.
pub trait ConstantNames {
    /// The value of the named integer constant `name` (in lower case).
    fn value(&self, name: &str) -> Option<i64>;

    /// The value of the named logical constant `name` (in lower case).
    fn truth(&self, name: &str) -> Option<bool>;

    /// The value of the macro that the text spells so.
    fn macro_value(&self, spelled: &str) -> Option<i64>;

    /// The kind of the variable or constant `name`.
    fn kind(&self, name: &str) -> Option<i64>;

    /// The elements of the constant integer array `name`.
    fn array(&self, name: &str) -> Option<&InitialValues>;

    /// How long reals are that name no kind.
    fn default_kinds(&self) -> DefaultKinds;

    /// Is `name` something else than the intrinsic procedure of that name?
    fn hides_intrinsic(&self, name: &str) -> bool;
}

/// The value of the integer expression `node`, if it is a constant.
pub fn evaluate(text: &[u8], node: Node<'_>, names: &dyn ConstantNames) -> Option<i64> {
    Evaluation { text, names }.value(node, 0)
}

/// The value of the logical expression `node`, if it is a constant.
pub fn evaluate_truth(text: &[u8], node: Node<'_>, names: &dyn ConstantNames) -> Option<bool> {
    Evaluation { text, names }.truth(node, 0)
}

/// The values of the constant integer array `node` in the order of its elements, and whether it is a single value, which
/// an array takes for each of its elements.
pub(super) fn evaluate_array(text: &[u8], node: Node<'_>, names: &dyn ConstantNames) -> Option<ArrayValue> {
    Evaluation { text, names }.array(node, 0)
}

/// What a constant expression gives an array.
pub(super) enum ArrayValue {
    /// The same for all elements.
    Each(i64),
    /// The elements one after the other.
    Elements(Vec<i64>),
}

/// The value of an integer literal, its kind parameter dropped.
pub fn integer_literal(text: &str) -> Option<i64> {
    let digits = text.split('_').next()?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

struct Evaluation<'a> {
    text: &'a [u8],
    names: &'a dyn ConstantNames,
}

impl Evaluation<'_> {
    fn value(&self, node: Node<'_>, depth: usize) -> Option<i64> {
        if depth > MAX_DEPTH {
            return None;
        }
        match node.kind() {
            "number_literal" => integer_literal(&lower_text(self.text, node)),
            "identifier" => {
                let spelled = std::str::from_utf8(&self.text[node.byte_range()]).ok();
                let of_macro = spelled.and_then(|spelled| self.names.macro_value(spelled));
                of_macro.or_else(|| self.names.value(&lower_text(self.text, node)))
            }
            "parenthesized_expression" => self.value(*named_children(node).first()?, depth + 1),
            "unary_expression" => {
                let value = self.value(node.child_by_field_name("argument")?, depth + 1)?;
                match lower_text(self.text, node.child_by_field_name("operator")?).as_str() {
                    "-" => value.checked_neg(),
                    "+" => Some(value),
                    _ => None,
                }
            }
            "math_expression" => {
                let left = self.value(node.child_by_field_name("left")?, depth + 1)?;
                let right = self.value(node.child_by_field_name("right")?, depth + 1)?;
                match lower_text(self.text, node.child_by_field_name("operator")?).as_str() {
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    "/" => left.checked_div(right),
                    "**" => left.checked_pow(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            "call_expression" => self.call(node, depth),
            _ => None,
        }
    }

    fn truth(&self, node: Node<'_>, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        match node.kind() {
            "boolean_literal" => Some(lower_text(self.text, node).starts_with(".true.")),
            "identifier" => self.names.truth(&lower_text(self.text, node)),
            "parenthesized_expression" => self.truth(*named_children(node).first()?, depth + 1),
            "logical_expression" if node.child_by_field_name("left").is_none() => {
                let is_not = lower_text(self.text, node.child_by_field_name("operator")?) == ".not.";
                let value = self.truth(node.child_by_field_name("argument")?, depth + 1)?;
                is_not.then_some(!value)
            }
            "logical_expression" => {
                let left = self.truth(node.child_by_field_name("left")?, depth + 1)?;
                let right = self.truth(node.child_by_field_name("right")?, depth + 1)?;
                match lower_text(self.text, node.child_by_field_name("operator")?).as_str() {
                    ".and." => Some(left && right),
                    ".or." => Some(left || right),
                    ".eqv." => Some(left == right),
                    ".neqv." => Some(left != right),
                    _ => None,
                }
            }
            "relational_expression" => {
                let left = self.value(node.child_by_field_name("left")?, depth + 1)?;
                let right = self.value(node.child_by_field_name("right")?, depth + 1)?;
                match lower_text(self.text, node.child_by_field_name("operator")?).as_str() {
                    "==" | ".eq." => Some(left == right),
                    "/=" | ".ne." => Some(left != right),
                    "<" | ".lt." => Some(left < right),
                    "<=" | ".le." => Some(left <= right),
                    ">" | ".gt." => Some(left > right),
                    ">=" | ".ge." => Some(left >= right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn array(&self, node: Node<'_>, depth: usize) -> Option<ArrayValue> {
        if depth > MAX_DEPTH {
            return None;
        }
        match node.kind() {
            "array_literal" => {
                let children = named_children(node);
                let mut elements = Vec::new();
                for &child in &children {
                    if matches!(child.kind(), "intrinsic_type" | "derived_type") {
                        // Other types would convert the values.
                        if !lower_text(self.text, child).starts_with("integer") {
                            return None;
                        }
                        continue;
                    }
                    match self.array(child, depth + 1)? {
                        ArrayValue::Each(value) => elements.push(value),
                        ArrayValue::Elements(values) => elements.extend(values),
                    }
                }
                Some(ArrayValue::Elements(elements))
            }
            "parenthesized_expression" => self.array(*named_children(node).first()?, depth + 1),
            "identifier" if self.names.array(&lower_text(self.text, node)).is_some() => {
                let known = self.names.array(&lower_text(self.text, node))?;
                known.elements.iter().copied().collect::<Option<_>>().map(ArrayValue::Elements)
            }
            // The elements keep their order where there is neither padding nor another order.
            "call_expression" if self.is_reshape(node) => {
                match named_children(*named_children(node).get(1)?).as_slice() {
                    [source, shape] if [source, shape].iter().all(|part| part.kind() != "keyword_argument") => {
                        self.array(*source, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => self.value(node, depth).map(ArrayValue::Each),
        }
    }

    fn is_reshape(&self, node: Node<'_>) -> bool {
        let name = child_of_kind(node, "identifier").map(|name| lower_text(self.text, name));
        name.as_deref() == Some("reshape") && !self.names.hides_intrinsic("reshape")
    }

    /// An element of a constant array.
    fn element(&self, array: &InitialValues, subscripts: Node<'_>, depth: usize) -> Option<i64> {
        let subscripts = named_children(subscripts);
        let values: Option<Vec<i64>> = subscripts.iter().map(|&subscript| self.value(subscript, depth + 1)).collect();
        array.element(&values?)
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<i64> {
        let children = named_children(node);
        let [function, arguments] = children.as_slice() else { return None };
        let name = lower_text(self.text, *function);
        if let Some(array) = self.names.array(&name).filter(|_| function.kind() == "identifier") {
            return self.element(array, *arguments, depth);
        }
        if function.kind() != "identifier" || self.names.hides_intrinsic(&name) {
            return None;
        }
        let arguments = named_children(*arguments);
        if name == "kind" {
            return self.kind_of(*arguments.first()?);
        }
        if name == "selected_real_kind" {
            return self.selected_real_kind(&arguments, depth);
        }
        let values: Option<Vec<i64>> = arguments.iter().map(|&argument| self.value(argument, depth + 1)).collect();
        match (name.as_str(), values?.as_slice()) {
            ("max" | "max0", values) => values.iter().copied().max(),
            ("min" | "min0", values) => values.iter().copied().min(),
            ("mod", &[a, b]) => a.checked_rem(b),
            ("modulo", &[a, b]) => {
                let rest = a.checked_rem(b)?;
                if rest != 0 && (rest < 0) != (b < 0) { rest.checked_add(b) } else { Some(rest) }
            }
            ("abs" | "iabs", &[a]) => a.checked_abs(),
            ("int", &[a]) => Some(a),
            ("ishft" | "shiftl", &[a, b]) if (0..=30).contains(&b) && a >= 0 => a.checked_mul(1 << b),
            // The ranges of two's complement integers.
            ("selected_int_kind", &[digits]) => match digits {
                ..=2 => Some(1),
                3..=4 => Some(2),
                5..=9 => Some(4),
                10..=18 => Some(8),
                19..=38 => Some(16),
                _ => None,
            },
            _ => None,
        }
    }

    /// The kinds of IEEE reals with at least the digits and the range that are asked for.
    fn selected_real_kind(&self, arguments: &[Node<'_>], depth: usize) -> Option<i64> {
        let mut digits = 0;
        let mut range = 0;
        for (position, &argument) in arguments.iter().enumerate() {
            let (name, value) = if argument.kind() == "keyword_argument" {
                (lower_text(self.text, argument.child_by_field_name("name")?), argument.child_by_field_name("value")?)
            } else {
                (["p", "r"].get(position)?.to_string(), argument)
            };
            match name.as_str() {
                "p" => digits = self.value(value, depth + 1)?,
                "r" => range = self.value(value, depth + 1)?,
                _ => return None,
            }
        }
        match (digits, range) {
            (..=6, ..=37) => Some(4),
            (..=15, ..=307) => Some(8),
            _ => None,
        }
    }

    /// The value of `kind(argument)`.
    fn kind_of(&self, argument: Node<'_>) -> Option<i64> {
        let text = lower_text(self.text, argument);
        match argument.kind() {
            "identifier" => self.names.kind(&text),
            "number_literal" => {
                if let Some((_, kind)) = text.split_once('_') {
                    return integer_literal(kind).or_else(|| self.names.value(kind));
                }
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                let kinds = self.names.default_kinds();
                let bytes = match () {
                    () if digits => Some(4),
                    () if text.contains('d') => kinds.double,
                    () => kinds.real,
                };
                bytes.map(i64::from)
            }
            "boolean_literal" => (!text.contains('_')).then_some(4),
            "string_literal" => Some(1),
            "parenthesized_expression" | "complex_literal" => {
                let parts = all_children(argument);
                self.kind_of(*parts.iter().find(|part| part.is_named())?)
            }
            _ => None,
        }
    }
}
