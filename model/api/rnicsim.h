/* rnicsim: two RDMA NICs and a cable, simulated; this is the whole interface, and the only installed header.
 *
 * A simulation is created from text files, given QPs and memory regions, fed with work requests, and advanced in
 * simulated time; whatever a host can see (completions, remote writes) is then polled. No globals: any number of
 * simulations live in one process. Nothing here prints, exits or reads the clock of the machine.
 *
 * Time is in picoseconds since the start, signed 64 bit, at most 2^62 (53 days). Every function that can fail returns an enum rnicsim_result
 * and, when it is not RNICSIM_OK, one line of text in `error`. After RNICSIM_EMODEL (the model found itself wrong)
 * the simulation stays failed: every later call says so again. */
#ifndef RNICSIM_H
#define RNICSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RNICSIM_VERSION "0.1.0"
#define RNICSIM_NEVER INT64_MAX
#define RNICSIM_TIME_MAX ((int64_t)1 << 62) /* the last instant that may be asked for */

/* What the shared library exports. */
#ifndef RNICSIM_API
#define RNICSIM_API __attribute__((visibility("default")))
#endif

struct rnicsim;

enum rnicsim_result {
    RNICSIM_OK = 0,
    RNICSIM_EINPUT = 2, /* the caller's input is wrong; nothing was changed */
    RNICSIM_EMODEL = 3  /* the model found itself wrong; the simulation is dead */
};

struct rnicsim_error {
    char text[512];
};

/* ---- create ---- */

struct rnicsim_options {
    const char *board;      /* a board's name ("u280_100g") or the path of a board file */
    const char *host;       /* a host preset or file; NULL: the board's own */
    const char *mac;        /* a MAC preset or file; NULL: the board's own, if it names one */
    const char *const *set; /* "key=value", as after -s */
    size_t set_count;
    uint64_t seed;
    const char *data_dir; /* the folder of boards/ nics/ macs/ endpoints/ hosts/; NULL: as rnicsim_data_folder() says */
    int data; /* 1: payload holds bytes, of hosts that have memory: rnicsim_memory_write(). No time changes. 2: memory that nobody
               * has written holds a pattern, and messages are compared with it when they are whole: data_right_bytes */
    int horizon_off;        /* 1: one grant a decision. Same results, slower: the exactness reference */
    int idle_pair;          /* 1: adds an idle second pair of NICs (for tests: it must change nothing) */
    uint64_t spurious_seed; /* not 0: deciders are also woken at random instants (for tests: it must change nothing) */
    int64_t shift_ps;       /* all clocks start this much later; stamps are reported without it (for tests) */
};

RNICSIM_API int rnicsim_create(const struct rnicsim_options *options, struct rnicsim **out,
                               struct rnicsim_error *error);
RNICSIM_API void rnicsim_destroy(struct rnicsim *sim);

/* ---- objects: host is 0 or 1 ---- */

/* What a QP does when something is lost (IBTA vol. 1, 9.7.5 and 9.7.6). */
struct rnicsim_retry {
    uint32_t timeout;     /* 0 .. 31: the ACK timer ends 4.096 us * 2^timeout after the last progress; 0: no timer */
    uint32_t retry_count; /* 0 .. 7 times without progress; then the QP fails (RETRY_EXC_ERR) */
    uint32_t rnr_retry;   /* 0 .. 6 where the peer has no receive WQE, or 7: for ever (RNR_RETRY_EXC_ERR) */
    uint32_t rnr_timer;   /* 0 .. 31: the time that it asks its peer to wait for, in the same case; 0 is the longest */
};

/* What carries a QP's messages; both ends have the same. */
enum rnicsim_transport {
    RNICSIM_RC,
    RNICSIM_UC, /* no ACKs: a request is complete when it has left; SENDs and WRITEs */
    RNICSIM_UD, /* SENDs of one packet, to any UD QP; a receive buffer begins with 40 bytes for the GRH */
    RNICSIM_XRC /* as RC, but a message names the peer's SRQ that it takes a buffer from */
};

enum rnicsim_qp_state {
    RNICSIM_QP_RTS, /* sends and receives */
    RNICSIM_QP_RESET,
    RNICSIM_QP_INIT, /* receive buffers can be posted; what comes is dropped, here and in RESET and ERROR */
    RNICSIM_QP_RTR,  /* receives */
    RNICSIM_QP_SQD,  /* as RTS, but no request begins */
    RNICSIM_QP_ERROR /* what is posted is flushed */
};

struct rnicsim_qp_attr {
    uint32_t host;
    uint32_t qpn; /* 1 .. 2^24-1, unique on its host */
    uint32_t peer_host;
    uint32_t peer_qpn;
    uint32_t mtu_bytes;                /* 256 512 1024 2048 4096 */
    uint32_t sq_depth;                 /* WQEs, 1 .. 32768 */
    uint32_t rq_depth;                 /* WQEs, 0 .. 32768 */
    uint32_t max_inline_bytes;         /* 0 .. 1024 */
    int signal_all;                    /* every request is signalled, whatever its flag */
    uint32_t service_level;            /* 0 .. 15: its traffic class, and with nic.scheduler = strict its priority */
    uint32_t weight;                   /* 1 .. 255, where the scheduler counts weights; 0: 1 */
    uint32_t max_rd_atomic;            /* READs and atomics that it may have under way, 0 .. 65535; 0: it posts none */
    const struct rnicsim_retry *retry; /* NULL: as the parameters transport.timeout and so on have it */
    int64_t rate_bps;                  /* of its frames with FCS, 1,000 bit/s or more; 0: no limit */
    uint32_t srqn; /* an SRQ of its host, which it takes receive buffers from (rq_depth is 0 then); 0: its own queue */
    enum rnicsim_transport
        transport;   /* XRC: rq_depth and srqn are 0. UD: peer_qpn is where requests go that name no QP */
    uint32_t sq_psn; /* 0 .. 2^24-1, of its first packet */
    uint32_t qkey;   /* of a UD QP: what does not have it is dropped */
    uint32_t pd;     /* protection domain: keys of others are refused */
    uint32_t access; /* what its peer may do, enum rnicsim_access */
    /* RTS: at once, and with what its peer begins; RESET: the rest is said by rnicsim_qp_modify() */
    enum rnicsim_qp_state state;
    uint32_t rq_psn; /* from INIT to RTR: the first that its peer sends */
};

struct rnicsim_srq_attr {
    uint32_t host;
    uint32_t srqn;  /* 1 .. 2^24-1, unique on its host */
    uint32_t depth; /* WQEs, 1 .. 32768 */
    uint32_t limit; /* 0 .. depth: as rnicsim_srq_arm() */
};

/* Creates a shared receive queue, before the QPs that take from it; not with nic.context_unit. */
RNICSIM_API int rnicsim_srq_create(struct rnicsim *sim, const struct rnicsim_srq_attr *attr,
                                   struct rnicsim_error *error);
/* From now on a receive buffer taken that leaves fewer than `limit` (0 .. depth; 0: none) raises an event, RNICSIM_SRQ_LIMIT, once: it
 * disarms the limit (ibv_modify_srq(3)). */
