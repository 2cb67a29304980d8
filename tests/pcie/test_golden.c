/* The team's golden vectors of PCIe, in a compact form: every row is made anew and joined into text as the tables have it, and the
 * CRC-32 of that text must be the table's. Rows of golden_tlp by address, then length; the others in the tables' order. */
#include "pcie/link.h"
#include "pcie/tlp.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define ROW_BYTES 1024

struct text {
    uLong crc;
    uint32_t rows;
};

static void add(struct text *text, const char *row)
{
    text->crc = crc32(text->crc, (const Bytef *)row, (uInt)strlen(row));
    text->rows++;
}

/* ---- golden_tlp: how transfers are cut, their bytes and credits ---- */

enum kind { WRITE, READ, COMPLETION };

struct cut {
    enum kind kind;
    uint32_t most, rcb; /* most: mrrs of a READ, else mps. rcb: of a COMPLETION */
    int by_boundary;    /* a WRITE to multiples of mps; a COMPLETION for each RCB block */
    uint32_t mrrs;      /* COMPLETION: of the requests before it */
};

static uint32_t piece_of(const struct cut *cut, uint64_t address, uint32_t bytes)
{
    if (cut->kind == COMPLETION)
        return tlp_completion(address, bytes, cut->most, cut->rcb, cut->by_boundary);
    return cut->kind == READ ? tlp_piece(address, bytes, cut->most)
                             : tlp_write_piece(address, bytes, cut->most, cut->by_boundary);
}

struct row {
    uint32_t tlps, wire_bytes, data_credits;
    char lengths[ROW_BYTES / 2];
};

static void add_pieces(const struct cut *cut, uint64_t address, uint32_t bytes, struct row *row)
{
    uint32_t header = cut->kind == COMPLETION ? TLP_COMPLETION_BYTES : TLP_REQUEST_BYTES;
    while (bytes > 0) {
        uint32_t piece = piece_of(cut, address, bytes);
        uint32_t payload = cut->kind == READ ? 0 : tlp_payload_bytes(address, piece);
        size_t used = strlen(row->lengths);
        snprintf(row->lengths + used, sizeof row->lengths - used, "%s%u", used ? " " : "", piece);
        row->tlps++;
        row->wire_bytes += header + payload;
        row->data_credits += tlp_blocks(0, payload, TLP_CREDIT_BYTES);
        address += piece;
        bytes -= piece;
    }
}

static void add_transfer(const struct cut *cut, uint64_t address, uint32_t bytes, struct text *text)
{
    struct row row = {0};
    char line[ROW_BYTES];
    if (cut->kind == COMPLETION) /* of each request by itself */
        for (uint32_t request; bytes > 0; address += request, bytes -= request) {
            request = tlp_piece(address, bytes, cut->mrrs);
            add_pieces(cut, address, request, &row);
        }
    else
        add_pieces(cut, address, bytes, &row);
    snprintf(line, sizeof line, "%u,%u,%u,%u,%u,%s\n", row.tlps,
             cut->kind == COMPLETION ? TLP_COMPLETION_BYTES : TLP_REQUEST_BYTES, row.wire_bytes, row.tlps,
             row.data_credits, row.lengths);
    add(text, line);
}

