/* What a host's memory holds: bytes by address, in pages that are there once something is written. Elsewhere it is zero. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_PAGE_BYTES 4096u

struct memory {
    struct memory_page {
        uint64_t number; /* address / MEMORY_PAGE_BYTES */
        uint8_t *bytes;  /* NULL: the place is empty */
    } * page;            /* open addressing */
    uint32_t mask, count;
};

/* Returns -1 without memory. */
int memory_init(struct memory *memory);
void memory_free(struct memory *memory);
/* Returns -1 without memory; what was written until then stays. */
int memory_write(struct memory *memory, uint64_t address, const uint8_t *bytes, size_t count);
void memory_read(const struct memory *memory, uint64_t address, uint8_t *bytes, size_t count);

#endif
