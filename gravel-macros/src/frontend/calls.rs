//! Calls of Gravel's interface: which they are, and what they are given.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprMethodCall, RangeLimits};

use super::expressions::{Obstacle, bare};

/// How a call's error leaves it.
#[derive(Clone)]
pub struct Ending {
    /// What stands behind the call: `?`, `.unwrap()`, `.expect("...")`.
    pub tokens: TokenStream,
}

impl Ending {
    /// Is it written alike?
    pub fn is_like(&self, other: &Self) -> bool {
        self.tokens.to_string() == other.tokens.to_string()
    }
}

/// A part of an array, or all of it, as a call is given it.
#[derive(Clone)]
pub struct Buffer {
    /// The array.
    pub place: Expr,
    /// The first element, where that is said.
    pub lower: Option<Expr>,
    /// The one behind the last, where that is said.
    pub upper: Option<Expr>,
    /// What `upper` names is the last one.
    pub is_inclusive: bool,
}

/// One message of a call.
#[derive(Clone)]
pub struct End {
    /// Its memory.
    pub buffer: Buffer,
    /// Who is at its other end.
    pub partner: Partner,
}

/// Who is at the other end of a message.
#[derive(Clone)]
pub enum Partner {
    /// One rank.
    Process {
        /// Which.
        peer: Box<Expr>,
        /// The tag.
        tag: Box<Expr>,
    },
    /// Every rank, in an exchange: the message has a block for each of them.
    Everyone {
        /// How long the blocks are, where they may differ: an array with a number for each rank.
        counts: Option<Box<Expr>>,
    },
}

impl End {
    /// Is it one side of an exchange of every rank with every other?
    pub fn is_exchange(&self) -> bool {
        matches!(self.partner, Partner::Everyone { .. })
    }
}

/// A call with its arguments taken apart.
#[derive(Clone)]
pub struct Taken {
    /// The call itself, without its ending.
    pub call: ExprMethodCall,
    /// What it sends.
    pub sent: Option<End>,
    /// What it receives.
    pub received: Option<End>,
    /// How its error leaves it.
    pub ending: Ending,
    /// What takes the status of what was received: the pattern of a declaration.
    pub status: Option<syn::Pat>,
}

impl Taken {
    /// Is it an exchange of every rank with every other?
    pub fn is_exchange(&self) -> bool {
        self.sent.as_ref().is_some_and(End::is_exchange)
    }
}

/// Has the call a value of its own? Others give nothing.
pub fn has_status(call: &ExprMethodCall) -> bool {
    ["receive", "send_receive"].iter().any(|name| call.method == name)
}

/// The calls by their names, with the number of their arguments.
const CALLS: [(&str, usize); 5] = [("send", 3), ("receive", 3), ("send_receive", 5), ("alltoall", 2), ("alltoallv", 4)];

/// Is it written like a call of Gravel?
pub fn is_call(call: &ExprMethodCall) -> bool {
    CALLS.iter().any(|&(name, count)| call.method == name && call.args.len() == count)
}

/// Is it written like a call of the crate `mpi`? Its other side may be anybody.
pub fn is_of_mpi(call: &ExprMethodCall) -> bool {
    const NAMES: [&str; 9] = [
        "send",
        "receive",
        "receive_into",
        "send_with_tag",
        "receive_into_with_tag",
        "immediate_send",
        "immediate_receive_into",
        "immediate_send_with_tag",
        "immediate_receive_into_with_tag",
    ];
    fn names_process(expression: &Expr) -> bool {
        match bare(expression) {
            Expr::MethodCall(call) => {
                ["process_at_rank", "any_process", "this_process"].iter().any(|name| call.method == name)
                    || names_process(&call.receiver)
            }
            _ => false,
        }
    }
    let is_named = NAMES.iter().any(|name| call.method == name);
    is_named && (names_process(&call.receiver) || !is_call(call) && call.method != "send" && call.method != "receive")
}

