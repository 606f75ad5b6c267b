//! Tags as texts name them.

/// The tag of all messages that are parts of an all-to-all exchange. No program can give it, so these have keys of their own.
pub const ALLTOALL_TAG: i32 = i32::MIN;

/// A tag in a text for people.
pub(crate) fn tag_text(tag: i32) -> String {
    if tag == ALLTOALL_TAG { "all-to-all".to_owned() } else { format!("tag {tag}") }
}