static void transfers(void)
{
    static const uint64_t address[] = {0, 1, 0x3c, 0x40, 0xfc0, 0xffc, 0x10020};
    static const uint32_t bytes[] = {1, 4, 8, 16, 63, 64, 65, 128, 255, 256, 257, 512, 1024, 1500, 2048, 4096};
    static const struct {
        struct cut cut;
        uLong crc;
    } golden[] = {
        {{WRITE, 128, 0, 0, 0}, 0xccb1ca5d},
        {{WRITE, 128, 0, 1, 0}, 0xeda3c988},
        {{WRITE, 256, 0, 0, 0}, 0x9f9ef45d},
        {{WRITE, 256, 0, 1, 0}, 0x68e1a842},
        {{WRITE, 512, 0, 0, 0}, 0x89110b2b},
        {{WRITE, 512, 0, 1, 0}, 0x660942a1},
        {{READ, 128, 0, 0, 0}, 0x640b80ce},
        {{READ, 256, 0, 0, 0}, 0xf34d54ca},
        {{READ, 512, 0, 0, 0}, 0x93ac58f1},
        {{READ, 4096, 0, 0, 0}, 0xdc2d009f},
        {{COMPLETION, 128, 64, 1, 512}, 0x482eab4c},
        {{COMPLETION, 128, 64, 0, 512}, 0xb399b350},
        {{COMPLETION, 128, 64, 1, 4096}, 0xd59f4bf8},
        {{COMPLETION, 128, 64, 0, 4096}, 0x5708f907},
        {{COMPLETION, 256, 64, 1, 512}, 0x482eab4c},
        {{COMPLETION, 256, 64, 0, 512}, 0xd9a722de},
        {{COMPLETION, 256, 64, 1, 4096}, 0xd59f4bf8},
        {{COMPLETION, 256, 64, 0, 4096}, 0x622d143c},
        {{COMPLETION, 512, 64, 1, 512}, 0x482eab4c},
        {{COMPLETION, 512, 64, 0, 512}, 0xd0b39df3},
        {{COMPLETION, 512, 64, 1, 4096}, 0xd59f4bf8},
        {{COMPLETION, 512, 64, 0, 4096}, 0x9a146cb7},
        {{COMPLETION, 128, 128, 1, 512}, 0x60569283},
        {{COMPLETION, 128, 128, 0, 512}, 0xe4f5f04a},
        {{COMPLETION, 128, 128, 1, 4096}, 0x948b21e8},
        {{COMPLETION, 128, 128, 0, 4096}, 0xc58e974f},
        {{COMPLETION, 256, 128, 1, 512}, 0x60569283},
        {{COMPLETION, 256, 128, 0, 512}, 0xe7736fd8},
        {{COMPLETION, 256, 128, 1, 4096}, 0x948b21e8},
        {{COMPLETION, 256, 128, 0, 4096}, 0xf50397a7},
        {{COMPLETION, 512, 128, 1, 512}, 0x60569283},
        {{COMPLETION, 512, 128, 0, 512}, 0xd0b39df3},
        {{COMPLETION, 512, 128, 1, 4096}, 0x948b21e8},
        {{COMPLETION, 512, 128, 0, 4096}, 0x57898755},
    };
    uint32_t rows = 0;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct text text = {0, 0};
        for (size_t a = 0; a < sizeof address / sizeof *address; a++)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++)
                add_transfer(&golden[i].cut, address[a], bytes[b], &text);
        CU_ASSERT_EQUAL(text.crc, golden[i].crc);
        rows += text.rows;
    }
    CU_ASSERT_EQUAL(rows, 3808);
}

/* ---- golden_serialisation: how long a TLP is on the link, Ack and replay timers ---- */

static void serialisation(void)
{
    static const int64_t generation[] = {1, 2, 3, 3, 3, 4, 4, 5, 5}, lanes[] = {8, 8, 4, 8, 16, 8, 16, 8, 16};
    static const int64_t wire[] = {8, 24, 84, 88, 152, 276, 280, 536, 1048, 4120};
    struct text text = {0, 0};
    char line[ROW_BYTES];
    for (size_t i = 0; i < sizeof generation / sizeof *generation; i++)
        for (size_t w = 0; w < sizeof wire / sizeof *wire; w++) {
            struct pcie_params params = {.generation = generation[i], .lanes = lanes[i], .mps = 256};
            struct link_symbol symbol = link_symbol_ps(generation[i]);
            double symbol_ns = (double)symbol.num / (double)symbol.den / 1000; /* encoded: 1.0156 for Gen3 */
            double unencoded_ns = generation[i] == 1 ? 4 : generation[i] == 2 ? 2 : 8.0 / (1 << generation[i]);
            double ack_ns = (double)link_ack_symbols(&params) * unencoded_ns;
            snprintf(line, sizeof line, "%.4f,%.3f,%d,%d,%.1f,%.1f\n", (double)lanes[i] / symbol_ns,
                     (double)wire[w] * symbol_ns / (double)lanes[i], (int)((wire[w] + 63) / 64),
                     (int)link_ack_symbols(&params), ack_ns, 3 * ack_ns);
            add(&text, line);
        }
    CU_ASSERT_EQUAL(text.rows, 90);
    CU_ASSERT_EQUAL(text.crc, 0x27f27ab7);
}

