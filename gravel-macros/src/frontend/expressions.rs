//! Values that are plain if the variables in them are: numbers, elements, arithmetic, methods of numbers.
//!
//! Everything else is an obstacle: it may call anybody.

use std::collections::BTreeSet;

use gravelc::ir::{BinaryOperator, Callee, Expression, ExpressionKind, Span, SymbolId, UnaryOperator};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, Stmt, UnOp};

use super::names::{Key, Names};
use super::risks::Seen;

/// What stands in the way of understanding a part of the text.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// Where it is.
    pub span: proc_macro2::Span,
    /// What it is, as the beginning of a sentence.
    pub what: String,
}

impl Obstacle {
    /// Of a part of the text.
    pub fn at(part: &impl Spanned, what: impl Into<String>) -> Self {
        Self { span: part.span(), what: what.into() }
    }
}

/// Methods of integers and floating-point numbers whose value depends on their arguments alone.
const METHODS: &[&str] = &[
    "abs",
    "abs_diff",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "count_ones",
    "count_zeros",
    "div_ceil",
    "div_euclid",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "hypot",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_negative",
    "is_positive",
    "is_power_of_two",
    "is_sign_negative",
    "is_sign_positive",
    "isqrt",
    "leading_zeros",
    "ln",
    "ln_1p",
    "log",
    "log10",
    "log2",
    "max",
    "min",
    "mul_add",
    "next_multiple_of",
    "pow",
    "powf",
    "powi",
    "recip",
    "rem_euclid",
    "rotate_left",
    "rotate_right",
    "round",
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "signum",
    "sin",
    "sinh",
    "sqrt",
    "swap_bytes",
    "tan",
    "tanh",
    "to_bits",
    "to_degrees",
    "to_radians",
    "trailing_zeros",
    "trunc",
    "unsigned_abs",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_sub",
];

/// A value of the text.
pub struct Value {
    /// As the middle end sees it.
    pub expression: Expression,
    /// It depends on something that is known only when the program runs: memory, or an argument of the function.
    pub is_of_run_time: bool,
}

/// What is read while values are lowered.
pub struct Reading<'n> {
    /// The names.
    pub names: &'n mut Names,
    /// Where the statement stands in the text that the middle end sees.
    pub span: Span,
    /// Functions that the user calls pure.
    pub pure: &'n [String],
    /// What has been seen in it.
    pub seen: &'n mut Seen,
}

fn at(span: Span, kind: ExpressionKind) -> Expression {
    Expression::new(kind, span)
}

/// The expression without parentheses around it.
pub fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) if inner.attrs.is_empty() => bare(&inner.expr),
        Expr::Group(inner) if inner.attrs.is_empty() => bare(&inner.expr),
        other => other,
    }
}

