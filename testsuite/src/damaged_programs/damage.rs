//! What is done to a program: bytes, words, lines and whole files are changed, lost, doubled, moved and mixed with others.

use std::ops::Range;

use fastrand::Rng;

use super::corpus::Program;

/// Damages of one file, at most.
const MOST_DAMAGES: usize = 8;
/// Of one file in so many nothing is left.
const NOTHING_LEFT: u32 = 40;
/// Bytes of a file of which nothing is left, at most.
const MOST_NOISE: usize = 4_000;
/// How deep something is nested.
const DEPTHS: [usize; 4] = [3, 30, 300, 3_000];
/// What is nested.
const NESTED: &[u8] = b"()['\"-";
/// Bytes that mean something.
const MARKS: &[u8] = b"()&;'\"!%=,:\n*#/+-<>[]. \t1ae_\0\xff\r";
/// Words that mean something, and numbers that are too large, or nothing.
const WORDS: [&str; 64] = [
    "do",
    "end do",
    "enddo",
    "if (",
    "then",
    "else",
    "end if",
    "endif",
    "end",
    "call",
    "use",
    "contains",
    "program",
    "module",
    "subroutine",
    "function",
    "interface",
    "block",
    "end block",
    "associate (",
    "select case (",
    "case default",
    "where (",
    "forall (",
    "common /b/",
    "equivalence (",
    "data",
    "parameter (",
    "entry",
    "goto",
    "continue",
    "return",
    "stop",
    "exit",
    "cycle",
    "result (",
    "only :",
    "=>",
    "intent(in)",
    "allocatable ::",
    "type ::",
    "class(",
    "procedure(",
    "!$omp parallel",
    "!$gravel",
    "!$acc",
    "#if 1",
    "#endif",
    "#define x(",
    "include 'x'",
    "include 'mpif.h'",
    "mpi_isend",
    "mpi_wait",
    "mpi_irecv",
    "mpi_status_ignore",
    "2147483648",
    "-9223372036854775808",
    "99999999999999999999",
    "1e400",
    "0",
    "%",
    "::",
    "&\n&",
    "\n10 ",
];

/// The program of this number.
pub fn damaged(seed: u64, corpus: &[Program]) -> Program {
    let mut rng = Rng::with_seed(seed);
    let mut program = corpus[rng.usize(..corpus.len())].clone();
    let others = &corpus[rng.usize(..corpus.len())].files;
    let other = &others[rng.usize(..others.len())].1;
    if program.files.len() > 1 {
        rng.shuffle(&mut program.files);
        if rng.u32(..4) == 0 {
            let some = 1 + rng.usize(..program.files.len());
            program.files.truncate(some);
        }
    }
    let first = rng.usize(..program.files.len());
    for (index, (_, text)) in program.files.iter_mut().enumerate() {
        if index == first || rng.u32(..8) == 0 {
            damage_file(&mut rng, text, other);
        }
    }
    program
}

fn damage_file(rng: &mut Rng, text: &mut Vec<u8>, other: &[u8]) {
    if rng.u32(..NOTHING_LEFT) == 0 {
        *text = noise(rng);
        return;
    }
    // Mostly few: what is left should be read.
    let damages = 1 + rng.usize(..MOST_DAMAGES).min(rng.usize(..MOST_DAMAGES));
    for _ in 0..damages {
        match rng.u32(..7) {
            0 | 1 => damage_bytes(rng, text),
            2 | 3 => damage_words(rng, text),
            4 | 5 => damage_lines(rng, text, other),
            _ => damage_line_ends(rng, text),
        }
    }
}

/// Bytes of any kind, or words in any order.
fn noise(rng: &mut Rng) -> Vec<u8> {
    let length = rng.usize(..MOST_NOISE);
    if rng.bool() {
        return (0..length).map(|_| rng.u8(..)).collect();
    }
    let mut text = Vec::new();
    while text.len() < length {
        text.extend(WORDS[rng.usize(..WORDS.len())].bytes());
        text.push(if rng.u32(..5) == 0 { b'\n' } else { b' ' });
    }
    text
}

