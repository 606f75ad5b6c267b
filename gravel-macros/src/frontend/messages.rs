//! What calls of Gravel are to the middle end.

use gravelc::ir::{
    BinaryOperator, Communication, Datatype, Expression, ExpressionKind, Message, Operation, Partner, SendMode, Span,
    StatementKind, Status, Symbol, SymbolId,
};
use syn::{Expr, Local, Stmt};

use super::calls::{self, Buffer, End, Taken};
use super::expressions::{Obstacle, bare, tokens};
use super::names::{ELEMENT, Key, Place};
use super::statements::{Lowering, binary};
use super::tree::{Node, NodeKind};
use crate::arguments::Directive;

impl Lowering {
    /// A call whose status is kept in a variable.
    pub(super) fn with_status(
        &mut self,
        statement: &Stmt,
        local: &Local,
        name: &syn::Ident,
        taken: Taken,
        kind: &mut StatementKind,
        span: Span,
    ) -> Node {
        let key = self.names.declare(name);
        // It is no number: what copies it is not followed.
        let inside = Key(key.0.iter().cloned().chain(["bytes".to_owned()]).collect());
        self.names.found.keys.insert(inside);
        let written: Expr = syn::parse_quote!(#name);
        let symbol = self.names.symbol(&key, &written);
        if let StatementKind::Communication(call) = kind
            && let Operation::Receive { status, .. } | Operation::SendReceive { status, .. } = &mut call.operation
        {
            *status = Status::Stored(Expression::new(ExpressionKind::Symbol(symbol), span));
        }
        let kind = std::mem::replace(kind, StatementKind::Nothing);
        let id = self.add(kind, span);
        self.declared.entry(id).or_default().push(symbol);
        let kind = NodeKind::Call(Box::new(Taken { status: Some(local.pat.clone()), ..taken }));
        let place = syn::spanned::Spanned::span(statement);
        Node { id, block: vec![id], span: place, kind, directive: Directive::default() }
    }

    /// What a call of Gravel is to the middle end.
    pub(super) fn communication(&mut self, taken: &Taken, span: Span) -> Result<StatementKind, Obstacle> {
        let receiver = bare(&taken.call.receiver);
        let Some(key) = self.names.key_of(receiver).filter(|key| self.names.is_local(key)) else {
            return Err(Obstacle::at(receiver, "a call on something that is no simple variable"));
        };
        self.names.symbol(&key, receiver);
        let sent = taken.sent.as_ref().map(|end| self.message(end, span)).transpose()?;
        let received = taken.received.as_ref().map(|end| self.message(end, span)).transpose()?;
        let (routine, operation) = match (sent, received) {
            (Some(send), Some(receive)) => {
                let receive = Box::new(receive);
                let status = Status::Ignored;
                let name = if taken.is_exchange() { "alltoall" } else { "send_receive" };
                (name, Operation::SendReceive { send, receive, in_one_buffer: false, status })
            }
            (Some(message), None) => ("send", Operation::Send { message, mode: SendMode::Standard, request: None }),
            (None, Some(message)) => {
                ("receive", Operation::Receive { message, request: None, status: Status::Ignored })
            }
            (None, None) => return Err(Obstacle::at(&taken.call, "a call without a message")),
        };
        let communication = Communication {
            routine: routine.to_owned(),
            operation,
            error: None,
            wrapper: None,
            is_counted_at_callers: false,
        };
        Ok(StatementKind::Communication(Box::new(communication)))
    }

    pub(super) fn message(&mut self, end: &End, span: Span) -> Result<Message, Obstacle> {
        let Buffer { place, lower, upper, is_inclusive } = &end.buffer;
        let key = self.names.key_of(place).filter(|key| self.names.is_local(key));
        let Some(key) = key else {
            return Err(Obstacle::at(place, "a buffer that is no simple variable"));
        };
        self.names.found.arrays.insert(key.clone());
        let array = self.names.symbol(&key, place);
        let length = self.names.length_of(&key, place);
        let at = |kind: ExpressionKind| Expression::new(kind, span);
        for bound in [lower, upper].into_iter().flatten() {
            self.count(bound, span);
        }
        let first = lower.as_ref().map(|lower| self.value(lower, span)).transpose()?.map(|value| value.expression);
        let last = match upper {
            Some(upper) => self.value(upper, span)?.expression,
            None => at(ExpressionKind::Symbol(length)),
        };
        let last = match is_inclusive {
            true => binary(BinaryOperator::Add, last, at(ExpressionKind::Integer(1))),
            false => last,
        };
        let (buffer, count) = match first {
            None => (at(ExpressionKind::Symbol(array)), last),
            Some(first) => {
                let count = binary(BinaryOperator::Subtract, last, first.clone());
                (at(ExpressionKind::Element { array, subscripts: vec![first] }), count)
            }
        };
        let handle = at(ExpressionKind::Literal);
        let (partner, count) = match &end.partner {
            calls::Partner::Process { peer, tag } => {
                let (peer, tag) = (self.peer(peer, span)?, self.value(tag, span)?.expression);
                (Partner::Process { peer, tag }, count)
            }
            // Here it is the number of all elements: how many a block has is not looked at.
            calls::Partner::Everyone { counts: None } => (Partner::Everyone, count),
            calls::Partner::Everyone { counts: Some(counts) } => {
                let list = self.counts(counts, span)?;
                // Blocks lie one behind the other: the lengths say where they begin, too.
                (Partner::EveryoneInBlocks { displacements: list.clone() }, list)
            }
        };
        let world = *self.world.get_or_insert_with(|| {
            self.names.symbols.push(Symbol::messaging_constant("mpi_comm_world"));
            let nothing: Expr = syn::parse_quote!(());
            let key = Key(Vec::new());
            self.names.places.push(Place { key, expression: nothing });
            SymbolId(self.names.symbols.len() - 1)
        });
        Ok(Message {
            buffer,
            count,
            datatype: Datatype::new(handle, Some(ELEMENT)),
            partner,
            communicator: at(ExpressionKind::Symbol(world)),
            condition: None,
        })
    }

    /// The lengths of the blocks of an exchange.
    fn counts(&mut self, place: &Expr, span: Span) -> Result<Expression, Obstacle> {
        let key = self.names.key_of(place).filter(|key| self.names.is_local(key));
        let Some(key) = key else {
            return Err(Obstacle::at(place, "lengths of blocks that are no simple variable"));
        };
        self.names.found.arrays.insert(key.clone());
        Ok(Expression::new(ExpressionKind::Symbol(self.names.symbol(&key, place)), span))
    }

    /// The other rank of a message: a number, `None` or `Some(number)`.
    pub(super) fn peer(&mut self, expression: &Expr, span: Span) -> Result<Expression, Obstacle> {
        match bare(expression) {
            Expr::Path(path) if path.path.is_ident("None") => Ok(Expression::new(ExpressionKind::Literal, span)),
            Expr::Call(call) if call.args.len() == 1 && tokens(&call.func).to_string() == "Some" => {
                let inner = self.value(&call.args[0], span)?.expression;
                Ok(Expression::new(ExpressionKind::Computed(vec![inner]), span))
            }
            other => Ok(self.value(other, span)?.expression),
        }
    }
}
