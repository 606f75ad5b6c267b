//! The transformations. Whoever adds one adds a line here.

use super::transformation::Entry;
use super::{
    decompose_alltoall, drop_pack, hoist_receive, hoist_send, sink_wait, split_exchange, split_loop, strip_mine,
};

/// In the order in which they work: posts must have moved before loops are cut, and both before waits are placed, which must not
/// pass them; sends go up last, as far as no wait has come down.
pub const REGISTRY: [Entry; 9] = [
    drop_pack::ENTRY,
    split_exchange::ENTRY,
    decompose_alltoall::ENTRY,
    hoist_receive::ENTRY,
    strip_mine::PRODUCER,
    split_loop::ENTRY,
    strip_mine::CONSUMER,
    sink_wait::ENTRY,
    hoist_send::ENTRY,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Transformation;

    #[test]
    fn every_transformation_has_one_entry() {
        let entries = REGISTRY.map(|entry| entry.transformation);
        assert_eq!(entries, Transformation::ALL);
    }
}
