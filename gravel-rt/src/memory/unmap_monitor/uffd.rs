//! What <linux/userfaultfd.h> defines, as far as it is used here.

use std::ffi::{c_int, c_ulong};

pub const API: u64 = 0xaa;
pub const USER_MODE_ONLY: c_int = 1;
pub const FEATURE_PAGEFAULT_FLAG_WP: u64 = 1 << 0;
pub const FEATURE_EVENT_REMAP: u64 = 1 << 2;
pub const FEATURE_EVENT_REMOVE: u64 = 1 << 3;
pub const FEATURE_EVENT_UNMAP: u64 = 1 << 6;
pub const REGISTER_MODE_WP: u64 = 1 << 1;
pub const EVENT_REMAP: u8 = 0x14;
pub const EVENT_REMOVE: u8 = 0x15;
pub const EVENT_UNMAP: u8 = 0x16;
pub const IOCTL_API: c_ulong = 0xc018_aa3f;
pub const IOCTL_REGISTER: c_ulong = 0xc020_aa00;
pub const IOCTL_WRITEPROTECT: c_ulong = 0xc018_aa06;

#[repr(C)]
pub struct Api {
    pub api: u64,
    pub features: u64,
    pub ioctls: u64,
}

#[repr(C)]
pub struct Register {
    pub start: u64,
    pub len: u64,
    pub mode: u64,
    pub ioctls: u64,
}

#[repr(C)]
pub struct WriteProtect {
    pub start: u64,
    pub len: u64,
    pub mode: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Message {
    pub event: u8,
    pub reserved: [u8; 7],
    /// Start and end; of a move from, to, and length.
    pub arguments: [u64; 3],
}
