#include "tests/system/random_system.h"

#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint32_t pick(uint64_t *state, const uint32_t *from, uint32_t count)
{
    return from[next_random(state) % count];
}

#define PICK(state, ...) pick(state, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

/* Three of four systems have READs or atomics among their requests, half of them both ways. */
static void choose_opcodes(struct scenario *s, uint64_t *random)
{
    static const enum rnicsim_opcode mix[][3] = {{RNICSIM_READ, RNICSIM_READ, RNICSIM_READ},
                                                 {RNICSIM_READ, RNICSIM_WRITE, RNICSIM_WRITE},
                                                 {RNICSIM_SEND, RNICSIM_READ, RNICSIM_WRITE_IMM},
                                                 {RNICSIM_WRITE, RNICSIM_READ, RNICSIM_READ},
                                                 {RNICSIM_FETCH_ADD, RNICSIM_FETCH_ADD, RNICSIM_FETCH_ADD},
                                                 {RNICSIM_WRITE, RNICSIM_CMP_SWAP, RNICSIM_READ}};
    uint32_t which = PICK(random, 0, 0, 1, 2, 3, 4, 5, 6);
    if (which == 0)
        return;
    s->more = mix[which - 1];
    s->more_count = 3;
    s->max_rd_atomic = PICK(random, 1, 2, 16);
    s->both_ways = PICK(random, 0, 1) != 0;
    if (PICK(random, 0, 0, 1))
        s->flags |= RNICSIM_FENCE;
}

/* Half of the systems have a line on which things go wrong. */
static void choose_faults(struct scenario *s, uint64_t *random)
{
    s->faults = PICK(random, 0, 0, 1, 3);
    for (size_t i = 0; i < s->faults; i++)
        s->fault[i] = (struct rnicsim_fault){.action = (enum rnicsim_fault_action)PICK(random, 0, 0, 1, 2, 3, 3, 4),
                                             .frames = PICK(random, 127, 3, 12, 16, 32, 64, 96),
                                             .from_host = PICK(random, 0, 1, RNICSIM_FAULT_ANY),
                                             .psn = RNICSIM_FAULT_ANY,
                                             .times = (enum rnicsim_fault_times)PICK(random, 0, 0, 1, 2),
                                             .to_ps = RNICSIM_NEVER,
                                             .nth = PICK(random, 0, 0, 1, 7),
                                             .every = PICK(random, 0, 3, 20),
                                             .most = PICK(random, 1, 3, 40),
                                             .probability_ppb = PICK(random, 0, 0, 100000000, 500000000),
                                             .delay_ps = PICK(random, 1, 1000000, 70000000)};
}

int random_system_has(const struct scenario *s, const char *key_and_begin)
{
    for (size_t i = 0; i < s->sets; i++)
        if (strncmp(s->set[i], key_and_begin, strlen(key_and_begin)) == 0)
            return 1;
    return 0;
}

/* The line: a third of the systems have none of it, the others a PHY; half of those bit errors or a pause. */
static void choose_line(struct scenario *s, uint64_t *random)
{
    static const char *const align[] = {"mac.start=1 B", "mac.start=4 B", "mac.start=8 B"};
    static const char *const fec[] = {"mac.fec=none", "mac.fec=rs528", "mac.fec=rs544", "mac.fec=rs272"};
    static const char *const pause[] = {"mac.pause=off", "mac.pause=link", "mac.pause=priority"};
    if (PICK(random, 0, 1, 1) == 0)
        return;
    s->set[s->sets++] = align[PICK(random, 0, 1, 2)];
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.deficit=on" : "mac.deficit=off";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.word=64 bit" : "mac.word=8 bit";
    s->set[s->sets++] = fec[PICK(random, 0, 1, 2, 3)];
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.fec_release=codeword" : "mac.fec_release=streaming";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.markers=on" : "mac.markers=off";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.marker_room=deleted" : "mac.marker_room=kept";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.link_up=0:0 100:600 ns" : "mac.link_up=0 ns";
    s->set[s->sets++] = PICK(random, 0, 1) ? "nic.peer_offset=200 ppm" : "nic.peer_offset=-133 ppm";
    s->set[s->sets++] = pause[PICK(random, 0, 1, 2, 0)];
    s->set[s->sets++] = "mac.headroom=20 KiB";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.pause_quanta=400" : "mac.pause_quanta=65535";
    s->set[s->sets++] = PICK(random, 0, 1) ? "mac.other_load=300000 ppm" : "mac.other_load=0 ppm";
    uint32_t switches = PICK(random, 0, 0, 1, 2);
    if (switches > 0 && !random_system_has(s, "mac.pause=link") && !random_system_has(s, "mac.pause=priority")) {
        s->set[s->sets++] = switches == 1 ? "mac.switches=1" : "mac.switches=3";
        s->set[s->sets++] = switches == 1 ? "mac.switch_forward=cut" : "mac.switch_forward=store";
    }
    if (s->faults > 0) /* where frames may be lost anyhow */
        s->set[s->sets++] = PICK(random, 0, 1) ? "mac.bit_errors=200000000" : "mac.bit_errors=0";
}

