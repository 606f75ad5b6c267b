//! Which pages are program data: the writable segments (.data, .bss) of the executable and its libraries.
//!
//! Only these are adopted without being announced, because their end of life is known: never, or the unloading of
//! their library, which the dynamic linker counts. Stack, heap and other mappings can vanish unannounced.

use std::ffi::{c_int, c_void};
use std::fs;

use super::MemoryRange;

/// How often libraries have been loaded and unloaded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoaderState {
    loaded: u64,
    unloaded: u64,
}

impl LoaderState {
    /// Whether a library has been unloaded since `earlier`.
    pub fn unloaded_since(self, earlier: Self) -> bool {
        self.unloaded != earlier.unloaded
    }
}

/// The writable segments of all loaded objects, kept until the loader changes something.
#[derive(Debug, Default)]
pub struct ProgramData {
    state: LoaderState,
    segments: Vec<MemoryRange>,
}

impl ProgramData {
    /// The part of `range` that lies in one writable segment; empty if none does. Costs well under a microsecond
    /// while no library comes or goes.
    pub fn segment_part(&mut self, range: MemoryRange) -> MemoryRange {
        let state = loader_state();
        if self.segments.is_empty() || state != self.state {
            self.segments = writable_segments();
            self.state = state;
        }
        self.segments
            .iter()
            .map(|segment| segment.intersection(range))
            .find(|part| part.bytes() > 0)
            .unwrap_or(MemoryRange { start: range.start, end: range.start })
    }
}

/// Asks the dynamic linker's counters, without walking its list.
pub fn loader_state() -> LoaderState {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, size: usize, state: *mut c_void) -> c_int {
        if size >= size_of::<libc::dl_phdr_info>() {
            // SAFETY: the linker passes a valid info of at least this size, and `state` is the pointer given below.
            unsafe {
                *state.cast() = LoaderState { loaded: (*info).dlpi_adds, unloaded: (*info).dlpi_subs };
            }
        }
        1
    }
    let mut state = LoaderState::default();
    // SAFETY: the callback matches the signature and uses `state` only during the call.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut state).cast()) };
    state
}

/// The writable load segments of every loaded object.
fn writable_segments() -> Vec<MemoryRange> {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, segments: *mut c_void) -> c_int {
        // SAFETY: the linker passes a valid info whose header table has dlpi_phnum entries; `segments` is the vector
        // given below, which nobody else uses during the call.
        let (info, segments) = unsafe { (&*info, &mut *segments.cast::<Vec<MemoryRange>>()) };
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: as above.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        for header in headers {
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
                let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
                segments.extend(MemoryRange::new(start, header.p_memsz));
            }
        }
        0
    }
    let mut segments: Vec<MemoryRange> = Vec::new();
    // SAFETY: the callback matches the signature, does not unwind past the vector's growth (allocation failure
    // aborts), and uses `segments` only during the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut segments).cast()) };
    segments
}

/// One line of /proc/self/maps.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mapping<'a> {
    pub(super) range: MemoryRange,
    pub(super) permissions: &'a str,
    pub(super) inode: u64,
    pub(super) path: &'a str,
}

impl Mapping<'_> {
    /// Whether it is private, and of no file.
    pub(super) fn is_anonymous(&self) -> bool {
        let is_usual = self.path.is_empty() || self.path == "[heap]" || self.path.starts_with("[anon:");
        self.inode == 0 && self.permissions.ends_with('p') && is_usual
    }
}

pub(super) fn parse_mapping(line: &str) -> Option<Mapping<'_>> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let range =
        MemoryRange { start: usize::from_str_radix(start, 16).ok()?, end: usize::from_str_radix(end, 16).ok()? };
    let permissions = fields.next()?;
    let (_offset, _device) = (fields.next()?, fields.next()?);
    let inode = fields.next()?.parse().ok()?;
    Some(Mapping { range, permissions, inode, path: fields.next().unwrap_or("").trim_start() })
}

/// Why a range cannot be adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unadoptable {
    /// The kernel's list of mappings cannot be read.
    MapsUnreadable(String),
    /// A page is not mapped, or not private and writable.
    NotPrivateWritable,
    /// A page belongs to a file that holds no code of this process, or to a special mapping.
    NotProgramData(String),
    /// It is, or may be, the stack of a thread.
    Stack,
    /// The process has locked memory, perhaps this: the lock would be lost.
    Locked,
    /// The pages are huge, and shared memory here has none: adopting them would slow the computation down.
    HugePages,
}

impl std::fmt::Display for Unadoptable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MapsUnreadable(cause) => {
                write!(formatter, "/proc/self/maps cannot be read: {cause}")
            }
            Self::NotPrivateWritable => formatter.write_str("its mapping is not private and writable"),
            Self::NotProgramData(path) => write!(formatter, "it is mapped from {path}, which is not the program's"),
            Self::Stack => formatter.write_str("it lies on the stack of a thread"),
            Self::Locked => formatter.write_str("the program has locked memory, perhaps this"),
            Self::HugePages => formatter.write_str("it lies in transparent huge pages"),
        }
    }
}

/// Checks with the kernel that every page of `range` (which lies in a writable segment of a loaded object) still is
/// what the loader made of it: a private writable mapping of a file that also holds code of this process, or the
/// anonymous memory behind one.
pub fn check_adoptable(range: MemoryRange) -> Result<(), Unadoptable> {
    let maps = read_proc("/proc/self/maps")?;
    check_mappings(&maps, range)?;
    check_huge_pages(range)
}

