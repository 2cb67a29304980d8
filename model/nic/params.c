#include "nic/params.h"

#define PARAM(...) PARAM_ROW(struct nic_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "nic/params.def"
};
#undef PARAM

const struct param_table nic_param_table = PARAM_TABLE("nic", struct nic_params, rows);
