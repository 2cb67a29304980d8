/* The kernel alone: a chain of twelve stages with bounded FIFOs, packets of 1 to 64 beats. Prints nanoseconds a packet and
 * stage. */
#include "kernel/path.h"
#include "kernel/rnd.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STAGES 12
#define WIDTH_BYTES 64u

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void build(struct sim *sim, struct path *path, const struct clk *clk)
{
    struct path_stage stage[STAGES];
    struct fifo_shape end = {.name = "end", .read_clk = clk, .return_cyc = 1, .depth = 8, .read_bytes = WIDTH_BYTES};
    int which;
    for (int i = 0; i < STAGES; i++)
        stage[i] = (struct path_stage){.name = "stage",
                                       .clk = clk,
                                       .interval_cyc = 1,
                                       .latency_cyc = 2 + i % 5,
                                       .width_bytes = WIDTH_BYTES,
                                       .store = i % 4 == 3,
                                       .depth = i % 2 ? 4 : 256,
                                       .in_beats = i % 2 == 0};
    if (sim_init(sim, 1) || path_init(path, sim, "chain", clk, WIDTH_BYTES, stage, STAGES, &end, 4096, &which))
        exit(1);
}

int main(int count, char **words)
{
    long packets = count > 1 ? atol(words[1]) : 2000000;
    struct clk clk;
    struct sim sim;
    struct path path;
    clk_init(&clk, 4000, 1, 0);
    build(&sim, &path, &clk);
    int64_t at = 0;
    double began = now_s();
    for (long i = 0; i < packets; i++) {
        uint32_t bytes = WIDTH_BYTES * (1 + (uint32_t)(rnd_u64(1, 0, (uint64_t)i, 0) % 64));
        int64_t space = fifo_space_at(path_entry(&path), bytes);
        at = space > at ? space : at;
        fifo_push(path_entry(&path), at, at + 1, at + 1, bytes, 0);
        at++;
        while (!fifo_empty(&path.end)) {
            struct fifo_slot slot = fifo_take(&path.end);
            fifo_release(&path.end, slot.bytes, slot.tail_cyc, slot.tail_cyc);
        }
    }
    double wall = now_s() - began;
    printf("packets %ld ns_per_packet_and_stage %.1f\n", packets, wall * 1e9 / (double)packets / STAGES);
    path_free(&path);
    sim_free(&sim);
    return 0;
}