fn damage_bytes(rng: &mut Rng, text: &mut Vec<u8>) {
    let part = some_part(rng, text.len(), 60);
    match rng.u32(..6) {
        0 => drop(text.drain(part)),
        1 => {
            let copy = text[part.clone()].to_vec();
            insert(text, part.end, &copy);
        }
        2 => text.truncate(part.start),
        3 => {
            let byte = some_byte(rng);
            insert(text, part.start, &[byte]);
        }
        4 => {
            // Nested deeply, and not closed, or closed too often.
            let depth = DEPTHS[rng.usize(..DEPTHS.len())];
            let mark = NESTED[rng.usize(..NESTED.len())];
            insert(text, part.start, &vec![mark; depth]);
        }
        _ => {
            let byte = some_byte(rng);
            if let Some(place) = text.get_mut(part.start) {
                *place = byte;
            }
        }
    }
}

fn some_byte(rng: &mut Rng) -> u8 {
    if rng.bool() { rng.u8(..) } else { MARKS[rng.usize(..MARKS.len())] }
}

fn damage_words(rng: &mut Rng, text: &mut Vec<u8>) {
    let words = words(text);
    if words.is_empty() {
        return;
    }
    let word = words[rng.usize(..words.len())].clone();
    let replacement = match rng.u32(..4) {
        0 => Vec::new(),
        1 => WORDS[rng.usize(..WORDS.len())].as_bytes().to_vec(),
        _ => text[words[rng.usize(..words.len())].clone()].to_vec(),
    };
    if rng.u32(..4) == 0 {
        // Everywhere: a name that is declared, and another one that is too.
        let old = text[word].to_vec();
        let places: Vec<Range<usize>> = words.into_iter().filter(|place| text[place.clone()] == old).collect();
        for place in places.into_iter().rev() {
            text.splice(place, replacement.iter().copied());
        }
    } else {
        text.splice(word, replacement);
    }
}

fn damage_lines(rng: &mut Rng, text: &mut Vec<u8>, other: &[u8]) {
    let lines = lines(text);
    let first = rng.usize(..lines.len());
    let last = (first + rng.usize(..4)).min(lines.len() - 1);
    let part = lines[first].start..lines[last].end;
    let place = lines[rng.usize(..lines.len())].start;
    match rng.u32(..5) {
        0 => drop(text.drain(part)),
        1 => {
            let copy = text[part].to_vec();
            insert(text, place, &copy);
        }
        2 => {
            let moved: Vec<u8> = text.drain(part).collect();
            insert(text, place.min(text.len()), &moved);
        }
        3 => {
            let foreign = self::lines(other);
            let first = rng.usize(..foreign.len());
            let last = (first + rng.usize(..6)).min(foreign.len() - 1);
            insert(text, place, &other[foreign[first].start..foreign[last].end]);
        }
        _ => {
            // Joined to one line, as long as those that programs write.
            let end = lines[(first + rng.usize(..200)).min(lines.len() - 1)].end;
            for byte in &mut text[lines[first].start..end] {
                if *byte == b'\n' {
                    *byte = b';';
                }
            }
        }
    }
}

/// The program with more lines joined and more comments of C: what the preprocessor sees otherwise than the compiler.
pub fn spliced(seed: u64, program: &Program) -> Program {
    let mut rng = Rng::with_seed(seed);
    let mut program = program.clone();
    for (_, text) in &mut program.files {
        for _ in 0..1 + rng.usize(..6) {
            damage_line_ends(&mut rng, text);
        }
        if rng.u32(..8) == 0 {
            *text = lines(text).into_iter().flat_map(|line| [text[line].trim_ascii_end(), b"\r\n"].concat()).collect();
        }
    }
    program
}

