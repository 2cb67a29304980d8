#include "nic/content.h"

#include "nic/rnic.h"

#include <stdlib.h>
#include <string.h>

struct contents *contents_new(int is_checked)
{
    struct contents *contents = calloc(1, sizeof *contents);
    if (!contents)
        return NULL;
    contents->is_checked = is_checked;
    if (memory_init(&contents->memory[0], is_checked ? 1 : 0) ||
        memory_init(&contents->memory[1], is_checked ? UINT64_C(1) << 40 : 0) ||
        pool_init(&contents->blocks, sizeof(struct content_block), 64) ||
        pool_init(&contents->ops, sizeof(struct content_op), 64) || heap_init(&contents->due, 64)) {
        contents_free(contents);
        return NULL;
    }
    return contents;
}

static struct content_block *block_at(const struct contents *contents, uint32_t block)
{
    return (struct content_block *)contents->blocks.slot + block;
}

void content_give(struct contents *contents, uint32_t block)
{
    if (block == POOL_NONE || --block_at(contents, block)->owners > 0)
        return;
    free(block_at(contents, block)->bytes);
    pool_give(&contents->blocks, block);
}

uint32_t content_hold(struct contents *contents, uint32_t item)
{
    uint32_t block = item < contents->items ? contents->of_item[item] : POOL_NONE;
    if (block != POOL_NONE)
        block_at(contents, block)->owners++;
    return block;
}

const uint8_t *content_bytes(const struct contents *contents, uint32_t block)
{
    return block_at(contents, block)->bytes;
}

void contents_free(struct contents *contents)
{
    if (!contents)
        return;
    while (contents->due.count > 0)
        content_give(contents, ((struct content_op *)contents->ops.slot)[heap_take(&contents->due).ref].block);
    for (uint32_t i = 0; i < contents->items; i++)
        content_give(contents, contents->of_item[i]);
    for (uint32_t i = 0; i < contents->messages; i++)
        content_give(contents, contents->of_message[i].inline_block);
    memory_free(&contents->memory[0]);
    memory_free(&contents->memory[1]);
    pool_free(&contents->blocks);
    pool_free(&contents->ops);
    heap_free(&contents->due);
    free(contents->of_item);
    free(contents->of_message);
    free(contents);
}

/* With one owner. POOL_NONE without memory, which is told of later. */
static uint32_t new_block(struct contents *contents, uint32_t bytes)
{
    uint32_t block = pool_take(&contents->blocks);
    uint8_t *room = block == POOL_NONE ? NULL : malloc(bytes);
    contents->has_failed |= room == NULL;
    if (block != POOL_NONE)
        *block_at(contents, block) = (struct content_block){room, 1};
    return block;
}

static void put(struct contents *contents, int64_t at_ps, const struct content_op *op)
{
    uint32_t ref = pool_take(&contents->ops);
    if (ref == POOL_NONE || heap_put(&contents->due, at_ps, contents->order++, ref)) {
        contents->has_failed = 1;
        return;
    }
    ((struct content_op *)contents->ops.slot)[ref] = *op;
    block_at(contents, op->block)->owners++;
}

/* ---- messages ---- */

static struct content_message *message_of(struct contents *contents, uint32_t message)
{
    if (message >= contents->messages) {
        uint32_t room = contents->messages ? contents->messages : 64;
        while (room <= message)
            room *= 2;
        struct content_message *more = realloc(contents->of_message, room * sizeof *more);
        if (!more) {
            contents->has_failed = 1;
            return NULL;
        }
        for (uint32_t i = contents->messages; i < room; i++)
            more[i] = (struct content_message){.inline_block = POOL_NONE};
        contents->of_message = more;
        contents->messages = room;
    }
    return &contents->of_message[message];
}

void content_posted(struct contents *contents, uint32_t host, const struct pool *messages, uint32_t index,
                    const struct sge_list *list, uint64_t compare, uint64_t swap_or_add)
{
    const struct message *message = message_at(messages, index);
    struct content_message *of = message_of(contents, index);
    if (!of)
        return;
    content_give(contents, of->inline_block);
    *of = (struct content_message){.compare = compare,
                                   .swap_or_add = swap_or_add,
                                   .ordinal = message->ordinal,
                                   .host = host,
                                   .inline_block = POOL_NONE};
    if (!message->has_inline || message->length_bytes == 0)
        return;
    of->inline_block = new_block(contents, message->length_bytes);
    if (contents->has_failed)
        return;
    uint8_t *bytes = block_at(contents, of->inline_block)->bytes;
    if (!list)
        memory_read(&contents->memory[host], message->local_address, bytes, message->length_bytes);
    for (uint32_t i = 0; list && i < list->count; bytes += list->sge[i++].bytes)
        memory_read(&contents->memory[host], list->sge[i].address, bytes, list->sge[i].bytes);
}

