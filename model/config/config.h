/* The values of all rooms' parameters and the stages of the NIC's paths, in layers, each value with its origin.
 *
 * Layers: defaults < nic < mac < endpoint < board < host < -s. Files may be loaded in any order (a board's head names its nic); a value
 * of a lower layer never replaces one of a higher. Files are ini files:
 *
 *   about = 100G, Alveo U280            the head: plain texts. board: board part nic mac endpoint host about; each
 *   nic = rnic_512                      other kind: its own name and about
 *   [pcie]                              a room, its keys without prefix, in an endpoint file no other, in a mac file only
 *                                       [mac] and [nic]; class and source as of enum param_class
 *   lanes = 16 @documented "DS963"      the source is mandatory but for @assumed
 *   [stage tx.segment]                  in nic files: a stage of path tx; their order is the order of the path. In mac
 *                                       files: other values for a stage that the nic has
 *   clock = core
 *   width = 512 bit @assumed            and interval, latency, depth (beats or packets), flow; optional: sync,
 *                                       start_beats, gap, pause, pause_beats, holds, entry
 *
 * Functions return 0, or -1 with one line in `err` (may be NULL). After a failed config_load() some of its values are
 * set already: the config is fit only for config_destroy(). */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "config/param.h"

#define CONFIG_SOURCE_BYTES 256
#define CONFIG_ORIGIN_BYTES 128
#define CONFIG_KEY_BYTES 96
#define CONFIG_STAGES_MAX 64

struct config;

enum config_kind { CONFIG_NIC, CONFIG_MAC, CONFIG_ENDPOINT, CONFIG_BOARD, CONFIG_HOST, CONFIG_KIND_COUNT };

enum config_layer {
    CONFIG_LAYER_DEFAULT,
    CONFIG_LAYER_NIC,
    CONFIG_LAYER_MAC,
    CONFIG_LAYER_ENDPOINT,
    CONFIG_LAYER_BOARD,
    CONFIG_LAYER_HOST,
    CONFIG_LAYER_SET
};

/* What is known of one value beside the value. */
struct config_note {
    enum param_class class;
    enum config_layer layer;
    int line[CONFIG_KIND_COUNT];      /* where each kind of file gives it; 0: it does not */
    char source[CONFIG_SOURCE_BYTES]; /* may be empty */
    char origin[CONFIG_ORIGIN_BYTES]; /* "default", "nic rnic_512.nic:12", "-s" */
};

/* ---- create and fill ---- */

/* `tables` must outlive the config. Refuses tables that contradict themselves (a default out of its range). */
struct config *config_create(const struct param_table *const *tables, size_t count, struct config_error *err);
void config_destroy(struct config *config);

/* One file of each kind at most. */
int config_load(struct config *config, const char *path, enum config_kind kind, struct config_error *err);

/* "key=value", from the command line; the value's class becomes assumed. Stages, as "stage.PATH.NAME.latency=12 cycle",
 * exist once the nic file is loaded. */
int config_set(struct config *config, const char *assignment, struct config_error *err);

/* ---- read ---- */

/* The room's struct of values, or NULL when there is no such room. Valid until config_destroy(). */
const void *config_room(const struct config *config, const char *room);

/* A text of a file's head ("board", "part", "nic", "mac", "endpoint", "host", "about"), or NULL. */
const char *config_head(const struct config *config, enum config_kind kind, const char *key);

enum stage_field {
    STAGE_CLOCK,
    STAGE_WIDTH,
    STAGE_INTERVAL,
    STAGE_LATENCY,
    STAGE_DEPTH,
    STAGE_FLOW,
    STAGE_SYNC,
    STAGE_START,
    STAGE_GAP,
    STAGE_PAUSE,
    STAGE_PAUSE_BEATS,
    STAGE_ENTRY,
    STAGE_HOLDS,
    STAGE_FIELD_COUNT
};

struct stage_spec {
    char path[16], name[32];
    char clock[PARAM_TEXT_BYTES];
    int64_t width_bits;
    int64_t interval_cyc; /* a beat, >= 1 */
    int64_t latency_cyc;  /* >= 1 */
    int64_t depth;        /* >= 1, beats or packets */
    int64_t sync_cyc;     /* synchroniser flops where the clock differs from the previous stage's, 2 .. 3 */
    int64_t start_beats;  /* cut-through: so many beats, or the whole item, before it starts; >= 1 */
    int64_t gap_cyc, pause_cyc, pause_beats;
    int depth_in_beats;
    int64_t store; /* 0: cut-through, 1: store-and-forward */
    int64_t
        entry_bits; /* of a packet's slot in the FIFO's memory; 0: it holds the whole item, in beats of width_bits */
    char holds[96]; /* what the FIFO holds, in words; may be empty */
    struct config_note note[STAGE_FIELD_COUNT];
    char origin[CONFIG_ORIGIN_BYTES]; /* of the section */
};

size_t config_stage_count(const struct config *config);
/* In the file's order; NULL past the last. */
const struct stage_spec *config_stage(const struct config *config, size_t index);

/* The least and the most that a number's key allows ("nic.data_fifo", "stage.rx.cdc.depth"), in its base unit. -1: no such
 * number. */
int config_range(const struct config *config, const char *key, int64_t *least, int64_t *most);

/* ---- list ---- */

/* The note of a parameter ("pcie.lanes") or of a stage's value ("stage.PATH.NAME.latency"); NULL when there is none. */
const struct config_note *config_note(const struct config *config, const char *key);

struct config_param_info {
    char key[CONFIG_KEY_BYTES];
    char value[PARAM_PRINT_BYTES];
    char range[PARAM_RANGE_BYTES];
    char unit[PARAM_TEXT_BYTES]; /* "ps, ns, us, ms, s" */
    const char *fallback;        /* the default; "" for what a nic file must give */
    const char *class_name, *source, *origin, *sentence;
    int changed; /* by -s */
};

/* Parameters in the order of the tables, then the stages' values as "stage.PATH.NAME.latency". */
size_t config_param_count(const struct config *config);
int config_param(const struct config *config, size_t index, struct config_param_info *out);

/* ---- find files ---- */

/* "u280_100g" becomes DATA_DIR/boards/u280_100g.board; what holds a '/' or is an existing file is a path already.
 * data_dir NULL: see config_data.h. An unknown name: the error lists the known. */
int config_find(const char *data_dir, enum config_kind kind, const char *name_or_path, char *path, size_t bytes,
                struct config_error *err);

/* The same for a name that stands in the file `beside`: a relative path, or a file's bare name, is one in that file's folder. */
int config_find_beside(const char *data_dir, enum config_kind kind, const char *name_or_path, const char *beside,
                       char *path, size_t bytes, struct config_error *err);

/* The boards in order of name, with the `about` of their heads; -1 past the last. */
int config_board_at(const char *data_dir, size_t index, char *name, size_t name_bytes, char *line, size_t line_bytes);

#endif
