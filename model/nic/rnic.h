/* One RNIC: its netlist. The decision points are code, one file each; the stages between them are the nic file's.
 *
 * In call order, for one RDMA WRITE ([D]: a decider, the file that holds it):
 *   host's store -> [D down: dma.c] -> path doorbell -> [D scheduler: scheduler.c] -> path sched -> read engine (pcie/read.c)
 *     (or user logic in the FPGA: fabric.c -> scheduler)
 *     -> up, host, down -> WQE: path wqe -> scheduler; payload: in order, path payload -> [D port: port.c] -> path tx
 *     -> line and cable -> the peer's path mac_rx -> [D arrival: receive_arrive.c] -> path rx -> [D dispatch: receive.c]
 *   data: receive_respond.c -> path respond -> [D up: dma.c] -> memory;  and path ack -> port -> line -> ...
 *   a packet's place, the RAM that its payload goes through, what is kept of it until the ACK: payload.h
 *   both wait in front of dispatch for contexts that are not on chip, grants in the scheduler: context.h
 *   a READ or an atomic: answers.c -> [D scheduler] -> like data, as an answer -> at the requester like data -> [D retire]
 *   SENDs may wait in front of dispatch for receive WQEs, or for the context of their SRQ, too: receive_wqe.h, srq.h
 *   congestion: congestion.h (CNPs like ACKs; retire; the rate in the scheduler)
 *   what is lost: recover.h, selective.h (retire's decision); what goes wrong on the line: faults.h (the port's)
 *   grants of whole requests: follow.h, their fetches: path fetch
 *   ACK (or the MAC, sent.c):  -> path retire -> [D retire: retire.c] -> path cqe -> [D up] -> memory -> the host's poll */
#ifndef NIC_RNIC_H
#define NIC_RNIC_H

#include "host/host.h"
#include "kernel/arb.h"
#include "kernel/heap.h"
#include "kernel/item.h"
#include "kernel/path.h"
#include "mac/line.h"
#include "nic/access.h"
#include "nic/answers.h"
#include "nic/atomics.h"
#include "nic/congestion.h"
#include "nic/content.h"
#include "nic/context.h"
#include "nic/fabric.h"
#include "nic/faults.h"
#include "nic/follow.h"
#include "nic/keys.h"
#include "nic/local.h"
#include "nic/lookup.h"
#include "nic/message.h"
#include "nic/outbox.h"
#include "nic/params.h"
#include "nic/pause.h"
#include "nic/payload.h"
#include "nic/qp.h"
#include "nic/ready.h"
#include "nic/receive_wqe.h"
#include "nic/selective.h"
#include "nic/srq.h"
#include "nic/staging.h"
#include "nic/tap.h"
#include "pcie/pcie.h"

enum rnic_path {
    RNIC_DOORBELL,
    RNIC_SCHED,
    RNIC_WQE,
    RNIC_PAYLOAD,
    RNIC_ACK,
    RNIC_TX,
    RNIC_MAC_RX,
    RNIC_RX,
    RNIC_RESPOND,
    RNIC_RETIRE,
    RNIC_CQE,
    RNIC_FETCH, /* from a grant that fetches to path sched; without stages it is not used */
    RNIC_PATHS
};

extern const char *const rnic_path_name[RNIC_PATHS];

#define RNIC_PATH_STAGES_MAX 24
#define RNIC_FRAME_BYTES_MAX 4608u /* headers and 4096 bytes, with room to spare */

/* What the netlist is built from; all outlives the NIC. */
struct rnic_setup {
    struct sim *sim;
    const char *name; /* "a" */
    uint64_t entity;  /* of its random streams; the NIC's number */
    const struct nic_params *nic;
    const struct pcie_params *pcie;
    const struct mac_params *mac;
    const struct transport_params *transport;
    const struct host_params *host;
    struct path_stage stage[RNIC_PATHS][RNIC_PATH_STAGES_MAX]; /* clk is not set: on_mac_clock tells */
    uint8_t on_mac_clock[RNIC_PATHS][RNIC_PATH_STAGES_MAX];
    const char *holds[RNIC_PATHS][RNIC_PATH_STAGES_MAX]; /* what each stage's FIFO holds, in words */
    int stages[RNIC_PATHS];
    int64_t phase_ps; /* added to all its clocks */
    int64_t off_ppb;  /* to their errors */
    int64_t host_shift_ps;
    int posts_from_fabric; /* of a pair the first: where nic.fabric says so */
    struct pool *items;
    struct pool *messages;
    struct pool *trips; /* struct rnic_trip */
    struct sges *sges;  /* of the messages */
    struct outbox *outbox;
    struct contents *contents; /* NULL: payload holds nothing */
};

