/* One NIC's PCIe: the endpoint's DMA engine, the link in both directions and the host's root complex.
 *
 * Two deciders, whose decide functions belong to the netlist (nic/dma.c): it calls pcie_up_next() and pcie_down_next() until they
 * have nothing left, and does what each result asks for. The read engine between them makes no choice.
 *
 *   read operation -> [read engine: tags, completion space] -> MRd -> [up] -> root complex, memory latency
 *     -> [down] -> completions -> the operation is done when its last one is in
 *   write (payload, CQE) -> [up] -> MWr -> root complex -> visible in memory
 *   the host's store to a BAR -> [down] -> MWr at the endpoint
 *
 * Up: one server, a TLP at a time, round robin over {reads, payload writes, CQE writes, events, updates of contexts and atomics}, as far as credits go (flow.h); a
 * TLP takes the longer of its bytes on the link and its beats on the endpoint's user interface (interface.h), and comes behind what
 * stops the link (stops.h) and its own replays (replay.h). Down: first come first served by the instant at which the host has the data
 * (root.h). Posted writes become visible in order, unless they are relaxed, and a read waits for the posted TLPs before it. Credits
 * towards the endpoint: store.h. All of this is held against tests/pcie/ref_pcie.h, cycle by cycle. */
#ifndef PCIE_PCIE_H
#define PCIE_PCIE_H

#include "kernel/agenda.h"
#include "kernel/fifo.h"
#include "kernel/space.h"
#include "pcie/flow.h"
#include "pcie/interface.h"
#include "pcie/params.h"
#include "pcie/replay.h"
#include "pcie/reserve.h"
#include "pcie/root.h"
#include "pcie/stops.h"
#include "pcie/store.h"

enum pcie_kind {
    PCIE_PAYLOAD_READ, /* up: MRd, down: CplD */
    PCIE_WQE_READ,
    PCIE_CONTEXT_READ,  /* see pcie_more_reads() */
    PCIE_RECEIVE_READ,  /* receive WQEs: the same */
    PCIE_PAYLOAD_WRITE, /* up */
    PCIE_CQE_WRITE,     /* up */
    PCIE_CONTEXT_WRITE, /* up */
    PCIE_EQE_WRITE,     /* up */
    PCIE_MSIX,          /* up: a write of 4 bytes */
    PCIE_TRANSLATION,   /* up: a translation request (ATS), down: its completion */
    PCIE_OTHERS,        /* another function's: see pcie/stops.h */
    PCIE_DOORBELL,      /* down */
    PCIE_RECORD_READ,   /* as WQE reads, among which it counts */
    PCIE_FETCH_ADD, /* up: FetchAdd and CAS requests (AtomicOps), down: CplD. As payload reads, among which they count */
    PCIE_CMP_SWAP,
    PCIE_ATOMIC_WRITE,  /* up: what the NIC itself has changed */
    PCIE_REGISTER_READ, /* the host's. Down: MRd, up: CplD */
    PCIE_KIND_COUNT
};

enum pcie_direction { PCIE_UP, PCIE_DOWN, PCIE_DIRECTION_COUNT };

struct pcie_count {
    uint64_t tlps, payload_bytes, link_bytes;
};

struct pcie_wait { /* what stopped TLPs of a kind on their way (doorbells: down), while nothing else was sent instead */
    int64_t tag_cyc, room_cyc[RESERVE_KINDS]; /* user cycles */
    int64_t credit_cyc[FLOW_LACKS];           /* link cycles */
};

/* A DMA read, asked for through the operations FIFO; its slot's ref is the index. bytes = 0: nothing to read, but in order. */
struct pcie_read {
    uint64_t address;
    uint32_t bytes;
    uint32_t ref;       /* the caller's */
    uint32_t in_flight; /* requests sent and not completed */
    uint8_t kind;
    uint8_t sent;      /* all requests are sent */
    uint8_t failed;    /* a request was refused, or timed out */
    uint8_t segments;  /* that are to be read behind the first; set by the caller before the engine can see it */
    int64_t over_ps;   /* where requests can fail: when the latest of them is over */
    int64_t begun_cyc; /* user cycle in which the engine took it */
    int64_t done_cyc;  /* user cycle of the last completion's arrival; 0: not known yet */
};

