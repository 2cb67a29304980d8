#include "pcie/tlp.h"

#include <stddef.h>

#define ECRC_BYTES 4u
#define DW_BYTES 4u

static int is_atomic(enum tlp_kind kind)
{
    return kind == TLP_FETCH_ADD || kind == TLP_SWAP || kind == TLP_CAS;
}

static int is_completion(enum tlp_kind kind)
{
    return kind == TLP_CPLD || kind == TLP_CPL;
}

uint32_t tlp_overhead_bytes(enum tlp_kind kind, int is_above_4gib, int ecrc)
{
    int is_long = kind == TLP_MSG || (is_above_4gib && !is_completion(kind));
    return TLP_FRAMING_BYTES + (is_long ? 4 : 3) * DW_BYTES + (ecrc ? ECRC_BYTES : 0);
}

uint32_t tlp_data_bytes(const struct tlp *tlp)
{
    if (tlp->kind == TLP_MWR || tlp->kind == TLP_CPLD)
        return tlp_length_dw(tlp) * DW_BYTES;
    if (is_atomic(tlp->kind))
        return tlp->kind == TLP_CAS ? 2 * tlp->bytes : tlp->bytes;
    return 0;
}

uint32_t tlp_link_bytes(const struct tlp *tlp, int ecrc)
{
    return tlp_overhead_bytes(tlp->kind, tlp->address >> 32 != 0, ecrc) + tlp_data_bytes(tlp);
}

uint32_t tlp_length_dw(const struct tlp *tlp)
{
    if (is_atomic(tlp->kind))
        return tlp_data_bytes(tlp) / DW_BYTES;
    if (tlp->kind == TLP_MSG || tlp->kind == TLP_CPL)
        return 0;
    return tlp->bytes == 0 ? 1 : tlp_payload_bytes(tlp->address, tlp->bytes) / DW_BYTES;
}

struct tlp_enables tlp_enables(uint64_t address, uint32_t bytes)
{
    uint32_t first = (uint32_t)(address % DW_BYTES), end = first + bytes; /* from the first double word on */
    if (bytes == 0)
        return (struct tlp_enables){0, 0};
    if (end <= DW_BYTES)
        return (struct tlp_enables){(uint8_t)(((1u << bytes) - 1) << first), 0};
    return (struct tlp_enables){(uint8_t)(0xfu << first & 0xfu), (uint8_t)(0xfu >> (-end % DW_BYTES))};
}

struct tlp tlp_answer(const struct tlp *request)
{
    if (request->kind == TLP_MRD && request->bytes == 0)
        return (struct tlp){TLP_CPLD, request->address, 1};
    return (struct tlp){TLP_CPLD, request->address, request->bytes};
}

uint32_t tlp_byte_count(const struct tlp *request, uint32_t left_bytes)
{
    if (is_atomic(request->kind))
        return request->bytes;
    return (request->bytes == 0 ? 1 : left_bytes) & 0xfff;
}

uint32_t tlp_lower_address(const struct tlp *request, uint64_t address)
{
    if (is_atomic(request->kind))
        return 0;
    return (uint32_t)(address & (request->bytes == 0 ? 0x7c : 0x7f)); /* no byte enabled: that of the double word */
}

static enum tlp_pool pool_of(enum tlp_kind kind)
{
    if (is_completion(kind))
        return TLP_COMPLETED;
    return kind == TLP_MWR || kind == TLP_MSG ? TLP_POSTED : TLP_NON_POSTED;
}

struct tlp_credits tlp_credits(const struct tlp *tlp)
{
    return (struct tlp_credits){pool_of(tlp->kind), 1, tlp_blocks(0, tlp_data_bytes(tlp), TLP_CREDIT_BYTES)};
}

static const char *refused_operand(const struct tlp *tlp)
{
    if (tlp->bytes != 4 && tlp->bytes != 8 && (tlp->bytes != 16 || tlp->kind != TLP_CAS))
        return "no such operand, allowed are 4 and 8 bytes, for CAS also 16";
    if (tlp->address % tlp->bytes != 0)
        return "the operand is not aligned to its size";
    return NULL;
}

const char *tlp_refused(const struct tlp *tlp, uint32_t mps, uint32_t mrrs)
{
    if (is_atomic(tlp->kind))
        return refused_operand(tlp);
    if (tlp_data_bytes(tlp) > mps)
        return "the payload is larger than MPS";
    if (tlp->kind == TLP_MRD && tlp_length_dw(tlp) * DW_BYTES > mrrs)
        return "the read is larger than MRRS";
    if ((tlp->kind == TLP_MRD || tlp->kind == TLP_MWR) && tlp->bytes > 0 &&
        tlp_piece(tlp->address, tlp->bytes, tlp->bytes) != tlp->bytes)
        return "the request crosses a 4 KiB boundary";
    return NULL;
}
