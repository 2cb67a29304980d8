/* Captures checked and made into traces: real traffic of two mlx4 ports, and connections made up, with losses, for one rule each. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"
#include "tests/traces/tape.h"

void suite_traces_capture(void);

/* ---- the real connection ---- */

struct mlx4_row {
    int is_ack;
    uint32_t psn;
    int64_t ns;
    uint32_t offset, bytes, msn;
};

#define WRITE(ns, psn, offset, bytes) {0, psn, ns, offset, bytes, 0},
#define ACK(ns, psn, msn) {1, psn, ns, 0, 0, msn},
static const struct mlx4_row mlx4[] = {
#include "tests/traces/mlx4.def"
};
#undef WRITE
#undef ACK
#define MLX4 (sizeof mlx4 / sizeof *mlx4)

/* Of the ACK with this index, PSN and MSN are changed by so much. */
static void write_mlx4(struct command *command, const char *name, enum tape_kind kind, size_t index, int psn, int msn)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    struct tape tape = tape_open(path, kind);
    for (size_t i = 0; i < MLX4; i++) {
        const struct mlx4_row *row = &mlx4[i];
        int is_changed = i == index;
        struct wire_packet packet =
            tape_packet(kind, row->is_ack ? 2 : 1, row->is_ack ? 0x11 : 0x0a, row->is_ack ? 0x227 : 0x228,
                        row->psn + (is_changed ? (uint32_t)psn : 0));
        packet.migrated = 1;
        packet.ack_request = !row->is_ack;
        packet.address = 0x7fc364bf8000 + row->offset;
        packet.rkey = 0xe0001300;
        packet.dma_bytes = packet.payload_bytes = row->bytes;
        packet.msn = (row->msn + (is_changed ? (uint32_t)msn : 0)) & 0xffffff;
        tape_put(&tape, row->ns, &packet);
    }
    tape_close(&tape);
}

static size_t ack(unsigned ordinal)
{
    size_t i = 0;
    while (!mlx4[i].is_ack || ordinal-- > 0)
        i++;
    return i;
}

static int records(const char *text, const char *what)
{
    int count = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

/* All 40 WRITEs and 33 ACKs, at the times of the capture, whatever it is written in; and the trace can be replayed. */
static void real_mlx4(void)
{
    static const char *const names[] = {"ethernet.pcap", "erf.pcap", "big.pcapng"};
    struct command command;
    command_open(&command);
    for (enum tape_kind kind = TAPE_ETHERNET; kind <= TAPE_PCAPNG_BIG; kind++) {
        write_mlx4(&command, names[kind], kind, MLX4, 0, 0);
        CU_ASSERT_EQUAL(command_run(&command, "$R trace check %s", names[kind]), 0);
        CU_ASSERT(command_holds(command.out, "40 requests in 40 packets, 1360 bytes"));
        CU_ASSERT(command_holds(command.out, "answered by 33 ACKs"));
        CU_ASSERT(command_holds(command.out,
                                "RTT of 33 acknowledgements, ns: min 1001, median 4000, mean 9091.0, max 24000"));
        CU_ASSERT_EQUAL(command_run(&command, "$R trace import-pcap %s -o out%d.wqe", names[kind], kind), 0);
        CU_ASSERT(command_holds(command.out, "host 0 QP 551 -> host 1 QP 552: 40 requests, 33 ACKs"));
        CU_ASSERT_EQUAL(
            command_run(&command, "$R trace check out%d.wqe && $R run -b u280_100g out%d.wqe --json", kind, kind), 0);
        CU_ASSERT(command_holds(command.out, "\"completions\": 40"));
    }
    CU_ASSERT_EQUAL(command_run(&command, "grep -v '^#' out0.wqe >a && grep -v '^#' out1.wqe | cmp - a"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "grep -v '^#' out2.wqe | cmp - a"), 0);
    char *trace = command_read(&command, "out1.wqe");
    CU_ASSERT_EQUAL(records(trace, ",WRITE,SIGNALED,64,"), 20);
    CU_ASSERT_EQUAL(records(trace, ",WRITE,SIGNALED,4,"), 20);
    CU_ASSERT(command_holds(trace, "#host host=0 name=host0 device=lid 1\n"));
    free(trace);
    command_close(&command);
}

/* The checker takes all of it (ACKs for several packets, credit code 0), and sees one number that is wrong. */
static void one_ack_changed(void)
{
    static const struct {
        unsigned ordinal;
        int psn, msn;
        const char *says;
    } row[] = {{5, -1, 0, "MSN"}, {10, 0, 1, "MSN"}, {10, 0, -1, "MSN"}, {20, -30, 0, "an ACK never goes back"}};
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        size_t index = ack(row[i].ordinal);
        char place[64];
        write_mlx4(&command, "changed.pcap", TAPE_ETHERNET, index, row[i].psn, row[i].msn);
        CU_ASSERT_EQUAL(command_run(&command, "$R trace check changed.pcap"), 2);
        snprintf(place, sizeof place, "changed.pcap:packet %zu: ", index + 1);
        CU_ASSERT(command_holds(command.out, place));
        CU_ASSERT(command_holds(command.out, row[i].says));
    }
    command_close(&command);
}

