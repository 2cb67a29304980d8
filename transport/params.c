#include "transport/params.h"

#define PARAM(...) PARAM_ROW(struct transport_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "transport/params.def"
};
#undef PARAM

const struct param_table transport_param_table = PARAM_TABLE("transport", struct transport_params, rows);