RNICSIM_API int rnicsim_srq_arm(struct rnicsim *sim, uint32_t host, uint32_t srqn, uint32_t limit,
                                struct rnicsim_error *error);

/* Creates a QP. Both ends must exist before the first post. */
RNICSIM_API int rnicsim_qp_create(struct rnicsim *sim, const struct rnicsim_qp_attr *attr, struct rnicsim_error *error);
/* Changes the state of QP attr->qpn, at once, to attr->state, as far as IBTA vol. 1, 10.3.1 allows: RESET to INIT to RTR to RTS, RTS to SQD and back, each of
 * them to ERROR and, when nothing of it is under way, to RESET. To INIT it takes qkey and access from attr, to RTR peer_qpn (a QP that exists), mtu_bytes,
 * rq_psn and retry->rnr_timer, from RTR to RTS sq_psn, max_rd_atomic and the rest of retry; nothing else is looked at. Not with nic.context_unit. */
RNICSIM_API int rnicsim_qp_modify(struct rnicsim *sim, const struct rnicsim_qp_attr *attr, struct rnicsim_error *error);
struct rnicsim_qp_info {
    enum rnicsim_qp_state state;
    int is_draining;                      /* in SQD: requests that have begun are not done */
    uint32_t send_queued, receive_queued; /* WQEs that are posted and not done */
};
RNICSIM_API int rnicsim_qp_query(const struct rnicsim *sim, uint32_t host, uint32_t qpn, struct rnicsim_qp_info *out);

enum rnicsim_access { /* rights, the values of ibv_access_flags; none at all: all of them */
                      RNICSIM_ACCESS_LOCAL_WRITE = 1,
                      RNICSIM_ACCESS_REMOTE_WRITE = 2,
                      RNICSIM_ACCESS_REMOTE_READ = 4,
                      RNICSIM_ACCESS_REMOTE_ATOMIC = 8,
                      RNICSIM_ACCESS_BIND = 16,
                      RNICSIM_ACCESS_FLUSH_VISIBLE = 256,
                      RNICSIM_ACCESS_FLUSH_PERSISTENT = 512,
                      RNICSIM_ACCESS_ALL = 0x3ff,
                      RNICSIM_ACCESS_NO_MORE = 1 << 30 /* than what is named, even if that is nothing */
};

enum rnicsim_key_kind {
    RNICSIM_REGION,
    RNICSIM_FAST_REGION, /* free until a FAST_REG */
    RNICSIM_WINDOW_1,    /* free until a BIND_MW, which may come again */
    RNICSIM_WINDOW_2 /* free until a BIND_MW; then only for the QP that it was posted on, until LOCAL_INV or SEND_INV */
};

struct rnicsim_mr_attr {
    uint32_t host;
    uint32_t key;          /* lkey and rkey */
    uint64_t base;         /* of what is free, 0 */
    uint64_t length_bytes; /* the same */
    uint64_t page_bytes;   /* 4096, 2 MiB or 1 GiB */
    uint32_t access;       /* of what is free, 0 */
    uint32_t pd;
    enum rnicsim_key_kind
        kind; /* windows and fast regions: not with nic.context_unit, nic.grant = request, nic.fabric */
};

/* While a host has none, its keys are not looked at. */
RNICSIM_API int rnicsim_mr_register(struct rnicsim *sim, const struct rnicsim_mr_attr *attr,
                                    struct rnicsim_error *error);
/* It is gone at once: what is under way with it fails. Refused while windows are bound to it (IBTA vol. 1, 10.6.7.2.5). */
RNICSIM_API int rnicsim_mr_deregister(struct rnicsim *sim, uint32_t host, uint32_t key, struct rnicsim_error *error);

/* ---- work requests ---- */

enum rnicsim_opcode {
    RNICSIM_SEND,
    RNICSIM_SEND_IMM,
    RNICSIM_WRITE,
    RNICSIM_WRITE_IMM,
    RNICSIM_RECV, /* only in completions */
    RNICSIM_READ,
    RNICSIM_CMP_SWAP,
    RNICSIM_FETCH_ADD,
    RNICSIM_FLUSH,        /* answered when what was written before is visible; RC and XRC, as the next one */
    RNICSIM_ATOMIC_WRITE, /* 8 bytes, written in one, behind all before it */
    RNICSIM_SEND_INV,     /* and the peer's key `immediate` is invalidated */
    /* done by the NIC itself; wr.bind says what */
    RNICSIM_LOCAL_INV, /* waits for all before it */
    RNICSIM_BIND_MW,
    RNICSIM_FAST_REG
};

struct rnicsim_bind {
    uint32_t key;                /* the window or region, which has new_key from then on; LOCAL_INV needs only this */
    uint32_t new_key;            /* the same but for the last 8 bits */
    uint32_t region;             /* of a window: the key of what it is bound to */
    uint32_t access;             /* enum rnicsim_access */
    uint64_t base, length_bytes; /* length 0 frees a window of type 1 */
};

enum rnicsim_flush { /* what a FLUSH is to reach, in wr.immediate as in its header (IBTA vol. 1 rel. 1.5, FETH) */
                     RNICSIM_FLUSH_VISIBLE = 1,
                     RNICSIM_FLUSH_PERSISTENT = 2,
                     RNICSIM_FLUSH_REGION = 16 /* not a range, but all of the key's region */
};

#define RNICSIM_SIGNALLED 1u
#define RNICSIM_INLINE 2u
#define RNICSIM_SOLICITED 4u
#define RNICSIM_FENCE 8u
#define RNICSIM_ANY_KEY 32u     /* a wrong key is not refused: the NICs find it (LOC_PROT_ERR, REM_ACCESS_ERR) */
#define RNICSIM_HAS_ARRIVAL 16u /* arrival_ps says when the request was due; without it, when its post begins */

#define RNICSIM_MESSAGE_MAX_BYTES 2147483648u /* 2^31, IBTA vol. 1, 9.4.1 */

struct rnicsim_sge {
    uint64_t address;
    uint32_t length_bytes, lkey;
};

#define RNICSIM_SGE_MOST 32u

struct rnicsim_wr {
    uint64_t wr_id;
    uint64_t local_address;
    uint64_t remote_address;
    uint32_t lkey;
    uint32_t rkey;
    uint32_t length_bytes; /* 0 .. 2^31 */
    uint32_t immediate;
    enum rnicsim_opcode opcode;
    uint32_t flags;
    uint32_t remote_qpn, remote_qkey; /* on a UD QP: where it goes; qpn 0: to the QP's peer, with its own Q_Key */
    uint32_t remote_srqn;             /* on an XRC QP, of what takes a receive buffer */
    uint64_t compare, swap_or_add;    /* of an atomic, with rnicsim_options.data */
    const struct rnicsim_sge *sge; /* a list instead of local_address and lkey, whose lengths add up to length_bytes */
    uint32_t sge_count;            /* 0: none, or 1 .. RNICSIM_SGE_MOST; not with nic.context_unit, nic.fabric */
    const struct rnicsim_bind *bind; /* of LOCAL_INV, BIND_MW, FAST_REG; else NULL */
    int64_t arrival_ps; /* with RNICSIM_HAS_ARRIVAL: 0 .. the post's at_ps. Changes no time, only the first stamp */
};