/* Other transports than RC carry what they can; some have marked packets, and react to them. */
static void choose_transport(struct scenario *s, uint64_t *random)
{
    int is_short_send = s->opcode <= RNICSIM_SEND_IMM && s->length_bytes <= s->mtu_bytes;
    s->transport = (enum rnicsim_transport)PICK(random, RNICSIM_RC, RNICSIM_RC, RNICSIM_UC, RNICSIM_UD, RNICSIM_XRC);
    if (s->transport == RNICSIM_UD && !is_short_send)
        s->transport = RNICSIM_UC;
    if (s->more && s->transport != RNICSIM_XRC)
        s->transport = RNICSIM_RC;
    if (s->transport == RNICSIM_XRC) {
        s->set[s->sets++] = "nic.srqc_entries=0";
        s->set[s->sets++] = "nic.receive_reads=0";
    }
    if (random_system_has(s, "transport.completion=sent") || PICK(random, 0, 0, 1) == 0)
        return;
    s->set[s->sets++] = "transport.congestion=dcqcn";
    s->set[s->sets++] = PICK(random, 0, 1) ? "transport.dcqcn_min_rate=2 Gbps" : "transport.dcqcn_min_rate=100 Mbps";
    s->set[s->sets++] = PICK(random, 0, 1) ? "transport.cnp_interval=0 ps" : "transport.cnp_interval=4 us";
    s->fault[s->faults++] = (struct rnicsim_fault){.action = RNICSIM_FAULT_MARK,
                                                   .frames = RNICSIM_FRAME_ANY,
                                                   .from_host = RNICSIM_FAULT_ANY,
                                                   .psn = RNICSIM_FAULT_ANY,
                                                   .to_ps = RNICSIM_NEVER,
                                                   .probability_ppb = 100000000};
}

