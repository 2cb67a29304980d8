/* Two hosts with memory, a region each and a QP between them, for tests in which both post: all that either sees is kept, in order. */
#ifndef TESTS_SYSTEM_ENDS_H
#define TESTS_SYSTEM_ENDS_H

#include "api/rnicsim.h"

#define ENDS_MOST 64u
#define LOCAL UINT64_C(0x1000000)
#define REMOTE UINT64_C(0x2000000)
#define REGION_BYTES UINT64_C(0x20000)
#define LKEY 0x100u
#define RKEY 0x200u

struct ends {
    struct rnicsim *sim;
    struct rnicsim_event event[2][ENDS_MOST]; /* by host, in order */
    uint32_t count[2], posted;
};

/* Board u280_100g with a setting or NULL; without QPs and regions. */
struct ends ends_open(const char *setting);
void ends_qp(struct ends *ends, uint32_t host, uint32_t pd, uint32_t access);
/* LKEY at LOCAL on host 0, RKEY at REMOTE on host 1. */
struct rnicsim_mr_attr ends_region(uint32_t host, uint32_t access);
void ends_register(struct ends *ends, struct rnicsim_mr_attr attr);
/* A window or a free region. */
void ends_key(struct ends *ends, uint32_t host, uint32_t key, enum rnicsim_key_kind kind);
/* QPs of one protection domain and a region each, with all rights. */
struct ends ends_open_plain(const char *setting);
/* From host 0's region to host 1's; what is done by the NIC itself. */
struct rnicsim_wr ends_request(enum rnicsim_opcode opcode, uint32_t bytes);
struct rnicsim_wr ends_request_with(enum rnicsim_opcode opcode, const struct rnicsim_bind *bind);
/* Signalled, with any key, and the count of those before as wr_id. */
void ends_post(struct ends *ends, uint32_t host, struct rnicsim_wr wr);
void ends_receive(struct ends *ends, uint32_t host, uint64_t wr_id, uint32_t lkey, uint32_t bytes);
/* To the end. */
void ends_finish(struct ends *ends);
/* The same; the only event of a kind at a host since the last call of this, which forgets them all. */
struct rnicsim_event ends_last(struct ends *ends, uint32_t host, enum rnicsim_event_kind kind);
/* Posts it; its status in the end. */
uint32_t ends_status(struct ends *ends, uint32_t host, struct rnicsim_wr wr);

#endif
