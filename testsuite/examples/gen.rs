use testsuite::random_programs::{fortran, generator, legality, batch::Workshop, campaign::Campaign};
use testsuite::gravelc::Gravelc;
use std::time::Duration;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let t = std::time::Instant::now();
    if a.len() == 2 {
    let programs: Vec<_> = (a[0]..a[1]).map(generator::generate).collect();
    eprintln!("{:?}", t.elapsed());
    let refs: Vec<_> = programs.iter().collect();
    print!("{}", fortran::write(&refs).text);
    for p in &programs { legality::is_correct(p).unwrap(); }
    } else {
        let g = Gravelc::at("/tmp/target-random/release/gravelc");
        let mut tally = testsuite::tally::Tally::default();
        Campaign { seed: a[0], programs: a[1], limit: Duration::from_secs(a[2]), shrinking: Duration::from_secs(60), is_long: false, has_hostile: false }
            .run(&Workshop { gravelc: &g, folder: "/tmp/rp/w".into() }, &mut tally);
        println!("{tally}");
    }
}
