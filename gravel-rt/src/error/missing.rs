//! What another rank has not done, for which a rank waits.

use std::fmt;

use super::tag::tag_text;
use crate::Rank;

/// What has to happen at another rank for a wait to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Aspect {
    /// It has, and is under way.
    UnderWay = 0,
    /// The message of this number among those of its communicator and tag is to be sent.
    Message = 1,
    /// The receive of this number is to be posted.
    Receive = 2,
    /// One more message than so many is to be announced on this communicator.
    Announcement = 3,
    /// A receive is to be posted that takes an announced message.
    Taking = 4,
}

impl Aspect {
    /// From its number.
    pub fn from_number(number: u8) -> Self {
        let all = [Self::UnderWay, Self::Message, Self::Receive, Self::Announcement, Self::Taking];
        all.into_iter().find(|&aspect| aspect as u8 == number).unwrap_or(Self::UnderWay)
    }

    /// What has not been done, what a wait is in for the sake of that, and what follows.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::UnderWay | Self::Message | Self::Announcement => ["sent the message", "for", "comes"],
            Self::Receive | Self::Taking => ["posted a receive for the message", "to send", "will"],
        }
    }
}

/// What has not been done, for texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// What it is.
    pub aspect: Aspect,
    /// With which tag; none for any.
    pub tag: Option<i32>,
    /// The number of the communicator, unless it is the one that was given to `gravel_init`.
    pub communicator: Option<u32>,
}

/// As the end of "it has not sent the message".
impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = self.tag.map_or_else(|| "any tag".to_owned(), tag_text);
        match self.communicator {
            None => write!(formatter, "with {tag}"),
            Some(number) => write!(formatter, "with {tag} on attached communicator {number}"),
        }
    }
}

/// That something never comes.
pub fn never(waiting: Rank, peer: Rank, missing: Missing) -> String {
    let [done, waits, follows] = missing.aspect.words();
    format!(
        "rank {peer} has called gravel_finalize and has not {done} {missing} that rank {waiting} waits {waits}: it never \
         {follows}"
    )
}
