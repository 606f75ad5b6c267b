//! Which variable a name means: scopes, shadowing, fields, and what may share memory.
//!
//! A place is a variable or a field of one (`out`, `self.buf`), named by the declaration that its first name means and by its fields.
//! Two places of safe Rust share memory only where one holds the other, or where one is made from the other by a reference: for those
//! [`Facts::aliases`] has a pair.

use std::collections::{BTreeMap, BTreeSet};

use gravelc::ir::{
    ArrayDimension, BinaryOperator, ElementType, Expression, ExpressionKind, Shape, Span, Storage, Symbol, SymbolClass,
    SymbolId, TypeCategory,
};
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Expr, Member};

/// What all arrays are of, as far as the middle end is concerned: it asks only whether two are alike.
pub const ELEMENT: ElementType = ElementType { category: TypeCategory::Real, bytes: Some(8) };
const INTEGER: ElementType = ElementType { category: TypeCategory::Integer, bytes: Some(8) };

/// A place: the declaration that its first name means, and its fields.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub Vec<String>);

/// What stands behind the fields of a place for its number of elements.
const LENGTH: &str = "len()";

impl Key {
    /// Does one of them hold the other, or are they the same?
    pub fn meets(&self, other: &Self) -> bool {
        let are_places = !self.0.is_empty() && !other.0.is_empty() && !self.is_length() && !other.is_length();
        are_places && self.0.iter().zip(&other.0).all(|(one, other)| one == other)
    }

    /// The number of elements of the place.
    pub fn length(&self) -> Self {
        Self(self.0.iter().cloned().chain([LENGTH.to_owned()]).collect())
    }

    /// Is it, or what it is a field of, declared in what is read?
    pub fn is_declared(&self) -> bool {
        let number = self.0.first().and_then(|root| root.rsplit_once('#')).map(|(_, number)| number);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Is it not declared, and called as variables are?
    pub fn is_outside(&self) -> bool {
        let Some(root) = self.0.first().filter(|root| *root != "self" && !self.is_declared()) else { return false };
        let name = root.strip_prefix("r#").unwrap_or(root);
        name.starts_with(|letter: char| letter == '_' || letter.is_lowercase())
    }

    /// Is it a number of elements?
    pub fn is_length(&self) -> bool {
        self.0.last().is_some_and(|last| last == LENGTH)
    }
}

/// What is known of places when all of a function has been read. It is read several times, until nothing is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// All places.
    pub keys: BTreeSet<Key>,
    /// Those whose elements are named.
    pub arrays: BTreeSet<Key>,
    /// Those of type `usize`: they count elements.
    pub integers: BTreeSet<Key>,
    /// Pairs of places of which one may lead to the other's memory.
    pub aliases: BTreeSet<(Key, Key)>,
    /// Variables that may hold what is computed from constants and loop variables alone.
    pub constant: BTreeSet<Key>,
    /// Variables that get their first value by an assignment.
    pub late: BTreeSet<Key>,
}

impl Facts {
    /// Is it known to be more than a number: are its elements or fields named?
    pub fn has_parts(&self, key: &Key) -> bool {
        let is_part = |other: &&Key| other.0.len() > key.0.len() && other.0.starts_with(&key.0);
        self.arrays.contains(key) || self.keys.iter().chain(&self.arrays).any(|other| is_part(&other))
    }
}

/// The names that a function has at a point, and its symbols.
pub struct Names {
    scopes: Vec<BTreeMap<String, String>>,
    declarations: usize,
    /// What was known before this reading.
    pub known: Facts,
    /// What this reading finds.
    pub found: Facts,
    by_key: BTreeMap<Key, SymbolId>,
    /// The symbols, in the order of their numbers.
    pub symbols: Vec<Symbol>,
    /// What the symbols are in the text, in the order of their numbers.
    pub places: Vec<Place>,
    /// Variables that stand for elements of arrays: the array, and the number of the element, as the text has them.
    pub elements: BTreeMap<Key, (Expr, SymbolId)>,
    /// Variables that stand for rows of arrays.
    pub rows: BTreeMap<Key, Row>,
    /// The same name stands for two things that a macro keeps apart: nothing can be told by names.
    pub is_mixed: bool,
    /// What is read is a part of a function: names that it does not declare may be the function's variables.
    is_part: bool,
    contexts: BTreeMap<String, String>,
}

/// A row of an array.
#[derive(Clone)]
pub struct Row {
    /// The array.
    pub array: SymbolId,
    /// The number of the row.
    pub number: SymbolId,
    /// Its number of elements.
    pub size: Expression,
    /// That as it is written.
    pub written: String,
}