/* Posts `count` requests with one doorbell; the verbs call begins at `at_ps`, which must not lie before
 * rnicsim_now() nor after RNICSIM_TIME_MAX. Posts of one host come in order of time: it has one posting
 * thread. */
RNICSIM_API int rnicsim_post_send(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_wr *requests,
                                  size_t count, int64_t at_ps, struct rnicsim_error *error);

struct rnicsim_recv {
    uint64_t wr_id;
    uint64_t address;
    uint32_t lkey;
    uint32_t length_bytes;
    const struct rnicsim_sge *sge; /* as of struct rnicsim_wr */
    uint32_t sge_count;
};

RNICSIM_API int rnicsim_post_recv(struct rnicsim *sim, uint32_t host, uint32_t qpn, const struct rnicsim_recv *buffers,
                                  size_t count, int64_t at_ps, struct rnicsim_error *error);

/* The same to an SRQ. */
RNICSIM_API int rnicsim_post_srq_recv(struct rnicsim *sim, uint32_t host, uint32_t srqn,
                                      const struct rnicsim_recv *buffers, size_t count, int64_t at_ps,
                                      struct rnicsim_error *error);

/* When the host's posting thread is done with all that it was given: a post that comes earlier begins then. */
RNICSIM_API int64_t rnicsim_host_free_at(const struct rnicsim *sim, uint32_t host);

/* ---- what memory holds: with rnicsim_options.data ---- */

/* As the host's program does it now. Memory that nobody has written holds zeros. Payload is read when it comes into the NIC, inline data when it is
 * posted; it is written when a program could see it. Atomics change 64-bit words of this machine's byte order. */
RNICSIM_API int rnicsim_memory_write(struct rnicsim *sim, uint32_t host, uint64_t address, const void *bytes,
                                     size_t count, struct rnicsim_error *error);
RNICSIM_API int rnicsim_memory_read(struct rnicsim *sim, uint32_t host, uint64_t address, void *bytes, size_t count,
                                    struct rnicsim_error *error);

/* From now on the host's memory at `address`, count bytes, lies at `bytes`, which the caller keeps until it says NULL here (what is there stays) or
 * destroys the simulation: both see each other's writes. Address and count: multiples of 4096. Programs that run beside the model lend theirs so. */
RNICSIM_API int rnicsim_memory_lend(struct rnicsim *sim, uint32_t host, uint64_t address, void *bytes, size_t count,
                                    struct rnicsim_error *error);

/* ---- what goes wrong on the way: before anything is posted ---- */

enum rnicsim_fault_action {
    RNICSIM_FAULT_DROP,
    RNICSIM_FAULT_CORRUPT, /* its FCS is wrong */
    RNICSIM_FAULT_DUPLICATE,
    RNICSIM_FAULT_DELAY,     /* as on another path: those behind it overtake it */
    RNICSIM_FAULT_NOT_READY, /* of requests: the responder answers as if it had no receive WQE */
    RNICSIM_FAULT_BAD_KEY,   /* or as if its key named nothing (REM_ACCESS_ERR) */
    RNICSIM_FAULT_MARK       /* no fault: a switch on the way marks it, congestion experienced (ECN) */
};

enum rnicsim_fault_frames { /* kinds of frames, a set of bits */
                            RNICSIM_FRAME_SEND = 1,
                            RNICSIM_FRAME_WRITE = 2,
                            RNICSIM_FRAME_READ_REQUEST = 4,
                            RNICSIM_FRAME_ATOMIC_REQUEST = 8,
                            RNICSIM_FRAME_ANSWER = 16, /* data of a READ, the value of an atomic */
                            RNICSIM_FRAME_ACK = 32,
                            RNICSIM_FRAME_NAK = 64,
                            RNICSIM_FRAME_CNP = 128,
                            RNICSIM_FRAME_ANY = 255
};

enum rnicsim_fault_times { RNICSIM_ANY_TIME, RNICSIM_FIRST_TIME, RNICSIM_AGAIN };

#define RNICSIM_FAULT_ANY UINT32_MAX

/* One line of a plan. Of the frames that fit all of its first part, it acts on those of its second; each of that is 0 for all. The first line
 * that acts on a frame decides. */
struct rnicsim_fault {
    enum rnicsim_fault_action action;
    unsigned frames;                /* enum rnicsim_fault_frames */
    uint32_t from_host;             /* who sends it; RNICSIM_FAULT_ANY */
    uint32_t qpn;                   /* of the sending end; 0: any */
    uint32_t psn;                   /* RNICSIM_FAULT_ANY */
    enum rnicsim_fault_times times; /* whether the packet, or the answer, was sent before */
    uint64_t request;               /* the nth that is posted, of all hosts, from 1; 0: any */
    int is_end;                     /* and of that only the last packet, or what acknowledges it */
    int64_t from_ps, to_ps;         /* when it begins on the line; to_ps RNICSIM_NEVER: for ever */

    uint64_t nth, every;      /* the nth; one in so many */
    uint64_t most;            /* as often at most */
    uint32_t probability_ppb; /* each with so many 1e-9 */
    int64_t delay_ps;         /* of RNICSIM_FAULT_DELAY, from 1 */
};

RNICSIM_API int rnicsim_fault_add(struct rnicsim *sim, const struct rnicsim_fault *fault, struct rnicsim_error *error);
/* On how many frames a line, counted from 0, has acted. */
RNICSIM_API uint64_t rnicsim_fault_done(const struct rnicsim *sim, size_t index);

/* ---- time ---- */

RNICSIM_API int64_t rnicsim_now(const struct rnicsim *sim);
/* The earliest instant at which anything can happen; RNICSIM_NEVER when all is quiet. */
RNICSIM_API int64_t rnicsim_next_at(const struct rnicsim *sim);
/* A post at t is never seen by anything before t + lookahead. */
RNICSIM_API int64_t rnicsim_lookahead(const struct rnicsim *sim);
/* Runs until `until_ps`, or stops at the first instant at which a host can see something new; *stopped_at_ps tells. */
RNICSIM_API int rnicsim_advance(struct rnicsim *sim, int64_t until_ps, int64_t *stopped_at_ps,
                                struct rnicsim_error *error);

/* The last rnicsim_advance() stopped because a requester has been told for 100 s that its peer has no receive WQE, while no host has seen
 * anything. It would go on for ever (rnr_retry = 7); a post may help. */
RNICSIM_API int rnicsim_is_stuck(const struct rnicsim *sim);

/* ---- what hosts see ---- */

/* The stamps of a request, in order; a later one is never earlier. Those of a message of several packets are of
 * the packet that arrives last. Of a READ or an atomic the answer's last packet stands for the ACK, and RESPONDED is when its data is
 * in the responder's NIC. The waterfall's rows are the differences. */
