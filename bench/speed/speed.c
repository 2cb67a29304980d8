/* The workloads of the speed targets, on two full NICs of u280_100g, TLPs exact, random memory latency:
 *   speed [MESSAGES]       A: 64 KiB WRITEs, path MTU 4096, one QP, 128 outstanding
 *   speed MESSAGES QPS     B: 64 B WRITEs of so many QPs in turn, 16 outstanding each
 * Prints data packets, decisions, wall seconds, the real-time factor and the memory. Under callgrind two lengths give the instructions
 * a packet: start-up falls out. */
#include "api/rnicsim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define EVENTS_MOST 64 /* of a poll */

struct workload {
    uint32_t message_bytes, qps, outstanding; /* of each QP */
};

static const struct workload bulk = {65536, 1, 128};

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

static struct rnicsim *create(const struct workload *load)
{
    struct rnicsim *sim;
    struct rnicsim_error error;
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = getenv("RNICSIM_DATA")};
    must(rnicsim_create(&options, &sim, &error), &error);
    for (uint32_t i = 0; i < 2 * load->qps; i++) {
        struct rnicsim_qp_attr qp = {.host = i % 2,
                                     .qpn = i / 2 + 1,
                                     .peer_host = 1 - i % 2,
                                     .peer_qpn = i / 2 + 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = load->outstanding};
        must(rnicsim_qp_create(sim, &qp, &error), &error);
    }
    return sim;
}

static void post(struct rnicsim *sim, const struct workload *load, uint32_t qpn)
{
    struct rnicsim_wr wr = {.local_address = 1 << 20,
                            .remote_address = 1 << 21,
                            .length_bytes = load->message_bytes,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    must(rnicsim_post_send(sim, 0, qpn, &wr, 1, rnicsim_now(sim), &error), &error);
}

/* Keeps the QPs' queues full until `messages` are done. */
static void run(struct rnicsim *sim, const struct workload *load, long messages)
{
    struct rnicsim_error error;
    struct rnicsim_event event[EVENTS_MOST];
    long posted = 0, done = 0;
    for (uint32_t i = 0; i < load->qps * load->outstanding && posted < messages; i++, posted++)
        post(sim, load, i % load->qps + 1);
    while (done < messages) {
        must(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), &error);
        size_t n;
        do {
            n = rnicsim_poll(sim, event, EVENTS_MOST);
            for (size_t i = 0; i < n; i++) {
                if (event[i].kind != RNICSIM_SEND_DONE)
                    continue;
                done++;
                if (posted < messages) {
                    post(sim, load, event[i].qpn);
                    posted++;
                }
            }
        } while (n == EVENTS_MOST);
    }
}

int main(int count, char **words)
{
    long messages = count > 1 ? atol(words[1]) : 20000;
    struct workload load = count > 2 ? (struct workload){64, (uint32_t)atol(words[2]), 16} : bulk;
    struct rnicsim *sim = create(&load);
    double began = now_s();
    run(sim, &load, messages);
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
