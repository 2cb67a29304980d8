#include "nic/keys.h"

#include <stdlib.h>
#include <string.h>

void keys_free(struct keys *keys)
{
    free(keys->key);
}

/* The first that is not below `key`. */
static size_t place_of(const struct keys *keys, uint32_t key)
{
    size_t low = 0, high = keys->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (keys->key[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct key *keys_find(const struct keys *keys, uint32_t key)
{
    size_t at = place_of(keys, key);
    return at < keys->count && keys->key[at].key == key ? &keys->key[at] : 0;
}

int keys_add(struct keys *keys, const struct key *key)
{
    size_t at = place_of(keys, key->key);
    if (at < keys->count && keys->key[at].key == key->key)
        return -1;
    if (keys->count == keys->room) {
        size_t room = keys->room ? 2 * keys->room : 16;
        struct key *more = realloc(keys->key, room * sizeof *more);
        if (!more)
            return -2;
        keys->key = more;
        keys->room = room;
    }
    memmove(&keys->key[at + 1], &keys->key[at], (keys->count - at) * sizeof *keys->key);
    keys->key[at] = *key;
    keys->count++;
    keys->can_change |= key->kind != KEY_REGION;
    return 0;
}

static int is_window(const struct key *key)
{
    return key->kind == KEY_WINDOW_1 || key->kind == KEY_WINDOW_2;
}

/* It is free again. */
static void unbind(struct keys *keys, struct key *key)
{
    if (is_window(key) && key->is_valid)
        keys_find(keys, key->region)->windows--;
    key->is_valid = 0;
    key->qp = KEY_ANY_QP;
}

int keys_remove(struct keys *keys, uint32_t number)
{
    struct key *key = keys_find(keys, number);
    if (!key)
        return -1;
    if (key->windows > 0)
        return -2;
    unbind(keys, key);
    size_t at = (size_t)(key - keys->key);
    memmove(key, key + 1, (keys->count - at - 1) * sizeof *key);
    keys->count--;
    keys->can_change = 1;
    return 0;
}

static int holds(const struct key *key, uint64_t address, uint64_t length_bytes)
{
    return address >= key->base && length_bytes <= key->length_bytes &&
           address - key->base <= key->length_bytes - length_bytes;
}

int keys_allow(const struct keys *keys, const struct key_use *use)
{
    if (keys_are_open(keys) || use->length_bytes == 0)
        return 1;
    const struct key *key = keys_find(keys, use->key);
    return key && key->is_valid && key->pd == use->pd && (key->access & use->access) == use->access &&
           (key->qp == KEY_ANY_QP || key->qp == use->qp) && holds(key, use->address, use->length_bytes);
}

int keys_invalidate(struct keys *keys, uint32_t number, uint32_t pd, uint32_t qp)
{
    struct key *key = keys_find(keys, number);
    if (!key || (key->kind != KEY_FAST_REGION && key->kind != KEY_WINDOW_2) || !key->is_valid || key->windows > 0 ||
        key->pd != pd || (key->qp != KEY_ANY_QP && key->qp != qp))
        return -1;
    unbind(keys, key);
    return 0;
}

/* Its number changes: it moves. NULL: another has that number. */
static struct key *renamed(struct keys *keys, struct key *key, uint32_t number)
{
    if (key->key == number)
        return key;
    if (keys_find(keys, number))
        return 0;
    struct key moved = *key;
    size_t from = (size_t)(key - keys->key);
    memmove(key, key + 1, (keys->count - from - 1) * sizeof *key);
    keys->count--;
    size_t to = place_of(keys, number);
    memmove(&keys->key[to + 1], &keys->key[to], (keys->count - to) * sizeof *keys->key);
    keys->count++;
    moved.key = number;
    keys->key[to] = moved;
    return &keys->key[to];
}

/* Whether the region lets a window have this (IBTA vol. 1, 10.6.7.2.3; C10-74: remote writes and atomics need a region that the host itself may
 * write). */
static int can_bind_to(const struct key *region, const struct key_change *change)
{
    int writes = (change->access & (KEY_REMOTE_WRITE | KEY_REMOTE_ATOMIC)) != 0;
    return region && !is_window(region) && region->is_valid && region->pd == change->pd &&
           (region->access & KEY_BIND) && (!writes || (region->access & KEY_LOCAL_WRITE)) &&
           holds(region, change->base, change->length_bytes);
}

static int is_renaming_allowed(const struct key_change *change)
{
    return ((change->key ^ change->new_key) & ~KEY_VARIABLE_BITS) == 0;
}

int keys_bind(struct keys *keys, const struct key_change *change)
{
    struct key *window = keys_find(keys, change->key);
    if (!window || !is_window(window) || window->pd != change->pd || !is_renaming_allowed(change))
        return -1;
    int is_type_2 = window->kind == KEY_WINDOW_2;
    if (is_type_2 && (window->is_valid || change->length_bytes == 0))
        return -1;
    int is_unbound_only = change->length_bytes == 0; /* of type 1 */
    if (!is_unbound_only && !can_bind_to(keys_find(keys, change->region), change))
        return -1;
    if (change->new_key != change->key && keys_find(keys, change->new_key))
        return -1;
    unbind(keys, window);
    window = renamed(keys, window, change->new_key);
    if (is_unbound_only)
        return 0;
    window->region = change->region;
    window->base = change->base;
    window->length_bytes = change->length_bytes;
    window->access = change->access;
    window->qp = is_type_2 ? change->qp : KEY_ANY_QP;
    window->is_valid = 1;
    keys_find(keys, change->region)->windows++;
    return 0;
}

int keys_register(struct keys *keys, const struct key_change *change)
{
    struct key *region = keys_find(keys, change->key);
    if (!region || region->kind != KEY_FAST_REGION || region->is_valid || region->pd != change->pd ||
        !is_renaming_allowed(change) || change->length_bytes == 0 || change->base + change->length_bytes < change->base)
        return -1;
    region = renamed(keys, region, change->new_key);
    if (!region)
        return -1;
    region->base = change->base;
    region->length_bytes = change->length_bytes;
    region->access = change->access;
    region->is_valid = 1;
    return 0;
}