struct scenario random_system(uint64_t seed, char text[SCENARIO_SETS_MAX][96])
{
    struct scenario s = scenario_default();
    uint64_t r = seed;
    s.seed = seed;
    s.opcode =
        (enum rnicsim_opcode)PICK(&r, RNICSIM_SEND, RNICSIM_SEND_IMM, RNICSIM_WRITE, RNICSIM_WRITE, RNICSIM_WRITE_IMM);
    s.length_bytes = PICK(&r, 0, 1, 8, 64, 200, 1024, 4095, 4096, 5000, 20000);
    s.mtu_bytes = PICK(&r, 256, 512, 1024, 2048, 4096);
    s.qps = PICK(&r, 1, 1, 2, 5, 16);
    s.batch = PICK(&r, 1, 1, 3, 16);
    s.outstanding = s.batch * PICK(&r, 1, 2, 7);
    s.messages = s.batch * (uint32_t)(20 + next_random(&r) % 60);
    s.flags = s.length_bytes <= 64 && (next_random(&r) & 1) ? RNICSIM_INLINE : 0;
    uint32_t iommu = PICK(&r, 0, 0, 1), policy = PICK(&r, 0, 0, 1, 2, 3, 4), classes = PICK(&r, 1, 1, 2, 3);
    uint32_t unit = policy == 2 ? 1 : PICK(&r, 0, 1, 2);
    s.has_unlike_qps = PICK(&r, 0, 1) != 0;
    uint64_t caches = seed * 977 + 5; /* a stream of its own */
    uint32_t has_caches = PICK(&caches, 0, 1, 1);
    uint64_t design = seed * 1013 + 3; /* and another: how open NICs are built */
    uint32_t is_sent = PICK(&design, 0, 0, 1);
    uint32_t is_request =
        PICK(&design, 0, 1, 1) & !has_caches & (policy != 2) & (policy != 4) & (unit != 1) & (classes == 1);
    uint64_t answers = seed * 1231 + 7, memory = seed * 577 + 11, loss = seed * 389 + 13;
    if (!is_sent)
        choose_opcodes(&s, &answers);
    choose_faults(&s, &loss);
    uint64_t shared = seed * 1709 + 13;
    s.has_srq = PICK(&shared, 0, 1, 1) != 0;
    s.srq_limit = PICK(&shared, 0, 1, 3);
    struct {
        const char *format;
        uint32_t value;
    } set[] = {{"pcie.lanes=%u", PICK(&r, 4, 8, 16)},
               {"pcie.generation=%u", PICK(&r, 3, 3, 3, 1, 4, 6)},
               {"pcie.tags=%u", PICK(&r, 2, 8, 32, 256)},
               {"pcie.completion_buffer=%u B", PICK(&r, 528, 2048, 32768)},
               {"pcie.completion_headers=%u", PICK(&r, 9, 128, 512)},
               {"nic.payload_buffer=%u KiB", PICK(&r, 8, 16, 128)},
               {"nic.operations=%u", PICK(&r, 1, 4, 64)},
               {"nic.wqe_cache=%u", PICK(&r, 2, 8, 16)},
               {"nic.cqe_fifo=%u", PICK(&r, 1, 32)},
               {"nic.dispatch_fifo=%u", PICK(&r, 1, 8)},
               {"transport.window=%u", PICK(&r, 1, 5, 256)},
               {"transport.ack_request_every=%u", PICK(&r, 1, 4, 32)},
               {"transport.ack_point=%s", PICK(&r, 0, 1, 2)},
               {"transport.retx_source=%s", PICK(&r, 0, 1)},
               {"nic.port_policy=%s", PICK(&r, 0, 1)},
               {"pcie.completions=%s", PICK(&r, 0, 1)},
               {"pcie.writes=%s", PICK(&r, 0, 1)},
               {"stage.sched.context.depth=%u packets", PICK(&r, 1, 2, 32)},
               {"nic.doorbell_fifo=%u", PICK(&r, 1, 128)},
               {"nic.fabric=%s", PICK(&r, 0, 0, 1, 2)},
               {"nic.fabric_clock=%u MHz", PICK(&r, 250, 156, 322)},
               {"nic.fabric_interval=%u cycle", PICK(&r, 1, 3)},
               {"nic.fabric_gap=%u cycle", PICK(&r, 0, 50)},
               {"pcie.posted_headers=%u", PICK(&r, 1, 4, 127)},
               {"pcie.posted_data=%u B", PICK(&r, 272, 1024, 32752)},
               {"pcie.nonposted_headers=%u", PICK(&r, 1, 3, 127)},
               {"pcie.np_blocks=%s", PICK(&r, 0, 1)},
               {"pcie.update_fc=%u ns", PICK(&r, 0, 50, 3000)},
               {"pcie.host_write_lines=%u", PICK(&r, 0, 5, 92)},
               {"pcie.host_write_order=%u ns", PICK(&r, 0, 0, 20)},
               {"pcie.damaged_tlps=%u ppm", PICK(&r, 0, 0, 20000)},
               {"pcie.lost_acks=%u ppm", PICK(&r, 0, 0, 5000)},
               {"pcie.replay_buffer=%u B", PICK(&r, 512, 4096, 32768)},
               {"pcie.straddle=%s", PICK(&r, 0, 1)},
               {"pcie.request_descriptor=%u B", PICK(&r, 0, 16)},
               {"pcie.skips=%s", PICK(&r, 0, 1)},
               {"pcie.retire=%s", PICK(&r, 0, 1)},
               {"pcie.refused_reads=%u ppm", PICK(&r, 0, 0, 0, 3000)},
               {"pcie.completion_timeout=%u us", PICK(&r, 50, 50000)},
               {"pcie.lost_completions=%u ppm", PICK(&r, 0, 0, 0, 2000)},
               {"pcie.relaxed_ordering=%s", PICK(&r, 0, 1, 2)},
               {"pcie.host_write=0:60 100:%u ns", PICK(&r, 60, 900)},
               {"pcie.iommu=%s", iommu},
               {"pcie.ats=%s", iommu & PICK(&r, 0, 1)},
               {"pcie.iommu_entries=%u", PICK(&r, 1, 4, 64)},
               {"pcie.host_dram_share=%u ppm", PICK(&r, 0, 0, 300000, 1000000)},
               {"pcie.host_remote=%u ns", PICK(&r, 0, 0, 100)},
               {"pcie.host_idle=%u ns", PICK(&r, 0, 0, 100)},
               {"pcie.host_wake=%u ns", PICK(&r, 0, 640)},
               {"pcie.host_stall_share=%u ppm", PICK(&r, 0, 0, 10000)},
               {"pcie.host_stall=%u ns", PICK(&r, 0, 5000)},
               {"pcie.atc_entries=%u", PICK(&r, 1, 4, 64)},
               {"pcie.other_up=%u ppm", PICK(&r, 0, 0, 400000)},
               {"pcie.other_down=%u ppm", PICK(&r, 0, 0, 400000)},
               {"pcie.peer_base=%u B", PICK(&r, 1u << 24, 1u << 25)},
               {"pcie.peer_bytes=%u B", PICK(&r, 0, 0, 8192)},
               {"host.completion=%s", PICK(&r, 0, 0, 1)},
               {"host.interrupt=0:500 100:%u ns", PICK(&r, 500, 9000)},
               {"nic.moderation_count=%u", PICK(&r, 1, 3)},
               {"nic.moderation_time=%u ns", PICK(&r, 300, 5000)},
               {"host.push=%s", PICK(&r, 0, 1)},
               {"nic.doorbell_record=%s", PICK(&r, 0, 1)},
               {"host.mmio_read=%s", PICK(&r, 0, 0, 1)},
               {"host.preempt_interval=%u us", PICK(&r, 0, 5)},
               {"host.preempt=0:0 100:%u ns", PICK(&r, 20, 1200)},
               {"stage.doorbell.decode.interval=%u cycle", PICK(&r, 1, 1, 200)},
               {"pcie.endpoint_posted_headers=%u", PICK(&r, 1, 2, 64)},
               {"pcie.endpoint_posted_data=%u B", PICK(&r, 256, 8192)},
               {"host.push_early=%u ppm", PICK(&r, 0, 200000)},
               {"host.doorbell=%u B", PICK(&r, 4, 8)},
               {"host.timer_interval=%u us", PICK(&r, 0, 0, 3)},
               {"host.timer=0:0 100:%u ns", PICK(&r, 20, 700)},
               {"host.sleep_after=%u ns", PICK(&r, 0, 0, 900)},
               {"host.wake=%u ns", PICK(&r, 0, 2000)},
               {"nic.qpc_entries=%u", has_caches * PICK(&caches, 0, 1, 2, 4, 8, 64)},
               {"nic.qpc_ways=%u", 1},
               {"nic.qpc_misses=%u", PICK(&caches, 1, 2, 8)},
               {"nic.qpc_bytes=%u B", PICK(&caches, 52, 64, 256, 1024)},
               {"nic.cqc_entries=%u", has_caches * PICK(&caches, 0, 1, 4, 16)},
               {"nic.cqc_ways=%u", 1},
               {"nic.cqc_replacement=%s", PICK(&caches, 0, 1, 2)},
               {"nic.srqc_entries=%u", has_caches * PICK(&shared, 0, 1, 4)},
               {"nic.srqc_ways=%u", 1},
               {"nic.srq_loop=%u cycle", PICK(&shared, 1, 1, 7, 150)},
               {"nic.srq_fetch=%u", PICK(&shared, 1, 3, 16)},
               {"nic.doorbell_coalesce=%s", PICK(&shared, 0, 1)},
               {"nic.payload_chunk=%u B", PICK(&shared, 64, 64, 512, 4096)},
               {"nic.payload_free_list=%u cycle", PICK(&shared, 0, 0, 1, 12)},
               {"nic.payload_banks=%u", PICK(&shared, 1, 1, 4)},
               {"nic.payload_ports=%u", PICK(&shared, 1, 2)},
               {"nic.retransmit_entries=%u", PICK(&shared, 0, 0, 1, 5, 64)},
               {"nic.mpt_entries=%u", has_caches * PICK(&caches, 0, 0, 1, 2)},
               {"nic.mpt_ways=%u", 1},
               {"nic.mtt_entries=%u", has_caches * PICK(&caches, 0, 2, 4, 16)},
               {"nic.mtt_ways=%u", PICK(&caches, 1, 2)},
               {"nic.mtt_replacement=%s", PICK(&caches, 0, 1, 2)},
               {"nic.mtt_misses=%u", PICK(&caches, 1, 8)},
               {"nic.mtt_bytes=%u B", PICK(&caches, 8, 64)},
               {"nic.mtt_levels=%u", PICK(&caches, 1, 2, 4)},
               {"nic.context_writes=%u", PICK(&caches, 1, 2, 32)},
               {"nic.context_ports=%u", PICK(&caches, 1, 2)},
               {"nic.responder_resources=%u", PICK(&answers, 1, 2, 16, 16)},
               {"nic.answer_latency=%u cycle", PICK(&answers, 1, 8, 100)},
               {"nic.answer_policy=%s", PICK(&answers, 0, 1, 2)},
               {"nic.staging=%s", PICK(&memory, 0, 0, 1)},
               {"nic.staging_buffer=%u KiB", PICK(&memory, 32, 64, 4096)},
               {"nic.staging_fifo=%u B", PICK(&memory, 4608, 16384)},
               {"nic.memory_channels=%u", PICK(&memory, 1, 2, 4)},
               {"nic.memory_rate=%u Gbps", PICK(&memory, 30, 150)},
               {"nic.memory_row=%u B", PICK(&memory, 256, 8192)},
               {"nic.memory_refresh_interval=%u ns", PICK(&memory, 900, 7800)},
               {"transport.timeout=%u", PICK(&loss, 0, 3, 5)},
               {"transport.retry_count=%u", PICK(&loss, 0, 2, 7)},
               {"transport.rnr_retry=%u", PICK(&loss, 0, 3, 7)},
               {"transport.rnr_timer=%u", PICK(&loss, 1, 4)},
               {"nic.retransmit_latency=%u cycle", PICK(&loss, 1, 200)},
               {"transport.recovery=%s", PICK(&loss, 0, 0, 1)},
               {"transport.timer=%s", PICK(&loss, 0, 0, 1, 2, 2)},
               {"nic.atomic=%s", PICK(&answers, 0, 1)},
               {"nic.atomic_locks=%u", PICK(&answers, 1, 64)},
               {"nic.answer_buffer=%u KiB", PICK(&answers, 5, 8, 64)},
               {"nic.scheduler=%s", policy},
               {"nic.quantum_unit=%s", unit},
               {"nic.quantum=%u", unit == 1 ? PICK(&r, 4200, 20000) : PICK(&r, 1, 1, 3)},
               {"nic.classes=%u", classes},
               {"nic.class_scheduler=%s", PICK(&r, 0, 1, 3, 4)},
               {"nic.class1_weight=%u", PICK(&r, 1, 3)},
               {"nic.class1_rate=%u Mbps", PICK(&r, 0, 3000)},
               {"nic.rate_burst=%u B", PICK(&r, 0, 10000)},
               {"nic.qp_requests=%u", PICK(&r, 1, 4, 32768)},
               {"nic.requests=%u", PICK(&r, 1, 5, 1048576)},
               {"nic.wqe_prefetch=%u", PICK(&r, 1, 3, 16)},
               {"nic.wqe_fetch_most=%u", PICK(&r, 1, 2, 8)},
               {"nic.wqe_fetch_interval=%u cycle", PICK(&r, 0, 1, 9)},
               {"pcie.host_write_ack=%u ns", PICK(&r, 0, 68, 300)},
               {"pcie.host_snoop=%u ns", PICK(&r, 0, 0, 90)},
               {"transport.completion=%s", is_sent},
               {"nic.sent_latency=%u cycle", PICK(&design, 1, 9)},
               {"nic.cq_loop=%u cycle", PICK(&design, 1, 1, 12, 200)},
               {"stage.payload.build.gap=%u cycle", PICK(&design, 0, 1, 30)},
               {"stage.tx.mac.pause=%u cycle", PICK(&design, 0, 5, 70)},
               {"nic.grant=%s", is_request},
               {"nic.wqe_hold=%u cycle", PICK(&design, 0, 0, 27)},
               {"nic.wqe_reads=%u", PICK(&design, 1, 3, 8)},
               {"nic.request_hold=%u cycle", PICK(&design, 1, 21)},
               {"nic.receive_reads=%u", PICK(&design, 0, 0, 1, 16)},
               {"nic.dispatch_place=%s", PICK(&design, 0, 1)},
               {"nic.dispatch_return=%u cycle", PICK(&design, 1, 5)},
               {"nic.receive_cqe=%s", PICK(&design, 0, 1)},
               {"nic.receive_cqe_latency=%u cycle", PICK(&design, 1, 7)},
               {"nic.write_status=%u cycle", PICK(&design, 0, 19)},
               {"nic.event_latency=%u cycle", PICK(&design, 0, 55)},
               {"nic.interrupt_latency=%u cycle", PICK(&design, 0, 34)},
               {"nic.cq_commit=%u cycle", PICK(&design, 0, 0, 6, 300)}};
    static const char *const word[][5] = {{"accepted", "issued", "visible"},
                                          {"host", "buffer"},
                                          {"ack_first", "round_robin"},
                                          {"mps", "rcb"},
                                          {"greedy", "aligned"},
                                          {"off", "stream", "memory"},
                                          {"off", "on"},
                                          {"off", "on"},
                                          {"off", "on"},
                                          {"arrival", "in_order"},
                                          {"off", "payload", "all"},
                                          {"off", "on"},
                                          {"off", "on"},
                                          {"poll", "interrupt"},
                                          {"off", "on"},
                                          {"off", "on"},
                                          {"off", "on"},
                                          {"lru", "random", "plru"},
                                          {"off", "on"},
                                          {"lru", "random", "plru"},
                                          {"in_turn", "first", "last"},
                                          {"off", "on"},
                                          {"go_back_n", "selective"},
                                          {"ibta", "pow2", "hls_scan"},
                                          {"nic", "host"},
                                          {"rr", "wrr", "drr", "strict", "wfq"},
                                          {"packet", "byte", "message"},
                                          {"rr", "wrr", "drr", "strict", "wfq"},
                                          {"acked", "sent"},
                                          {"step", "request"},
                                          {"dispatched", "written"},
                                          {"with_payload", "when_written"}};
    _Static_assert(sizeof set / sizeof *set + 21 <= SCENARIO_SETS_MAX, "more room for settings is needed");
    int words = 0;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const char *at = set[i].format;
        char *to = text[i];
        int is_word = 0;
        for (; *at; at++)
            is_word |= at[0] == '%' && at[1] == 's';
        size_t prefix = 0;
        while (set[i].format[prefix] != '%')
            prefix++;
        if (is_word)
            snprintf(to, 96, "%.*s%s", (int)prefix, set[i].format, word[words++][set[i].value]);
        else
            snprintf(to, 96, "%.*s%u%s", (int)prefix, set[i].format, set[i].value, set[i].format + prefix + 2);
        s.set[s.sets++] = to;
    }
    uint64_t transports = seed * 797 + 17;
    choose_transport(&s, &transports);
    uint64_t line = seed * 863 + 29;
    choose_line(&s, &line);
    return s;
}
