//! The line that says how far the work has come: on a terminal alone, once it takes longer than a moment, and erased at the end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::diagnostics::{is_capable_terminal, print_raw};
use crate::progress;

/// What ends sooner shows nothing.
const AFTER: Duration = Duration::from_secs(1);
/// How often it is written anew.
const EVERY: Duration = Duration::from_millis(200);
/// To the beginning of the line, and erase it (ECMA-48, CR and EL).
const ERASE: &str = "\r\x1b[K";

/// When the process began.
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
static IS_QUIET: AtomicBool = AtomicBool::new(false);
/// Whether the line stands on the terminal. Whoever writes to it holds this.
static IS_SHOWN: Mutex<bool> = Mutex::new(false);

/// The process begins; with `quiet` nothing will be shown.
pub(super) fn start(quiet: bool) {
    LazyLock::force(&BEGIN);
    IS_QUIET.store(quiet, Ordering::Relaxed);
}

/// Shows the line from now on until this is dropped.
pub(super) struct ProgressLine {
    /// Tells the thread to end, when it is dropped.
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Begins; where standard error is no terminal, does nothing.
    pub fn show() -> Self {
        if IS_QUIET.load(Ordering::Relaxed) || !is_capable_terminal(&io::stderr()) {
            return Self { end: None, thread: None };
        }
        let (end, ended) = mpsc::channel();
        // Without a thread nothing is shown, which is no reason to fail.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(move || keep_showing(&ended)).ok();
        Self { end: Some(end), thread }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // It can't panic, and there would be nobody to tell.
            let _ = thread.join();
        }
        drop(erase());
    }
}

fn keep_showing(ended: &mpsc::Receiver<()>) {
    let mut pause = AFTER.saturating_sub(BEGIN.elapsed());
    while ended.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
        if let Some(words) = progress::describe() {
            let mut is_shown = shown();
            print_raw(format!("{ERASE}gravelc: {words}").as_bytes());
            *is_shown = true;
        }
        pause = EVERY;
    }
}

fn shown() -> MutexGuard<'static, bool> {
    IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the line away. Until the result is dropped it does not come back, so that something else can be written.
pub(super) fn erase() -> MutexGuard<'static, bool> {
    let mut is_shown = shown();
    if *is_shown {
        print_raw(ERASE.as_bytes());
        *is_shown = false;
    }
    is_shown
}
