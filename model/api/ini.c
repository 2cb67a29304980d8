/* The reader of text files, for what stands above the API. */
#include "api/api_internal.h"
#include "config/ini_file.h"

struct reading {
    rnicsim_ini_handler *handler;
    void *context;
};

static int take_line(void *user, const struct ini_file_line *line, struct config_error *err)
{
    const struct reading *reading = user;
    struct rnicsim_ini_line given = {line->number, line->section, line->key, line->value};
    struct rnicsim_error wrong = {""};
    return reading->handler(reading->context, &given, &wrong) == 0 ? 0 : config_error_set(err, "%s", wrong.text);
}

int rnicsim_ini_read(const char *path, rnicsim_ini_handler *handler, void *context, struct rnicsim_error *error)
{
    struct reading reading = {handler, context};
    struct config_error wrong;
    if (!path || !handler)
        return api_fail(error, RNICSIM_EINPUT, "path or handler is NULL");
    return ini_file_read(path, take_line, &reading, &wrong) == 0 ? RNICSIM_OK
                                                                 : api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
}
