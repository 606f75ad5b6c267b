//! Loops and branches.

use gravelc::ir::{
    Arm, AssertedIndependence, BinaryOperator, Block, Expression, ExpressionKind, Loop, LoopBound, Span, StatementId,
    StatementKind, SymbolId,
};
use syn::visit::Visit;
use syn::{Expr, Pat, RangeLimits};

use super::calls::calls_in;
use super::expressions::{Obstacle, Value, bare, declared_in, tokens, what_it_is};
use super::iterators::Iterated;
use super::names::Key;
use super::statements::{Lowering, binary, flat};
use super::tree::{Node, NodeKind};
use crate::arguments::Directive;

impl Lowering {
    /// A condition that is not understood; the names of its patterns are declared.
    pub(super) fn condition_barrier(&mut self, condition: &Expr, span: Span) -> StatementId {
        let why = Obstacle::at(condition, what_it_is(condition));
        self.keep_calls(calls_in(|finder| finder.visit_expr(condition)), &why);
        let id = self.add_barrier(condition, span);
        let roots = self.names.roots(tokens(condition));
        let declared: Vec<Key> = patterns_in(condition).iter().map(|ident| self.names.declare(ident)).collect();
        for one in &declared {
            for other in &roots {
                self.names.found.aliases.insert((one.clone(), other.clone()));
            }
        }
        id
    }

    pub(super) fn branch(&mut self, branch: &syn::ExprIf) -> syn::Result<(StatementId, Block, NodeKind)> {
        let span = self.text.add(branch.if_token.span.start().line, "if");
        self.names.enter();
        let (condition, before) = match self.value(&branch.cond, span) {
            Ok(value) => (value.expression, None),
            Err(_) => {
                let before = self.condition_barrier(&branch.cond, span);
                (Expression::new(ExpressionKind::Computed(Vec::new()), span), Some(before))
            }
        };
        let id = self.begin(span);
        let then = self.block(&branch.then_branch)?;
        self.names.leave();
        let mut blocks = vec![then];
        let mut otherwise = None;
        let mut is_plain = before.is_none();
        match branch.else_branch.as_ref().map(|(_, other)| &**other) {
            None => {}
            Some(Expr::If(inner)) => {
                let place = syn::spanned::Spanned::span(inner);
                let (inner_id, block, kind) = self.branch(inner)?;
                is_plain &= !matches!(kind, NodeKind::Branches { is_plain: false, .. });
                otherwise = Some(block.clone());
                blocks.push(vec![Node { id: inner_id, block, span: place, kind, directive: Directive::default() }]);
            }
            Some(Expr::Block(block)) => {
                let nodes = self.block(&block.block)?;
                otherwise = Some(flat(&nodes));
                blocks.push(nodes);
            }
            Some(_) => is_plain = false,
        }
        let arms = vec![Arm { condition, body: flat(&blocks[0]) }];
        self.finish(id, StatementKind::If { arms, otherwise, one_line: false });
        let block = before.into_iter().chain([id]).collect();
        Ok((id, block, NodeKind::Branches { is_plain, blocks }))
    }

