//! Loops over elements and rows of arrays: each is one over their numbers.

use gravelc::ir::{
    AssertedIndependence, BinaryOperator, Expression, ExpressionKind, Loop, LoopBound, Span, StatementId,
    StatementKind, SymbolId,
};
use syn::Expr;
use syn::visit::{self, Visit};

use super::expressions::{bare, is_assignment, tokens};
use super::iterators::{Iterated, saturated};
use super::names::{Key, Row};
use super::statements::{Lowering, binary, flat};
use super::tree::{Node, NodeKind};
use crate::arguments::Directive;

impl Lowering {
    /// Are the rows of a loop, if it has any, of one length from its begin to its end, and rows of a simple variable?
    pub(super) fn has_rows_that_are_followed(&mut self, iterated: &Iterated, body: &syn::Block, span: Span) -> bool {
        iterated.leaves().into_iter().all(|leaf| {
            let Some(size) = leaf.size else { return true };
            let is_row = self.names.key_of(leaf.place).is_some_and(|key| self.names.rows.contains_key(&key));
            !is_row && self.value(size, span).is_ok() && !changes(body, size)
        })
    }

    /// The number of elements of a row, and as it is written.
    fn size(&mut self, size: &Expr, span: Span) -> (Expression, String) {
        self.count(size, span);
        let value = self.value(size, span).map(|value| value.expression);
        let unknown = || Expression::new(ExpressionKind::Computed(Vec::new()), span);
        (value.unwrap_or_else(|_| unknown()), tokens(size).to_string())
    }