/* A DMA write: the slot's ref at a write FIFO names it to the caller, who tells what it writes when it begins (pcie_describe_fn). */
struct pcie_write {
    uint64_t address;
    uint32_t bytes;     /* payload, 0: none */
    uint32_t cqe_bytes; /* a CQE behind the payload, or the MSI-X behind an event; 0: none */
    uint64_t cqe_address;
    uint16_t kind, last_kind; /* of the payload and of what is behind it */
    uint8_t segments;         /* of the payload, as of a read */
};

/* The next TLP of a write, of which `left` bytes are left at this offset in a page. */
struct pcie_piece {
    uint32_t offset, left;
    uint32_t bytes, payload_bytes; /* of the transfer; as the TLP has it */
    struct flow_tlp tlp;
    int is_sparse;
};

struct pcie_place {
    uint64_t address;
    uint32_t bytes;
};

struct pcie_writing {        /* a write on its way to the link */
    struct pcie_write write; /* what is left of it */
    struct pcie_place payload;
    uint32_t cqe_bytes; /* 0: no CQE follows */
    uint32_t ref, slot_bytes;
    int active;
    int64_t came_cyc, start_cyc; /* link cycles: it was there, it began */
    int64_t credit_cyc;          /* not before: its next TLP has no credit */
    int64_t lack_from_cyc;       /* since when, and of what; SIM_NEVER: none lacks */
    int64_t *lack;               /* its account */
    int64_t drained_cyc;         /* of its newest TLP, as if the way to the host took no time */
    int64_t takes_ps;            /* its TLPs under way, until they are seen; -1: none is sent yet */
    int64_t payload_visible_ps;  /* where a CQE follows; 0: not known yet */
};

struct pcie_queued { /* an MRd between the engine and the link, and behind it for as long as its credit may be away */
    int64_t at_cyc;  /* link cycle in which it can be sent; then, in which it is over */
    uint32_t request;
};

/* Fills *write with the write of `ref` at the input. */
/* The next segment of a read or a write of the caller's, of which so many are left, with this one. */
typedef struct pcie_place pcie_segment_fn(void *context, int is_write, uint32_t ref, uint32_t left);
typedef void pcie_describe_fn(void *context, int input, uint32_t ref, struct pcie_write *write);

struct pcie_request { /* an MRd from the engine on, then its completion at the host */
    uint64_t address;
    uint32_t bytes;
    uint32_t read; /* index */
    uint16_t kind; /* of the read */
    uint16_t full; /* its completions are those of an aligned request of pcie.mrrs: `full` below */
};

struct pcie_tlps { /* one after the other on the link */
    uint32_t tlps, payload_bytes, link_bytes;
    int64_t took_cyc;
};

struct pcie_form { /* a request's completions, by where in a page it begins and its bytes */
    uint32_t offset, bytes;
    struct pcie_tlps tlps;
    uint32_t headers; /* reserved for them */
};

/* Requests that can fail, and tags that retire in order: pcie/retire.c. */
struct retire {
    int may_fail, in_order;
    uint64_t stream, requests;          /* of random draws, and the ordinal in it */
    uint64_t refused_share, lost_share; /* of 2^32 */
    struct retire_tag {
        uint16_t fate;
        uint8_t is_refused; /* what comes, in time or not, is a completion without data */
        uint8_t is_over;    /* its last completion is in, at over_ps: it waits for those before it */
        int64_t deadline_ps, over_ps;
    } * tag;
    uint32_t *order; /* ring of requests as they were sent */
    uint32_t first, next, mask;
    int64_t given_ps;                         /* the newest: what comes back does so in order */
    uint64_t refused, timed_out, quarantined; /* quarantined: now */
};