/* ---- connections that are made up ---- */

struct stroke { /* a packet: letters as below, PSN, payload or syndrome, ns after the one before */
    char what;
    uint32_t psn, value;
    int64_t ns;
};

/* f m l o: WRITE of FIRST, MIDDLE, LAST, ONLY (announced: 768 or the payload); F M L O: SEND; r: READ REQUEST of `value` bytes; 1 2 3 4: its
 * response FIRST, MIDDLE, LAST, ONLY; a: ACK, its MSN in `value`; n: NAK with syndrome `value`. */
static void write_strokes(struct command *command, const char *name, const struct stroke *stroke, uint8_t transport)
{
    static const char letters[] = "FMLOfmlor1234an";
    static const uint8_t opcodes[] = {0, 1, 2, 4, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17, 17};
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    struct tape tape = tape_open(path, TAPE_ETHERNET);
    int64_t at = 0;
    for (; stroke->what != 0; stroke++) {
        size_t which = (size_t)(strchr(letters, stroke->what) - letters);
        int is_answer = which > 8, is_ack = which > 12;
        struct wire_packet packet =
            tape_packet(TAPE_ETHERNET, is_answer ? 2 : 1, opcodes[which] | transport, is_answer ? 5 : 6, stroke->psn);
        packet.payload_bytes = is_ack || stroke->what == 'r' ? 0 : stroke->value;
        packet.dma_bytes = stroke->what == 'f' ? 768 : stroke->value;
        packet.address = 0x10000;
        packet.rkey = 7;
        packet.syndrome = stroke->what == 'n' ? stroke->value : 0;
        packet.msn = stroke->what == 'a' ? stroke->value : 0;
        tape_put(&tape, at += stroke->ns, &packet);
    }
    tape_close(&tape);
}

struct course {
    const char *name;
    uint8_t transport;
    int status;
    const char *says, *also; /* of the check */
    const char *trace;       /* a part of a record; NULL: nothing is imported */
    int requests;
    struct stroke stroke[20];
};