enum rnicsim_stamp {
    RNICSIM_AT_ARRIVAL,      /* the request was due: rnicsim_wr.arrival_ps, else AT_POST. Latency counts from here */
    RNICSIM_AT_POST,         /* the verbs call begins: when it was asked for, or when the thread is free */
    RNICSIM_AT_MMIO,         /* the CPU's store to the doorbell leaves the core */
    RNICSIM_AT_DOORBELL,     /* decoded, the QP can be scheduled */
    RNICSIM_AT_GRANT,        /* the scheduler first grants the QP for this request */
    RNICSIM_AT_WQE,          /* the WQE is in the NIC and parsed */
    RNICSIM_AT_PACKET,       /* the last packet's turn: granted, context read, cut */
    RNICSIM_AT_PAYLOAD,      /* its payload is in the NIC */
    RNICSIM_AT_PORT,         /* built, ICRC appended, granted by the transmit port */
    RNICSIM_AT_WIRE,         /* its first byte is on the line */
    RNICSIM_AT_RECEIVED,     /* its last byte is at the peer's MAC */
    RNICSIM_AT_JUDGED,       /* FCS and ICRC judged good, stored */
    RNICSIM_AT_RESPONDED,    /* the responder's point of ACK: accepted, or the DMA write issued, or the data visible */
    RNICSIM_AT_ACK_WIRE,     /* the ACK's first byte is on the line */
    RNICSIM_AT_ACK_RECEIVED, /* the ACK is judged at the requester */
    RNICSIM_AT_RETIRED,      /* retired, the CQE's DMA write is issued */
    RNICSIM_AT_CQE,          /* the CQE is visible in host memory */
    RNICSIM_AT_SEEN,         /* a poll has returned it */
    RNICSIM_STAMP_COUNT
};

RNICSIM_API const char *rnicsim_stamp_name(enum rnicsim_stamp stamp);

enum rnicsim_event_kind {
    RNICSIM_SEND_DONE,     /* a send-queue CQE: all stamps are set */
    RNICSIM_RECV_DONE,     /* a receive-queue CQE */
    RNICSIM_WRITE_VISIBLE, /* the last byte of a peer's WRITE lies in this host's memory */
    RNICSIM_UNSIGNALLED,   /* an unsignalled request was retired; no program sees it, statistics do */
    RNICSIM_SRQ_LIMIT, /* an SRQ has fewer buffers than its limit: kind, host, srqn and at_ps are set, nothing else */
    RNICSIM_QP_FAILED /* a QP failed as a responder: kind, host, qpn, status (9 to 11, as its peer is told) and at_ps */
};

struct rnicsim_event {
    enum rnicsim_event_kind kind;
    uint32_t host;
    uint32_t qpn;
    enum rnicsim_opcode opcode;
    enum rnicsim_opcode sent_opcode; /* of the request that caused it: SEND, say, where opcode is RECV */
    uint32_t length_bytes;
    uint32_t immediate;
    uint32_t status; /* 0: success; the numbers of enum ibv_wc_status otherwise */
    uint64_t wr_id;
    int64_t at_ps;           /* when the polling program knows: the poll (or the load) that sees it returns */
    int64_t delivered_at_ps; /* SEND_DONE, UNSIGNALLED: when the last byte was visible in the peer's memory */
    int64_t stamp_ps[RNICSIM_STAMP_COUNT];
    uint32_t
        src_qpn; /* RECV_DONE of a UD QP; else 0. length_bytes is without the 40 bytes for the GRH, which ibv_wc.byte_len counts */
    uint32_t srqn;    /* RECV_DONE: the SRQ that the buffer was taken from, 0: none; SRQ_LIMIT */
    uint64_t request; /* of all that were posted, from 1; 0: SRQ_LIMIT */
};

/* Takes up to `max` of what became visible up to rnicsim_now(), in order of time; returns how many. */
RNICSIM_API size_t rnicsim_poll(struct rnicsim *sim, struct rnicsim_event *events, size_t max);

/* ---- what passes on the line, for whoever listens there ---- */

struct rnicsim_frame {
    int64_t at_ps; /* its first byte, of the preamble, passes the port of `host` */
    uint32_t host;
    uint8_t is_sent; /* by that host; else it comes in */
    uint8_t is_bad;  /* with a wrong FCS */
    uint8_t again;   /* it was sent before */
    uint8_t opcode;  /* of the BTH (IBTA vol. 1, 9.2.1) */
    uint8_t ack_request, solicited;
    uint8_t syndrome; /* of the AETH of an ACK, a NAK or a response */
    uint8_t service_level;
    uint8_t ecn;    /* of the IP header: 2: it can be marked, 3: it was, on its way */
    uint32_t bytes; /* without FCS and padding: RoCE v2 on IPv4 */
    uint32_t payload_bytes;
    uint32_t source_qpn, destination_qpn;
    uint32_t psn, msn; /* msn: of the AETH */
    uint64_t address;  /* of the RETH, as rkey and dma_bytes; or of the AtomicETH */
    uint32_t rkey, dma_bytes, immediate;
    uint32_t qkey, srqn; /* of the DETH, of the XRCETH */
    /* with rnicsim_options.data: what the payload holds, until the next rnicsim_frames(), else NULL; of the AtomicETH and the AtomicAckETH */
    const uint8_t *payload;
    uint64_t swap_or_add, compare, original;
};

/* Before anything is posted: from now on frames are kept for rnicsim_frames(). */
RNICSIM_API int rnicsim_frames_watch(struct rnicsim *sim, struct rnicsim_error *error);
/* Takes up to `max` of those that passed up to rnicsim_now(), in order of time; each frame is seen where it is sent, and where it comes
 * in, if it does. Returns how many. */
RNICSIM_API size_t rnicsim_frames(struct rnicsim *sim, struct rnicsim_frame *frames, size_t max);

/* ---- counters: read at any time ---- */

struct rnicsim_totals {
    uint64_t requests, completions, errors, receives;
    uint64_t in_flight;     /* posted and not yet retired */
    uint64_t payload_bytes; /* delivered to the peers' memories */
    uint64_t data_packets, ack_packets;
    uint64_t wire_bytes; /* with preamble, FCS and gap, the busier direction */
    uint64_t drops;      /* frames, the sum of the next seven */
    uint64_t drops_full, drops_underrun, drops_not_read,
        drops_sequence; /* no space at arrival; ran dry at the sender's MAC; payload that could not be read; PSN not expected */
    uint64_t drops_unwanted; /* by a UC or UD QP without a receive WQE, or with another Q_Key, or shorter buffers */
    uint64_t drops_damaged, drops_planned; /* by faults: with a wrong FCS, on the line */
    uint64_t retransmits_nak, retransmits_rnr, retransmits_implied,
        retransmits_timeout; /* how often a QP has gone back, and why: told of a gap; peer not ready; an answer missing; timer */
    uint64_t repeated;                       /* packets sent again */
    uint64_t reads_refused, reads_timed_out; /* PCIe read requests answered by UR or CA, or by nothing in time */
    uint64_t tags_quarantined;               /* now: of reads that timed out */
    uint64_t seen_early; /* messages whose CQE or last byte was seen before all payload: pcie.relaxed_ordering */
    uint64_t tlps;
    uint64_t decisions;
    int64_t first_post_ps, last_done_ps;
    uint64_t data_right_bytes,
        data_unknown_bytes; /* with data = 2: of messages as they should be; that cannot be known (atomics, and
                                                    * where memory was written otherwise meanwhile) */
    uint64_t data_wrong_messages;
    uint64_t marked, cnps;        /* transport.congestion: packets of data that came marked, CNPs that were made */
    uint64_t doorbells_coalesced; /* nic.doorbell_coalesce */
};

