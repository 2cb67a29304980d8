/* The parameters of a network: topology, switches, traffic. */
#ifndef MAC_FABRIC_PARAMS_H
#define MAC_FABRIC_PARAMS_H

#include "config/param.h"

struct net_params {
#define PARAM PARAM_FIELD
#include "mac/fabric/params.def"
#undef PARAM
};

enum net_kind { NET_PAIR, NET_SWITCH, NET_LEAF_SPINE, NET_LINKS };
enum net_forward { NET_CUT, NET_STORE };
enum net_scheduler { NET_STRICT, NET_DRR };
enum net_pattern { NET_INCAST, NET_PERMUTATION, NET_ALL_TO_ALL };

extern const struct param_table net_param_table;

#endif
