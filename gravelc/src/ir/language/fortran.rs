//! Fortran's answers (Fortran 2018).

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Dialect, Form};
use crate::source_layout::{SourceLayout, is_comment_line, is_for_compilers};

/// The language.
#[derive(Debug)]
pub(super) struct Fortran;

/// The functions of which vector versions are in use (glibc's libmvec, Intel's SVML), with their specific names, and the power of
/// two numbers.
const VECTOR_VERSIONS: &str = "
    ** acos acosd acosh acospi alog alog10 asin asind asinh asinpi atan atan2 atan2d atand atanh atanpi ccos cdcos cdexp
    cdlog cdsin cexp clog cos cosd cosh cospi cotan cotand csin dacos dacosh dasin dasinh datan datan2 datanh dcos dcosh
    derf derfc dexp dlog dlog10 dsin dsinh dtan dtanh erf erfc erfc_scaled exp hypot log log10 sin sind sinh sinpi tan
    tand tanh tanpi zcos zexp zlog zsin
";

/// Functions that round as IEEE 754 says, or not at all, with their specific names. MAX and MIN are none: of two zeros with different
/// signs either may be the larger one, and so may a NaN (Fortran 2018, 16.9.125), and gfortran -O3 takes another one in vectors than alone.
const ONE_VALUE: &str = "
    abs aimag aint allocated amod associated btest cabs ceiling cmplx conjg dabs dble dcmplx dconjg dfloat dimag
    dint dmod dprod dsign dsqrt epsilon float floor huge iabs iand ibclr ibits ibset ieor ifix int ior ishft
    ishftc isign kind lbound logical merge mod modulo not present real shape sign size sngl sqrt tiny ubound
";

/// What the emitter writes of itself, in lower case as it does.
const WRITTEN: &str = "
    abs allocatable allocate allocated and call case common continue cycle deallocate dimension do else end enddo endif eqv
    exit false function go goto if implicit in integer intent int kind lbound logical max merge min mod modulo module
    neqv none not null nullify only optional or parameter pointer present print private procedure program public real
    return save select shape size storage_size stop subroutine target then true ubound use while
";

/// How names begin that it writes of itself: those of MPI and of the runtime.
const WRITTEN_BEGINNINGS: [&str; 3] = ["gravel", "mpi_", "pmpi_"];

static WRITTEN_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| WRITTEN.split_whitespace().collect());

static ONE_VALUE_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| ONE_VALUE.split_whitespace().collect());

static VECTOR_VERSION_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| VECTOR_VERSIONS.split_whitespace().collect());

impl Dialect for Fortran {
    fn component_separator(&self) -> &'static str {
        "%"
    }

    fn is_same_name(&self, one: &[u8], other: &[u8]) -> bool {
        one.eq_ignore_ascii_case(other)
    }

    fn may_be_written(&self, word: &str) -> bool {
        WRITTEN_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)) || WRITTEN_SET.contains(word)
    }

    fn longest_name(&self) -> usize {
        // Fortran 2018, 6.2.2.
        63
    }

    fn is_comment_line(&self, line: &[u8], layout: SourceLayout) -> bool {
        is_comment_line(line, layout)
    }

    fn is_for_compilers(&self, line: &[u8], layout: SourceLayout) -> bool {
        is_for_compilers(line, layout)
    }

    fn without_comment<'l>(&self, line: &'l str, layout: SourceLayout) -> &'l str {
        match line.split_once('!') {
            Some((code, _)) if !code.contains(['\'', '"', '&']) => code,
            _ if layout != SourceLayout::Free && line.starts_with(['c', 'C', '*']) => "",
            _ => line,
        }
    }

    fn lines_matter(&self) -> bool {
        true
    }

    fn integer_bytes(&self) -> u32 {
        4
    }

    fn first_subscript(&self) -> i64 {
        1
    }

    fn written_arguments_are_apart(&self) -> bool {
        true
    }

    fn hands_over_addresses(&self) -> bool {
        false
    }

    fn message_ends_with_section(&self) -> bool {
        true
    }

    fn loop_bounds_are_read_once(&self) -> bool {
        // Fortran 2018, 11.1.7.4.1.
        true
    }

    fn calls_check_arguments(&self) -> bool {
        true
    }

    fn has_vector_version(&self, function: &str) -> bool {
        VECTOR_VERSION_SET.contains(function)
    }

    fn has_one_value(&self, function: &str) -> bool {
        ONE_VALUE_SET.contains(function)
    }

    fn parts_compute_alike(&self) -> bool {
        false
    }

    fn has_safe_memory(&self) -> bool {
        false
    }

    fn integers_are_counts(&self) -> bool {
        false
    }

    /// As gfortran, flang, ifort and nvfortran make it, if nothing else is asked of them.
    fn label(&self, external: &str) -> Option<String> {
        Some(format!("{external}_"))
    }

    fn is_written(&self) -> bool {
        true
    }

    fn posts_keep_errors(&self) -> bool {
        // A post without an argument for its error: `gravel_rt_keep_failure`.
        true
    }

    fn writes(&self, _: Form) -> bool {
        true
    }
}
