//! IF, WHERE, FORALL, SELECT and DO.

use tree_sitter::Node;

use super::lowering::{ConstructKind, Lowering, OpenConstruct};
use super::statements::Place;
use super::tree::{all_children, child_of_kind, descendants_of_kinds, has_child, named_children};
use crate::ir::{
    Arm, AssertedIndependence, Block, Expression, ExpressionKind, Loop, Span, StatementId, StatementKind, SymbolClass,
    TypeCategory,
};

/// Parts of a construct that are no statements of a block.
fn is_frame(kind: &str) -> bool {
    matches!(
        kind,
        "block_label_start_expression"
            | "block_label"
            | "elseif_clause"
            | "else_clause"
            | "elsewhere_clause"
            | "case_value_range_list"
            | "default"
            | "parenthesized_expression"
            | "association_list"
            | "end_associate_statement"
            | "end_block_construct_statement"
            | "do_statement"
            | "end_do_loop_statement"
            | "end_do_label_loop_statement"
            | "end_if_statement"
            | "end_where_statement"
            | "end_select_statement"
    )
}

/// The statement at the end of labelled loops, which belongs to the innermost of those that share it.
#[derive(Clone, Copy)]
pub(super) struct Terminal<'t> {
    /// The label.
    label: Node<'t>,
    /// The statement.
    statement: Node<'t>,
}

