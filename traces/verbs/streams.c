/* TCP streams between the programs: what is written at one instant can be read somewhat later. Only counts are kept here; the bytes go
 * through the kernel. */
#include "traces/verbs/hosts.h"

#include <stdlib.h>

#define TCP_LATENCY_PS INT64_C(20000000) /* assumed, 20 us: a management network; no RDMA message waits for it */

void verbs_stream_add(struct verbs_server *server, uint64_t stream, uint64_t bytes, int64_t at_ps)
{
    struct verbs_segment *larger = realloc(server->segment, (server->segments + 1) * sizeof *larger);
    if (larger == NULL)
        return;
    server->segment = larger;
    larger[server->segments++] = (struct verbs_segment){stream, bytes, at_ps + TCP_LATENCY_PS};
}

int verbs_stream_ready(const struct verbs_server *server, uint64_t stream, int64_t *at_ps)
{
    for (size_t i = 0; i < server->segments; i++)
        if (server->segment[i].stream == stream) {
            *at_ps = server->segment[i].at_ps > *at_ps ? server->segment[i].at_ps : *at_ps;
            return 0;
        }
    return -1;
}

void verbs_stream_took(struct verbs_server *server, uint64_t stream, uint64_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->segments; i++) {
        struct verbs_segment segment = server->segment[i];
        if (segment.stream == stream && segment.bytes > 0) {
            uint64_t taken = bytes < segment.bytes ? bytes : segment.bytes;
            bytes -= taken;
            segment.bytes -= taken;
            if (segment.bytes == 0)
                continue;
        }
        server->segment[kept++] = segment;
    }
    server->segments = kept;
}