impl Row {
    /// An element of it, as one of its array.
    pub fn element(&self, subscript: Expression) -> Expression {
        let span = subscript.span;
        let at = |kind: ExpressionKind| Expression::new(kind, span);
        let number = at(ExpressionKind::Symbol(self.number));
        let joined = |operator, left, right| {
            at(ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) })
        };
        let first = joined(BinaryOperator::Multiply, number, self.size.clone());
        let subscripts = vec![joined(BinaryOperator::Add, first, subscript)];
        at(ExpressionKind::Element { array: self.array, subscripts })
    }
}

/// What a symbol is in the text.
#[derive(Clone)]
pub struct Place {
    /// The place.
    pub key: Key,
    /// How it is written where it stands first.
    pub expression: Expr,
}

impl Place {
    /// Is it something that the text names, and no number of elements?
    pub fn is_variable(&self) -> bool {
        !self.key.is_length() && !self.key.0.is_empty()
    }
}

/// A macro's names are others than those of who calls it: the compiler shows the difference only so.
fn context_of(ident: &Ident) -> String {
    let shown = format!("{:?}", ident.span());
    let number = shown.strip_prefix('#').and_then(|rest| rest.split(' ').next());
    number.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default().to_owned()
}

impl Names {
    /// No names, with what earlier readings found, of a function or a part of one.
    pub fn new(known: Facts, is_part: bool) -> Self {
        Self {
            scopes: vec![BTreeMap::new()],
            declarations: 0,
            known,
            found: Facts::default(),
            by_key: BTreeMap::new(),
            symbols: Vec::new(),
            places: Vec::new(),
            elements: BTreeMap::new(),
            rows: BTreeMap::new(),
            is_mixed: false,
            is_part,
            contexts: BTreeMap::new(),
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    fn see(&mut self, ident: &Ident) {
        let context = context_of(ident);
        let name = ident.to_string();
        if name != "self" && self.contexts.entry(name).or_insert_with(|| context.clone()) != &context {
            self.is_mixed = true;
        }
    }

    /// The name is declared here: from now on it means a new variable.
    pub fn declare(&mut self, ident: &Ident) -> Key {
        self.see(ident);
        self.declarations += 1;
        let declared = format!("{ident}#{}", self.declarations);
        if let Some(innermost) = self.scopes.last_mut() {
            innermost.insert(ident.to_string(), declared.clone());
        }
        Key(vec![declared])
    }

    fn root(&mut self, ident: &Ident) -> String {
        self.see(ident);
        let name = ident.to_string();
        self.scopes.iter().rev().find_map(|scope| scope.get(&name)).cloned().unwrap_or(name)
    }

    /// Is it a variable of the function?
    pub fn is_local(&self, key: &Key) -> bool {
        key.is_declared() || key.0.first().is_some_and(|root| root == "self") || self.is_outside(key)
    }

    /// Is it taken for a variable that is declared outside of the part that is read? Rust's names of constants are others; what is emitted
    /// holds a line that is an error where one has such a name.
    pub fn is_outside(&self, key: &Key) -> bool {
        self.is_part && key.is_outside()
    }

    /// May its value be known to the compiler? Of what is declared outside nothing is known.
    pub fn may_be_constant(&self, key: &Key) -> bool {
        !self.is_local(key) || self.is_outside(key) || self.known.constant.contains(key)
    }

    /// The place that an expression names: a variable, a constant, or fields of one.
    pub fn key_of(&mut self, expression: &Expr) -> Option<Key> {
        match expression {
            Expr::Path(path) if path.attrs.is_empty() && path.qself.is_none() => {
                let segments = &path.path.segments;
                if segments.iter().any(|segment| !segment.arguments.is_empty()) {
                    return None;
                }
                match path.path.get_ident() {
                    Some(ident) => Some(Key(vec![self.root(ident)])),
                    None => {
                        let parts: Vec<String> = segments.iter().map(|segment| segment.ident.to_string()).collect();
                        Some(Key(vec![format!("::{}", parts.join("::"))]))
                    }
                }
            }
            Expr::Field(field) if field.attrs.is_empty() => {
                let mut key = self.key_of(&field.base)?;
                key.0.push(match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                });
                Some(key)
            }
            Expr::Paren(inner) => self.key_of(&inner.expr),
            Expr::Group(inner) => self.key_of(&inner.expr),
            _ => None,
        }
    }

    /// The symbol of a place.
    pub fn symbol(&mut self, key: &Key, expression: &Expr) -> SymbolId {
        self.found.keys.insert(key.clone());
        if let Some(&known) = self.by_key.get(key) {
            return known;
        }
        let id = SymbolId(self.symbols.len());
        let text = quote::quote!(#expression).to_string().replace(' ', "");
        // Names that begin as those of emitted code are none of them: those of a macro are its own.
        let name = if text.starts_with("gravel") { format!("the variable {text}") } else { text };
        let is_array = self.known.arrays.contains(key);
        let is_integer = !is_array && (key.is_length() || self.known.integers.contains(key));
        let nowhere = Span { file: gravelc::ir::FileId(0), start: 0, end: 0 };
        let zero = Expression::new(ExpressionKind::Integer(0), nowhere);
        self.symbols.push(Symbol {
            class: SymbolClass::Variable,
            element: if is_integer { INTEGER } else { ELEMENT },
            shape: match is_array {
                true => Shape::Array(vec![ArrayDimension { lower: Some(zero), upper: None }]),
                false => Shape::Scalar,
            },
            storage: Storage::Local,
            ..Symbol::messaging_constant(&name)
        });
        self.places.push(Place { key: key.clone(), expression: expression.clone() });
        self.by_key.insert(key.clone(), id);
        id
    }

    /// The number of elements of a place, which is written so.
    pub fn length_of(&mut self, key: &Key, expression: &Expr) -> SymbolId {
        let written: Expr = syn::parse_quote!(#expression.len());
        self.symbol(&key.length(), &written)
    }

    /// All symbols that the names in the tokens may lead to.
    pub fn mentioned(&mut self, tokens: TokenStream) -> Vec<SymbolId> {
        let mut roots = BTreeSet::new();
        self.add_roots(tokens, &mut roots);
        let met = |key: &&Key| key.0.first().is_some_and(|root| roots.contains(root));
        let keys: Vec<Key> = self.known.keys.iter().filter(met).filter(|key| !key.is_length()).cloned().collect();
        keys.iter().filter_map(|key| self.by_key.get(key).copied()).collect()
    }

    /// The variables of the function that the names in the tokens mean.
    pub fn roots(&mut self, tokens: TokenStream) -> BTreeSet<Key> {
        let mut roots = BTreeSet::new();
        self.add_roots(tokens, &mut roots);
        roots.into_iter().map(|root| Key(vec![root])).filter(|key| self.is_local(key)).collect()
    }

    fn add_roots(&mut self, tokens: TokenStream, roots: &mut BTreeSet<String>) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(ident) => {
                    let root = self.root(&ident);
                    roots.insert(root);
                }
                TokenTree::Group(group) => self.add_roots(group.stream(), roots),
                // `format!("{x}")` names a variable inside of a literal.
                TokenTree::Literal(literal) => {
                    for word in words(&literal.to_string()) {
                        let known = self.scopes.iter().rev().find_map(|scope| scope.get(&word)).cloned();
                        roots.extend(known);
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    /// Symbols whose memory may be that of others get the same number.
    pub fn join_overlays(&mut self) {
        let count = self.symbols.len();
        let mut group: Vec<usize> = (0..count).collect();
        let mut join = |one: usize, other: usize| {
            let (from, to) = (group[one].max(group[other]), group[one].min(group[other]));
            group.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
        };
        for one in 0..count {
            for other in 0..one {
                if self.places[one].key.meets(&self.places[other].key) {
                    join(one, other);
                }
            }
        }
        for (one, other) in &self.known.aliases {
            let meeting = |key: &Key| (0..count).filter(|&it| self.places[it].key.meets(key)).collect::<Vec<_>>();
            let (ones, others) = (meeting(one), meeting(other));
            for &first in &ones {
                others.iter().for_each(|&second| join(first, second));
            }
        }
        for id in 0..count {
            let is_alone = group.iter().filter(|&&it| it == group[id]).count() == 1;
            self.symbols[id].overlay = (!is_alone).then_some(group[id]);
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[&str]) -> Key {
        Key(parts.iter().map(|&part| part.to_owned()).collect())
    }

    #[test]
    fn an_object_meets_its_fields_and_no_others() {
        assert!(key(&["self"]).meets(&key(&["self", "buf"])) && key(&["a"]).meets(&key(&["a"])));
        assert!(!key(&["self", "buf"]).meets(&key(&["self", "other"])));
        assert!(!key(&["a"]).length().meets(&key(&["a"])));
    }

    #[test]
    fn a_name_that_is_declared_again_is_another_variable() {
        let mut names = Names::new(Facts::default(), false);
        let ident: Ident = syn::parse_quote!(x);
        let outer = names.declare(&ident);
        names.enter();
        let inner = names.declare(&ident);
        let x: Expr = syn::parse_quote!(x);
        assert_eq!(names.key_of(&x), Some(inner));
        names.leave();
        assert_eq!(names.key_of(&x), Some(outer));
        assert!(names.roots(syn::parse_quote!(println!("{x}"))).iter().any(|key| key.0[0] == "x#1"));
    }
}
