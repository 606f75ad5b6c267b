//! One file per job out of what every rank has to say: gathered through MPI and written by rank 0, because the ranks may
//! have no file system in common.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::host::Host;
use crate::log;

/// Bytes that every rank gives in one exchange.
const CHUNK: usize = 64 * 1024;

/// How the texts of all ranks make a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) before: &'static str,
    pub(super) between: &'static str,
    pub(super) after: &'static str,
}

impl Frame {
    fn around(self, texts: &[Vec<u8>]) -> Vec<u8> {
        [self.before.as_bytes(), &texts.join(self.between.as_bytes()), self.after.as_bytes()].concat()
    }
}

/// Writes the texts of all ranks into one file. Collective.
pub(super) fn write_together(host: &dyn Host, path: &Path, frame: Frame, text: &str) -> Result<()> {
    let texts = gather(host, text.as_bytes())?;
    if host.rank() == 0 {
        report(path, fs::write(path, frame.around(&texts)));
    }
    Ok(())
}

/// Writes the text of this rank alone: `FILE.RANK`.
pub(super) fn write_alone(rank: crate::Rank, path: &Path, frame: Frame, text: &str) {
    let mut own = path.as_os_str().to_owned();
    own.push(format!(".{rank}"));
    let own = PathBuf::from(own);
    report(&own, fs::write(&own, frame.around(&[text.as_bytes().to_vec()])));
}

/// That a file of the tools cannot be written is no reason for the program to fail.
fn report(path: &Path, result: io::Result<()>) {
    match result {
        Ok(()) => log::info!("wrote {}", path.display()),
        Err(cause) => log::error!("{} cannot be written: {cause}", path.display()),
    }
}

/// The texts of all ranks on rank 0; other ranks get nothing. Collective.
fn gather(host: &dyn Host, text: &[u8]) -> Result<Vec<Vec<u8>>> {
    let lengths = host.all_gather(&(text.len() as u64).to_le_bytes())?;
    let lengths: Vec<usize> =
        lengths.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes) as usize).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut texts = vec![Vec::new(); lengths.len()];
    let mut done = 0;
    while done < longest {
        let chunk = CHUNK.min(longest - done);
        let mut mine = text.get(done..).unwrap_or(&[]).to_vec();
        mine.resize(chunk, 0);
        let all = host.all_gather(&mine)?;
        if host.rank() == 0 {
            for ((text, &length), piece) in texts.iter_mut().zip(&lengths).zip(all.chunks_exact(chunk)) {
                text.extend_from_slice(&piece[..chunk.min(length.saturating_sub(done))]);
            }
        }
        done += chunk;
    }
    Ok(texts)
}
