//! Trying what the verbs provider would do.

use gravel::memory::MemoryRange;
use gravel::provider::choice::Interconnect;
use gravel::provider::verbs::connect::probe;
use gravel::provider::verbs::device::{Registered, pinning_limit};
use gravel::settings::Settings;

use super::probes::{Probe, ProviderReport, forbidden};

/// Bytes registered for a try: about what the ledgers of twenty peers take.
const TRIED: usize = 2 << 20;

/// Ranks of hosts that have RDMA devices: needs libibverbs, a device with a port that is up, and memory to pin.
pub fn verbs(settings: &Settings) -> ProviderReport {
    let device = probe();
    let registration = device.as_ref().map_err(|_| "there is no device to try it with".to_owned()).and_then(|device| {
        let memory = vec![0u8; TRIED];
        let start = memory.as_ptr().expose_provenance();
        // SAFETY: the memory lives until the registration is gone, and nobody is told its keys.
        let registered = unsafe { Registered::new(device, MemoryRange { start, end: start + TRIED }) };
        let outcome = registered.map(drop).map_err(|cause| format!("{TRIED} bytes can't be: {cause}"));
        outcome.map(|()| pinning_limit()).map_err(|reason| format!("{reason} ({})", pinning_limit()))
    });
    let device = Probe {
        name: "device",
        purpose: "connections between adapters, through libibverbs",
        outcome: device.map(|device| device.describe()),
    };
    let registration = Probe {
        name: "registration",
        purpose: "ledgers, and messages that adapters write and read where they lie",
        outcome: registration,
    };
    let failed = [&device, &registration].into_iter().find_map(|probe| {
        let reason = probe.outcome.as_ref().err()?;
        Some(format!("{}: {reason}", probe.name))
    });
    ProviderReport {
        name: "verbs",
        reach: "ranks of hosts that have RDMA devices, InfiniBand or RoCE",
        rejected: forbidden(settings, Interconnect::Verbs).or(failed),
        probes: vec![device, registration],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_a_reason() {
        let (settings, _) = Settings::from_variables([("GRAVEL_PROVIDER".into(), "shm".into())]).unwrap();
        assert!(verbs(&settings).rejected.unwrap().contains("GRAVEL_PROVIDER=shm"));
    }

    #[test]
    fn a_machine_without_a_device_says_so() {
        let report = verbs(&Settings::from_variables([]).unwrap().0);
        // Where there is a device, it has a name and an address.
        match &report.probes[0].outcome {
            Ok(device) => assert!(device.contains("port"), "{device}"),
            Err(reason) => {
                assert!(!reason.is_empty());
                assert!(report.rejected.unwrap().contains(reason));
            }
        }
    }
}
