//! IF, WHERE, FORALL, SELECT and DO.

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{all_children, child_of_kind, has_child, named_children};
use super::construct_names::OpenNames;
use super::lowering::{ConstructKind, Lowering, OpenConstruct};
use super::statements::Place;
use crate::ir::{
    Arm, AssertedIndependence, Block, Expression, ExpressionKind, Loop, LoopBound, PartForm, Room, Scope, Span,
    StatementId, StatementKind, SymbolClass, SymbolId,
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
            | "assumed_size"
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

/// The nodes of this kind in a SELECT, one for each block, with where their blocks end.
pub(super) fn cases_of<'t>(select: Node<'t>, kind: &str) -> Vec<(Node<'t>, usize)> {
    let cases: Vec<Node<'t>> = named_children(select).into_iter().filter(|child| child.kind() == kind).collect();
    let next_starts = cases.iter().skip(1).map(|next| next.start_byte());
    let ends: Vec<usize> = next_starts.chain([select.end_byte()]).collect();
    cases.into_iter().zip(ends).collect()
}

/// What the head of a DO says.
enum LoopHeader {
    /// `i = 1, n, 2`
    Counted { variable: SymbolId, lower: Expression, upper: Expression, step: Option<Expression> },
    /// Everything else: see [`StatementKind::While`].
    Uncounted { changes: Vec<SymbolId>, condition: Option<Expression> },
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
            self.statements[statement.0].room = Room::Inside;
            body.push(statement);
        }
        let condition = Expression::new(ExpressionKind::Computed(masks), span);
        let one_line = !has_child(node, "end_where_statement");
        StatementKind::If { arms: vec![Arm { condition, body }], otherwise: None, one_line }
    }

    /// FORALL: some elements are written.
    pub fn forall(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let choices = &self.source.parsed.preprocessing.choices;
        if choices.iter().any(|choice| span.start <= choice.range.start && choice.range.start < span.end) {
            return self.opaque_statement(span, "a FORALL with lines of the preprocessor");
        }
        let is_header =
            |part: &Node<'t>| matches!(part.kind(), "triplet_spec" | "logical_expression" | "relational_expression");
        let is_end = |part: &Node<'t>| part.kind() == "end_forall_statement" || is_frame(part.kind());
        let children = named_children(node);
        let (header, rest): (Vec<Node<'t>>, Vec<Node<'t>>) = children.into_iter().partition(is_header);
        let statements: Vec<Node<'t>> = rest.into_iter().filter(|part| !is_end(part)).collect();
        let is_known =
            |part: &Node<'t>| matches!(part.kind(), "assignment_statement" | "forall_statement" | "where_statement");
        if !statements.iter().all(is_known) {
            return self.opaque_statement(span, "a FORALL that can't be read");
        }
        let scoped = self.scoped_names.len();
        let mut reads = Vec::new();
        let (triplets, masks): (Vec<Node<'t>>, Vec<Node<'t>>) =
            header.into_iter().partition(|part| part.kind() == "triplet_spec");
        for triplet in triplets {
            let parts = named_children(triplet);
            reads.extend(parts.iter().skip(1).map(|&bound| self.expression(bound)));
            self.scoped_names.extend(parts.first().map(|variable| self.source.lower(*variable)));
        }
        reads.extend(masks.into_iter().map(|mask| self.expression(mask)));
        let kind = match statements.as_slice() {
            [assignment] if assignment.kind() == "assignment_statement" => {
                self.forall_assignment(*assignment, reads, span)
            }
            _ => {
                let body: Block = statements.iter().map(|&statement| self.statement(statement, Some(id))).collect();
                for &statement in &body {
                    // No other statement may be put between these.
                    self.statements[statement.0].room = Room::Inside;
                }
                let condition = Expression::new(ExpressionKind::Computed(reads), span);
                StatementKind::While { changes: Vec::new(), condition: Some(condition), body }
            }
        };
        self.scoped_names.truncate(scoped);
        kind
    }

    /// The only assignment of a FORALL whose head reads this.
    fn forall_assignment(&mut self, assignment: Node<'t>, mut reads: Vec<Expression>, span: Span) -> StatementKind {
        let sides = (assignment.child_by_field_name("left"), assignment.child_by_field_name("right"));
        let (Some(left), Some(right)) = sides else {
            return self.opaque_statement(span, "a FORALL that can't be read");
        };
        let (target, right) = (self.expression(left), self.expression(right));
        if self.may_call_assignment(&target, &right) {
            return self.opaque_statement(span, "an assignment that the program may define");
        }
        reads.push(right);
        let value = Expression::new(ExpressionKind::Computed(reads), span);
        self.some_elements(target, value, span)
    }

    /// An assignment, of which the program defines none, to some elements of the target's variable.
    fn some_elements(&mut self, target: Expression, value: Expression, span: Span) -> StatementKind {
        match target.kind {
            ExpressionKind::Part { .. } => self.intrinsic_assignment(target, value, span),
            ExpressionKind::Element { array, subscripts } => {
                let kind = ExpressionKind::Part {
                    base: array,
                    component: None,
                    form: PartForm::Unnamed,
                    through_pointer: false,
                    selectors: subscripts,
                };
                self.intrinsic_assignment(Expression::new(kind, target.span), value, span)
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
        let cases = cases_of(node, "case_statement").into_iter();
        let cases = cases.map(|(case, end)| self.case_body(case, end, id)).collect();
        self.constructs.pop();
        StatementKind::Select { selectors, cases }
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

    /// A block of SELECT TYPE or SELECT RANK, which ends at `end`: a scope in which `names` mean what they say of it, `hidden` others than
    /// around it.
    pub fn case_with_names(
        &mut self,
        (case, end): (Node<'t>, usize),
        parent: StatementId,
        hidden: &[String],
        names: impl FnOnce(StatementId) -> OpenNames<'t>,
    ) -> Block {
        // Up to what follows, so that there is room behind the last statement.
        let scope = self.reserve(self.source.span(case.start_byte()..end), Some(parent));
        self.statements[scope.0].room = Room::Inside;
        self.open_names.push(names(scope));
        let body = self.case_body(case, end, scope);
        self.open_names.pop();
        let scoped = Scope { names: hidden.to_vec(), evaluated: Vec::new(), body };
        self.statements[scope.0].kind = StatementKind::Scope(scoped);
        vec![scope]
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
        let scoped = self.scoped_names.len();
        let control = child_of_kind(head, "loop_control_expression");
        let concurrent = child_of_kind(head, "concurrent_statement");
        let header = if let Some(control) = control {
            self.counted_header(control)
        } else if let Some(concurrent) = concurrent {
            self.concurrent_header(concurrent)
        } else {
            let condition = child_of_kind(head, "while_statement")
                .and_then(|header| child_of_kind(header, "parenthesized_expression"))
                .map(|condition| self.condition(condition));
            Ok(LoopHeader::Uncounted { changes: Vec::new(), condition })
        };
        let header = match header {
            Ok(header) => header,
            Err(why) => {
                self.scoped_names.truncate(scoped);
                return self.opaque_statement(span, &why);
            }
        };
        self.open(node, id, ConstructKind::Loop);
        let body = self.loop_body(node, head.end_byte(), id, terminal);
        self.constructs.pop();
        self.scoped_names.truncate(scoped);
        match header {
            LoopHeader::Counted { variable, lower, upper, step } => StatementKind::Loop(Loop {
                variable,
                lower,
                upper,
                step,
                body,
                concurrent: concurrent.is_some(),
                bound: LoopBound::Last,
                counts_plainly: true,
                asserted: AssertedIndependence::Nothing,
            }),
            LoopHeader::Uncounted { changes, condition } => StatementKind::While { changes, condition, body },
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
        self.targets.push((statement, number));
        body.push(statement);
        body
    }

    /// The variable of a DO, its bounds and its step.
    fn counted_header(&mut self, control: Node<'t>) -> Result<LoopHeader, String> {
        let parts = named_children(control);
        let (variable, bounds) = parts.split_first().ok_or("a DO that can't be read")?;
        let variable = self.loop_variable(*variable)?;
        let bounds: Vec<Expression> = bounds.iter().map(|&bound| self.expression(bound)).collect();
        if !self.symbols[variable.0].is_integer_scalar() {
            return Ok(self.uncounted(vec![variable], bounds, control));
        }
        let mut bounds = bounds.into_iter();
        let (Some(lower), Some(upper)) = (bounds.next(), bounds.next()) else {
            return Err("a DO that can't be read".to_string());
        };
        Ok(LoopHeader::Counted { variable, lower, upper, step: bounds.next() })
    }

    /// The header of a loop that evaluates these expressions and changes these variables as often as it likes.
    fn uncounted(&mut self, changes: Vec<SymbolId>, evaluated: Vec<Expression>, header: Node<'t>) -> LoopHeader {
        let condition = Expression::new(ExpressionKind::Computed(evaluated), self.source.span_of(header));
        LoopHeader::Uncounted { changes, condition: Some(condition) }
    }

    /// A scalar of the procedure.
    fn loop_variable(&mut self, node: Node<'t>) -> Result<SymbolId, String> {
        let expression = self.expression(node);
        match expression.kind {
            ExpressionKind::Symbol(symbol)
                if self.symbols[symbol.0].class == SymbolClass::Variable && self.symbols[symbol.0].rank() == 0 =>
            {
                Ok(symbol)
            }
            _ => Err("a loop over what is no scalar variable".to_string()),
        }
    }

    /// DO CONCURRENT. One index alone that is a variable of the procedure is counted; those that the header declares are
    /// names of its own. Variables that are local to an iteration are taken for those around the loop: what changes the
    /// former seems to change the latter.
    fn concurrent_header(&mut self, concurrent: Node<'t>) -> Result<LoopHeader, String> {
        let header = child_of_kind(concurrent, "concurrent_header").ok_or("a DO CONCURRENT that can't be read")?;
        let declares = header.child_by_field_name("type");
        let parts: Vec<Node<'t>> = named_children(header).into_iter().filter(|&part| Some(part) != declares).collect();
        let (controls, masks): (Vec<Node<'t>>, Vec<Node<'t>>) =
            parts.iter().partition(|part| part.kind() == "concurrent_control");
        let is_plain = masks.is_empty() && named_children(concurrent).len() == 1;
        if is_plain
            && declares.is_none()
            && let [control] = controls.as_slice()
        {
            return self.counted_header(*control);
        }
        let mut changes = Vec::new();
        let mut evaluated = Vec::new();
        for control in &controls {
            let parts = named_children(*control);
            let (index, bounds) = parts.split_first().ok_or("a DO CONCURRENT that can't be read")?;
            if declares.is_some() {
                self.scoped_names.push(self.source.lower(*index));
            } else {
                changes.push(self.loop_variable(*index)?);
            }
            evaluated.extend(bounds.iter().map(|&bound| self.expression(bound)));
        }
        evaluated.extend(masks.into_iter().flat_map(named_children).map(|mask| self.expression(mask)));
        Ok(self.uncounted(changes, evaluated, header))
    }
}
