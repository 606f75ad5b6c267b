//! On which host each rank runs: `--hosts`.

use std::ops::Range;

use crate::cli::Failure;

/// Consecutive ranks on one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Share {
    /// The host as ssh knows it; none for this one.
    pub(super) host: Option<String>,
    /// The ranks, of which there is at least one.
    pub(super) ranks: Range<u32>,
}

/// Places ranks on hosts: in the order of the list, on each as many as it says (`name:4`), or all hosts alike where none says.
///
/// # Errors
/// If the list can't be understood, or has too few places.
pub(super) fn place(ranks: u32, list: &str) -> Result<Vec<Share>, Failure> {
    let hosts: Vec<(&str, Option<u32>)> = list.split(',').map(host_in).collect::<Result<_, _>>()?;
    let are_counted = hosts.iter().all(|(_, places)| places.is_some());
    if !are_counted && hosts.iter().any(|(_, places)| places.is_some()) {
        return Err(Failure::input(format!("--hosts {list}: either all hosts have a number of ranks, or none")));
    }
    let number = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    let mut shares = Vec::new();
    let mut first = 0;
    for (position, (name, places)) in (0..).zip(hosts) {
        let places = places.unwrap_or_else(|| ranks / number + u32::from(position < ranks % number));
        let last = first + places.min(ranks - first);
        if last > first {
            shares.push(Share { host: (!is_here(name)).then(|| name.to_owned()), ranks: first..last });
        }
        first = last;
    }
    if first < ranks {
        return Err(Failure::input(format!("--hosts {list} has places for {first} ranks, but {ranks} are to start")));
    }
    Ok(shares)
}

/// A host and how many ranks it takes.
fn host_in(text: &str) -> Result<(&str, Option<u32>), Failure> {
    let text = text.trim();
    let (name, places) = match text.rsplit_once(':') {
        // Two colons and more are an address.
        Some((name, places)) if !name.contains(':') || name.ends_with(']') => match places.parse() {
            Ok(places) => (name, Some(places)),
            Err(_) => return Err(Failure::input(format!("--hosts: {places:?} behind {name} is no number of ranks"))),
        },
        _ => (text, None),
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    if name.is_empty() || name.starts_with('-') {
        return Err(Failure::input(format!("--hosts: {text:?} is no name of a host")));
    }
    Ok((name, places))
}

/// Is it the host that this process runs on?
fn is_here(name: &str) -> bool {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name == "localhost" || own.is_ok_and(|own| own.trim() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(ranks: u32, list: &str) -> Vec<(String, Range<u32>)> {
        let shares = place(ranks, list).expect("a list of hosts");
        shares.into_iter().map(|share| (share.host.unwrap_or_default(), share.ranks)).collect()
    }

    #[test]
    fn ranks_go_to_the_hosts_in_blocks() {
        assert_eq!(placed(5, "a, b"), [("a".to_owned(), 0..3), ("b".to_owned(), 3..5)]);
        assert_eq!(placed(1, "a,b"), [("a".to_owned(), 0..1)]);
        assert_eq!(placed(4, "a:1,b:9"), [("a".to_owned(), 0..1), ("b".to_owned(), 1..4)]);
        assert_eq!(placed(2, "localhost:1,user@b:1"), [(String::new(), 0..1), ("user@b".to_owned(), 1..2)]);
        assert_eq!(placed(2, "fe80::1,[fe80::2]"), [("fe80::1".to_owned(), 0..1), ("fe80::2".to_owned(), 1..2)]);
        assert_eq!(placed(1, "[fe80::2]:7"), [("fe80::2".to_owned(), 0..1)]);
    }

    #[test]
    fn what_can_not_be_placed_is_refused() {
        for (ranks, list, expected) in [
            (3, "a:1,b:1", "places for 2 ranks"),
            (2, "a:1,b", "either all"),
            (2, "a:x", "no number of ranks"),
            (2, "a,,b", "no name of a host"),
            (2, "-oProxyCommand=x", "no name of a host"),
        ] {
            let failure = place(ranks, list).expect_err(list);
            assert!(failure.message().contains(expected), "{}", failure.message());
        }
    }
}
