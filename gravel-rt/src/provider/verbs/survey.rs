//! Trying what the verbs provider would do.

use super::connect::probe;
use super::device::{Registered, pinning_limit};
use crate::memory::MemoryRange;
use crate::provider::probe::Probe;

/// Bytes registered for a try: about what the ledgers of twenty peers take.
const TRIED: usize = 2 << 20;

/// Needs libibverbs, a device with a port that is up, and memory to pin.
pub fn probes() -> Vec<Probe> {
    let device = probe();
    let registration = device.as_ref().map_err(|_| "there is no device to try it with".to_owned()).and_then(|device| {
        let memory = vec![0u8; TRIED];
        let start = memory.as_ptr().expose_provenance();
        // SAFETY: the memory lives until the registration is gone, and nobody is told its keys.
        let registered = unsafe { Registered::new(device, MemoryRange { start, end: start + TRIED }) };
        let outcome = registered.map(drop).map_err(|cause| format!("{TRIED} bytes can't be: {cause}"));
        outcome.map(|()| pinning_limit()).map_err(|reason| format!("{reason} ({})", pinning_limit()))
    });
    vec![
        Probe {
            name: "device",
            purpose: "connections between adapters, through libibverbs",
            is_needed: true,
            outcome: device.map(|device| device.describe()),
        },
        Probe {
            name: "registration",
            purpose: "ledgers, and messages that adapters write and read where they lie",
            is_needed: true,
            outcome: registration,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_machine_without_a_device_says_so() {
        // Where there is a device, it has a name and an address.
        match &probes()[0].outcome {
            Ok(device) => assert!(device.contains("port"), "{device}"),
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
}
