//! Replacing a macro (ISO C 6.10.3).

use super::builtins;
use super::lexer;
use super::macros::{Macro, Part, PartKind};
use super::problem::{Limit, ProblemKind};
use super::run::Run;
use super::symbols::{Symbol, known};
use super::token::{FileId, Flags, Place, Step, StepId, Token, TokenKind};
use super::unit::{ArgumentUse, UnlikeArgument};

/// An argument of an invocation.
#[derive(Debug, Default)]
struct Argument {
    tokens: Vec<Token>,
    expanded: Option<(Vec<Token>, Flags)>,
    /// It was not given at all.
    is_omitted: bool,
    /// In how many places it stands.
    uses: usize,
    is_stringified: bool,
    is_pasted: bool,
}

/// Arguments, with the commas between them and the closing parenthesis.
type Collected = (Vec<Argument>, Vec<Token>);

/// A replacement that grows.
#[derive(Debug, Default)]
struct Replacement {
    tokens: Vec<Token>,
    /// Space of what became nothing, for the next token.
    space: Flags,
    /// Has the left side of the next `##` a token?
    has_left: bool,
}

impl Replacement {
    /// Adds what one element became, with the space of that element.
    fn add(&mut self, tokens: &[Token], space: Flags) {
        let Some((first, rest)) = tokens.split_first() else {
            self.space.set(space.only(Flags::SPACE));
            return;
        };
        let mut first = *first;
        first.flags.clear(Flags::SPACE);
        first.flags.set(space.only(Flags::SPACE));
        first.flags.set(self.space);
        self.space = Flags::default();
        self.tokens.push(first);
        self.tokens.extend_from_slice(rest);
    }
}

