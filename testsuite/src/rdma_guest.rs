//! A machine with an RDMA device, made of this one: Debian's kernel in an emulator, with this machine's files read-only
//! and a software RDMA device (Soft-RoCE).
//!
//! The kernel's code for verbs is the real one, and so are libibverbs and its driver; only the wire is not. Nothing is
//! changed on this machine: the guest writes to memory and to one folder that it shares. It is emulated instruction by
//! instruction, so programs run about ten times slower there, and times mean little.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::CommandLine;
use crate::process;
use crate::setup::{self, succeed};
use crate::workspace;

/// Processors and memory of the guest.
const PROCESSORS: &str = "2";
const MEMORY: &str = "4G";
/// What starting and ending takes beside the commands, on a busy machine.
const STARTING: Duration = Duration::from_secs(90);
/// Where the guest sees the folder that it shares.
pub const SHARED_IN_GUEST: &str = "/mnt/share";
/// How long preparing may take: a kernel of 70 MB is fetched once.
const PREPARING: Duration = Duration::from_secs(300);

/// What the kernel is told.
const KERNEL_OPTIONS: &str = "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nokaslr random.trust_cpu=on";
/// The emulated processors show this machine's time stamp counter, so they agree. The kernel does not know that: it finds
/// them unsynchronised and takes the HPET, and each look at the clock is a system call and an access to an emulated device,
/// ten times as long.
const KERNEL_CLOCK: &str = "clocksource=tsc tsc=reliable";

/// Programs that make and run the guest, and those that it needs inside, with the Debian packages that hold them.
const PROGRAMS: [(&str, &str); 8] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("busybox", "busybox-static"),
    ("depmod", "kmod"),
    ("cpio", "cpio"),
    ("gzip", "gzip"),
    ("ip", "iproute2"),
    ("rdma", "iproute2"),
    ("ibv_devinfo", "ibverbs-utils"),
];
/// Drivers of libibverbs: no program, so they are asked for with the others.
const DRIVERS: &str = "ibverbs-providers";
/// What the guest needs before it has its files, with everything that these depend on.
const FIRST_MODULES: [&str; 4] = ["virtio_pci", "9pnet_virtio", "9p", "overlay"];

/// A guest that is ready to be started.
#[derive(Debug, Clone)]
pub struct RdmaGuest {
    folder: PathBuf,
}

/// What the commands in the guest have left.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The exit code of the last one; none if they did not come to an end.
    pub status: Option<i32>,
    /// What they have written.
    pub output: String,
}

/// Whether this machine has an RDMA device itself: then no guest is needed.
pub fn has_device() -> bool {
    fs::read_dir("/sys/class/infiniband").is_ok_and(|mut devices| devices.next().is_some())
}

impl RdmaGuest {
    /// Makes everything that a guest needs, in a folder that is kept; installs missing packages.
    ///
    /// # Errors
    ///
    /// Why there can be no guest on this machine.
    pub fn prepare(folder: &Path) -> Result<Self, String> {
        install()?;
        let guest = Self { folder: folder.to_owned() };
        if guest.initial_files().exists() && guest.kernel().exists() {
            return Ok(guest);
        }
        make_folder(folder)?;
        let kernel = guest.fetch_kernel()?;
        guest.pack_initial_files(&kernel)?;
        Ok(guest)
    }

    /// Runs shell commands in the guest, in a folder of this machine.
    ///
    /// # Errors
    ///
    /// If the emulator can't be started.
    pub fn run(&self, commands: &str, limit: Duration) -> Result<Outcome, String> {
        let share = self.shared();
        // What an earlier run has left.
        let _ = fs::remove_dir_all(&share);
        make_folder(&share)?;
        let here = workspace::root().display();
        write(&share.join("commands"), &format!("cd '{here}' || exit 1\n{commands}\n"))?;
        write(&share.join("second"), include_str!("../guest/second"))?;
        write(&share.join("modules"), &self.modules_folder().to_string_lossy())?;
        let virtfs = |path: &Path, tag: &str, more: &str| {
            format!("local,path={},mount_tag={tag},security_model=none{more}", path.display())
        };
        let command = CommandLine::new("nice")
            .args(["-n", "19", "qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max"])
            .args(["-smp", PROCESSORS, "-m", MEMORY, "-nodefaults", "-no-user-config", "-display", "none"])
            .args(["-serial", "stdio", "-no-reboot", "-kernel"])
            .arg(self.kernel())
            .arg("-initrd")
            .arg(self.initial_files())
            .args(["-append", &format!("{KERNEL_OPTIONS} {KERNEL_CLOCK}")])
            .args(["-virtfs".to_owned(), virtfs(Path::new("/"), "host", ",readonly=on,multidevs=remap")])
            .args(["-virtfs".to_owned(), virtfs(&share, "share", "")]);
        let finished = process::run(&command, limit + STARTING).map_err(|error| error.to_string())?;
        let read = |name: &str| fs::read_to_string(share.join(name)).unwrap_or_default();
        let status = read("status").trim().parse().ok();
        let mut output = read("output");
        if status.is_none() {
            output.push_str(&format!(
                "\nthe guest has not come to its end: {}\n{}\n{}",
                finished.ending,
                finished.stdout_text(),
                finished.stderr_excerpt()
            ));
        }
        Ok(Outcome { status, output })
    }

