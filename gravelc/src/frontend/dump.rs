//! A compact text form of lowered procedures, for assertions that people can read.

use crate::ir::{
    BinaryOperator, Block, Callee, Expression, ExpressionKind, Operation, Participation, Partner, Procedure, Program,
    Room, Shape, StatementId, StatementKind, Status, Subscript, Symbol, UnaryOperator,
};

/// The statements of `procedure`, one per line, blocks indented.
pub fn statements(program: &Program, procedure: &Procedure) -> String {
    let mut out = String::new();
    block(program, procedure, &procedure.body, 0, &mut out);
    out
}

/// One symbol: name, class, type, shape, storage, flags.
pub fn symbol(procedure: &Procedure, symbol: &Symbol) -> String {
    let mut out = format!("{}: {:?} {:?}", symbol.name, symbol.class, symbol.element.category);
    out += &symbol.element.bytes.map_or("(?)".to_string(), |bytes| format!("({bytes})"));
    if let Shape::Array(dimensions) = &symbol.shape {
        let bound =
            |bound: &Option<Expression>| bound.as_ref().map_or("?".to_string(), |bound| expression(procedure, bound));
        let dimensions: Vec<String> = dimensions
            .iter()
            .map(|dimension| format!("{}:{}", bound(&dimension.lower), bound(&dimension.upper)))
            .collect();
        out += &format!(" [{}]", dimensions.join(","));
    }
    out += &format!(" {:?}", symbol.storage);
    for (flag, word) in [
        (symbol.target, "target"),
        (symbol.volatile, "volatile"),
        (symbol.may_be_strided, "strided"),
        (symbol.initialised, "initialised"),
    ] {
        if flag {
            out += " ";
            out += word;
        }
    }
    out += &symbol.overlay.map_or(String::new(), |overlay| format!(" overlay{overlay}"));
    out
}

fn block(program: &Program, procedure: &Procedure, block: &Block, depth: usize, out: &mut String) {
    for &id in block {
        statement(program, procedure, id, depth, out);
    }
}

fn statement(program: &Program, procedure: &Procedure, id: StatementId, depth: usize, out: &mut String) {
    let statement = procedure.statement(id);
    let show = |value: &Expression| expression(procedure, value);
    let list = |values: &[Expression]| values.iter().map(show).collect::<Vec<_>>().join(", ");
    let mut line = String::new();
    if statement.labelled {
        line += if statement.jump_target { "@" } else { "#" };
    }
    if statement.changes_names {
        line += "~";
    }
    if !matches!(statement.room, Room::OwnLines | Room::Governed) {
        line += ";";
    }
    line += &match &statement.kind {
        StatementKind::Assign { target, value, may_reallocate } => {
            format!("{} {} {}", show(target), if *may_reallocate { ":=" } else { "=" }, show(value))
        }
        StatementKind::Loop(counted) => {
            let step = counted.step.as_ref().map_or(String::new(), |step| format!(", {}", show(step)));
            let kind = if counted.concurrent { "concurrent" } else { "do" };
            let variable = &procedure.symbol(counted.variable).name;
            format!("{kind} {variable} = {}, {}{step}", show(&counted.lower), show(&counted.upper))
        }
        StatementKind::While { changes, condition, .. } => {
            let names: Vec<&str> = changes.iter().map(|&changed| procedure.symbol(changed).name.as_str()).collect();
            let changes = if names.is_empty() { String::new() } else { format!("changing {} ", names.join(", ")) };
            format!("while {changes}{}", condition.as_ref().map_or(String::new(), show))
        }
        StatementKind::If { one_line, .. } => if *one_line { "if1" } else { "if" }.to_string(),
        StatementKind::Select { selectors, .. } => format!("select {}", list(selectors)),
        StatementKind::Scope(scope) => format!("scope [{}] {}", scope.names.join(", "), list(&scope.evaluated)),
        StatementKind::Call { callee, arguments } => {
            format!("call {}({})", callee_name(program, callee), list(arguments))
        }
        StatementKind::Communication(communication) => {
            let error = communication.error.as_ref().map_or(String::new(), |error| format!(" -> {}", show(error)));
            format!("{} {}{error}", communication.routine, operation(procedure, &communication.operation))
        }
        StatementKind::InputOutput { reads, writes, may_leave } => {
            format!("io{} reads({}) writes({})", if *may_leave { "!" } else { "" }, list(reads), list(writes))
        }
        StatementKind::Lifetime { variables, reads, .. } => {
            format!("lifetime({}) reads({})", list(variables), list(reads))
        }
        StatementKind::Exit(target) => format!("exit {}", if target.is_some() { "known" } else { "unknown" }),
        StatementKind::Cycle(target) => format!("cycle {}", if target.is_some() { "known" } else { "unknown" }),
        StatementKind::Jump => "jump".to_string(),
        StatementKind::Return => "return".to_string(),
        StatementKind::Stop => "stop".to_string(),
        StatementKind::Nothing => "nothing".to_string(),
        StatementKind::Opaque(unread) => format!("opaque {}", unread.describe()),
    };
    out.push_str(&format!("{:indent$}{line}\n", "", indent = 2 * depth));
    match &statement.kind {
        StatementKind::If { arms, otherwise, .. } => {
            for arm in arms {
                out.push_str(&format!("{:indent$} ? {}\n", "", show(&arm.condition), indent = 2 * depth));
                block(program, procedure, &arm.body, depth + 1, out);
            }
            if let Some(otherwise) = otherwise {
                out.push_str(&format!("{:indent$} else\n", "", indent = 2 * depth));
                block(program, procedure, otherwise, depth + 1, out);
            }
        }
        StatementKind::Select { cases, .. } => {
            for case in cases {
                out.push_str(&format!("{:indent$} case\n", "", indent = 2 * depth));
                block(program, procedure, case, depth + 1, out);
            }
        }
        kind => {
            for inner in kind.blocks() {
                block(program, procedure, inner, depth + 1, out);
            }
        }
    }
}

