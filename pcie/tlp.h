/* TLPs: how transfers are cut, and their bytes on the link; pure functions.
 *
 * Bytes (Gen1 to Gen5 alike): 8 of framing, sequence and LCRC, plus a header of 16 (MWr, MRd with 64-bit addresses) or 12
 * (completions), plus the payload in whole double words (PCIe Base Spec 3.0, 2.2 and 3.6; Intel AN829). */
#ifndef PCIE_TLP_H
#define PCIE_TLP_H

#include <stdint.h>

#define TLP_REQUEST_BYTES 24u
#define TLP_COMPLETION_BYTES 20u
#define TLP_PAGE_BYTES 4096u
#define TLP_CREDIT_BYTES 16u /* of data */
#define TLP_LINE_BYTES 64u   /* of a host's caches */

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
