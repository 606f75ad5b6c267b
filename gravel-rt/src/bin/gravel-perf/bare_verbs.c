/* See bare_verbs.h. */
#include "bare_verbs.h"

#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUEUE_DEPTH = 256,
    /* Of so many writes one is signalled. */
    SIGNAL_INTERVAL = 32,
    LONGEST_INLINE = 64,
    MOST_READS = 16,
    BATCH = 32,
    TAG = 3
};

/* What a rank tells its partner. */
struct card {
    union ibv_gid gid;
    uint64_t address;
    uint32_t queue_pair, key, packet;
    uint16_t lid;
    uint8_t mtu, reads, answered_reads;
};

static struct {
    struct ibv_context *context;
    struct ibv_pd *domain;
    struct ibv_cq *sent, *received;
    struct ibv_qp *pair;
    struct ibv_mr *region;
    struct ibv_port_attr port;
    union ibv_gid gid;
    char *memory;
    struct card far;
    size_t bytes;
    uint32_t inline_bytes;
    int peer, is_first, gid_index, port_number, reads;
    /* Writes since the last signalled one; requests whose places have not been given back; reads under way. */
    int silent, outstanding, reading;
} bare;

static void fail(const char *what) {
    fprintf(stderr, "benchmark: verbs: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

static void check(int is_good, const char *what) {
    if (!is_good) fail(what);
}

/* ---- the device and the connection */

/* RoCE version 2, preferably with an address of version 4: index of the GID, or -1. */
static int choose_gid(struct ibv_context *context, int port_number, const struct ibv_port_attr *port) {
    int index, best = -1;
    for (index = 0; index < port->gid_tbl_len; index++) {
        static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
        struct ibv_gid_entry entry;
        if (ibv_query_gid_ex(context, (uint32_t)port_number, (uint32_t)index, &entry, 0) != 0) continue;
        if (port->link_layer == IBV_LINK_LAYER_ETHERNET && entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
        if (memcmp(entry.gid.raw, mapped, sizeof mapped) == 0) return index;
        if (best < 0) best = index;
    }
    return best;
}

static void open_device(void) {
    int count = 0, k;
    struct ibv_device **devices = ibv_get_device_list(&count);
    check(devices != NULL, "this machine has no RDMA device");
    for (k = 0; k < count && !bare.context; k++) {
        struct ibv_context *context = ibv_open_device(devices[k]);
        struct ibv_device_attr device;
        int number;
        if (!context) continue;
        check(ibv_query_device(context, &device) == 0, "the device can't be queried");
        for (number = 1; number <= device.phys_port_cnt && !bare.context; number++) {
            if (ibv_query_port(context, (uint8_t)number, &bare.port) != 0 || bare.port.state != IBV_PORT_ACTIVE)
                continue;
            bare.gid_index = choose_gid(context, number, &bare.port);
            if (bare.gid_index < 0) continue;
            bare.context = context;
            bare.port_number = number;
            bare.reads = device.max_qp_init_rd_atom < MOST_READS ? device.max_qp_init_rd_atom : MOST_READS;
            bare.far.answered_reads =
                (uint8_t)(device.max_qp_rd_atom < MOST_READS ? device.max_qp_rd_atom : MOST_READS);
        }
        if (!bare.context) ibv_close_device(context);
    }
    ibv_free_device_list(devices);
    check(bare.context != NULL, "no port of an RDMA device is up");
    check(ibv_query_gid(bare.context, (uint8_t)bare.port_number, bare.gid_index, &bare.gid) == 0, "no GID");
}

static void post_receives(int count) {
    struct ibv_recv_wr request = {0}, *refused;
    while (count-- > 0) check(ibv_post_recv(bare.pair, &request, &refused) == 0, "posting a receive request");
}

static void connect_pair(const struct card *own) {
    const struct card *far = &bare.far;
    struct ibv_qp_attr attributes = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = own->mtu < far->mtu ? own->mtu : far->mtu,
        .dest_qp_num = far->queue_pair,
        .rq_psn = far->packet,
        .max_dest_rd_atomic = own->answered_reads < far->reads ? own->answered_reads : far->reads,
        .min_rnr_timer = 12,
        .ah_attr = {.dlid = far->lid, .port_num = (uint8_t)bare.port_number},
    };
    int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
               IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    if (bare.port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attributes.ah_attr.is_global = 1;
        attributes.ah_attr.grh.dgid = far->gid;
        attributes.ah_attr.grh.sgid_index = (uint8_t)bare.gid_index;
        attributes.ah_attr.grh.hop_limit = 64;
    }
    check(ibv_modify_qp(bare.pair, &attributes, mask) == 0, "a queue pair can't receive");
    bare.reads = own->reads < far->answered_reads ? own->reads : far->answered_reads;
    attributes.qp_state = IBV_QPS_RTS;
    attributes.sq_psn = own->packet;
    attributes.timeout = 17;
    attributes.retry_cnt = 7;
    attributes.rnr_retry = 6;
    attributes.max_rd_atomic = (uint8_t)bare.reads;
    mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
           IBV_QP_MAX_QP_RD_ATOMIC;
    check(ibv_modify_qp(bare.pair, &attributes, mask) == 0, "a queue pair can't send");
}

void bare_verbs_connect(int peer, int is_first, size_t bytes) {
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    struct ibv_qp_init_attr wanted = {.qp_type = IBV_QPT_RC};
    struct ibv_qp_attr initial = {.qp_state = IBV_QPS_INIT,
                                  .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
    struct card own = {.packet = 0x123456};
    bare.peer = peer;
    bare.is_first = is_first;
    bare.bytes = bytes;
    open_device();
    bare.domain = ibv_alloc_pd(bare.context);
    bare.sent = ibv_create_cq(bare.context, 2 * QUEUE_DEPTH, NULL, NULL, 0);
    bare.received = ibv_create_cq(bare.context, 2 * QUEUE_DEPTH, NULL, NULL, 0);
    check(bare.domain && bare.sent && bare.received, "no protection domain or completion queue");
    wanted.send_cq = bare.sent;
    wanted.recv_cq = bare.received;
    wanted.cap.max_send_wr = wanted.cap.max_recv_wr = QUEUE_DEPTH;
    wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
    wanted.cap.max_inline_data = LONGEST_INLINE;
    bare.pair = ibv_create_qp(bare.domain, &wanted);
    check(bare.pair != NULL, "no queue pair");
    bare.inline_bytes = wanted.cap.max_inline_data;
    /* What is sent, and behind it what comes. */
    check(posix_memalign((void **)&bare.memory, 4096, 2 * bytes) == 0, "no memory");
    memset(bare.memory, 1, 2 * bytes);
    bare.region = ibv_reg_mr(bare.domain, bare.memory, 2 * bytes, access);
    check(bare.region != NULL, "memory can't be registered (ulimit -l)");
    initial.port_num = (uint8_t)bare.port_number;
    check(ibv_modify_qp(bare.pair, &initial, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
          "a queue pair can't be prepared");
    post_receives(QUEUE_DEPTH);
    own.gid = bare.gid;
    own.address = (uint64_t)(uintptr_t)bare.memory;
    own.queue_pair = bare.pair->qp_num;
    own.key = bare.region->rkey;
    own.lid = bare.port.lid;
    own.mtu = (uint8_t)bare.port.active_mtu;
    own.reads = (uint8_t)bare.reads;
    own.answered_reads = bare.far.answered_reads;
    MPI_Sendrecv(&own, sizeof own, MPI_BYTE, peer, TAG, &bare.far, sizeof bare.far, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    connect_pair(&own);
    MPI_Barrier(MPI_COMM_WORLD);
}

void bare_verbs_disconnect(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    ibv_destroy_qp(bare.pair);
    ibv_dereg_mr(bare.region);
    ibv_destroy_cq(bare.sent);
    ibv_destroy_cq(bare.received);
    ibv_dealloc_pd(bare.domain);
    ibv_close_device(bare.context);
    free(bare.memory);
}

/* ---- the loops */

static int poll_queue(struct ibv_cq *queue, struct ibv_wc *found) {
    int count = ibv_poll_cq(queue, BATCH, found), k;
    check(count >= 0, "a completion queue is lost");
    for (k = 0; k < count; k++) check(found[k].status == IBV_WC_SUCCESS, ibv_wc_status_str(found[k].status));
    return count;
}

/* Gives places of the send queue back: as many as a request says by its number. */
static void take_sent(void) {
    struct ibv_wc found[BATCH];
    int count = poll_queue(bare.sent, found), k;
    for (k = 0; k < count; k++) {
        bare.outstanding -= (int)found[k].wr_id;
        bare.reading -= found[k].opcode == IBV_WC_RDMA_READ;
    }
}

/* The completion of the request, if there shall be one, gives so many places back. */
static void post(enum ibv_wr_opcode opcode, size_t offset, size_t far_offset, size_t bytes, int given_back) {
    struct ibv_sge list = {(uint64_t)(uintptr_t)bare.memory + offset, (uint32_t)bytes, bare.region->lkey};
    struct ibv_send_wr request = {.sg_list = &list, .num_sge = bytes > 0, .opcode = opcode}, *refused;
    request.wr_id = (uint64_t)given_back;
    request.wr.rdma.remote_addr = bare.far.address + far_offset;
    request.wr.rdma.rkey = bare.far.key;
    if (given_back > 0) request.send_flags |= IBV_SEND_SIGNALED;
    if (opcode != IBV_WR_RDMA_READ && bytes > 0 && bytes <= bare.inline_bytes) request.send_flags |= IBV_SEND_INLINE;
    check(ibv_post_send(bare.pair, &request, &refused) == 0, "posting a request");
    bare.outstanding++;
}

/* Writes a message behind what the partner sends itself, and tells it. */
static void write_and_tell(size_t offset, size_t bytes, int is_signalled) {
    bare.silent++;
    while (bare.outstanding >= QUEUE_DEPTH) take_sent();
    post(IBV_WR_RDMA_WRITE_WITH_IMM, offset, bare.bytes + offset, bytes, is_signalled ? bare.silent : 0);
    if (is_signalled) bare.silent = 0;
}

/* One of many. */
static void write_message(size_t offset, size_t bytes) {
    write_and_tell(offset, bytes, bare.silent + 1 == SIGNAL_INTERVAL);
}

static void await_messages(int count) {
    int come = 0;
    while (come < count) {
        struct ibv_wc found[BATCH];
        int now = poll_queue(bare.received, found);
        post_receives(now);
        come += now;
    }
}

double bare_verbs_put_latency(size_t bytes, int times) {
    double start = 0;
    int k;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = MPI_Wtime();
        if (!bare.is_first) await_messages(1);
        write_message(0, bytes);
        if (bare.is_first) await_messages(1);
        take_sent();
    }
    return (MPI_Wtime() - start) * 1e6 / times / 2;
}

double bare_verbs_put_stream(size_t bytes, int window, int times) {
    double start = 0;
    int k, m;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = MPI_Wtime();
        if (bare.is_first) {
            for (m = 0; m < window; m++) write_message((size_t)m * bytes, bytes);
            await_messages(1);
        } else {
            await_messages(window);
            write_message(0, 0);
        }
        take_sent();
    }
    return (MPI_Wtime() - start) * 1e6 / times / window;
}

static double read_windows(size_t bytes, int window, int times) {
    double start = 0;
    int k, m;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; !bare.is_first && k < times; k++) {
        if (k == 0) start = MPI_Wtime();
        for (m = 0; m < window; m++) {
            while (bare.reading >= bare.reads) take_sent();
            post(IBV_WR_RDMA_READ, bare.bytes + (size_t)m * bytes, (size_t)m * bytes, bytes, 1);
            bare.reading++;
        }
        while (bare.reading > 0) take_sent();
    }
    return (MPI_Wtime() - start) * 1e6 / times / window;
}

double bare_verbs_get_latency(size_t bytes, int times) {
    return read_windows(bytes, 1, times);
}

double bare_verbs_get_stream(size_t bytes, int window, int times) {
    return read_windows(bytes, window, times);
}

void bare_verbs_begin_put(size_t bytes) {
    write_and_tell(0, bytes, 1);
}

void bare_verbs_end_put(void) {
    while (bare.outstanding > 0) take_sent();
}

void bare_verbs_await_put(void) {
    await_messages(1);
}
