/* The parameters of the Ethernet line: rate, framing, cable. */
#ifndef MAC_PARAMS_H
#define MAC_PARAMS_H

#include "config/param.h"

struct mac_params {
#define PARAM PARAM_FIELD
#include "mac/params.def"
#undef PARAM
};

extern const struct param_table mac_param_table;

#endif
