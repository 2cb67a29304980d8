#include "transport/wire.h"

/* What a packet of each operation carries on RC (IBTA vol. 1, 9.3 and 9.4, table 38; rxe_opcode.c), and on which other transports it exists. */
enum { ON_UC = 1, ON_RD = 2, ON_UD = 4, ON_XRC = 8, IS_RESPONSE = 16 };
enum payload { NONE, FULL, SOME, ANY, EIGHT };

struct operation {
    const char *name;
    unsigned headers;
    enum payload payload;
    enum wire_place place;
    unsigned on;
};

#define CONNECTED (ON_UC | ON_RD | ON_XRC)
#define RELIABLE (ON_RD | ON_XRC)
#define EVERYWHERE (CONNECTED | ON_UD)

static const struct operation operations[WIRE_OPERATION_MASK + 1] = {
    [WIRE_SEND_FIRST] = {"SEND_FIRST", 0, FULL, WIRE_FIRST, CONNECTED},
    [WIRE_SEND_MIDDLE] = {"SEND_MIDDLE", 0, FULL, WIRE_MIDDLE, CONNECTED},
    [WIRE_SEND_LAST] = {"SEND_LAST", 0, SOME, WIRE_LAST, CONNECTED},
    [WIRE_SEND_LAST_IMM] = {"SEND_LAST_IMM", WIRE_IMMEDIATE, SOME, WIRE_LAST, CONNECTED},
    [WIRE_SEND_ONLY] = {"SEND_ONLY", 0, ANY, WIRE_ONLY, EVERYWHERE},
    [WIRE_SEND_ONLY_IMM] = {"SEND_ONLY_IMM", WIRE_IMMEDIATE, ANY, WIRE_ONLY, EVERYWHERE},
    [WIRE_WRITE_FIRST] = {"WRITE_FIRST", WIRE_RETH, FULL, WIRE_FIRST, CONNECTED},
    [WIRE_WRITE_MIDDLE] = {"WRITE_MIDDLE", 0, FULL, WIRE_MIDDLE, CONNECTED},
    [WIRE_WRITE_LAST] = {"WRITE_LAST", 0, SOME, WIRE_LAST, CONNECTED},
    [WIRE_WRITE_LAST_IMM] = {"WRITE_LAST_IMM", WIRE_IMMEDIATE, SOME, WIRE_LAST, CONNECTED},
    [WIRE_WRITE_ONLY] = {"WRITE_ONLY", WIRE_RETH, ANY, WIRE_ONLY, CONNECTED},
    [WIRE_WRITE_ONLY_IMM] = {"WRITE_ONLY_IMM", WIRE_RETH | WIRE_IMMEDIATE, ANY, WIRE_ONLY, CONNECTED},
    [WIRE_READ_REQUEST] = {"READ_REQUEST", WIRE_RETH, NONE, WIRE_ONLY, RELIABLE},
    [WIRE_READ_RESPONSE_FIRST] = {"READ_RESPONSE_FIRST", WIRE_AETH, FULL, WIRE_FIRST, RELIABLE | IS_RESPONSE},
    [WIRE_READ_RESPONSE_MIDDLE] = {"READ_RESPONSE_MIDDLE", 0, FULL, WIRE_MIDDLE, RELIABLE | IS_RESPONSE},
    [WIRE_READ_RESPONSE_LAST] = {"READ_RESPONSE_LAST", WIRE_AETH, SOME, WIRE_LAST, RELIABLE | IS_RESPONSE},
    [WIRE_READ_RESPONSE_ONLY] = {"READ_RESPONSE_ONLY", WIRE_AETH, ANY, WIRE_ONLY, RELIABLE | IS_RESPONSE},
    [WIRE_ACKNOWLEDGE] = {"ACKNOWLEDGE", WIRE_AETH, NONE, WIRE_ONLY, RELIABLE | IS_RESPONSE},
    [WIRE_ATOMIC_ACKNOWLEDGE] = {"ATOMIC_ACKNOWLEDGE", WIRE_AETH | WIRE_ATOMIC_ACK, NONE, WIRE_ONLY,
                                 RELIABLE | IS_RESPONSE},
    [WIRE_COMPARE_SWAP] = {"COMPARE_SWAP", WIRE_ATOMIC_ETH, NONE, WIRE_ONLY, RELIABLE},
    [WIRE_FETCH_ADD] = {"FETCH_ADD", WIRE_ATOMIC_ETH, NONE, WIRE_ONLY, RELIABLE},
    [WIRE_SEND_LAST_INV] = {"SEND_LAST_INV", WIRE_IETH, SOME, WIRE_LAST, ON_XRC},
    [WIRE_SEND_ONLY_INV] = {"SEND_ONLY_INV", WIRE_IETH, ANY, WIRE_ONLY, ON_XRC},
    [WIRE_FLUSH] = {"FLUSH", WIRE_FETH | WIRE_RETH, NONE, WIRE_ONLY, 0},
    [WIRE_ATOMIC_WRITE] = {"ATOMIC_WRITE", WIRE_RETH, EIGHT, WIRE_ONLY, 0},
};

