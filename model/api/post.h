/* What posting to a send queue (post.c) and to a receive queue (post_receive.c) share: checks, and the post that passed them. */
#ifndef API_POST_H
#define API_POST_H

#include "api/api_internal.h"

/* A checked post, for api_guard(). */
struct post {
    uint32_t host, index;
    size_t count;
    const struct rnicsim_wr *requests;
    const struct rnicsim_recv *buffers;
    struct receive_queue *queue; /* for them */
    int64_t own_ps;
};

/* What is wrong with a list of places whose lengths are to add up to this; NULL: nothing. */
const char *post_wrong_with_list(const struct rnicsim *sim, uint32_t host, const struct rnicsim_sge *sge,
                                 uint32_t count, uint64_t length_bytes);
void post_take_list(struct sge_list *list, const struct rnicsim_sge *sge, uint32_t count);
/* Whether there is anything to post. */
int post_check(const void *list, size_t count, struct rnicsim_error *error);
/* Checks an instant given from outside and turns it into the simulation's own time. */
int post_own_time(struct rnicsim *sim, uint32_t host, int64_t at_ps, int64_t *own_ps, struct rnicsim_error *error);

#endif
