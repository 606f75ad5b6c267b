//! The arguments with which GNU's driver runs its compiler proper (GCC manual, "Options That Control Optimization" and "x86 Options").
//!
//! Without flags for fast arithmetic each operation rounds as IEEE 754 says, alone and in vectors, and no operation is put in another's
//! place; what is left is fusing. `-ffp-contract=off` is no proof that nothing is fused: in vectors of complex numbers GCC 12 does all
//! the same (`vfmaddsub`, seen with -O3 -march=native). So the processor must have no such instructions, as far as the flags say.
//! On other processors than x86-64 there is no way to say so.

use std::collections::BTreeSet;

use crate::ir::VectorArithmetic;

/// Groups of instructions with fused operations.
const FUSING: [&str; 3] = ["fma", "fma4", "avx512f"];

/// Beginnings of the names of groups that bring some of these along.
const FUSING_TOO: [&str; 3] = ["xop", "avx512", "avx10"];

/// Processors that have none of them.
const WITHOUT_FUSING: [&str; 8] =
    ["x86-64", "x86-64-v2", "nocona", "core2", "nehalem", "westmere", "sandybridge", "ivybridge"];

/// Processors that have the first of them only.
const WITH_FMA: [&str; 8] = ["x86-64-v3", "haswell", "broadwell", "skylake", "alderlake", "znver1", "znver2", "znver3"];

/// Flags with which results may be others than IEEE 754's, by their names behind `-f` and `-fno-`; and with which code is compiled once
/// more, maybe with the flags of another file.
const FAST: [&str; 7] = [
    "fast-math",
    "unsafe-math-optimizations",
    "associative-math",
    "reciprocal-math",
    "finite-math-only",
    "cx-limited-range",
    "lto",
];

/// Those that do so where they are off.
const EXACT: [&str; 1] = ["signed-zeros"];

/// Beginnings of flags behind which nothing is known.
const UNKNOWN: [&str; 3] = ["-flto=", "-fplugin", "-fcx-method"];

/// Flags `-m` that say which instructions there are, without fused ones, and where code and data lie.
const HARMLESS: [&str; 46] = [
    "64",
    "mmx",
    "sse",
    "sse2",
    "sse3",
    "ssse3",
    "sse4",
    "sse4.1",
    "sse4.2",
    "sse4a",
    "avx",
    "avx2",
    "f16c",
    "popcnt",
    "abm",
    "lzcnt",
    "bmi",
    "bmi2",
    "adx",
    "aes",
    "vaes",
    "pclmul",
    "vpclmulqdq",
    "gfni",
    "sha",
    "cx16",
    "sahf",
    "movbe",
    "fxsr",
    "xsave",
    "xsaveopt",
    "xsavec",
    "xsaves",
    "fsgsbase",
    "rdrnd",
    "rdseed",
    "rdpid",
    "prfchw",
    "clflushopt",
    "clwb",
    "clzero",
    "shstk",
    "mwaitx",
    "fpmath=sse",
    "vzeroupper",
    "stackrealign",
];

/// Beginnings of such flags with a value.
const HARMLESS_WITH_VALUE: [&str; 4] = ["tune=", "cmodel=", "prefer-vector-width=", "tls-dialect="];

/// Flags `-mno-` that take single numbers out of the vectors' registers, or compare them otherwise.
const NEEDED: [&str; 5] = ["sse", "sse2", "80387", "fp-ret-in-387", "ieee-fp"];

/// How f951 computes in vectors for `target` with these arguments. Of two flags for one thing the last one counts.
pub(super) fn vector_arithmetic(target: &str, arguments: &[String]) -> VectorArithmetic {
    if !target.starts_with("x86_64-") {
        return VectorArithmetic::Unknown;
    }
    let mut flags = Flags::default();
    for argument in arguments {
        flags.take(argument);
    }
    match (flags.is_unknown || flags.is_ofast || !flags.fast.is_empty(), flags.fuses()) {
        (true, _) => VectorArithmetic::Unknown,
        (false, true) => VectorArithmetic::Fused,
        (false, false) => VectorArithmetic::Elementwise,
    }
}

#[derive(Default)]
struct Flags<'a> {
    /// `-Ofast`, and no other level behind it.
    is_ofast: bool,
    /// What of [`FAST`] is on, and of [`EXACT`] off.
    fast: BTreeSet<&'a str>,
    processor: Option<&'a str>,
    /// Groups of instructions that are asked for, and others that are not wanted, whatever the processor has.
    groups: BTreeSet<&'a str>,
    without: BTreeSet<&'a str>,
    is_unknown: bool,
}