RNICSIM_API void rnicsim_totals(const struct rnicsim *sim, struct rnicsim_totals *out);

/* What a NIC's port did: its line, FEC, flow control. */
struct rnicsim_port {
    const char *nic;               /* "a" */
    uint64_t frames, other_frames; /* sent; of those of others (mac.other_load) */
    uint64_t wire_bytes;           /* sent, with preamble, FCS and gap */
    int64_t rate_bps;
    uint64_t underruns;
    int has_errors; /* mac.bit_errors: the next are not 0 for want of them. Codewords, and symbols in them, of what this NIC sent; without FEC
                     * wrong bits are uncorrectable */
    uint64_t fec_corrected, fec_symbols, fec_uncorrectable;
    int has_pause; /* mac.pause */
    uint64_t pauses_sent, pauses_received, pauses_lost, pause_storms;
    int64_t paused_ps; /* it was told not to send: the peer's pauses, up to now */
    uint32_t pause_from_bytes,
        pause_headroom_bytes;  /* of the receive FIFO: from how full on the peer is paused; what lies above */
    uint32_t high_water_bytes; /* of the receive FIFO */
};
/* host: 0 or 1. */
RNICSIM_API int rnicsim_port(const struct rnicsim *sim, uint32_t host, struct rnicsim_port *out);

/* A QP has gone back to a packet that it sends again. The first 10,000 times of each host are kept, in order. */
struct rnicsim_retransmit_info {
    int64_t at_ps;
    uint32_t host, qpn;
    uint32_t psn;      /* of that packet */
    const char *cause; /* "nak", "rnr", "implied_nak" (an answer did not come), "timeout" */
};

RNICSIM_API size_t rnicsim_retransmit_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_retransmit(const struct rnicsim *sim, size_t index, struct rnicsim_retransmit_info *out);

enum rnicsim_cause {
    RNICSIM_WORK,            /* busy */
    RNICSIM_NO_INPUT,        /* nothing to do */
    RNICSIM_DOWNSTREAM_FULL, /* waits for space further on */
    RNICSIM_BUBBLE,          /* an item's tail had not arrived */
    RNICSIM_NO_TAG,
    RNICSIM_NO_CREDIT_CPLH, /* the endpoint's space for completions' headers is taken */
    RNICSIM_NO_CREDIT_CPLD, /* and for their data */
    RNICSIM_NO_CREDIT_PH,  /* the host's space for writes' headers is taken; of pcie_down: the endpoint's for stores' */
    RNICSIM_NO_CREDIT_PD,  /* and for their data */
    RNICSIM_NO_CREDIT_NPH, /* and for read requests */
    RNICSIM_NO_REPLAY_BUFFER, /* TLPs that are not acknowledged fill the endpoint's replay buffer */
    RNICSIM_REPLAY,           /* of TLPs that arrived damaged or not at all */
    RNICSIM_NO_BUFFER,        /* payload buffer */
    RNICSIM_WINDOW_FULL,      /* unacknowledged packets */
    RNICSIM_CONTEXT_BUSY,     /* the QP's own context loop */
    RNICSIM_NO_WQE,           /* the WQE is being fetched */
    RNICSIM_NO_RECEIVE_WQE,
    RNICSIM_RATE_LIMIT,    /* of the QP */
    RNICSIM_NO_REQUEST,    /* nic.requests are begun and not retired; or the QP's READs and atomics under way */
    RNICSIM_CONTEXT_MISS,  /* what the QP or the packet needs is being fetched from host memory, or waits for that */
    RNICSIM_SRQ_BUSY,      /* another packet has the SRQ's context (nic.srq_loop) */
    RNICSIM_NO_RETRANSMIT, /* no entry of the table of packets that are not acknowledged (nic.retransmit_entries) */
    RNICSIM_RETRY,         /* it is to send again when the time of an RNR NAK is over, or the slow path of going back */
    RNICSIM_CAUSE_COUNT
};

RNICSIM_API const char *rnicsim_cause_name(enum rnicsim_cause cause);

struct rnicsim_stage_info {
    const char *nic;  /* "a" or "b" */
    const char *path; /* the nic file's path, or "core" */
    const char *name;
    const char *behind_path, *behind; /* the FIFO that it writes into; NULL: none, or several */
    uint64_t items;
    int64_t time_ps[RNICSIM_CAUSE_COUNT]; /* sums to the time since the first post */
};

RNICSIM_API size_t rnicsim_stage_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_stage(struct rnicsim *sim, size_t index, struct rnicsim_stage_info *out);

struct rnicsim_fifo_info {
    const char *nic, *path, *name;
    const char *unit; /* "packets", "beats", "bytes", "entries" */
    const char *holds;
    uint64_t depth, high_water, p50, p99, p999; /* percentiles are time-weighted */
    int64_t high_water_at_ps;                   /* when it was reached first */
    int64_t full_ps, back_pressure_ps;
    uint64_t drops, pushes;
    /* the parameter that sets the depth: "stage.rx.cdc.depth", "nic.data_fifo"; `depth_scale` of it are one unit of depth, and
     * `depth_unit` follows the number. What it allows, in units of depth: */
    char depth_key[96];
    const char *depth_unit; /* "beats", "packets", "B", or "" for a mere count */
    uint64_t depth_scale, depth_least, depth_most;
    const char *fixed; /* NULL, or why this depth is no matter of space */
    /* What a unit of depth takes in memory: so many words of so many bits. A beat has TKEEP and TLAST besides its data (512 bit:
     * 577); a packet is one word where it is a descriptor, else the largest item in beats. 0 words: no memory of the design's own */
    uint32_t words, word_bits;
    int crosses_clocks; /* its writer and its reader have clocks of their own */
    /* The payload buffer in chunks of its own size, or with a list of free ones: bytes of payload that were put in, and those of the chunks that
     * they took; 0: not counted */
    uint64_t asked_bytes, held_bytes;
};

RNICSIM_API size_t rnicsim_fifo_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_fifo(struct rnicsim *sim, size_t index, struct rnicsim_fifo_info *out);
/* Time (ps) spent at each level 0 .. depth; returns the number of levels, at most `max` are written. */
RNICSIM_API size_t rnicsim_fifo_levels(struct rnicsim *sim, size_t index, int64_t *time_ps, size_t max);

struct rnicsim_level_change {
    int64_t at_ps;
    uint64_t level; /* from then on */
};

/* Before anything is posted: keeps the first `room` (>= 1) changes of a FIFO's occupancy within from_ps .. to_ps, later to be had from
 * rnicsim_fifo_changes(), whose first is the level at from_ps: how many there are, of which at most `max` are written. A second
 * run of the same load so shows what happened around an instant that the first has found. */
RNICSIM_API int rnicsim_fifo_watch(struct rnicsim *sim, size_t index, int64_t from_ps, int64_t to_ps, size_t room,
                                   struct rnicsim_error *error);
RNICSIM_API size_t rnicsim_fifo_changes(struct rnicsim *sim, size_t index, struct rnicsim_level_change *changes,
                                        size_t max);

