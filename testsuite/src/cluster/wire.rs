//! What a message takes on the wire, without any library in between.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::address;
use super::host::Host;

/// The median of the seconds that so many bytes take from the second host to the first, and an answer back.
pub fn seconds_per_message(hosts: [&Host; 2], bytes: usize, times: usize) -> io::Result<f64> {
    let [receiver, sender] = hosts.map(Host::first_process);
    let (told, port) = mpsc::channel();
    thread::scope(|scope| {
        let receiving = scope.spawn(move || {
            enter_network(receiver)?;
            let listener = TcpListener::bind((address::of_host(1), 0))?;
            // Nobody listens any more where the sender has failed, which is the error that is reported.
            let _ = told.send(listener.local_addr()?.port());
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            let mut message = vec![0; bytes];
            for _ in 0..times {
                stream.read_exact(&mut message)?;
                stream.write_all(&[1])?;
            }
            Ok(())
        });
        let sending = scope.spawn(move || {
            enter_network(sender)?;
            let port = port.recv().map_err(|_| io::Error::other("the receiver does not listen"))?;
            let mut stream = TcpStream::connect((address::of_host(1), port))?;
            stream.set_nodelay(true)?;
            let message = vec![1; bytes];
            let mut seconds = Vec::new();
            for _ in 0..times {
                let start = Instant::now();
                stream.write_all(&message)?;
                stream.read_exact(&mut [0])?;
                seconds.push(start.elapsed().as_secs_f64());
            }
            seconds.sort_by(f64::total_cmp);
            seconds.get(times / 2).copied().ok_or_else(|| io::Error::other("nothing was sent"))
        });
        let panicked = || io::Error::other("a thread panicked");
        let sent = sending.join().map_err(|_| panicked())?;
        receiving.join().map_err(|_| panicked())?.and(sent)
    })
}

/// Moves the calling thread, and nothing else, into the network of a host.
fn enter_network(first_process: u32) -> io::Result<()> {
    let network = File::open(format!("/proc/{first_process}/ns/net"))?;
    // SAFETY: the descriptor is open; only the calling thread's network changes, and no memory.
    match unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
