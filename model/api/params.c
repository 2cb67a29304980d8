/* The parameters of a simulation, and the boards that can be named. */
#include "api/api_internal.h"
#include "config/config_data.h"

#include <stdio.h>

size_t rnicsim_param_count(const struct rnicsim *sim)
{
    return config_param_count(sim->system.config);
}

int rnicsim_param(const struct rnicsim *sim, size_t index, struct rnicsim_param_info *out)
{
    struct config_param_info info;
    if (config_param(sim->system.config, index, &info))
        return RNICSIM_EINPUT;
    *out = (struct rnicsim_param_info){.fallback = info.fallback,
                                       .class_name = info.class_name,
                                       .source = info.source,
                                       .origin = info.origin,
                                       .sentence = info.sentence,
                                       .changed = info.changed};
    snprintf(out->key, sizeof out->key, "%s", info.key);
    snprintf(out->value, sizeof out->value, "%s", info.value);
    snprintf(out->range, sizeof out->range, "%s", info.range);
    snprintf(out->unit, sizeof out->unit, "%s", info.unit);
    return RNICSIM_OK;
}

static const char *name_of(const struct rnicsim *sim, enum config_kind kind, const char *key)
{
    const char *name = config_head(sim->system.config, kind, key);
    return name ? name : "unnamed";
}

const char *rnicsim_board_name(const struct rnicsim *sim)
{
    return name_of(sim, CONFIG_BOARD, "board");
}

const char *rnicsim_board_part(const struct rnicsim *sim)
{
    return name_of(sim, CONFIG_BOARD, "part");
}

const char *rnicsim_host_name(const struct rnicsim *sim)
{
    return name_of(sim, CONFIG_HOST, "host");
}

const char *rnicsim_mac_name(const struct rnicsim *sim)
{
    const char *name = config_head(sim->system.config, CONFIG_MAC, "mac");
    return name ? name : "";
}

int rnicsim_board_at(const char *data_dir, size_t index, char *name, size_t name_bytes, char *line, size_t line_bytes)
{
    return config_board_at(data_dir, index, name, name_bytes, line, line_bytes) ? RNICSIM_EINPUT : RNICSIM_OK;
}

int rnicsim_data_folder(const char *name, char *folder, size_t folder_bytes)
{
    return config_data_folder(name, folder, folder_bytes) ? RNICSIM_EINPUT : RNICSIM_OK;
}

char *rnicsim_data_list(const char *name, const char *ending)
{
    char folder[512];
    return config_data_folder(name, folder, sizeof folder) ? NULL : config_data_list(folder, ending);
}
