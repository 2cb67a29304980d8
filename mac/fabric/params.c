#include "mac/fabric/params.h"

#define PARAM(...) PARAM_ROW(struct net_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "mac/fabric/params.def"
};
#undef PARAM

const struct param_table net_param_table = PARAM_TABLE("net", struct net_params, rows);
