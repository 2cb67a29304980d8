/* What a host's memory keys allow: regions, and windows on them. A NIC looks here when it begins a request (its lkey) and when one comes in (its
 * rkey): IBTA vol. 1, 10.6; regions that are registered by a work request and windows of type 2, 10.6.6 and 10.6.7. */
#ifndef NIC_KEYS_H
#define NIC_KEYS_H

#include <stddef.h>
#include <stdint.h>

enum key_kind { KEY_REGION, KEY_FAST_REGION, KEY_WINDOW_1, KEY_WINDOW_2 }; /* enum rnicsim_key_kind */

enum key_access { /* enum rnicsim_access, which has the values of ibv_access_flags */
                  KEY_LOCAL_WRITE = 1,
                  KEY_REMOTE_WRITE = 2,
                  KEY_REMOTE_READ = 4,
                  KEY_REMOTE_ATOMIC = 8,
                  KEY_BIND = 16,
                  KEY_FLUSH_VISIBLE = 256,
                  KEY_FLUSH_PERSISTENT = 512,
                  KEY_ALL = 0x3ff
};

#define KEY_ANY_QP UINT32_MAX
#define KEY_VARIABLE_BITS 0xffu /* of a key: what its owner may change with each use of it */

struct key {
    uint64_t base, length_bytes, page_bytes;
    uint32_t key, pd;
    uint32_t region;  /* of a window that is bound: the key of what it is bound to */
    uint32_t windows; /* that are bound to it */
    uint32_t qp;      /* of a window of type 2, bound: the only one that may use it; else KEY_ANY_QP */
    uint32_t access;  /* enum key_access */
    uint8_t kind, is_valid;
};

struct keys {
    struct key *key; /* sorted */
    size_t count, room;
    int can_change; /* there are some that work requests change, or one was taken away: what holds at a post need not later */
};

void keys_free(struct keys *keys);
/* 0; -1: the key exists already; -2: no memory. */
int keys_add(struct keys *keys, const struct key *key);
/* 0; -1: there is none; -2: windows are bound to it. */
int keys_remove(struct keys *keys, uint32_t key);
struct key *keys_find(const struct keys *keys, uint32_t key); /* NULL: there is none */

/* Who asks for [address, address + length). */
struct key_use {
    uint32_t key, pd, qp, access;
    uint64_t address, length_bytes;
};

/* While there are none, nothing is looked at. */
static inline int keys_are_open(const struct keys *keys)
{
    return keys->count == 0 && !keys->can_change;
}

/* Whether that is allowed. Always so while there are no keys at all, and with no bytes (IBTA vol. 1, C9-88). */
int keys_allow(const struct keys *keys, const struct key_use *use);

/* What a work request of a QP does to its own host's keys. 0, or -1: it may not, and nothing has changed. */
struct key_change {
    uint32_t key, new_key; /* which differ in KEY_VARIABLE_BITS at most */
    uint32_t region, access;
    uint64_t base, length_bytes;
    uint32_t pd, qp;
};

/* A window of type 2 or a region that can be registered again is free (LOCAL_INV, or the peer's SEND_INV). */
int keys_invalidate(struct keys *keys, uint32_t key, uint32_t pd, uint32_t qp);
int keys_bind(struct keys *keys, const struct key_change *change);
int keys_register(struct keys *keys, const struct key_change *change);

#endif
