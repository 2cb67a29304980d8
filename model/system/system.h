/* Two NICs with their hosts, joined by a cable: one simulation, built from a configuration. */
#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include "config/config.h"
#include "nic/rnic.h"

#define SYSTEM_NICS_MAX 4 /* a pair, and an idle one for tests */

struct system_options {
    uint64_t seed;
    int horizon_off;
    int idle_pair;
    uint64_t spurious_seed;
    int64_t shift_ps;
    int has_data;        /* 1: payload holds something (nic/content.h); 2: a pattern, which is checked */
    jmp_buf *on_failure; /* where a failed model_assert ends; NULL: the process aborts */
};

struct system {
    struct sim sim;
    struct config *config;
    struct pool items;
    struct pool messages;
    struct pool trips;
    struct sges sges;
    struct outbox outbox;
    struct tap tap;            /* at the line of the pair */
    struct contents *contents; /* of the pair's hosts; NULL: payload holds nothing */
    struct rnic_setup *setup;  /* while it is built */
    struct rnic nic[SYSTEM_NICS_MAX];
    int nics;
    int64_t shift_ps;
};

/* The tables of all rooms, for config_create(). */
extern const struct param_table *const system_param_tables[];
extern const size_t system_param_table_count;

struct system_names {
    const char *board;      /* a name or a path, as the others */
    const char *mac, *host; /* NULL: the board's own */
};

/* Loads board, nic, mac, endpoint and host, then the "key=value" settings. NULL and one line in `error` when something is wrong. */
struct config *system_configure(const char *data_dir, const struct system_names *names, const char *const *set,
                                size_t set_count, struct config_error *error);

/* The same for a host alone; NULL: nothing but the defaults. */
struct config *system_configure_host(const char *data_dir, const char *host, const char *const *set, size_t set_count,
                                     struct config_error *error);

/* And for a MAC alone. */
struct config *system_configure_mac(const char *data_dir, const char *mac, const char *const *set, size_t set_count,
                                    struct config_error *error);

/* Builds the simulation; takes the configuration over, also when it fails (system_free() is then to be called). Returns -1
 * and one line in `error`. */
int system_init(struct system *system, struct config *config, const struct system_options *options,
                struct config_error *error);
void system_free(struct system *system);

/* A QP on NIC `nic`; joined with its peer as soon as both exist. Its index, or QP_NONE without memory. */
/* From now on the pair of NICs answers READs and atomics. Returns -1 without memory. */
int system_answer(struct system *system);
uint32_t system_add_qp(struct system *system, uint32_t nic, const struct qp *qp, uint32_t peer_nic);

#endif
