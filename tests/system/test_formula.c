/* Is the shape right? Rates that follow from one number: what is in flight over the time of its round trip, or the narrowest stage. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static void near(const char *what, double is, double should, double share)
{
    if (is < should * (1 - share) || is > should * (1 + share))
        printf("    %s: %.4f, expected %.4f\n", what, is, should);
    CU_ASSERT(is >= should * (1 - share) && is <= should * (1 + share));
}

static double goodput(const char *const *set, size_t sets, uint32_t bytes, uint32_t messages)
{
    struct scenario s = scenario_default();
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    s.length_bytes = bytes;
    s.messages = messages;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT_EQUAL(result.done, messages);
    return result.goodput_gbps;
}

/* So many tags, 512 bytes each, over the time of one read: 5 cycles in the engine, 24 bytes up, the link twice, the host, 552 bytes down,
 * and the next edges of the 4 ns clock. */
static void tags_over_a_round_trip(void)
{
    static const struct {
        const char *set;
        int tags;
    } row[] = {{"pcie.tags=1", 1}, {"pcie.tags=2", 2}, {"pcie.tags=5", 5}};
    double trip_ns = 5 * 4 + (24 + 552) * 0.06403 + 2 * 100 + 200 + 1.5 * 4;
    for (int i = 0; i < 3; i++) {
        const char *set[] = {row[i].set, "pcie.host_read=200 ns"};
        near(row[i].set, goodput(set, 2, 65536, 200), row[i].tags * 512 * 8 / trip_ns, 0.02);
    }
}

/* Completion headers, one for each 64 bytes that a read may be cut into, over 1 us from a request to its last byte: 5 cycles in the engine,
 * 24 bytes up and 552 down (8 beats of the user interface), the link twice, the host, and the next edges of the 2 ns clock. Reads wait for
 * the CQEs before them: not long here. */
static void completion_headers_over_a_round_trip(void)
{
    static const struct {
        const char *set;
        double gbps;
    } row[] = {{"pcie.completion_headers=64", 32.768},   /* PG156 */
               {"pcie.completion_headers=128", 65.536},  /* PG213 */
               {"pcie.completion_headers=256", 131.072}, /* corundum's limit on UltraScale+ */
               {"pcie.completion_buffer=8 KiB", 65.536}};
    for (int i = 0; i < 4; i++) {
        const char *set[] = {row[i].set,
                             "pcie.host_read=770 ns",
                             "pcie.link_latency=100 ns",
                             "pcie.generation=5",
                             "mac.rate=200 Gbps",
                             "nic.user_clock=500 MHz",
                             "nic.mac_clock=644.53125 MHz",
                             "pcie.host_write=1 ns",
                             "pcie.host_write_ack=0 ns"};
        near(row[i].set, goodput(set, 9, 65536, 400), row[i].gbps, 0.003);
    }
}

/* Posted credits over their way back, and the host's lines over the time that each is held; on the responder's link, where a write of
 * 256 B takes 280 bytes, 17.93 ns. (T <= C * 64 / L: Understanding the Host Network, SIGCOMM 2024.) */
static void posted_credits_over_their_way_back(void)
{
    static const struct {
        const char *set;
        double gbps;
    } row[] = {{"pcie.posted_headers=10", 10 * 256 * 8 / (17.93 + 300)},
               {"pcie.posted_data=2560 B", 160 * 16 * 8 / (17.93 + 300)},
               {"pcie.host_write_lines=36", 36 * 64 * 8 / 300.0}};
    for (int i = 0; i < 3; i++) {
        const char *set[] = {row[i].set,
                             "pcie.update_fc=100 ns",
                             "pcie.link_latency=100 ns",
                             "pcie.host_write_line=300 ns",
                             "transport.ack_point=issued",
                             "transport.window=24"};
        near(row[i].set, goodput(set, 6, 65536, 400), row[i].gbps, 0.005);
    }
}

/* Payload from another device's memory, peer to peer: as fast as its port. The rings stay in the host's. */
static void payload_of_a_peer(void)
{
    const char *set[] = {"pcie.peer_base=16 MiB", "pcie.peer_bytes=16 MiB", "pcie.peer_rate=40 Gbps"};
    near(set[2], goodput(set, 3, 65536, 400), 40, 0.01);
}

/* A window of N packets over the round trip: 2 x 20 km of cable and about 1.2 us of NICs. */
static void window_over_a_round_trip(void)
{
    static const struct {
        const char *set;
        int packets;
    } row[] = {{"transport.window=4", 4}, {"transport.window=16", 16}, {"transport.window=64", 64}};
    for (int i = 0; i < 3; i++) {
        const char *set[] = {row[i].set, "mac.cable=20000 m", "transport.ack_request_every=1"};
        double trip_ns = 2 * 20000 * 5.05 + 2000; /* the NICs' share is small here */
        near(row[i].set, goodput(set, 3, 1 << 20, 150), row[i].packets * 4096 * 8 / trip_ns, 0.02);
    }
}

/* A stage of 128 bit at 250 MHz passes 32 Gb/s of frames; one of 512 bit and interval 4 the same. A frame of 4096 bytes is 4154 long: 65 beats
 * of 64 bytes, or 260 of 16. */
static void the_narrowest_stage(void)
{
    const char *narrow[] = {"stage.payload.build.width=128 bit"};
    near("128 bit", goodput(narrow, 1, 65536, 200), 32.0 * 4096 / 4160, 0.005);
    const char *slow[] = {"stage.payload.build.interval=4 cycle"};
    near("interval 4", goodput(slow, 1, 65536, 200), 32.0 * 4096 / 4160, 0.005);
}

void suite_system_formula(void);
void suite_system_formula(void)
{
    CU_pSuite suite = CU_add_suite("system: formulas", NULL, NULL);
    CU_add_test(suite, "tags over a round trip", tags_over_a_round_trip);
    CU_add_test(suite, "completion headers over a round trip", completion_headers_over_a_round_trip);
    CU_add_test(suite, "payload of a peer", payload_of_a_peer);
    CU_add_test(suite, "posted credits over their way back", posted_credits_over_their_way_back);
    CU_add_test(suite, "window over a round trip", window_over_a_round_trip);
    CU_add_test(suite, "the narrowest stage", the_narrowest_stage);
}
