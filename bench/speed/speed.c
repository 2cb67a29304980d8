/* Workload A of the speed target: 64 KiB WRITEs, path MTU 4096, 128 outstanding, two full NICs of u280_100g, TLPs exact,
 * random memory latency. Prints data packets, decisions, wall seconds, the real-time factor and the memory. Under callgrind two
 * lengths give the instructions a packet: start-up falls out. */
#include "api/rnicsim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MESSAGE_BYTES 65536u
#define OUTSTANDING 128u

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(int result, const struct rnicsim_error *error)
{
    if (result == RNICSIM_OK)
        return;
    fprintf(stderr, "speed: %s\n", error->text);
    exit(result);
}

static struct rnicsim *create(void)
{
    struct rnicsim *sim;
    struct rnicsim_error error;
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = getenv("RNICSIM_DATA")};
    must(rnicsim_create(&options, &sim, &error), &error);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {
            .host = host, .qpn = 1, .peer_host = host ^ 1, .peer_qpn = 1, .mtu_bytes = 4096, .sq_depth = OUTSTANDING};
        must(rnicsim_qp_create(sim, &qp, &error), &error);
    }
    return sim;
}

/* Keeps OUTSTANDING messages posted until `messages` are done. */
static void run(struct rnicsim *sim, long messages)
{
    struct rnicsim_wr wr = {.local_address = 1 << 20,
                            .remote_address = 1 << 21,
                            .length_bytes = MESSAGE_BYTES,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    struct rnicsim_event event[64];
    long posted = 0, done = 0;
    while (done < messages) {
        for (; posted < messages && posted - done < (long)OUTSTANDING; posted++)
            must(rnicsim_post_send(sim, 0, 1, &wr, 1, rnicsim_now(sim), &error), &error);
        must(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), &error);
        for (size_t n; (n = rnicsim_poll(sim, event, 64)) > 0;)
            for (size_t i = 0; i < n; i++)
                done += event[i].kind == RNICSIM_SEND_DONE;
    }
}

int main(int count, char **words)
{
    long messages = count > 1 ? atol(words[1]) : 20000;
    struct rnicsim *sim = create();
    double began = now_s();
    run(sim, messages);
    double wall = now_s() - began;
    struct rnicsim_totals totals;
    struct rusage usage;
    rnicsim_totals(sim, &totals);
    getrusage(RUSAGE_SELF, &usage);
    printf("packets %llu decisions %llu wall_s %.3f packets_per_s %.0f realtime_factor %.3f resident_kib %ld\n",
           (unsigned long long)totals.data_packets, (unsigned long long)totals.decisions, wall,
           (double)totals.data_packets / wall, (double)rnicsim_now(sim) * 1e-12 / wall, usage.ru_maxrss);
    rnicsim_destroy(sim);
    return 0;
}
