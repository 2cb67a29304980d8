#include "bench/head.h"

void head_print(const struct result *result, FILE *out)
{
    fprintf(out, "# rnicsim %s, schema %d, status %s\n", RNICSIM_VERSION, RESULT_SCHEMA, result->status);
    fprintf(out, "# board %s, host %s, trace digest %s, seed %llu, changed: %s%s%s\n", rnicsim_board_name(result->sim),
            rnicsim_host_name(result->sim), result->digest, (unsigned long long)result->seed,
            result->changed[0] != 0 ? result->changed : "nothing", result->faults != NULL ? ", faults: " : "",
            result->faults != NULL ? result->faults : "");
}