impl<'t> Lowering<'_, 't> {
    /// The name before a construct.
    fn name_of_construct(&self, node: Node<'t>) -> Option<String> {
        let label = child_of_kind(node, "block_label_start_expression")?;
        Some(self.source.lower(label).trim_end_matches(':').trim_end().to_string())
    }

    /// Begins a construct.
    pub fn open(&mut self, node: Node<'t>, statement: StatementId, kind: ConstructKind) {
        let name = self.name_of_construct(node);
        self.constructs.push(OpenConstruct { name, statement, kind });
    }

    /// Statements among the children of `node`, between `start` and `end`.
    pub fn body(&mut self, node: Node<'t>, start: usize, end: usize, parent: StatementId) -> Block {
        let inside = |child: &Node<'t>| child.start_byte() >= start && !is_frame(child.kind());
        let statements: Vec<Node<'t>> = named_children(node).into_iter().filter(inside).collect();
        self.block(&statements, Place { start, end, parent: Some(parent) })
    }

    /// IF, on one line or with an END IF.
    pub fn if_construct(&mut self, node: Node<'t>, id: StatementId) -> StatementKind {
        let Some(condition_node) = child_of_kind(node, "parenthesized_expression") else {
            return self.opaque_statement(self.statements[id.0].span, "an IF that can't be read");
        };
        let condition = self.condition(condition_node);
        let Some(then) = child_of_kind(node, "then") else {
            let statement = named_children(node).into_iter().rfind(|child| child.id() != condition_node.id());
            let body: Block = statement.into_iter().map(|statement| self.statement(statement, Some(id))).collect();
            return StatementKind::If { arms: vec![Arm { condition, body }], otherwise: None, one_line: true };
        };
        self.open(node, id, ConstructKind::Other);
        let clauses: Vec<Node<'t>> = named_children(node)
            .into_iter()
            .filter(|child| matches!(child.kind(), "elseif_clause" | "else_clause"))
            .collect();
        let first_end = clauses.first().map_or(node.end_byte(), |clause| clause.start_byte());
        // A label in front of END IF belongs to the last block.
        let end_label = named_children(node).into_iter().rfind(|child| child.kind() == "statement_label");
        let end_label =
            end_label.filter(|label| clauses.last().is_some_and(|last| last.end_byte() <= label.start_byte()));
        let body = self.arm_body(node, then.end_byte(), first_end, id, end_label);
        let mut arms = vec![Arm { condition, body }];
        let mut otherwise = None;
        for (index, clause) in clauses.iter().enumerate() {
            let end = clauses.get(index + 1).map_or(node.end_byte(), |next| next.start_byte());
            if clause.kind() == "elseif_clause" {
                let condition = match child_of_kind(*clause, "parenthesized_expression") {
                    Some(condition) => self.condition(condition),
                    None => Expression::new(ExpressionKind::Computed(Vec::new()), self.source.span_of(*clause)),
                };
                let start = child_of_kind(*clause, "then").map_or(clause.start_byte(), |then| then.end_byte());
                let body = self.body(*clause, start, end, id);
                arms.push(Arm { condition, body });
            } else {
                otherwise = Some(self.body(*clause, clause.start_byte(), end, id));
            }
        }
        if let Some(label) = end_label {
            let behind =
                self.block(&[label], Place { start: label.start_byte(), end: node.end_byte(), parent: Some(id) });
            match &mut otherwise {
                Some(last) => last.extend(behind),
                None => arms.last_mut().map(|arm| &mut arm.body).into_iter().for_each(|body| body.extend(&behind)),
            }
        }
        self.constructs.pop();
        StatementKind::If { arms, otherwise, one_line: false }
    }

    /// The first block of an IF construct, without the label of its END IF where that belongs elsewhere.
    fn arm_body(
        &mut self,
        node: Node<'t>,
        start: usize,
        end: usize,
        parent: StatementId,
        end_label: Option<Node<'t>>,
    ) -> Block {
        let inside = |child: &Node<'t>| {
            child.start_byte() >= start
                && child.start_byte() < end
                && !is_frame(child.kind())
                && end_label.is_none_or(|label| label.id() != child.id())
        };
        let statements: Vec<Node<'t>> = named_children(node).into_iter().filter(inside).collect();
        self.block(&statements, Place { start, end, parent: Some(parent) })
    }

    /// WHERE: assignments of which each takes place for some elements.
    pub fn where_construct(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let mut masks = Vec::new();
        let mut assignments = Vec::new();
        let mut pending: Vec<Node<'t>> = named_children(node);
        pending.reverse();
        while let Some(child) = pending.pop() {
            match child.kind() {
                "parenthesized_expression" => masks.push(self.condition(child)),
                "elsewhere_clause" | "where_statement" => pending.extend(named_children(child).into_iter().rev()),
                "assignment_statement" => assignments.push(child),
                kind if is_frame(kind) => {}
                _ => return self.opaque_statement(span, "a WHERE with statements that are no assignments"),
            }
        }
        let holes = self.holes.iter().any(|(hole, _)| span.start <= hole.range.start && hole.range.start < span.end);
        let choices = &self.source.parsed.preprocessing.choices;
        let is_chosen = choices.iter().any(|choice| span.start <= choice.range.start && choice.range.start < span.end);
        if holes || is_chosen {
            return self.opaque_statement(span, "a WHERE that can't be read");
        }
        let mut body = Block::new();
        for assignment in assignments {
            let statement = self.statement(assignment, Some(id));
            // No other statement may be put between these.
            self.statements[statement.0].shares_line = true;
            body.push(statement);
        }
        let condition = Expression::new(ExpressionKind::Computed(masks), span);
        let one_line = !has_child(node, "end_where_statement");
        StatementKind::If { arms: vec![Arm { condition, body }], otherwise: None, one_line }
    }

    /// FORALL with one assignment: some elements are written.
    pub fn forall(&mut self, node: Node<'t>, span: Span) -> StatementKind {
        let choices = &self.source.parsed.preprocessing.choices;
        if choices.iter().any(|choice| span.start <= choice.range.start && choice.range.start < span.end) {
            return self.opaque_statement(span, "a FORALL with lines of the preprocessor");
        }
        let children = named_children(node);
        let assignments: Vec<Node<'t>> =
            children.iter().copied().filter(|child| child.kind() == "assignment_statement").collect();
        let [assignment] = assignments.as_slice() else {
            return self.opaque_statement(span, "a FORALL with several statements");
        };
        let known = |kind: &str| {
            matches!(kind, "triplet_spec" | "logical_expression" | "relational_expression" | "end_forall_statement")
        };
        if children.iter().any(|child| child.id() != assignment.id() && !known(child.kind()) && !is_frame(child.kind()))
        {
            return self.opaque_statement(span, "a FORALL that can't be read");
        }
        let mut reads = Vec::new();
        let scoped = self.scoped_names.len();
        for triplet in children.iter().filter(|child| child.kind() == "triplet_spec") {
            let parts = named_children(*triplet);
            reads.extend(parts.iter().skip(1).map(|&bound| self.expression(bound)));
            self.scoped_names.extend(parts.first().map(|variable| self.source.lower(*variable)));
        }
        let masks =
            children.iter().filter(|child| matches!(child.kind(), "logical_expression" | "relational_expression"));
        reads.extend(masks.map(|&mask| self.expression(mask)).collect::<Vec<_>>());
        let sides = (assignment.child_by_field_name("left"), assignment.child_by_field_name("right"));
        let kind = match sides {
            (Some(left), Some(right)) => {
                let target = self.expression(left);
                reads.push(self.expression(right));
                let value = Expression::new(ExpressionKind::Computed(reads), span);
                self.some_elements(target, value, span)
            }
            _ => self.opaque_statement(span, "a FORALL that can't be read"),
        };
        self.scoped_names.truncate(scoped);
        kind
    }

    /// An assignment to some elements of the target's variable.
    fn some_elements(&mut self, target: Expression, value: Expression, span: Span) -> StatementKind {
        match target.kind {
            ExpressionKind::Part { .. } => self.assign(target, value, span),
            ExpressionKind::Element { array, subscripts } => {
                let kind = ExpressionKind::Part {
                    base: array,
                    component: None,
                    through_pointer: false,
                    selectors: subscripts,
                };
                self.assign(Expression::new(kind, target.span), value, span)
            }
            _ => self.opaque_statement(span, "a FORALL that can't be read"),
        }
    }

    /// SELECT CASE.
    pub fn select_construct(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let selector = child_of_kind(node, "selector").and_then(|selector| named_children(selector).first().copied());
        let Some(selector) = selector else { return self.opaque_statement(span, "a SELECT that can't be read") };
        let selectors = vec![self.expression(selector)];
        self.open(node, id, ConstructKind::Other);
        let cases: Vec<Node<'t>> =
            named_children(node).into_iter().filter(|child| child.kind() == "case_statement").collect();
        let mut blocks = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let end = cases.get(index + 1).map_or(node.end_byte(), |next| next.start_byte());
            blocks.push(self.case_body(*case, end, id));
        }
        self.constructs.pop();
        StatementKind::Select { selectors, cases: blocks }
    }

    /// The statements behind `case (…)`, `case default`, `type is (…)` or `class default`.
    pub fn case_body(&mut self, case: Node<'t>, end: usize, parent: StatementId) -> Block {
        let head_end = all_children(case)
            .into_iter()
            .take_while(|child| {
                !child.is_named()
                    || is_frame(child.kind())
                    || matches!(child.kind(), "identifier" | "intrinsic_type" | "end_of_statement")
            })
            .last()
            .map_or(case.start_byte(), |last| last.end_byte());
        self.body(case, head_end, end, parent)
    }

    /// DO in all its forms. `terminal` is the statement that this loop shares with loops around it.
    pub fn do_construct(
        &mut self,
        node: Node<'t>,
        id: StatementId,
        span: Span,
        terminal: Option<Terminal<'t>>,
    ) -> StatementKind {
        let Some(head) = child_of_kind(node, "do_statement") else {
            return self.opaque_statement(span, "a DO that can't be read");
        };
        let own_terminal = child_of_kind(node, "end_do_label_loop_statement").and_then(|end| {
            let label = child_of_kind(end, "statement_label")?;
            let statement = named_children(end).into_iter().find(|child| child.kind() != "statement_label");
            Some(Terminal { label, statement: statement.unwrap_or(end) })
        });
        let is_labelled = has_child(node, "end_do_label_loop_statement");
        let terminal = if is_labelled { own_terminal.or(terminal) } else { None };
        if let Some(terminal) = terminal {
            // The span reaches over the shared statement, which the grammar gives to the outermost loop.
            let end = self.trimmed_span(terminal.statement).end;
            let own = &mut self.statements[id.0].span;
            own.end = own.end.max(end);
        }
        let control = child_of_kind(head, "loop_control_expression");
        let concurrent = child_of_kind(head, "concurrent_statement");
        let header = if let Some(control) = control {
            self.counted_header(control)
        } else if let Some(concurrent) = concurrent {
            self.concurrent_header(concurrent)
        } else {
            Ok(None)
        };
        let header = match header {
            Ok(header) => header,
            Err(why) => return self.opaque_statement(span, &why),
        };
        let condition = child_of_kind(head, "while_statement")
            .and_then(|header| child_of_kind(header, "parenthesized_expression"))
            .map(|condition| self.condition(condition));
        self.open(node, id, ConstructKind::Loop);
        let body = self.loop_body(node, head.end_byte(), id, terminal);
        self.constructs.pop();
        match header {
            Some((variable, lower, upper, step)) => StatementKind::Loop(Loop {
                variable,
                lower,
                upper,
                step,
                body,
                concurrent: concurrent.is_some(),
                asserted: AssertedIndependence::Nothing,
            }),
            None => StatementKind::While { condition, body },
        }
    }

    fn loop_body(&mut self, node: Node<'t>, start: usize, id: StatementId, terminal: Option<Terminal<'t>>) -> Block {
        let mut statements: Vec<Node<'t>> = named_children(node)
            .into_iter()
            .filter(|child| child.start_byte() >= start && !is_frame(child.kind()))
            .collect();
        let place = Place { start, end: self.statements[id.0].span.end, parent: Some(id) };
        let Some(terminal) = terminal else { return self.block(&statements, place) };
        // The last loop inside that ends at the same statement takes it.
        let is_shared = |last: &&Node<'t>| {
            last.kind() == "do_loop"
                && child_of_kind(**last, "end_do_label_loop_statement")
                    .is_some_and(|end| has_child(end, "do_label_virtual"))
        };
        if let Some(inner) = statements.last().filter(is_shared).copied() {
            statements.pop();
            let mut body = self.block(&statements, Place { end: inner.start_byte(), ..place });
            let inner_span = self.trimmed_span(inner);
            let inner_id = self.reserve(inner_span, Some(id));
            let kind = self.do_construct(inner, inner_id, inner_span, Some(terminal));
            self.statements[inner_id.0].kind = kind;
            body.push(inner_id);
            return body;
        }
        let end = terminal.statement.start_byte();
        let mut body = self.block(&statements, Place { end, ..place });
        let statement = if terminal.statement.kind() == "end_do_label_loop_statement" {
            // END DO with a label.
            let span = self.trimmed_span(terminal.statement);
            self.add(span, Some(id), StatementKind::Nothing)
        } else {
            self.statement(terminal.statement, Some(id))
        };
        let number = self.label_number(terminal.label);
        let last = &mut self.statements[statement.0];
        last.labelled = true;
        last.jump_target = self.jump_labels.contains(&number);
        body.push(statement);
        body
    }

    /// `i = 1, n, 2`
    #[expect(clippy::type_complexity, reason = "the parts of a loop header, used once")]
    fn counted_header(
        &mut self,
        control: Node<'t>,
    ) -> Result<Option<(crate::ir::SymbolId, Expression, Expression, Option<Expression>)>, String> {
        let parts = named_children(control);
        let (variable, bounds) = parts.split_first().ok_or("a DO that can't be read")?;
        let variable = self.loop_variable(*variable)?;
        let mut bounds = bounds.iter().map(|&bound| self.expression(bound));
        let (Some(lower), Some(upper)) = (bounds.next(), bounds.next()) else {
            return Err("a DO that can't be read".to_string());
        };
        let step = bounds.next();
        Ok(Some((variable, lower, upper, step)))
    }

    fn loop_variable(&mut self, node: Node<'t>) -> Result<crate::ir::SymbolId, String> {
        let expression = self.expression(node);
        match expression.kind {
            ExpressionKind::Symbol(symbol)
                if self.symbols[symbol.0].class == SymbolClass::Variable
                    && self.symbols[symbol.0].element.category == TypeCategory::Integer
                    && self.symbols[symbol.0].rank() == 0 =>
            {
                Ok(symbol)
            }
            _ => Err("a loop over a variable that is no integer".to_string()),
        }
    }

    /// DO CONCURRENT with one index that is a variable of the procedure, no mask and no locality.
    #[expect(clippy::type_complexity, reason = "the parts of a loop header, used once")]
    fn concurrent_header(
        &mut self,
        concurrent: Node<'t>,
    ) -> Result<Option<(crate::ir::SymbolId, Expression, Expression, Option<Expression>)>, String> {
        let why = || "a DO CONCURRENT that is not simple".to_string();
        let header = child_of_kind(concurrent, "concurrent_header").ok_or_else(why)?;
        let controls = descendants_of_kinds(header, &["concurrent_control"]);
        let plain = named_children(header).len() == 1 && named_children(concurrent).len() == 1;
        let [control] = controls.as_slice() else { return Err(why()) };
        if !plain {
            return Err(why());
        }
        let variable = self.loop_variable(*named_children(*control).first().ok_or_else(why)?)?;
        let bound = |name: &str| control.child_by_field_name(name);
        let (Some(lower), Some(upper)) = (bound("initial"), bound("final")) else { return Err(why()) };
        let (lower, upper) = (self.expression(lower), self.expression(upper));
        let step = bound("step").map(|step| self.expression(step));
        Ok(Some((variable, lower, upper, step)))
    }
}