/* The stamps of a last packet that is sent again: its message takes them over when it is accepted. */
struct rnic_trip {
    int64_t stamp_ps[MESSAGE_STAMPS];
};

struct rnic_doorbell {
    uint32_t qp, count; /* WQEs rung for */
    int pushed;         /* the WQEs came with it */
};

enum rnic_wait { /* what a decision point waited for; the API's causes */
                 RNIC_WAIT_INPUT,
                 RNIC_WAIT_DOWNSTREAM,
                 RNIC_WAIT_BUFFER,
                 RNIC_WAIT_WINDOW,
                 RNIC_WAIT_CONTEXT,
                 RNIC_WAIT_CONTEXT_MISS,
                 RNIC_WAIT_WQE,
                 RNIC_WAIT_RATE,
                 RNIC_WAIT_REQUEST,
                 RNIC_WAIT_RECEIVE_WQE,
                 RNIC_WAIT_SRQ,
                 RNIC_WAIT_RETRANSMIT,
                 RNIC_WAIT_RETRY,
                 RNIC_WAITS
};

struct rnic_decision { /* the time account of a decision point, in user cycles */
    uint64_t items;
    int64_t work_cyc, wait_cyc[RNIC_WAITS];
};

struct rnic {
    struct rnic_setup setup;
    struct sim *sim;
    const struct nic_params *params;
    struct rnic *peer;
    struct host host;
    struct clk user_clk, mac_clk;
    struct line line;
    int line_holds; /* mac.back_pressure */
    struct pause pause;
    struct pcie pcie;
    struct path path[RNIC_PATHS];

    struct qp *qp;
    uint32_t qps, qp_room;
    struct qp_table by_number;
    struct keys keys; /* of its host's memory */

    struct pool doorbells; /* struct rnic_doorbell, on their way */
    int stores_wait; /* in the receive buffer, for space in the doorbell path, or for an instant at which that is decided */
    uint64_t coalesced; /* doorbells that were added to one that waited */

    enum nic_fabric fabric_source; /* who posts here: the host's CPU, or user logic in the FPGA */
    struct fabric fabric;

    /* scheduler */
    int scheduler;
    struct heap eligible;                 /* QPs that become eligible at a later cycle */
    struct ready ready;                   /* those that are */
    uint32_t waiting_first, waiting_last; /* QPs, for a request to retire */
    int has_gates;       /* a QP that is eligible may have to wait apart: for a request, or a context */
    int has_more_inputs; /* beside doorbells and WQEs: user logic's posts, contexts */
    int begun_limited;   /* nic.qp_requests or nic.requests */
    int holds_requests;  /* or READs and atomics, or what is done where it is posted */
    int has_local;       /* there may be such */
    struct space begun;  /* requests, begun and not retired, user cycles; no depth: no limit */
    int64_t scheduler_free_cyc, fetch_interval_cyc;
    int64_t scheduler_wake_cyc, scheduler_wake_ps; /* the latest wake for what came back: the same instant twice */
    struct space payload_space;                    /* chunks, user cycles */
    struct level payload_level;
    int waits_for_read, waits_for_space; /* the scheduler, for what nobody has given back yet */
    struct rnic_decision scheduling;
    enum rnic_wait scheduler_blocked_by;

    int grants_requests;
    struct follow follow;
    struct fifo *fetch_entry; /* where the scheduler pushes fetches */
    uint32_t fetch_most;      /* WQEs in one */

