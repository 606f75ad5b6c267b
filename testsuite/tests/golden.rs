//! gravelc's output and report, compared with the golden files. That the output also runs is checked by `cargo suite`.

use testsuite::golden::Golden;
use testsuite::gravelc::Gravelc;

#[test]
fn output_and_report_are_as_expected() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built").with_all_transformations();
    let all = Golden::all().expect("the golden files can be listed");
    assert!(!all.is_empty(), "there are no golden files");
    let failures: Vec<String> = all
        .iter()
        .filter_map(|golden| golden.check(&gravelc).err().map(|problem| format!("golden/{}: {problem}", golden.name)))
        .collect();
    assert!(failures.is_empty(), "{} of {} failed\n{}", failures.len(), all.len(), failures.join("\n"));
}