impl Reading<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// What in it may call anybody.
    pub fn value(&mut self, expression: &Expr) -> Result<Value, Obstacle> {
        let span = self.span;
        let plain =
            |kind: ExpressionKind, is_of_run_time: bool| Ok(Value { expression: at(span, kind), is_of_run_time });
        match bare(expression) {
            Expr::Lit(literal) if literal.attrs.is_empty() => match &literal.lit {
                Lit::Int(number) => match number.base10_parse::<i64>() {
                    Ok(number) => plain(ExpressionKind::Integer(number), false),
                    Err(_) => plain(ExpressionKind::Literal, false),
                },
                Lit::Float(_) | Lit::Bool(_) | Lit::Char(_) | Lit::Byte(_) => plain(ExpressionKind::Literal, false),
                _ => Err(Obstacle::at(expression, "a literal that is no number")),
            },
            place @ (Expr::Path(_) | Expr::Field(_)) => {
                let Some(key) = self.names.key_of(place) else {
                    return Err(Obstacle::at(expression, "a name that is no simple variable"));
                };
                if let Some(element) = self.element_behind(&key) {
                    return Ok(Value { expression: element, is_of_run_time: true });
                }
                if self.names.known.arrays.contains(&key) || self.names.rows.contains_key(&key) {
                    return Err(Obstacle::at(expression, "an array as a whole"));
                }
                let is_of_run_time = !self.names.may_be_constant(&key);
                let symbol = self.names.symbol(&key, place);
                plain(ExpressionKind::Symbol(symbol), is_of_run_time)
            }
            Expr::Index(index) if index.attrs.is_empty() => self.element(expression, &index.expr, &index.index),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) && self.names_element(&unary.expr) => {
                self.value(&unary.expr)
            }
            Expr::Unary(unary) if unary.attrs.is_empty() => {
                let operator = match unary.op {
                    UnOp::Neg(_) => UnaryOperator::Negate,
                    UnOp::Not(_) => UnaryOperator::Not,
                    _ => return Err(Obstacle::at(expression, "what lies behind a reference")),
                };
                let operand = self.value(&unary.expr)?;
                self.risk_of_negation(unary, &operand.expression);
                let is_of_run_time = operand.is_of_run_time;
                // `!` of an integer flips its bits.
                let kind = match operator {
                    UnaryOperator::Negate => ExpressionKind::Unary { operator, operand: Box::new(operand.expression) },
                    _ => ExpressionKind::Computed(vec![operand.expression]),
                };
                plain(kind, is_of_run_time)
            }
            Expr::Binary(binary) if binary.attrs.is_empty() => {
                let operator = match binary.op {
                    BinOp::Add(_) => Some(BinaryOperator::Add),
                    BinOp::Sub(_) => Some(BinaryOperator::Subtract),
                    BinOp::Mul(_) => Some(BinaryOperator::Multiply),
                    ref other if is_assignment(other) => {
                        return Err(Obstacle::at(expression, "an assignment inside of an expression"));
                    }
                    _ => None,
                };
                let left = self.value(&binary.left)?;
                let right = self.value(&binary.right)?;
                let is_of_run_time = left.is_of_run_time || right.is_of_run_time;
                let kind = match operator {
                    Some(operator) => ExpressionKind::Binary {
                        operator,
                        left: Box::new(left.expression),
                        right: Box::new(right.expression),
                    },
                    None => ExpressionKind::Computed(vec![left.expression, right.expression]),
                };
                self.risk_of_operator(binary, &kind);
                plain(kind, is_of_run_time)
            }
            Expr::Cast(cast) if cast.attrs.is_empty() => {
                let value = self.value(&cast.expr)?;
                plain(ExpressionKind::Computed(vec![value.expression]), value.is_of_run_time)
            }
            Expr::If(branch) if branch.attrs.is_empty() => {
                let Some((_, otherwise)) = &branch.else_branch else {
                    return Err(Obstacle::at(expression, "a branch without a value"));
                };
                let condition = self.value(&branch.cond)?;
                let (then, otherwise) = (single(&branch.then_branch)?, in_block(otherwise)?);
                let values = [condition, self.value(then)?, self.value(otherwise)?];
                // A branch on constants may be folded, so all of its parts have to be of run time.
                let is_of_run_time = values.iter().all(|value| value.is_of_run_time);
                let parts = values.into_iter().map(|value| value.expression).collect();
                plain(ExpressionKind::Computed(parts), is_of_run_time)
            }
            Expr::Match(chosen) if chosen.attrs.is_empty() => {
                let mut values = self.chosen_by(chosen)?;
                for arm in &chosen.arms {
                    values.push(self.value(in_block(&arm.body)?)?);
                }
                let is_of_run_time = values.iter().all(|value| value.is_of_run_time);
                let parts = values.into_iter().map(|value| value.expression).collect();
                plain(ExpressionKind::Computed(parts), is_of_run_time)
            }
            Expr::MethodCall(call) if call.attrs.is_empty() && call.turbofish.is_none() => {
                self.method(expression, call)
            }
            Expr::Call(call) if call.attrs.is_empty() => {
                let name = call.func.to_token_stream().to_string();
                if !self.pure.contains(&name) {
                    let shown = name.replace(' ', "");
                    let what = format!(
                        "a call of `{shown}`, whose effects are not known (`pure({shown})` says that it has none),"
                    );
                    return Err(Obstacle::at(expression, what));
                }
                self.risk("a call of a function");
                let arguments: Result<Vec<Value>, Obstacle> = call.args.iter().map(|it| self.value(it)).collect();
                let arguments = arguments?;
                let is_of_run_time = arguments.iter().any(|it| it.is_of_run_time);
                let parts = arguments.into_iter().map(|it| it.expression).collect();
                plain(ExpressionKind::Computed(parts), is_of_run_time)
            }
            other => Err(Obstacle::at(other, what_it_is(other))),
        }
    }

    /// What the arms of a `match` on numbers are chosen by: its value, and the conditions of arms.
    ///
    /// # Errors
    /// A pattern that is no number, or anything that is not plain.
    pub fn chosen_by(&mut self, chosen: &syn::ExprMatch) -> Result<Vec<Value>, Obstacle> {
        let mut values = vec![self.value(&chosen.expr)?];
        for arm in &chosen.arms {
            let (pattern, condition) = guarded(&arm.pat);
            if !arm.attrs.is_empty() || !is_of_numbers(pattern) {
                return Err(Obstacle::at(&arm.pat, "a pattern that is no number"));
            }
            if let Some(condition) = condition {
                values.push(self.value(condition)?);
            }
        }
        Ok(values)
    }

    fn names_element(&mut self, expression: &Expr) -> bool {
        let key = self.names.key_of(expression);
        key.is_some_and(|key| self.names.elements.contains_key(&key))
    }

    /// The element of an array that a variable of a loop stands for.
    fn element_behind(&mut self, key: &Key) -> Option<Expression> {
        let (place, number) = self.names.elements.get(key)?.clone();
        let array = self.names.key_of(&place)?;
        if let Some(row) = self.names.rows.get(&array) {
            return Some(row.element(at(self.span, ExpressionKind::Symbol(number))));
        }
        let array = self.names.symbol(&array, &place);
        let subscripts = vec![at(self.span, ExpressionKind::Symbol(number))];
        Some(at(self.span, ExpressionKind::Element { array, subscripts }))
    }

    /// The element of an array.
    pub fn element(&mut self, whole: &Expr, array: &Expr, index: &Expr) -> Result<Value, Obstacle> {
        let span = self.span;
        if let Expr::Index(inner) = bare(array) {
            self.risk("an element of an element");
            let outer = self.element(array, &inner.expr, &inner.index)?.expression;
            let inner = self.value(index)?.expression;
            let expression = at(span, ExpressionKind::Computed(vec![outer, inner]));
            return Ok(Value { expression, is_of_run_time: true });
        }
        if matches!(bare(index), Expr::Range(_) | Expr::Tuple(_) | Expr::Array(_)) {
            return Err(Obstacle::at(whole, "a part of an array, or an element by several indices,"));
        }
        let Some(key) = self.names.key_of(array) else {
            return Err(Obstacle::at(whole, "an element of something that is no simple variable"));
        };
        if let Some(row) = self.names.rows.get(&key).cloned() {
            self.count(index);
            let subscript = self.value(index)?.expression;
            return Ok(Value { expression: row.element(subscript), is_of_run_time: true });
        }
        self.names.found.arrays.insert(key.clone());
        self.count(index);
        let subscript = self.value(index)?.expression;
        let array = self.names.symbol(&key, bare(array));
        let expression = at(span, ExpressionKind::Element { array, subscripts: vec![subscript] });
        Ok(Value { expression, is_of_run_time: true })
    }

    /// The variables of an expression that counts elements are of type `usize`, as far as arithmetic joins them.
    pub fn count(&mut self, expression: &Expr) {
        match bare(expression) {
            Expr::Binary(binary) if !is_assignment(&binary.op) => {
                self.count(&binary.left);
                // The right side of a shift is of any type.
                if !matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_)) {
                    self.count(&binary.right);
                }
            }
            place @ (Expr::Path(_) | Expr::Field(_)) => {
                if let Some(key) = self.names.key_of(place) {
                    self.names.found.integers.insert(key);
                }
            }
            _ => {}
        }
    }

    fn method(&mut self, whole: &Expr, call: &syn::ExprMethodCall) -> Result<Value, Obstacle> {
        let span = self.span;
        let name = call.method.to_string();
        if (name == "len" || name == "is_empty")
            && call.args.is_empty()
            && let Some(key) = self.names.key_of(&call.receiver)
        {
            if let Some(row) = self.names.rows.get(&key) {
                let size = row.size.clone();
                let kind = if name == "len" { size.kind } else { ExpressionKind::Computed(vec![size]) };
                return Ok(Value { expression: at(span, kind), is_of_run_time: true });
            }
            self.names.found.arrays.insert(key.clone());
            let place = bare(&call.receiver);
            // It is checked with the others.
            self.names.symbol(&key, place);
            let length = self.names.length_of(&key, place);
            let expression = at(span, ExpressionKind::Symbol(length));
            let kind = match name == "len" {
                true => expression.kind,
                false => ExpressionKind::Computed(vec![expression]),
            };
            return Ok(Value { expression: at(span, kind), is_of_run_time: true });
        }
        if !METHODS.contains(&name.as_str()) {
            return Err(Obstacle::at(whole, format!("a call of `{name}`, whose effects are not known,")));
        }
        let mut values = vec![self.value(&call.receiver)?];
        for argument in &call.args {
            values.push(self.value(argument)?);
        }
        self.seen.methods.push(call.clone());
        self.risk_of_method(call);
        let is_of_run_time = values.iter().any(|value| value.is_of_run_time);
        let arguments = values.into_iter().map(|value| value.expression).collect();
        // A compiler computes with its own library what depends on constants alone, of loops too that it unrolls.
        let kind = match is_of_run_time {
            true => ExpressionKind::Computed(arguments),
            false => ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments },
        };
        Ok(Value { expression: at(span, kind), is_of_run_time })
    }

    /// A place that is written: a variable, a field, or an element.
    ///
    /// # Errors
    /// What it is instead.
    pub fn target(&mut self, expression: &Expr) -> Result<(Expression, Option<Key>), Obstacle> {
        match bare(expression) {
            place @ (Expr::Path(_) | Expr::Field(_)) => {
                let key = self.names.key_of(place).filter(|key| self.names.is_local(key));
                let is_part = |key: &Key| self.names.elements.contains_key(key) || self.names.rows.contains_key(key);
                let Some(key) = key.filter(|key| !is_part(key)) else {
                    return Err(Obstacle::at(expression, "an assignment to something that is no simple variable"));
                };
                if self.names.known.arrays.contains(&key) {
                    return Err(Obstacle::at(expression, "an assignment to an array as a whole"));
                }
                let symbol = self.names.symbol(&key, place);
                Ok((at(self.span, ExpressionKind::Symbol(symbol)), Some(key)))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) && self.names_element(&unary.expr) => {
                let key = self.names.key_of(&unary.expr);
                let element = key.and_then(|key| self.element_behind(&key));
                let element = element.ok_or_else(|| Obstacle::at(expression, "an element that is not known"))?;
                Ok((element, None))
            }
            Expr::Index(index) if index.attrs.is_empty() && !matches!(bare(&index.expr), Expr::Index(_)) => {
                Ok((self.element(expression, &index.expr, &index.index)?.expression, None))
            }
            _ => Err(Obstacle::at(expression, "an assignment to something that is no simple variable")),
        }
    }
}

