//! Statements (C11 6.8).

use super::{Failure, Parsed, Reader};
use crate::frontend::c::tokens::{Keyword, Sign, TokenKind};
use crate::frontend::c::types::IntegerType;
use crate::frontend::c::unit::{
    Doubt, ExpressionId, ForStart, HoleCause, Statement, StatementId, StatementKind, SymbolId, SymbolKind,
    integer_value, is_unspecified,
};

impl Reader<'_> {
    pub(super) fn add_statement(&mut self, kind: StatementKind, start: u32) -> StatementId {
        let id = StatementId::next(self.unit.statements.len());
        let range = self.since(start);
        self.unit.statements.push(Statement { kind, range });
        id
    }

    /// What stands in a block, and its closing brace.
    pub(super) fn block_items(&mut self) -> Parsed<Vec<StatementId>> {
        // The labels that are visible around, if the block has some of its own.
        let mut around = None;
        let mut items = Vec::new();
        while !self.accept(Sign::RightBrace) {
            if self.kind() == TokenKind::End {
                return Err(self.failure(HoleCause::Brackets));
            }
            if self.accept_keyword(Keyword::Label) {
                if around.is_none() {
                    around = self.bodies.last().map(|body| body.labels.clone());
                }
                loop {
                    let name = self.expect_name()?;
                    self.new_label(name)?;
                    if !self.accept(Sign::Comma) {
                        break;
                    }
                }
                self.expect(Sign::Semicolon)?;
                continue;
            }
            let (start, first) = (self.start(), self.at);
            let (scopes, depth, bodies) = (self.scopes.depth(), self.depth, self.bodies.len());
            let switches = self.bodies.last().map_or(0, |body| body.switches.len());
            match self.block_item() {
                Ok(item) => items.extend(item),
                Err(Failure { cause: HoleCause::Brackets, at }) => {
                    return Err(Failure { cause: HoleCause::Brackets, at });
                }
                Err(failure) => {
                    self.at = first;
                    self.scopes.leave_to(scopes);
                    self.depth = depth;
                    self.bodies.truncate(bodies);
                    if let Some(body) = self.bodies.last_mut() {
                        body.switches.truncate(switches);
                    }
                    self.bounds.clear();
                    self.skip_statement();
                    if self.at == first {
                        self.bump();
                    }
                    self.add_hole(first, failure);
                    items.push(self.add_statement(StatementKind::Hole(failure.cause), start));
                }
            }
        }
        if let (Some(labels), Some(body)) = (around, self.bodies.last_mut()) {
            // Labels of the function stay known; those of the block do not.
            let known = std::mem::replace(&mut body.labels, labels);
            for (name, label) in known {
                body.labels.entry(name).or_insert(label);
            }
        }
        Ok(items)
    }

    /// A declaration or a statement. An assertion is neither.
    fn block_item(&mut self) -> Parsed<Option<StatementId>> {
        let start = self.start();
        self.skip_extension();
        if self.is_keyword(Keyword::StaticAssert) {
            self.static_assertion()?;
            return Ok(None);
        }
        let is_label = matches!(self.kind(), TokenKind::Name(_)) && self.is_at(1, Sign::Colon);
        if is_label || !self.is_type_at(0) || self.is_attributed_statement() {
            return self.statement().map(Some);
        }
        if let Some(function) = self.nested_function()? {
            return Ok(Some(self.add_statement(StatementKind::NestedFunction(function), start)));
        }
        self.declaration_statement(start).map(Some)
    }

    /// `__extension__` in front of a declaration or an expression says nothing.
    fn skip_extension(&mut self) {
        while self.is_keyword(Keyword::Extension) {
            self.bump();
        }
    }

    /// Do attributes stand in front of a statement: `__attribute__((fallthrough));`?
    fn is_attributed_statement(&self) -> bool {
        let mut open = 0_usize;
        let mut ahead = 1;
        if !self.is_keyword(Keyword::Attribute) {
            return false;
        }
        loop {
            match self.kind_at(ahead) {
                TokenKind::Sign(Sign::LeftParenthesis) => open += 1,
                TokenKind::Sign(Sign::RightParenthesis) => open = open.saturating_sub(1),
                TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
            if open == 0 {
                return self.is_at(ahead, Sign::Semicolon);
            }
        }
    }

    fn declaration_statement(&mut self, start: u32) -> Parsed<StatementId> {
        let before = std::mem::take(&mut self.bounds);
        let bindings = self.scopes.bindings();
        let symbols = self.block_declaration();
        let bounds = std::mem::replace(&mut self.bounds, before);
        // Which objects a text names is known wherever it moves. Constants, types and tags stand in texts alone.
        let is_object = |id: SymbolId| self.unit.symbol(id).kind == SymbolKind::Object;
        let changes_names = !self.scopes.only_add_since(bindings, is_object);
        Ok(self.add_statement(StatementKind::Declaration { symbols: symbols?, bounds, changes_names }, start))
    }

    /// A function that is defined in another one (GNU C), if one begins here.
    fn nested_function(&mut self) -> Parsed<Option<usize>> {
        // Only `type name(…) {` can be one: brackets, then a brace.
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), TokenKind::Keyword(_) | TokenKind::Name(_) | TokenKind::Sign(Sign::Star)) {
            ahead += 1;
        }
        if ahead < 2
            || !self.is_at(ahead, Sign::LeftParenthesis)
            || !matches!(self.kind_at(ahead - 1), TokenKind::Name(_))
        {
            return Ok(None);
        }
        let mut open = 0_usize;
        loop {
            match self.kind_at(ahead) {
                TokenKind::Sign(Sign::LeftParenthesis) => open += 1,
                TokenKind::Sign(Sign::RightParenthesis) => open = open.saturating_sub(1),
                TokenKind::End | TokenKind::Sign(Sign::Semicolon | Sign::LeftBrace) => return Ok(None),
                _ => {}
            }
            ahead += 1;
            if open == 0 {
                break;
            }
        }
        if !self.is_at(ahead, Sign::LeftBrace) {
            return Ok(None);
        }
        let specifiers = self.specifiers(false)?;
        let (name, declarator) = self.named_declarator()?;
        if !self.is_definition_of(&declarator) {
            return Err(self.failure(HoleCause::Syntax));
        }
        self.function_definition(&specifiers, name, declarator, true).map(Some)
    }

    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<StatementId> {
        let start = self.start();
        self.expect(Sign::LeftBrace)?;
        let outer = self.scopes.depth();
        self.scopes.enter();
        let items = self.nested(Self::block_items);
        self.scopes.leave_to(outer);
        Ok(self.add_statement(StatementKind::Block(items?), start))
    }

    pub(super) fn statement(&mut self) -> Parsed<StatementId> {
        self.nested(Self::any_statement)
    }

    fn any_statement(&mut self) -> Parsed<StatementId> {
        let start = self.start();
        while self.is_keyword(Keyword::Attribute) {
            self.attributes(&mut super::attributes::Written::default())?;
        }
        match self.kind() {
            TokenKind::Sign(Sign::LeftBrace) => self.block(),
            TokenKind::Sign(Sign::Semicolon) => {
                self.bump();
                Ok(self.add_statement(StatementKind::Empty, start))
            }
            TokenKind::Name(name) if self.is_at(1, Sign::Colon) => {
                self.bump();
                self.bump();
                let label = self.label(name)?;
                self.unit.labels[label.index()].is_defined = true;
                self.attributes(&mut super::attributes::Written::default())?;
                let body = self.labelled(start)?;
                Ok(self.add_statement(StatementKind::Labelled(label, body), start))
            }
            TokenKind::Keyword(keyword) => match self.keyword_statement(keyword, start)? {
                Some(statement) => Ok(statement),
                None => self.expression_statement(start),
            },
            _ => self.expression_statement(start),
        }
    }

    fn expression_statement(&mut self, start: u32) -> Parsed<StatementId> {
        let id = self.expression()?;
        self.expect(Sign::Semicolon)?;
        Ok(self.add_statement(StatementKind::Expression(id), start))
    }

    /// What stands behind a label: a statement; nothing at the end of a block (C23), or a declaration (C23).
    fn labelled(&mut self, start: u32) -> Parsed<StatementId> {
        if self.is(Sign::RightBrace) {
            return Ok(self.add_statement(StatementKind::Empty, start));
        }
        if self.is_type_at(0) && !self.is_at(1, Sign::Colon) && !self.is_attributed_statement() {
            let start = self.start();
            return self.declaration_statement(start);
        }
        self.statement()
    }

    fn keyword_statement(&mut self, keyword: Keyword, start: u32) -> Parsed<Option<StatementId>> {
        use Keyword as K;
        let kind = match keyword {
            K::If => return self.if_statement().map(Some),
            K::While => {
                self.bump();
                let condition = self.condition()?;
                let body = self.scoped_statement()?;
                StatementKind::While { condition, body }
            }
            K::Do => {
                self.bump();
                let body = self.scoped_statement()?;
                self.expect_keyword(K::While)?;
                let condition = self.condition()?;
                self.expect(Sign::Semicolon)?;
                StatementKind::DoWhile { body, condition }
            }
            K::For => {
                let outer = self.scopes.depth();
                self.scopes.enter();
                let kind = self.for_statement();
                self.scopes.leave_to(outer);
                kind?
            }
            K::Switch => {
                self.bump();
                self.expect(Sign::LeftParenthesis)?;
                let value = self.expression()?;
                let value = self.unit.promoted(value);
                self.expect(Sign::RightParenthesis)?;
                let ty = self.unit.type_of(value);
                self.bodies.last_mut().into_iter().for_each(|body| body.switches.push(ty));
                let body = self.scoped_statement();
                self.bodies.last_mut().into_iter().for_each(|body| {
                    body.switches.pop();
                });
                StatementKind::Switch { value, body: body? }
            }
            K::Case => self.case_statement(start)?,
            K::Default => {
                self.bump();
                self.expect(Sign::Colon)?;
                StatementKind::Default(self.labelled(start)?)
            }
            K::Goto => self.goto_statement()?,
            K::Break | K::Continue => {
                self.bump();
                self.expect(Sign::Semicolon)?;
                if keyword == K::Break { StatementKind::Break } else { StatementKind::Continue }
            }
            K::Return => self.return_statement()?,
            K::Asm => {
                self.bump();
                while matches!(self.kind(), TokenKind::Keyword(K::Volatile | K::Goto | K::Inline)) {
                    self.bump();
                }
                if !self.is(Sign::LeftParenthesis) {
                    return Err(self.failure(HoleCause::Syntax));
                }
                self.skip_brackets()?;
                self.expect(Sign::Semicolon)?;
                self.bodies.last_mut().into_iter().for_each(|body| body.has_assembler = true);
                StatementKind::Assembler
            }
            _ => return Ok(None),
        };
        Ok(Some(self.add_statement(kind, start)))
    }

    /// A statement that is a block, whatever it is (C11 6.8.4p3, 6.8.5p5).
    fn scoped_statement(&mut self) -> Parsed<StatementId> {
        let outer = self.scopes.depth();
        self.scopes.enter();
        let statement = self.statement();
        self.scopes.leave_to(outer);
        statement
    }

    fn condition(&mut self) -> Parsed<ExpressionId> {
        self.expect(Sign::LeftParenthesis)?;
        let id = self.expression()?;
        let id = self.unit.value(id);
        self.expect(Sign::RightParenthesis)?;
        Ok(id)
    }

    /// A chain of `else if` is read without recursion: there may be many.
    fn if_statement(&mut self) -> Parsed<StatementId> {
        let mut chain = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.start();
            self.bump();
            let condition = self.condition()?;
            let then = self.scoped_statement()?;
            chain.push((start, condition, then));
            if !self.accept_keyword(Keyword::Else) {
                break;
            }
            if !self.is_keyword(Keyword::If) {
                otherwise = Some(self.scoped_statement()?);
                break;
            }
        }
        let mut statement = None;
        for (start, condition, then) in chain.into_iter().rev() {
            let kind = StatementKind::If { condition, then, otherwise };
            let id = self.add_statement(kind, start);
            otherwise = Some(id);
            statement = Some(id);
        }
        statement.ok_or(self.failure(HoleCause::Syntax))
    }

    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.expect(Sign::LeftParenthesis)?;
        self.skip_extension();
        let start = self.start();
        let first = if self.accept(Sign::Semicolon) {
            ForStart::Nothing
        } else if self.is_type_at(0) {
            ForStart::Declaration(self.declaration_statement(start)?)
        } else {
            let id = self.expression()?;
            self.expect(Sign::Semicolon)?;
            ForStart::Expression(id)
        };
        let condition = if self.is(Sign::Semicolon) {
            None
        } else {
            let id = self.expression()?;
            Some(self.unit.value(id))
        };
        self.expect(Sign::Semicolon)?;
        let update = if self.is(Sign::RightParenthesis) { None } else { Some(self.expression()?) };
        self.expect(Sign::RightParenthesis)?;
        let body = self.scoped_statement()?;
        Ok(StatementKind::For { start: first, condition, update, body })
    }

    fn case_statement(&mut self, start: u32) -> Parsed<StatementKind> {
        self.bump();
        let low = self.case_value()?;
        let high = if self.accept(Sign::Ellipsis) { self.case_value()? } else { low };
        self.expect(Sign::Colon)?;
        let body = self.labelled(start)?;
        Ok(StatementKind::Case { low, high, body })
    }

    /// A constant, converted to the type of the switch's value.
    fn case_value(&mut self) -> Parsed<Option<i128>> {
        let start = self.start();
        let id = self.conditional_expression()?;
        let integer = self.bodies.last().and_then(|body| body.switches.last());
        let integer = integer.and_then(|ty| self.unit.types.as_integer(ty.id)).unwrap_or(IntegerType::Int);
        let value = integer_value(&self.unit, id).and_then(|value| integer.wrapped(value, &self.unit.types.target));
        if value.is_none() && !is_unspecified(&self.unit, id) {
            self.doubt(self.since(start), Doubt::NotConstant);
        }
        Ok(value)
    }

    fn goto_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.accept(Sign::Star) {
            let id = self.expression()?;
            let id = self.unit.value(id);
            self.expect(Sign::Semicolon)?;
            self.bodies.last_mut().into_iter().for_each(|body| body.has_computed_goto = true);
            return Ok(StatementKind::ComputedGoto(id));
        }
        let name = self.expect_name()?;
        let label = self.label(name)?;
        self.expect(Sign::Semicolon)?;
        Ok(StatementKind::Goto(label))
    }

    fn return_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.accept(Sign::Semicolon) {
            return Ok(StatementKind::Return(None));
        }
        let id = self.expression()?;
        self.expect(Sign::Semicolon)?;
        let result = self.bodies.last().map(|body| body.result.unqualified());
        let id = match result {
            Some(result) => self.unit.convert(id, result),
            None => id,
        };
        Ok(StatementKind::Return(Some(id)))
    }
}