struct rnicsim_tlp_info {
    const char *nic, *direction, *kind; /* "up" is to the host */
    uint64_t tlps, payload_bytes, link_bytes;
    int64_t link_time_ps;                  /* that those bytes take */
    int64_t stall_ps[RNICSIM_CAUSE_COUNT]; /* what stopped them: tags, completion space, credits */
};

RNICSIM_API size_t rnicsim_tlp_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_tlp(const struct rnicsim *sim, size_t index, struct rnicsim_tlp_info *out);

struct rnicsim_cache_info { /* of the contexts, on one NIC */
    const char *nic, *name; /* "qpc", "cqc", "eqc", "srqc", "mpt", "mtt", "rqe" */
    const char *replacement;
    uint64_t entries, ways; /* 0: all contexts are on chip, and nothing is counted */
    uint64_t fetches_most;
    uint64_t hits, misses;
    uint64_t joined; /* accesses that found a fetch under way: neither hit nor miss */
    uint64_t evictions, written_back;
    uint64_t failed;     /* fetches that PCIe refused or lost */
    uint64_t port_waits; /* lookups that came a cycle later, as the cache's ports were taken */
    int64_t fetch_ps;    /* sum over misses, from the begin of the fetch until it can be used */
    int64_t
        wait_ps; /* sum over misses, until a fetch was free or what is thrown out had space; more waits are the causes context_miss
                          * of the stages scheduler and dispatch */
};

RNICSIM_API size_t rnicsim_cache_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_cache(struct rnicsim *sim, size_t index, struct rnicsim_cache_info *out);

struct rnicsim_srq_info {
    uint32_t qps;             /* attached */
    uint64_t posted, taken;   /* buffers */
    uint64_t accesses, empty; /* packets that took a buffer or found none; these */
    uint64_t limits;          /* events */
    uint32_t limit;           /* armed now; 0: not */
};

RNICSIM_API int rnicsim_srq(const struct rnicsim *sim, uint32_t host, uint32_t srqn, struct rnicsim_srq_info *out);

struct rnicsim_lookup_info { /* of a context or a translation, by a unit (nic.context_unit) */
    const char *channel;     /* "send_queue": a QP's visit; "payload": a packet to be sent; "data", "ack": received */
    const char *unit;        /* "context", "translation" */
    uint32_t qpn;
    uint32_t misses;                     /* fetches from host memory that it waited for */
    int64_t came_ps;                     /* at its station */
    int64_t begun_ps, found_ps, left_ps; /* the unit begins, responds; it leaves the station; RNICSIM_NEVER: not yet */
};

/* Before anything is posted: keeps the first `room` (>= 1) lookups of a host's NIC, later to be had from rnicsim_lookups(), in the
 * order in which they came to their stations: how many there are, of which at most `max` are written. */
RNICSIM_API int rnicsim_lookup_watch(struct rnicsim *sim, uint32_t host, size_t room, struct rnicsim_error *error);
RNICSIM_API size_t rnicsim_lookups(const struct rnicsim *sim, uint32_t host, struct rnicsim_lookup_info *out,
                                   size_t max);

/* ---- what happened within stretches of time: before anything is posted, told again by a second run of the same load ---- */

struct rnicsim_stretch {
    int64_t from_ps, to_ps;
};

struct rnicsim_incident { /* that made something at a host, or on its PCIe link, later than it mostly is */
    uint32_t host;
    const char *
        what; /* "slow read" (memory answers later than 99 of 100 times), "DRAM refresh", "IOTLB miss", "host stall", "host woke",
                       * "TLP replay" */
    int64_t at_ps, took_ps; /* when it began; how much longer it made it */
};

/* Keeps of each host the first `room` that touch one of the stretches. Changes no time. */
RNICSIM_API int rnicsim_incidents_watch(struct rnicsim *sim, const struct rnicsim_stretch *stretches, size_t count,
                                        size_t room, struct rnicsim_error *error);
/* How many there are, of which at most `max` are written. */
RNICSIM_API size_t rnicsim_incidents(const struct rnicsim *sim, struct rnicsim_incident *out, size_t max);

/* An item passes from a stage, or a decision point, into a FIFO (rnicsim_fifo() knows it by its number). Cycles are the writer's clock's. */
struct rnicsim_pass {
    size_t fifo;
    int64_t start_cycle;            /* the writer begins it, and reserves space */
    int64_t head_cycle, tail_cycle; /* its first and last beat come out of the writer */
    int64_t start_ps, head_ps, tail_ps;
    uint64_t request; /* that it belongs to, as in an event; 0: not to one, or not known */
    uint32_t bytes;   /* in this FIFO */
    uint32_t qpn;     /* 0: not known */
    uint32_t psn;
    const char *what; /* "doorbell", "read" (an operation), "wqe", "packet", "ack", "answer", "cqe", "write" */
};

/* Keeps the first `room` passes that begin within one of the stretches, in the order in which they are decided, not in that of time. */
RNICSIM_API int rnicsim_passes_watch(struct rnicsim *sim, const struct rnicsim_stretch *stretches, size_t count,
                                     size_t room, struct rnicsim_error *error);
/* Those kept, *count of them; valid until the simulation goes on. *missed: how many more there were. */
RNICSIM_API const struct rnicsim_pass *rnicsim_passes(const struct rnicsim *sim, size_t *count, uint64_t *missed);
/* The clocks of a FIFO: periods in ps as a fraction num / den, and the instant of cycle 0. */
struct rnicsim_clock {
    int64_t num, den, phase_ps;
};
RNICSIM_API int rnicsim_fifo_clocks(struct rnicsim *sim, size_t index, struct rnicsim_clock *write,
                                    struct rnicsim_clock *read);

/* In words: what every unfinished request waits for; empty when nothing is unfinished. */
RNICSIM_API void rnicsim_explain_stuck(const struct rnicsim *sim, char *text, size_t text_bytes);

/* ---- parameters ---- */

struct rnicsim_param_info {
    char key[96], value[640], range[160], unit[64];
    const char *fallback, *class_name, *source, *origin, *sentence;
    int changed; /* by -s: counts as changed in results */
};

RNICSIM_API size_t rnicsim_param_count(const struct rnicsim *sim);
RNICSIM_API int rnicsim_param(const struct rnicsim *sim, size_t index, struct rnicsim_param_info *out);
RNICSIM_API const char *rnicsim_board_name(const struct rnicsim *sim);
/* The FPGA that the board file names; "unnamed" when it names none. */
RNICSIM_API const char *rnicsim_board_part(const struct rnicsim *sim);
RNICSIM_API const char *rnicsim_host_name(const struct rnicsim *sim);
RNICSIM_API const char *rnicsim_mac_name(const struct rnicsim *sim); /* "": no MAC file was taken */

/* Where the data lie: the folder `name`, which is boards, nics, endpoints, hosts, parts, plots, validation, cdf or samples; beside the program, else in the
 * share/rnicsim of the prefix in which the program or the library stands, else the one fixed when it was built.
 * RNICSIM_EINPUT when there is none: `folder` is then the last place where it was looked for. */
RNICSIM_API int rnicsim_data_folder(const char *name, char *folder, size_t folder_bytes);

