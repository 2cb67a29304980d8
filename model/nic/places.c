/* A packet's payload that lies in several places of memory here (sge.h): what the DMA engine is told of them. */
#include "nic/rnic.h"

const struct sge_list *places_of(const struct rnic *rnic, const struct item *item)
{
    const struct message *message = rnic_message(rnic, item->message);
    if (item->kind == ITEM_DATA && message->receive_sges > 0)
        return sges_of(rnic->setup.sges, item->message, SGE_OF_RECEIVE);
    return item->kind == ITEM_ANSWER && message->local_sges > 0
               ? sges_of(rnic->setup.sges, item->message, SGE_OF_REQUEST)
               : 0;
}

struct pcie_place places_segment(void *context, int is_write, uint32_t ref, uint32_t left)
{
    const struct rnic *rnic = context;
    const struct item *item = rnic_item(rnic, ref);
    const struct sge_list *list =
        is_write ? places_of(rnic, item) : sges_of(rnic->setup.sges, item->message, SGE_OF_REQUEST);
    uint32_t count = sge_segments(list, item->offset, item->payload_bytes);
    return sge_segment(list, item->offset, item->payload_bytes, count - left);
}

void places_scatter(const struct rnic *rnic, const struct item *item, struct pcie_write *write)
{
    const struct sge_list *list = places_of(rnic, item);
    if (!list || item->payload_bytes == 0)
        return;
    struct pcie_place first = sge_segment(list, item->offset, item->payload_bytes, 0);
    write->address = first.address;
    write->bytes = first.bytes;
    write->segments = (uint8_t)(sge_segments(list, item->offset, item->payload_bytes) - 1);
}

void places_gather(struct rnic *rnic, uint32_t index, const struct item *item)
{
    const struct sge_list *list = sges_of(rnic->setup.sges, item->message, SGE_OF_REQUEST);
    struct pcie_place first = sge_segment(list, item->offset, item->payload_bytes, 0);
    struct pcie_read *read = &rnic->pcie.read[index];
    if (read->bytes == 0) /* it is in the NIC already */
        return;
    read->address = first.address;
    read->bytes = first.bytes;
    read->segments = (uint8_t)(sge_segments(list, item->offset, item->payload_bytes) - 1);
}
