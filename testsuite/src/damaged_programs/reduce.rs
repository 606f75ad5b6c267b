//! Makes a program with which gravelc is in trouble smaller: files, lines and bytes go as long as the trouble stays.

use std::time::{Duration, Instant};

use super::corpus::Program;
use super::damage::lines;

/// The smallest program found within the time of which this is still true.
pub fn reduced(program: &Program, limit: Duration, is_in_trouble: &mut dyn FnMut(&Program) -> bool) -> Program {
    let end = Instant::now() + limit;
    let mut best = program.clone();
    let mut index = 0;
    while best.files.len() > 1 && index < best.files.len() {
        let mut smaller = best.clone();
        smaller.files.remove(index);
        if Instant::now() < end && is_in_trouble(&smaller) {
            best = smaller;
        } else {
            index += 1;
        }
    }
    for file in 0..best.files.len() {
        for split in [by_lines as fn(&[u8]) -> Vec<Vec<u8>>, by_bytes] {
            let parts = split(&best.files[file].1);
            let mut fails = |parts: &[Vec<u8>]| {
                let mut smaller = best.clone();
                smaller.files[file].1 = parts.concat();
                is_in_trouble(&smaller)
            };
            let parts = without_needless(parts, end, &mut fails);
            best.files[file].1 = parts.concat();
        }
    }
    best
}

fn by_lines(text: &[u8]) -> Vec<Vec<u8>> {
    lines(text).into_iter().map(|line| text[line].to_vec()).collect()
}

fn by_bytes(text: &[u8]) -> Vec<Vec<u8>> {
    text.iter().map(|&byte| vec![byte]).collect()
}

/// Leaves out groups of parts, large ones first, as long as it still fails.
fn without_needless(mut parts: Vec<Vec<u8>>, end: Instant, fails: &mut dyn FnMut(&[Vec<u8>]) -> bool) -> Vec<Vec<u8>> {
    let mut group = parts.len().div_ceil(2);
    while group > 0 {
        let mut start = 0;
        while start < parts.len() {
            if Instant::now() >= end {
                return parts;
            }
            let mut fewer = parts.clone();
            fewer.drain(start..(start + group).min(parts.len()));
            if fails(&fewer) {
                parts = fewer;
            } else {
                start += group;
            }
        }
        group /= 2;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_stays_and_nothing_else() {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let program = Program {
            name: "p".to_owned(),
            files: vec![file("a", "nothing\n"), file("b", "one\ntwo (((\nthree\nfour ]\n"), file("c", "")],
        };
        let mut is_in_trouble = |program: &Program| {
            let text = program.files.iter().flat_map(|(_, text)| text.clone()).collect::<Vec<_>>();
            text.contains(&b'(') && text.contains(&b']')
        };
        let small = reduced(&program, Duration::from_secs(60), &mut is_in_trouble);
        assert_eq!(small.files, vec![file("b", "(]")]);
    }

    #[test]
    fn without_time_it_stays_as_it_is() {
        let program = Program { name: "p".to_owned(), files: vec![("a".to_owned(), b"x\ny\n".to_vec())] };
        assert_eq!(reduced(&program, Duration::ZERO, &mut |_| true), program);
    }
}
