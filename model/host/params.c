#include "host/params.h"

#define PARAM(...) PARAM_ROW(struct host_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "host/params.def"
};
#undef PARAM

const struct param_table host_param_table = PARAM_TABLE("host", struct host_params, rows);
