/* From files to a configuration: the board names its nic and its host. */
#include "host/params.h"
#include "mac/params.h"
#include "nic/params.h"
#include "pcie/params.h"
#include "system/system.h"
#include "transport/params.h"

#include <limits.h>

const struct param_table *const system_param_tables[] = {&nic_param_table, &pcie_param_table, &mac_param_table,
                                                         &transport_param_table, &host_param_table};
const size_t system_param_table_count = sizeof system_param_tables / sizeof *system_param_tables;

static int load(struct config *config, const char *data_dir, enum config_kind kind, const char *name,
                struct config_error *error)
{
    char path[PATH_MAX];
    if (config_find(data_dir, kind, name, path, sizeof path, error))
        return -1;
    return config_load(config, path, kind, error);
}

static int load_named(struct config *config, const char *data_dir, enum config_kind kind, const char *key,
                      const char *instead, struct config_error *error)
{
    const char *name = instead ? instead : config_head(config, CONFIG_BOARD, key);
    if (!name)
        return config_error_set(error, "the board file names no '%s', allowed is '%s = NAME' before its first section",
                                key, key);
    return load(config, data_dir, kind, name, error);
}

struct config *system_configure(const char *data_dir, const char *board, const char *host, const char *const *set,
                                size_t set_count, struct config_error *error)
{
    struct config *config = config_create(system_param_tables, system_param_table_count, error);
    if (!config)
        return 0;
    int failed = load(config, data_dir, CONFIG_BOARD, board, error) ||
                 load_named(config, data_dir, CONFIG_NIC, "nic", 0, error) ||
                 load_named(config, data_dir, CONFIG_HOST, "host", host, error);
    for (size_t i = 0; i < set_count && !failed; i++)
        failed = config_set(config, set[i], error);
    if (!failed)
        return config;
    config_destroy(config);
    return 0;
}
