//! Trying what the providers would do: each probe makes a real attempt, and keeps the reason if it fails.

use std::fs;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use gravel::memory::page_adoption::{AdoptedPages, sealed_memfd};
use gravel::memory::{MemoryRange, page_size};
use gravel::provider::choice::Interconnect;
use gravel::settings::Settings;

/// Something that a provider can or cannot use here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it is.
    pub name: &'static str,
    /// What it is good for.
    pub purpose: &'static str,
    /// A note if it can be used, the reason if it cannot.
    pub outcome: Result<String, String>,
}

/// A provider and what it builds on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// Its name.
    pub name: &'static str,
    /// What it connects.
    pub reach: &'static str,
    /// Why it cannot be used here at all, if it cannot.
    pub rejected: Option<String>,
    /// What it builds on.
    pub probes: Vec<Probe>,
}

/// All providers of this version.
pub fn all(settings: &Settings) -> Vec<ProviderReport> {
    vec![shared_memory(settings), super::rdma::verbs(settings), super::network::tcp(settings)]
}

/// The reason not to use a provider if the settings exclude it.
pub fn forbidden(settings: &Settings, kind: Interconnect) -> Option<String> {
    let providers = settings.providers;
    (!providers.contains(kind)).then(|| format!("GRAVEL_PROVIDER={providers} does not name it"))
}

/// Ranks of one host: needs a memfd that peers find under /proc; everything else only makes it faster.
fn shared_memory(settings: &Settings) -> ProviderReport {
    let paths = settings.shm;
    let memfd =
        Probe { name: "memfd", purpose: "control segments: without them there is no shared memory", outcome: memfd() };
    let proc = Probe { name: "/proc", purpose: "finding the segments of peers, and dead peers", outcome: proc_files() };
    let needed = [&memfd, &proc].into_iter().find_map(|probe| {
        let reason = probe.outcome.as_ref().err()?;
        Some(format!("{}: {reason}", probe.name))
    });
    let unless = |permitted: bool, probe: fn() -> Result<String, String>| {
        if permitted { probe() } else { Err("forbidden by GRAVEL_SHM".into()) }
    };
    let probes = vec![
        memfd,
        proc,
        Probe {
            name: "page adoption",
            purpose: "puts are plain copies into static arrays of the program",
            outcome: unless(paths.adopt, adoption),
        },
        Probe {
            name: "process_vm_writev",
            purpose: "puts into any memory, with one system call each; else they are staged",
            outcome: unless(paths.cma, cross_memory),
        },
        Probe { name: "huge pages", purpose: "arrays in huge pages are not adopted", outcome: huge_pages() },
        Probe {
            name: "processors",
            purpose: "ranks beyond their number give way while they wait",
            outcome: processors(),
        },
    ];
    ProviderReport {
        name: "shm",
        reach: "ranks of one host",
        rejected: forbidden(settings, Interconnect::Shm).or(needed),
        probes,
    }
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
    gravel::memory::program_data::check_adoptable(range).map_err(|reason| reason.to_string())?;
    // SAFETY: the pages are this program's own static data, which only this function uses.
    let pages = unsafe { AdoptedPages::adopt(range) }.map_err(|error| error.to_string())?;
    drop(pages);
    Ok("pages of static arrays can be moved into shared memory".into())
}

/// What the process that tries writes, so that it is known to have arrived.
const WRITTEN: u64 = 0x6772_6176_656c_2121;

/// Lets another process write into this one. It is this program's child: yama's first level, which lets a process write
/// into its own children only, forbids that as it forbids it between ranks.
fn cross_memory() -> Result<String, String> {
    let program = std::env::current_exe().map_err(|cause| format!("where this program lies is unknown: {cause}"))?;
    let word = Box::new(AtomicU64::new(0));
    let address = std::ptr::from_ref(&*word).expose_provenance();
    let pid = std::process::id();
    let output = Command::new(program)
        .arg(format!("--write-into={pid}:{address}"))
        .output()
        .map_err(|cause| format!("no process can be started to try it: {cause}"))?;
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
    fn what_the_tests_of_the_library_use_is_found_usable() {
        let report = shared_memory(&Settings::default());
        assert_eq!(report.rejected, None);
        let outcome = |name: &str| &report.probes.iter().find(|probe| probe.name == name).unwrap().outcome;
        assert!(outcome("memfd").is_ok());
        assert!(outcome("page adoption").is_ok());
    }

    #[test]
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
    fn settings_are_a_reason() {
        let (settings, _) = Settings::from_variables([("GRAVEL_SHM".into(), "staged".into())]).unwrap();
        let report = shared_memory(&settings);
        let unused = report.probes.iter().filter(|probe| probe.outcome == Err("forbidden by GRAVEL_SHM".into()));
        assert_eq!(unused.count(), 2);
        assert_eq!(report.rejected, None, "staging always works");
        let (settings, _) = Settings::from_variables([("GRAVEL_PROVIDER".into(), "tcp".into())]).unwrap();
        assert_eq!(forbidden(&settings, Interconnect::Shm).unwrap(), "GRAVEL_PROVIDER=tcp does not name it");
        assert_eq!(forbidden(&settings, Interconnect::Tcp), None);
    }
}
