//! Statements of a function, one after the other.

use std::collections::{BTreeMap, BTreeSet};

use gravelc::ir::{
    BinaryOperator, Block, Expression, ExpressionKind, Room, Scope, Span, Statement, StatementId, StatementKind,
    SymbolId,
};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, Expr, ExprMethodCall, ItemFn, Local, Pat, Stmt};

use super::Unlowered;
use super::calls::{self, calls_in, taken_apart, with_ending};
use super::expressions::{Obstacle, Reading, Value, bare, declared_in, is_assignment, tokens, what_it_is};
use super::forms::as_loop;
use super::names::{Key, Names};
use super::risks::{Leaf, Risk, Seen};
use super::text::Text;
use super::tree::{Node, NodeKind};
use crate::arguments::{Arguments, Directive, is_directive, is_overlap};

/// A function that is being lowered.
pub struct Lowering {
    /// The names.
    pub names: Names,
    /// The statements so far.
    pub statements: Vec<Statement>,
    /// The text so far.
    pub text: Text,
    /// What declares which symbol.
    pub declared: BTreeMap<StatementId, Vec<SymbolId>>,
    /// The calls that stay as they are.
    pub unlowered: Vec<Unlowered>,
    /// Calls of methods of numbers, as they are written.
    pub methods: BTreeSet<String>,
    /// What may end the program.
    pub risks: Vec<Risk>,
    /// What the first values of variables are made of.
    pub leaves: BTreeMap<SymbolId, Vec<Leaf>>,
    pure: Vec<String>,
    parent: Option<StatementId>,
    /// What is read now is in a statement that the user has chosen.
    is_chosen: bool,
    /// The communicator that all calls are on.
    pub(super) world: Option<SymbolId>,
}

impl Lowering {
    /// Nothing yet.
    pub fn new(names: Names, arguments: &Arguments) -> Self {
        Self {
            names,
            statements: Vec::new(),
            text: Text::default(),
            declared: BTreeMap::new(),
            unlowered: Vec::new(),
            methods: BTreeSet::new(),
            risks: Vec::new(),
            leaves: BTreeMap::new(),
            pure: arguments.pure.iter().map(|path| path.to_token_stream().to_string()).collect(),
            parent: None,
            is_chosen: false,
            world: None,
        }
    }