static const struct course courses[] = {
    {"a SEND of three packets",
     0,
     0,
     "1 requests in 3 packets, 522 bytes",
     "PSN gaps 0",
     ",SEND,SIGNALED,522,",
     1,
     {{'F', 0xfffffe, 256, 0}, {'M', 0xffffff, 256, 100}, {'L', 0, 10, 100}, {'a', 0, 1, 2000}}},
    {"go back N: what was lost comes again",
     0,
     0,
     "PSN gaps 1 of 1 packets, 1 came later; duplicates 0; sent again 1",
     "1 NAKs (sequence)",
     ",WRITE,SIGNALED,768,",
     1,
     {{'f', 8, 256, 0},
      {'l', 10, 256, 0},
      {'n', 9, 0x60, 900},
      {'m', 9, 256, 900},
      {'l', 10, 256, 100},
      {'a', 10, 1, 900}}},
    {"a WRITE of which the middle is lost for the capture",
     0,
     0,
     "PSN gaps 1 of 1 packets, 0 came later",
     "incomplete 1",
     ",WRITE,SIGNALED,8,",
     1,
     {{'f', 8, 256, 0}, {'l', 10, 256, 0}, {'a', 10, 1, 0}, {'o', 11, 8, 0}, {'a', 11, 2, 0}}},
    {"a copy at once is a duplicate, after a timer it was sent again",
     0,
     0,
     "duplicates 1; sent again 1",
     "gaps 0",
     ",WRITE,SIGNALED,8,",
     1,
     {{'o', 3, 8, 0}, {'o', 3, 8, 100}, {'o', 3, 8, 9000}, {'a', 3, 1, 0}}},
    {"a READ of an unknown path MTU",
     0,
     0,
     "2 requests in 2 packets, 2008 bytes",
     "4 responses (0 missing, 0 again)",
     ",READ,SIGNALED,2000,",
     2,
     {{'r', 1, 2000, 0}, {'1', 1, 512, 0}, {'2', 2, 512, 0}, {'2', 3, 512, 0}, {'3', 4, 464, 0}, {'o', 5, 8, 0}}},
    {"a response is missing",
     0,
     0,
     "3 responses (1 missing, 0 again)",
     "",
     ",READ,SIGNALED,2000,",
     1,
     {{'r', 1, 2000, 0}, {'1', 1, 512, 0}, {'2', 3, 512, 0}, {'3', 4, 464, 0}}},
    {"a second NAK of one gap",
     0,
     2,
     "a second NAK of PSN 2",
     "2 NAKs (sequence)",
     ",WRITE,SIGNALED,8,",
     2,
     {{'o', 1, 8, 0}, {'o', 3, 8, 0}, {'n', 2, 0x60, 0}, {'n', 2, 0x60, 0}}},
    {"a second NAK when a duplicate came between",
     0,
     0,
     "2 NAKs (sequence)",
     "sent again 1",
     ",WRITE,SIGNALED,8,",
     2,
     {{'o', 1, 8, 0}, {'o', 3, 8, 0}, {'n', 2, 0x60, 0}, {'o', 1, 8, 9000}, {'n', 2, 0x60, 0}}},
    {"RNR",
     0,
     0,
     "1 RNR NAKs",
     "sent again 1",
     ",SEND,SIGNALED,8,",
     1,
     {{'O', 1, 8, 0}, {'n', 1, 0x2c, 0}, {'O', 1, 8, 900000}, {'a', 1, 1, 100}}},
    {"UC: what is missing is lost",
     0x20,
     0,
     "PSN gaps 1 of 1 packets, 0 came later",
     "incomplete 1",
     ",SEND,SIGNALED,8,",
     1,
     {{'F', 1, 256, 0}, {'L', 3, 8, 0}, {'O', 4, 8, 0}}},
    {"a WRITE that brings less than it announced",
     0,
     2,
     "a WRITE of 768 bytes ends with 264",
     "",
     ",WRITE,",
     1,
     {{'f', 1, 256, 0}, {'l', 2, 8, 0}}},
    {"a FIRST within a message",
     0,
     2,
     "WRITE_FIRST, while another message has begun",
     "",
     ",WRITE,SIGNALED,768,",
     1,
     {{'f', 1, 256, 0}, {'f', 2, 256, 0}, {'m', 3, 256, 0}, {'l', 4, 256, 0}}},
    {"payload that is no path MTU",
     0,
     2,
     "300 bytes of payload in a FIRST or MIDDLE",
     "",
     ",SEND,SIGNALED,308,",
     1,
     {{'F', 1, 300, 0}, {'L', 2, 8, 0}}},
    {"the capture begins within a message",
     0,
     0,
     "incomplete 1",
     "",
     ",WRITE,SIGNALED,8,",
     1,
     {{'m', 1, 256, 0}, {'l', 2, 256, 0}, {'o', 3, 8, 0}, {'a', 3, 77, 0}}},
    {"a new connection of the same QP",
     0,
     0,
     "begun anew 1 times",
     "2 requests",
     ",WRITE,SIGNALED,8,",
     2,
     {{'o', 5000000, 8, 0}, {'a', 5000000, 1, 0}, {'o', 4000000, 8, 0}, {'a', 4000000, 1, 0}}},
};

static void run_course(struct command *command, const struct course *course)
{
    write_strokes(command, "made.pcap", course->stroke, course->transport);
    int status = command_run(command, "$R trace check made.pcap");
    if (status != course->status)
        printf("\n%s: status %d\n%s", course->name, status, command->out);
    CU_ASSERT_EQUAL(status, course->status);
    CU_ASSERT(command_holds(command->out, course->says));
    CU_ASSERT(command_holds(command->out, course->also));
    CU_ASSERT_EQUAL(command_run(command, "$R trace import-pcap made.pcap -o made.wqe && $R trace check made.wqe"), 0);
    char *trace = command_read(command, "made.wqe");
    CU_ASSERT(command_holds(trace, course->trace));
    int got = records(trace, ",SEND,5,") + records(trace, ",SEND,2,");
    if (got != course->requests)
        printf("\n%s: %d requests\n%s", course->name, got, trace);
    CU_ASSERT_EQUAL(got, course->requests);
    free(trace);
}

static void made_up(void)
{
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++)
        run_course(&command, &courses[i]);
    command_close(&command);
}

void suite_traces_capture(void)
{
    CU_pSuite suite = CU_add_suite("traces/capture: checked, and made into traces", NULL, NULL);
    CU_add_test(suite, "a real connection of two mlx4 ports", real_mlx4);
    CU_add_test(suite, "one ACK changed", one_ack_changed);
    CU_add_test(suite, "connections made up", made_up);
}