/// Does the operator change its left side?
pub fn is_assignment(operator: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign,
        SubAssign,
    };
    matches!(
        operator,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// The pattern of an arm, and the condition that stands behind it.
pub fn guarded(pattern: &syn::Pat) -> (&syn::Pat, Option<&Expr>) {
    match pattern {
        syn::Pat::Guard(guarded) if guarded.attrs.is_empty() => (&guarded.pat, Some(&guarded.guard)),
        other => (other, None),
    }
}

/// Is it a pattern of numbers, which names nothing? A name may be a new variable.
pub fn is_of_numbers(pattern: &syn::Pat) -> bool {
    fn is_literal(value: &Expr) -> bool {
        match value {
            Expr::Lit(literal) => {
                matches!(literal.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Char(_) | Lit::Byte(_))
            }
            Expr::Unary(negated) => is_literal(&negated.expr),
            _ => false,
        }
    }
    let is_bound = |bound: &Option<Box<Expr>>| bound.as_deref().is_none_or(is_literal);
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Lit(literal) => is_literal(&Expr::Lit(literal.clone())),
        syn::Pat::Range(range) => is_bound(&range.start) && is_bound(&range.end),
        syn::Pat::Or(all) => all.cases.iter().all(is_of_numbers),
        syn::Pat::Paren(inner) => is_of_numbers(&inner.pat),
        _ => false,
    }
}