/* ---- golden_bw: what one link carries ---- */

/* As pcie-model counts: no padding to double words. Both directions of the link are as wide; the fuller one limits. */
static uint32_t wire_of(const char *op, int64_t mps, int64_t mrrs, int64_t piece, uint32_t bytes)
{
    struct cut cut = {WRITE, (uint32_t)mps, 0, 0, 0};
    struct row write = {0};
    add_pieces(&cut, 0, bytes, &write);
    uint32_t up_write = write.tlps * TLP_REQUEST_BYTES + bytes;
    uint32_t up_read = (bytes + (uint32_t)mrrs - 1) / (uint32_t)mrrs * TLP_REQUEST_BYTES;
    uint32_t down = (bytes + (uint32_t)piece - 1) / (uint32_t)piece * TLP_COMPLETION_BYTES + bytes;
    uint32_t up = op[0] == 'w' ? up_write : op[1] == 'd' ? up_read : up_write + up_read;
    return op[0] == 'w' || up > down ? up : down;
}

/* raw; with DLLPs as pcie-model counts them, by symbol time instead of byte; with the model's own link clock and skips */
static void add_rate(struct text *text, const struct pcie_params *params, uint32_t wire, uint32_t bytes)
{
    struct link_symbol symbol = link_symbol_ps(params->generation);
    struct clk clk;
    struct link_skips skips;
    char line[ROW_BYTES];
    CU_ASSERT_EQUAL_FATAL(link_init(params, 0, &clk, &skips), 0);
    double raw_gbps = 8000.0 * (double)params->lanes * (double)symbol.den / (double)symbol.num;
    double model_gbps = raw_gbps * (1 - 16.0 / (double)link_ack_symbols(params) - 4.0 / 1538);
    double clock_gbps = 8000.0 * (double)clk.den / (double)clk.num * (double)(skips.every_cyc - skips.took_cyc) /
                        (double)skips.every_cyc;
    double share = (double)bytes / wire;
    snprintf(line, sizeof line, "%u,%.4f,%.3f,%.3f,%.3f,%.2f\n", wire, raw_gbps, raw_gbps * share, model_gbps * share,
             clock_gbps * share, clock_gbps * 1000 / 8 / wire);
    add(text, line);
}

static void bandwidth(void)
{
    static const int64_t generation[] = {3, 4, 5}, lanes[] = {8, 16};
    static const int64_t mps[] = {128, 256, 512, 512}, mrrs[] = {512, 512, 512, 4096};
    static const uint32_t bytes[] = {8, 16, 32, 64, 65, 128, 256, 257, 512, 1024, 1500, 2048, 4096};
    struct text text = {0, 0};
    for (int link = 0; link < 6; link++)
        for (int sizes = 0; sizes < 4; sizes++)
            for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
                struct pcie_params params = {
                    .generation = generation[link / 2], .lanes = lanes[link % 2], .mps = mps[sizes]};
                uint32_t n = bytes[b];
                add_rate(&text, &params, wire_of("wr", mps[sizes], mrrs[sizes], mps[sizes], n), n);
                add_rate(&text, &params, wire_of("rd", mps[sizes], mrrs[sizes], mps[sizes], n), n);
                add_rate(&text, &params, wire_of("rd", mps[sizes], mrrs[sizes], 64, n), n);
                add_rate(&text, &params, wire_of("rw", mps[sizes], mrrs[sizes], mps[sizes], n), n);
            }
    CU_ASSERT_EQUAL(text.rows, 1248);
    CU_ASSERT_EQUAL(text.crc, 0x55fb08d5);
}

void suite_pcie_golden(void);
void suite_pcie_golden(void)
{
    CU_pSuite suite = CU_add_suite("pcie: golden vectors", NULL, NULL);
    CU_add_test(suite, "transfers: 3,808 rows", transfers);
    CU_add_test(suite, "serialisation: 90 rows", serialisation);
    CU_add_test(suite, "bandwidth: 1,248 rows", bandwidth);
}
