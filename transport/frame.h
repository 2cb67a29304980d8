/* Sizes of RoCE v2 frames on IPv4, without preamble, FCS and gap.
 *
 * Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, AETH 4, immediate 4, DETH 8, XRCETH 4, AtomicETH 28, AtomicAckETH 8, FETH 4, ICRC 4; payload padded to whole double words
 * (IBTA vol. 1, 9.2 to 9.4, Annex A17). */
#ifndef TRANSPORT_FRAME_H
#define TRANSPORT_FRAME_H

#include <stdint.h>

#define FRAME_BASE_BYTES (14u + 20u + 8u + 12u + 4u)
#define FRAME_RETH_BYTES 16u
#define FRAME_AETH_BYTES 4u
#define FRAME_IMMEDIATE_BYTES 4u
#define FRAME_CNP_BYTES (FRAME_BASE_BYTES + 16u) /* Annex A17.9.3 */
#define FRAME_DETH_BYTES 8u
#define FRAME_XRCETH_BYTES 4u
#define FRAME_ATOMIC_ETH_BYTES 28u
#define FRAME_ATOMIC_ACK_BYTES 8u
#define FRAME_FETH_BYTES 4u
#define FRAME_ACK_BYTES (FRAME_BASE_BYTES + FRAME_AETH_BYTES)

static inline uint32_t frame_data_bytes(uint32_t payload_bytes, int reth, int immediate)
{
    return FRAME_BASE_BYTES + (reth ? FRAME_RETH_BYTES : 0) + (immediate ? FRAME_IMMEDIATE_BYTES : 0) +
           ((payload_bytes + 3) & ~3u);
}

/* Packets of a message: one at least (IBTA vol. 1, 9.7.2). */
static inline uint32_t frame_packets(uint32_t message_bytes, uint32_t mtu_bytes)
{
    return message_bytes == 0 ? 1 : (message_bytes - 1) / mtu_bytes + 1;
}

#endif
