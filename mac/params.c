#include "mac/params.h"

#define PARAM(...) PARAM_ROW(struct mac_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "mac/params.def"
};
#undef PARAM

const struct param_table mac_param_table = PARAM_TABLE("mac", struct mac_params, rows);
