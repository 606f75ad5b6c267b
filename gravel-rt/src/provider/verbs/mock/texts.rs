//! What libibverbs says, word for word.

use std::ffi::{CStr, c_char};

const STATUSES: [&CStr; 24] = [
    c"success",
    c"local length error",
    c"local QP operation error",
    c"local EE context operation error",
    c"local protection error",
    c"Work Request Flushed Error",
    c"memory management operation error",
    c"bad response error",
    c"local access error",
    c"remote invalid request error",
    c"remote access error",
    c"remote operation error",
    c"transport retry counter exceeded",
    c"RNR retry counter exceeded",
    c"local RDD violation error",
    c"remote invalid RD request",
    c"aborted error",
    c"invalid EE context number",
    c"invalid EE context state",
    c"fatal error",
    c"response timeout error",
    c"general error",
    c"TM error",
    c"TM software rendezvous",
];
const EVENTS: [&CStr; 20] = [
    c"CQ error",
    c"local work queue catastrophic error",
    c"invalid request local work queue error",
    c"local access violation work queue error",
    c"communication established",
    c"send queue drained",
    c"path migrated",
    c"path migration request error",
    c"local catastrophic error",
    c"port active",
    c"port error",
    c"LID change",
    c"P_Key change",
    c"SM change",
    c"SRQ catastrophic error",
    c"SRQ limit reached",
    c"last WQE reached",
    c"client reregistration",
    c"GID table change",
    c"WQ fatal",
];

pub unsafe extern "C" fn wc_status_str(status: u32) -> *const c_char {
    STATUSES.get(status as usize).unwrap_or(&c"unknown").as_ptr()
}

pub unsafe extern "C" fn event_type_str(event: u32) -> *const c_char {
    EVENTS.get(event as usize).unwrap_or(&c"unknown").as_ptr()
}

/// Statuses and events that have a text.
#[test]
fn the_mock_speaks_like_the_library() {
    use super::super::library;
    let Ok(installed) = library::installed() else {
        println!("    not compared: libibverbs is not installed");
        return;
    };
    let mock = super::library();
    for number in 0..30 {
        assert_eq!(mock.status_text(number), installed.status_text(number));
        assert_eq!(mock.event_text(number), installed.event_text(number));
    }
}