enum { PCIE_IN_READ, PCIE_IN_PAYLOAD, PCIE_IN_CQE, PCIE_IN_EVENT, PCIE_IN_UPDATE, PCIE_INPUTS };

struct pcie_choice {
    int input;
    int64_t start_cyc, others_cyc; /* link cycles */
};

struct pcie {
    struct sim *sim;
    struct pcie_params path;          /* what was given, with the MPS of the path */
    const struct pcie_params *params; /* that */
    const struct clk *user_clk;
    struct clk link_clk;                      /* a byte */
    uint32_t request_bytes, completion_bytes; /* of a TLP on the link, beside its payload */
    int64_t flit_cyc;                         /* see link_received_cyc() */
    struct stops stops[PCIE_DIRECTION_COUNT];
    struct replay replay[PCIE_DIRECTION_COUNT];
    struct interface requests_side, completions_side;
    struct root root;
    int ats;
    struct iommu atc; /* the endpoint's translations */
    struct pcie_translated {
        uint64_t page; /* number plus 1; 0: none */
        int64_t ready_ps;
    } translated[PCIE_INPUTS]; /* the newest that each input asked for */

    /* read engine */
    struct pcie_read *read;
    uint32_t *read_unused; /* a stack of indices */
    uint32_t read_unused_count;
    struct space
        reads[4]; /* operations that may be under way: payload, WQEs and records, contexts, receive WQEs; user cycles */
    struct fifo *operations;
    uint32_t current; /* being cut; valid while current_bytes > 0 */
    uint64_t current_address;
    uint32_t current_bytes;    /* of its segment */
    uint32_t current_segments; /* behind that */
    int64_t issue_free_cyc, issue_work_cyc;
    struct reserve reserve;
    uint64_t operations_done;
    int up_decider, down_decider;

    /* requests between engine and link, and at the host: `request` entries, one a tag */
    struct pcie_request *request;
    uint32_t *request_free;
    uint32_t request_free_count;
    struct pcie_queued *queue; /* ring of requests on their way to the link */
    uint32_t queue_mask, queue_first, queue_next;
    uint32_t read_credits; /* NPH */
    int64_t read_back_cyc; /* from a request's end until its credit is back */
    struct retire *retire; /* NULL: nothing fails, tags are free as completions arrive, and there are no flits */

    /* up */
    struct fifo *write_in[PCIE_INPUTS - 1]; /* payload, CQE, contexts; events have none */
    struct pcie_writing writing[PCIE_INPUTS - 1];
    struct pcie_piece piece[PCIE_KIND_COUNT]; /* the newest of each kind: most are alike */
    struct flow flow;
    int np_blocks;
    int has_updates;                  /* 0: the input of contexts and atomics is not used */
    int sends_one_by_one;             /* read requests: replays, failures, operands */
    uint8_t relaxed[PCIE_KIND_COUNT]; /* whether writes of a kind have the RO attribute; events never have */
    int up_last;
    int64_t up_tlp_cyc;   /* that the newest of writes takes, link cycles */
    int64_t msix_gap_cyc; /* link cycles from the end of an EQE to its MSI-X */
    int64_t up_free_cyc, up_work_cyc;
    int64_t up_from_cyc, up_horizon_cyc; /* of the decision under way */
    int64_t up_wake_cyc, up_wake_ps;     /* the latest wake: the same instant twice */
    pcie_describe_fn *describe;          /* set by the caller after pcie_init() */
    pcie_segment_fn *segment_of;         /* the same */
    void *describe_context;

    /* down */
    struct agenda at_host;    /* ready completions */
    struct stores stores;     /* the host's */
    struct pcie_tlps full;    /* of an aligned request of pcie.mrrs */
    uint32_t full_headers;    /* completion headers reserved for it */
    struct pcie_form small;   /* of the newest other request: most are alike */
    uint64_t full_misaligned; /* bits that are 0 in an aligned address */
    int64_t down_free_cyc, down_work_cyc;

    struct pcie_count count[PCIE_DIRECTION_COUNT][PCIE_KIND_COUNT];
    struct pcie_wait wait[PCIE_KIND_COUNT];
};

