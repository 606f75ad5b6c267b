//! Where in the program a call is made: what the stack says, in words.
//!
//! Nothing of this costs a call that does not ask. The standard library reads the stack and, where the program has them, its
//! symbols and debugging information, of any language.

use std::backtrace::Backtrace;
use std::ffi::{CStr, c_void};
use std::path::Path;

/// A frame of the stack.
#[derive(Debug, Default, PartialEq, Eq)]
struct Frame<'a> {
    address: usize,
    function: &'a str,
    /// File, line and column.
    place: Option<&'a str>,
}

/// The place from which the runtime was called, as the end of "gravel_wait": `in exchange_ at halo.f90:34`, or, where the
/// program has no debugging information, `in exchange_ (halo+0x1a2b)`, which `addr2line -e halo 0x1a2b` understands. Empty if
/// nothing is known. May take some hundred milliseconds, once.
pub fn call_site() -> String {
    let text = format!("{:#}", Backtrace::force_capture());
    let frames = frames(&text);
    let Some(caller) = caller(&frames) else { return String::new() };
    let function = if caller.function == UNKNOWN { String::new() } else { format!("in {} ", caller.function) };
    match caller.place {
        Some(place) => format!("{function}at {}", without_column(place)),
        None => match place_in_file(caller.address) {
            Some((file, offset)) => format!("{function}({file}+{offset:#x})"),
            None => function.trim_end().to_owned(),
        },
    }
}

/// What stands for a function without a name.
const UNKNOWN: &str = "<unknown>";

/// The frames of a stack in words, the innermost first. A line is `  3:     0x55d0c0ffee10 - exchange_`, without number and
/// address for a function that was inlined; below it may stand `at ./halo.f90:34:5`.
fn frames(text: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(last) = frames.last_mut() {
                last.place = Some(place);
            }
            continue;
        }
        let numbered = line.split_once(": ").filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let rest = numbered.map_or(line, |(_, rest)| rest.trim());
        let addressed = rest.split_once(" - ").and_then(|(address, function)| {
            Some((usize::from_str_radix(address.trim().strip_prefix("0x")?, 16).ok()?, function))
        });
        // One that was inlined has the address of the function that it is in, which comes next; before it, that of the last.
        let address = frames.last().map_or(0, |last| last.address);
        let (address, function) = addressed.unwrap_or((address, rest));
        frames.push(Frame { address, function: function.trim_start_matches("- "), place: None });
    }
    frames
}

/// The frame of the program that has called the runtime, through the C or Fortran interface or not.
fn caller<'a, 'b>(frames: &'a [Frame<'b>]) -> Option<&'a Frame<'b>> {
    let entry = frames.iter().rposition(is_runtime)?;
    frames[entry + 1..].iter().find(|frame| !is_interface(frame))
}

/// Whether a function is the runtime's: by its name, or, where debugging information has a shorter one, by its file.
fn is_runtime(frame: &Frame<'_>) -> bool {
    // The folder of this crate's sources, as the compiler was given it.
    let sources = Path::new(file!()).ancestors().nth(2).and_then(Path::to_str).unwrap_or("gravel-rt/src");
    ["gravel_rt_", "gravel::", "<gravel::"].iter().any(|prefix| frame.function.starts_with(prefix))
        || frame.place.is_some_and(|place| place.contains(sources))
}

/// Whether a function is in `gravel.h` or `gravel.f90`.
fn is_interface(frame: &Frame<'_>) -> bool {
    let file = frame.place.and_then(|place| place.rsplit('/').next()).and_then(|place| place.split(':').next());
    ["gravel_", "__gravel_MOD_"].iter().any(|prefix| frame.function.starts_with(prefix))
        || file.is_some_and(|file| file == "gravel.h" || file == "gravel.f90")
}

fn without_column(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((rest, column)) if rest.contains(':') && column.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => place,
    }
}