/* ---- packets ---- */

/* The item has this block now, and owns it. */
static void set_item(struct contents *contents, uint32_t item, uint32_t block)
{
    if (item >= contents->items) {
        uint32_t room = contents->items ? contents->items : 64;
        while (room <= item)
            room *= 2;
        uint32_t *more = realloc(contents->of_item, room * sizeof *more);
        if (!more) {
            contents->has_failed = 1;
            return;
        }
        for (uint32_t i = contents->items; i < room; i++)
            more[i] = POOL_NONE;
        contents->of_item = more;
        contents->items = room;
    }
    content_give(contents, contents->of_item[item]); /* of the packet that was this item before */
    contents->of_item[item] = block;
}

static void take_inline(struct contents *contents, const struct item *item, uint32_t block)
{
    const struct content_message *of = &contents->of_message[item->message];
    memcpy(block_at(contents, block)->bytes, block_at(contents, of->inline_block)->bytes + item->offset,
           item->payload_bytes);
}

/* Where the packet's bytes come from, and how. */
static struct content_op reading(struct rnic *rnic, const struct item *item, uint32_t block)
{
    const struct message *message = rnic_message(rnic, item->message);
    struct content_op op = {.kind = CONTENT_READ,
                            .host = (uint32_t)rnic->setup.entity,
                            .bytes = item->payload_bytes,
                            .block = block,
                            .message = item->message,
                            .address = item->kind == ITEM_DATA ? message->local_address : message->remote_address};
    if (!message_is_atomic(message)) {
        op.address += item->offset;
        return op;
    }
    struct content_message *of = &rnic->setup.contents->of_message[item->message];
    op.kind = of->is_done ? CONTENT_ATOMIC_AGAIN : CONTENT_ATOMIC;
    of->is_done = 1;
    return op;
}

/* Of a list of places, or of the one that the operation names. */
static void put_pieces(struct rnic *rnic, int64_t at_ps, struct content_op *op, const struct sge_list *list,
                       uint32_t offset)
{
    struct contents *contents = rnic->setup.contents;
    uint32_t bytes = op->bytes, count = list ? sge_segments(list, offset, bytes) : 0;
    if (!list)
        put(contents, at_ps, op);
    for (uint32_t i = 0; i < count; i++) {
        struct pcie_place place = sge_segment(list, offset, bytes, i);
        op->address = place.address;
        op->bytes = place.bytes;
        put(contents, at_ps, op);
        op->block_offset += place.bytes;
    }
}

void content_sent(struct rnic *rnic, uint32_t ref, int64_t at_cyc)
{
    struct contents *contents = rnic->setup.contents;
    const struct item *item = rnic_item(rnic, ref);
    if (item->kind == ITEM_ACK || item->payload_bytes == 0)
        return;
    uint32_t block = new_block(contents, item->payload_bytes);
    if (contents->has_failed)
        return;
    set_item(contents, ref, block);
    if (item->kind == ITEM_DATA && rnic_message(rnic, item->message)->has_inline) {
        take_inline(contents, item, block);
        return;
    }
    struct content_op op = reading(rnic, item, block);
    const struct message *message = rnic_message(rnic, item->message);
    put_pieces(rnic, rnic_ps(rnic, at_cyc), &op,
               item->kind == ITEM_DATA && message->local_sges > 0
                   ? sges_of(rnic->setup.sges, item->message, SGE_OF_REQUEST)
                   : NULL,
               item->offset);
}

void content_doubled(struct rnic *rnic, uint32_t ref, uint32_t other)
{
    struct contents *contents = rnic->setup.contents;
    set_item(contents, other, content_hold(contents, ref));
}