impl Run<'_> {
    /// Replaces a macro's name, which was just read. No if it stays a name, since it has no arguments.
    pub(super) fn enter(&mut self, name: &mut Token, found: &Macro) -> Result<bool, Limit> {
        self.count(1, name.place)?;
        if let Some(builtin) = found.builtin {
            return builtins::enter(self, name, builtin);
        }
        let Some(parameters) = &found.parameters else {
            let step = self.step(name, name.place.end);
            let replacement = self.replaced(&found.body, &mut [], step, None)?;
            self.replace_by(name, replacement, Some(found.name));
            return Ok(true);
        };
        let Some(open) = self.read_parenthesis() else { return Ok(false) };
        let wanted = parameters.names.len();
        let variadic = parameters.is_variadic.then(|| wanted - 1);
        self.prevented += 1;
        let collected = self.arguments(wanted, variadic.is_some());
        self.prevented -= 1;
        let Some((mut arguments, delimiters)) = collected? else {
            self.note(ProblemKind::OpenArguments, name.place, Some(name.symbol));
            return Ok(true);
        };
        if wanted == 0 && matches!(arguments.as_slice(), [only] if only.tokens.is_empty()) {
            arguments.clear();
        }
        let given = arguments.len();
        if given + 1 == wanted && variadic.is_some() {
            arguments.push(Argument { is_omitted: true, ..Argument::default() });
        } else if given != wanted {
            self.note(ProblemKind::WrongArguments, name.place, Some(name.symbol));
            return Ok(true);
        } else if let [only] = arguments.as_mut_slice()
            && variadic.is_some()
        {
            only.is_omitted = only.tokens.is_empty() && self.configuration.dialect.swallows_without_others;
        }
        let close = delimiters.last().copied().unwrap_or(open);
        let same_file = close.place.file == name.place.file
            && !close.flags.has(Flags::IN_BODY.and(Flags::MADE))
            && close.step == name.step;
        let end = if same_file { close.place.end } else { name.place.end };
        let step = self.step(name, end);
        if let Some(found) = self.unit.steps.last_mut() {
            found.is_complete = same_file;
        }
        self.widen_outermost(step, &close);
        for delimiter in delimiters.iter().chain([&open]).filter(|delimiter| delimiter.step != name.step) {
            self.tear(delimiter.step, name.step);
        }
        let spelled: Vec<Option<Place>> = arguments.iter().map(|argument| spelled_place(&argument.tokens)).collect();
        for argument in &mut arguments {
            for token in &mut argument.tokens {
                if token.step == name.step || !token.flags.has(Flags::IN_BODY) {
                    token.step = step;
                }
            }
        }
        let replacement = self.replaced(&found.body, &mut arguments, step, variadic)?;
        self.note_uses(step, &arguments, &spelled);
        self.replace_by(name, replacement, Some(found.name));
        Ok(true)
    }

    /// Reads on with what took the place of a name.
    pub(super) fn replace(&mut self, name: &Token, tokens: Vec<Token>, owner: Option<Symbol>) {
        self.replace_by(name, Replacement { tokens, ..Replacement::default() }, owner);
    }

    fn replace_by(&mut self, name: &Token, replacement: Replacement, owner: Option<Symbol>) {
        let mut tokens = replacement.tokens;
        match tokens.first_mut() {
            Some(first) => {
                first.flags.clear(Flags::SPACE.and(Flags::LINE_START));
                first.flags.set(name.flags.only(Flags::SPACE.and(Flags::LINE_START)));
            }
            None => self.carry(name.flags),
        }
        self.push(tokens, replacement.space, owner);
    }

    /// Reads the arguments behind the opening parenthesis, with the commas between them and the closing one. Nothing if they do not
    /// end.
    fn arguments(&mut self, wanted: usize, is_variadic: bool) -> Result<Option<Collected>, Limit> {
        let mut arguments = vec![Argument::default()];
        let mut delimiters = Vec::new();
        let mut depth = 0_usize;
        loop {
            let Some(mut token) = self.next()? else { return Ok(None) };
            if token.flags.has(Flags::LINE_START) {
                token.flags.set(Flags::SPACE);
            }
            if token.is(known::OPEN) {
                depth += 1;
            } else if token.is(known::CLOSE) {
                if depth == 0 {
                    delimiters.push(token);
                    return Ok(Some((arguments, delimiters)));
                }
                depth -= 1;
            } else if token.is(known::COMMA) && depth == 0 && !(is_variadic && arguments.len() == wanted) {
                delimiters.push(token);
                arguments.push(Argument::default());
                continue;
            }
            if let Some(argument) = arguments.last_mut() {
                argument.tokens.push(token);
            }
        }
    }

    /// A macro that became the name of another one took its arguments from behind its own invocation: the outermost one ends there.
    fn widen_outermost(&mut self, step: StepId, close: &Token) {
        if !close.step.is_none() || close.flags.has(Flags::IN_BODY) {
            return;
        }
        let mut next = step;
        while let Some(at) = (next.0 as usize).checked_sub(1) {
            let Some(found) = self.unit.steps.get_mut(at) else { return };
            if found.at.file == close.place.file && !found.is_in_body && found.end < close.place.end {
                found.end = close.place.end;
            }
            next = found.outer;
        }
    }

    /// A parenthesis or comma of an invocation came out of other macros: they are not what is left of them alone. The invocation's name
    /// came through `name`.
    fn tear(&mut self, delimiter: StepId, name: StepId) {
        let mut around = Vec::new();
        let mut next = name;
        while let Some(step) = self.unit.step(next) {
            around.push(next);
            next = step.outer;
        }
        let mut next = delimiter;
        while !around.contains(&next)
            && let Some(at) = (next.0 as usize).checked_sub(1)
            && let Some(step) = self.unit.steps.get_mut(at)
        {
            step.is_complete = false;
            next = step.outer;
        }
    }

    /// The body of a macro with arguments in the place of parameters.
    fn replaced(
        &mut self,
        parts: &[Part],
        arguments: &mut [Argument],
        step: StepId,
        variadic: Option<usize>,
    ) -> Result<Replacement, Limit> {
        let mut replacement = Replacement::default();
        for (number, part) in parts.iter().enumerate() {
            let mut token = part.token;
            token.step = step;
            let mut tokens = vec![token];
            let mut is_omitted = false;
            let mut trailing = Flags::default();
            match &part.kind {
                PartKind::Token => {}
                PartKind::Parameter(number) => {
                    let Some(argument) = arguments.get_mut(*number) else { continue };
                    is_omitted = argument.is_omitted && variadic == Some(*number);
                    if part.stringify {
                        argument.is_stringified = true;
                        let text = std::mem::take(&mut argument.tokens);
                        let made = self.string_of(&text, &token);
                        arguments[*number].tokens = text;
                        tokens = vec![made?];
                    } else if part.pasted || part.pastes {
                        argument.uses += 1;
                        argument.is_pasted = true;
                        tokens.clone_from(&argument.tokens);
                    } else {
                        argument.uses += 1;
                        (tokens, trailing) = self.expanded_argument(arguments, *number)?;
                    }
                }
                PartKind::Optional(inner) => {
                    let is_there = match variadic {
                        Some(last) => !self.expanded_argument(arguments, last)?.0.is_empty(),
                        None => false,
                    };
                    let mut inner = match is_there {
                        true => self.replaced(inner, arguments, step, variadic)?,
                        false => Replacement::default(),
                    };
                    trailing = inner.space;
                    tokens = std::mem::take(&mut inner.tokens);
                    if part.stringify {
                        tokens = vec![self.string_of(&tokens, &token)?];
                    }
                }
            }
            self.count(tokens.len(), token.place)?;
            let is_variadic = matches!(part.kind, PartKind::Parameter(number) if variadic == Some(number));
            let behind_comma = number > 0 && parts[number - 1].token.is(known::COMMA);
            if !part.pasted {
                replacement.has_left = !tokens.is_empty();
                replacement.add(&tokens, token.flags);
            } else if is_variadic
                && behind_comma
                && !part.stringify
                && matches!(parts[number - 1].kind, PartKind::Token)
            {
                // GNU: `, ## __VA_ARGS__` is the arguments with a comma, or nothing.
                let swallows = self.configuration.dialect.swallows_before_empty && self.others_or_lax(arguments.len());
                if is_omitted || tokens.is_empty() && swallows {
                    replacement.tokens.pop();
                    replacement.has_left = false;
                } else {
                    replacement.has_left = true;
                    let space = tokens.first().map_or(Flags::default(), |first| first.flags);
                    replacement.add(&tokens, space);
                }
            } else if !replacement.has_left {
                replacement.has_left = !tokens.is_empty();
                replacement.add(&tokens, token.flags);
            } else if let Some((first, rest)) = tokens.split_first()
                && let Some(left) = replacement.tokens.pop()
            {
                match self.pasted(&left, first)? {
                    Some(made) => replacement.tokens.push(made),
                    None => replacement.tokens.extend([left, *first]),
                }
                replacement.tokens.extend_from_slice(rest);
            }
            replacement.space.set(trailing);
        }
        Ok(replacement)
    }

    /// May the comma go although no other parameter is there?
    fn others_or_lax(&self, parameters: usize) -> bool {
        parameters > 1 || self.configuration.dialect.swallows_without_others
    }

    /// What an argument becomes by itself.
    fn expanded_argument(&mut self, arguments: &mut [Argument], number: usize) -> Result<(Vec<Token>, Flags), Limit> {
        if let Some(expanded) = &arguments[number].expanded {
            return Ok(expanded.clone());
        }
        let tokens = arguments[number].tokens.clone();
        let has_names = tokens.iter().any(|token| token.kind == TokenKind::Identifier);
        let expanded = if has_names { self.expanded(tokens)? } else { (tokens, Flags::default()) };
        arguments[number].expanded = Some(expanded.clone());
        Ok(expanded)
    }

    /// The string that `#` makes (6.10.3.2).
    fn string_of(&mut self, tokens: &[Token], at: &Token) -> Result<Token, Limit> {
        let mut text = vec![b'"'];
        for (number, token) in tokens.iter().enumerate() {
            if number > 0 && token.flags.has(Flags::SPACE) {
                text.push(b' ');
            }
            let is_quoted = matches!(token.kind, TokenKind::String | TokenKind::Character)
                || token.kind == TokenKind::Other && self.spelling(token).len() > 1;
            for byte in self.spelling(token) {
                match byte {
                    b'"' | b'\\' if is_quoted => text.extend([b'\\', *byte]),
                    b'\n' if is_quoted => text.extend_from_slice(b"\\n"),
                    _ => text.push(*byte),
                }
            }
            self.count_spelling(text.len().min(64), at.place)?;
        }
        // A backslash at the end would hide the closing quote.
        if text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 {
            text.pop();
        }
        text.push(b'"');
        self.count_spelling(text.len(), at.place)?;
        let symbol = self.unit.symbols.add(&text);
        let mut made = Token { symbol, kind: TokenKind::String, ..*at };
        made.flags.set(Flags::MADE);
        Ok(made)
    }

    /// The token that `##` makes of two, if it is one.
    fn pasted(&mut self, left: &Token, right: &Token) -> Result<Option<Token>, Limit> {
        let text = [self.spelling(left), self.spelling(right)].concat();
        self.count_spelling(text.len(), left.place)?;
        let dialect = self.configuration.dialect;
        let lexed = lexer::lex(&text, left.place.file, &dialect, &mut self.unit.symbols);
        match lexed.tokens.as_slice() {
            [only] if only.place.start == 0 && only.place.end as usize == text.len() => {
                let mut flags = left.flags.only(Flags::SPACE.and(Flags::LINE_START).and(Flags::IN_BODY));
                flags.set(Flags::MADE);
                flags.set(only.flags.only(Flags::DIGRAPH));
                Ok(Some(Token { symbol: only.symbol, kind: only.kind, flags, ..*left }))
            }
            _ => {
                self.note(ProblemKind::InvalidPaste, left.place, Some(left.symbol));
                Ok(None)
            }
        }
    }

    /// Notes which arguments are not in the text just once and as they are.
    fn note_uses(&mut self, step: StepId, arguments: &[Argument], spelled: &[Option<Place>]) {
        if self.frames.last().is_none_or(|frame| frame.is_system) {
            return;
        }
        for (argument, place) in arguments.iter().zip(spelled) {
            let usage = match argument {
                Argument { is_stringified: true, .. } => ArgumentUse::Stringified,
                Argument { is_pasted: true, .. } => ArgumentUse::Pasted,
                Argument { uses: 0, .. } => ArgumentUse::Never,
                Argument { uses: 1, .. } => continue,
                _ => ArgumentUse::Repeated,
            };
            let Some(place) = *place else { continue };
            if let Some(invocation) = self.spelled_invocation(step, place.file) {
                self.unit.arguments.push(UnlikeArgument { place, invocation, usage });
            }
        }
    }

    /// Where the innermost invocation around this one has its name in the file itself.
    fn spelled_invocation(&self, step: StepId, file: FileId) -> Option<u32> {
        let mut next = step;
        loop {
            let found: &Step = self.unit.step(next)?;
            if !found.is_in_body && found.at.file == file {
                return Some(found.at.start);
            }
            next = found.outer;
        }
    }
}

/// From the first to the last token that stands in a file itself.
fn spelled_place(tokens: &[Token]) -> Option<Place> {
    let mut own = tokens.iter().filter(|token| !token.flags.has(Flags::IN_BODY.and(Flags::MADE)));
    let first = own.next()?.place;
    let same = own.filter(|token| token.place.file == first.file);
    Some(same.fold(first, |place, token| Place {
        start: place.start.min(token.place.start),
        end: place.end.max(token.place.end),
        ..place
    }))
}
