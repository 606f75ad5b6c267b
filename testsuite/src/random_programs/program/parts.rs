//! Going through all parts of a program, and changing them in place.

use std::mem;

use super::*;

/// Something in a program that can be changed in place.
pub enum Part<'a> {
    /// An expression of integers.
    Expression(&'a mut Expression),
    /// A value.
    Value(&'a mut Value),
    /// A use of an array.
    Array(&'a mut ArrayId),
    /// A use of a scalar.
    Scalar(&'a mut ScalarId),
    /// A use of a request variable.
    Request(&'a mut RequestId),
    /// A use of a variable for datatypes.
    Datatype(&'a mut DatatypeId),
}

type Seer<'s> = dyn FnMut(Part) + 's;

fn visit_index(index: &mut Index, see: &mut Seer) {
    index.iter_mut().for_each(|part| visit_expression(part, see));
}

fn visit_expression(expression: &mut Expression, see: &mut Seer) {
    see(Part::Expression(expression));
    match expression {
        Expression::Scalar(id) => see(Part::Scalar(id)),
        Expression::Element(array, index) => {
            see(Part::Array(array));
            visit_index(index, see);
        }
        Expression::Binary(left, _, right) => {
            visit_expression(left, see);
            visit_expression(right, see);
        }
        _ => {}
    }
}

fn visit_value(value: &mut Value, see: &mut Seer) {
    see(Part::Value(value));
    match value {
        Value::Scalar(id) => see(Part::Scalar(id)),
        Value::Integer(expression) => visit_expression(expression, see),
        Value::Element(array, index) => {
            see(Part::Array(array));
            visit_index(index, see);
        }
        Value::Binary(left, _, right) | Value::Largest(left, right) => {
            visit_value(left, see);
            visit_value(right, see);
        }
        Value::Absolute(inner) => visit_value(inner, see),
        Value::Eighths(_) => {}
    }
}

fn visit_condition(condition: &mut Condition, see: &mut Seer) {
    visit_expression(&mut condition.left, see);
    visit_expression(&mut condition.right, see);
}

impl Message {
    fn visit(&mut self, see: &mut Seer) {
        see(Part::Array(&mut self.array));
        visit_index(&mut self.index, see);
        visit_expression(&mut self.count, see);
        if let Some(datatype) = &mut self.datatype {
            see(Part::Datatype(datatype));
        }
        if let Some(peer) = &mut self.peer {
            visit_expression(peer, see);
        }
        visit_expression(&mut self.tag, see);
    }
}

impl RequestPlace {
    fn visit(&mut self, see: &mut Seer) {
        see(Part::Request(&mut self.variable));
        if let Some(element) = &mut self.element {
            visit_expression(element, see);
        }
    }
}

impl Communication {
    fn visit(&mut self, see: &mut Seer) {
        match self {
            Self::Send { message, request, .. } | Self::Receive { message, request } => {
                message.visit(see);
                if let Some(request) = request {
                    request.visit(see);
                }
            }
            Self::SendReceive { sent, received } => {
                sent.visit(see);
                received.visit(see);
            }
            Self::Replace { sent, source, source_tag } => {
                sent.visit(see);
                if let Some(source) = source {
                    visit_expression(source, see);
                }
                visit_expression(source_tag, see);
            }
            Self::AllToAll { sent, received, block } => {
                see(Part::Array(sent));
                see(Part::Array(received));
                visit_expression(block, see);
            }
            Self::Wait(request) => request.visit(see),
            Self::Clear(variable) => see(Part::Request(variable)),
            Self::WaitAll(variable, first, count) => {
                see(Part::Request(variable));
                visit_expression(first, see);
                visit_expression(count, see);
            }
            Self::Complete(completion) => completion.visit(see),
            Self::Barrier => {}
            Self::Count(scalar, _) => see(Part::Scalar(scalar)),
            Self::Datatype(call) => call.visit(see),
        }
    }
}

impl Completion {
    fn visit(&mut self, see: &mut Seer) {
        self.first.visit(see);
        visit_expression(&mut self.count, see);
        see(Part::Scalar(&mut self.answer));
        if let Some(places) = &mut self.places {
            see(Part::Array(places));
        }
    }
}

impl DatatypeCall {
    fn visit(&mut self, see: &mut Seer) {
        match self {
            Self::Make(variable, layout, parts) => {
                see(Part::Datatype(variable));
                layout.numbers_mut().into_iter().for_each(|number| visit_expression(number, see));
                if let MadeOf::Datatype(of) = parts {
                    see(Part::Datatype(of));
                }
            }
            Self::Commit(variable) | Self::Free(variable) => see(Part::Datatype(variable)),
        }
    }
}

impl Arguments {
    fn visit(&mut self, see: &mut Seer) {
        for (array, index) in &mut self.arrays {
            see(Part::Array(array));
            visit_index(index, see);
        }
        self.integers.iter_mut().for_each(|integer| visit_expression(integer, see));
        for handed in &mut self.requests {
            see(Part::Request(&mut handed.variable));
            match &mut handed.part {
                HandedPart::Whole => {}
                HandedPart::From(first) | HandedPart::SectionFrom(first) => visit_expression(first, see),
                HandedPart::Section(first, last) => {
                    visit_expression(first, see);
                    visit_expression(last, see);
                }
            }
        }
        self.datatypes.iter_mut().for_each(|datatype| see(Part::Datatype(datatype)));
    }
}

impl Statement {
    /// The statements inside.
    pub fn blocks(&self) -> Vec<&Vec<Statement>> {
        match self {
            Self::Loop { body, .. } => vec![body],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The statements inside.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Self::Loop { body, .. } => vec![body],
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// Calls `see` with everything in the statement, that in its blocks included, in the order of the text.
    pub fn visit(&mut self, see: &mut Seer) {
        match self {
            Self::Loop { variable, lower, upper, .. } => {
                see(Part::Scalar(variable));
                visit_expression(lower, see);
                visit_expression(upper, see);
            }
            Self::If { condition, .. } | Self::Exit(condition) | Self::Cycle(condition) | Self::Return(condition) => {
                visit_condition(condition, see);
            }
            Self::SetInteger(scalar, value) => {
                see(Part::Scalar(scalar));
                visit_expression(value, see);
            }
            Self::SetReal(scalar, value) => {
                see(Part::Scalar(scalar));
                visit_value(value, see);
            }
            Self::Store(array, index, value) => {
                see(Part::Array(array));
                visit_index(index, see);
                visit_value(value, see);
            }
            Self::Fill(array, lower, upper, value) => {
                see(Part::Array(array));
                visit_expression(lower, see);
                visit_expression(upper, see);
                visit_value(value, see);
            }
            Self::Call(_, arguments) => arguments.visit(see),
            Self::Print(value) => visit_value(value, see),
            Self::Communicate(communication) => communication.visit(see),
        }
        for block in self.blocks_mut() {
            block.iter_mut().for_each(|statement| statement.visit(see));
        }
    }

    /// Does it, or anything in it, satisfy this?
    pub fn any(&self, is: &dyn Fn(&Statement) -> bool) -> bool {
        is(self) || self.blocks().into_iter().flatten().any(|inner| inner.any(is))
    }
}

/// How many statements a block has, those inside them counted.
fn size_of(block: &[Statement]) -> usize {
    block.iter().map(|statement| 1 + statement.blocks().into_iter().map(|inner| size_of(inner)).sum::<usize>()).sum()
}

/// Every block of statements, with those inside before those around, is offered; ends when `visit` says that it is done.
fn walk_blocks(block: &mut Vec<Statement>, visit: &mut dyn FnMut(&mut Vec<Statement>) -> bool) -> bool {
    block.iter_mut().flat_map(Statement::blocks_mut).any(|inner| walk_blocks(inner, visit)) || visit(block)
}

impl Program {
    /// The bodies: that of the main unit first.
    pub fn bodies(&self) -> impl Iterator<Item = &Vec<Statement>> {
        std::iter::once(&self.body).chain(self.procedures.iter().map(|procedure| &procedure.body))
    }

    /// The bodies: that of the main unit first.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Vec<Statement>> {
        std::iter::once(&mut self.body).chain(self.procedures.iter_mut().map(|procedure| &mut procedure.body))
    }

    /// Calls `see` with everything in all statements.
    pub fn visit(&mut self, see: &mut Seer) {
        self.bodies_mut().flatten().for_each(|statement| statement.visit(see));
    }

    /// How many statements there are, blocks and their statements counted.
    pub fn size(&self) -> usize {
        self.bodies().map(|body| size_of(body)).sum()
    }

    /// The unit in which statement number `number` stands, as [`Program::edit_statement`] counts them; nothing inside: in
    /// the main unit.
    pub fn unit_of(&self, number: usize) -> Option<Option<ProcedureId>> {
        let mut before = 0;
        let body = self.bodies().position(|body| {
            before += size_of(body);
            number < before
        })?;
        Some(body.checked_sub(1))
    }

    /// Gives the block that holds statement number `number`, and its place there, to `edit`. The numbers go through all
    /// blocks, inner ones first.
    pub fn edit_statement<R>(
        &mut self,
        number: usize,
        edit: impl FnOnce(&mut Vec<Statement>, usize) -> R,
    ) -> Option<R> {
        let mut before = 0;
        let mut edit = Some(edit);
        let mut result = None;
        for body in self.bodies_mut() {
            let found = walk_blocks(body, &mut |block| {
                if number < before + block.len() {
                    result = edit.take().map(|edit| edit(block, number - before));
                    return true;
                }
                before += block.len();
                false
            });
            if found {
                break;
            }
        }
        result
    }

    /// Gives part number `number` to `edit`, as [`Program::visit`] counts them.
    pub fn edit_part(&mut self, number: usize, edit: impl FnOnce(Part)) {
        let mut seen = 0;
        let mut edit = Some(edit);
        self.visit(&mut |part| {
            if seen == number
                && let Some(edit) = edit.take()
            {
                edit(part);
            }
            seen += 1;
        });
    }

    /// How many parts there are.
    pub fn part_count(&mut self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// Does the program do without a statement of this kind?
    pub fn any(&self, is: &dyn Fn(&Statement) -> bool) -> bool {
        self.bodies().flatten().any(|statement| statement.any(is))
    }

    /// Removes statements that hold nothing.
    pub fn remove_empty_blocks(&mut self) {
        fn prune(block: &mut Vec<Statement>) {
            for statement in mem::take(block) {
                let mut statement = statement;
                statement.blocks_mut().into_iter().for_each(prune);
                if !statement.blocks().is_empty() && statement.blocks().into_iter().all(Vec::is_empty) {
                    continue;
                }
                block.push(statement);
            }
        }
        self.bodies_mut().for_each(prune);
    }
}