    int64_t told_cyc; /* of the latest read that brought something else than payload, or did not */

    /* payload in the order of the read operations */
    uint32_t *order;
    uint32_t order_mask, order_first, order_next;
    int64_t payload_last_cyc;
    int payload_waits;   /* for space in its path */
    int forwards_slowly; /* packets are built one after the other, or come out of the buffer so */

    /* port, line, receive, retire */
    struct arb port;
    int arrival, dispatch, retire;
    int64_t dispatch_free_cyc, retire_free_cyc, ack_last_cyc;
    int64_t retire_other_cyc; /* nothing but ACKs is there for the retire decider before */
    struct rnic_decision dispatching, retiring;
    uint32_t retiring_qp;    /* the QP whose requests are being retired, QP_NONE */
    int retiring_nak;        /* it fails when they are */
    struct heap returned;    /* messages of which the answer is written, from the cycle on */
    int completes_when_sent; /* transport.completion */
    int tells_when_sent;     /* that, or a QP is unreliable */
    struct agenda sent;      /* of such: what the requester is to be told, by when */
    int sent_waits;          /* for space in path retire */
    int cqs_are_busy;        /* a CQ may have to be waited for */
    struct agenda commits;   /* CQs whose CQEs are written, by when that is known */
    int recovers;            /* transport.recovery */
    struct selective selective;
    struct congestion congestion;
    struct heap timers; /* QPs, by when theirs may end */
    struct heap missed; /* QPs of which an answer has not come, by when that is seen */
    struct recover_event *recovered;
    uint64_t retransmits[RECOVER_CAUSES], repeated; /* how often QPs went back, and packets that they sent again */
    struct heap flush;                              /* QPs in error with requests to flush */
    struct heap failing; /* requests of which a read over PCIe fails: QP and number, from the cycle on */

    struct rnic_events {
        int on;
        struct agenda pending; /* CQEs that no event has told of, by when they are visible */
        struct agenda limits;  /* SRQs below their limit, the same, by when they were */
        uint64_t untold, raised;
    } events;

    struct contexts contexts; /* that are not all on chip */
    struct lookup lookup;     /* units that look them up */
    struct staging staging;
    struct faults faults;
    struct tap *tap; /* NULL: nobody listens at the line */
    int hands_over;  /* frames: to the tap, or the faults */
    struct answers answers;
    struct atomics atomics;
    struct fetched_receives receives_fetched;
    int looks_ahead;         /* dispatch: at contexts, or receive WQEs, that are to be fetched */
    int place_until_written; /* nic.dispatch_place */
    struct
    { /* packets that are dispatched, in order: from when on their places are free; SIM_NEVER: they are being written */
        int64_t *free_cyc, last_cyc;
        uint32_t mask, first, next;
    } places;
    int receive_cqe_apart;  /* nic.receive_cqe */
    struct agenda received; /* messages whose CQEs are to be made */

    struct srqs srqs;
    struct payload payload;

    uint64_t data_packets, ack_packets, payload_bytes;
    uint64_t drops_full, drops_sequence;                    /* no space at arrival, PSN not expected */
    uint64_t drops_underrun, drops_not_read, drops_damaged; /* wrong FCS: see enum item_bad */
    uint64_t drops_unwanted; /* what an unreliable QP has no receive WQE for, or whose Q_Key or length is wrong */
    uint64_t drops_planned;  /* on the line, by the plan of faults */
    uint64_t requests, completions, errors, receives;
    uint64_t seen_early; /* messages of which the CQE or the last byte was seen before all payload: relaxed ordering */
};

/* First for both NICs of a pair: clocks, PCIe. peer: the other one, at the end of the line. Returns 0, or -1 with one line in
 * `error`. */
int rnic_init(struct rnic *rnic, const struct rnic_setup *setup, struct rnic *peer, char *error, size_t error_bytes);
/* Then for both: the paths and the decision points. */
int rnic_build(struct rnic *rnic, char *error, size_t error_bytes);
/* Then for both: who reaches whom, how soon (R6). outbox: its decider. */
int rnic_declare(struct rnic *rnic, int outbox);
void rnic_free(struct rnic *rnic);
/* The largest item that a path carries. */
uint32_t rnic_largest_item_bytes(const struct rnic *rnic, enum rnic_path path);

