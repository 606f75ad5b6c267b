//! Expressions.

use super::super::text::syntax_tree::Node;

use super::super::names::constants::integer_literal;
use super::super::text::conditions::{Macros, Number};
use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::lowering::{Lowering, MAX_DEPTH};
use super::symbols::NameUse;
use crate::ir::{
    BinaryOperator, Callee, Expression, ExpressionKind, LINE_NUMBER, Span, SymbolClass, SymbolId, TypeCategory,
    UnaryOperator, Unread,
};

/// Longer chains of operators become a value that is computed from all their operands.
const MAX_CHAIN: usize = 48;

impl<'t> Lowering<'_, 't> {
    /// Lowers the expression `node`.
    pub fn expression(&mut self, node: Node<'t>) -> Expression {
        let span = self.source.span_of(node);
        if self.depth >= MAX_DEPTH {
            let unread = Unread::unknown("an expression that nests too deeply");
            return Expression::new(ExpressionKind::Opaque(Box::new(unread)), span);
        }
        self.depth += 1;
        let kind = self.expression_kind(node, span);
        self.depth -= 1;
        Expression::new(kind, span)
    }

    /// An expression that is not understood: what it is.
    pub fn opaque(&mut self, span: Span, what: &str) -> ExpressionKind {
        ExpressionKind::Opaque(Box::new(self.not_understood(span, what)))
    }

    fn expression_kind(&mut self, node: Node<'t>, span: Span) -> ExpressionKind {
        match node.kind() {
            "number_literal" => match integer_literal(&self.source.lower(node)) {
                Some(value) => ExpressionKind::Integer(value),
                None => ExpressionKind::Literal,
            },
            "string_literal" => ExpressionKind::Literal,
            "boolean_literal" => ExpressionKind::Logical(self.source.lower(node).starts_with(".true")),
            "complex_literal" => {
                let parts: Vec<Node<'t>> = named_children(node);
                if parts.iter().all(|part| part.kind() == "number_literal") {
                    ExpressionKind::Literal
                } else {
                    ExpressionKind::Computed(parts.into_iter().map(|part| self.expression(part)).collect())
                }
            }
            "array_literal" => {
                let (types, values): (Vec<Node<'t>>, Vec<Node<'t>>) =
                    named_children(node).into_iter().partition(|part| is_type(*part));
                let parameters: Vec<Expression> =
                    types.into_iter().flat_map(|declared| self.type_parameters(declared)).collect();
                let values = values.into_iter().map(|value| self.expression(value));
                // A length that is no number is read, too.
                match parameters.iter().all(|it| matches!(it.kind, ExpressionKind::Integer(_))) {
                    true => ExpressionKind::ArrayConstructor(values.collect()),
                    false => ExpressionKind::Computed(parameters.into_iter().chain(values).collect()),
                }
            }
            "null_literal" => ExpressionKind::Computed(Vec::new()),
            "identifier" => match self.macro_number(node) {
                Some(Number::Integer(value)) => ExpressionKind::Integer(*value),
                Some(Number::Real(_) | Number::Constant(_)) => ExpressionKind::Literal,
                None => self.name_or_place(node, span),
            },
            "derived_type_member_expression" | "call_expression" => self.designator_or_reference(node, span),
            "logical_expression" | "relational_expression" | "math_expression" | "concatenation_expression" => {
                self.operation(node, span)
            }
            "unary_expression" => self.unary(node, span),
            "parenthesized_expression" => match named_children(node).as_slice() {
                [operand] => ExpressionKind::Unary {
                    operator: UnaryOperator::Identity,
                    operand: Box::new(self.expression(*operand)),
                },
                _ => self.opaque(span, "an expression that can't be read"),
            },
            "implied_do_loop_expression" => ExpressionKind::Computed(self.implied_loop(node)),
            "coarray_expression" => self.opaque(span, "a coarray"),
            _ => self.opaque(span, "an expression that can't be read"),
        }
    }

    /// A name without arguments, or what the preprocessor puts in the place of `__FILE__` and `__LINE__`.
    fn name_or_place(&mut self, node: Node<'t>, span: Span) -> ExpressionKind {
        let word = std::str::from_utf8(&self.source.original[node.byte_range()]).unwrap_or_default();
        if Macros::is_text_of_place(word) {
            return ExpressionKind::Literal;
        }
        // As a clock has another value at another time, a line has another one in another place.
        if Macros::is_line(word) {
            return ExpressionKind::Call {
                callee: Callee::PureIntrinsic(LINE_NUMBER.to_owned()),
                arguments: Vec::new(),
            };
        }
        let name = self.source.lower(node);
        self.name(&name, span)
    }

    /// The number that the macro at `node` stands for.
    fn macro_number(&self, node: Node<'_>) -> Option<&Number> {
        let word = std::str::from_utf8(&self.source.original[node.byte_range()]).ok()?;
        self.scopes.macro_number(self.source.file, word)
    }

    /// A name without arguments.
    pub fn name(&mut self, name: &str, span: Span) -> ExpressionKind {
        if let Some(value) = self.statement_argument(name) {
            return ExpressionKind::Computed(vec![value]);
        }
        if self.scoped_names.iter().any(|scoped| scoped == name) {
            return ExpressionKind::Computed(Vec::new());
        }
        match self.construct_name(name) {
            Some(meaning) => self.construct_reference(meaning, Vec::new(), span),
            None => self.plain_name(name, span),
        }
    }

    /// A name of the procedure, or a key, without arguments.
    pub fn plain_name(&mut self, name: &str, span: Span) -> ExpressionKind {
        match self.name_use(name) {
            NameUse::Object(symbol) => self.symbol_expression(symbol, span),
            meaning @ (NameUse::Procedure(_) | NameUse::Indirect | NameUse::Generic | NameUse::PureFunction) => {
                ExpressionKind::Symbol(self.handed_over_symbol(name, &meaning))
            }
            NameUse::Messaging(original) => {
                ExpressionKind::Symbol(self.constant_symbol(name, &original, SymbolClass::MessagingConstant))
            }
            NameUse::Structure => self.opaque(span, "a type where a value is expected"),
            NameUse::Library(name) => of_library(name, Vec::new()),
            NameUse::OwnOrLibrary(..) => self.opaque(span, "a procedure of the program or of a library"),
            NameUse::Unknown(why) => self.opaque(span, &format!("a name that may come from {why}")),
            NameUse::Undeclared => match self.implicit_symbol(name) {
                Some(symbol) => ExpressionKind::Symbol(symbol),
                // An intrinsic procedure can be an actual argument.
                None if self.is_intrinsic_function(name) => {
                    ExpressionKind::Symbol(self.handed_over_symbol(name, &NameUse::PureFunction))
                }
                None => self.opaque(span, "a name that is not declared"),
            },
        }
    }

    fn symbol_expression(&mut self, symbol: SymbolId, span: Span) -> ExpressionKind {
        if self.symbols[symbol.0].class == SymbolClass::Unknown {
            self.opaque(span, "a variable of any rank")
        } else {
            ExpressionKind::Symbol(symbol)
        }
    }

    /// A chain `a + b - c …` from its innermost operand on: long sums must not cost one level of nesting per operand.
    fn operation(&mut self, node: Node<'t>, span: Span) -> ExpressionKind {
        if let Some(argument) = node.child_by_field_name("argument") {
            let operand = self.expression(argument);
            let intrinsic = ExpressionKind::Unary { operator: UnaryOperator::Not, operand: Box::new(operand.clone()) };
            if self.may_call_operator(".not.", &[&operand], TypeCategory::Logical) {
                return self.defined_operator(".not.", vec![operand], intrinsic, span);
            }
            return intrinsic;
        }
        let mut links = Vec::new();
        let mut innermost = node;
        while let (true, Some(left), Some(right), Some(operator)) = (
            is_binary(innermost),
            innermost.child_by_field_name("left"),
            innermost.child_by_field_name("right"),
            innermost.child_by_field_name("operator"),
        ) {
            links.push((innermost, operator, right));
            innermost = left;
        }
        if links.is_empty() {
            return self.opaque(span, "an operation that can't be read");
        }
        let is_long = links.len() > MAX_CHAIN;
        let mut value = self.expression(innermost);
        let mut operands = Vec::new();
        for (link, operator, right) in links.into_iter().rev() {
            let right = self.expression(right);
            let operator = self.operator(operator);
            if is_long {
                let kind = self.combine(&operator, value, right, span);
                // Only the operands count from here on.
                match kind {
                    ExpressionKind::Binary { operator, left, right } if operator != BinaryOperator::Power => {
                        operands.push(*left);
                        value = *right;
                    }
                    // What the program defines, and a power, which rounds in its own way: its value is the left operand of
                    // the next link.
                    other => {
                        operands.push(Expression::new(other, span));
                        value = Expression::new(ExpressionKind::Computed(Vec::new()), span);
                    }
                }
            } else {
                let span = self.source.span_of(link);
                value = Expression::new(self.combine(&operator, value, right, span), span);
            }
        }
        if is_long {
            operands.push(value);
            return ExpressionKind::Computed(operands);
        }
        value.kind
    }

    /// The operator, without the blanks that fixed form permits in it.
    fn operator(&self, node: Node<'t>) -> String {
        self.source.lower(node).split_whitespace().collect()
    }

    /// `left operator right`.
    fn combine(&mut self, written: &str, left: Expression, right: Expression, span: Span) -> ExpressionKind {
        let (operator, operands) = match written {
            "+" => (BinaryOperator::Add, TypeCategory::Real),
            "-" => (BinaryOperator::Subtract, TypeCategory::Real),
            "*" => (BinaryOperator::Multiply, TypeCategory::Real),
            "/" => (BinaryOperator::Divide, TypeCategory::Real),
            "**" => (BinaryOperator::Power, TypeCategory::Real),
            "==" | ".eq." => (BinaryOperator::Equal, TypeCategory::Unknown),
            "/=" | ".ne." => (BinaryOperator::NotEqual, TypeCategory::Unknown),
            "<" | ".lt." => (BinaryOperator::Less, TypeCategory::Unknown),
            "<=" | ".le." => (BinaryOperator::LessEqual, TypeCategory::Unknown),
            ">" | ".gt." => (BinaryOperator::Greater, TypeCategory::Unknown),
            ">=" | ".ge." => (BinaryOperator::GreaterEqual, TypeCategory::Unknown),
            ".and." => (BinaryOperator::And, TypeCategory::Logical),
            ".or." => (BinaryOperator::Or, TypeCategory::Logical),
            ".eqv." | ".neqv." => (BinaryOperator::Other, TypeCategory::Logical),
            "//" => (BinaryOperator::Other, TypeCategory::Character),
            defined => return self.named_operator(defined, vec![left, right], span),
        };
        if !self.may_call_operator(written, &[&left, &right], operands) {
            return ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        }
        let both = vec![left.clone(), right.clone()];
        let intrinsic = ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        self.defined_operator(written, both, intrinsic, span)
    }

    fn unary(&mut self, node: Node<'t>, span: Span) -> ExpressionKind {
        let (Some(operator), Some(argument)) =
            (node.child_by_field_name("operator"), node.child_by_field_name("argument"))
        else {
            return self.opaque(span, "an operation that can't be read");
        };
        let operand = self.expression(argument);
        let written = self.operator(operator);
        let operator = match written.as_str() {
            "-" => UnaryOperator::Negate,
            "+" => UnaryOperator::Identity,
            defined => return self.named_operator(defined, vec![operand], span),
        };
        let intrinsic = ExpressionKind::Unary { operator, operand: Box::new(operand.clone()) };
        if self.may_call_operator(&written, &[&operand], TypeCategory::Real) {
            return self.defined_operator(&written, vec![operand], intrinsic, span);
        }
        intrinsic
    }

    /// What an implied loop reads: its bounds, and its items for some value of its variable.
    pub fn implied_loop(&mut self, node: Node<'t>) -> Vec<Expression> {
        let Some(control) = child_of_kind(node, "loop_control_expression") else { return Vec::new() };
        let controls = named_children(control);
        let mut reads: Vec<Expression> = controls.iter().skip(1).map(|&bound| self.expression(bound)).collect();
        let variable = controls.first().map(|variable| self.source.lower(*variable));
        self.scoped_names.extend(variable.clone());
        let items = named_children(node).into_iter().filter(|item| item.id() != control.id() && !is_type(*item));
        reads.extend(items.map(|item| self.expression(item)).collect::<Vec<_>>());
        if variable.is_some() {
            self.scoped_names.pop();
        }
        reads
    }

    /// The condition in the parentheses of IF, WHERE and the like.
    pub fn condition(&mut self, node: Node<'t>) -> Expression {
        match named_children(node).as_slice() {
            [inner] if node.kind() == "parenthesized_expression" => self.expression(*inner),
            _ => self.expression(node),
        }
    }

    /// Does `node` mention one of the variables of the implied loops around it?
    pub fn mentions_scoped_name(&self, node: Node<'t>) -> bool {
        !self.scoped_names.is_empty()
            && descendants_of_kinds(node, &["identifier"])
                .into_iter()
                .any(|name| self.scoped_names.contains(&self.source.lower(name)))
    }
}

/// What a module of a library has under a name: no more is known of a constant, a variable or a part of one than of what a
/// function of the library gives.
pub(super) fn of_library(name: String, arguments: Vec<Expression>) -> ExpressionKind {
    ExpressionKind::Call { callee: Callee::Unknown(name), arguments }
}

/// Is it an operation with two operands?
fn is_binary(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "logical_expression" | "relational_expression" | "math_expression" | "concatenation_expression"
    )
}

/// Is it a type rather than a value?
fn is_type(node: Node<'_>) -> bool {
    matches!(node.kind(), "intrinsic_type" | "derived_type")
}
