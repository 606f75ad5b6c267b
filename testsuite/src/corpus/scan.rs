//! Calls of MPI as a plain look at the text finds them, without reading it as a compiler does.

use std::path::Path;

use gravelc::mpi::routines::{Action, find, is_known};

/// Is it the name of a routine whose calls gravelc has to account for: that sends, receives, or has to do with requests?
pub fn is_site(name: &str) -> bool {
    is_known(name)
        && matches!(
            find(name).action,
            Action::Send(_)
                | Action::Receive
                | Action::Replace
                | Action::SendReceive
                | Action::AllToAll
                | Action::AllToAllInBlocks
                | Action::PrepareSend(_)
                | Action::PrepareReceive
                | Action::Start
                | Action::Release
                | Action::Wait
                | Action::WaitAll
                | Action::Complete(_)
                | Action::Probe
                | Action::ReceiveMatched
                | Action::Cancel
                | Action::Look
        )
}

/// How many such calls are in the text of the file at `path`, whatever conditions stand around them.
pub fn sites_in(path: &Path, text: &[u8]) -> usize {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let may_be_fixed = matches!(ending.as_str(), "f" | "for" | "f77" | "ftn" | "fpp");
    let lines = text.lines().filter(|line| !(may_be_fixed && line.starts_with(['c', '*', 'd', '!'])));
    lines.map(|line| calls_in(without_comment(line))).sum()
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (place, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '!') => return &line[..place],
            _ => {}
        }
    }
    line
}

fn calls_in(line: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut calls = 0;
    for (place, _) in line.match_indices("mpi_") {
        let before = line[..place].trim_end();
        let is_called =
            before.len() < place && before.ends_with("call") && !before[..before.len() - 4].ends_with(is_name);
        let end = line[place..].find(|c| !is_name(c)).map_or(line.len(), |length| place + length);
        calls += usize::from(is_called && is_site(&line[place..end]));
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_where_they_stand() {
        let text = b"  CALL MPI_Send(a, n)\n  if (x) call mpi_recv(b) ! call mpi_recv(c)\n\
            ! call mpi_wait(r)\n  print *, '! ', x; call  mpi_wait(r)\n  call mpi_barrier(c)\n\
            #ifdef X\n  call mpi_sendx(a)\n  recall mpi_send(a)\n  call mpi_alltoall &\n#endif\n";
        assert_eq!(sites_in(Path::new("a.F90"), text), 4);
        let fixed = b"c     call mpi_send(a)\n      call mpi_send(a,\n     &  b)\n* call mpi_recv\n";
        assert_eq!(sites_in(Path::new("a.f"), fixed), 1);
    }
}
