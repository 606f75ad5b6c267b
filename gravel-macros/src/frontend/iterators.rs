//! Loops over the elements of arrays: `for x in a.iter_mut()`, `for (i, x) in a.iter().enumerate()`, `for (x, y) in a.iter_mut().zip(&b)`;
//! and over their rows: `for row in a.chunks_exact_mut(n)`.

use syn::{Expr, Pat};

use super::expressions::bare;

/// What a loop runs over.
pub enum Iterated {
    /// The elements of an array.
    Elements {
        /// The array.
        place: Box<Expr>,
        /// They may be written.
        is_mutable: bool,
    },
    /// The parts of an array, each of so many elements.
    Rows {
        /// The array.
        place: Box<Expr>,
        /// The number of elements of a row: a number, a variable, or a product of those.
        size: Box<Expr>,
        /// As it is written: `chunks`, `chunks_mut`, `chunks_exact`, `chunks_exact_mut`.
        method: syn::Ident,
    },
    /// Two at once, as long as both have elements.
    Zipped(Box<Iterated>, Box<Iterated>),
    /// Each with its number.
    Numbered(Box<Iterated>),
}

/// One array that a loop runs over.
pub struct Leaf<'p> {
    /// The array.
    pub place: &'p Expr,
    /// It is taken in rows of so many elements.
    pub size: Option<&'p Expr>,
    /// A rest that is shorter than a row is a row, too.
    pub has_rest: bool,
}

/// What the pattern of a loop names.
#[derive(Default)]
pub struct Named<'p> {
    /// The name of the number.
    pub number: Option<&'p syn::Ident>,
    /// The names of elements, each with its array.
    pub elements: Vec<(&'p syn::Ident, &'p Expr)>,
    /// The names of rows, each with its array and the number of elements.
    pub rows: Vec<(&'p syn::Ident, &'p Expr, &'p Expr)>,
}

