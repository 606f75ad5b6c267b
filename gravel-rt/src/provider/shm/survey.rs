//! Trying what shared memory would do.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::paths::DataPaths;
use crate::memory::page_adoption::{AdoptedPages, sealed_memfd};
use crate::memory::unmap_monitor::UnmapMonitor;
use crate::memory::{MemoryRange, page_size};
use crate::provider::probe::{Probe, in_another_process};

/// Needs a memfd that peers find under /proc; everything else only makes it faster.
pub fn probes(name: &str, paths: DataPaths) -> Vec<Probe> {
    let unless = |permitted: bool, probe: &dyn Fn() -> Result<String, String>| {
        if permitted { probe() } else { Err("forbidden by GRAVEL_SHM".into()) }
    };
    let probe = |name, purpose, outcome| Probe { name, purpose, is_needed: false, outcome };
    vec![
        Probe {
            is_needed: true,
            ..probe("memfd", "control segments: without them there is no shared memory", memfd())
        },
        Probe { is_needed: true, ..probe("/proc", "finding the segments of peers, and dead peers", proc_files()) },
        probe(
            "page adoption",
            "puts are plain copies into static arrays of the program",
            unless(paths.adopt, &adoption),
        ),
        probe(
            "heap adoption",
            "the same into arrays that are allocated",
            unless(paths.adopt, &|| {
                if paths.heap == 0 { Err("forbidden by GRAVEL_ADOPT_HEAP".into()) } else { heap() }
            }),
        ),
        probe(
            "process_vm_writev",
            "puts into any memory, with one system call each; else they are staged",
            unless(paths.cma, &|| cross_memory(name)),
        ),
        probe("huge pages", "arrays in huge pages are not adopted", huge_pages()),
        probe("processors", "ranks beyond their number give way while they wait", processors()),
    ]
}

fn memfd() -> Result<String, String> {
    let file = sealed_memfd("gravel-info", page_size()).map_err(|error| error.to_string())?;
    drop(file);
    Ok("sealed shared memory can be made".into())
}

fn proc_files() -> Result<String, String> {
    fs::read("/proc/self/maps").map_err(|cause| format!("/proc/self/maps: {}", cause))?;
    let file = sealed_memfd("gravel-info", page_size()).map_err(|error| error.to_string())?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), std::os::fd::AsRawFd::as_raw_fd(&file));
    fs::File::open(&path).map_err(|cause| format!("{path}: {}", cause))?;
    Ok("mounted, and shows this process".into())
}

const PROBED_PAGES: usize = 8;
#[repr(align(4096))]
struct Pages(#[allow(dead_code, reason = "only its address is used")] [u8; PROBED_PAGES * 4096]);
static mut PROBED: Pages = Pages([1; PROBED_PAGES * 4096]);

/// Moves pages of this program as those of a receive buffer would be.
fn adoption() -> Result<String, String> {
    let start = (&raw mut PROBED).expose_provenance();
    let range = MemoryRange { start, end: start + size_of::<Pages>() }.whole_pages();
    crate::memory::program_data::check_adoptable(range).map_err(|reason| reason.to_string())?;
    // SAFETY: the pages are this program's own static data, which only this function uses.
    let pages = unsafe { AdoptedPages::adopt(range) }.map_err(|error| error.to_string())?;
    drop(pages);
    Ok("pages of static arrays can be moved into shared memory".into())
}

/// Whether somebody tells when memory of the heap is gone.
fn heap() -> Result<String, String> {
    let monitor = UnmapMonitor::new(|| {}).map_err(|cause| format!("userfaultfd: {cause}"))?;
    monitor.sees_emptying()?;
    Ok("the kernel tells when memory is unmapped or emptied".into())
}

/// What the process that tries writes, so that it is known to have arrived.
const WRITTEN: u64 = 0x6772_6176_656c_2121;

/// Lets another process write into this one. It is this program's child: yama's first level, which lets a process write
/// into its own children only, forbids that as it forbids it between ranks.
fn cross_memory(interconnect: &str) -> Result<String, String> {
    let word = Box::new(AtomicU64::new(0));
    let address = std::ptr::from_ref(&*word).expose_provenance();
    let output = in_another_process(interconnect, &format!("{}:{address}", std::process::id()))?;
    if output.status.success() && word.load(Ordering::Acquire) == WRITTEN {
        return Ok("permitted between processes of this user".into());
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let advice = match scope.trim() {
        "" | "0" => "a container or a security module forbids it: allow SYS_PTRACE",
        _ => "kernel.yama.ptrace_scope is not 0",
    };
    Err(format!("{} ({advice})", String::from_utf8_lossy(&output.stderr).trim()))
}

/// The other process of [`cross_memory`]: writes one word at `PID:ADDRESS`.
pub fn write_into(target: &str) -> io::Result<()> {
    let parts = target.split_once(':').and_then(|(pid, address)| Some((pid.parse().ok()?, address.parse().ok()?)));
    let (pid, address): (libc::pid_t, usize) = parts.ok_or_else(|| io::Error::other("PID:ADDRESS is expected"))?;
    let word = WRITTEN;
    let here = libc::iovec { iov_base: (&raw const word).cast_mut().cast(), iov_len: 8 };
    let there = libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: 8 };
    // SAFETY: the own word is only read. The other process is the one that has given its address for this.
    let moved = unsafe { libc::process_vm_writev(pid, &raw const here, 1, &raw const there, 1, 0) };
    if moved == 8 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn huge_pages() -> Result<String, String> {
    let mode = |file: &str| {
        let text = fs::read_to_string(format!("/sys/kernel/mm/transparent_hugepage/{file}")).ok()?;
        Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
    };
    match (mode("enabled"), mode("shmem_enabled")) {
        (Some(private), shared) if private == "always" => Err(format!(
            "private memory gets them always, shared memory: {}; large arrays that sit in them are written by \
             process_vm_writev",
            shared.as_deref().unwrap_or("unknown")
        )),
        (Some(private), _) => Ok(format!("private memory gets them: {private}")),
        (None, _) => Ok("the kernel has none".into()),
    }
}

fn processors() -> Result<String, String> {
    match std::thread::available_parallelism() {
        Ok(count) => Ok(format!("{count} for this process")),
        Err(cause) => Err(cause.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn what_the_tests_of_the_library_use_is_found_usable() {
        let probes = probes("shm", DataPaths::default());
        assert!(probes.iter().all(|probe| !probe.is_needed || probe.outcome.is_ok()), "{probes:?}");
        let outcome = |name: &str| &probes.iter().find(|probe| probe.name == name).unwrap().outcome;
        assert!(outcome("memfd").is_ok());
        assert!(outcome("page adoption").is_ok());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_process_can_be_written_into_by_its_own_address() {
        let word = Box::new(AtomicU64::new(0));
        let address = std::ptr::from_ref(&*word).expose_provenance();
        write_into(&format!("{}:{address}", std::process::id())).unwrap();
        assert_eq!(word.load(Ordering::Acquire), WRITTEN);
        for target in ["", "1", "a:b", "-1:0"] {
            assert!(write_into(target).is_err(), "{target}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn settings_are_a_reason() {
        let probes = probes("shm", DataPaths { adopt: false, cma: false, ..DataPaths::default() });
        let unused = probes.iter().filter(|probe| probe.outcome == Err("forbidden by GRAVEL_SHM".into()));
        assert_eq!(unused.count(), 3);
        assert!(probes.iter().all(|probe| !probe.is_needed || probe.outcome.is_ok()), "staging always works");
    }
}
