//! The part of libibverbs' binary interface that is used here, after <infiniband/verbs.h> of rdma-core.
//!
//! Bound by hand: libibverbs is loaded when a program runs ([`super::library`]), so that neither building nor running
//! needs it, and a generated binding would need libclang to build. The layouts have been frozen since rdma-core 1.1
//! (symbol version IBVERBS_1.1); `testsuite` compares every one with the header where that is installed.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `IBV_WC_*`: what became of a work request.
pub mod wc_status {
    pub const SUCCESS: u32 = 0;
    pub const WR_FLUSH_ERR: u32 = 5;
    pub const RETRY_EXC_ERR: u32 = 12;
}

#[cfg(all(test, not(miri)))]
pub const WC_RECV: u32 = 128;
pub const WC_RECV_RDMA_WITH_IMM: u32 = 129;

pub const WR_RDMA_WRITE: u32 = 0;
pub const WR_RDMA_WRITE_WITH_IMM: u32 = 1;
pub const WR_SEND: u32 = 2;
pub const WR_RDMA_READ: u32 = 4;

pub const SEND_FENCE: c_uint = 1 << 0;
pub const SEND_SIGNALED: c_uint = 1 << 1;
pub const SEND_SOLICITED: c_uint = 1 << 2;
pub const SEND_INLINE: c_uint = 1 << 3;

pub const ACCESS_LOCAL_WRITE: c_int = 1;
pub const ACCESS_REMOTE_WRITE: c_int = 2;
pub const ACCESS_REMOTE_READ: c_int = 4;

pub const QPT_RC: u32 = 2;
pub const QPT_UD: u32 = 4;

pub const QPS_INIT: u32 = 1;
pub const QPS_RTR: u32 = 2;
pub const QPS_RTS: u32 = 3;
pub const QPS_ERR: u32 = 6;

/// `IBV_QP_*`: which fields of [`QpAttr`] a call of `ibv_modify_qp` sets.
pub mod qp_mask {
    use std::ffi::c_int;

    pub const STATE: c_int = 1;
    pub const ACCESS_FLAGS: c_int = 1 << 3;
    pub const PKEY_INDEX: c_int = 1 << 4;
    pub const PORT: c_int = 1 << 5;
    pub const QKEY: c_int = 1 << 6;
    pub const AV: c_int = 1 << 7;
    pub const PATH_MTU: c_int = 1 << 8;
    pub const TIMEOUT: c_int = 1 << 9;
    pub const RETRY_CNT: c_int = 1 << 10;
    pub const RNR_RETRY: c_int = 1 << 11;
    pub const RQ_PSN: c_int = 1 << 12;
    pub const MAX_QP_RD_ATOMIC: c_int = 1 << 13;
    pub const MIN_RNR_TIMER: c_int = 1 << 15;
    pub const SQ_PSN: c_int = 1 << 16;
    pub const MAX_DEST_RD_ATOMIC: c_int = 1 << 17;
    pub const DEST_QPN: c_int = 1 << 20;
}

pub const PORT_ACTIVE: u32 = 4;
pub const LINK_LAYER_INFINIBAND: u8 = 1;
pub const LINK_LAYER_ETHERNET: u8 = 2;
pub const TRANSPORT_IB: i32 = 0;
pub const GID_TYPE_ROCE_V2: u32 = 2;

pub const FORK_DISABLED: c_int = 0;

/// `IBV_EVENT_*`: what a device tells without being asked.
pub mod event {
    pub const CQ_ERR: u32 = 0;
    pub const QP_FATAL: u32 = 1;
    pub const QP_REQ_ERR: u32 = 2;
    pub const QP_ACCESS_ERR: u32 = 3;
    pub const DEVICE_FATAL: u32 = 8;
    pub const PORT_ACTIVE: u32 = 9;
    pub const PORT_ERR: u32 = 10;
}

/// Operations of `ibv_context_ops`, which verbs.h calls from inline functions: their positions among the 32 pointers.
pub const OPERATIONS: usize = 32;
pub const POLL_CQ: usize = 11;
pub const REQ_NOTIFY_CQ: usize = 12;
pub const POST_SEND: usize = 25;
pub const POST_RECV: usize = 26;

