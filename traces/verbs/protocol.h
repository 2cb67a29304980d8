/* What a program under `rnicsim verbs` and the launcher, which holds the simulation, say to each other: one packet each way, over a
 * socket of whole packets. The program stands still until it is answered. Times are virtual, in ps. */
#ifndef VERBS_PROTOCOL_H
#define VERBS_PROTOCOL_H

#include <stdint.h>

#define VERBS_SOCKET "RNICSIM_VERBS_SOCKET" /* environment: where the launcher listens (an abstract name) */
#define VERBS_HOST "RNICSIM_VERBS_HOST"     /* environment: "a", "b", or "-": the first that is free */
#define VERBS_MESSAGE_BYTES 131072u
#define VERBS_COMPLETIONS 64u /* in one answer, at most */
#define VERBS_PAGE_BYTES 4096u
#define VERBS_INLINE_MOST 1024u

enum verbs_kind {
    VERBS_JOIN, /* with the file that registered memory lies in */
    VERBS_QP_CREATE,
    VERBS_QP_MODIFY,
    VERBS_REGISTER,
    VERBS_DEREGISTER,
    VERBS_LEND,    /* pages of the program are those of its file at region.offset */
    VERBS_UNLEND,  /* they are no longer */
    VERBS_POST_SEND,
    VERBS_POST_RECEIVE,
    VERBS_POLL,        /* what has come until now */
    VERBS_WAIT_POLL,   /* the same, and if that is nothing, until something comes */
    VERBS_WAIT_MEMORY, /* until a peer has written more often than `seen` */
    VERBS_SLEEP,       /* until until_ps */
    VERBS_OUTSIDE,     /* not answered: the program waits for something outside of the simulation */
    VERBS_BACK,        /* and does no longer */
    VERBS_STREAM_SEND, /* bytes go into a TCP stream */
    VERBS_STREAM_WAIT, /* until there is something in it, or its end; EAGAIN: as after VERBS_OUTSIDE */
    VERBS_STREAM_TOOK, /* not answered: so many bytes were read */
    VERBS_STREAM_CLOSE /* not answered */
};

struct verbs_qp {
    uint32_t qpn, pd, transport, state; /* enums of rnicsim.h */
    uint32_t sq_depth, rq_depth, inline_bytes;
    uint32_t signal_all;
    uint32_t peer_qpn, mtu_bytes, sq_psn, rq_psn, max_rd_atomic, access, qkey, service_level;
    uint32_t timeout, retry_count, rnr_retry, rnr_timer;
};

struct verbs_region {
    uint64_t address, length_bytes, offset;
    uint32_t key, access, pd;
};

struct verbs_request {
    uint32_t kind;
    uint32_t count; /* of verbs_wr behind it */
    int64_t at_ps;
    int64_t until_ps; /* of what waits: it is answered then at the latest */
    union {
        char host;
        struct verbs_qp qp; /* of posts, qpn */
        struct verbs_region region;
        uint64_t seen;
        struct {
            uint64_t name, bytes;
        } stream;
    };
};

/* Followed by sge_count verbs_sge, or by inline_bytes, rounded up to 8. Receive buffers too. */
struct verbs_wr {
    uint64_t wr_id, remote_address, compare, swap_or_add;
    uint32_t rkey, immediate, opcode, flags; /* enums of rnicsim.h */
    uint32_t remote_qpn, remote_qkey;
    uint32_t sge_count, inline_bytes;
};

struct verbs_sge {
    uint64_t address;
    uint32_t length_bytes, lkey;
};

struct verbs_completion {
    uint64_t wr_id;
    uint32_t qpn, is_receive, opcode, status; /* opcode: of the request, also of a receive */
    uint32_t length_bytes, immediate, src_qpn;
};

struct verbs_reply {
    int32_t result; /* 0, or an errno */
    uint32_t count; /* of verbs_completion behind it */
    int64_t at_ps;  /* the program goes on then */
    uint64_t writes; /* of peers, that this host has seen */
    uint32_t number; /* of what was made: QP, key; of JOIN: the host */
    uint32_t waiting; /* completions, besides those */
    int64_t tsc_hz, real_ns; /* of JOIN: what the clock of the day shows at 0 */
};

#endif
