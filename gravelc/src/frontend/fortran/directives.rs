//! Comments that mean something to a compiler.

/// What kind of directive `comment` (from its exclamation mark on) is, in words; `None` for an ordinary comment and for
/// gravelc's own directives.
pub(super) fn directive(comment: &[u8]) -> Option<&'static str> {
    let rest = comment.strip_prefix(b"!")?;
    let word_end = rest.iter().skip(1).position(|byte| !byte.is_ascii_alphanumeric()).map_or(rest.len(), |end| end + 1);
    let word = String::from_utf8_lossy(&rest[..word_end.min(rest.len())]).to_ascii_lowercase();
    match word.as_str() {
        "$omp" | "$ompx" | "$omx" => Some("OpenMP directive"),
        "$acc" => Some("OpenACC directive"),
        "$cuf" | "$hpf" | "$xmp" | "$par" | "$dir" | "$ocl" => Some("parallel directive"),
        "dir$" | "dec$" | "gcc$" | "pgi$" | "ibm$" | "nec$" | "cdir$" => Some("compiler directive"),
        // `!$ call f(x)` is compiled under OpenMP.
        "$" if rest.get(1).is_some_and(|byte| *byte == b' ' || *byte == b'\t') => {
            let content = rest[1..].iter().find(|byte| !byte.is_ascii_whitespace());
            content.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'&').then_some("line for OpenMP only")
        }
        _ => {
            let vendor = ["dir$", "dec$", "gcc$", "pgi$", "ibm*", "ibmp", "nec$", "cdir$", "ocl ", "$omp", "$acc"];
            let start: Vec<u8> = rest.iter().take(5).map(u8::to_ascii_lowercase).collect();
            vendor.iter().any(|prefix| start.starts_with(prefix.as_bytes())).then_some("compiler directive")
        }
    }
}

/// Does what [`directive`] says mean that the comment is one for compilers with OpenMP only?
pub(super) fn is_openmp(what: &str) -> bool {
    what.contains("OpenMP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentinels_are_found_and_comments_are_not() {
        for (comment, expected) in [
            ("!$omp parallel do", Some("OpenMP directive")),
            ("!$OMP END PARALLEL", Some("OpenMP directive")),
            ("!$acc kernels", Some("OpenACC directive")),
            ("!$ x = omp_get_wtime()", Some("line for OpenMP only")),
            ("!DIR$ IVDEP", Some("compiler directive")),
            ("!GCC$ unroll 4", Some("compiler directive")),
            ("!$gravel assert", None),
            ("!$Id: file.f90 1.2 $", None),
            ("! omp", None),
            ("!", None),
            ("!$", None),
            ("!$$$$$$", None),
            ("! \u{e4}\u{f6}", None),
        ] {
            assert_eq!(directive(comment.as_bytes()), expected, "{comment}");
        }
    }
}
