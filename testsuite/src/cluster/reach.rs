//! How programs get onto hosts: the stand-in for `ssh`, and the options of both MPIs.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::address::{self, NETWORK};
use super::host::Host;
use super::network::{BRIDGE, INTERFACE};
use crate::command::CommandLine;
use crate::mpi_flavour::MpiFlavour;

/// Writes the program that launchers call as `PROGRAM [OPTION...] ADDRESS COMMAND...`, and that runs the command on the
/// host with this address.
pub fn write_remote_shell(folder: &Path, hosts: &[Host]) -> Result<PathBuf, String> {
    let mut text = "#!/bin/sh\n\
        # Runs a command on a host of this cluster, as ssh would.\n\
        while [ \"${1#-}\" != \"$1\" ]; do shift; done\n\
        address=$1\n\
        shift\n\
        case $address in\n"
        .to_owned();
    for (index, host) in hosts.iter().enumerate() {
        let entering = host.entering().join(" ");
        // Writing to a String can't fail.
        let _ = writeln!(text, "{}) exec {entering} --wd=\"$PWD\" -- sh -c \"$*\" ;;", address::of_host(index + 1));
    }
    text.push_str("*) echo \"no host has the address $address\" >&2; exit 1 ;;\nesac\n");
    let path = folder.join("remote-shell");
    let failed = |error| format!("cannot write {}: {error}", path.display());
    fs::write(&path, text).map_err(failed)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    Ok(path)
}

/// The command that runs a program, to be added, on the hosts with these addresses.
///
/// Variables of the environment reach the ranks because every process on the way hands them on.
pub fn launch(
    front: &Host,
    remote_shell: &Path,
    addresses: impl Iterator<Item = String>,
    mpi: MpiFlavour,
    ranks_per_host: usize,
) -> CommandLine {
    let places: Vec<String> = addresses.map(|address| format!("{address}:{ranks_per_host}")).collect();
    let ranks = (places.len() * ranks_per_host).to_string();
    let launcher = front.enter(mpi.launcher());
    match mpi {
        MpiFlavour::OpenMpi => launcher
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .args(["--mca", "plm_rsh_agent"])
            .arg(remote_shell)
            // Its daemons would leave the session that is ended with the run.
            .arg("--leave-session-attached")
            // Every host takes the machine's first processor for its own.
            .args(["--bind-to", "none", "--oversubscribe"])
            .args(["--mca", "btl", "tcp,vader,self", "--mca", "btl_tcp_if_include", NETWORK])
            .args(["--mca", "oob_tcp_if_include", NETWORK, "--host", &places.join(","), "-n", &ranks]),
        MpiFlavour::Mpich => launcher
            .args(["-launcher", "ssh", "-launcher-exec"])
            .arg(remote_shell)
            .args(["-iface", BRIDGE, "-hosts", &places.join(",")])
            .args(["-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES", INTERFACE, "-n", &ranks]),
    }
}