void content_written(struct rnic *rnic, const struct pcie_up *up)
{
    struct contents *contents = rnic->setup.contents;
    const struct item *item = rnic_item(rnic, up->ref);
    const struct message *message = rnic_message(rnic, item->message);
    uint32_t grh_bytes = item->kind == ITEM_DATA ? rnic->qp[item->qp].grh_bytes : 0;
    if (item->payload_bytes == grh_bytes || contents->has_failed)
        return;
    uint64_t address = item->kind == ITEM_DATA ? message->remote_address + grh_bytes : message->local_address;
    struct content_op op = {.kind = CONTENT_WRITE,
                            .host = (uint32_t)rnic->setup.entity,
                            .bytes = item->payload_bytes - grh_bytes,
                            .block = contents->of_item[up->ref],
                            .message = item->message,
                            .ordinal = message->ordinal,
                            .offset = item->offset,
                            .address = address + item->offset};
    put_pieces(rnic, up->payload_visible_at_ps, &op, places_of(rnic, item), item->offset + grh_bytes);
}

/* ---- at their instants ---- */

/* The value is changed; what it was goes back, and is kept (IBTA vol. 1, 9.4.5). Values are the host's own 64-bit words. */
static void change(struct contents *contents, const struct content_op *op, int is_compare)
{
    struct content_message *of = &contents->of_message[op->message];
    uint64_t value, next;
    memory_read(&contents->memory[op->host], op->address, (uint8_t *)&value, sizeof value);
    of->original = value;
    next = !is_compare ? value + of->swap_or_add : value == of->compare ? of->swap_or_add : value;
    contents->has_failed |=
        memory_write(&contents->memory[op->host], op->address, (const uint8_t *)&next, sizeof next, of->ordinal);
}

/* The message is whole: is it where it should be, as it should be? That is known where its source holds the pattern, and nobody else has written to
 * its place. */
static void check(struct contents *contents, const struct message *message, const struct content_op *op)
{
    int is_read = message->opcode == MESSAGE_READ;
    const struct memory *to = &contents->memory[op->host], *from = &contents->memory[op->host ^ 1];
    uint64_t source = is_read ? message->remote_address : message->local_address;
    uint64_t place = op->address - op->offset;
    uint8_t found[256], due[256];
    if (message_is_atomic(message) || message->local_sges > 0 || message->receive_sges > 0 ||
        !memory_is_untouched(from, source, message->length_bytes) ||
        !memory_is_of(to, place, message->length_bytes, message->ordinal)) {
        contents->check.unknown_bytes += message->length_bytes;
        return;
    }
    for (uint32_t at = 0; at < message->length_bytes; at += sizeof found) {
        size_t part = message->length_bytes - at < sizeof found ? message->length_bytes - at : sizeof found;
        memory_read(to, place + at, found, part);
        memory_read(from, source + at, due, part);
        if (memcmp(found, due, part) != 0) {
            contents->check.wrong_messages++;
            return;
        }
    }
    contents->check.right_bytes += message->length_bytes;
}

/* So many more bytes of the message are written; all of them, or more than all? */
static void count_written(struct contents *contents, const struct pool *messages, const struct content_op *op)
{
    struct content_message *of = &contents->of_message[op->message];
    const struct message *message = message_at(messages, op->message);
    if (of->ordinal != op->ordinal)
        return; /* of a message of which a packet was lost for good */
    of->written_bytes += op->bytes;
    if (of->written_bytes == message->length_bytes)
        check(contents, message, op);
    else if (of->written_bytes > message->length_bytes)
        contents->check.wrong_messages++;
}

void contents_settle(struct contents *contents, const struct pool *messages, int64_t now_ps)
{
    const struct heap_entry *first;
    while ((first = heap_first(&contents->due)) != 0 && first->at <= now_ps && !contents->has_failed) {
        uint32_t ref = (uint32_t)heap_take(&contents->due).ref;
        struct content_op op = ((struct content_op *)contents->ops.slot)[ref];
        uint8_t *bytes = block_at(contents, op.block)->bytes + op.block_offset;
        if (op.kind == CONTENT_WRITE) {
            contents->has_failed |= memory_write(&contents->memory[op.host], op.address, bytes, op.bytes, op.ordinal);
            if (contents->is_checked)
                count_written(contents, messages, &op);
        } else if (op.kind == CONTENT_READ) {
            memory_read(&contents->memory[op.host], op.address, bytes, op.bytes);
        } else {
            if (op.kind == CONTENT_ATOMIC)
                change(contents, &op, message_at(messages, op.message)->opcode == MESSAGE_CMP_SWAP);
            memcpy(bytes, &contents->of_message[op.message].original, sizeof(uint64_t));
        }
        content_give(contents, op.block);
        pool_give(&contents->ops, ref);
    }
}
