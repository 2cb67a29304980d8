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
enum mac_deficit { MAC_DEFICIT_OFF, MAC_DEFICIT_ON };
enum mac_rx_conflict { MAC_RX_CONFLICT_NEVER, MAC_RX_CONFLICT_REALIGNED, MAC_RX_CONFLICT_LAST };
enum mac_fifo_flow { MAC_FIFO_NONE, MAC_FIFO_CUT, MAC_FIFO_STORE };

enum mac_switch { MAC_OFF, MAC_ON }; /* of mac.markers */
enum mac_marker_room { MAC_MARKER_ROOM_KEPT, MAC_MARKER_ROOM_DELETED };
enum mac_fec { MAC_FEC_NONE, MAC_FEC_CL74, MAC_FEC_RS528, MAC_FEC_RS544, MAC_FEC_RS272, MAC_FEC_COUNT };
enum mac_other_arrival { MAC_OTHER_POISSON, MAC_OTHER_PERIODIC };
enum mac_switch_forward { MAC_SWITCH_CUT, MAC_SWITCH_STORE };
enum mac_pause { MAC_PAUSE_OFF, MAC_PAUSE_LINK, MAC_PAUSE_PRIORITY };
enum mac_fec_release { MAC_FEC_STREAMING, MAC_FEC_CODEWORD };

extern const struct param_table mac_param_table;

#endif