/* The host's doorbell: `count` messages of `qp`, already in its send ring, were posted by a call that began at at_ps. Pushed
 * or 8 B is decided here. */
int rnic_ring(struct rnic *rnic, uint32_t qp, uint32_t count, int64_t at_ps);

/* ---- between the files of this folder ---- */

static inline int64_t rnic_cycle(const struct rnic *rnic, int64_t at_ps)
{
    return clk_at_or_after(&rnic->user_clk, at_ps);
}

static inline int64_t rnic_ps(const struct rnic *rnic, int64_t cyc)
{
    return clk_edge(&rnic->user_clk, cyc);
}

static inline struct item *rnic_item(const struct rnic *rnic, uint32_t index)
{
    return (struct item *)rnic->setup.items->slot + index;
}

static inline struct message *rnic_message(const struct rnic *rnic, uint32_t index)
{
    return message_at(rnic->setup.messages, index);
}

static inline uint32_t rnic_message_index(const struct rnic *rnic, const struct message *message)
{
    return (uint32_t)(message - message_at(rnic->setup.messages, 0));
}

static inline uint32_t rnic_qp_index(const struct rnic *rnic, const struct qp *qp)
{
    return (uint32_t)(qp - rnic->qp);
}

/* Where the stamps of a last packet are written. */
static inline int64_t *rnic_stamps(const struct rnic *rnic, const struct item *item)
{
    return __builtin_expect(item->trip > 0, 0) ? ((struct rnic_trip *)rnic->setup.trips->slot)[item->trip - 1].stamp_ps
                                               : rnic_message(rnic, item->message)->stamp_ps;
}

static inline struct rnic_doorbell *rnic_doorbell(const struct rnic *rnic, uint32_t index)
{
    return (struct rnic_doorbell *)rnic->doorbells.slot + index;
}

/* Waits on a FIFO: 0 when an item of `bytes` fits at start_cyc or before; else *wake_at is when to come again. */
int rnic_blocked(struct rnic *rnic, struct fifo *fifo, uint32_t bytes, int64_t start_cyc, int64_t *wake_at);
/* Pushes an item that leaves its decision point at start_cyc and is seen one cycle later. */
static inline void rnic_forward(struct fifo *fifo, int64_t start_cyc, uint32_t bytes, uint32_t ref)
{
    fifo_push(fifo, start_cyc, start_cyc + 1, start_cyc + 1, bytes, ref);
}

/* Units of 64 bytes that a packet's payload takes in a buffer. */
static inline uint32_t rnic_payload_units(uint32_t payload_bytes)
{
    return (payload_bytes + 63) / 64;
}

/* Payload's units leave the payload buffer at at_cyc. */
void rnic_free_payload(struct rnic *rnic, uint32_t payload_bytes, int64_t at_cyc);

/* The host's stores go on from the endpoint's receive buffer to the doorbell path, in order, as far as that has space. It makes no
 * choice: it runs inside whoever brings a store or frees that space. */
void doorbell_forward(struct rnic *rnic);
/* Lets the read engine send what it can. */
void rnic_run_reads(struct rnic *rnic);
/* The horizon of a decider that frees the space of two paths: only now, while anybody waits for it (see sim_reach()). */
int64_t rnic_horizon(const struct rnic *rnic, int decider, enum rnic_path freed, enum rnic_path also_freed);

/* Interrupts (events.c). A CQE is written; the event that tells of all of them is. */
int events_init(struct rnic *rnic, char *error, size_t error_bytes);
void events_free(struct rnic *rnic);
void events_cqe_written(struct rnic *rnic, enum outbox_kind kind, uint32_t message, const struct pcie_up *up);
void events_raised(struct rnic *rnic, const struct pcie_up *up);
/* An SRQ has fewer WQEs than its limit. Inside a decision of the user clock's. */
void events_srq_limit(struct rnic *rnic, uint32_t srq);
/* From when on a TLP that up tells of was on the link. */
int64_t dma_begun_ps(const struct rnic *rnic, const struct pcie_up *up);