/// The one expression of a block.
fn single(block: &syn::Block) -> Result<&Expr, Obstacle> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expression, None)] => Ok(expression),
        _ => Err(Obstacle::at(block, "a block of several statements inside of an expression")),
    }
}

fn in_block(expression: &Expr) -> Result<&Expr, Obstacle> {
    match expression {
        Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => single(&block.block),
        other => Ok(other),
    }
}

/// What an expression is that is not understood, as the beginning of a sentence.
pub fn what_it_is(expression: &Expr) -> String {
    let text = match expression {
        Expr::Macro(call) => {
            let name = call.mac.path.to_token_stream().to_string().replace(' ', "");
            return format!("the macro `{name}!`");
        }
        Expr::Call(call) => {
            let name = call.func.to_token_stream().to_string().replace(' ', "");
            return format!("a call of `{name}`, whose effects are not known,");
        }
        Expr::MethodCall(call) => return format!("a call of `{}`, whose effects are not known,", call.method),
        Expr::Await(_) => "`.await`",
        Expr::Unsafe(_) => "an `unsafe` block",
        Expr::Return(_) => "a `return`",
        Expr::Break(_) => "a `break`",
        Expr::Continue(_) => "a `continue`",
        Expr::Try(_) => "a `?`, which may leave the function,",
        Expr::Closure(_) => "a closure",
        Expr::Match(_) => "a `match`",
        Expr::Reference(_) => "a reference",
        Expr::Let(_) => "a pattern",
        _ => "an expression that is not followed",
    };
    text.to_owned()
}

/// The names of the variables of a pattern.
pub fn declared_in(pattern: &syn::Pat) -> Vec<syn::Ident> {
    use syn::visit::Visit;
    #[derive(Default)]
    struct Found(Vec<syn::Ident>);
    impl<'a> Visit<'a> for Found {
        fn visit_pat_ident(&mut self, pattern: &'a syn::PatIdent) {
            self.0.push(pattern.ident.clone());
            syn::visit::visit_pat_ident(self, pattern);
        }
    }
    let mut found = Found::default();
    found.visit_pat(pattern);
    found.0
}

/// The symbols in an expression of the middle end.
pub fn symbols_in(expression: &Expression) -> BTreeSet<SymbolId> {
    expression.walk().into_iter().filter_map(Expression::designated).collect()
}

/// The tokens of a part of the text.
pub fn tokens(part: &impl ToTokens) -> TokenStream {
    part.to_token_stream()
}
