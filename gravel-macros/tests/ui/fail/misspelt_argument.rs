#[gravel::overlap(reprot)]
fn step() {}

#[gravel::overlap(only(hoist))]
fn other() {}

fn main() {}
