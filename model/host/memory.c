#include "host/memory.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 64u

int memory_init(struct memory *memory, uint64_t pattern)
{
    *memory = (struct memory){
        .pattern = pattern, .mask = PLACES_FIRST - 1, .page = calloc(PLACES_FIRST, sizeof *memory->page)};
    return memory->page ? 0 : -1;
}

void memory_free(struct memory *memory)
{
    for (uint32_t i = 0; memory->page && i <= memory->mask; i++)
        if (!memory->page[i].is_lent)
            free(memory->page[i].bytes);
    free(memory->page);
}

/* What lies at an address that nobody has written: each eight bytes are a hash of their own. */
static void fill(const struct memory *memory, uint64_t address, uint8_t *bytes, size_t count)
{
    memset(bytes, 0, count);
    for (size_t i = 0; i < count && memory->pattern != 0; i++) {
        uint64_t x = ((address + i) / 8 + memory->pattern) * UINT64_C(0xbf58476d1ce4e5b9);
        bytes[i] = (uint8_t)((x ^ x >> 31) >> (address + i) % 8 * 8);
    }
}

/* The page's place, or the empty one where it would be. */
static struct memory_page *find(const struct memory *memory, uint64_t number)
{
    uint32_t place = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & memory->mask;
    while (memory->page[place].bytes && memory->page[place].number != number)
        place = (place + 1) & memory->mask;
    return &memory->page[place];
}

static int grow(struct memory *memory)
{
    struct memory larger = {.mask = 2 * memory->mask + 1, .count = memory->count, .pattern = memory->pattern};
    larger.page = calloc((size_t)larger.mask + 1, sizeof *larger.page);
    if (!larger.page)
        return -1;
    for (uint32_t i = 0; i <= memory->mask; i++)
        if (memory->page[i].bytes)
            *find(&larger, memory->page[i].number) = memory->page[i];
    free(memory->page);
    *memory = larger;
    return 0;
}

/* The page, made if it is not there; NULL without memory. */
static struct memory_page *page_of(struct memory *memory, uint64_t number)
{
    struct memory_page *page = find(memory, number);
    if (page->bytes)
        return page;
    if (2 * memory->count > memory->mask) {
        if (grow(memory))
            return NULL;
        page = find(memory, number);
    }
    page->number = number;
    page->bytes = malloc(MEMORY_PAGE_BYTES);
    if (!page->bytes)
        return NULL;
    fill(memory, number * MEMORY_PAGE_BYTES, page->bytes, MEMORY_PAGE_BYTES);
    memory->count++;
    return page;
}

/* How many of the bytes from here on lie in one page. */
static size_t in_page(uint64_t address, size_t count)
{
    size_t left = MEMORY_PAGE_BYTES - (size_t)(address % MEMORY_PAGE_BYTES);
    return left < count ? left : count;
}

int memory_write(struct memory *memory, uint64_t address, const uint8_t *bytes, size_t count, uint64_t writer)
{
    while (count > 0) {
        size_t part = in_page(address, count);
        struct memory_page *page = page_of(memory, address / MEMORY_PAGE_BYTES);
        if (!page)
            return -1;
        memcpy(page->bytes + address % MEMORY_PAGE_BYTES, bytes, part);
        page->writer = writer;
        address += part;
        bytes += part;
        count -= part;
    }
    return 0;
}

static int lend_page(struct memory *memory, uint64_t number, uint8_t *bytes)
{
    struct memory_page *page = page_of(memory, number);
    uint8_t *kept = page && !bytes && page->is_lent ? malloc(MEMORY_PAGE_BYTES) : NULL;
    if (!page || (!bytes && page->is_lent && !kept))
        return -1;
    if (kept)
        memcpy(kept, page->bytes, MEMORY_PAGE_BYTES);
    if (!page->is_lent && bytes)
        free(page->bytes);
    page->is_lent = bytes != NULL;
    if (bytes || kept)
        page->bytes = bytes ? bytes : kept;
    return 0;
}

int memory_lend(struct memory *memory, uint64_t address, uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += MEMORY_PAGE_BYTES)
        if (lend_page(memory, (address + at) / MEMORY_PAGE_BYTES, bytes ? bytes + at : NULL))
            return -1;
    return 0;
}

void memory_read(const struct memory *memory, uint64_t address, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t part = in_page(address, count);
        const struct memory_page *page = find(memory, address / MEMORY_PAGE_BYTES);
        if (page->bytes)
            memcpy(bytes, page->bytes + address % MEMORY_PAGE_BYTES, part);
        else
            fill(memory, address, bytes, part);
        address += part;
        bytes += part;
        count -= part;
    }
}

int memory_is_untouched(const struct memory *memory, uint64_t address, size_t count)
{
    for (uint64_t page = address / MEMORY_PAGE_BYTES; count > 0 && page <= (address + count - 1) / MEMORY_PAGE_BYTES;
         page++)
        if (find(memory, page)->bytes)
            return 0;
    return 1;
}

int memory_is_of(const struct memory *memory, uint64_t address, size_t count, uint64_t writer)
{
    for (uint64_t page = address / MEMORY_PAGE_BYTES; count > 0 && page <= (address + count - 1) / MEMORY_PAGE_BYTES;
         page++)
        if (!find(memory, page)->bytes || find(memory, page)->writer != writer)
            return 0;
    return 1;
}
