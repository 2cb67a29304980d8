/* The parameters of the Ethernet line: rate, framing, cable. */
#ifndef MAC_PARAMS_H
#define MAC_PARAMS_H

#include "config/param.h"

struct mac_params {
#define PARAM PARAM_FIELD
#include "mac/params.def"
#undef PARAM
};

enum mac_back_pressure { MAC_BACK_PRESSURE_OFF, MAC_BACK_PRESSURE_ON };

extern const struct param_table mac_param_table;

#endif
