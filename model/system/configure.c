/* From files to a configuration: the board names its nic, its PCIe endpoint and its host. */
#include "host/params.h"
#include "mac/fabric/params.h"
#include "mac/params.h"
#include "nic/params.h"
#include "pcie/params.h"
#include "system/system.h"
#include "transport/params.h"

#include <limits.h>

const struct param_table *const system_param_tables[] = {&nic_param_table,       &pcie_param_table, &mac_param_table,
                                                         &transport_param_table, &host_param_table, &net_param_table};
const size_t system_param_table_count = sizeof system_param_tables / sizeof *system_param_tables;

struct files {
    struct config *config;
    const char *data_dir;
    char board[PATH_MAX]; /* the board file's path: what it names lies beside it */
};

static int load_board(struct files *files, const char *board, struct config_error *error)
{
    if (config_find(files->data_dir, CONFIG_BOARD, board, files->board, sizeof files->board, error))
        return -1;
    return config_load(files->config, files->board, CONFIG_BOARD, error);
}

/* The nic, mac, endpoint or host that the board's head names, or the one given instead. */
static int load_named(struct files *files, enum config_kind kind, const char *key, const char *instead,
                      struct config_error *error)
{
    char path[PATH_MAX];
    const char *name = instead ? instead : config_head(files->config, CONFIG_BOARD, key);
    if (!name)
        return config_error_set(error, "%.200s: no '%s' is named, allowed is '%s = NAME' before its first section",
                                files->board, key, key);
    int failed = instead ? config_find(files->data_dir, kind, name, path, sizeof path, error)
                         : config_find_beside(files->data_dir, kind, name, files->board, path, sizeof path, error);
    return failed ? -1 : config_load(files->config, path, kind, error);
}

/* The "key=value" settings on top, unless something failed before: then, or now, the configuration is gone. */
static struct config *finish(struct config *config, int failed, const char *const *set, size_t set_count,
                             struct config_error *error)
{
    for (size_t i = 0; i < set_count && !failed; i++)
        failed = config_set(config, set[i], error);
    if (!failed)
        return config;
    config_destroy(config);
    return 0;
}

/* What the board need not name. */
static int load_if_named(struct files *files, enum config_kind kind, const char *key, const char *instead,
                         struct config_error *error)
{
    return instead || config_head(files->config, CONFIG_BOARD, key) ? load_named(files, kind, key, instead, error) : 0;
}

struct config *system_configure(const char *data_dir, const struct system_names *names, const char *const *set,
                                size_t set_count, struct config_error *error)
{
    struct config *config = config_create(system_param_tables, system_param_table_count, error);
    if (!config)
        return 0;
    struct files files = {.config = config, .data_dir = data_dir};
    int failed = load_board(&files, names->board, error) || load_named(&files, CONFIG_NIC, "nic", 0, error) ||
                 load_if_named(&files, CONFIG_MAC, "mac", names->mac, error) ||
                 load_if_named(&files, CONFIG_ENDPOINT, "endpoint", 0, error) ||
                 load_named(&files, CONFIG_HOST, "host", names->host, error);
    return finish(config, failed, set, set_count, error);
}

/* A host that is measured alone must say all that is measured. */
static int check_holes(const struct config *config, const char *path, struct config_error *error)
{
    static const char *const needed[] = {"pcie.mps",         "pcie.mrrs",      "pcie.rcb",
                                         "pcie.completions", "pcie.host_read", "pcie.host_write"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (config_note(config, needed[i])->layer == CONFIG_LAYER_DEFAULT)
            return config_error_set(error,
                                    "%.200s:1: section [pcie] lacks '%s', allowed is a value with its class, as of "
                                    "the presets",
                                    path, needed[i] + sizeof "pcie." - 1);
    return 0;
}

/* The defaults, what one file of a kind says if it is named, and the settings. */
static struct config *configure_one(const char *data_dir, enum config_kind kind, const char *name,
                                    const char *const *set, size_t set_count, struct config_error *error)
{
    struct config *config = config_create(system_param_tables, system_param_table_count, error);
    if (!config)
        return 0;
    char path[PATH_MAX];
    int failed = 0;
    if (name)
        failed = config_find(data_dir, kind, name, path, sizeof path, error) ||
                 config_load(config, path, kind, error) || (kind == CONFIG_HOST && check_holes(config, path, error));
    return finish(config, failed, set, set_count, error);
}

struct config *system_configure_host(const char *data_dir, const char *host, const char *const *set, size_t set_count,
                                     struct config_error *error)
{
    return configure_one(data_dir, CONFIG_HOST, host, set, set_count, error);
}

struct config *system_configure_mac(const char *data_dir, const char *mac, const char *const *set, size_t set_count,
                                    struct config_error *error)
{
    return configure_one(data_dir, CONFIG_MAC, mac, set, set_count, error);
}