/* What two parameters must hold together; their ranges are the table's. 0, or -1 and `error`. */
int pcie_check(const struct pcie_params *params, char *error, size_t error_bytes);

/* params are copied. payload_reads, wqe_reads: operations that can be under way (>= 1). phase_ps: the link clock's. Fills `error` and returns -1 when the
 * parameters contradict each other. operations and write_in are set by the caller afterwards. */
int pcie_init(struct pcie *pcie, struct sim *sim, const struct pcie_params *params, const struct clk *user_clk,
              uint64_t entity, uint32_t payload_reads, uint32_t wqe_reads, int64_t phase_ps, char *error,
              size_t error_bytes);
void pcie_free(struct pcie *pcie);
/* Where context reads read: this bit is set, and payload and WQEs lie elsewhere. */
#define PCIE_CONTEXTS_ADDRESS (UINT64_C(1) << 62)
/* Directly after pcie_init(): `count` reads of this kind, of contexts or receive WQEs, can be under way, too. Returns -1 without memory. */
int pcie_more_reads(struct pcie *pcie, enum pcie_kind kind, uint32_t count);

/* ---- read engine ---- */

/* Which of `reads` a kind takes, by enum pcie_kind. */
extern const uint8_t pcie_reads_of[PCIE_KIND_COUNT];

/* The user cycle from which another operation of this kind, payload or WQEs, may begin; SIM_NEVER: not decided yet. */
static inline int64_t pcie_read_when(const struct pcie *pcie, enum pcie_kind kind)
{
    return space_when(&pcie->reads[kind != PCIE_PAYLOAD_READ], 1);
}

/* Begins an operation; its index is to be pushed, in order, through a path that ends at the operations FIFO. */
uint32_t pcie_read_begin(struct pcie *pcie, enum pcie_kind kind, uint64_t address, uint32_t bytes, uint32_t ref);
/* Sends requests as far as operations, tags and space are known: to be called when an operation is pushed and when requests were
 * completed. Returns 1 when operations without bytes, which are done at once, were among them. */
int pcie_read_run(struct pcie *pcie);
/* The data that a request carries: of AtomicOps the operands (PCIe Base Spec 3.0, 2.2.7). */
static inline uint32_t pcie_operand_bytes(unsigned kind)
{
    return kind == PCIE_FETCH_ADD ? 8 : kind == PCIE_CMP_SWAP ? 16 : 0;
}

/* The operation is taken over by the caller at at_cyc; another may begin one cycle later. In order within a kind. */
void pcie_read_end(struct pcie *pcie, uint32_t read, int64_t at_cyc);

/* When what has left the link at end_cyc is there at the other side. */
static inline int64_t pcie_arrival_ps(const struct pcie *pcie, int64_t end_cyc)
{
    return clk_edge(&pcie->link_clk, link_received_cyc(pcie->flit_cyc, end_cyc)) + pcie->params->link_latency;
}

static inline void pcie_count_one(struct pcie *pcie, enum pcie_direction direction, enum pcie_kind kind,
                                  uint32_t payload_bytes, uint32_t link_bytes)
{
    struct pcie_count *count = &pcie->count[direction][kind];
    count->tlps++;
    count->payload_bytes += payload_bytes;
    count->link_bytes += link_bytes;
}
/* The host reads a register of 4 bytes, which takes the NIC register_cyc user cycles: how long the links and the NIC take on idle links.
 * Its two TLPs are counted; they are not in anybody's way. */
int64_t pcie_register_read(struct pcie *pcie, int64_t register_cyc);

/* ---- up ---- */

struct pcie_up {
    int input;
    uint32_t ref;          /* the write's slot */
    int64_t sent_at_ps;    /* its last TLP has left the link's arbiter */
    int64_t drained_at_ps; /* out of the host's receive buffer, see struct root_write */
    int64_t visible_at_ps; /* its last part, payload or CQE, visible in host memory */
    int64_t payload_visible_at_ps;
};

