/* TLPs: their kinds, bytes on the link, byte enables and credits, and how transfers are cut; pure functions.
 *
 * Bytes (Gen1 to Gen5 alike): 8 of framing, sequence and LCRC, plus a header of 12 (completions, requests below 4 GiB) or 16 (requests
 * above, messages), plus the payload in whole double words, plus 4 of ECRC where it is on. Clauses are those of PCIe Base Spec 3.0: 2.2
 * and 3.6 for the bytes (also Intel AN829), 2.6.1 for credits. */
#ifndef PCIE_TLP_H
#define PCIE_TLP_H

#include <stdint.h>

/* without ECRC: a request above 4 GiB, a completion */
#define TLP_REQUEST_BYTES 24u
#define TLP_COMPLETION_BYTES 20u
#define TLP_PAGE_BYTES 4096u
#define TLP_CREDIT_BYTES 16u /* of data */
#define TLP_LINE_BYTES 64u   /* of a host's caches */

/* ---- kinds ---- */

enum tlp_kind {
    TLP_MWR, /* also MSI-X: 4 bytes */
    TLP_MRD,
    TLP_FETCH_ADD,
    TLP_SWAP,
    TLP_CAS,
    TLP_MSG, /* without data: an INTx or an error message */
    TLP_CPLD,
    TLP_CPL,
    TLP_KIND_COUNT
};

struct tlp {
    enum tlp_kind kind;
    uint64_t address; /* CPLD: of its first byte; MSG, CPL: 0 */
    uint32_t bytes;   /* written, asked for or returned; of an AtomicOp the operand's; MSG, CPL: 0 */
};

/* Without payload. is_above_4gib: the address of a request, which else must have the short header (2.2.4.1). */
uint32_t tlp_overhead_bytes(enum tlp_kind kind, int is_above_4gib, int ecrc);

#define TLP_FRAMING_BYTES 8u /* of it: start, sequence number, LCRC, end; flits (Gen6) have none */
/* The payload in whole double words. A CAS carries two operands; a write of 0 bytes one double word without enables. */
uint32_t tlp_data_bytes(const struct tlp *tlp);
/* All of it. */
uint32_t tlp_link_bytes(const struct tlp *tlp, int ecrc);
/* The header's Length in double words: of the payload, or of what a read asks for; a read of 0 bytes asks for one. 1024 is coded as 0. */
uint32_t tlp_length_dw(const struct tlp *tlp);

struct tlp_enables { /* bit 0: the byte of the lowest address */
    uint8_t first, last;
};

/* Of a read or a write (2.2.5): the first double word's bytes, and the last one's, which are none where there is only one. `bytes` 0:
 * none at all, a flush. */
struct tlp_enables tlp_enables(uint64_t address, uint32_t bytes);

/* What answers a request with a completion, in one piece: the data, or an AtomicOp's old value; of a flush one byte, whose value means
 * nothing (2.3.1.1). */
struct tlp tlp_answer(const struct tlp *request);
/* A completion's Byte Count (bytes still to come, with its own; 12 bits, 4096 is 0) and Lower Address: 7 bits, of its first byte, and 0
 * for the answer of an AtomicOp (2.2.9). */
uint32_t tlp_byte_count(const struct tlp *request, uint32_t left_bytes);
uint32_t tlp_lower_address(const struct tlp *request, uint64_t address);

enum tlp_pool { TLP_POSTED, TLP_NON_POSTED, TLP_COMPLETED, TLP_POOL_COUNT }; /* PH and PD, NPH and NPD, CPLH and CPLD */

struct tlp_credits {
    enum tlp_pool pool;
    uint32_t headers, data; /* the digest is in the header's; data: 16 bytes, rounded up */
};

struct tlp_credits tlp_credits(const struct tlp *tlp);

/* NULL; or why nobody may send it: a request across 4 KiB, too large, or an operand that does not exist (2.2.7). */
const char *tlp_refused(const struct tlp *tlp, uint32_t mps, uint32_t mrrs);

/* ---- cutting ---- */

/* The first piece of a transfer of `bytes` (>= 1) at `address`: at most `most` and not across 4 KiB (2.2.7). */
static inline uint32_t tlp_piece(uint64_t address, uint32_t bytes, uint32_t most)
{
    uint32_t room = TLP_PAGE_BYTES - (uint32_t)(address & (TLP_PAGE_BYTES - 1));
    uint32_t piece = bytes < most ? bytes : most;
    return piece < room ? piece : room;
}

/* The first piece of a write: like tlp_piece(), or up to the next multiple of `mps`. */
static inline uint32_t tlp_write_piece(uint64_t address, uint32_t bytes, uint32_t mps, int to_boundary)
{
    return tlp_piece(address, bytes, to_boundary ? mps - (uint32_t)(address & (mps - 1)) : mps);
}

/* The first completion of a read of `bytes` at `address`: up to the next boundary for one piece an RCB block; else all when it is within
 * `mps`, or the largest piece within it that ends at a boundary (2.3.1.1). */
static inline uint32_t tlp_completion(uint64_t address, uint32_t bytes, uint32_t mps, uint32_t rcb, int each_block)
{
    if (!each_block && bytes <= mps)
        return bytes;
    uint64_t end = (address + (each_block ? rcb : mps)) & ~(uint64_t)(rcb - 1);
    return end - address < bytes ? (uint32_t)(end - address) : bytes;
}

/* Payload bytes on the link: whole double words, the first one from the double word that holds `address`. */
static inline uint32_t tlp_payload_bytes(uint64_t address, uint32_t bytes)
{
    return ((uint32_t)(address & 3) + bytes + 3) & ~3u;
}

/* Blocks of `size` (a power of two) that a transfer touches: the most completions of a read, for the RCB; its data credits, for 16. */
static inline uint32_t tlp_blocks(uint64_t address, uint32_t bytes, uint32_t size)
{
    return ((uint32_t)(address & (size - 1)) + bytes + size - 1) / size;
}

#endif