/* Payload in several places (places.c): where a packet's goes to, NULL: it is one place; */
const struct sge_list *places_of(const struct rnic *rnic, const struct item *item);
/* what the read operation of a packet begins with; what its write does; */
void places_gather(struct rnic *rnic, uint32_t read, const struct item *item);
void places_scatter(const struct rnic *rnic, const struct item *item, struct pcie_write *write);
/* and each further one of them (pcie_segment_fn). */
struct pcie_place places_segment(void *rnic, int is_write, uint32_t ref, uint32_t left);

/* The PCIe side: first its own state and deciders, then, when the paths stand, what it reads and writes. */
int dma_init(struct rnic *rnic, char *error, size_t error_bytes);
void dma_join(struct rnic *rnic);

/* Doorbell records. A doorbell was decoded; */
void record_rung(struct rnic *rnic, struct qp *qp, const struct rnic_doorbell *doorbell);
/* the scheduler has granted the read of the record: the operation's index; */
uint32_t record_read(struct rnic *rnic, uint32_t qp);
/* what was read is here; */
void record_is_here(struct rnic *rnic, uint32_t qp, int has_failed, int64_t now_cyc);
/* the QP is in error: what was rung for is known now, to be flushed. */
void record_give_up(struct rnic *rnic, struct qp *qp);

/* What path wqe brings: a QP whose WQEs are fetched, or whose doorbell record was read, or could not be. */
#define RNIC_IS_RECORD (1u << 31)
#define RNIC_HAS_FAILED (1u << 30)
#define RNIC_IS_RECEIVE (1u << 29) /* a receive WQE: below, its packet in the ring of them */
#define RNIC_RECEIVE_OF(ref) ((ref) & (RNIC_IS_RECEIVE - 1))
#define RNIC_FETCH_SHIFT 20u /* above the QP: which of its fetches */
#define RNIC_QP_OF(ref) ((ref) & ((1u << RNIC_FETCH_SHIFT) - 1))
#define RNIC_FETCH_OF(ref) ((ref) >> RNIC_FETCH_SHIFT & (QP_FETCHES_MAX - 1))

#define RNIC_OPERATION_BYTES 1u /* of path sched: one beat of any width */

/* The packet that the QP would send next. */
static inline uint32_t rnic_next_payload_bytes(const struct rnic *rnic, const struct qp *qp)
{
    uint32_t left = rnic_message(rnic, qp->send[qp->cut & qp->send_mask])->request_bytes - qp->offset_bytes;
    return left < qp->mtu_bytes ? left : qp->mtu_bytes;
}

/* Whether its next packet takes one of a limited number of requests that all QPs share. */
static inline int rnic_begins_request(const struct rnic *rnic, const struct qp *qp)
{
    return __builtin_expect(rnic->begun_limited, 0) && rnic->begun.depth > 0 && qp->offset_bytes == 0 &&
           !qp->is_followed && !rnic_message(rnic, qp->send[qp->cut & qp->send_mask])->begun;
}

