//! Loops and branches.

use gravelc::ir::{
    Arm, AssertedIndependence, BinaryOperator, Block, Expression, ExpressionKind, Loop, LoopBound, Span, StatementId,
    StatementKind,
};
use syn::visit::Visit;
use syn::{Expr, Pat, RangeLimits};

use super::calls::calls_in;
use super::expressions::{Obstacle, Value, bare, declared_in, guarded, is_of_numbers, tokens, what_it_is};
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
        let (value, named) = match &*branch.cond {
            Expr::Let(matched) => (self.matched_value(matched, span), inside_of_some(&matched.pat)),
            condition => (self.value(condition, span), None),
        };
        let (condition, before) = match value {
            Ok(value) => (value.expression, None),
            Err(_) => {
                let before = self.condition_barrier(&branch.cond, span);
                (Expression::new(ExpressionKind::Computed(Vec::new()), span), Some(before))
            }
        };
        let id = self.begin(span);
        let named = named.filter(|_| before.is_none()).map(|name| self.declare_matched(name, &condition, span));
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
        let body = named.into_iter().chain(flat(&blocks[0])).collect();
        let arms = vec![Arm { condition, body }];
        self.finish(id, StatementKind::If { arms, otherwise, one_line: false });
        let block = before.into_iter().chain([id]).collect();
        Ok((id, block, NodeKind::Branches { is_plain, blocks }))
    }

    /// What `if let` looks at, if it is a plain value: a number, or an `Option` of one.
    fn matched_value(&mut self, matched: &syn::ExprLet, span: Span) -> Result<Value, Obstacle> {
        let is_none = matches!(&*matched.pat, Pat::Path(path) if path.path.is_ident("None"))
            || matches!(&*matched.pat, Pat::Ident(name) if name.ident == "None");
        match is_of_numbers(&matched.pat) || is_none || inside_of_some(&matched.pat).is_some() {
            true => self.value(&matched.expr, span),
            false => Err(Obstacle::at(&matched.pat, "a pattern")),
        }
    }

    /// The variable that `if let Some(name)` declares.
    fn declare_matched(&mut self, name: &syn::Ident, value: &Expression, span: Span) -> StatementId {
        let key = self.names.declare(name);
        let written: Expr = syn::parse_quote!(#name);
        let symbol = self.names.symbol(&key, &written);
        let target = Expression::new(ExpressionKind::Symbol(symbol), span);
        let value = Expression::new(ExpressionKind::Computed(vec![value.clone()]), span);
        let id = self.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
        self.declared.entry(id).or_default().push(symbol);
        id
    }

    /// A `match` on numbers whose arms hold no calls of Gravel; nothing if it is another one.
    pub(super) fn chosen(&mut self, chosen: &syn::ExprMatch) -> syn::Result<Option<(StatementId, NodeKind)>> {
        let span = self.text.add(chosen.match_token.span.start().line, "match");
        if !calls_in(|finder| finder.visit_expr_match(chosen)).is_empty() {
            return Ok(None);
        }
        let Ok(values) = self.chosen_by(chosen, span) else { return Ok(None) };
        let id = self.begin(span);
        let mut blocks = Vec::new();
        let mut arms = Vec::new();
        for arm in &chosen.arms {
            let nodes = match &*arm.body {
                Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => self.block(&block.block)?,
                other => self.block(&syn::parse_quote!({ #other }))?,
            };
            let condition = Expression::new(ExpressionKind::Computed(values.clone()), span);
            arms.push(Arm { condition, body: flat(&nodes) });
            blocks.push(nodes);
        }
        // One of them is always taken: the last one, if no other is and it has no condition.
        let has_last = chosen.arms.last().is_some_and(|arm| guarded(&arm.pat).1.is_none());
        let otherwise = if has_last { arms.pop().map(|arm| arm.body) } else { None };
        self.finish(id, StatementKind::If { arms, otherwise, one_line: false });
        Ok(Some((id, NodeKind::Branches { is_plain: true, blocks })))
    }

    pub(super) fn for_loop(&mut self, repeated: &syn::ExprForLoop) -> syn::Result<Node> {
        let place = repeated.for_token.span;
        let span = self.text.add(place.start().line, "for");
        let range = match bare(&repeated.expr) {
            Expr::Range(range) => range.start.as_deref().zip(range.end.as_deref()).map(|ends| (range, ends)),
            _ => None,
        };
        let variable = variable_of(&repeated.pat);
        if let (Some((range, (lower, upper))), Some(variable), None) = (range, variable, &repeated.label) {
            let values = self.value(lower, span).and_then(|first| Ok((first, self.value(upper, span)?)));
            if let Ok((first, last)) = values {
                let is_inclusive = matches!(range.limits, RangeLimits::Closed(_));
                let bounds = (lower, upper, is_inclusive);
                return self.counted(repeated, bounds, (first, last), None, variable, (span, place));
            }
        }
        if let (Some((range, (lower, upper), step)), Some(variable), None) =
            (stepped(&repeated.expr), variable_of(&repeated.pat), &repeated.label)
        {
            let values = self.value(lower, span).and_then(|first| Ok((first, self.value(upper, span)?)));
            if let Ok((first, last)) = values {
                let is_inclusive = matches!(range.limits, RangeLimits::Closed(_));
                let bounds = (lower, upper, is_inclusive);
                return self.counted(repeated, bounds, (first, last), Some(step), variable, (span, place));
            }
        }
        if let (Some(iterated), None) = (Iterated::of(&repeated.expr), &repeated.label)
            && iterated.named(&repeated.pat).is_some()
            && self.has_rows_that_are_followed(&iterated, &repeated.body, span)
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

    pub(super) fn counted(
        &mut self,
        repeated: &syn::ExprForLoop,
        (lower, upper, is_inclusive): (&Expr, &Expr, bool),
        (first, last): (Value, Value),
        step: Option<i64>,
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
            step: step.map(|step| Expression::new(ExpressionKind::Integer(step), span)),
            body: flat(&body),
            concurrent: false,
            asserted: AssertedIndependence::Nothing,
        };
        self.finish(id, StatementKind::Loop(counted));
        let kind = NodeKind::Counted { body, over: None, sizes: Vec::new() };
        Ok(Node { id, block: vec![id], span: place, kind, directive: Directive::default() })
    }
}

/// The variable of a loop over a range, if its pattern is one; nothing inside where it is not named.
fn variable_of(pattern: &Pat) -> Option<Option<syn::Ident>> {
    match pattern {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() && ident.mutability.is_none() => {
            Some(Some(ident.ident.clone()))
        }
        Pat::Wild(_) => Some(None),
        _ => None,
    }
}

/// `Some(name)`: the name.
fn inside_of_some(pattern: &Pat) -> Option<&syn::Ident> {
    let Pat::TupleStruct(inside) = pattern else { return None };
    match (inside.path.is_ident("Some"), inside.elems.first()) {
        (true, Some(Pat::Ident(name)))
            if inside.elems.len() == 1
                && name.by_ref.is_none()
                && name.subpat.is_none()
                && name.mutability.is_none() =>
        {
            Some(&name.ident)
        }
        _ => None,
    }
}

/// `(a..b).step_by(3)`: the range, its ends, and the step.
fn stepped(expression: &Expr) -> Option<(&syn::ExprRange, (&Expr, &Expr), i64)> {
    let Expr::MethodCall(call) = bare(expression) else { return None };
    let (Expr::Range(range), Some(Expr::Lit(step))) = (bare(&call.receiver), call.args.first()) else { return None };
    let syn::Lit::Int(step) = &step.lit else { return None };
    let step = step.base10_parse::<i64>().ok().filter(|step| *step > 0)?;
    let ends = range.start.as_deref().zip(range.end.as_deref())?;
    (call.method == "step_by" && call.args.len() == 1 && call.turbofish.is_none()).then_some((range, ends, step))
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