/* The stems of the files in such a folder that end in `ending` (".host"), each followed by a NUL, sorted; an empty one ends them. To be
 * freed with free(). NULL: there are none. */
RNICSIM_API char *rnicsim_data_list(const char *name, const char *ending);

/* ---- text files, read as boards are: line numbers, comments, limits ---- */

struct rnicsim_ini_line {
    int number;          /* from 1 */
    const char *section; /* "" before the first */
    const char *key;     /* NULL: the section begins here */
    const char *value;   /* trimmed, not empty, quotes kept; valid during the call */
};

/* 0 to go on; not 0, and the reason, to stop. */
typedef int rnicsim_ini_handler(void *context, const struct rnicsim_ini_line *line, struct rnicsim_error *error);
/* An error begins with "path:line: ". */
RNICSIM_API int rnicsim_ini_read(const char *path, rnicsim_ini_handler *handler, void *context,
                                 struct rnicsim_error *error);

/* The boards that can be named, one call each: fills name and a line about it; RNICSIM_EINPUT past the last. */
RNICSIM_API int rnicsim_board_at(const char *data_dir, size_t index, char *name, size_t name_bytes, char *line,
                                 size_t line_bytes);

/* ---- calculators: no simulation needed ---- */

enum rnicsim_quantity {
    RNICSIM_BITS,
    RNICSIM_FREQUENCY, /* of a clock */
    RNICSIM_RATE,
    RNICSIM_REQUEST_RATE, /* requests a second: "2 MHz" */
    RNICSIM_DURATION,
    RNICSIM_LENGTH, /* mm */
    RNICSIM_BYTES
};

/* "512 bit", "250 MHz", "100 Gbps", "1 us", "3 m", "4096 B" into bits, Hz, bit/s, ps, mm, B, exactly. */
RNICSIM_API int rnicsim_parse(const char *text, enum rnicsim_quantity quantity, int64_t *value,
                              struct rnicsim_error *error);

struct rnicsim_linecheck {
    int64_t width_bits, clock_hz, rate_bps; /* 8 .. 65536 bit, 1 MHz .. 10 GHz, 1 Mbps .. 10000 Gbps */
    int fcs_on_bus;
    int64_t
        segment_bits; /* 0: a frame begins a beat of its own; else it begins any segment of one (LBUS: 128 bit), which divides the width */
    /* filled in: of all frames of 64 to 9216 bytes, the one that needs the fastest clock, that clock rounded up, and the whole
     * cycles that every frame may waste at the given clock (negative: so many are missing) */
    uint32_t worst_frame_bytes;
    int64_t clock_least_hz;
    int64_t bubble_cycles;
};

/* Whether a datapath that begins each frame in a new beat keeps up with a line. */
RNICSIM_API int rnicsim_linecheck(struct rnicsim_linecheck *check, struct rnicsim_error *error);

/* ---- a network of ideal hosts and switches ---- */

struct rnicsim_net;

struct rnicsim_net_options {
    const char *board; /* its line, its congestion control, its section [net] */
    const char *mac;   /* NULL: the board's own */
    const char *const *set;
    size_t set_count;
    uint64_t seed;
    const char *data_dir;
};
/* Builds it; an error is one line. */
RNICSIM_API int rnicsim_net_create(const struct rnicsim_net_options *options, struct rnicsim_net **out,
                                   struct rnicsim_error *error);
/* Simulates net.duration. */
RNICSIM_API int rnicsim_net_run(struct rnicsim_net *net, struct rnicsim_error *error);
RNICSIM_API void rnicsim_net_destroy(struct rnicsim_net *net);

struct rnicsim_net_totals {
    uint32_t hosts, switches, links, flows, flows_done; /* links: directions */
    uint64_t decisions, hops, delivered_frames, delivered_bytes, drops, marked, cnps, pauses;
    int64_t duration_ps;
    double goodput_gbps; /* of frames, all hosts, in the second half of the time */
    double jain;         /* fairness of the flows there, 0 .. 1 */
    double least_gbps, most_gbps;
    int64_t
        recovered_ps; /* from when on each fortieth of the time brings at least 90 % of that, to the end; -1: never */
    uint64_t bytes_of_memory; /* of nodes, links, flows, frames */
};
RNICSIM_API void rnicsim_net_totals(const struct rnicsim_net *net, struct rnicsim_net_totals *out);

struct rnicsim_net_port {  /* a direction of a link: the port that sends */
    char from[24], to[24]; /* "host3", "switch0" */
    uint64_t frames, wire_bytes, marked, drops, pauses_sent;
    double busy_share, paused_share;
    uint64_t queue_most_bytes, queue_late_most_bytes; /* of its data; in the second half of the time */
    uint64_t headroom_most_bytes;                     /* that the frames it sends have taken at the far end */
};
/* RNICSIM_EINPUT past the last. */
RNICSIM_API int rnicsim_net_port(const struct rnicsim_net *net, uint32_t index, struct rnicsim_net_port *out);

struct rnicsim_net_flow {
    uint32_t from, to;
    uint64_t sent_bytes, delivered_bytes, cnps;
    double late_gbps; /* in the second half of the time */
    double rate_gbps; /* that it may send at, at the end */
    int64_t done_ps;  /* -1: it is not done */
};
RNICSIM_API int rnicsim_net_flow(const struct rnicsim_net *net, uint32_t index, struct rnicsim_net_flow *out);

/* ---- headroom above a pause threshold ---- */

struct rnicsim_headroom {
    int64_t rate_bps, cable_mm;
    int64_t interface_ps, request_ps, response_ps; /* response negative: the standard's limit (IEEE 802.3, 31B.3.7) */
    uint32_t own_bytes, frame_bytes, cell_bytes;   /* without FCS: 1 .. 65,536; 1 .. 65,536 */
    uint32_t small_percent;                        /* SONiC's share of small packets, 0 .. 100 */
    /* filled in; -1: the rate is not in the published table */
    int64_t quanta; /* the response in quanta, rounded up */
    int64_t cells, searched_cells, any_bytes;
    int64_t sonic_bytes, mlx5_bytes, cisco_bytes;
};
/* How much room a receive buffer needs: the closed form for frames of one size, what a search over all phases finds, and a form for
 * frames of any size; beside them the published calculators. */
RNICSIM_API int rnicsim_headroom(struct rnicsim_headroom *headroom, struct rnicsim_error *error);

/* ---- a MAC alone, cycle by cycle: no simulation needed ---- */

struct rnicsim_mac;

/* mac: a preset or file; NULL: the defaults, and what "mac.key=value" and "nic.key=value" settings say. */
RNICSIM_API int rnicsim_mac_create(const char *data_dir, const char *mac, const char *const *set, size_t set_count,
                                   struct rnicsim_mac **out, struct rnicsim_error *error);
RNICSIM_API void rnicsim_mac_destroy(struct rnicsim_mac *mac);

/* Cycles are those of the MAC, a word of the interface to the PHY each, but where it has FIFOs (mac.fifo) at its user interface: there
 * those of nic.user_clock. Octets of the line are counted from the beginning of word 0. */