    pub(super) fn for_loop(&mut self, repeated: &syn::ExprForLoop) -> syn::Result<Node> {
        let place = repeated.for_token.span;
        let span = self.text.add(place.start().line, "for");
        let range = match bare(&repeated.expr) {
            Expr::Range(range) => range.start.as_deref().zip(range.end.as_deref()).map(|ends| (range, ends)),
            _ => None,
        };
        let variable = match &*repeated.pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() && ident.mutability.is_none() => {
                Some(Some(ident.ident.clone()))
            }
            Pat::Wild(_) => Some(None),
            _ => None,
        };
        if let (Some((range, (lower, upper))), Some(variable), None) = (range, variable, &repeated.label) {
            let values = self.value(lower, span).and_then(|first| Ok((first, self.value(upper, span)?)));
            if let Ok((first, last)) = values {
                let is_inclusive = matches!(range.limits, RangeLimits::Closed(_));
                return self.counted(repeated, (lower, upper, is_inclusive), (first, last), variable, (span, place));
            }
        }
        if let (Some(iterated), None) = (Iterated::of(&repeated.expr), &repeated.label)
            && iterated.named(&repeated.pat).is_some()
        {
            return self.over_elements(repeated, iterated, (span, place));
        }
        // An iterator: what it hands out may lead to whatever it is made of.
        let before = self.add_barrier(&repeated.expr, span);
        let why = Obstacle::at(&repeated.expr, "an iterator");
        self.keep_calls(calls_in(|finder| finder.visit_expr(&repeated.expr)), &why);
        let id = self.begin(span);
        self.names.enter();
        let roots = self.names.roots(tokens(&repeated.expr));
        let next = self.add_barrier(&repeated.expr, span);
        let declared: Vec<Key> = declared_in(&repeated.pat).iter().map(|ident| self.names.declare(ident)).collect();
        for one in &declared {
            self.names.found.aliases.extend(roots.iter().map(|other| (one.clone(), other.clone())));
        }
        let body = self.block(&repeated.body)?;
        self.names.leave();
        let statements: Block = [next].into_iter().chain(flat(&body)).collect();
        self.finish(id, StatementKind::While { changes: Vec::new(), condition: None, body: statements });
        let kind = NodeKind::Repeated(body);
        Ok(Node { id, block: vec![before, id], span: place, kind, directive: Directive::default() })
    }

    /// A loop over the elements of arrays: one over their numbers.
    pub(super) fn over_elements(
        &mut self,
        repeated: &syn::ExprForLoop,
        iterated: Iterated,
        (span, place): (Span, proc_macro2::Span),
    ) -> syn::Result<Node> {
        let Some(named) = iterated.named(&repeated.pat) else { unreachable!("looked at before") };
        let mut shortest: Option<Expr> = None;
        let mut arrays = Vec::new();
        for array in iterated.arrays() {
            let Some(key) = self.names.key_of(array) else { unreachable!("arrays are places") };
            self.names.found.arrays.insert(key.clone());
            self.names.symbol(&key, array);
            arrays.push(key.clone());
            let length: Expr = syn::parse_quote!(#array.len());
            shortest = Some(match shortest {
                None => length,
                Some(other) => syn::parse_quote!(::core::cmp::Ord::min(#other, #length)),
            });
        }
        let shortest = shortest.unwrap_or_else(|| syn::parse_quote!(0));
        let trips = match (arrays.as_slice(), iterated.arrays().as_slice()) {
            ([key], [array]) => self.names.length_of(key, array),
            // As long as the shortest of them.
            _ => {
                let text = tokens(&shortest).to_string();
                self.names.symbol(&Key(vec![text]).length(), &shortest)
            }
        };
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
        let read = self.read_elements(&iterated, variable, span);
        let body = self.block(&repeated.body)?;
        self.names.leave();
        let one = Expression::new(ExpressionKind::Integer(1), span);
        let trips = Expression::new(ExpressionKind::Symbol(trips), span);
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
        let kind = NodeKind::Counted { body, over: Some(Box::new(iterated)) };
        Ok(Node { id, block: vec![id], span: place, kind, directive: Directive::default() })
    }

    /// Each iteration names an element of every array that the loop runs over, whatever its statements name.
    pub(super) fn read_elements(&mut self, iterated: &Iterated, number: SymbolId, span: Span) -> StatementId {
        let mut elements = Vec::new();
        for array in iterated.arrays() {
            let Some(key) = self.names.key_of(array) else { continue };
            let array = self.names.symbol(&key, array);
            let subscripts = vec![Expression::new(ExpressionKind::Symbol(number), span)];
            elements.push(Expression::new(ExpressionKind::Element { array, subscripts }, span));
        }
        let hidden = Key(vec![format!("element of {}", self.statements.len()), "value".to_owned()]).length();
        let hidden = self.names.symbol(&hidden, &syn::parse_quote!(()));
        let target = Expression::new(ExpressionKind::Symbol(hidden), span);
        let value = Expression::new(ExpressionKind::Computed(elements), span);
        self.add(StatementKind::Assign { target, value, may_reallocate: false }, span)
    }

    pub(super) fn counted(
        &mut self,
        repeated: &syn::ExprForLoop,
        (lower, upper, is_inclusive): (&Expr, &Expr, bool),
        (first, last): (Value, Value),
        variable: Option<syn::Ident>,
        (span, place): (Span, proc_macro2::Span),
    ) -> syn::Result<Node> {
        let id = self.begin(span);
        self.names.enter();
        let variable = variable.unwrap_or_else(|| syn::Ident::new("unnamed", proc_macro2::Span::call_site()));
        let key = self.names.declare(&variable);
        self.names.found.constant.insert(key.clone());
        if self.names.known.integers.contains(&key) {
            self.count(lower, span);
            self.count(upper, span);
        }
        let written: Expr = syn::parse_quote!(#variable);
        let symbol = self.names.symbol(&key, &written);
        self.declared.entry(id).or_default().push(symbol);
        let body = self.block(&repeated.body)?;
        self.names.leave();
        let one = Expression::new(ExpressionKind::Integer(1), span);
        let (last, bound) = match is_inclusive {
            true => (last.expression, LoopBound::Last),
            false => (binary(BinaryOperator::Subtract, last.expression, one), LoopBound::BehindLast),
        };
        let counted = Loop {
            variable: symbol,
            lower: first.expression,
            upper: last,
            bound,
            counts_plainly: true,
            step: None,
            body: flat(&body),
            concurrent: false,
            asserted: AssertedIndependence::Nothing,
        };
        self.finish(id, StatementKind::Loop(counted));
        let kind = NodeKind::Counted { body, over: None };
        Ok(Node { id, block: vec![id], span: place, kind, directive: Directive::default() })
    }
}

/// The names that the patterns in a condition declare.
fn patterns_in(condition: &Expr) -> Vec<syn::Ident> {
    #[derive(Default)]
    struct Found(Vec<syn::Ident>);
    impl<'a> Visit<'a> for Found {
        fn visit_expr_let(&mut self, pattern: &'a syn::ExprLet) {
            self.0.extend(declared_in(&pattern.pat));
            syn::visit::visit_expr_let(self, pattern);
        }
    }
    let mut found = Found::default();
    found.visit_expr(condition);
    found.0
}
