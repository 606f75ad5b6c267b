//! Errors, warnings and notes on standard error, in the form that rustc gave them.

use std::io::{self, IsTerminal, Write};

use annotate_snippets::{Group, Level, Renderer};

use super::{Failure, progress_line};
use crate::ir::{SourceFile, Span};
use crate::report::SourceExcerpt;

/// May a stream be coloured? Only a terminal may, and only if NO_COLOR (<https://no-color.org>) is not set.
pub(super) fn colour_allowed(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_capable_terminal(stream) && !set("NO_COLOR")
}

/// Is the stream a terminal that understands control sequences?
pub(super) fn is_capable_terminal(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Prints why a command ends.
pub(super) fn print_failure(failure: &Failure) {
    let notes = failure.notes().iter().map(|note| Level::NOTE.message(note.as_str()));
    let help = failure.help_text().map(|help| Level::HELP.message(help));
    print_group(Level::ERROR.primary_title(failure.message()).elements(notes.chain(help)));
}

/// Prints a note.
pub(super) fn print_note(message: &str, help: Option<&str>) {
    print_group(Level::NOTE.primary_title(message).elements(help.map(|help| Level::HELP.message(help))));
}

/// Prints a warning that is about no single place.
pub(super) fn print_warning(message: &str, help: &str) {
    print_group(Level::WARNING.primary_title(message).element(Level::HELP.message(help)));
}

/// Prints a warning about the text at `span`.
pub(super) fn print_warning_at(file: &SourceFile, span: Span, message: &str) {
    print_at(Level::WARNING, file, span, message);
}

/// Prints a warning about the text at `span`, and what to do about it.
pub(super) fn print_warning_with_help_at(file: &SourceFile, span: Span, message: &str, help: &str) {
    print_with_help_at(Level::WARNING, file, span, message, Some(help));
}

/// Prints an error about the text at `span`.
pub(super) fn print_error_at(file: &SourceFile, span: Span, message: &str) {
    print_at(Level::ERROR, file, span, message);
}

/// Prints an error about the text at `span`, and what to do about it.
pub(super) fn print_error_with_help_at(file: &SourceFile, span: Span, message: &str, help: Option<&str>) {
    print_with_help_at(Level::ERROR, file, span, message, help);
}

/// Prints a line of information.
pub(super) fn print_line(line: &str) {
    print_raw(format!("gravelc: {line}\n").as_bytes());
}

/// Passes on what another program wrote to its standard error.
pub(super) fn print_raw(text: &[u8]) {
    // If standard error is closed there is nobody to tell.
    let _ = io::stderr().write_all(text);
}

fn print_at(level: Level<'_>, file: &SourceFile, span: Span, message: &str) {
    print_with_help_at(level, file, span, message, None);
}

fn print_with_help_at(level: Level<'_>, file: &SourceFile, span: Span, message: &str, help: Option<&str>) {
    let excerpt = SourceExcerpt::new(file, span);
    let help = help.map(|help| Level::HELP.message(help));
    print_group(level.primary_title(message).element(excerpt.snippet()).elements(help));
}

fn print_group(group: Group<'_>) {
    let renderer = if colour_allowed(&io::stderr()) { Renderer::styled() } else { Renderer::plain() };
    let text = format!("{}\n", renderer.render(&[group]));
    let _no_line = progress_line::erase();
    print_raw(text.as_bytes());
}

/// Writes to standard output. A reader that has gone away (`gravelc … | head`) is no failure.
pub(super) fn write_to_stdout(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