/// The name of the program or library that an address belongs to, and the address as it is in that file.
fn place_in_file(address: usize) -> Option<(String, usize)> {
    /// What is looked for, and what was found.
    struct Search {
        address: usize,
        found: Option<usize>,
        path: Vec<u8>,
    }
    unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: libc::size_t, search: *mut c_void) -> libc::c_int {
        // SAFETY: the loader passes a description, whose headers are as many as it says, and the pointer given below.
        let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
        // SAFETY: as above.
        let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
        let offset = search.address.wrapping_sub(object.dlpi_addr as usize);
        let holds = |header: &libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD && offset.wrapping_sub(header.p_vaddr as usize) < header.p_memsz as usize
        };
        if headers.iter().any(holds) {
            search.found = Some(offset);
            if !object.dlpi_name.is_null() {
                // SAFETY: a name that the loader keeps for as long as it calls.
                search.path = unsafe { CStr::from_ptr(object.dlpi_name) }.to_bytes().to_vec();
            }
            return 1;
        }
        0
    }
    let mut search = Search { address: address.checked_sub(1)?, found: None, path: Vec::new() };
    // SAFETY: the function and what it is given are as it wants them, and used during the call only.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    let offset = search.found?;
    // The program itself has no name there.
    let path = match &search.path[..] {
        b"" => std::env::current_exe().ok()?,
        path => String::from_utf8_lossy(path).into_owned().into(),
    };
    Some((path.file_name()?.to_string_lossy().into_owned(), offset))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_read_as_they_are_printed() {
        let text = "   0:     0x55d0c0 - gravel::progress::wait\n                             at /x/wait.rs:3:5\n   \
                    1:     0x55d0d0 - gravel_wait\n                               exchange_\n                             \
                    at ./halo.f90:34:5\n   2:     0x55d0e0 - main\n   3:                0x0 - <unknown>\n";
        let frames = frames(text);
        let functions: Vec<_> = frames.iter().map(|frame| frame.function).collect();
        assert_eq!(functions, ["gravel::progress::wait", "gravel_wait", "exchange_", "main", UNKNOWN]);
        assert_eq!((frames[2].address, frames[2].place), (0x55d0d0, Some("./halo.f90:34:5")));
        assert_eq!((frames[3].address, frames[3].place), (0x55d0e0, None));
        assert_eq!(without_column("./halo.f90:34:5"), "./halo.f90:34");
        assert_eq!(without_column("halo.f90:34"), "halo.f90:34");
    }

    #[test]
    fn the_caller_is_the_first_that_is_no_interface() {
        let frame = |function, place| Frame { address: 1, function, place };
        let runtime = [
            frame("capture", None),
            frame("sleep_until<()>", Some("./gravel-rt/src/progress/wait.rs:3:5")),
            frame("std::panicking::catch_unwind", None),
            frame("gravel_rt_wait", None),
        ];
        let called = |rest: &[Frame<'static>]| {
            let frames: Vec<_> = runtime.iter().chain(rest).map(|frame| Frame { ..*frame }).collect();
            caller(&frames).map(|frame| frame.function.to_owned())
        };
        assert_eq!(called(&[frame("main", None)]).as_deref(), Some("main"), "inlined");
        assert_eq!(called(&[frame("gravel_wait", None), frame("step", None)]).as_deref(), Some("step"));
        let fortran =
            [frame("wait_i4", Some("/x/gravel.f90:700:1")), frame("exchange_", None), frame("gravel_user", None)];
        assert_eq!(called(&fortran).as_deref(), Some("exchange_"));
        assert_eq!(called(&[frame("__gravel_MOD_wait_i4", None), frame("MAIN__", None)]).as_deref(), Some("MAIN__"));
        assert_eq!(called(&[]), None);
    }

    #[test]
    fn a_call_knows_where_it_is_made() {
        // All of this crate is the runtime's, up to the test harness, whose functions may be generic over this one.
        let site = call_site();
        let function = site.split('<').next().unwrap_or_default();
        assert!(function.starts_with("in ") && !function.contains("call_site"), "{site}");
    }

    #[test]
    fn an_address_is_one_of_its_file() {
        let here = an_address_is_one_of_its_file as fn() as usize + 1;
        let (file, offset) = place_in_file(here).expect("this program");
        let program = std::env::current_exe().unwrap();
        assert_eq!(program.file_name().unwrap().to_string_lossy(), file);
        assert!(offset > 0 && offset < here);
        assert!(place_in_file(8).is_none());
    }
}