/// A call of Gravel with its ending, if the expression is one.
pub fn with_ending(expression: &Expr) -> Option<(&ExprMethodCall, Ending)> {
    match expression {
        Expr::Try(inner) => match bare(&inner.expr) {
            Expr::MethodCall(call) if is_call(call) => Some((call, Ending { tokens: quote!(?) })),
            _ => None,
        },
        Expr::MethodCall(outer) if outer.turbofish.is_none() => {
            let Expr::MethodCall(call) = bare(&outer.receiver) else { return None };
            let (method, arguments) = (&outer.method, &outer.args);
            let is_ending = match method.to_string().as_str() {
                "unwrap" => arguments.is_empty(),
                "expect" => matches!(arguments.first(), Some(Expr::Lit(_))),
                _ => false,
            };
            (is_ending && is_call(call)).then(|| (call, Ending { tokens: quote!(.#method(#arguments)) }))
        }
        _ => None,
    }
}

/// Takes a call apart.
///
/// # Errors
/// What of it is not followed.
pub fn taken_apart(call: &ExprMethodCall, ending: Ending) -> Result<Taken, Obstacle> {
    if let Some(turbofish) = &call.turbofish {
        return Err(Obstacle::at(turbofish, "a call with types"));
    }
    let arguments: Vec<&Expr> = call.args.iter().collect();
    let end = |buffer: &Expr, peer: &Expr, tag: &Expr| {
        let partner = Partner::Process { peer: Box::new(peer.clone()), tag: Box::new(tag.clone()) };
        Ok::<_, Obstacle>(End { buffer: buffer_of(buffer)?, partner })
    };
    let side = |buffer: &Expr, counts: Option<&Expr>| {
        let buffer = buffer_of(buffer)?;
        if counts.is_some() && !buffer.is_whole() {
            return Err(Obstacle::at(&call.method, "`alltoallv` with a part of an array"));
        }
        let counts = counts.map(counts_of).transpose()?.map(Box::new);
        Ok::<_, Obstacle>(End { buffer, partner: Partner::Everyone { counts } })
    };
    let (sent, received) = match (call.method.to_string().as_str(), arguments.as_slice()) {
        ("send", [buffer, peer, tag]) => (Some(end(buffer, peer, tag)?), None),
        ("receive", [buffer, peer, tag]) => (None, Some(end(buffer, peer, tag)?)),
        ("send_receive", [sent, to, received, from, tag]) => {
            (Some(end(sent, to, tag)?), Some(end(received, from, tag)?))
        }
        ("alltoall", [sent, received]) => (Some(side(sent, None)?), Some(side(received, None)?)),
        ("alltoallv", [sent, lengths, received, others]) => {
            (Some(side(sent, Some(lengths))?), Some(side(received, Some(others))?))
        }
        (name, _) => return Err(Obstacle::at(&call.method, format!("`{name}`, of which no part is moved yet,"))),
    };
    Ok(Taken { call: call.clone(), sent, received, ending, status: None })
}

impl Buffer {
    /// Is it all of the array?
    pub fn is_whole(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }
}

/// The array of the lengths of blocks.
fn counts_of(argument: &Expr) -> Result<Expr, Obstacle> {
    let buffer = buffer_of(argument).ok().filter(Buffer::is_whole);
    buffer.map(|it| it.place).ok_or_else(|| Obstacle::at(argument, "lengths of blocks that are no simple variable"))
}

/// The memory that an argument names: `&a`, `&a[..]`, `&mut a[i..j]`, or `a`, which is a slice then.
fn buffer_of(argument: &Expr) -> Result<Buffer, Obstacle> {
    let inner = match bare(argument) {
        Expr::Reference(reference) if reference.attrs.is_empty() => bare(&reference.expr),
        place @ (Expr::Path(_) | Expr::Field(_)) => place,
        _ => return Err(Obstacle::at(argument, "a buffer that is no part of a simple variable")),
    };
    let whole = |place: &Expr| Buffer { place: place.clone(), lower: None, upper: None, is_inclusive: false };
    match inner {
        Expr::Path(_) | Expr::Field(_) => Ok(whole(inner)),
        Expr::Index(index) => {
            let Expr::Range(range) = bare(&index.index) else {
                return Err(Obstacle::at(argument, "a buffer that is an element of a variable"));
            };
            let place = bare(&index.expr);
            if !matches!(place, Expr::Path(_) | Expr::Field(_)) {
                return Err(Obstacle::at(argument, "a buffer that is no part of a simple variable"));
            }
            Ok(Buffer {
                lower: range.start.as_deref().cloned(),
                upper: range.end.as_deref().cloned(),
                is_inclusive: matches!(range.limits, RangeLimits::Closed(_)),
                ..whole(place)
            })
        }
        _ => Err(Obstacle::at(argument, "a buffer that is no part of a simple variable")),
    }
}

/// The calls of Gravel and of the crate `mpi` in a part of the text.
pub fn calls_in(visit: impl FnOnce(&mut Finder)) -> Vec<ExprMethodCall> {
    let mut finder = Finder(Vec::new());
    visit(&mut finder);
    finder.0
}

/// Collects calls.
pub struct Finder(Vec<ExprMethodCall>);

impl<'a> syn::visit::Visit<'a> for Finder {
    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        if is_call(call) || is_of_mpi(call) {
            self.0.push(call.clone());
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Option<Taken> {
        let expression: Expr = syn::parse_str(text).unwrap();
        let (call, ending) = with_ending(&expression)?;
        taken_apart(call, ending).ok()
    }

    #[test]
    fn calls_are_taken_apart() {
        let found = taken("comm.send(&out[a..b], to, 1)?").unwrap();
        assert!(found.received.is_none());
        let buffer = found.sent.unwrap().buffer;
        assert!(buffer.lower.is_some() && buffer.upper.is_some() && !buffer.is_inclusive);
        let both = taken("self.comm.send_receive(&out, to, &mut self.inc[..], from, TAG).expect(\"x\")").unwrap();
        assert!(both.sent.is_some() && both.received.is_some() && !both.is_exchange());
        assert_eq!(both.ending.tokens.to_string(), ". expect (\"x\")");
    }

    #[test]
    fn exchanges_have_two_sides() {
        let alike = taken("comm.alltoall(&out[..k], &mut inc[..])?").unwrap();
        assert!(alike.is_exchange() && alike.sent.unwrap().buffer.upper.is_some());
        let counted = taken("comm.alltoallv(&out, &counts[..], &mut inc[..], self.others)?").unwrap();
        let counts = |end: Option<End>| match end.unwrap().partner {
            Partner::Everyone { counts: Some(counts) } => quote!(#counts).to_string(),
            _ => String::new(),
        };
        assert_eq!((counts(counted.sent), counts(counted.received)), ("counts".to_owned(), "self . others".to_owned()));
        assert!(taken("comm.alltoallv(&out[..k], &counts, &mut inc[..], &counts)?").is_none());
        assert!(taken("comm.alltoallv(&out, &counts[1..], &mut inc, &counts)?").is_none());
        assert!(taken("comm.alltoallv(&out, &[1, 2], &mut inc, &counts)?").is_none());
    }

    #[test]
    fn others_are_left() {
        assert!(taken("tx.send(1)?").is_none());
        assert!(taken("comm.send(&out, to, 1)").is_none());
        assert!(taken("comm.send(&rows[k][..], to, 1)?").is_none());
        let of_mpi: ExprMethodCall = syn::parse_quote!(world.process_at_rank(1).receive_into(&mut b[..]));
        assert!(is_of_mpi(&of_mpi));
    }
}