/// Pages that are huge would become small ones, which would slow the computation down.
pub(super) fn check_huge_pages(range: MemoryRange) -> Result<(), Unadoptable> {
    if may_hold_huge_page(range) && has_huge_pages(&read_proc("/proc/self/smaps")?, range) {
        return Err(Unadoptable::HugePages);
    }
    Ok(())
}

/// Whether every page of a range is memory of this process alone, which no file or other name leads to.
pub fn is_private_anonymous(range: MemoryRange) -> bool {
    read_proc("/proc/self/maps").is_ok_and(|maps| is_anonymous_in(&maps, range))
}

fn is_anonymous_in(maps: &str, range: MemoryRange) -> bool {
    let mut checked = range.start;
    for mapping in maps.lines().filter_map(parse_mapping) {
        if checked >= range.end || mapping.range.end <= checked {
            continue;
        }
        if mapping.range.start > checked || !mapping.permissions.starts_with("rw") || !mapping.is_anonymous() {
            return false;
        }
        checked = mapping.range.end;
    }
    checked >= range.end
}

pub(super) fn read_proc(path: &str) -> Result<String, Unadoptable> {
    let bytes = fs::read(path).map_err(|cause| Unadoptable::MapsUnreadable(cause.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn check_mappings(maps: &str, range: MemoryRange) -> Result<(), Unadoptable> {
    let mappings: Vec<_> = maps.lines().filter_map(parse_mapping).collect();
    let mut checked = range.start;
    for mapping in &mappings {
        if checked >= range.end || mapping.range.end <= checked {
            continue;
        }
        if mapping.range.start > checked || mapping.permissions != "rw-p" {
            return Err(Unadoptable::NotPrivateWritable);
        }
        let image = mapping.inode != 0
            && mappings.iter().any(|other| {
                other.inode == mapping.inode && other.path == mapping.path && other.permissions.contains('x')
            });
        if !mapping.is_anonymous() && !image {
            return Err(Unadoptable::NotProgramData(mapping.path.to_owned()));
        }
        checked = mapping.range.end;
    }
    if checked < range.end { Err(Unadoptable::NotPrivateWritable) } else { Ok(()) }
}

const HUGE_PAGE: usize = 2 << 20;

/// Whether a huge page fits into the range and the kernel hands any out.
fn may_hold_huge_page(range: MemoryRange) -> bool {
    let aligned = range.start.checked_next_multiple_of(HUGE_PAGE);
    aligned.is_some_and(|start| start.saturating_add(HUGE_PAGE) <= range.end)
        && fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
            .is_ok_and(|modes| !modes.contains("[never]"))
}

/// Whether a mapping that meets the range holds transparent huge pages, from the text of /proc/self/smaps.
fn has_huge_pages(smaps: &str, range: MemoryRange) -> bool {
    let mut meets = false;
    for line in smaps.lines() {
        if let Some(mapping) = parse_mapping(line) {
            meets = mapping.range.intersection(range).bytes() > 0;
        } else if meets
            && let Some(size) = line.strip_prefix("AnonHugePages:")
            && size.trim() != "0 kB"
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    static mut DATA: [u8; 3 * 4096] = [0; 3 * 4096];

    fn range_of<T>(value: *const T) -> MemoryRange {
        MemoryRange::new(value.addr(), size_of::<T>() as u64).unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn static_arrays_are_program_data_and_stack_and_heap_are_not() {
        let mut program = ProgramData::default();
        let data = range_of(&raw const DATA);
        assert_eq!(program.segment_part(data), data);
        assert_eq!(check_adoptable(data), Ok(()));
        let on_stack = [0u8; 64];
        assert_eq!(program.segment_part(range_of(&raw const on_stack)).bytes(), 0);
        let on_heap = vec![0u8; 1 << 20];
        assert_eq!(program.segment_part(range_of(on_heap.as_ptr())).bytes(), 0);
    }

    const MAPS: &str = "\
1000-2000 r-xp 00000000 08:01 77                         /bin/app with space
2000-4000 rw-p 00001000 08:01 77                         /bin/app with space
4000-6000 rw-p 00000000 00:00 0 
6000-7000 r--p 00000000 00:00 0 
7000-8000 rw-p 00000000 08:01 78                         /data/table
9000-a000 rw-s 00000000 00:01 79                         /memfd:gravel (deleted)
a000-b000 rw-p 00000000 00:00 0                          [stack]
";

    #[test]
    fn only_the_images_private_writable_pages_pass() {
        let check = |start, end| check_mappings(MAPS, MemoryRange { start, end });
        assert_eq!(check(0x2000, 0x6000), Ok(()));
        assert_eq!(check(0x3000, 0x5000), Ok(()));
        assert_eq!(check(0x5000, 0x7000), Err(Unadoptable::NotPrivateWritable));
        assert_eq!(check(0x7000, 0x8000), Err(Unadoptable::NotProgramData("/data/table".into())));
        assert_eq!(check(0x9000, 0xa000), Err(Unadoptable::NotPrivateWritable));
        assert_eq!(check(0x8000, 0x9000), Err(Unadoptable::NotPrivateWritable));
        assert_eq!(check(0xa000, 0xb000), Err(Unadoptable::NotProgramData("[stack]".into())));
        assert_eq!(check(0xb000, 0xc000), Err(Unadoptable::NotPrivateWritable));
    }

    #[test]
    fn huge_pages_are_seen_per_mapping() {
        let smaps = "1000-2000 rw-p 0 00:00 0 \nAnonHugePages:      2048 kB\n2000-3000 rw-p 0 00:00 0 \nAnonHugePages:         0 kB\n";
        assert!(has_huge_pages(smaps, MemoryRange { start: 0x1800, end: 0x2800 }));
        assert!(!has_huge_pages(smaps, MemoryRange { start: 0x2000, end: 0x2800 }));
    }
}
