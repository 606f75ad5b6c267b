//! The limits of the process that Gravel runs into first, with what they limit.

/// One limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Its name in the system's interface.
    pub name: &'static str,
    /// What is in force, and how far the process may raise it; nothing means without limit.
    pub soft: Option<u64>,
    /// See above.
    pub hard: Option<u64>,
    /// What Gravel needs it for.
    pub needed_for: &'static str,
}

/// All that matter.
pub fn all() -> Vec<Limit> {
    [
        ("RLIMIT_MEMLOCK", libc::RLIMIT_MEMLOCK, "bytes of memory that can be registered with a network adapter"),
        (
            "RLIMIT_NOFILE",
            libc::RLIMIT_NOFILE,
            "descriptors: one for the control segment, for each region that is adopted, and for each peer that is reached \
             by tcp",
        ),
        ("RLIMIT_NPROC", libc::RLIMIT_NPROC, "threads of a rank: one if some peer is reached by tcp, one once heap memory is adopted, and a helper once there is deferred work"),
    ]
    .into_iter()
    .filter_map(|(name, resource, needed_for)| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: writes one structure.
        let result = unsafe { libc::getrlimit(resource, &raw mut limit) };
        let number = |value: libc::rlim_t| (value != libc::RLIM_INFINITY).then_some(value);
        (result == 0).then(|| Limit { name, soft: number(limit.rlim_cur), hard: number(limit.rlim_max), needed_for })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_this_process_are_known() {
        let limits = all();
        assert_eq!(limits.len(), 3);
        let files = limits.iter().find(|limit| limit.name == "RLIMIT_NOFILE").unwrap();
        assert!(files.soft.is_none_or(|soft| soft >= 3 && files.hard.is_none_or(|hard| soft <= hard)));
    }
}