/* An event is to be raised from at_ps on, which has an EQE and an MSI-X; one that waits already is raised then, if that is sooner. When it
 * is done, pcie_up_next() tells, with input PCIE_IN_EVENT. Inside a decision. */
void pcie_raise(struct pcie *pcie, int64_t at_ps, uint32_t eqe_bytes);
/* Begins a decision at `now`, up to the horizon. */
void pcie_up_begin(struct pcie *pcie, int64_t now, int64_t horizon_ps);
/* Its next write that is done; 0: none, and when to decide again. */
int pcie_up_next(struct pcie *pcie, struct pcie_up *up, int64_t *wake_at);

/* ---- down ---- */

#define PCIE_NO_READ UINT32_MAX

/* The host's store of `bytes` to the BAR reaches the root complex at at_ps (> now). */
void pcie_store(struct pcie *pcie, int64_t at_ps, uint32_t bytes, uint32_t ref);

enum pcie_down_event { PCIE_DOWN_NOTHING, PCIE_DOWN_STORE, PCIE_DOWN_READ_DONE };

struct pcie_down {
    enum pcie_down_event event;
    uint32_t ref;   /* STORE: the caller's; READ_DONE: the operation's index */
    int64_t at_cyc; /* READ_DONE: user cycle in which the last byte is in the endpoint */
};

/* How the host cuts the completions of a read. */
struct pcie_tlps pcie_completions_of(const struct pcie *pcie, uint64_t address, uint32_t bytes);

/* The next arrival up to the horizon. STORE: the host's store comes next, at *wake_at; the caller sends it or, as nothing passes it
 * (it is posted), stops the link with it. */
struct pcie_down pcie_down_next(struct pcie *pcie, int64_t horizon_ps, int64_t *wake_at);
/* Sends that store to the endpoint's receive buffer. 0: it has no credits, and wakes the down decider when they are told. */
int pcie_store_send(struct pcie *pcie);
/* The oldest in the receive buffer; NULL: none. */
static inline const struct store_held *pcie_store_front(const struct pcie *pcie)
{
    const struct stores *stores = &pcie->stores;
    return stores->taken == stores->sent ? 0 : &stores->held[stores->taken & stores->mask];
}
/* The NIC takes it, which it can from the user cycle from_cyc (> now) on. Returns the cycle in which it does. */
int64_t pcie_store_take(struct pcie *pcie, int64_t from_cyc);

/* ---- requests that can fail, tags that retire in order ---- */

/* Returns -1 when memory is out. */
int pcie_retire_init(struct pcie *pcie, uint64_t stream);
void pcie_retire_free(struct pcie *pcie);
/* A request is sent at sent_ps and would have its completion at ready_ps: when the down link hears of it. */
int64_t pcie_retire_sent(struct pcie *pcie, uint32_t request, int64_t sent_ps, int64_t ready_ps);
/* Sends the completions that are ready by last_ps, until an operation is done. Returns that, or PCIE_NO_READ. */
uint32_t pcie_retire_reads(struct pcie *pcie, int64_t last_ps);
/* The host sends a TLP that is ready at start_cyc, not before free_cyc, when the one before it is over; or all completions of a request.
 * Returns the link cycle in which it, or the last, is over. */
int64_t pcie_deliver(struct pcie *pcie, uint32_t link_bytes, int64_t took_cyc, int64_t start_cyc, int64_t free_cyc);
int64_t pcie_deliver_completions(struct pcie *pcie, uint64_t address, uint32_t bytes, int64_t start_cyc,
                                 int64_t free_cyc);
void pcie_count_down(struct pcie *pcie, enum pcie_kind kind, const struct pcie_tlps *what, uint32_t times);

/* ---- lower bounds, for lookahead (ps) ---- */

/* From a decision of the read engine to its request at the link; from a grant of the link up to completions at the host. */
int64_t pcie_up_lookahead_ps(const struct pcie *pcie);
int64_t pcie_down_lookahead_ps(const struct pcie *pcie);

#endif
