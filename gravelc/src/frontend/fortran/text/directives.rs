//! Comments that mean something to a compiler.

use crate::ir::UntouchableCause;
use std::fmt;

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

/// Kinds of directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// Of OpenMP.
    OpenMp,
    /// A line that is compiled with OpenMP only.
    OpenMpLine,
    /// Of OpenACC.
    OpenAcc,
    /// Of CUDA Fortran.
    Cuda,
    /// Of another language for parallel programs.
    Parallel,
    /// It only tells how something is to be compiled.
    Hint,
    /// Another one of a compiler.
    OfCompiler,
}

impl Directive {
    /// What keeps a procedure from being touched in which it stands.
    pub fn cause(self) -> UntouchableCause {
        match self {
            Self::OpenMp | Self::OpenMpLine | Self::OpenAcc => UntouchableCause::Threads,
            Self::Hint => UntouchableCause::Hint,
            Self::Cuda | Self::Parallel | Self::OfCompiler => UntouchableCause::Unread,
        }
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenMp => "OpenMP directive",
            Self::OpenMpLine => "line for OpenMP only",
            Self::OpenAcc => "OpenACC directive",
            Self::Cuda => "directive of CUDA Fortran",
            Self::Parallel => "parallel directive",
            Self::Hint => "hint to a compiler",
            Self::OfCompiler => "compiler directive",
        })
    }
}

/// What kind of directive `comment` (from its exclamation mark on) is; `None` for an ordinary comment and for gravelc's own
/// directives.
pub fn directive(comment: &[u8]) -> Option<Directive> {
    let rest = comment.strip_prefix(b"!")?;
    let word_end = rest.iter().skip(1).position(|byte| !byte.is_ascii_alphanumeric()).map_or(rest.len(), |end| end + 1);
    let word = String::from_utf8_lossy(&rest[..word_end.min(rest.len())]).to_ascii_lowercase();
    match word.as_str() {
        "$omp" | "$ompx" | "$omx" => Some(Directive::OpenMp),
        "$acc" => Some(Directive::OpenAcc),
        "$cuf" => Some(Directive::Cuda),
        "$hpf" | "$xmp" | "$par" | "$ocl" => Some(Directive::Parallel),
        // `!$ call f(x)` is compiled under OpenMP.
        "$" if rest.get(1).is_some_and(|byte| *byte == b' ' || *byte == b'\t') => {
            let content = rest[1..].iter().find(|byte| !byte.is_ascii_whitespace());
            content.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'&').then_some(Directive::OpenMpLine)
        }
        _ => {
            let vendors =
                ["dir$", "$dir", "dec$", "gcc$", "pgi$", "ibm*", "ibmp", "nec$", "cdir$", "ocl ", "$omp", "$acc"];
            let start: Vec<u8> = rest.iter().take(5).map(u8::to_ascii_lowercase).collect();
            let vendor = vendors.iter().find(|vendor| start.starts_with(vendor.as_bytes()))?;
            let text = String::from_utf8_lossy(&rest[vendor.len()..]).to_ascii_lowercase();
            let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
            // PGI's say first how far they hold: for the file, the procedure or the loop.
            let is_reach = |word: &str| *vendor == "pgi$" && matches!(word, "g" | "r" | "l");
            let first = words.filter(|word| !word.is_empty()).find(|word| !is_reach(word));
            let is_hint = first.is_some_and(|word| HINTS.binary_search(&word).is_ok());
            Some(if is_hint { Directive::Hint } else { Directive::OfCompiler })
        }
    }
}

/// Directives that are comments unless a flag of the build makes them more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sentinel {
    /// Those of OpenMP, and lines that are compiled with it only.
    OpenMp,
    /// Those of OpenACC.
    OpenAcc,
}

impl Sentinel {
    /// Which of them a directive is.
    pub(super) fn of(directive: Directive) -> Option<Self> {
        match directive {
            Directive::OpenMp | Directive::OpenMpLine => Some(Self::OpenMp),
            Directive::OpenAcc => Some(Self::OpenAcc),
            Directive::Cuda | Directive::Parallel | Directive::Hint | Directive::OfCompiler => None,
        }
    }
}

/// Which of these `comment` (from its exclamation mark on) is, if it is one.
pub(super) fn sentinel(comment: &[u8]) -> Option<Sentinel> {
    Sentinel::of(directive(comment)?)
}

/// Which directives the program is compiled without: they are comments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unused {
    /// Those of OpenMP.
    pub openmp: bool,
    /// Those of OpenACC.
    pub openacc: bool,
    /// Those of CUDA Fortran.
    pub cuda: bool,
}

impl Unused {
    /// Are directives of this kind comments?
    pub fn are_comments(self, directive: Directive) -> bool {
        match directive {
            Directive::OpenMp | Directive::OpenMpLine => self.openmp,
            Directive::OpenAcc => self.openacc,
            Directive::Cuda => self.cuda,
            Directive::Parallel | Directive::Hint | Directive::OfCompiler => false,
        }
    }
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
            ("!$DIR NOOPTIMIZE", Some("hint to a compiler")),
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
            ("!$dir parallel", Some("compiler directive")),
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
            let found = directive(comment.as_bytes()).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{comment}");
        }
    }
}