    /// The folder that it shares, which is [`SHARED_IN_GUEST`] there: what the last commands have left.
    #[must_use]
    pub fn shared(&self) -> PathBuf {
        self.folder.join("share")
    }

    fn kernel(&self) -> PathBuf {
        self.folder.join("kernel")
    }

    fn initial_files(&self) -> PathBuf {
        self.folder.join("initial-files")
    }

    fn unpacked(&self) -> PathBuf {
        self.folder.join("package")
    }

    fn modules_folder(&self) -> PathBuf {
        self.unpacked().join("lib/modules")
    }

    /// Fetches Debian's kernel without installing it; gives its version.
    fn fetch_kernel(&self) -> Result<String, String> {
        let depends = CommandLine::new("apt-cache").args(["depends", "linux-image-amd64"]);
        let depends = succeed(&depends, PREPARING)?.stdout_text();
        let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
        let package = package.ok_or("apt knows no package linux-image-amd64: this is no Debian on x86-64")?;
        succeed(&CommandLine::new("apt-get").args(["download", package]).in_folder(&self.folder), PREPARING)?;
        let is_package = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "deb");
        let file = list(&self.folder)?.into_iter().find(is_package).ok_or("apt-get download has left no package")?;
        let _ = fs::remove_dir_all(self.unpacked());
        succeed(&CommandLine::new("dpkg").arg("-x").arg(&file).arg(self.unpacked()), PREPARING)?;
        fs::remove_file(&file).map_err(|error| format!("cannot remove {}: {error}", file.display()))?;
        let versions = list(&self.modules_folder())?;
        let version = versions.first().and_then(|path| path.file_name()).ok_or("the kernel has no modules")?;
        let version = version.to_string_lossy().into_owned();
        succeed(&CommandLine::new("depmod").arg("-b").arg(self.unpacked()).arg(&version), PREPARING)?;
        let image = self.unpacked().join("boot").join(format!("vmlinuz-{version}"));
        copy(&image, &self.kernel())?;
        Ok(version)
    }

    /// Packs what the guest has before it sees this machine's files.
    fn pack_initial_files(&self, version: &str) -> Result<(), String> {
        let root = self.folder.join("initial");
        let _ = fs::remove_dir_all(&root);
        for folder in ["bin", "proc", "sys", "dev", "root", "lower", "upper", "modules"] {
            make_folder(&root.join(folder))?;
        }
        let busybox = CommandLine::new("sh").args(["-c", "command -v busybox"]);
        let busybox = succeed(&busybox, PREPARING)?.stdout_text();
        copy(Path::new(busybox.trim()), &root.join("bin/busybox"))?;
        write(&root.join("init"), include_str!("../guest/init"))?;
        let mut order: Vec<String> = Vec::new();
        for module in FIRST_MODULES {
            let needed = CommandLine::new("modprobe")
                .args(["-S", version, "-d"])
                .arg(self.unpacked())
                .args(["--show-depends", module]);
            for line in succeed(&needed, PREPARING)?.stdout_text().lines() {
                let Some(path) = line.strip_prefix("insmod ") else { continue };
                let path = Path::new(path.trim());
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if !order.contains(&name) {
                    copy(path, &root.join("modules").join(&name))?;
                    order.push(name);
                }
            }
        }
        write(&root.join("modules/order"), &order.join("\n"))?;
        let pack = format!(
            "chmod +x init && find . | cpio -o -H newc --quiet | gzip -1 > '{}'",
            self.initial_files().display()
        );
        succeed(&CommandLine::new("sh").args(["-c", pack.as_str()]).in_folder(&root), PREPARING).map(drop)
    }
}

/// Installs what is missing.
fn install() -> Result<(), String> {
    if std::env::consts::ARCH != "x86_64" {
        return Err("the guest is made for x86-64".into());
    }
    let mut packages: Vec<&str> =
        PROGRAMS.iter().filter(|(program, _)| !setup::is_installed(program)).map(|&(_, package)| package).collect();
    if packages.is_empty() {
        return Ok(());
    }
    packages.push(DRIVERS);
    packages.dedup();
    setup::install_packages(&packages)
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let explain = |error: io::Error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    fs::copy(from, to).map(drop).map_err(explain)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}
