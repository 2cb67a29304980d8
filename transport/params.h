/* The parameters of RoCE and the reliable transport. */
#ifndef TRANSPORT_PARAMS_H
#define TRANSPORT_PARAMS_H

#include "config/param.h"

struct transport_params {
#define PARAM PARAM_FIELD
#include "transport/params.def"
#undef PARAM
};

enum transport_ack_point { TRANSPORT_ACK_ACCEPTED, TRANSPORT_ACK_ISSUED, TRANSPORT_ACK_VISIBLE };
enum transport_completion { TRANSPORT_COMPLETION_ACKED, TRANSPORT_COMPLETION_SENT };
enum transport_recovery { TRANSPORT_RECOVERY_NONE, TRANSPORT_RECOVERY_GO_BACK_N, TRANSPORT_RECOVERY_SELECTIVE };
enum transport_timer { TRANSPORT_TIMER_IBTA, TRANSPORT_TIMER_POW2, TRANSPORT_TIMER_CX6_FW, TRANSPORT_TIMER_HLS_SCAN };
enum transport_timer_floor { TRANSPORT_TIMER_FLOOR_OFF, TRANSPORT_TIMER_FLOOR_ON };
enum transport_congestion { TRANSPORT_CONGESTION_NONE, TRANSPORT_CONGESTION_DCQCN };
enum transport_dcqcn_clamp { TRANSPORT_DCQCN_CLAMP_OFF, TRANSPORT_DCQCN_CLAMP_ON };
enum transport_retx_source { TRANSPORT_RETX_HOST, TRANSPORT_RETX_BUFFER };

extern const struct param_table transport_param_table;

#endif
