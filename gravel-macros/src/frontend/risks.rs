//! What of a value may end the program: arithmetic that may overflow, divisions, and what is not known.
//!
//! Iterations that run in another order must not end it in another place. Of arithmetic is kept what it is done with: numbers of floating
//! point never end a program, and numbers that count elements have ranges that the emitted code looks at.

use gravelc::ir::{Expression, ExpressionKind, SymbolId};
use syn::{BinOp, Expr, Lit, UnOp};

use super::expressions::{Reading, bare};

/// What has been seen in values.
#[derive(Default)]
pub struct Seen {
    /// Calls of methods whose receivers are to be numbers: each with its whole expression.
    pub methods: Vec<syn::ExprMethodCall>,
    /// What may end the program.
    pub risks: Vec<Risk>,
}

/// Something that may end the program.
pub struct Risk {
    /// Where the statement begins in the text that the middle end sees.
    pub place: usize,
    /// What it is.
    pub kind: RiskKind,
}

/// What may end the program.
pub enum RiskKind {
    /// Arithmetic.
    Arithmetic {
        /// What it is done with.
        leaves: Vec<Leaf>,
        /// Its value.
        value: Expression,
    },
    /// Something else, in words.
    Other(&'static str),
}

/// What arithmetic is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf {
    /// A variable, or elements of an array.
    Variable(SymbolId),
    /// A number of floating point.
    Float,
    /// A whole number that is written.
    Whole,
    /// Something whose type is not known, or no number of floating point.
    Unknown,
}

impl Leaf {
    /// The variable, if it is one.
    pub fn variable(self) -> Option<SymbolId> {
        match self {
            Self::Variable(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// Methods that end the program for some whole numbers, and never for others.
const OF_WHOLE_NUMBERS: [&str; 7] = ["abs", "div_ceil", "div_euclid", "isqrt", "next_multiple_of", "pow", "rem_euclid"];

/// Methods that give something else than a number of the type that they are called on.
const OF_OTHER_TYPES: [&str; 13] = [
    "count_ones",
    "count_zeros",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_negative",
    "is_positive",
    "is_power_of_two",
    "is_sign_negative",
    "is_sign_positive",
    "leading_zeros",
    "to_bits",
    "trailing_zeros",
];

impl Reading<'_> {
    /// Notes that the statement may end the program.
    pub(super) fn risk(&mut self, what: &'static str) {
        self.seen.risks.push(Risk { place: self.span.start, kind: RiskKind::Other(what) });
    }

    fn risk_of_arithmetic(&mut self, parts: &[&Expr], kind: ExpressionKind) {
        let leaves = parts.iter().flat_map(|part| self.leaves(part)).collect();
        let value = Expression::new(kind, self.span);
        self.seen.risks.push(Risk { place: self.span.start, kind: RiskKind::Arithmetic { leaves, value } });
    }

    pub(super) fn risk_of_operator(&mut self, binary: &syn::ExprBinary, kind: &ExpressionKind) {
        match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                self.risk_of_arithmetic(&[&*binary.left, &*binary.right], kind.clone());
            }
            BinOp::Shl(_) | BinOp::Shr(_) => self.risk("a shift"),
            _ => {}
        }
    }

    pub(super) fn risk_of_negation(&mut self, unary: &syn::ExprUnary, operand: &Expression) {
        let is_literal = matches!(bare(&unary.expr), Expr::Lit(_));
        if matches!(unary.op, UnOp::Neg(_)) && !is_literal {
            self.risk_of_arithmetic(&[&*unary.expr], ExpressionKind::Computed(vec![operand.clone()]));
        }
    }

    /// `left += right`, and the like.
    pub(super) fn risk_of_change(&mut self, left: &Expr, right: &Expr, value: &Expression) {
        self.risk_of_arithmetic(&[left, right], ExpressionKind::Computed(vec![value.clone()]));
    }

    pub(super) fn risk_of_method(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        if name == "clamp" {
            self.risk("a call of `clamp`");
        } else if OF_WHOLE_NUMBERS.contains(&name.as_str()) {
            self.risk_of_arithmetic(&[&*call.receiver], ExpressionKind::Computed(Vec::new()));
        }
    }

    /// What a value is made of that has the value's own type.
    pub(super) fn leaves(&mut self, expression: &Expr) -> Vec<Leaf> {
        match bare(expression) {
            Expr::Lit(literal) => vec![match literal.lit {
                Lit::Float(_) => Leaf::Float,
                Lit::Int(_) => Leaf::Whole,
                _ => Leaf::Unknown,
            }],
            place @ (Expr::Path(_) | Expr::Field(_)) => vec![self.leaf(place)],
            Expr::Index(index) => vec![match bare(&index.expr) {
                array @ (Expr::Path(_) | Expr::Field(_)) => self.leaf(array),
                _ => Leaf::Unknown,
            }],
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.leaves(&unary.expr),
            Expr::Binary(binary) => match binary.op {
                BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                    [&binary.left, &binary.right].into_iter().flat_map(|part| self.leaves(part)).collect()
                }
                _ => vec![Leaf::Unknown],
            },
            Expr::Cast(cast) => {
                let is_float = matches!(&*cast.ty, syn::Type::Path(path) if path.path.is_ident("f64") || path.path.is_ident("f32"));
                vec![if is_float { Leaf::Float } else { Leaf::Unknown }]
            }
            Expr::MethodCall(call) if !OF_OTHER_TYPES.iter().any(|name| call.method == name) => {
                self.leaves(&call.receiver)
            }
            _ => vec![Leaf::Unknown],
        }
    }

    fn leaf(&mut self, place: &Expr) -> Leaf {
        let Some(key) = self.names.key_of(place) else { return Leaf::Unknown };
        if self.names.elements.contains_key(&key) || self.names.rows.contains_key(&key) {
            return Leaf::Unknown;
        }
        Leaf::Variable(self.names.symbol(&key, place))
    }
}
