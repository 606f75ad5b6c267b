//! gravelc's output and report, compared with the golden files. That the output also runs is checked by `cargo suite`.

use testsuite::golden::Golden;
use testsuite::gravelc::Gravelc;
use testsuite::side_by_side::check_each;
use testsuite::tally::Tally;

#[test]
fn output_and_report_are_as_expected() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    let all = Golden::all().expect("the golden files can be listed");
    let mut tally = Tally::default();
    check_each(&all, &mut tally, |golden, tally| {
        tally.check(&format!("golden/{}", golden.name), golden.check(&gravelc));
    });
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.done() == all.len() && !all.is_empty(), "there are no golden files");
}