fn callee_name(program: &Program, callee: &Callee) -> String {
    match callee {
        Callee::PureIntrinsic(name) => format!("${name}"),
        Callee::Procedure(id) => program.procedure(*id).name.clone(),
        Callee::Unknown(name) => format!("?{name}"),
    }
}

/// Procedures are shown by number: names need the program.
pub fn expression(procedure: &Procedure, value: &Expression) -> String {
    let show = |value: &Expression| expression(procedure, value);
    let list = |values: &[Expression]| values.iter().map(show).collect::<Vec<_>>().join(",");
    match &value.kind {
        ExpressionKind::Integer(value) => value.to_string(),
        ExpressionKind::Logical(value) => value.to_string(),
        ExpressionKind::Literal => "lit".to_string(),
        ExpressionKind::Symbol(symbol) => procedure.symbol(*symbol).name.clone(),
        ExpressionKind::Element { array, subscripts } => {
            format!("{}[{}]", procedure.symbol(*array).name, list(subscripts))
        }
        ExpressionKind::Section { array, subscripts } => {
            let part = |part: &Option<Expression>| part.as_ref().map_or(String::new(), show);
            let subscript = |subscript: &Subscript| match subscript {
                Subscript::Index(index) => show(index),
                Subscript::Vector(vector) => format!("<{}>", show(vector)),
                Subscript::Range { lower, upper, stride } => {
                    let stride = stride.as_ref().map_or(String::new(), |stride| format!(":{}", show(stride)));
                    format!("{}:{}{stride}", part(lower), part(upper))
                }
            };
            let subscripts: Vec<String> = subscripts.iter().map(subscript).collect();
            format!("{}[{}]", procedure.symbol(*array).name, subscripts.join(","))
        }
        ExpressionKind::Part { base, component: _, form: _, through_pointer, selectors } => {
            let pointer = if *through_pointer { "*" } else { "" };
            format!("{}%{pointer}{{{}}}", procedure.symbol(*base).name, list(selectors))
        }
        ExpressionKind::Unary { operator, operand } => {
            let sign = match operator {
                UnaryOperator::Negate => "-",
                UnaryOperator::Identity => "",
                UnaryOperator::Not => "!",
            };
            format!("{sign}({})", show(operand))
        }
        ExpressionKind::Binary { operator, left, right } => {
            let sign = match operator {
                BinaryOperator::Add => "+",
                BinaryOperator::Subtract => "-",
                BinaryOperator::Multiply => "*",
                BinaryOperator::Divide => "/",
                BinaryOperator::Power => "**",
                BinaryOperator::Equal => "==",
                BinaryOperator::NotEqual => "/=",
                BinaryOperator::Less => "<",
                BinaryOperator::LessEqual => "<=",
                BinaryOperator::Greater => ">",
                BinaryOperator::GreaterEqual => ">=",
                BinaryOperator::And => "&",
                BinaryOperator::Or => "|",
                BinaryOperator::Other => "~",
            };
            format!("({}{sign}{})", show(left), show(right))
        }
        ExpressionKind::Call { callee, arguments } => {
            let name = match callee {
                Callee::PureIntrinsic(name) => format!("${name}"),
                Callee::Procedure(id) => format!("p{}", id.0),
                Callee::Unknown(name) => format!("?{name}"),
            };
            format!("{name}({})", list(arguments))
        }
        ExpressionKind::ArrayConstructor(elements) => format!("[{}]", list(elements)),
        ExpressionKind::Computed(operands) => format!("computed({})", list(operands)),
        ExpressionKind::Opaque(unread) => format!("OPAQUE<{}>", unread.describe()),
    }
}