#[repr(C)]
pub struct Device {
    pub operations: [*mut c_void; 2],
    pub node_type: i32,
    pub transport_type: i32,
    pub name: [c_char; 64],
    // Paths follow, which are not used.
}

#[repr(C)]
pub struct Context {
    pub device: *mut Device,
    pub operations: [*mut c_void; OPERATIONS],
    pub cmd_fd: c_int,
    pub async_fd: c_int,
    pub num_comp_vectors: c_int,
    // A mutex and a pointer follow, which are the library's.
}

#[repr(C)]
pub struct Pd {
    pub context: *mut Context,
    pub handle: u32,
}

#[repr(C)]
pub struct Mr {
    pub context: *mut Context,
    pub pd: *mut Pd,
    pub addr: *mut c_void,
    pub length: usize,
    pub handle: u32,
    pub lkey: u32,
    pub rkey: u32,
}

/// How datagrams reach a port.
#[repr(C)]
pub struct Ah {
    pub context: *mut Context,
    pub pd: *mut Pd,
    pub handle: u32,
}

#[repr(C)]
pub struct CompChannel {
    pub context: *mut Context,
    pub fd: c_int,
    pub refcnt: c_int,
}

#[repr(C)]
pub struct Cq {
    pub context: *mut Context,
    pub channel: *mut CompChannel,
    pub cq_context: *mut c_void,
    pub handle: u32,
    pub cqe: c_int,
    // Synchronisation follows, which is the library's.
}