static const struct {
    uint32_t least, most;
} payloads[] = {[NONE] = {0, 0},
                [FULL] = {1, WIRE_PAYLOAD_MAX_BYTES},
                [SOME] = {1, WIRE_PAYLOAD_MAX_BYTES},
                [ANY] = {0, WIRE_PAYLOAD_MAX_BYTES},
                [EIGHT] = {8, 8}};

/* What a transport adds to an operation's headers; the bit by which the operation says that it exists there (0: all do). */
static int transport_of(unsigned transport, int is_response, unsigned *adds)
{
    *adds = 0;
    switch (transport) {
    case WIRE_RC:
        return 0;
    case WIRE_UC:
        return ON_UC;
    case WIRE_RD:
        *adds = WIRE_RDETH | (is_response ? 0 : WIRE_DETH);
        return ON_RD;
    case WIRE_UD:
        *adds = WIRE_DETH;
        return ON_UD;
    case WIRE_XRC:
        *adds = is_response ? 0 : WIRE_XRCETH;
        return ON_XRC;
    default:
        return -1;
    }
}

struct wire_opcode wire_opcode(uint8_t opcode)
{
    const struct operation *operation = &operations[opcode & WIRE_OPERATION_MASK];
    unsigned adds;
    if (opcode == WIRE_OPCODE_CNP)
        return (struct wire_opcode){"CNP", WIRE_CNP, 0, 0, WIRE_ONLY};
    int on = transport_of(opcode & ~(unsigned)WIRE_OPERATION_MASK, operation->on & IS_RESPONSE, &adds);
    if (!operation->name || on < 0 || (on > 0 && !(operation->on & (unsigned)on)))
        return (struct wire_opcode){.name = NULL};
    return (struct wire_opcode){operation->name, operation->headers | adds, payloads[operation->payload].least,
                                payloads[operation->payload].most, operation->place};
}

const char *wire_transport_name(uint8_t opcode)
{
    static const char *const name[8] = {"RC", "UC", "RD", "UD", "", "XRC", "", ""};
    return name[opcode >> 5];
}

const struct wire_field wire_fields[] = {
#define FIELD(header, field, bytes) \
    {WIRE_##header, offsetof(struct wire_packet, field), bytes, sizeof((struct wire_packet *)0)->field},
#include "transport/wire_fields.def"
#undef FIELD
};
const size_t wire_field_count = sizeof wire_fields / sizeof *wire_fields;

uint32_t wire_header_bytes(unsigned headers)
{
    uint32_t bytes = 0;
    for (size_t i = 0; i < wire_field_count; i++)
        bytes += headers & wire_fields[i].header ? wire_fields[i].bytes : 0;
    return bytes;
}

uint16_t wire_source_port(uint32_t flow_label, uint32_t local_qpn, uint32_t remote_qpn)
{
    if (flow_label == 0) {
        uint64_t mix = (uint64_t)local_qpn * remote_qpn;
        mix ^= mix >> 20;
        mix ^= mix >> 40;
        flow_label = (uint32_t)mix & 0xfffff;
    }
    return (uint16_t)(WIRE_ENTROPY_PORT | ((flow_label & 0x3fff) ^ ((flow_label & 0xfc000) >> 14)));
}