/// Backslashes at the ends of lines, comments of C that begin and end anywhere, directives.
fn damage_line_ends(rng: &mut Rng, text: &mut Vec<u8>) {
    const BEHIND: [&[u8]; 8] = [b"\\", b" \\", b"! a \\", b" \\ \t", b"! b\\\\", b" ! c's \\", b"\\\n", b"\\\n\\"];
    const WITHIN: [&[u8]; 10] =
        [b"/*", b"*/", b"! d /* e\n", b"! */\n", b"/* f\n g */", b"/**/", b"'", b"\\\n", b"/\\\n*", b"/*/"];
    const LINES: [&[u8]; 10] = [
        b"#define f(x) x\n! f(",
        b"#define n 3\n",
        b"#define i\n",
        b"#if 0\n",
        b"#ifdef n /* h\n*/\n",
        b"#else\n",
        b"#endif\n",
        b"#if defined(n) && \\\n n > 2\n",
        b"#undef n\n",
        b"#error it's /* i\n",
    ];
    let lines = lines(text);
    let line = lines[rng.usize(..lines.len())].clone();
    match rng.u32(..8) {
        0..=3 => {
            let content = text[line.clone()].trim_ascii_end().len();
            insert(text, line.start + content, BEHIND[rng.usize(..BEHIND.len())]);
        }
        4..=6 => {
            let place = some_part(rng, text.len(), 0).start;
            insert(text, place, WITHIN[rng.usize(..WITHIN.len())]);
        }
        _ => insert(text, line.start, LINES[rng.usize(..LINES.len())]),
    }
}

fn insert(text: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let at = at.min(text.len());
    text.splice(at..at, bytes.iter().copied());
}

/// Up to so many bytes; none of an empty text.
fn some_part(rng: &mut Rng, length: usize, most: usize) -> Range<usize> {
    let start = rng.usize(..=length);
    start..(start + rng.usize(..=most)).min(length)
}

/// Names and numbers.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut words = Vec::new();
    let mut start = None;
    for (at, &byte) in text.iter().chain(b" ").enumerate() {
        match (start, is_part(byte)) {
            (None, true) => start = Some(at),
            (Some(first), false) => {
                words.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The lines with their ends; an empty text has an empty one.
pub fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        lines.push(start..start + line.len());
        start += line.len();
    }
    if lines.is_empty() {
        lines.push(0..0);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Vec<Program> {
        let program = |name: &str, texts: &[&str]| Program {
            name: name.to_owned(),
            files: texts.iter().enumerate().map(|(k, text)| (format!("{k}.f90"), text.as_bytes().to_vec())).collect(),
        };
        vec![program("one", &["program p\n  x = 1\nend program p\n"]), program("two", &["a\n", "b c\n", ""])]
    }

    #[test]
    fn a_seed_is_always_the_same_program() {
        let corpus = corpus();
        for seed in 0..200 {
            assert_eq!(damaged(seed, &corpus), damaged(seed, &corpus));
        }
    }

    #[test]
    fn nearly_every_program_is_damaged_and_all_in_other_ways() {
        let corpus = corpus();
        let all: Vec<Program> = (0..400).map(|seed| damaged(seed, &corpus)).collect();
        let unchanged = all.iter().filter(|program| corpus.contains(program)).count();
        assert!(unchanged < 40, "{unchanged} of 400 are as they were");
        let mut texts: Vec<_> = all.iter().map(|program| &program.files).collect();
        texts.sort();
        texts.dedup();
        assert!(texts.len() > 300, "{} different ones of 400", texts.len());
    }

    #[test]
    fn words_and_lines_cover_what_they_should() {
        assert_eq!(words(b"ab = c_1+(2"), vec![0..2, 5..8, 10..11]);
        assert_eq!(lines(b"a\n\nbc"), vec![0..2, 2..3, 3..5]);
        assert_eq!(lines(b""), vec![0..0]);
    }
}
