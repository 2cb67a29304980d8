/* The parameters of the host's CPU: what posting and polling cost. */
#ifndef HOST_PARAMS_H
#define HOST_PARAMS_H

#include "config/param.h"

struct host_params {
#define PARAM PARAM_FIELD
#include "host/params.def"
#undef PARAM
};

enum host_completion { HOST_COMPLETION_POLL, HOST_COMPLETION_INTERRUPT };
enum host_push { HOST_PUSH_OFF, HOST_PUSH_ON };

extern const struct param_table host_param_table;

#endif
