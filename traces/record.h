/* What a trace of work requests consists of: its header tables and its records.
 *
 * Times are picoseconds since the start of the trace, think times nanoseconds, lengths bytes. A SEND event is any
 * request posted to a send queue; its opcode says which. The files' two forms, and what each field may hold:
 * traces/FORMAT.md. Source: the field's own words are those of libibverbs (enum ibv_wr_opcode, ibv_send_flags,
 * ibv_access_flags). */
#ifndef TRACES_RECORD_H
#define TRACES_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "api/rnicsim.h"
#include "traces/map.h"

#define TRACE_VERSION 1u
#define TRACE_BINARY_SCHEDULED 2u /* of a binary trace that says service levels, weights, rates or rd_atomic of QPs */
#define TRACE_RD_ATOMIC 16u       /* of a QP by default */
#define TRACE_SGE_MAX 32u         /* more than any device's max_sge known to us (mlx5: 30) */
#define TRACE_TABLE_MAX 65536u    /* hosts, QPs, MRs, notes: each */
#define TRACE_LINE_MAX 4000u      /* characters of a line of the text form, without its end */
#define TRACE_NOTE_MAX 3900u
#define TRACE_NAME_MAX 63u
#define TRACE_DEVICE_MAX 255u

enum trace_event {
    TRACE_SEND, /* posted to a send queue */
    TRACE_RECV, /* posted to a receive queue */
    TRACE_DB,   /* doorbell rung */
    TRACE_POLL,
    TRACE_CQE,
    TRACE_ARM,
    TRACE_MEMSPIN, /* a program spins on memory */
    TRACE_EVENT_COUNT
};

enum trace_opcode {
    TRACE_OP_NONE,
    TRACE_OP_SEND,
    TRACE_OP_SEND_IMM,
    TRACE_OP_WRITE,
    TRACE_OP_WRITE_IMM,
    TRACE_OP_READ,
    TRACE_OP_CMP_SWAP,
    TRACE_OP_FETCH_ADD,
    TRACE_OP_LOCAL_INV,
    TRACE_OP_BIND_MW,
    TRACE_OP_SEND_INV,
    TRACE_OP_RECV,
    TRACE_OPCODE_COUNT
};

static inline int trace_opcode_is_atomic(enum trace_opcode opcode)
{
    return opcode == TRACE_OP_CMP_SWAP || opcode == TRACE_OP_FETCH_ADD;
}

/* The peer answers it with data. */
static inline int trace_opcode_is_answered(enum trace_opcode opcode)
{
    return opcode == TRACE_OP_READ || trace_opcode_is_atomic(opcode);
}

/* It takes a RECV of the peer's. */
static inline int trace_opcode_is_received(enum trace_opcode opcode)
{
    return opcode == TRACE_OP_SEND || opcode == TRACE_OP_SEND_IMM || opcode == TRACE_OP_SEND_INV ||
           opcode == TRACE_OP_WRITE_IMM;
}

/* The same bits as RNICSIM_SIGNALLED and its neighbours, so that a replay passes them on. */
#define TRACE_SIGNALED RNICSIM_SIGNALLED
#define TRACE_INLINE RNICSIM_INLINE
#define TRACE_SOLICITED RNICSIM_SOLICITED
#define TRACE_FENCE RNICSIM_FENCE
#define TRACE_FLAG_COUNT 4u

enum trace_dep_kind {
    TRACE_DEP_NONE,
    TRACE_DEP_CQE,  /* the count-th send CQE of this QP on this host has been polled */
    TRACE_DEP_RECV, /* the count-th receive CQE of this QP on this host has been polled */
    TRACE_DEP_MEM,  /* the count-th remote WRITE to this host on this QP is visible */
    TRACE_DEP_POST, /* this thread's previous post was issued; stands alone, count is 0 */
    TRACE_DEP_KIND_COUNT
};

struct trace_dep_term {
    enum trace_dep_kind kind;
    uint32_t count; /* from 1 */
};