#[repr(C)]
pub struct Qp {
    pub context: *mut Context,
    pub qp_context: *mut c_void,
    pub pd: *mut Pd,
    pub send_cq: *mut Cq,
    pub recv_cq: *mut Cq,
    pub srq: *mut c_void,
    pub handle: u32,
    pub qp_num: u32,
    pub state: u32,
    pub qp_type: u32,
    // As above.
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceAttr {
    pub fw_ver: [c_char; 64],
    pub node_guid: u64,
    pub sys_image_guid: u64,
    pub max_mr_size: u64,
    pub page_size_cap: u64,
    pub vendor_id: u32,
    pub vendor_part_id: u32,
    pub hw_ver: u32,
    pub max_qp: c_int,
    pub max_qp_wr: c_int,
    pub device_cap_flags: c_uint,
    pub max_sge: c_int,
    pub max_sge_rd: c_int,
    pub max_cq: c_int,
    pub max_cqe: c_int,
    pub max_mr: c_int,
    pub max_pd: c_int,
    pub max_qp_rd_atom: c_int,
    pub max_ee_rd_atom: c_int,
    pub max_res_rd_atom: c_int,
    pub max_qp_init_rd_atom: c_int,
    /// From `max_ee_init_rd_atom` to `local_ca_ack_delay`.
    pub rest: [u8; 67],
    pub phys_port_cnt: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PortAttr {
    pub state: u32,
    pub max_mtu: u32,
    pub active_mtu: u32,
    pub gid_tbl_len: c_int,
    pub port_cap_flags: u32,
    pub max_msg_sz: u32,
    pub bad_pkey_cntr: u32,
    pub qkey_viol_cntr: u32,
    pub pkey_tbl_len: u16,
    pub lid: u16,
    pub sm_lid: u16,
    pub lmc: u8,
    pub max_vl_num: u8,
    pub sm_sl: u8,
    pub subnet_timeout: u8,
    pub init_type_reply: u8,
    pub active_width: u8,
    pub active_speed: u8,
    pub phys_state: u8,
    pub link_layer: u8,
    pub flags: u8,
    pub port_cap_flags2: u16,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct GidEntry {
    pub gid: [u64; 2],
    pub gid_index: u32,
    pub port_num: u32,
    pub gid_type: u32,
    pub ndev_ifindex: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Sge {
    pub addr: u64,
    pub length: u32,
    pub lkey: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SendWr {
    pub wr_id: u64,
    pub next: *mut SendWr,
    pub sg_list: *mut Sge,
    pub num_sge: c_int,
    pub opcode: u32,
    pub send_flags: c_uint,
    pub imm_data: u32,
    pub remote_addr: u64,
    pub rkey: u32,
    /// For datagrams; the two members before it are then the address handle and the number of the queue pair.
    pub remote_qkey: u32,
    /// The rest of the unions for other operations.
    pub rest: [u64; 9],
}

#[repr(C)]
pub struct RecvWr {
    pub wr_id: u64,
    pub next: *mut RecvWr,
    pub sg_list: *mut Sge,
    pub num_sge: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Wc {
    pub wr_id: u64,
    pub status: u32,
    pub opcode: u32,
    pub vendor_err: u32,
    pub byte_len: u32,
    pub imm_data: u32,
    pub qp_num: u32,
    pub src_qp: u32,
    pub wc_flags: c_uint,
    pub pkey_index: u16,
    pub slid: u16,
    pub sl: u8,
    pub dlid_path_bits: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct QpCap {
    pub max_send_wr: u32,
    pub max_recv_wr: u32,
    pub max_send_sge: u32,
    pub max_recv_sge: u32,
    pub max_inline_data: u32,
}

#[repr(C)]
pub struct QpInitAttr {
    pub qp_context: *mut c_void,
    pub send_cq: *mut Cq,
    pub recv_cq: *mut Cq,
    pub srq: *mut c_void,
    pub cap: QpCap,
    pub qp_type: u32,
    pub sq_sig_all: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct AhAttr {
    pub dgid: [u64; 2],
    pub flow_label: u32,
    pub sgid_index: u8,
    pub hop_limit: u8,
    pub traffic_class: u8,
    pub dlid: u16,
    pub sl: u8,
    pub src_path_bits: u8,
    pub static_rate: u8,
    pub is_global: u8,
    pub port_num: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct QpAttr {
    pub qp_state: u32,
    pub cur_qp_state: u32,
    pub path_mtu: u32,
    pub path_mig_state: u32,
    pub qkey: u32,
    pub rq_psn: u32,
    pub sq_psn: u32,
    pub dest_qp_num: u32,
    pub qp_access_flags: c_uint,
    pub cap: QpCap,
    pub ah_attr: AhAttr,
    pub alt_ah_attr: AhAttr,
    pub pkey_index: u16,
    pub alt_pkey_index: u16,
    pub en_sqd_async_notify: u8,
    pub sq_draining: u8,
    pub max_rd_atomic: u8,
    pub max_dest_rd_atomic: u8,
    pub min_rnr_timer: u8,
    pub port_num: u8,
    pub timeout: u8,
    pub retry_cnt: u8,
    pub rnr_retry: u8,
    pub alt_port_num: u8,
    pub alt_timeout: u8,
    pub rate_limit: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct AsyncEvent {
    /// A pointer to what it concerns, or a port number, by the type.
    pub element: *mut c_void,
    pub event_type: u32,
}

// 64-bit Linux, the only kind that is supported; a C program in the tests compares the offsets, too.
const _: () = assert!(size_of::<DeviceAttr>() == 232 && size_of::<PortAttr>() == 52 && size_of::<Wc>() == 48);
const _: () = assert!(size_of::<SendWr>() == 128 && size_of::<RecvWr>() == 32 && size_of::<QpInitAttr>() == 64);
const _: () = assert!(size_of::<AhAttr>() == 32 && size_of::<QpAttr>() == 144 && size_of::<GidEntry>() == 32);

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::Write as _;
    use std::mem::offset_of;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// One line of C for each size and field: the compiler compares them with the header.
    macro_rules! compare {
        ($text:ident, $($type:ident = $name:literal { $($field:ident = $member:literal),* })*) => {
            $($(
                let offset = offset_of!($type, $field);
                writeln!($text, "_Static_assert(offsetof(struct {}, {}) == {offset}, \"\");", $name, $member).unwrap();
            )*)*
        };
    }

    #[test]
    #[cfg_attr(miri, ignore = "runs a compiler")]
    fn layouts_are_those_of_the_header() {
        if !Path::new("/usr/include/infiniband/verbs.h").exists() {
            // Past the capture of test output: what is not tested is seen.
            let _ = writeln!(std::io::stderr(), "SKIPPED: layouts of libibverbs, whose header is not installed");
            return;
        }
        let mut text = String::from("#include <infiniband/verbs.h>\n#include <stddef.h>\n");
        let sizes = [
            ("ibv_device_attr", size_of::<DeviceAttr>()),
            ("ibv_port_attr", size_of::<PortAttr>()),
            ("ibv_gid_entry", size_of::<GidEntry>()),
            ("ibv_sge", size_of::<Sge>()),
            ("ibv_send_wr", size_of::<SendWr>()),
            ("ibv_recv_wr", size_of::<RecvWr>()),
            ("ibv_wc", size_of::<Wc>()),
            ("ibv_qp_init_attr", size_of::<QpInitAttr>()),
            ("ibv_ah_attr", size_of::<AhAttr>()),
            ("ibv_qp_attr", size_of::<QpAttr>()),
            ("ibv_async_event", size_of::<AsyncEvent>()),
        ];
        for (name, size) in sizes {
            writeln!(text, "_Static_assert(sizeof(struct {name}) == {size}, \"\");").unwrap();
        }
        compare!(text,
            Device = "ibv_device" { transport_type = "transport_type", name = "name" }
            Context = "ibv_context" { operations = "ops", cmd_fd = "cmd_fd", async_fd = "async_fd" }
            Mr = "ibv_mr" { lkey = "lkey", rkey = "rkey" }
            CompChannel = "ibv_comp_channel" { fd = "fd" }
            Cq = "ibv_cq" { cqe = "cqe" }
            Qp = "ibv_qp" { qp_num = "qp_num" }
            DeviceAttr = "ibv_device_attr" {
                max_qp_wr = "max_qp_wr", max_cqe = "max_cqe", max_qp_rd_atom = "max_qp_rd_atom",
                max_qp_init_rd_atom = "max_qp_init_rd_atom", phys_port_cnt = "phys_port_cnt"
            }
            PortAttr = "ibv_port_attr" {
                active_mtu = "active_mtu", gid_tbl_len = "gid_tbl_len", max_msg_sz = "max_msg_sz", lid = "lid",
                link_layer = "link_layer"
            }
            GidEntry = "ibv_gid_entry" { gid_index = "gid_index", gid_type = "gid_type" }
            SendWr = "ibv_send_wr" {
                sg_list = "sg_list", opcode = "opcode", send_flags = "send_flags", imm_data = "imm_data",
                remote_addr = "wr.rdma.remote_addr", rkey = "wr.rdma.rkey", remote_qkey = "wr.ud.remote_qkey"
            }
            RecvWr = "ibv_recv_wr" { num_sge = "num_sge" }
            Wc = "ibv_wc" {
                status = "status", opcode = "opcode", byte_len = "byte_len", imm_data = "imm_data", qp_num = "qp_num"
            }
            QpInitAttr = "ibv_qp_init_attr" { cap = "cap", qp_type = "qp_type", sq_sig_all = "sq_sig_all" }
            AhAttr = "ibv_ah_attr" {
                sgid_index = "grh.sgid_index", hop_limit = "grh.hop_limit", dlid = "dlid", is_global = "is_global",
                port_num = "port_num"
            }
            QpAttr = "ibv_qp_attr" {
                qkey = "qkey", path_mtu = "path_mtu", rq_psn = "rq_psn", dest_qp_num = "dest_qp_num",
                qp_access_flags = "qp_access_flags", ah_attr = "ah_attr", max_rd_atomic = "max_rd_atomic",
                max_dest_rd_atomic = "max_dest_rd_atomic", min_rnr_timer = "min_rnr_timer", port_num = "port_num",
                timeout = "timeout", retry_cnt = "retry_cnt", rnr_retry = "rnr_retry"
            }
            AsyncEvent = "ibv_async_event" { event_type = "event_type" }
        );
        for (name, place) in
            [("poll_cq", POLL_CQ), ("req_notify_cq", REQ_NOTIFY_CQ), ("post_send", POST_SEND), ("post_recv", POST_RECV)]
        {
            let offset = place * size_of::<*mut c_void>();
            writeln!(text, "_Static_assert(offsetof(struct ibv_context_ops, {name}) == {offset}, \"\");").unwrap();
        }
        // Datagrams use the same members.
        for (member, field) in [("ah", offset_of!(SendWr, remote_addr)), ("remote_qpn", offset_of!(SendWr, rkey))] {
            writeln!(text, "_Static_assert(offsetof(struct ibv_send_wr, wr.ud.{member}) == {field}, \"\");").unwrap();
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("layouts.c");
        std::fs::write(&source, &text).expect("a file can be written");
        let compiler = Command::new("cc").arg("-fsyntax-only").arg(&source).output().expect("cc runs");
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    }
}
