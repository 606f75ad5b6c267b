//! One file per job out of what every rank has to say: gathered through MPI and written by rank 0, because the ranks may
//! have no file system in common.

use std::fs;
use std::io;
use std::path::Path;

use super::outputs::own;
use crate::error::Result;
use crate::host::Host;
use crate::sys::log;

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

/// Writes the texts of all ranks into one file. Collective. Says on every rank whether that has succeeded.
pub(super) fn write_together(host: &dyn Host, path: &Path, frame: Frame, text: &[u8]) -> Result<bool> {
    let texts = gather(host, text)?;
    let written = host.rank() != 0 || report(path, fs::write(path, frame.around(&texts)));
    Ok(host.all_gather(&[u8::from(written)])?.first() == Some(&1))
}

/// Writes the text of this rank alone: `FILE.RANK`.
pub(super) fn write_alone(rank: crate::Rank, path: &Path, frame: Frame, text: &[u8]) {
    let own = own(path, rank);
    report(&own, fs::write(&own, frame.around(&[text.to_vec()])));
}

/// That a file of the tools cannot be written is no reason for the program to fail.
fn report(path: &Path, result: io::Result<()>) -> bool {
    match &result {
        Ok(()) => log::info!("wrote {}", path.display()),
        Err(cause) => log::error!("{} cannot be written: {cause}", path.display()),
    }
    result.is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;
    use std::sync::{Arc, Barrier, Mutex};

    /// One rank of a job whose ranks are threads.
    #[derive(Clone)]
    struct Thread {
        rank: Rank,
        given: Arc<Mutex<Vec<Vec<u8>>>>,
        meeting: Arc<Barrier>,
    }

    impl Host for Thread {
        fn rank(&self) -> Rank {
            self.rank
        }

        fn size(&self) -> Rank {
            self.given.lock().unwrap().len()
        }

        fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            self.given.lock().unwrap()[self.rank] = mine.to_vec();
            self.meeting.wait();
            let all = self.given.lock().unwrap().concat();
            self.meeting.wait();
            Ok(all)
        }

        fn progress(&self) {}

        fn begin_barrier(&self) -> Result<()> {
            Ok(())
        }

        fn test_barrier(&self) -> Result<bool> {
            Ok(true)
        }
    }

    #[test]
    fn texts_of_any_length_meet_in_the_order_of_their_ranks() {
        const FRAME: Frame = Frame { before: "<", between: "|", after: ">" };
        let texts = ["a".repeat(10), String::new(), "b".repeat(3 * CHUNK + 5), "c".repeat(CHUNK)];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all");
        let given = Arc::new(Mutex::new(vec![Vec::new(); texts.len()]));
        let meeting = Arc::new(Barrier::new(texts.len()));
        std::thread::scope(|scope| {
            for (rank, text) in texts.iter().enumerate() {
                let host = Thread { rank, given: Arc::clone(&given), meeting: Arc::clone(&meeting) };
                let path = &path;
                scope.spawn(move || assert!(write_together(&host, path, FRAME, text.as_bytes()).unwrap()));
            }
        });
        assert!(fs::read_to_string(&path).unwrap() == format!("<{}>", texts.join("|")));
    }

    #[test]
    fn a_rank_alone_writes_a_whole_file_of_its_own() {
        const FRAME: Frame = Frame { before: "<", between: "|", after: ">" };
        let folder = tempfile::tempdir().unwrap();
        write_alone(7, &folder.path().join("all.json"), FRAME, b"text");
        assert_eq!(fs::read_to_string(folder.path().join("all.json.7")).unwrap(), "<text>");
    }
}