struct rnicsim_mac_frame {
    int64_t
        offered_cyc; /* given: from when on its first beat is offered; of a pause frame: when it is asked for, in the MAC's cycles */
    uint32_t bytes;              /* given: without FCS; 0: a pause frame */
    int64_t first_cyc, last_cyc; /* of its beats at the MAC */
    int64_t start_octet, end_octet,
        gap_octets;                    /* start and terminate characters; the gap before it, -1: of the first */
    int64_t rx_first_cyc, rx_last_cyc; /* beats out of the receiving MAC */
    int64_t tx_ps,
        rx_ps; /* with FIFOs: from its first beat at the user to the start character, and from there to the user's first beat */
    int runs_dry;
};
/* Sends one; in order of what is offered. */
RNICSIM_API int rnicsim_mac_send(struct rnicsim_mac *mac, struct rnicsim_mac_frame *frame, struct rnicsim_error *error);
/* Whether a pause frame asked for at request_cyc goes before a frame that waits behind those sent. */
RNICSIM_API int rnicsim_mac_pause_is_next(const struct rnicsim_mac *mac, int64_t request_cyc);
RNICSIM_API int64_t rnicsim_mac_word_bytes(const struct rnicsim_mac *mac);
RNICSIM_API int rnicsim_mac_has_fifo(const struct rnicsim_mac *mac);

struct rnicsim_mac_pair {
    uint32_t bytes;                 /* given: of the first frame, without FCS; */
    int64_t first_lane, gap_octets; /* its lane; from its terminate character to the next start character */
    int ok, bad, missing;
};
/* What becomes of two frames, the second of which may follow too soon. */
RNICSIM_API int rnicsim_mac_pair(const struct rnicsim_mac *mac, struct rnicsim_mac_pair *pair,
                                 struct rnicsim_error *error);

enum rnicsim_pcie_limit {
    RNICSIM_PCIE_LINK,    /* the bytes of the TLPs, with what the link spends on itself */
    RNICSIM_PCIE_USER,    /* the beats of the endpoint's user interface */
    RNICSIM_PCIE_TAGS,    /* reads only, from here on: requests in flight */
    RNICSIM_PCIE_HEADERS, /* completion headers reserved for them */
    RNICSIM_PCIE_DATA,    /* completion data */
    RNICSIM_PCIE_LIMITS
};

struct rnicsim_pcie_bound {
    int is_read;
    uint32_t bytes;     /* of a transfer, at an aligned address: 1 B to 1 MiB */
    int64_t clock_hz;   /* of the user interface, 1 MHz .. 10 GHz; 0: the simulation's */
    int64_t latency_ps; /* from a read request to the last byte of its completions: 1 ns .. 1 s */
    int64_t rate_bps;   /* that reads are to reach; 0: not asked */
    /* filled in */
    int64_t raw_bps;                        /* of the link, without what it spends on itself */
    int64_t limit_bps[RNICSIM_PCIE_LIMITS]; /* bit/s of payload; INT64_MAX: no limit */
    enum rnicsim_pcie_limit binds;          /* the least of them */
    int64_t latency_most_ps;                /* at which reads still reach rate_bps; 0: they cannot */
    int64_t generation, lanes, mps_bytes, mrrs_bytes, rcb_bytes, tags, completion_headers, completion_buffer_bytes,
        user_width_bits, request_descriptor_bytes, completion_descriptor_bytes; /* what was reckoned with */
    int straddle;
};

/* What PCIe carries at most, by formulas: of a simulation's NIC, or of the defaults and "pcie.key=value" settings. */
RNICSIM_API int rnicsim_pcie_bound(const struct rnicsim *sim, struct rnicsim_pcie_bound *bound,
                                   struct rnicsim_error *error);
RNICSIM_API int rnicsim_pcie_bound_of(const char *const *set, size_t set_count, struct rnicsim_pcie_bound *bound,
                                      struct rnicsim_error *error);
/* "link", "user_interface", and the causes as they are called elsewhere: "no_tag", "no_credit_CPLH", "no_credit_CPLD". */
RNICSIM_API const char *rnicsim_pcie_limit_name(enum rnicsim_pcie_limit limit);

/* ---- a histogram of times: exact count, min, max and mean; percentiles to 1 part in 4,096 ---- */

struct rnicsim_hist;

RNICSIM_API struct rnicsim_hist *rnicsim_hist_create(void); /* NULL without memory */
RNICSIM_API void rnicsim_hist_destroy(struct rnicsim_hist *hist);
RNICSIM_API int rnicsim_hist_add(struct rnicsim_hist *hist, int64_t value_ps); /* -1 without memory */
/* All that `from` holds; -1 without memory. */
RNICSIM_API int rnicsim_hist_merge(struct rnicsim_hist *hist, const struct rnicsim_hist *from);
RNICSIM_API uint64_t rnicsim_hist_count(const struct rnicsim_hist *hist);
RNICSIM_API int64_t rnicsim_hist_min(const struct rnicsim_hist *hist);
RNICSIM_API int64_t rnicsim_hist_max(const struct rnicsim_hist *hist);
RNICSIM_API double rnicsim_hist_mean(const struct rnicsim_hist *hist);
RNICSIM_API double rnicsim_hist_stdev(const struct rnicsim_hist *hist);
/* The smallest value that at least share_ppb (1e-9) of the samples do not exceed. */
RNICSIM_API int64_t rnicsim_hist_percentile(const struct rnicsim_hist *hist, int64_t share_ppb);
/* Each distinct value (to the resolution) in order, with its count. */
RNICSIM_API void rnicsim_hist_each(const struct rnicsim_hist *hist,
                                   void (*each)(void *context, int64_t value_ps, uint64_t count), void *context);

/* ---- pcie-bench on the model: the host alone, as its device sees it ---- */

enum rnicsim_pciebench_test {
    RNICSIM_LAT_RD,   /* a DMA read, from command to signal */
    RNICSIM_LAT_WRRD, /* a DMA write, then a read of the same bytes */
    RNICSIM_BW_RD,
    RNICSIM_BW_WR,
    RNICSIM_BW_RDWR, /* reads and writes in turn; counted as pairs, as pcie-bench does */
    RNICSIM_PCIEBENCH_TEST_COUNT
};

struct rnicsim_pciebench {
    const char *host;       /* a host preset or file; NULL: the parameters' defaults */
    const char *const *set; /* "key=value", as after -s */
    size_t set_count;
    const char *data_dir; /* as of struct rnicsim_options */
    uint64_t seed;
    enum rnicsim_pciebench_test test;
    uint32_t bytes, offset;     /* of a transaction: together 1 .. 4096 and within the window */
    uint64_t window_bytes;      /* up to 1 TiB */
    int cold;                   /* the window is not in the cache */
    uint64_t samples;           /* latencies or transactions, 1 .. 100,000,000 */
    struct rnicsim_hist *exact; /* NULL, or takes the same latencies without the stamps */
    /* filled in for bandwidths */
    uint64_t transactions;
    int64_t took_ps;
};

/* latency: takes the samples of RNICSIM_LAT_*, in the stamps of pcie-bench's device, 13.33 ns; else NULL. */
RNICSIM_API int rnicsim_pciebench(struct rnicsim_pciebench *bench, struct rnicsim_hist *latency,
                                  struct rnicsim_error *error);

#ifdef __cplusplus
}
#endif
#endif