impl<'a> Flags<'a> {
    fn take(&mut self, argument: &'a str) {
        if argument.starts_with("-O") {
            self.is_ofast = argument == "-Ofast";
        } else if UNKNOWN.iter().any(|flag| argument.starts_with(flag)) {
            self.is_unknown = true;
        } else if let Some(flag) = argument.strip_prefix("-f") {
            let (name, is_on) = flag.strip_prefix("no-").map_or((flag, true), |name| (name, false));
            if FAST.contains(&name) && is_on || EXACT.contains(&name) && !is_on {
                self.fast.insert(name);
            } else {
                self.fast.remove(name);
            }
        } else if let Some(processor) = argument.strip_prefix("-march=") {
            self.processor = Some(processor);
        } else if let Some(group) = argument.strip_prefix("-mno-") {
            self.groups.remove(group);
            self.without.insert(group);
            self.is_unknown |= NEEDED.contains(&group);
        } else if let Some(group) = argument.strip_prefix("-m") {
            self.without.remove(group);
            if FUSING.contains(&group) || FUSING_TOO.iter().any(|beginning| group.starts_with(beginning)) {
                self.groups.insert(group);
            } else {
                let has_value = HARMLESS_WITH_VALUE.iter().any(|flag| group.starts_with(flag));
                self.is_unknown |= !has_value && !HARMLESS.contains(&group);
            }
        }
    }

    /// May there be instructions with fused operations?
    fn fuses(&self) -> bool {
        let of_processor: &[&str] = match self.processor {
            Some(processor) if WITHOUT_FUSING.contains(&processor) => &[],
            Some(processor) if WITH_FMA.contains(&processor) => &FUSING[..1],
            _ => &FUSING,
        };
        !self.groups.is_empty() || of_processor.iter().any(|group| !self.without.contains(group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str) -> VectorArithmetic {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        vector_arithmetic("x86_64-linux-gnu", &arguments)
    }

    #[test]
    fn without_fused_operations_vectors_are_elementwise() {
        for arguments in [
            "-mtune=generic -march=x86-64 -O3 -fPIC -fopenmp -I /usr/include/mpi -o /tmp/a.s",
            "-march=x86-64-v2 -O2 -ftree-vectorize -fno-trapping-math",
            "-march=x86-64 -mavx2 -mprefer-vector-width=256 -funroll-loops -m64 -mcmodel=medium",
            "-march=sandybridge -mno-fma -mno-fma4 -mno-xop -mno-avx512f -mavx -maes",
            // The last one counts.
            "-march=haswell -march=x86-64",
            "-march=x86-64 -mfma -mno-fma",
            "-march=x86-64 -Ofast -O2",
            "-march=x86-64 -ffast-math -fno-fast-math",
            "-march=x86-64 -fno-signed-zeros -fsigned-zeros -flto -fno-lto",
            // As `-march=native` becomes, on a processor that has them, with a flag behind it that leaves them out.
            "-march=znver3 -mavx2 -mno-fma4 -mno-xop -mfma -mno-avx512f -mno-fma -O3",
            "-march=haswell -mno-fma",
            "-march=icelake-server -mno-avx512f -mno-fma -mno-fma4",
        ] {
            assert_eq!(of(arguments), VectorArithmetic::Elementwise, "{arguments}");
        }
    }

    #[test]
    fn instructions_may_be_fused() {
        for arguments in [
            "-march=x86-64 -mfma",
            "-march=x86-64 -mno-fma -mfma",
            "-march=x86-64 -mfma4",
            "-march=x86-64 -mavx512f",
            "-march=x86-64 -mavx512vl -mno-avx512f",
            "-march=x86-64 -mxop",
            "-march=x86-64 -mavx10.1",
            "-march=x86-64-v3",
            "-march=haswell",
            "-march=x86-64 -march=haswell",
            "-march=znver4 -mno-fma",
            "-march=bdver2 -mno-fma",
            "-march=of-the-next-year",
            "-O3",
            // In complex numbers GCC fuses all the same.
            "-march=haswell -ffp-contract=off",
        ] {
            assert_eq!(of(arguments), VectorArithmetic::Fused, "{arguments}");
        }
    }

    #[test]
    fn with_fast_arithmetic_nothing_is_known() {
        for arguments in [
            "-Ofast",
            "-O2 -Ofast",
            "-ffast-math",
            "-fno-fast-math -ffast-math",
            "-ffast-math -O2",
            "-funsafe-math-optimizations -fno-fast-math",
            "-fassociative-math",
            "-freciprocal-math",
            "-ffinite-math-only",
            "-fcx-limited-range",
            "-fno-signed-zeros",
            "-flto",
            "-flto=auto",
            "-fplugin=x.so",
            "-mfpmath=387",
            "-mfpmath=both",
            "-mfpmath=sse,387",
            "-mrecip",
            "-m32",
            "-mx32",
            "-mno-sse2",
            "-mno-ieee-fp",
            "-mdaz-ftz",
            "-mveclibabi=svml",
            "-mof-the-next-year",
        ] {
            assert_eq!(of(&format!("-march=x86-64 {arguments}")), VectorArithmetic::Unknown, "{arguments}");
        }
    }

    #[test]
    fn only_x86_64_can_do_without() {
        let arguments = ["-march=x86-64".to_owned()];
        for target in ["", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "i686-linux-gnu"] {
            assert_eq!(vector_arithmetic(target, &arguments), VectorArithmetic::Unknown, "{target}");
        }
    }
}