fn operation(procedure: &Procedure, operation: &Operation) -> String {
    let show = |value: &Expression| expression(procedure, value);
    let list = |values: &[Expression]| values.iter().map(show).collect::<Vec<_>>().join(", ");
    let message = |message: &crate::ir::Message| {
        let datatype = message
            .datatype
            .predefined
            .map_or("?".to_string(), |element| format!("{:?}({})", element.category, element.bytes.unwrap_or(0)));
        format!(
            "[{} x{} {datatype} {} on {}]",
            show(&message.buffer),
            show(&message.count),
            match &message.partner {
                Partner::Process { peer, tag } => format!("peer {} tag {}", show(peer), show(tag)),
                Partner::Everyone => "everyone".to_string(),
                Partner::EveryoneInBlocks { displacements } => format!("everyone at {}", show(displacements)),
            },
            show(&message.communicator)
        )
    };
    let request =
        |request: &Option<Expression>| request.as_ref().map_or(String::new(), |value| format!(" => {}", show(value)));
    let status = |status: &Status| match status {
        Status::Ignored => " ignored".to_string(),
        Status::Stored(value) => format!(" status {}", show(value)),
    };
    match operation {
        Operation::Initialize { accesses } => format!("initialize({})", list(accesses)),
        Operation::Finalize => "finalize".to_string(),
        Operation::Send { message: sent, mode, request: handle } => {
            format!("send {mode:?} {}{}", message(sent), request(handle))
        }
        Operation::Receive { message: received, request: handle, status: stored } => {
            format!("receive {}{}{}", message(received), request(handle), status(stored))
        }
        Operation::SendReceive { send, receive, in_one_buffer: true, status: stored } => {
            format!("send {} and replace it by {}{}", message(send), message(receive), status(stored))
        }
        Operation::SendReceive { send, receive, status: stored, .. } => {
            format!("send {} and receive {}{}", message(send), message(receive), status(stored))
        }
        Operation::WaitAll { count, requests, statuses } => {
            format!("wait for {} of {}{}", show(count), show(requests), status(statuses))
        }
        Operation::Wait { request, status: stored } => format!("wait {}{}", show(request), status(stored)),
        Operation::Complete { kind, count, requests, completed, indices, flag, statuses } => {
            let stored = completed.iter().chain(indices).chain(flag).map(&show).collect::<Vec<_>>().join(", ");
            let count = count.as_ref().map_or(String::new(), |count| format!("{} of ", show(count)));
            format!("complete {kind:?} {count}{} => {stored}{}", show(requests), status(statuses))
        }
        Operation::Prepare { message: prepared, direction, mode, request } => {
            format!("prepare {direction:?} {mode:?} {} => {}", message(prepared), show(request))
        }
        Operation::Start { count, requests } => {
            format!(
                "start {}{}",
                count.as_ref().map_or(String::new(), |count| format!("{} of ", show(count))),
                show(requests)
            )
        }
        Operation::Release { request } => format!("release {}", show(request)),
        Operation::Inquiry { reads, writes } => format!("inquiry({}) writes({})", list(reads), list(writes)),
        Operation::CreateDatatype { constructor, created } => {
            format!("datatype {} {:?} of({})", show(created), constructor.kind, list(&constructor.arguments))
        }
        Operation::CreateCommunicator { reads, created, .. } => format!("create {} of({})", show(created), list(reads)),
        Operation::Other { arguments, participation, description, .. } => {
            let part = match participation {
                Participation::ConcernsParts => "concerns parts".to_string(),
                Participation::None => "apart".to_string(),
                Participation::TouchesAnything => "apart anywhere".to_string(),
                Participation::CallsBack { procedures } => format!("calls back {}", procedures.len()),
                Participation::AllToAll { communicator, in_blocks } => {
                    let blocks = if *in_blocks { "exchange in blocks" } else { "exchange" };
                    format!("{blocks} on {}", show(communicator))
                }
                Participation::Probes { partner, communicator, takes } => {
                    let what = if *takes { "takes" } else { "probes" };
                    let partner = match partner.as_ref() {
                        Partner::Process { peer, tag } => format!("{} {}", show(peer), show(tag)),
                        _ => "everyone".to_string(),
                    };
                    format!("{what}({partner} on {})", show(communicator))
                }
                Participation::UsesRequest { request, cancels } => {
                    let what = if *cancels { "cancels" } else { "looks at" };
                    format!("{what}({})", show(request))
                }
                Participation::ReceivesMatched(receive) => format!("receives matched({})", show(&receive.matched)),
                Participation::May { tags, communicator } => {
                    let communicator = communicator.as_ref().map_or("any".to_string(), show);
                    format!("may(tags {}; on {communicator})", list(tags))
                }
            };
            format!("other {part} {description}: {}", list(arguments))
        }
    }
}
