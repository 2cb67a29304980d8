/* The reference's state: what is a register, a counter or a queue in hardware. Inside of ref_*.c only. */
#ifndef TESTS_PCIE_REF_PARTS_H
#define TESTS_PCIE_REF_PARTS_H

#include "kernel/rnd.h"
#include "tests/pcie/ref_pcie.h"

#define REF_QUEUE_MAX 16384u /* a power of two */

struct ref_request {
    uint32_t load;
    uint64_t address;
    uint32_t bytes, headers, data;
    uint64_t ordinal;        /* of reads sent */
    uint64_t behind;         /* so many posted TLPs were sent before it */
    int64_t at_ps, ready_ps; /* at the root complex; its data is there */
    int is_refused, is_lost; /* by the host */
    int64_t deadline_ps;
    int has_failed; /* timed out */
    int over;       /* its last completion is in */
};

struct ref_posted { /* a TLP in the host's receive buffer */
    uint32_t load;
    uint32_t data, lines;
    int relaxed, is_cqe, is_last, is_empty; /* is_last: of its part, payload or CQE */
    int64_t takes_ps;                       /* from draining until it is seen */
    int64_t sent_ps;
};

struct ref_delayed { /* due at a cycle or an instant */
    int64_t at;
    uint32_t a, b;
};

struct ref_queue {
    uint32_t first, next;
    struct ref_delayed entry[REF_QUEUE_MAX];
};

struct ref_wire {
    int64_t until_skip_cyc, busy_cyc;
    int skips_waiting, is_skipping;
    int64_t took_cyc; /* of the TLP under way, once */
    uint64_t stream, tlps;
    uint32_t attempts;
};

struct ref_write_port {
    uint32_t next_load; /* not pushed yet */
    uint32_t in_sync[REF_PCIE_LOADS_MAX], edges[REF_PCIE_LOADS_MAX], first, last;
    int64_t there_cyc[REF_PCIE_LOADS_MAX]; /* link cycle in which it came through the synchroniser */
    int active;
    uint64_t address;
    uint32_t bytes, cqe_bytes;
    int64_t takes_ps;
    int part_begun;
};

struct ref {
    const struct ref_pcie_system *system;
    const struct pcie_params *p;
    struct ref_pcie_log *log;
    const char *wrong;
    struct clk link;
    int64_t now_ps, user_cyc, link_cyc;
    int64_t skip_every_cyc, skip_took_cyc, ack_cyc, nak_cyc, timer_cyc, retrain_cyc, update_cyc, line_cyc, order_cyc;
    struct rnd_table host_read, host_write;
    uint64_t host_stream, fate_stream, reads_drawn, writes_drawn;

    /* endpoint */
    uint32_t next_operation; /* load */
    int engine_rest_cyc, is_current;
    uint32_t current;
    uint64_t current_address;
    uint32_t current_bytes;
    int64_t free_tags, free_headers, free_data;
    struct ref_request request[REF_QUEUE_MAX];
    uint32_t requests, oldest;                 /* oldest: not retired */
    uint32_t pending[REF_QUEUE_MAX], pendings; /* sent, neither completed nor timed out */
    uint32_t lost, lost_headers, lost_data;
    uint32_t in_flight[REF_PCIE_LOADS_MAX];
    int all_sent[REF_PCIE_LOADS_MAX];
    struct ref_queue issue, returned, usable; /* to the link; completions on their way in; seen in this cycle */
    struct ref_queue stores;                  /* on their way in, and in the receive buffer */
    int64_t store_rest_until_cyc;

    /* up */
    struct ref_wire wire[REF_DIRECTIONS];
    struct ref_queue to_send; /* requests at the link */
    struct ref_write_port port[2];
    int turn; /* whose was the last */
    int64_t free_ph, free_pd, free_nph, free_lines;
    int64_t free_replay_bytes;
    struct ref_queue updates, np_updates, lines, acks; /* on their way back */
    int sending;                                       /* 0 none, 1 read, 2 posted */
    uint32_t sending_bytes;
    struct ref_request *sending_read;
    struct ref_posted sending_posted;

    /* host */
    struct ref_posted posted[REF_QUEUE_MAX];
    uint64_t posted_sent, posted_drained;
    int64_t last_drained_cyc, visible_ps, known_ps;               /* known: to the root complex */
    uint32_t arrived[REF_QUEUE_MAX], arrived_first, arrived_next; /* reads that wait for posted ones before them */
    uint32_t ready[REF_QUEUE_MAX], ready_count;                   /* not sorted */

    /* down */
    uint32_t next_store;
    int64_t free_store_headers, free_store_data;
    struct ref_queue store_updates; /* a: data credits */
    int down_kind;                  /* 0 none, 1 completion, 2 store */
    struct ref_request *answering;
    uint64_t answer_address;
    uint32_t answer_bytes, down_store;
    uint32_t finished;
};

void ref_engine_edge(struct ref *ref);
void ref_up_cycle(struct ref *ref);
void ref_down_cycle(struct ref *ref);

void ref_wire_send(struct ref_wire *wire, int64_t took_cyc);
/* One cycle of a direction; 1: its TLP ends, and is good. */
int ref_wire_cycle(struct ref *ref, struct ref_wire *wire);
/* Link cycles of a TLP: its bytes, or as long as its slots keep the user interface. parts: places in a beat where one may begin. */
int64_t ref_tlp_cyc(const struct ref *ref, uint32_t link_bytes, uint32_t payload_bytes, uint32_t descriptor_bytes,
                    uint32_t parts);
void ref_count(struct ref *ref, int direction, enum ref_pcie_kind kind, uint32_t payload_bytes, uint32_t link_bytes);
void ref_wrong(struct ref *ref, int is_right, const char *what);

/* The oldest that is due; NULL: none. */
static inline const struct ref_delayed *ref_due(const struct ref_queue *queue, int64_t now)
{
    const struct ref_delayed *first = &queue->entry[queue->first % REF_QUEUE_MAX];
    return queue->first != queue->next && first->at <= now ? first : 0;
}

static inline void ref_delay(struct ref_queue *queue, int64_t at, uint32_t a, uint32_t b)
{
    queue->entry[queue->next++ % REF_QUEUE_MAX] = (struct ref_delayed){at, a, b};
}

#endif