/* What a granted QP does: it fetches WQEs, reads its doorbell record, or sends a packet, whose frame's bytes are returned. */
void grant_fetch(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
void grant_record(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
uint32_t grant_packet(struct rnic *rnic, uint32_t qp, int64_t now_cyc);
/* A packet in two steps: it is made, and its item returned; its payload is read, unless its address could not be. */
uint32_t grant_cut(struct rnic *rnic, uint32_t qp);
void grant_read(struct rnic *rnic, uint32_t item, int has_failed, int64_t now_cyc);

int scheduler_init(struct rnic *rnic, char *error, size_t error_bytes);
/* From now on packets of answers have their turns, too. */
void scheduler_grant_answers(struct rnic *rnic);
/* Queues the QP if it has something to do, for its decision to look at; returns the cycle from which on it is eligible, else SIM_NEVER. */
int64_t scheduler_enqueue(struct rnic *rnic, uint32_t qp, int64_t cyc, enum qp_wait waited_for);
/* Takes what the scheduler sees by now; returns when it will see the next. Inside its decision. */
int64_t inputs_take(struct rnic *rnic, int64_t now_cyc);
/* A fetch of the QP's is here; its WQEs count when those of the fetches before it do. */
void inputs_take_fetch(struct rnic *rnic, struct qp *qp, uint32_t fetch);
/* When a packet of the QP finds a read operation, payload buffer and space in path sched; SIM_NEVER: not decided yet. */
int64_t scheduler_packet_when(struct rnic *rnic, const struct qp *qp, int *waits_for_read, int *waits_for_space);

/* Something of the QP has changed that the scheduler sees at cyc. */
void scheduler_kick(struct rnic *rnic, uint32_t qp, int64_t cyc, enum qp_wait waited_for);

/* The QP, which is not queued, is eligible from the cycle on. */
void scheduler_queue(struct rnic *rnic, uint32_t qp, int64_t cyc);

/* Whether the QP must not begin its next request, which is fetched: for those of its own that are under way. */
int requests_hold(const struct rnic *rnic, const struct qp *qp);
/* Whether the QP's next work, a packet or a fetch for a request, would begin one at cyc while nic.requests are begun. */
int requests_must_wait(const struct rnic *rnic, uint32_t qp, int is_fetch, int is_packet, int64_t cyc);
/* It waits apart until one retires, so that the QPs which have begun theirs can go on. */
void requests_wait(struct rnic *rnic, uint32_t qp);
/* A QP that was to have a place has nothing to send any more: the next one that waits has its turn. */
void requests_pass_on(struct rnic *rnic, int64_t cyc);
/* One is retired: its place is free at cyc. */
void requests_retired(struct rnic *rnic, int64_t cyc);

/* Payload that is complete goes on, in the order of the operations, as far as there is space. It makes no choice: it runs inside
 * whoever completes payload or frees its space. */
void port_forward_payload(struct rnic *rnic);
/* What the scheduler waits for comes back at cyc. */
static inline void rnic_wake_scheduler(struct rnic *rnic, int waits, int64_t cyc)
{
    if (!waits)
        return;
    rnic->scheduler_wake_cyc = cyc;
    rnic->scheduler_wake_ps = rnic_ps(rnic, cyc);
    sim_wake(rnic->sim, rnic->scheduler, rnic->scheduler_wake_ps);
}
/* Something else than an ACK is there for the retire decider from cyc on. */
static inline void rnic_wake_retire(struct rnic *rnic, int64_t cyc)
{
    if (cyc < rnic->retire_other_cyc)
        rnic->retire_other_cyc = cyc;
    sim_wake(rnic->sim, rnic->retire, rnic_ps(rnic, cyc));
}
/* The scheduler: a frame of the QP is granted. */
static inline void rnic_pay(struct rnic *rnic, uint32_t qp, uint32_t frame_bytes)
{
    if (__builtin_expect(rnic->congestion.on, 0))
        congestion_sent(rnic, qp, frame_bytes);
    rate_pay(&rnic->qp[qp].rate, frame_bytes, rnic->sim->now);
}
int port_init(struct rnic *rnic, char *error, size_t error_bytes);

/* Requests that are complete when their last frame is sent (sent.c). The frame's last byte is on the line at at_ps; */
void sent_frame(struct rnic *rnic, uint32_t item, int64_t at_ps);
/* those that wait for space in path retire go on. */
void sent_forward(struct rnic *rnic);
int sent_init(struct rnic *rnic);
/* From now on there are QPs that are unreliable by themselves; the MAC tells retire of them. Before the first post; -1 without memory. */
int sent_turn_on(struct rnic *rnic);

/* The QP of the NIC's own at which the message arrives. */
static inline uint32_t rnic_receiver_of(const struct rnic *rnic, const struct message *message)
{
    const struct qp *sender = &rnic->peer->qp[message->qp];
    return sender->transport == QP_UD ? message->to : sender->peer;
}

#include "nic/errors.h"
#include "nic/receive.h"
#include "nic/retire.h"

#endif
