//! Comments that mean something to a compiler.

/// What directives of compilers begin with that only say how something is to be compiled: they change no name, and add no
/// statement.
const HINTS: &[&str] = &[
    "altcode",
    "always_inline",
    "assume",
    "assume_aligned",
    "block_loop",
    "blockable",
    "cache",
    "cache_exclusive",
    "cache_nt",
    "clone",
    "code_align",
    "collapse",
    "depchk",
    "distribute",
    "fission",
    "forced_collapse",
    "forceinline",
    "fuse",
    "fusion",
    "gather_reorder",
    "hand_tuned",
    "inline",
    "inlinealways",
    "inlinenever",
    "interchange",
    "ivdep",
    "list_vector",
    "loop",
    "loop_count",
    "loop_count_test",
    "loop_info",
    "loop_nofusion",
    "lstval",
    "modinline",
    "nextscalar",
    "noalias",
    "noaltcode",
    "noblock_loop",
    "noblockable",
    "nocollapse",
    "nodepchk",
    "nofission",
    "nofuse",
    "nofusion",
    "noinline",
    "nointerchange",
    "nolist_vector",
    "nolstval",
    "nomodinline",
    "nooptimize",
    "nopacked_vector",
    "noparallel",
    "nopattern",
    "noprefetch",
    "norecurrence",
    "noretain",
    "nosideeffects",
    "nosimd",
    "noswp",
    "nounroll",
    "nounroll_and_jam",
    "novector",
    "novob",
    "novrec",
    "optimize",
    "outerloop_nounroll",
    "outerloop_unroll",
    "packed_vector",
    "pattern",
    "permutation",
    "pgas",
    "prefervector",
    "prefetch",
    "probability",
    "resetinline",
    "retain",
    "safe_address",
    "safe_conditional",
    "select_vector",
    "shortloop",
    "shortloop128",
    "shortloop_reduction",
    "simd",
    "swp",
    "unroll",
    "unroll_and_jam",
    "vector",
    "vob",
    "vreg",
];

/// What kind of directive `comment` (from its exclamation mark on) is, in words; `None` for an ordinary comment and for
/// gravelc's own directives.
pub(super) fn directive(comment: &[u8]) -> Option<&'static str> {
    let rest = comment.strip_prefix(b"!")?;
    let word_end = rest.iter().skip(1).position(|byte| !byte.is_ascii_alphanumeric()).map_or(rest.len(), |end| end + 1);
    let word = String::from_utf8_lossy(&rest[..word_end.min(rest.len())]).to_ascii_lowercase();
    match word.as_str() {
        "$omp" | "$ompx" | "$omx" => Some("OpenMP directive"),
        "$acc" => Some("OpenACC directive"),
        "$cuf" => Some("directive of CUDA Fortran"),
        "$hpf" | "$xmp" | "$par" | "$dir" | "$ocl" => Some("parallel directive"),
        // `!$ call f(x)` is compiled under OpenMP.
        "$" if rest.get(1).is_some_and(|byte| *byte == b' ' || *byte == b'\t') => {
            let content = rest[1..].iter().find(|byte| !byte.is_ascii_whitespace());
            content.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'&').then_some("line for OpenMP only")
        }
        _ => {
            let vendors = ["dir$", "dec$", "gcc$", "pgi$", "ibm*", "ibmp", "nec$", "cdir$", "ocl ", "$omp", "$acc"];
            let start: Vec<u8> = rest.iter().take(5).map(u8::to_ascii_lowercase).collect();
            let vendor = vendors.iter().find(|vendor| start.starts_with(vendor.as_bytes()))?;
            let text = String::from_utf8_lossy(&rest[vendor.len()..]).to_ascii_lowercase();
            let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
            // PGI's say first how far they hold: for the file, the procedure or the loop.
            let is_reach = |word: &str| *vendor == "pgi$" && matches!(word, "g" | "r" | "l");
            let first = words.filter(|word| !word.is_empty()).find(|word| !is_reach(word));
            let is_hint = first.is_some_and(|word| HINTS.binary_search(&word).is_ok());
            Some(if is_hint { HINT } else { "compiler directive" })
        }
    }
}

/// What [`directive`] says of a directive that only tells how something is to be compiled.
pub(super) const HINT: &str = "hint to a compiler";

/// Directives that are comments unless a flag of the build makes them more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sentinel {
    /// Those of OpenMP, and lines that are compiled with it only.
    OpenMp,
    /// Those of OpenACC.
    OpenAcc,
}

impl Sentinel {
    /// What [`directive`] says this of.
    pub(super) fn of(what: &str) -> Option<Self> {
        match what {
            _ if is_openmp(what) => Some(Self::OpenMp),
            "OpenACC directive" => Some(Self::OpenAcc),
            _ => None,
        }
    }
}

/// Which of these `comment` (from its exclamation mark on) is, if it is one.
pub(super) fn sentinel(comment: &[u8]) -> Option<Sentinel> {
    Sentinel::of(directive(comment)?)
}

/// Which directives the program is compiled without: they are comments.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unused {
    /// Those of OpenMP.
    pub openmp: bool,
    /// Those of OpenACC.
    pub openacc: bool,
    /// Those of CUDA Fortran.
    pub cuda: bool,
}

impl Unused {
    /// Is a directive a comment of which [`directive`] says this?
    pub fn are_comments(self, what: &str) -> bool {
        self.openmp && is_openmp(what)
            || self.openacc && what.contains("OpenACC")
            || self.cuda && what.contains("CUDA Fortran")
    }
}

/// Does what [`directive`] says mean that the comment is one for compilers with OpenMP only?
fn is_openmp(what: &str) -> bool {
    what.contains("OpenMP")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_in_order() {
        assert!(HINTS.is_sorted());
    }

    #[test]
    fn sentinels_are_found_and_comments_are_not() {
        for (comment, expected) in [
            ("!$omp parallel do", Some("OpenMP directive")),
            ("!$OMP END PARALLEL", Some("OpenMP directive")),
            ("!$acc kernels", Some("OpenACC directive")),
            ("!$cuf kernel do(1)", Some("directive of CUDA Fortran")),
            ("!$ x = omp_get_wtime()", Some("line for OpenMP only")),
            ("!DIR$ IVDEP", Some("hint to a compiler")),
            ("!GCC$ unroll 4", Some("hint to a compiler")),
            ("!dir$ loop count(30)", Some("hint to a compiler")),
            ("!DIR$ VECTOR ALWAYS", Some("hint to a compiler")),
            ("!dir$ pgas defer_sync", Some("hint to a compiler")),
            ("!PGI$L novector", Some("hint to a compiler")),
            ("!pgi$ unroll = n:4", Some("hint to a compiler")),
            ("!IBM* UNROLL(4)", Some("hint to a compiler")),
            ("!OCL NORECURRENCE(a)", Some("hint to a compiler")),
            ("!NEC$ shortloop", Some("hint to a compiler")),
            ("!DIR$ IGNORE_TKR a", Some("compiler directive")),
            ("!DIR$ OFFLOAD BEGIN", Some("compiler directive")),
            ("!DEC$ IF DEFINED(x)", Some("compiler directive")),
            ("!DIR$ FREEFORM", Some("compiler directive")),
            ("!DIR$ REAL:8", Some("compiler directive")),
            ("!DIR$ PARALLEL", Some("compiler directive")),
            ("!PGI$ l", Some("compiler directive")),
            ("!DEC$ ATTRIBUTES ALIAS:'other' :: one", Some("compiler directive")),
            ("!GCC$ builtin (sin) attributes simd", Some("compiler directive")),
            ("!DIR$", Some("compiler directive")),
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