    /// Lowers the function's statements.
    ///
    /// # Errors
    /// A directive that is not understood.
    pub fn function(&mut self, function: &ItemFn) -> syn::Result<Vec<Node>> {
        self.names.enter();
        for input in &function.sig.inputs {
            if let syn::FnArg::Typed(argument) = input {
                declared_in(&argument.pat).iter().for_each(|ident| {
                    self.names.declare(ident);
                });
            }
        }
        let body = self.block(&function.block);
        self.names.leave();
        body
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> syn::Result<Vec<Node>> {
        self.names.enter();
        let nodes: syn::Result<Vec<Node>> = block.stmts.iter().map(|statement| self.statement(statement)).collect();
        self.names.leave();
        nodes
    }

    pub(super) fn add(&mut self, kind: StatementKind, span: Span) -> StatementId {
        let statement = Statement {
            span,
            kind,
            parent: self.parent,
            jump_target: false,
            changes_names: false,
            labelled: false,
            room: Room::OwnLines,
            hint: None,
        };
        self.statements.push(statement);
        StatementId(self.statements.len() - 1)
    }

    fn text_of(&mut self, part: &(impl ToTokens + syn::spanned::Spanned)) -> Span {
        let text = tokens(part).to_string();
        self.text.add(part.span().start().line, &text)
    }

    fn reading<'n>(&'n mut self, span: Span, seen: &'n mut Seen) -> Reading<'n> {
        Reading { names: &mut self.names, span, pure: &self.pure, seen }
    }

    fn keep(&mut self, seen: Seen) {
        self.methods.extend(seen.methods.iter().map(|method| tokens(method).to_string()));
        self.risks.extend(seen.risks);
    }

    /// A value, if it is plain.
    pub(super) fn value(&mut self, expression: &Expr, span: Span) -> Result<Value, Obstacle> {
        let mut seen = Seen::default();
        let value = self.reading(span, &mut seen).value(expression);
        self.keep(seen);
        value
    }

    /// What the arms of a `match` are chosen by.
    pub(super) fn chosen_by(&mut self, chosen: &syn::ExprMatch, span: Span) -> Result<Vec<Expression>, Obstacle> {
        let mut seen = Seen::default();
        let values = self.reading(span, &mut seen).chosen_by(chosen);
        self.keep(seen);
        Ok(values?.into_iter().map(|value| value.expression).collect())
    }

    /// What may read and write all that is named, and leave.
    pub(super) fn add_barrier(&mut self, part: &impl ToTokens, span: Span) -> StatementId {
        let symbols = self.names.mentioned(tokens(part));
        let all = |symbols: &[SymbolId]| -> Vec<Expression> {
            symbols.iter().map(|&symbol| Expression::new(ExpressionKind::Symbol(symbol), span)).collect()
        };
        let kind = StatementKind::InputOutput { reads: all(&symbols), writes: all(&symbols), may_leave: true };
        self.add(kind, span)
    }

    pub(super) fn keep_calls(&mut self, calls: Vec<ExprMethodCall>, why: &Obstacle) {
        for call in calls {
            let is_of_mpi = calls::is_of_mpi(&call);
            let why = match is_of_mpi {
                true => Obstacle::at(
                    &call.method,
                    "a call of the crate `mpi`, whose other side a function does not show (Gravel's own `send`, `receive`, \
                     `send_receive` have Gravel on both sides),",
                ),
                false => why.clone(),
            };
            let code = if is_of_mpi { "other-side-unknown" } else { "unsupported-operation" };
            self.unlowered.push(Unlowered { span: call.method.span(), name: call.method.to_string(), why, code });
        }
    }

    fn barrier(&mut self, statement: &Stmt, why: Obstacle) -> Node {
        let span = self.text_of(statement);
        self.barrier_at(statement, why, span)
    }

    fn barrier_at(&mut self, statement: &Stmt, why: Obstacle, span: Span) -> Node {
        self.keep_calls(calls_in(|finder| finder.visit_stmt(statement)), &why);
        let id = self.add_barrier(statement, span);
        Node { id, block: vec![id], span: why.span, kind: NodeKind::Barrier(why.what), directive: Directive::default() }
    }

    /// Whatever the names on the left hold may lead to what is named on the right.
    fn alias(&mut self, declared: &[Key], others: &impl ToTokens) {
        let roots = self.names.roots(tokens(others));
        for one in declared {
            for other in roots.iter().filter(|other| !self.names.known.integers.contains(*other)) {
                self.names.found.aliases.insert((one.clone(), other.clone()));
            }
        }
    }

    /// A structure may keep what one of its methods, or a function, is handed with it.
    fn remember(&mut self, expression: &Expr) {
        let roots = self.names.roots(tokens(expression));
        let has_fields = |key: &&Key| {
            let is_field = |other: &Key| other.0.len() > 1 && other.0[0] == key.0[0];
            key.0[0] != "self" && self.names.known.keys.iter().any(|other| is_field(other) && !other.is_length())
        };
        let structures: Vec<Key> = roots.iter().filter(has_fields).cloned().collect();
        for one in &structures {
            for other in roots.iter().filter(|other| *other != one && self.names.known.arrays.contains(*other)) {
                self.names.found.aliases.insert((one.clone(), other.clone()));
            }
        }
    }

    fn statement(&mut self, statement: &Stmt) -> syn::Result<Node> {
        let attributes = match statement {
            Stmt::Local(local) => local.attrs.as_slice(),
            Stmt::Expr(expression, _) => attributes_of(expression),
            Stmt::Item(_) => {
                let span = self.text_of(statement);
                let id = self.add(StatementKind::Nothing, span);
                let kind = NodeKind::Barrier("a declaration of an item".to_owned());
                let place = syn::spanned::Spanned::span(statement);
                return Ok(Node { id, block: vec![id], span: place, kind, directive: Directive::default() });
            }
            Stmt::Macro(call) => {
                let name = tokens(&call.mac.path).to_string().replace(' ', "");
                let why = Obstacle::at(call, format!("the macro `{name}!`"));
                return Ok(self.barrier(statement, why));
            }
        };
        let directive = Directive::of(attributes)?;
        let is_known =
            |attribute: &&Attribute| is_directive(attribute) || is_overlap(attribute) || is_harmless(attribute);
        if let Some(other) = attributes.iter().find(|attribute| !is_known(attribute)) {
            let why = Obstacle::at(other, "a statement with an attribute");
            return Ok(self.barrier(statement, why));
        }
        if directive.skips_all {
            let why = Obstacle::at(statement, "a statement under `#[gravel(skip)]`");
            return Ok(self.barrier(statement, why));
        }
        let around = self.is_chosen;
        self.is_chosen |= directive.is_chosen;
        let mut node = match statement {
            Stmt::Local(local) => self.local(statement, local),
            Stmt::Expr(expression, semicolon) => self.expression(statement, expression, semicolon.is_some())?,
            Stmt::Item(_) | Stmt::Macro(_) => unreachable!("answered above"),
        };
        node.directive = Directive { is_chosen: self.is_chosen, ..directive };
        self.is_chosen = around;
        Ok(node)
    }

    fn local(&mut self, statement: &Stmt, local: &Local) -> Node {
        let ident = match &local.pat {
            Pat::Ident(ident) => Some(ident),
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(ident) => Some(ident),
                _ => None,
            },
            _ => None,
        };
        let simple = ident.filter(|it| it.by_ref.is_none() && it.subpat.is_none() && it.attrs.is_empty());
        let span = self.text_of(statement);
        if let (Some(init), Some(ident)) = (&local.init, simple)
            && init.diverge.is_none()
            && let Some((call, ending)) = with_ending(&init.expr)
            && calls::has_status(call)
            && let Ok(taken) = taken_apart(call, ending)
            && let Ok(mut kind) = self.communication(&taken, span)
        {
            return self.with_status(statement, local, &ident.ident, taken, &mut kind, span);
        }
        let value = match (&local.init, simple) {
            (Some(init), Some(_)) if init.diverge.is_none() => self.value(&init.expr, span),
            (Some(_), _) => Err(Obstacle::at(&local.pat, "a pattern")),
            (None, _) => Err(Obstacle::at(local, "a variable without a value")),
        };
        let leaves = local.init.as_ref().filter(|_| value.is_ok());
        let leaves = leaves.map(|init| self.reading(span, &mut Seen::default()).leaves(&init.expr));
        // The value is evaluated before the name is there; what a barrier names is the same.
        let refused = match &value {
            Err(why) => Some(self.barrier_at(statement, why.clone(), span)),
            Ok(_) => None,
        };
        let init = local.init.as_ref().map(|init| init.expr.to_token_stream()).unwrap_or_default();
        // What is named on the right means what it means before the declaration.
        let roots = self.names.roots(init);
        let declared: Vec<Key> = declared_in(&local.pat).iter().map(|ident| self.names.declare(ident)).collect();
        let is_number = declared.iter().all(|key| !self.names.known.has_parts(key));
        if refused.is_some() || !is_number {
            for one in &declared {
                for other in roots.iter().filter(|other| !self.names.known.integers.contains(*other)) {
                    if !self.names.known.integers.contains(one) {
                        self.names.found.aliases.insert((one.clone(), other.clone()));
                    }
                }
                if local.init.is_none() {
                    self.names.found.late.insert(one.clone());
                }
            }
        }
        if let Some(node) = refused {
            return node;
        }
        if !is_number {
            let why = Obstacle::at(&local.pat, "a variable that is more than a number");
            return self.barrier_at(statement, why, span);
        }
        let (Ok(value), Some(ident)) = (value, simple) else { unreachable!("refused above") };
        let key = declared[0].clone();
        let name = &ident.ident;
        let written: Expr = syn::parse_quote!(#name);
        if self.names.known.integers.contains(&key)
            && let Some(init) = &local.init
        {
            self.count(&init.expr, span);
        }
        if !value.is_of_run_time {
            self.names.found.constant.insert(key.clone());
        }
        let symbol = self.names.symbol(&key, &written);
        self.leaves.insert(symbol, leaves.unwrap_or_default());
        let target = Expression::new(ExpressionKind::Symbol(symbol), span);
        let id = self.add(StatementKind::Assign { target, value: value.expression, may_reallocate: false }, span);
        self.declared.entry(id).or_default().push(symbol);
        let place = syn::spanned::Spanned::span(statement);
        Node { id, block: vec![id], span: place, kind: NodeKind::Plain, directive: Directive::default() }
    }

    pub(super) fn count(&mut self, expression: &Expr, span: Span) {
        self.reading(span, &mut Seen::default()).count(expression);
    }

    fn expression(&mut self, statement: &Stmt, expression: &Expr, has_semicolon: bool) -> syn::Result<Node> {
        let place = syn::spanned::Spanned::span(statement);
        let node = |id: StatementId, kind: NodeKind| Node {
            id,
            block: vec![id],
            span: place,
            kind,
            directive: Directive::default(),
        };
        if let Some((call, ending)) = with_ending(expression) {
            if !has_semicolon && calls::has_status(call) {
                return Ok(self.barrier(statement, Obstacle::at(call, "a call whose value is used")));
            }
            let span = self.text_of(statement);
            let taken = taken_apart(call, ending).and_then(|taken| Ok((self.communication(&taken, span)?, taken)));
            return Ok(match taken {
                Ok((kind, taken)) => {
                    let id = self.add(kind, span);
                    node(id, NodeKind::Call(Box::new(taken)))
                }
                Err(why) => self.barrier_at(statement, why, span),
            });
        }
        if let Some(repeated) = as_loop(expression) {
            return self.for_loop(&repeated);
        }
        match expression {
            Expr::Assign(assign) => {
                let span = self.text_of(statement);
                Ok(match self.assign(&assign.left, &assign.right, false, span) {
                    Ok(id) => node(id, NodeKind::Plain),
                    Err(why) => {
                        let left: Vec<Key> = self.names.roots(tokens(&assign.left)).into_iter().collect();
                        self.alias(&left, &assign.right);
                        self.barrier_at(statement, why, span)
                    }
                })
            }
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                let span = self.text_of(statement);
                Ok(match self.assign(&binary.left, &binary.right, true, span) {
                    Ok(id) => node(id, NodeKind::Plain),
                    Err(why) => self.barrier_at(statement, why, span),
                })
            }
            Expr::ForLoop(repeated) => self.for_loop(repeated),
            Expr::While(repeated) => {
                let span = self.text.add(repeated.while_token.span.start().line, "while");
                let id = self.begin(span);
                self.names.enter();
                let condition = match self.value(&repeated.cond, span) {
                    Ok(value) => Ok(value.expression),
                    Err(_) => Err(self.condition_barrier(&repeated.cond, span)),
                };
                let body = self.block(&repeated.body)?;
                self.names.leave();
                let (condition, first) = match condition {
                    Ok(condition) => (Some(condition), None),
                    Err(first) => (None, Some(first)),
                };
                let statements: Block = first.into_iter().chain(flat(&body)).collect();
                self.finish(id, StatementKind::While { changes: Vec::new(), condition, body: statements });
                Ok(node(id, NodeKind::Repeated(body)))
            }
            Expr::Loop(repeated) => {
                let span = self.text.add(repeated.loop_token.span.start().line, "loop");
                let id = self.begin(span);
                let body = self.block(&repeated.body)?;
                self.finish(id, StatementKind::While { changes: Vec::new(), condition: None, body: flat(&body) });
                Ok(node(id, NodeKind::Repeated(body)))
            }
            Expr::If(branch) => {
                let (id, block, kind) = self.branch(branch)?;
                Ok(Node { id, block, span: place, kind, directive: Directive::default() })
            }
            Expr::Match(chosen) => match self.chosen(chosen)? {
                Some((id, kind)) => Ok(node(id, kind)),
                None => Ok(self.barrier(statement, Obstacle::at(expression, what_it_is(expression)))),
            },
            Expr::Block(block) if block.label.is_none() => {
                let span = self.text.add(place.start().line, "{");
                let id = self.begin(span);
                let body = self.block(&block.block)?;
                let scope = Scope { names: Vec::new(), evaluated: Vec::new(), body: flat(&body) };
                self.finish(id, StatementKind::Scope(scope));
                Ok(node(id, NodeKind::Block(body)))
            }
            other => {
                let mut why = Obstacle::at(other, what_it_is(other));
                if let Expr::Try(inner) = other
                    && let Expr::MethodCall(call) = bare(&inner.expr)
                {
                    why.what = format!("a call of `{}`, whose effects are not known,", call.method);
                }
                self.remember(other);
                Ok(self.barrier(statement, why))
            }
        }
    }

