//! Which memory is adopted, and which is left where it is: that of receives, as the kernel lists it.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::fs;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::launcher::{Network, cluster_over};
use crate::world::{STATIC_BYTES, World, fill, first_difference, static_buffer};

/// Enough pages to be adopted, were it program data.
const LENGTH: usize = 200_000;
const PAGE: usize = 4096;

/// What the kernel says is mapped where the middle of a buffer lies: the line's permissions and its path.
pub fn mapping_of(buffer: &[u8]) -> String {
    let middle = buffer.as_ptr().addr() + buffer.len() / 2;
    let maps = fs::read_to_string("/proc/self/maps").expect("reading /proc/self/maps");
    let lies_in = |line: &&str| {
        let (start, rest) = line.split_once('-').expect("a range");
        let (end, _) = rest.split_once(' ').expect("a range");
        let number = |text| usize::from_str_radix(text, 16).expect("an address");
        (number(start)..number(end)).contains(&middle)
    };
    maps.lines().find(lies_in).expect("a mapping").to_owned()
}

pub fn is_adopted(buffer: &[u8]) -> bool {
    mapping_of(buffer).contains("memfd:gravel-pages")
}

/// Receives a message of each kind from the other rank into the buffer, and sends it one.
pub fn exchange(world: &mut World, buffer: &mut [u8], tag: i32) {
    let peer = 1 - world.rank();
    let mut message = vec![0; buffer.len()];
    fill(&mut message, world.rank() + tag as usize);
    let receiving = world.post(buffer, peer, tag);
    let sending = world.send(&message, peer, tag);
    assert_eq!(world.wait_receive(receiving, peer, tag), message.len());
    world.wait_send(sending);
    assert_eq!(first_difference(buffer, peer + tag as usize), None);
}

/// A mapping of its own, at an address or anywhere.
fn map(at: Option<*mut u8>, flags: libc::c_int, file: Option<&fs::File>) -> &'static mut [u8] {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags =
        flags | if at.is_some() { libc::MAP_FIXED } else { 0 } | if file.is_some() { 0 } else { libc::MAP_ANONYMOUS };
    let descriptor = file.map_or(-1, fs::File::as_raw_fd);
    let address = at.unwrap_or_default().cast();
    // SAFETY: a new mapping; where an address is given, the tests own the pages there. Nobody unmaps it but `unmap`.
    unsafe {
        let start = libc::mmap(address, LENGTH, protection, flags, descriptor, 0);
        assert_ne!(start, libc::MAP_FAILED);
        std::slice::from_raw_parts_mut(start.cast(), LENGTH)
    }
}

fn a_file() -> fs::File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&vec![1; LENGTH.next_multiple_of(PAGE)]).expect("writing");
    file
}

#[test]
fn program_data_is_adopted_and_no_other_memory() {
    let test = "adoption::program_data_is_adopted_and_no_other_memory";
    cluster_over(&[Network::Shm], test, 2, &[("GRAVEL_SHM", "adopt,cma")], |world| {
        let program_data = &mut static_buffer()[..LENGTH];
        exchange(world, program_data, 0);
        // The one that shows that the look at the mappings would see an adoption.
        assert!(is_adopted(program_data), "{}", mapping_of(program_data));

        let mut on_stack = [0u8; LENGTH];
        exchange(world, &mut on_stack, 1);
        assert!(!is_adopted(&on_stack), "{}", mapping_of(&on_stack));

        let mut on_heap = vec![0u8; LENGTH];
        exchange(world, &mut on_heap, 2);
        assert!(!is_adopted(&on_heap), "{}", mapping_of(&on_heap));

        let file = a_file();
        let kinds = [
            (libc::MAP_PRIVATE, Some(&file)),
            (libc::MAP_SHARED, Some(&file)),
            (libc::MAP_PRIVATE, None),
            // As windows of MPI are.
            (libc::MAP_SHARED, None),
        ];
        for (tag, (flags, file)) in (3..).zip(kinds) {
            let mapped = map(None, flags, file);
            exchange(world, mapped, tag);
            assert!(!is_adopted(mapped), "{}", mapping_of(mapped));
        }
    });
}

/// Every region takes a descriptor and splits a mapping. Receives of many places leave the program most of its own; what is
/// not adopted arrives all the same.
#[test]
fn many_regions_leave_the_program_its_descriptors() {
    let test = "adoption::many_regions_leave_the_program_its_descriptors";
    cluster_over(&[Network::Shm], test, 2, &[("GRAVEL_SHM", "adopt,cma")], |world| {
        const REGIONS: usize = 60;
        const DESCRIPTORS: libc::rlim_t = 80;
        // So many whole pages, and one between each two that nobody posts.
        const BUFFER: usize = 8 * PAGE;
        let before = limit_descriptors(DESCRIPTORS);
        let memory = &mut static_buffer()[..REGIONS * (BUFFER + PAGE)];
        for (tag, part) in (0..).zip(memory.chunks_exact_mut(BUFFER + PAGE)) {
            exchange(world, &mut part[..BUFFER], tag);
        }
        let adopted = memory.chunks_exact(BUFFER + PAGE).filter(|part| is_adopted(&part[..BUFFER])).count();
        assert!((1..=20).contains(&adopted), "{adopted} regions, {DESCRIPTORS} descriptors");
        let files: Vec<_> = (0..10).map(|_| fs::File::open("/dev/null")).collect();
        assert!(files.iter().all(Result::is_ok), "the program has descriptors left");
        limit_descriptors(before);
    });
}

