/* The insides of struct config, shared by config*.c alone. */
#ifndef CONFIG_CONFIG_INTERNAL_H
#define CONFIG_CONFIG_INTERNAL_H

#include "config/config.h"
#include "config/config_entry.h"
#include "config/config_nearest.h"

#define CONFIG_HEAD_BYTES 256

enum config_head_key {
    CONFIG_HEAD_BOARD,
    CONFIG_HEAD_PART,
    CONFIG_HEAD_NIC,
    CONFIG_HEAD_MAC,
    CONFIG_HEAD_ENDPOINT,
    CONFIG_HEAD_HOST,
    CONFIG_HEAD_ABOUT,
    CONFIG_HEAD_KEY_COUNT
};

struct config_room {
    const struct param_table *table;
    void *values;             /* table->struct_bytes */
    struct config_note *note; /* table->count */
};

struct config {
    struct config_room *room;
    size_t room_count;
    struct stage_spec *stage; /* CONFIG_STAGES_MAX */
    int stage_line[CONFIG_STAGES_MAX];
    size_t stage_count;
    struct stage_spec unused_stage; /* what a mac file says of stages where there is no nic */
    char head[CONFIG_KIND_COUNT][CONFIG_HEAD_KEY_COUNT][CONFIG_HEAD_BYTES];
    int loaded[CONFIG_KIND_COUNT];
};

struct config_room *config_room_find(const struct config *config, const char *room);

/* One parameter: its room and its row there. */
struct config_slot {
    struct config_room *room;
    size_t row;
};

/* By the key in full; -1 when there is none. */
int config_slot_find(const struct config *config, const char *key, struct config_slot *out);

/* Gives the parameter the entry's value and note, unless a higher layer has spoken. The error is the reason alone. */
int config_slot_set(const struct config_slot *slot, const struct config_entry *entry, struct config_error *err);

/* "unknown key 'pcie.lane', did you mean 'pcie.lanes'?" */
int config_unknown_key(const struct config *config, const char *key, struct config_error *err);

const char *config_kind_name(enum config_kind kind);
const char *config_head_key_name(enum config_head_key key);

/* ---- stages (config_stage.c) ---- */

/* The section "[stage PATH.NAME]" begins: `name` is "PATH.NAME". */
int config_stage_begin(struct config *config, const char *name, const char *origin, int line, struct config_error *err);
/* The stage "PATH.NAME", or NULL. */
struct stage_spec *config_stage_find(const struct config *config, const char *name);
/* STAGE_FIELD_COUNT when there is no field of that name. */
enum stage_field config_stage_field_of(const char *name);
const char *config_stage_field_name(enum stage_field field);
const struct param_desc *config_stage_field_desc(enum stage_field field);
/* 1 for the fields that need a class in files. */
int config_stage_field_needs_class(enum stage_field field);
int config_stage_set(struct stage_spec *stage, enum stage_field field, const struct config_entry *entry,
                     struct config_error *err);
/* Refuses a stage that lacks a value: "stage tx.segment lacks 'latency'"; *line is its section's. */
int config_stage_check(const struct config *config, int *line, struct config_error *err);
/* For the listing: all fields but `holds`. */
void config_stage_info(const struct stage_spec *stage, enum stage_field field, struct config_param_info *out);
/* "stage.PATH.NAME.field"; `key` has CONFIG_KEY_BYTES. */
void config_stage_key(const struct stage_spec *stage, enum stage_field field, char *key);

#endif
