//! A panic is a bug of gravelc and is reported as one: no raw panic message reaches the user.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::sync::Once;

use super::Failure;

/// What the panic hook saw: the message with its place, and the backtrace if one was asked for.
struct SeenPanic {
    message: String,
    backtrace: Option<String>,
}

const NO_MESSAGE: &str = "a panic without a message";

thread_local! {
    /// Is a panic of this thread going to be caught and reported?
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The last panic of this thread.
    static LAST_PANIC: RefCell<Option<SeenPanic>> = const { RefCell::new(None) };
}

/// Does `work`; if it panics, gives the bug report as the failure.
pub(super) fn catching_panics<T>(work: impl FnOnce() -> Result<T, Failure> + UnwindSafe) -> Result<T, Failure> {
    install_hook();
    CATCHING.set(true);
    let result = panic::catch_unwind(work);
    CATCHING.set(false);

    result.unwrap_or_else(|_| {
        let Some(seen) = LAST_PANIC.take() else {
            return Err(Failure::bug(NO_MESSAGE));
        };
        let failure = Failure::bug(seen.message);
        Err(match seen.backtrace {
            Some(backtrace) => failure.note(backtrace),
            None => failure,
        })
    })
}

/// Installs, once in the process, a panic hook that is silent where the panic is going to be reported.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                LAST_PANIC.set(Some(SeenPanic::new(info)));
            } else {
                previous_hook(info);
            }
        }));
    });
}

impl SeenPanic {
    fn new(info: &PanicHookInfo<'_>) -> Self {
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or(NO_MESSAGE);
        let place = info.location().map(|location| format!(" ({location})")).unwrap_or_default();
        // Captured only if RUST_BACKTRACE asks for it.
        let backtrace = Backtrace::capture();
        let captured = backtrace.status() == BacktraceStatus::Captured;
        Self { message: format!("{message}{place}"), backtrace: captured.then(|| backtrace.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_bug() {
        let failure = catching_panics(|| -> Result<(), Failure> { panic!("index {} is out of bounds", 7) })
            .expect_err("the work panics");
        assert_eq!(failure.exit_code(), 3);
        assert!(failure.message().contains("index 7 is out of bounds"), "{}", failure.message());
        assert!(failure.message().contains("bug_report.rs"), "{}", failure.message());
    }

    #[test]
    fn a_result_is_passed_on() {
        assert_eq!(catching_panics(|| Ok(1)).ok(), Some(1));
        let failure = catching_panics(|| -> Result<(), Failure> { Err(Failure::input("no such file")) });
        assert_eq!(failure.expect_err("the work fails").exit_code(), 2);
    }
}