/// Part of the program's image, over which the program has mapped something else.
#[repr(align(4096))]
struct Image(#[allow(dead_code, reason = "only its address is used")] [u8; 4 * 256 * 1024]);
static mut IMAGE: Image = Image([0; 4 * 256 * 1024]);

#[test]
fn program_data_over_which_something_else_is_mapped_is_left_alone() {
    let test = "adoption::program_data_over_which_something_else_is_mapped_is_left_alone";
    cluster_over(&[Network::Shm], test, 2, &[("GRAVEL_SHM", "adopt,cma")], |world| {
        let file = a_file();
        let kinds = [(libc::MAP_PRIVATE, Some(&file)), (libc::MAP_SHARED, Some(&file)), (libc::MAP_SHARED, None)];
        for (part, (flags, file)) in kinds.into_iter().enumerate() {
            let start = (&raw mut IMAGE).cast::<u8>().wrapping_add(part * 256 * 1024);
            let mapped = map(Some(start), flags, file);
            let before = mapping_of(mapped);
            exchange(world, mapped, part as i32);
            assert_eq!(mapping_of(mapped), before, "something was mapped over the program's own mapping");
        }
    });
}

#[test]
fn memory_that_is_freed_and_mapped_again_receives_again() {
    let test = "adoption::memory_that_is_freed_and_mapped_again_receives_again";
    cluster_over(&[Network::Shm], test, 2, &[], |world| {
        let mut at = None;
        for tag in 0..4 {
            let mapped = map(at, libc::MAP_PRIVATE, None);
            assert!(mapped.iter().all(|&byte| byte == 0), "a new mapping holds what an old one did");
            exchange(world, mapped, tag);
            at = Some(mapped.as_mut_ptr());
            // SAFETY: our own mapping, to which nothing points any more; the next round maps the same addresses.
            unsafe { libc::munmap(mapped.as_mut_ptr().cast(), LENGTH) };
            // The peer's look at it is over, too.
            world.outside_barrier();
        }
    });
}

/// Program data that another thread writes lies right beside the buffer, on the same pages.
#[repr(align(4096))]
struct Beside {
    before: AtomicU64,
    buffer: [u8; LENGTH],
    behind: AtomicU64,
}
static mut BESIDE: Beside = Beside { before: AtomicU64::new(0), buffer: [0; LENGTH], behind: AtomicU64::new(0) };
const _: () = assert!(LENGTH < STATIC_BYTES && !LENGTH.is_multiple_of(PAGE));

#[test]
fn what_another_thread_writes_beside_a_buffer_is_not_lost() {
    let test = "adoption::what_another_thread_writes_beside_a_buffer_is_not_lost";
    cluster_over(&[Network::Shm], test, 2, &[("GRAVEL_SHM", "adopt,cma")], |world| {
        // SAFETY: the words are only used atomically, the buffer only by this thread and the runtime.
        let (words, buffer) = unsafe {
            let beside = &raw mut BESIDE;
            ([&(*beside).before, &(*beside).behind], &mut (*beside).buffer)
        };
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut written = 0u64;
                while !done.load(Ordering::Acquire) {
                    written += 1;
                    for word in words {
                        // A page that is moved meanwhile would hold an older number.
                        assert_eq!(word.swap(written, Ordering::Relaxed), written - 1);
                    }
                }
                written
            });
            for tag in 0..20 {
                exchange(world, buffer, tag);
            }
            assert!(is_adopted(buffer), "{}", mapping_of(buffer));
            done.store(true, Ordering::Release);
            let written = writer.join().expect("no write was lost");
            assert!(written > 0);
        });
    });
}

/// A library with an array, loaded.
struct Library {
    handle: *mut libc::c_void,
    array: *mut u8,
}

impl Library {
    fn load(path: &CStr) -> Self {
        // SAFETY: the library has no code that runs when it is loaded, and the array is LENGTH bytes long.
        unsafe {
            let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            assert!(!handle.is_null(), "loading {path:?}");
            let array = libc::dlsym(handle, c"array".as_ptr()).cast();
            Self { handle, array }
        }
    }

    fn array(&mut self) -> &mut [u8] {
        // SAFETY: as above, as long as this lives.
        unsafe { std::slice::from_raw_parts_mut(self.array, LENGTH) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: loaded by `load`; nothing points into it.
        assert_eq!(unsafe { libc::dlclose(self.handle) }, 0);
    }
}

/// Data of a library is program data, until it is unloaded: what lies at its addresses then is something else. Also where
/// there is no descriptor left with which the kernel could be asked what lies there.
#[test]
fn a_library_that_is_loaded_again_receives_again() {
    let test = "adoption::a_library_that_is_loaded_again_receives_again";
    cluster_over(&[Network::Shm], test, 2, &[("GRAVEL_SHM", "adopt,cma")], |world| {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, library) = (folder.path().join("array.c"), folder.path().join("array.so"));
        fs::write(&source, format!("char array[{LENGTH}];\n")).expect("writing");
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
        assert!(compiled.expect("running cc").success());
        let path = CString::new(library.as_os_str().as_encoded_bytes()).expect("a path");
        let mut addresses = HashSet::new();
        for tag in 0..6 {
            let mut library = Library::load(&path);
            assert!(library.array().iter().all(|&byte| byte == 0));
            addresses.insert(library.array.addr());
            let before = (tag % 2 == 1).then(|| limit_descriptors(0));
            exchange(world, library.array(), tag);
            if let Some(before) = before {
                limit_descriptors(before);
            } else {
                assert!(is_adopted(library.array()), "{}", mapping_of(library.array()));
            }
            world.outside_barrier();
        }
        assert!(addresses.len() < 6, "it was never loaded where it had been: this shows nothing");
    });
}

/// Sets the number of descriptors that the process may have, and says what it was.
fn limit_descriptors(value: libc::rlim_t) -> libc::rlim_t {
    crate::faults::limit(libc::RLIMIT_NOFILE, value)
}
