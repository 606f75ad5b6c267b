//! How often something has happened, and with how many bytes.

use std::ops::AddAssign;

use super::json::Json;

/// How often, and how many bytes in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often.
    pub count: u64,
    /// Bytes in all.
    pub bytes: u64,
}

impl Tally {
    /// Once more, with so many bytes.
    #[inline]
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

impl From<Tally> for Json {
    fn from(Tally { count, bytes }: Tally) -> Self {
        Self::Object(vec![("count", count.into()), ("bytes", bytes.into())])
    }
}