    /// A compound statement, whose parts follow; [`Self::finish`] says what it is.
    pub(super) fn begin(&mut self, span: Span) -> StatementId {
        let id = self.add(StatementKind::Nothing, span);
        self.parent = Some(id);
        id
    }

    pub(super) fn finish(&mut self, id: StatementId, kind: StatementKind) {
        let end = self.text.end();
        self.parent = self.statements[id.0].parent;
        let statement = &mut self.statements[id.0];
        statement.kind = kind;
        statement.span.end = end.max(statement.span.end);
        // What follows does not end where it does.
        self.text.add(0, ";");
    }

    fn assign(&mut self, left: &Expr, right: &Expr, is_changed: bool, span: Span) -> Result<StatementId, Obstacle> {
        let value = self.value(right, span)?;
        let mut seen = Seen::default();
        let mut reading = self.reading(span, &mut seen);
        let (target, key) = reading.target(left)?;
        if is_changed {
            reading.risk_of_change(left, right, &value.expression);
        }
        self.keep(seen);
        if let Some(key) = &key {
            if !is_changed && key.0.len() == 1 && self.names.is_outside(key) {
                let what = "an assignment to a variable from outside of the block, of which it may be the first value,";
                return Err(Obstacle::at(left, what));
            }
            if self.names.known.late.contains(key) {
                return Err(Obstacle::at(left, "the first value of a variable that is declared without one"));
            }
            if self.names.known.has_parts(key) {
                return Err(Obstacle::at(left, "an assignment to more than a number"));
            }
            if !value.is_of_run_time && !is_changed {
                self.names.found.constant.insert(key.clone());
            }
            if self.names.known.integers.contains(key) {
                self.count(right, span);
            }
        }
        let stored = match is_changed {
            true => Expression::new(ExpressionKind::Computed(vec![target.clone(), value.expression]), span),
            false => value.expression,
        };
        Ok(self.add(StatementKind::Assign { target, value: stored, may_reallocate: false }, span))
    }
}

/// Two values joined.
pub(super) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    let span = left.span;
    Expression::new(ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) }, span)
}

/// The statements of the middle end that stand for these.
pub(super) fn flat(nodes: &[Node]) -> Block {
    nodes.iter().flat_map(|node| node.block.iter().copied()).collect()
}

fn is_harmless(attribute: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "doc"].iter().any(|name| attribute.path().is_ident(name))
}

/// The attributes of an expression that is a statement.
pub fn attributes_of(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::ForLoop(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Block(it) => &it.attrs,
        Expr::Try(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        Expr::Assign(it) if it.attrs.is_empty() => attributes_of(&it.left),
        Expr::Assign(it) => &it.attrs,
        Expr::Binary(it) if it.attrs.is_empty() => attributes_of(&it.left),
        Expr::Binary(it) => &it.attrs,
        Expr::Index(it) => &it.attrs,
        Expr::Path(it) => &it.attrs,
        Expr::Field(it) => &it.attrs,
        _ => &[],
    }
}
