//! ScaLAPACK, PBLAS and BLACS, by the names of their procedures.
//!
//! They communicate, but on communicators of their own, which BLACS makes of the one that it is handed when a grid begins (`BI_TransUserComm`
//! and `Cblacs_gridmap` of ScaLAPACK 2.2): no message of theirs can meet one of the program's. They hand out no requests, call
//! no procedure of the program but `pxerbla` and `xerbla`, and know none of its variables but those that they are handed. Processes wait
//! for one another in them, so that nothing moves across a call.

/// The procedures for distributed matrices, without the `p` and the letter of the precision: those that ScaLAPACK 2.2.1 exports.
const DISTRIBUTED: &str = include_str!("scalapack.txt");

/// Tools (ScaLAPACK Users' Guide, chapter 6; PBLAS; redistribution).
const TOOLS: &str = "
    numroc npreroc indxg2l indxg2p indxl2g infog1l infog2l iceil ilcm descinit descset desc_convert chk1mat globchk sl_init
    sl_gridreshape pb_topget pb_topset pilaenv pilaenvx pjlaenv pigemr2d pigemr2do pitrmr2d pitrmr2do pielget pielset2 pichekpad
    pifillpad pilaprnt slboot slcombine sldisable slenable slinquire sltimer
";

/// BLACS' support routines, without `blacs_` (A User's Guide to the BLACS, chapter 3).
const SUPPORT: &str = "
    abort barrier exit freebuff get gridexit gridinfo gridinit gridmap pcoord pinfo pnum set setup
";

/// Those that store a context where a communicator may have been, or make one of a communicator.
const MAKE_CONTEXTS: [&str; 6] =
    ["blacs_get", "blacs_gridinit", "blacs_gridmap", "sl_init", "sl_gridreshape", "blacs_gridexit"];

/// Is it a procedure of these libraries, by its name in Fortran (in lower case), or in C (`pdgemm_`, `Cblacs_gridinit`)?
pub fn is_of_scalapack(name: &str) -> bool {
    let own = without_language(name);
    let is_listed = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
    is_listed(TOOLS, own)
        || own.strip_prefix("blacs_").is_some_and(|rest| is_listed(SUPPORT, rest))
        || ["blacs2sys_handle", "sys2blacs_handle", "free_blacs_system_handle"].contains(&own)
        || own.strip_prefix('p').and_then(without_precision).is_some_and(|stem| is_listed(DISTRIBUTED, stem))
        || is_message_of_blacs(own)
}

/// Does it leave the handles that it is handed as they are?
pub fn leaves_handles(name: &str) -> bool {
    !MAKE_CONTEXTS.contains(&without_language(name))
}

/// The name in Fortran: BLACS' interface for C begins with a `C`, and linkers know those of Fortran with an underscore.
fn without_language(name: &str) -> &str {
    let own = name.strip_suffix('_').unwrap_or(name);
    own.strip_prefix('C').unwrap_or(own)
}

fn without_precision(name: &str) -> Option<&str> {
    name.strip_prefix(['s', 'd', 'c', 'z'])
}

/// Messages and combinations of matrices: `dgesd2d`, `itrbr2d`, `zgsum2d`.
fn is_message_of_blacs(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('i').or_else(|| without_precision(name)) else { return false };
    let kind = rest.strip_prefix("ge").or_else(|| rest.strip_prefix("tr"));
    kind.is_some_and(|kind| ["sd2d", "rv2d", "bs2d", "br2d"].contains(&kind))
        || ["gsum2d", "gamx2d", "gamn2d"].contains(&rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn their_names_and_no_others() {
        for name in [
            "pdgetrf",
            "pzheevd",
            "numroc",
            "blacs_gridinit",
            "dgesd2d",
            "igamx2d",
            "ztrbr2d",
            "pdgemr2d",
            "pzdscal",
            "Cblacs_gridmap",
            "Cdgsum2d",
            "pdgemm_",
            "descinit_",
        ] {
            assert!(is_of_scalapack(name), "{name}");
        }
        for name in ["pdsaupd", "exchange", "blacs_other", "dgemm", "gesd2d", "pdgesd2d", "xgesd2d", "p", "", "C", "_"]
        {
            assert!(!is_of_scalapack(name), "{name}");
        }
        assert!(leaves_handles("pdgetrf") && !leaves_handles("blacs_gridinit") && !leaves_handles("Cblacs_gridmap"));
    }

    #[test]
    fn the_list_is_read() {
        assert_eq!(DISTRIBUTED.split_whitespace().count(), 272);
    }
}