impl Iterated {
    /// What an expression behind `in` runs over, if that is followed.
    pub fn of(expression: &Expr) -> Option<Self> {
        match bare(expression) {
            Expr::Reference(reference) if reference.attrs.is_empty() => {
                let place = place_of(&reference.expr)?;
                Some(Self::Elements { place, is_mutable: reference.mutability.is_some() })
            }
            Expr::MethodCall(call) if call.attrs.is_empty() && call.turbofish.is_none() => {
                let arguments: Vec<&Expr> = call.args.iter().collect();
                match (call.method.to_string().as_str(), arguments.as_slice()) {
                    ("iter", []) => Some(Self::Elements { place: place_of(&call.receiver)?, is_mutable: false }),
                    ("iter_mut", []) => Some(Self::Elements { place: place_of(&call.receiver)?, is_mutable: true }),
                    ("chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut", [size]) if is_size(size) => {
                        let (place, method) = (place_of(&call.receiver)?, call.method.clone());
                        Some(Self::Rows { place, size: Box::new((*size).clone()), method })
                    }
                    ("enumerate", []) => Some(Self::Numbered(Box::new(Self::chained(&call.receiver)?))),
                    ("zip", [other]) => {
                        let (one, other) = (Self::chained(&call.receiver)?, Self::of(other)?);
                        Some(Self::Zipped(Box::new(one), Box::new(other)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Methods of iterators are called on iterators alone, not on references.
    fn chained(expression: &Expr) -> Option<Self> {
        match bare(expression) {
            Expr::MethodCall(_) => Self::of(expression),
            _ => None,
        }
    }

    /// The arrays, in the order of the text.
    pub fn arrays(&self) -> Vec<&Expr> {
        self.leaves().into_iter().map(|leaf| leaf.place).collect()
    }

    /// The arrays as they are taken, in the order of the text.
    pub fn leaves(&self) -> Vec<Leaf<'_>> {
        match self {
            Self::Elements { place, .. } => vec![Leaf { place, size: None, has_rest: false }],
            Self::Rows { place, size, method } => {
                let has_rest = method == "chunks" || method == "chunks_mut";
                vec![Leaf { place, size: Some(size), has_rest }]
            }
            Self::Numbered(inner) => inner.leaves(),
            Self::Zipped(one, other) => one.leaves().into_iter().chain(other.leaves()).collect(),
        }
    }

    /// Does something hold for all arrays, each with whether its elements may be written?
    pub fn all(&self, holds: &dyn Fn(&Expr, bool) -> bool) -> bool {
        match self {
            Self::Elements { place, is_mutable } => holds(place, *is_mutable),
            Self::Rows { place, method, .. } => holds(place, method == "chunks_mut" || method == "chunks_exact_mut"),
            Self::Numbered(inner) => inner.all(holds),
            Self::Zipped(one, other) => one.all(holds) && other.all(holds),
        }
    }

    /// The names in a pattern that takes all apart; `None` if it does not.
    pub fn named<'p>(&'p self, pattern: &'p Pat) -> Option<Named<'p>> {
        match (self, pattern) {
            (_, Pat::Wild(_)) => Some(Named::default()),
            (_, Pat::Paren(inner)) => self.named(&inner.pat),
            (Self::Elements { place, .. }, Pat::Ident(_)) => {
                Some(Named { elements: vec![(simple(pattern)?, place)], ..Named::default() })
            }
            (Self::Rows { place, size, .. }, Pat::Ident(_)) => {
                Some(Named { rows: vec![(simple(pattern)?, place, size)], ..Named::default() })
            }
            (Self::Elements { place, is_mutable: false }, Pat::Reference(inner)) if inner.mutability.is_none() => {
                Some(Named { elements: vec![(simple(&inner.pat)?, place)], ..Named::default() })
            }
            (Self::Numbered(inner), Pat::Tuple(tuple)) if tuple.elems.len() == 2 => {
                let named = inner.named(&tuple.elems[1])?;
                let number = match &tuple.elems[0] {
                    Pat::Wild(_) => None,
                    other => Some(simple(other)?),
                };
                // Two numbers would be two variables of one loop.
                (named.number.is_none() || number.is_none()).then(|| Named { number: number.or(named.number), ..named })
            }
            (Self::Zipped(one, other), Pat::Tuple(tuple)) if tuple.elems.len() == 2 => {
                let (one, other) = (one.named(&tuple.elems[0])?, other.named(&tuple.elems[1])?);
                let elements = one.elements.into_iter().chain(other.elements).collect();
                let rows = one.rows.into_iter().chain(other.rows).collect();
                (one.number.is_none() || other.number.is_none()).then(|| Named {
                    number: one.number.or(other.number),
                    elements,
                    rows,
                })
            }
            _ => None,
        }
    }
}

/// A number, a variable, or a product of those: what has no effect, and whose overflow can be looked for.
fn is_size(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Int(_)),
        Expr::Path(_) | Expr::Field(_) => true,
        Expr::Binary(binary) => {
            matches!(binary.op, syn::BinOp::Mul(_)) && is_size(&binary.left) && is_size(&binary.right)
        }
        _ => false,
    }
}

/// The number of elements of a row, without overflow: a product that is no number is beyond all lengths.
pub fn saturated(size: &Expr) -> Expr {
    match bare(size) {
        Expr::Binary(binary) => {
            let (left, right) = (saturated(&binary.left), saturated(&binary.right));
            syn::parse_quote!(usize::saturating_mul(#left, #right))
        }
        other => other.clone(),
    }
}

fn place_of(expression: &Expr) -> Option<Box<Expr>> {
    let place = bare(expression);
    matches!(place, Expr::Path(_) | Expr::Field(_)).then(|| Box::new(place.clone()))
}

fn simple(pattern: &Pat) -> Option<&syn::Ident> {
    match pattern {
        Pat::Ident(it) if it.by_ref.is_none() && it.subpat.is_none() && it.mutability.is_none() => Some(&it.ident),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    fn names(iterated: &str, pattern: &str) -> Option<(Option<String>, Vec<String>)> {
        let iterated = Iterated::of(&syn::parse_str(iterated).unwrap())?;
        let pattern = Pat::parse_single.parse_str(pattern).unwrap();
        let named = iterated.named(&pattern)?;
        let elements = named.elements.iter().map(|(name, _)| name.to_string()).collect();
        Some((named.number.map(ToString::to_string), elements))
    }

    #[test]
    fn patterns_are_taken_apart() {
        let found = |number: Option<&str>, elements: &[&str]| {
            Some((number.map(str::to_owned), elements.iter().map(|&it| it.to_owned()).collect()))
        };
        assert_eq!(names("a.iter_mut()", "x"), found(None, &["x"]));
        assert_eq!(names("&mut self.a", "x"), found(None, &["x"]));
        assert_eq!(names("a.iter_mut().enumerate()", "(i, x)"), found(Some("i"), &["x"]));
        assert_eq!(names("a.iter_mut().zip(&b).enumerate()", "(_, (x, &y))"), found(None, &["x", "y"]));
        assert_eq!(names("a.iter_mut().zip(b.iter().enumerate())", "(x, (i, y))"), found(Some("i"), &["x", "y"]));
    }

    #[test]
    fn others_are_left() {
        assert_eq!(names("a.iter_mut().rev()", "x"), None);
        assert_eq!(names("a.iter_mut().skip(1)", "x"), None);
        assert_eq!(names("a.chunks(f())", "x"), None);
        assert_eq!(names("a.chunks(n + 1)", "x"), None);
        assert_eq!(names("a.rchunks(3)", "x"), None);
        assert_eq!(names("a.chunks_exact_mut(3)", "&mut [x, _, _]"), None);
        assert_eq!(names("a.iter_mut().enumerate()", "pair"), None);
        assert_eq!(names("a[1..].iter_mut()", "x"), None);
        assert_eq!(names("a.iter_mut()", "&mut x"), None);
    }
}
