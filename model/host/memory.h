/* What a host's memory holds: bytes by address, in pages that are there once something is written. Elsewhere it holds zeros, or a pattern of its
 * own, so that what comes from there is known wherever it arrives. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_PAGE_BYTES 4096u

struct memory {
    struct memory_page {
        uint64_t number; /* address / MEMORY_PAGE_BYTES */
        uint8_t *bytes;  /* NULL: the place is empty */
        uint64_t writer; /* who was the last one, as memory_write() was told */
        int is_lent;     /* the bytes are the caller's, of memory_lend() */
    } * page;            /* open addressing */
    uint32_t mask, count;
    uint64_t pattern; /* 0: zeros */
};

/* pattern: 0, or which one. Returns -1 without memory. */
int memory_init(struct memory *memory, uint64_t pattern);
void memory_free(struct memory *memory);
/* Returns -1 without memory; what was written until then stays. */
int memory_write(struct memory *memory, uint64_t address, const uint8_t *bytes, size_t count, uint64_t writer);
void memory_read(const struct memory *memory, uint64_t address, uint8_t *bytes, size_t count);

/* The pages from `address` on are the caller's own `bytes`, count of them; NULL: a copy of what they hold is kept instead. Whole pages only. -1
 * without memory. */
int memory_lend(struct memory *memory, uint64_t address, uint8_t *bytes, size_t count);

/* Whether nobody has written to any of its pages. */
int memory_is_untouched(const struct memory *memory, uint64_t address, size_t count);
/* Whether this one was the last to write to each of its pages. */
int memory_is_of(const struct memory *memory, uint64_t address, size_t count, uint64_t writer);

#endif