/* All terms must hold; the post follows think_ns later. No term: the record stands at its absolute time. */
struct trace_dep {
    struct trace_dep_term term[2];
    uint32_t think_ns;
};

struct trace_sge {
    uint64_t address;
    uint32_t length_bytes;
    uint32_t lkey;
};

struct trace_record {
    int64_t t_ps;
    uint64_t wr_id;
    uint64_t laddr;
    uint64_t raddr;
    uint64_t cmp;
    uint64_t swap;
    uint32_t thread;
    uint32_t qpn;
    uint32_t cqn; /* 0: the QP's own */
    uint32_t db_id;
    uint32_t len; /* bytes, 0 .. 2^31, of all SGEs together */
    uint32_t lkey;
    uint32_t rkey;
    uint32_t imm; /* SEND_INV: the key to invalidate */
    struct trace_dep dep;
    enum trace_event event;
    enum trace_opcode opcode;
    uint32_t flags;
    uint16_t host;
    uint8_t nsge;
    uint8_t inlined;                           /* the column `inline`: 1 exactly when flags has TRACE_INLINE */
    uint8_t extra_count;                       /* SGEs after the first that are listed: 0 or nsge - 1 */
    struct trace_sge extra[TRACE_SGE_MAX - 1]; /* only extra_count of them are set */
};

enum trace_qp_type { TRACE_RC, TRACE_UC, TRACE_UD, TRACE_QP_TYPE_COUNT };

struct trace_qp {
    uint32_t host;
    uint32_t qpn;
    enum trace_qp_type type;
    uint32_t peer_host;
    uint32_t peer_qpn; /* 0: none, UD only */
    uint32_t mtu;      /* bytes */
    uint32_t sq_depth; /* WQEs */
    uint32_t rq_depth;
    uint32_t sig_all;
    uint32_t max_inline; /* bytes */
    uint32_t cqn;
    uint32_t service_level, weight; /* weight 0: 1 */
    uint64_t rate_bps;              /* 0: no limit */
    uint32_t rd_atomic;             /* READs and atomics under way, at most; 0: TRACE_RD_ATOMIC */
    uint64_t line;                  /* where the file has it, for messages; 0: not from a text file */
};

#define TRACE_LOCAL_WRITE 1u
#define TRACE_REMOTE_WRITE 2u
#define TRACE_REMOTE_READ 4u
#define TRACE_REMOTE_ATOMIC 8u
#define TRACE_ACCESS_COUNT 4u

struct trace_mr {
    uint32_t host;
    uint32_t key;
    uint64_t base;
    uint64_t length; /* bytes */
    uint64_t page_bytes;
    uint32_t access;
};

struct trace_host {
    uint32_t host;
    char name[TRACE_NAME_MAX + 1];
    char device[TRACE_DEVICE_MAX + 1]; /* free text */
};

/* All zero is an empty header. Fill it and free it with the functions of traces/header.h. The time unit is always ps.
 */
struct trace_header {
    uint32_t version; /* set when read */
    struct trace_host *hosts;
    struct trace_qp *qps;
    struct trace_mr *mrs;
    char **notes; /* provenance, one line each */
    size_t host_count, qp_count, mr_count, note_count;
    struct trace_map host_index, qp_index, mr_index;
};

/* Names as in the text form; the index must be in range. Opcode NONE is the empty string. */
const char *trace_event_name(enum trace_event event);
const char *trace_opcode_name(enum trace_opcode opcode);
const char *trace_qp_type_name(enum trace_qp_type type);
const char *trace_dep_kind_name(enum trace_dep_kind kind);
const char *trace_flag_name(uint32_t bit_index);
const char *trace_access_name(uint32_t bit_index);

/* 1 when `record`, the one right after `previous` in its file, shares its doorbell: the same event (SEND or RECV),
 * host, thread, QP and db_id. The first record's t_ps and dep hold for all of them. */
int trace_same_doorbell(const struct trace_record *previous, const struct trace_record *record);

/* Writes one line to error (which may be NULL) and returns -1. */
int trace_fail(struct rnicsim_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
