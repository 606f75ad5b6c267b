//! The intrinsic procedures of Fortran 2018 (clause 16) and the extensions that gfortran has.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Functions that only read their arguments, have no effect and return.
const PURE_FUNCTIONS: &str = "
    abs achar acos acosd acosh acospi adjustl adjustr aimag aint algama all allocated alog alog10 amax0 amax1 amin0
    amin1 amod and anint any asin asind asinh asinpi associated atan atan2 atan2d atand atanh atanpi besj0 besj1
    besjn bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn besy0 besy1 besyn bge bgt bit_size ble blt
    btest c_sizeof cabs ccos cdabs cdcos cdexp cdlog cdsin cdsqrt ceiling cexp char clog cmplx
    command_argument_count complex conjg cos cosd cosh coshape cospi cotan cotand count cshift csin csqrt dabs dacos
    dacosh dasin dasinh datan datan2 datanh dbesj0 dbesj1 dbesjn dbesy0 dbesy1 dbesyn dble dcmplx dconjg dcos dcosh
    ddim derf derfc dexp dfloat dgamma digits dim dimag dint dlgama dlog dlog10 dmax1 dmin1 dmod dnint dot_product
    dprod dreal dshiftl dshiftr dsign dsin dsinh dsqrt dtan dtanh eoshift epsilon erf erfc erfc_scaled exp exponent
    extends_type_of failed_images findloc float floor fraction gamma get_team huge hypot iabs iachar iall iand iany
    iargc ibclr ibits ibset ichar idim idint idnint ieor ifix image_index image_status imagpart index int int2 int8
    ior iparity is_contiguous is_iostat_end is_iostat_eor ishft ishftc isign isnan kind lbound lcobound leadz len
    len_trim lge lgt lle llt lnblnk loc log log10 log_gamma logical long lshift maskl maskr matmul max max0 max1
    maxexponent maxloc maxval merge merge_bits min min0 min1 minexponent minloc minval mod modulo nearest new_line
    nint norm2 not null num_images or out_of_range pack parity popcnt poppar precision present product radix range
    rank real realpart reduce repeat reshape rrspacing rshift same_type_as scale scan selected_char_kind
    selected_int_kind selected_real_kind set_exponent shape shifta shiftl shiftr short sign sin sind sinh sinpi size
    sizeof sngl spacing spread sqrt stopped_images storage_size sum tan tand tanh tanpi team_number this_image tiny
    trailz transfer transpose trim ubound ucobound unpack verify xor zabs zcos zexp zlog zsin zsqrt
";

static PURE_FUNCTION_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| PURE_FUNCTIONS.split_whitespace().collect());

/// gfortran's functions that ask the system or tell it something, and may store to their arguments (The GNU Fortran Compiler,
/// chapter 9). They call nothing of the program, and return.
const SYSTEM_FUNCTIONS: &str = "
    access chdir chmod ctime dtime etime fdate fget fgetc fnum fput fputc fstat ftell getcwd getgid getpid getuid hostnm ierrno
    irand isatty link lstat mclock mclock8 rand ran rename secnds second stat symlnk time time8 ttynam umask unlink
";

/// What an intrinsic subroutine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntrinsicSubroutine {
    /// Something outside the program: clocks, random numbers, the environment, files. The first arguments, this many,
    /// are only read; the others may be written.
    External(usize),
    /// As above, and it may end the program.
    ExternalMayLeave(usize),
    /// Ends the program.
    Stop,
    /// Moves an allocation.
    MoveAllocation,
    /// Copies bits: the fourth argument is written (MVBITS).
    CopyBits,
}

/// Is `name` (in lower case) an intrinsic function without effects?
pub fn is_pure_function(name: &str) -> bool {
    PURE_FUNCTION_SET.contains(name)
}

/// Is `name` (in lower case) an intrinsic function that asks the system, or tells it something?
pub fn is_system_function(name: &str) -> bool {
    SYSTEM_FUNCTIONS.split_whitespace().any(|known| known == name)
}

/// The position of the argument `keyword` of the intrinsic function `name`, for functions whose arguments mean something
/// to the analyses (both in lower case).
pub fn position_of(name: &str, keyword: &str) -> Option<usize> {
    let names: &[&str] = match name {
        "mod" | "modulo" => &["a", "p"],
        "merge" => &["tsource", "fsource", "mask"],
        "sign" => &["a", "b"],
        "dim" => &["x", "y"],
        "int" => &["a", "kind"],
        "size" | "lbound" | "ubound" => &["array", "dim", "kind"],
        _ => return None,
    };
    names.iter().position(|known| *known == keyword)
}

/// What the intrinsic subroutine `name` (in lower case) does; `None` if there is none.
pub fn subroutine(name: &str) -> Option<IntrinsicSubroutine> {
    use IntrinsicSubroutine::*;
    Some(match name {
        "random_number" | "random_seed" | "random_init" | "system_clock" | "cpu_time" | "date_and_time"
        | "get_command" | "getcwd" | "second" | "etime" | "dtime" | "itime" | "idate" | "time" | "fdate" | "hostnm"
        | "getlog" | "gerror" | "umask" => External(0),
        "get_command_argument"
        | "get_environment_variable"
        | "getarg"
        | "getenv"
        | "ctime"
        | "gmtime"
        | "ltime"
        | "perror"
        | "srand"
        | "flush"
        | "sleep"
        | "chdir"
        | "unlink"
        | "fgetc"
        | "fputc"
        | "ftell"
        | "isatty" => External(1),
        "rename" | "fseek" => External(2),
        "execute_command_line" => ExternalMayLeave(2),
        "system" | "alarm" => ExternalMayLeave(1),
        "kill" => ExternalMayLeave(2),
        "exit" | "abort" => Stop,
        "move_alloc" => MoveAllocation,
        "mvbits" => CopyBits,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_knows_old_and_new_names_once() {
        assert_eq!(PURE_FUNCTION_SET.len(), PURE_FUNCTIONS.split_whitespace().count());
        for name in ["sin", "dfloat", "dmax1", "matmul", "shiftl", "size"] {
            assert!(is_pure_function(name), "{name}");
        }
        for name in ["rand", "mpi_wtime", "foo", "secnds"] {
            assert!(!is_pure_function(name), "{name}");
        }
    }

    #[test]
    fn what_asks_the_system_is_not_pure() {
        for name in SYSTEM_FUNCTIONS.split_whitespace() {
            assert!(is_system_function(name) && !is_pure_function(name), "{name}");
        }
        assert!(!["system", "signal", "malloc", "fork"].into_iter().any(is_system_function));
    }

    #[test]
    fn subroutines() {
        assert_eq!(subroutine("random_number"), Some(IntrinsicSubroutine::External(0)));
        assert_eq!(subroutine("exit"), Some(IntrinsicSubroutine::Stop));
        assert_eq!(subroutine("exchange"), None);
    }
}
