//! What checks leave behind: programs of some megabytes each, of which the suite builds thousands.

use std::fs;
use std::path::Path;

use crate::tally::Tally;

/// Does checks whose programs lie in a folder, and removes the folder if all of them pass. What failed stays where it
/// is, to be looked at.
pub fn remove_if_passed(name: &str, folder: &Path, tally: &mut Tally, checks: impl FnOnce(&mut Tally)) {
    let mut own = tally.part();
    checks(&mut own);
    if own.is_clean()
        && folder.exists()
        && let Err(error) = fs::remove_dir_all(folder)
    {
        own.fail(name, format!("cannot remove {}: {error}", folder.display()));
    }
    tally.add(own);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_is_removed_and_what_failed_is_kept() {
        let place = tempfile::tempdir().expect("a temporary folder can be made");
        let mut tally = Tally::silent();
        for (name, passes) in [("right", true), ("wrong", false)] {
            let folder = place.path().join(name);
            fs::create_dir(&folder).expect("a folder can be made");
            remove_if_passed(name, &folder, &mut tally, |tally| {
                tally.pass();
                tally.check(name, if passes { Ok(()) } else { Err("on purpose") });
            });
            assert_eq!(folder.exists(), !passes);
        }
        remove_if_passed("nothing", &place.path().join("nothing"), &mut tally, Tally::pass);
        assert_eq!(tally.to_string(), "failed: wrong\n4 passed, 1 failed, 0 skipped");
    }
}
