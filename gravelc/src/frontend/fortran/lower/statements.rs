//! Blocks and simple statements.

use super::super::text::syntax_tree::Node;

use super::super::names::included_declarations::{included_declarations, is_known_header};
use super::super::text::preprocessor::Choice;
use super::super::text::tree::{all_children, descendants_of_kinds, has_child, named_children};
use super::construct_names::ConstructName;
use super::lowering::{ConstructKind, Lowering, MAX_DEPTH};
use super::symbols::NameUse;
use super::unread_text::must_be_declarations;
use crate::ir::{
    Arm, Block, Callee, Expression, ExpressionKind, Opacity, Room, Span, StatementId, StatementKind, TypeCategory,
    UntouchableCause,
};

/// The bytes between which a block lies, and the statement that holds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The compound statement.
    pub parent: Option<StatementId>,
}

impl<'t> Lowering<'_, 't> {
    /// Lowers the statements `nodes`, which lie at `place`, with the holes between them.
    pub fn block(&mut self, nodes: &[Node<'t>], place: Place) -> Block {
        let mut block = Block::new();
        let mut label: Option<Node<'t>> = None;
        let mut choice_end = 0;
        for (index, &node) in nodes.iter().enumerate() {
            if node.start_byte() < choice_end {
                continue;
            }
            if let Some(choice) = self.choice_at(node.start_byte()).filter(|choice| choice.range.start >= place.start) {
                self.holes_before(place.start, choice.range.start, place.parent, &mut block);
                choice_end = choice.range.end;
                block.push(self.choice(&nodes[index..], choice, place.parent));
                continue;
            }
            if node.kind() == "statement_label" {
                label = Some(node);
                continue;
            }
            self.holes_before(place.start, node.start_byte(), place.parent, &mut block);
            let statement = self.statement(node, place.parent);
            self.apply_label(statement, node, label.take());
            block.push(statement);
        }
        self.holes_before(place.start, place.end, place.parent, &mut block);
        if let Some(label) = label {
            // The label of an END statement: jumping there is going on behind the block's last statement.
            let statement = self.add(self.source.span_of(label), place.parent, StatementKind::Nothing);
            self.apply_label(statement, label, Some(label));
            block.push(statement);
        }
        block
    }

    /// The region of the preprocessor around `offset` of which one branch or none is compiled.
    fn choice_at(&self, offset: usize) -> Option<&'t Choice> {
        let choices = &self.source.parsed.preprocessing.choices;
        let index = choices.partition_point(|choice| choice.range.end <= offset);
        choices.get(index).filter(|choice| choice.range.contains(&offset))
    }

    /// A region of which one branch or none is compiled, as a statement that chooses when it runs: what holds for every
    /// choice holds for every way to compile it.
    fn choice(&mut self, nodes: &[Node<'t>], choice: &Choice, parent: Option<StatementId>) -> StatementId {
        let id = self.reserve(self.source.span(choice.range.clone()), parent);
        let mut cases = Vec::with_capacity(choice.branches.len());
        for branch in &choice.branches {
            let inside: Vec<Node<'t>> =
                nodes.iter().copied().filter(|node| branch.contains(&node.start_byte())).collect();
            cases.push(self.block_inside(&inside, Place { start: branch.start, end: branch.end, parent: Some(id) }));
        }
        self.statements[id.0].kind = StatementKind::Select { selectors: Vec::new(), cases };
        id
    }

    /// A block inside a region of the preprocessor, which lies in no other region.
    fn block_inside(&mut self, nodes: &[Node<'t>], place: Place) -> Block {
        let mut block = Block::new();
        for &node in nodes {
            self.holes_before(place.start, node.start_byte(), place.parent, &mut block);
            block.push(self.statement(node, place.parent));
        }
        self.holes_before(place.start, place.end, place.parent, &mut block);
        block
    }

    /// Turns the holes in `start..end` that are none yet into opaque statements.
    fn holes_before(&mut self, start: usize, end: usize, parent: Option<StatementId>, block: &mut Block) {
        let first = self.holes.partition_point(|(hole, _)| hole.range.start < start);
        for index in first..self.holes.len() {
            let (hole, done) = self.holes[index];
            if hole.range.start >= end {
                break;
            }
            if !done {
                self.holes[index].1 = true;
                let span = self.source.span(hole.range.clone());
                let opacity = match hole.cause {
                    UntouchableCause::UnknownText => Opacity::UnknownText,
                    _ => Opacity::Syntax,
                };
                let unread = self.unread_text(span, opacity, &hole.why);
                block.push(self.add(span, parent, StatementKind::Opaque(Box::new(unread))));
            }
        }
    }

    fn apply_label(&mut self, id: StatementId, node: Node<'t>, label: Option<Node<'t>>) {
        let Some(label) = label else { return };
        let number = self.label_number(label);
        let statement = &mut self.statements[id.0];
        statement.labelled = true;
        statement.jump_target = match node.kind() {
            // No jump leads there (Fortran 2018, 11.2.1).
            "format_statement" => false,
            "statement_label" => self.jump_labels.contains(&number),
            _ => true,
        };
        self.targets.push((id, number));
    }

    /// The digits of a label, leading zeros dropped. The grammar leaves the node of the label that ends several loops
    /// empty; the digits are before it then.
    pub fn label_number(&self, label: Node<'_>) -> String {
        let text = self.source.original;
        let mut start = label.start_byte();
        while start > 0 && text[start - 1].is_ascii_digit() {
            start -= 1;
        }
        let digits: Vec<u8> = text[start..].iter().copied().take_while(u8::is_ascii_digit).collect();
        let digits = String::from_utf8_lossy(&digits).into_owned();
        digits.trim_start_matches('0').to_string()
    }

    /// Lowers one statement.
    pub fn statement(&mut self, node: Node<'t>, parent: Option<StatementId>) -> StatementId {
        let span = self.trimmed_span(node);
        let id = self.reserve(span, parent);
        let kind = if node.is_error() || node.is_missing() {
            Some("syntax error".to_string())
        } else if self.depth >= MAX_DEPTH {
            Some("statements that nest too deeply".to_string())
        } else {
            None
        };
        let kind = match kind {
            Some(why) => {
                self.unread.push((span, why.clone()));
                self.mark_untouchable(span, why.clone());
                StatementKind::Opaque(Box::new(self.unread_text(span, Opacity::Syntax, why)))
            }
            None => {
                self.depth += 1;
                let kind = self.statement_kind(node, id, span);
                self.depth -= 1;
                kind
            }
        };
        self.statements[id.0].kind = kind;
        id
    }

    /// The bytes of a statement without the blanks and the line's end behind it.
    pub fn trimmed_span(&self, node: Node<'_>) -> Span {
        let text = &self.source.original[node.start_byte()..node.end_byte()];
        let blank = text.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.source.span(node.start_byte()..node.end_byte() - blank.min(text.len()))
    }

    fn statement_kind(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        match node.kind() {
            "assignment_statement" => self.assignment(node, id, span),
            "pointer_association_statement" => self.pointer_assignment(node, span),
            "subroutine_call" => self.call_statement(node, id, span),
            "keyword_statement" => self.keyword_statement(node, id, span),
            "if_statement" => self.if_construct(node, id),
            "arithmetic_if_statement" => self.jump_on(named_children(node).first().copied(), id),
            "where_statement" => self.where_construct(node, id, span),
            "forall_statement" => self.forall(node, id, span),
            "select_case_statement" => self.select_construct(node, id, span),
            "select_type_statement" => self.select_type(node, id, span),
            "do_loop" => self.do_construct(node, id, span, None),
            "format_statement" | "data_statement" | "namelist_statement" => StatementKind::Nothing,
            "print_statement"
            | "write_statement"
            | "read_statement"
            | "open_statement"
            | "close_statement"
            | "inquire_statement"
            | "file_position_statement" => self.input_output(node, span),
            "stop_statement" => self.stop(node, span),
            "allocate_statement" => self.allocate(node),
            "deallocate_statement" | "nullify_statement" => self.deallocate(node),
            "include_statement" if is_known_header(self.source, node) => StatementKind::Nothing,
            "include_statement" => {
                let what = included_declarations(self.source, node).err();
                let what = what.as_deref().unwrap_or("an include file among the statements");
                let parts = &self.units.list[self.unit].parts;
                let is_among_declarations = must_be_declarations(self.source, parts, node);
                StatementKind::Opaque(Box::new(self.unread_include(span, what, is_among_declarations)))
            }
            "block_construct" => self.block_construct(node, id, span),
            "associate_statement" => self.associate_construct(node, id, span),
            "select_rank_statement" => self.select_rank(node, id, span),
            "coarray_statement" | "coarray_team_statement" | "coarray_critical_statement" => {
                self.opaque_statement(span, "a statement of coarrays")
            }
            "entry_statement" => self.entry_statement(node, id, span),
            "assign_statement" => self.opaque_statement(span, "an ASSIGN statement"),
            _ => {
                self.unread.push((span, "a statement that can't be read".to_string()));
                // It may as well be a declaration.
                self.mark_untouchable(span, "a statement that can't be read");
                self.opaque_statement(span, "a statement that can't be read")
            }
        }
    }

    /// A statement that is not understood: what it is.
    pub fn opaque_statement(&mut self, span: Span, what: &str) -> StatementKind {
        StatementKind::Opaque(Box::new(self.not_understood(span, what)))
    }

    fn assignment(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return self.opaque_statement(span, "an assignment that can't be read");
        };
        let target = self.expression(left);
        let value = self.expression(right);
        if let ExpressionKind::Call { callee: callee @ Callee::Unknown(_), arguments } = &target.kind
            && self.is_of_library(left)
        {
            // The library's own variable.
            let arguments = arguments.iter().cloned().chain([value]).collect();
            return StatementKind::Call { callee: callee.clone(), arguments };
        }
        // What a construct has a name for is not allocatable under that name.
        let is_associated = left.kind() == "identifier"
            && matches!(self.construct_name(&self.source.lower(left)), Some(ConstructName::Part { .. }));
        let is_plain = target.designated().is_some_and(|it| {
            let category = self.symbols[it.0].element.category;
            !matches!(category, TypeCategory::Derived | TypeCategory::Unknown)
        });
        let may_be_defined = self.may_call_assignment(&target, &value);
        let operands = if may_be_defined { vec![target.clone(), value.clone()] } else { Vec::new() };
        let intrinsic = match self.intrinsic_assignment(target, value, span) {
            StatementKind::Assign { target, value, .. } if is_associated && is_plain => {
                StatementKind::Assign { target, value, may_reallocate: false }
            }
            other => other,
        };
        match intrinsic {
            StatementKind::Assign { .. } if may_be_defined => self.defined_assignment(operands, intrinsic, id, span),
            other => other,
        }
    }

    /// Does a designator begin with the name of something in a library's module?
    fn is_of_library(&mut self, designator: Node<'t>) -> bool {
        let mut node = designator;
        while let Some(first) = named_children(node).first().copied() {
            node = first;
        }
        let name = self.source.lower(node);
        matches!(self.name_use(&name), NameUse::Library(_))
    }

    /// `target = value`, if the target is a variable; not followed where the program may define the assignment.
    pub fn assign(&mut self, target: Expression, value: Expression, span: Span) -> StatementKind {
        if self.may_call_assignment(&target, &value) {
            return self.opaque_statement(span, "an assignment that the program may define");
        }
        self.intrinsic_assignment(target, value, span)
    }

    /// `target = value`, if the target is a variable and the program does not define the assignment.
    pub fn intrinsic_assignment(&mut self, target: Expression, value: Expression, span: Span) -> StatementKind {
        let Some(symbol) = target.designated() else {
            return self.opaque_statement(span, "an assignment to something that is no variable");
        };
        if self.symbols[symbol.0].class != crate::ir::SymbolClass::Variable {
            return self.opaque_statement(span, "an assignment to something that is no variable");
        }
        let symbol = &self.symbols[symbol.0];
        let may_reallocate = match &target.kind {
            ExpressionKind::Symbol(_) => {
                symbol.is_allocatable()
                    || symbol.element.category == crate::ir::TypeCategory::Derived
                    || symbol.element.category == crate::ir::TypeCategory::Unknown
            }
            // A component may be allocatable.
            ExpressionKind::Part { .. } => symbol.element.category != crate::ir::TypeCategory::Character,
            _ => symbol.element.category == crate::ir::TypeCategory::Derived,
        };
        StatementKind::Assign { target, value, may_reallocate }
    }

    fn pointer_assignment(&mut self, node: Node<'t>, span: Span) -> StatementKind {
        let children = named_children(node);
        let [left, right] = children.as_slice() else {
            return self.opaque_statement(span, "a pointer assignment that can't be read");
        };
        // `p(1:n, 1:m) => target` gives the pointer bounds.
        let pointer = match left.kind() {
            "call_expression" => named_children(*left).first().copied().unwrap_or(*left),
            _ => *left,
        };
        let mut reads = vec![self.expression(*right)];
        if left.kind() == "call_expression" && has_child(*left, "argument_list") {
            for list in named_children(*left).into_iter().skip(1) {
                for bound in named_children(list) {
                    reads.extend(self.bound_values(bound));
                }
            }
        }
        let pointer = self.expression(pointer);
        if pointer.designated().is_none() {
            return self.opaque_statement(span, "a pointer assignment to something that is no variable");
        }
        StatementKind::Lifetime { variables: vec![pointer], reads, associates: true, allocations: Vec::new() }
    }

    /// The expressions in one item of a list of bounds.
    pub fn bound_values(&mut self, bound: Node<'t>) -> Vec<Expression> {
        match bound.kind() {
            "extent_specifier" => named_children(bound)
                .into_iter()
                .filter(|part| part.kind() != "assumed_size")
                .map(|part| self.expression(part))
                .collect(),
            "assumed_size" => Vec::new(),
            _ => vec![self.expression(bound)],
        }
    }

    fn keyword_statement(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let children = all_children(node);
        let name = named_children(node).into_iter().find(|child| child.kind() == "identifier");
        match children.first().map_or("", |first| first.kind()) {
            "continue" => StatementKind::Nothing,
            "exit" => match self.construct_named(name) {
                Some((_, ConstructKind::Other)) => self.opaque_statement(span, "EXIT from a construct of another kind"),
                Some((target, ConstructKind::Loop | ConstructKind::Scope)) => StatementKind::Exit(Some(target)),
                None => StatementKind::Exit(None),
            },
            "cycle" => StatementKind::Cycle(self.construct_named(name).map(|(target, _)| target)),
            "go" | "goto" => {
                let index = named_children(node).into_iter().find(|child| child.kind() != "statement_label_reference");
                match index {
                    None => StatementKind::Jump,
                    Some(index) => self.jump_on(Some(index), id),
                }
            }
            "return" => match named_children(node).first() {
                // An alternate return: where control goes on is the caller's business.
                Some(value) => {
                    let value = self.expression(*value);
                    self.mark_untouchable(value.span, "an alternate RETURN");
                    StatementKind::Return
                }
                None => StatementKind::Return,
            },
            _ => self.opaque_statement(span, "a statement that can't be read"),
        }
    }

    /// The construct called `name`, or the innermost loop without a name; and what it is.
    fn construct_named(&self, name: Option<Node<'t>>) -> Option<(StatementId, ConstructKind)> {
        let name = name.map(|name| self.source.lower(name));
        let fits = |construct: &&super::lowering::OpenConstruct| match &name {
            Some(name) => construct.name.as_ref() == Some(name),
            None => construct.kind == ConstructKind::Loop,
        };
        self.constructs.iter().rev().find(fits).map(|construct| (construct.statement, construct.kind))
    }

    /// A jump that depends on the value of `index`: to one of several labels, or on to the next statement.
    pub(super) fn jump_on(&mut self, index: Option<Node<'t>>, id: StatementId) -> StatementKind {
        let span = self.statements[id.0].span;
        let operands = index.map(|index| self.condition(index)).into_iter().collect();
        let condition = Expression::new(ExpressionKind::Computed(operands), span);
        let jump = self.add(span, Some(id), StatementKind::Jump);
        self.statements[jump.0].room = Room::Inside;
        StatementKind::If { arms: vec![Arm { condition, body: vec![jump] }], otherwise: None, one_line: true }
    }

    fn stop(&mut self, node: Node<'t>, span: Span) -> StatementKind {
        // A stop code that calls a function does more than end the program.
        if descendants_of_kinds(node, &["call_expression"]).is_empty() {
            StatementKind::Stop
        } else {
            self.opaque_statement(span, "STOP with a code that is computed")
        }
    }
}
