//! The module `gravel` of the runtime: what front end and emitter have to know of it.

/// Its names, sorted.
const NAMES: [&str; 69] = [
    "gravel_attach",
    "gravel_buffer_attached",
    "gravel_buffer_detached",
    "gravel_cancel",
    "gravel_errors_return",
    "gravel_f_sync_reg",
    "gravel_finalize",
    "gravel_improbe",
    "gravel_imrecv",
    "gravel_init",
    "gravel_iprobe",
    "gravel_mprobe",
    "gravel_mrecv",
    "gravel_offset_kind",
    "gravel_open_alltoall",
    "gravel_open_alltoallv",
    "gravel_post_alltoall",
    "gravel_post_alltoall_segments",
    "gravel_post_alltoallv",
    "gravel_post_alltoallv_segments",
    "gravel_post_bsend",
    "gravel_post_os_put",
    "gravel_post_rcv_announced",
    "gravel_post_rcv_buffer_rdma",
    "gravel_post_rcv_segments",
    "gravel_post_send",
    "gravel_post_send_copied",
    "gravel_post_send_synchronous",
    "gravel_post_snd_buffer_copied",
    "gravel_post_snd_buffer_rdma",
    "gravel_post_snd_buffer_synchronous",
    "gravel_post_snd_request",
    "gravel_post_snd_request_synchronous",
    "gravel_prepare_announced_receive",
    "gravel_prepare_announced_send",
    "gravel_prepare_announced_send_synchronous",
    "gravel_prepare_bsend",
    "gravel_prepare_receive",
    "gravel_prepare_send",
    "gravel_prepare_send_synchronous",
    "gravel_probe",
    "gravel_release",
    "gravel_request_get_status",
    "gravel_request_kind",
    "gravel_request_null",
    "gravel_send_alltoall",
    "gravel_send_alltoallv",
    "gravel_send_fin",
    "gravel_start",
    "gravel_start_request",
    "gravel_startall",
    "gravel_test",
    "gravel_test_request",
    "gravel_testall",
    "gravel_testany",
    "gravel_testsome",
    "gravel_tile",
    "gravel_transfer_kind",
    "gravel_transfer_null",
    "gravel_wait",
    "gravel_wait_range",
    "gravel_wait_rcv_buffer",
    "gravel_wait_rcv_buffer_synchronous",
    "gravel_wait_request",
    "gravel_wait_snd_request",
    "gravel_waitall",
    "gravel_waitany",
    "gravel_waitsome",
    "gravel_worth_overlapping",
];

/// Does the module export this name (in lower case)?
pub fn exports(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use std::collections::BTreeSet;

    #[test]
    fn knows_every_name_that_the_module_exports() {
        assert!(NAMES.is_sorted());
        let module = include_str!("../runtime/fortran/gravel.f90").to_ascii_lowercase();
        let exported: BTreeSet<String> = module
            .lines()
            .filter_map(|line| line.split_once("public ::"))
            .flat_map(|(_, names)| names.split(','))
            .map(|name| name.split('=').next().unwrap_or_default().trim().to_string())
            .collect();
        assert_eq!(exported, NAMES.iter().map(|name| name.to_string()).collect());
    }
}