    /// How many iterations a loop has; and the statement that says so where nothing in front of the loop around it can.
    fn trips(&mut self, iterated: &Iterated, span: Span) -> (Expression, Option<StatementId>) {
        let at = |symbol: SymbolId| Expression::new(ExpressionKind::Symbol(symbol), span);
        let leaves = iterated.leaves();
        let mut shortest: Option<Expr> = None;
        let mut lengths = Vec::new();
        let mut rows = Vec::new();
        for leaf in &leaves {
            let place = leaf.place;
            let Some(key) = self.names.key_of(place) else { unreachable!("arrays are places") };
            if let Some(row) = self.names.rows.get(&key) {
                lengths.push(row.size.clone());
                rows.push(row.written.clone());
                continue;
            }
            self.names.found.arrays.insert(key.clone());
            self.names.symbol(&key, place);
            lengths.push(at(self.names.length_of(&key, place)));
            let length: Expr = match leaf.size.map(saturated) {
                // Rows of no elements, or of more than there are, are none: then the program's own statements run.
                Some(size) => syn::parse_quote!(usize::checked_div(#place.len(), #size).unwrap_or(0)),
                None => syn::parse_quote!(#place.len()),
            };
            shortest = Some(match shortest {
                None => length,
                Some(other) => syn::parse_quote!(::core::cmp::Ord::min(#other, #length)),
            });
        }
        if let ([length], [leaf]) = (lengths.as_slice(), leaves.as_slice())
            && leaf.size.is_none()
        {
            return (length.clone(), None);
        }
        if rows.len() == leaves.len() && rows.iter().all(|row| *row == rows[0]) {
            return (lengths[0].clone(), None);
        }
        let shortest = shortest.unwrap_or_else(|| syn::parse_quote!(0));
        let has_sizes = leaves.iter().any(|leaf| leaf.size.is_some());
        let mut text = tokens(&shortest).to_string();
        // What a size names may have changed since another loop had it.
        if has_sizes || !rows.is_empty() {
            text.push_str(&format!(" of {}", self.statements.len()));
        }
        let trips = self.names.symbol(&Key(vec![text]).length(), &shortest);
        let before = (!rows.is_empty()).then(|| {
            let value = Expression::new(ExpressionKind::Computed(lengths), span);
            self.add(StatementKind::Assign { target: at(trips), value, may_reallocate: false }, span)
        });
        (at(trips), before)
    }

    /// A loop over the elements of arrays: one over their numbers.
    pub(super) fn over_elements(
        &mut self,
        repeated: &syn::ExprForLoop,
        iterated: Iterated,
        (span, place): (Span, proc_macro2::Span),
    ) -> syn::Result<Node> {
        let Some(named) = iterated.named(&repeated.pat) else { unreachable!("looked at before") };
        let mut rows = Vec::new();
        for (name, array, size) in &named.rows {
            let Some(key) = self.names.key_of(array) else { unreachable!("arrays are places") };
            let array = self.names.symbol(&key, array);
            rows.push((*name, key, array, self.size(size, span)));
        }
        let sizes = iterated.leaves().into_iter().filter_map(|leaf| Some((leaf.place, leaf.size?)));
        let sizes: Vec<(String, Expression)> =
            sizes.map(|(place, size)| (tokens(place).to_string(), self.size(size, span).0)).collect();
        let (trips, before) = self.trips(&iterated, span);
        let id = self.begin(span);
        self.names.enter();
        let hidden = syn::Ident::new("number", proc_macro2::Span::call_site());
        let number = named.number.unwrap_or(&hidden);
        let key = self.names.declare(number);
        self.names.found.constant.insert(key.clone());
        self.names.found.integers.insert(key.clone());
        let variable = self.names.symbol(&key, &syn::parse_quote!(#number));
        self.declared.entry(id).or_default().push(variable);
        for (name, array) in &named.elements {
            let key = self.names.declare(name);
            self.names.elements.insert(key.clone(), ((*array).clone(), variable));
            // So that a region in which a name means something else is seen.
            let element = self.names.symbol(&key, &syn::parse_quote!(#name));
            self.declared.entry(id).or_default().push(element);
            // Whatever keeps it keeps a reference.
            if let Some(array) = self.names.key_of(array) {
                self.names.found.aliases.insert((key, array));
            }
        }
        for (name, array, symbol, (size, written)) in rows {
            let key = self.names.declare(name);
            self.names.rows.insert(key.clone(), Row { array: symbol, number: variable, size, written });
            let row = self.names.symbol(&key, &syn::parse_quote!(#name));
            self.declared.entry(id).or_default().push(row);
            self.names.found.aliases.insert((key, array));
        }
        let read = self.read_elements(&iterated, variable, span);
        let body = self.block(&repeated.body)?;
        self.names.leave();
        let one = Expression::new(ExpressionKind::Integer(1), span);
        let counted = Loop {
            variable,
            lower: Expression::new(ExpressionKind::Integer(0), span),
            upper: binary(BinaryOperator::Subtract, trips, one),
            bound: LoopBound::BehindLast,
            counts_plainly: true,
            step: None,
            body: [read].into_iter().chain(flat(&body)).collect(),
            concurrent: false,
            asserted: AssertedIndependence::Nothing,
        };
        self.finish(id, StatementKind::Loop(counted));
        let kind = NodeKind::Counted { body, over: Some(Box::new(iterated)), sizes };
        let block = before.into_iter().chain([id]).collect();
        Ok(Node { id, block, span: place, kind, directive: Directive::default() })
    }

    /// Each iteration names an element of every array that the loop runs over, whatever its statements name.
    pub(super) fn read_elements(&mut self, iterated: &Iterated, number: SymbolId, span: Span) -> StatementId {
        let mut elements = Vec::new();
        for leaf in iterated.leaves() {
            let Some(key) = self.names.key_of(leaf.place) else { continue };
            let mut subscript = Expression::new(ExpressionKind::Symbol(number), span);
            if let Some(row) = self.names.rows.get(&key) {
                elements.push(row.element(subscript));
                continue;
            }
            let array = self.names.symbol(&key, leaf.place);
            if let Some(size) = leaf.size {
                // The last one of the row: what needs it needs all of the row.
                let (size, one) = (self.size(size, span).0, Expression::new(ExpressionKind::Integer(1), span));
                let first = binary(BinaryOperator::Multiply, subscript, size.clone());
                subscript = binary(BinaryOperator::Subtract, binary(BinaryOperator::Add, first, size), one);
            }
            let subscripts = vec![subscript];
            elements.push(Expression::new(ExpressionKind::Element { array, subscripts }, span));
        }
        let hidden = Key(vec![format!("element of {}", self.statements.len()), "value".to_owned()]).length();
        let hidden = self.names.symbol(&hidden, &syn::parse_quote!(()));
        let target = Expression::new(ExpressionKind::Symbol(hidden), span);
        let value = Expression::new(ExpressionKind::Computed(elements), span);
        self.add(StatementKind::Assign { target, value, may_reallocate: false }, span)
    }
}

/// May the statements of a loop change what a size is computed from? References to it are not followed in any case.
fn changes(body: &syn::Block, size: &Expr) -> bool {
    struct Changes(bool, String);
    impl Changes {
        fn look(&mut self, left: &Expr) {
            self.0 |= first_word(left).is_none_or(|word| self.1.split(' ').any(|part| part == word));
        }
    }
    impl<'a> Visit<'a> for Changes {
        fn visit_expr_assign(&mut self, assign: &'a syn::ExprAssign) {
            self.look(&assign.left);
            visit::visit_expr_assign(self, assign);
        }
        fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
            if is_assignment(&binary.op) {
                self.look(&binary.left);
            }
            visit::visit_expr_binary(self, binary);
        }
    }
    let mut found = Changes(false, tokens(size).to_string());
    found.visit_block(body);
    found.0
}

/// The variable whose part is written.
fn first_word(place: &Expr) -> Option<String> {
    match bare(place) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => first_word(&field.base),
        Expr::Index(index) => first_word(&index.expr),
        Expr::Unary(unary) => first_word(&unary.expr),
        _ => None,
    }
}
